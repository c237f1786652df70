"""Facts out of a file and back: the export read in again, and what others write (R4), on both engines."""

import io
import json
import re
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event

from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.errors import InvalidInput, NotAllowed, NotFound, StoreUnavailable, TooLarge, Withheld
from souvenance.domain.fact import SUMMARY_KEY, State, SubjectKind
from souvenance.domain.form import Form
from souvenance.domain.protection import Protection
from souvenance.imports.facts.imports import FactsReport
from souvenance.imports.uploads import Upload
from souvenance.memory.remember import Observation
from souvenance.store.imported import first_words

EVERY = (State.IN_FORCE, State.RETIRED, State.TRASHED)


def new_vault(app: Application, owner: Actor, name: str) -> str:
    return app.vaults.create(actor=owner, name=name).slug


def exported(app: Application, owner: Actor, vault: str, form: Form = Form.JSON_LINES) -> str:
    return "".join(app.exports.facts(actor=owner, vault=vault, form=form, states=EVERY))


def brought_in(app: Application, owner: Actor, vault: str, text: str | bytes, **options: Any) -> FactsReport:
    raw = text.encode() if isinstance(text, str) else text
    upload = Upload(options.pop("name", "facts.jsonl"), io.BytesIO(raw))
    return app.fact_imports.facts(actor=owner, upload=upload, vault=vault, **options)


def without_numbers(text: str) -> list[dict[str, Any]]:
    """The facts of an export, what replaced each by its place in the file instead of its number."""
    records = [json.loads(line) for line in text.splitlines()]
    places = {record["number"]: place for place, record in enumerate(records)}
    for record in records:
        del record["number"]
        if "replaced_by" in record:
            record["replaced_by"] = places.get(record["replaced_by"])
    return records


def contents(app: Application, owner: Actor, vault: str, *states: State) -> list[str]:
    found = app.facts.list(actor=owner, vault=vault, states=states or (State.IN_FORCE,), limit=1000)
    return sorted(one.content for one in found)


@pytest.fixture
def lived_in(app: Application, owner: Actor) -> str:
    """A vault with something in every state, and one fact with every value."""
    slug = new_vault(app, owner, "Atelier")
    told = [
        Observation(content="Zoé vit à Lyon.", key="ville"),
        Observation(
            content="Le four a été réparé hier.\n\n\tPar Ève.", key="four", category="cuisine", confidence=0.25,
            importance=9, subject_kind=SubjectKind.MEMBER, subject_id="77", channel="42", author="Ève", language="fr",
            said_at="2023-05-08",
        ),
        Observation(content="Aime le thé."),
        Observation(content="Un atelier de bois.", key=SUMMARY_KEY),
    ]  # fmt: skip
    first, _oven, tea, _summary = app.facts.remember(actor=owner, vault=slug, observations=told)
    _gone, second = app.facts.retire(
        actor=owner, number=first.fact.number, version=None, reason="déménagement", replacement="Zoé vit à Nantes."
    )
    assert second is not None
    app.facts.retire(actor=owner, number=second.number, version=None, reason="encore", replacement="Zoé vit à Brest.")
    app.facts.delete(actor=owner, number=tea.fact.number)
    return slug


def test_r4_the_export_comes_back_as_it_was_but_for_the_numbers(app: Application, owner: Actor, lived_in: str) -> None:
    text = exported(app, owner, lived_in)
    target = new_vault(app, owner, "Copie")
    steps: list[tuple[int, int]] = []
    report = brought_in(app, owner, target, text, progress=lambda done, total: steps.append((done, total)))
    assert (report.form, report.facts, report.created, report.retired, report.trashed) == ("jsonl", 6, 6, 2, 1)
    assert (report.known, report.problems, report.warnings, steps) == (0, [], [], [(6, 6)])
    assert without_numbers(exported(app, owner, target)) == without_numbers(text)
    oven = next(one for one in app.facts.list(actor=owner, vault=target, limit=99) if one.key == "four")
    assert [(one.said, one.resolved) for one in oven.said_dates] == [("hier", "2023-05-07")]
    hits = app.retrieval.search(actor=owner, query="four réparé", vault=target).hits
    assert [hit.number for hit in hits] == [oven.number]


def test_r4_what_replaced_what_is_linked_to_the_new_numbers(app: Application, owner: Actor, lived_in: str) -> None:
    target = new_vault(app, owner, "Copie")
    brought_in(app, owner, target, exported(app, owner, lived_in))
    facts = {one.content: one for one in app.facts.list(actor=owner, vault=target, states=EVERY, limit=99)}
    assert facts["Zoé vit à Lyon."].replaced_by == facts["Zoé vit à Nantes."].number
    assert facts["Zoé vit à Nantes."].replaced_by == facts["Zoé vit à Brest."].number
    old = {one.number for one in app.facts.list(actor=owner, vault=lived_in, states=EVERY, limit=99)}
    assert not old & {one.number for one in facts.values()}


def test_r4_the_same_file_adds_nothing_twice_whatever_became_of_its_facts(
    app: Application, owner: Actor, lived_in: str
) -> None:
    text = exported(app, owner, lived_in)
    target = new_vault(app, owner, "Copie")
    brought_in(app, owner, target, text)
    again = brought_in(app, owner, target, text)
    assert (again.created, again.known, again.deed) == (0, 6, "")
    facts = {one.content: one for one in app.facts.list(actor=owner, vault=target, states=EVERY, limit=99)}
    app.facts.edit(actor=owner, number=facts["Zoé vit à Brest."].number, content="Zoé vit à Brest, au port.")
    app.facts.restore(actor=owner, number=facts["Zoé vit à Lyon."].number)
    oven = facts["Le four a été réparé hier.\n\n\tPar Ève."]
    app.facts.retire(actor=owner, number=oven.number, version=None, reason="vendu")
    before = exported(app, owner, target)
    third = brought_in(app, owner, target, text)
    assert (third.created, third.known) == (0, 6)
    assert exported(app, owner, target) == before
    assert brought_in(app, owner, lived_in, text).created == 0


def test_r4_what_lies_in_the_trash_comes_anew(app: Application, owner: Actor) -> None:
    vault = new_vault(app, owner, "Atelier")
    text = '{"content": "Aime le thé."}\n'
    brought_in(app, owner, vault, text)
    app.facts.delete(actor=owner, number=app.facts.list(actor=owner, vault=vault)[0].number)
    assert brought_in(app, owner, vault, text).created == 1
    assert contents(app, owner, vault) == ["Aime le thé."]


def test_r4_how_facts_came_in_is_asked_of_their_own_revisions_alone(app: Application, owner: Actor) -> None:
    vault = app.vaults.create(actor=owner, name="Atelier")
    brought_in(app, owner, vault.slug, "".join(f'{{"content": "Aime le thé {n}."}}\n' for n in range(60)))
    for fact in app.facts.list(actor=owner, vault=vault.slug, limit=60):
        app.facts.edit(actor=owner, number=fact.number, content=f"{fact.content} Et l’eau.")
    asked: list[tuple[str, Any]] = []
    with app.database.read() as tx:
        event.listen(tx.connection, "before_cursor_execute", lambda *of: asked.append((of[2], of[3])))
        assert len(first_words(tx, vault_id=vault.id)) == 60
        statement, values = next(one for one in asked if "revision" in one[0])
        if app.database.is_sqlite:  # PostgreSQL's plan depends on how many rows there are
            plan = " ".join(str(row[3]) for row in tx.rows(f"EXPLAIN QUERY PLAN {statement}", values))
            assert "subject_ref=" in plan
            assert "SCAN" not in plan


def test_r4_an_import_is_one_deed_that_is_taken_back(app: Application, owner: Actor, lived_in: str) -> None:
    target = new_vault(app, owner, "Copie")
    app.facts.remember(actor=owner, vault=target, observations=[Observation(content="Reste là.")])
    report = brought_in(app, owner, target, exported(app, owner, lived_in), name="export.jsonl")
    assert re.fullmatch(r"import [0-9a-f]{6} \(jsonl\)", report.deed)
    assert report.begun is not None
    undone = app.history.revert(actor=owner, agent=report.deed, since=report.begun)
    assert (len([one for one in undone.reverted if one.kind == "fact"]), undone.conflicts) == (5, ())
    assert contents(app, owner, target, State.IN_FORCE, State.RETIRED) == ["Reste là."]
    again = brought_in(app, owner, target, exported(app, owner, lived_in))
    assert again.created == 5
    entry = next(one for one in app.history.audit(actor=owner) if one.verb == "vault.import")
    assert (entry.vault, entry.details) == (target, {"form": "jsonl", "facts": 5})


def test_r4_stopped_at_any_moment_it_goes_on_and_no_link_leads_nowhere(
    app: Application, owner: Actor, lived_in: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("souvenance.imports.facts.imports.BATCH", 1)
    text = exported(app, owner, lived_in)
    target = new_vault(app, owner, "Copie")
    for done in range(1, 7):
        asked: list[int] = []
        report = brought_in(app, owner, target, text, stop=lambda asked=asked: asked.append(1) or len(asked) > 1)
        assert (report.created, report.known, report.stopped) == (1, done - 1, done < 6)
        facts = app.facts.list(actor=owner, vault=target, states=EVERY, limit=99)
        assert {one.replaced_by for one in facts} - {None} <= {one.number for one in facts}
    found, wanted = without_numbers(exported(app, owner, target)), without_numbers(text)
    assert sorted(one["content"] for one in found) == sorted(one["content"] for one in wanted)
    assert sum(one.get("replaced_by") is not None for one in found) == 2


def test_r4_an_import_that_fails_says_what_it_left_and_is_audited(
    app: Application, owner: Actor, lived_in: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("souvenance.imports.facts.imports.BATCH", 2)
    text = exported(app, owner, lived_in)
    target = new_vault(app, owner, "Copie")

    def full(done: int, _total: int) -> None:
        if done == 4:
            raise StoreUnavailable("The disk is full.", hint="Free some space.")

    with pytest.raises(StoreUnavailable) as refused:
        brought_in(app, owner, target, text, progress=full)
    deed = re.search(r"Free some space\. .*“(import [0-9a-f]{6} \(jsonl\))”", refused.value.hint)
    assert deed is not None
    (entry,) = (one for one in app.history.audit(actor=owner) if one.verb == "vault.import")
    assert (entry.vault, entry.details) == (target, {"form": "jsonl", "facts": 6})
    undone = app.history.revert(actor=owner, agent=deed[1], since=datetime(2020, 1, 1, tzinfo=UTC))
    assert {one.did for one in undone.reverted if one.kind == "fact"} == {"trash"}
    assert contents(app, owner, target, State.IN_FORCE, State.RETIRED) == []


def test_r4_a_look_first_writes_nothing_and_needs_no_vault(app: Application, owner: Actor, lived_in: str) -> None:
    target = new_vault(app, owner, "Copie")
    text = exported(app, owner, lived_in) + "no json\n" + '{"content": "Le mot de passe est hunter2secret!"}\n'
    look = brought_in(app, owner, target, text, dry_run=True)
    assert (look.created, look.known, look.retired, look.dry_run) == (7, 0, 2, True)
    assert [(one.line, one.reason) for one in look.problems] == [(7, "the line is not valid JSON")]
    assert [(one.line, one.reason) for one in look.warnings] == [(8, "it looks like it holds a secret (password)")]
    assert exported(app, owner, target) == ""
    assert brought_in(app, owner, "new", text, dry_run=True, may_miss=True).makes_vault
    with pytest.raises(NotFound):
        brought_in(app, owner, "new", text)
    real = brought_in(app, owner, target, text)
    assert (real.created, len(real.problems)) == (7, 1)


def test_f6_the_summary_that_stands_is_not_replaced_by_a_file(app: Application, owner: Actor, lived_in: str) -> None:
    target = new_vault(app, owner, "Copie")
    app.facts.remember(actor=owner, vault=target, observations=[Observation(content="Ma ligne.", key=SUMMARY_KEY)])
    text = exported(app, owner, lived_in)
    brought_in(app, owner, target, text)
    standing = app.facts.summary(actor=owner, vault=target)
    assert standing is not None
    assert standing.content == "Ma ligne."
    assert "Un atelier de bois." in contents(app, owner, target, State.RETIRED)
    assert brought_in(app, owner, target, text).created == 0


def test_r4_only_who_may_change_the_vault_imports(app: Application, owner: Actor) -> None:
    vault = new_vault(app, owner, "Atelier")
    text = '{"content": "Aime le thé."}\n'
    with pytest.raises(NotAllowed):
        brought_in(app, replace(owner, is_model=True), vault, text)
    with pytest.raises(NotAllowed):
        brought_in(app, replace(owner, can_write=False), vault, text)
    app.vaults.change(actor=owner, vault=vault, protection=Protection.MAXIMUM)
    with pytest.raises(Withheld):
        brought_in(app, replace(owner, route=Route.CLOUD, source=Source.REST), vault, text)
    assert exported(app, owner, vault) == ""


@pytest.mark.parametrize(
    "line",
    [
        "{", "[1]", '"text"', '{"content": ""}', '{"content": 3}', '{"content": "x", "confidence": 2}',
        '{"content": "x", "importance": 11}', '{"content": "x", "created_at": "yesterday"}', '{"key": "k"}',
        '{"content": "x", "subject_kind": "planet"}', '{"content": "x", "state": "gone"}', '{"content": "a\\u0000b"}',
        '{"content": "x", "number": "one"}', '{"content": "x", "said_dates": [1]}', '{"content": "x", "disabled": 1}',
        '{"content": "\\ud800"}', '{"content": "x", "created_at": "0001-01-01T00:00:00+23:00"}', "[" * 5000,
        '{"content": "' + "x" * 70_000 + '"}', '{"content": "' + "x" * 1_100_000 + '"}',
        '{"content": ' + "1" * 9999 + "}",
    ],
)  # fmt: skip
def test_r4_a_broken_line_is_named_and_the_others_are_taken(app: Application, owner: Actor, line: str) -> None:
    vault = new_vault(app, owner, "Atelier")
    report = brought_in(app, owner, vault, '{"content": "avant"}\n' + line + '\n\n{"content": "après"}\n')
    assert [one.line for one in report.problems] == [2]
    assert contents(app, owner, vault) == ["après", "avant"]


def test_r4_links_that_lead_nowhere_or_round_are_left_out(app: Application, owner: Actor) -> None:
    vault = new_vault(app, owner, "Atelier")
    chain = [
        {"number": 1, "content": "a", "state": "retired", "replaced_by": 2},
        {"number": 2, "content": "b", "state": "retired", "replaced_by": 1},
        {"number": 3, "content": "c", "state": "retired", "replaced_by": 3},
        {"number": 4, "content": "d", "state": "retired", "replaced_by": 99},
    ]
    report = brought_in(app, owner, vault, "".join(json.dumps(one) + "\n" for one in chain))
    facts = {one.content: one for one in app.facts.list(actor=owner, vault=vault, states=EVERY)}
    assert (report.created, sorted(one.line for one in report.warnings)) == (4, [2, 3, 4])
    assert facts["a"].replaced_by == facts["b"].number
    assert [facts[name].replaced_by for name in "bcd"] == [None, None, None]


def test_r4_a_state_and_an_end_that_deny_each_other_are_named(app: Application, owner: Actor) -> None:
    vault = new_vault(app, owner, "Atelier")
    told: list[dict[str, Any]] = [
        {"content": "later", "valid_to": "2999-01-01", "reason": "moving"},
        {"content": "later still", "state": "in_force", "valid_to": "2999-01-01"},
        {"content": "denied", "state": "in_force", "valid_to": "2020-01-01"},
        {"content": "denied too", "state": "retired", "deleted_at": "2020-01-01"},
        {"content": "replaced", "number": 1, "replaced_by": 7},
        {"content": "by this", "number": 7},
        {"content": "trashed later", "deleted_at": "2999-01-01"},
        {"content": "retired, then deleted", "state": "trashed", "valid_to": "2020-01-01", "deleted_at": "2020-01-02"},
    ]
    report = brought_in(app, owner, vault, "".join(json.dumps(one) + "\n" for one in told))
    assert [one.line for one in report.problems] == [3, 4]
    assert [one.line for one in report.warnings] == [1, 2, 5, 7]
    facts = {one.content: one for one in app.facts.list(actor=owner, vault=vault, states=EVERY)}
    assert facts.pop("retired, then deleted").state is State.TRASHED
    assert len(facts) == 5
    assert {(one.state, one.reason, one.replaced_by) for one in facts.values()} == {(State.IN_FORCE, "", None)}


def test_r4_files_that_are_none_are_refused(app: Application, owner: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    vault = new_vault(app, owner, "Atelier")
    for text in (b"", b"  \n", b"\x89PNG\x00\x00", b'{"results": [', b"name,age\nZo\xc3\xa9,4\n"):
        with pytest.raises(InvalidInput):
            brought_in(app, owner, vault, text, name="file")
    monkeypatch.setattr("souvenance.imports.facts.lines.MOST_FACTS", 2)
    with pytest.raises(TooLarge):
        brought_in(app, owner, vault, '{"content": "x"}\n' * 3)
    assert exported(app, owner, vault) == ""


WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=30).map(str.strip).filter(bool)
MOMENTS = st.datetimes(datetime(1999, 1, 1), datetime(2030, 1, 1)).map(lambda moment: moment.replace(tzinfo=UTC))
SUBJECTS = st.sampled_from([("vault", ""), ("member", "77"), ("role", "mods"), ("user", "")])


@st.composite
def records(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Facts as the export says them, with links among them."""
    count = draw(st.integers(1, 8))
    made = []
    for number in range(1, count + 1):
        kind, name = draw(SUBJECTS)
        created = draw(MOMENTS)
        one = {
            "number": number * 3,
            "content": f"{number} {draw(WORDS)}",
            "key": " ".join(draw(st.sampled_from(["", "ville", "thé vert"])).split()),
            "category": draw(st.sampled_from(["general", "a/b", "été"])),
            "confidence": draw(st.floats(0, 1)),
            "importance": draw(st.none() | st.integers(1, 10)),
            "subject_kind": kind,
            "subject_id": name,
            "author": draw(st.sampled_from(["", "Ève"])),
            "source": draw(st.sampled_from(list(Source))).value,
            "created_at": created.isoformat(),
            "updated_at": (created + timedelta(days=1)).isoformat(),
            "valid_from": draw(st.none() | MOMENTS.map(datetime.isoformat)),
            "disabled": draw(st.none() | st.just(True)),
            "state": draw(st.sampled_from(EVERY)).value,
        }
        if one["state"] != State.IN_FORCE:
            one["valid_to" if one["state"] == State.RETIRED else "deleted_at"] = draw(MOMENTS).isoformat()
            one["reason"] = draw(st.sampled_from(["", "déménagement"]))
            if number > 1:
                one["replaced_by"] = 3 * draw(st.integers(1, number - 1))
        made.append({name: value for name, value in one.items() if value not in (None, "")})
    return draw(st.permutations(made))


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(made=records())
def test_r4_whatever_is_exported_comes_back(app: Application, owner: Actor, made: Sequence[dict[str, Any]]) -> None:
    mark = len(app.vaults.list(actor=owner))
    one, two = (new_vault(app, owner, f"{name} {mark}") for name in ("Un", "Deux"))
    first = brought_in(app, owner, one, "".join(json.dumps(item) + "\n" for item in made))
    assert (first.created, first.problems) == (len(made), [])
    text = exported(app, owner, one)
    second = brought_in(app, owner, two, text)
    assert (second.created, second.known) == (len(made), 0)
    assert without_numbers(exported(app, owner, two)) == without_numbers(text)
    assert brought_in(app, owner, two, text).created == 0


def test_r4_what_somebody_writes_meanwhile_is_what_links_lead_to(app: Application, owner: Actor) -> None:
    vault = new_vault(app, owner, "Atelier")
    told: list[dict[str, Any]] = [
        {"number": 1, "content": "X"},
        {"number": 2, "content": "X"},
        {"number": 3, "content": "Y", "state": "retired", "valid_to": "2020-01-01", "replaced_by": 2},
    ]

    def meanwhile() -> bool:
        app.facts.remember(actor=owner, vault=vault, observations=[Observation(content="X")])
        return False

    report = brought_in(app, owner, vault, "".join(json.dumps(one) + "\n" for one in told), stop=meanwhile)
    assert (report.created, report.known) == (1, 2)
    facts = {one.content: one for one in app.facts.list(actor=owner, vault=vault, states=EVERY)}
    assert facts["Y"].replaced_by == facts["X"].number


def test_r4_stopped_after_a_fact_that_a_repeated_one_replaced_its_link_leads_somewhere(
    app: Application, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("souvenance.imports.facts.imports.BATCH", 1)
    vault = new_vault(app, owner, "Atelier")
    told: list[dict[str, Any]] = [
        {"number": 3, "content": "Y", "state": "retired", "valid_to": "2020-01-01", "replaced_by": 2},
        {"number": 1, "content": "X"},
        {"number": 2, "content": "X"},
    ]
    asked: list[int] = []
    text = "".join(json.dumps(one) + "\n" for one in told)
    brought_in(app, owner, vault, text, stop=lambda: asked.append(1) or len(asked) > 1)
    assert contents(app, owner, vault, *EVERY) == ["X"]
    brought_in(app, owner, vault, text)
    facts = {one.content: one for one in app.facts.list(actor=owner, vault=vault, states=EVERY)}
    assert facts["Y"].replaced_by == facts["X"].number


def test_r4_two_who_import_the_same_file_at_once_add_nothing_twice(
    app: Application, owner: Actor, lived_in: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("souvenance.imports.facts.imports.BATCH", 2)
    text = exported(app, owner, lived_in)
    target = new_vault(app, owner, "Copie")
    both_planned = threading.Barrier(2, timeout=30)
    met: set[int] = set()

    def wait_once() -> bool:
        if threading.get_ident() not in met:
            met.add(threading.get_ident())
            both_planned.wait()
        return False

    with ThreadPoolExecutor(2) as threads:
        reports = list(threads.map(lambda _: brought_in(app, owner, target, text, stop=wait_once), range(2)))
    assert [report.created + report.known for report in reports] == [6, 6]
    assert sum(report.created for report in reports) == 6
    found, wanted = without_numbers(exported(app, owner, target)), without_numbers(text)
    assert sorted(one["content"] for one in found) == sorted(one["content"] for one in wanted)
    assert sum(one.get("replaced_by") is not None for one in found) == 2
