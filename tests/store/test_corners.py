"""What ordinary use does not meet and a careful reader did, on both engines."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.changed import Changed
from souvenance.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound
from souvenance.domain.fact import Action, SubjectKind
from souvenance.domain.vault import Protection, VaultKind
from souvenance.exchange.auto_scope import Offered, build_prompt
from souvenance.memory.ladder import Where
from souvenance.memory.remember import Observation
from souvenance.memory.shown import LookUp
from souvenance.retrieval.recall import NO_ROOM


@pytest.fixture(autouse=True)
def vault(app: Application, owner: Actor) -> int:
    return app.vaults.create(actor=owner, name="V").id


def keep(app: Application, owner: Actor, content: str, **values: Any) -> int:
    (kept,) = app.facts.remember(actor=owner, vault="v", observations=[Observation(content=content, **values)])
    return kept.fact.number


def test_n11_the_audit_outlives_a_read_that_cannot_be_written_down(app: Application, owner: Actor) -> None:
    keep(app, owner, "hello world")
    given = app.ladder.given_to_prompt(actor=owner, vault="v", message="hello")
    asked = LookUp(query="hello \ud800")
    app.ladder.apply_request(actor=owner, shown=given.shown, request=asked, where=Where())
    app.retrieval.search(actor=owner, query="hello")
    entry = app.retrievals.list(actor=owner)[0]
    broken = replace(entry, query="\ud800")
    app.retrievals.record(owner, broken)
    done: list[int] = []
    reader = threading.Thread(target=lambda: done.append(len(app.retrievals.list(actor=owner))), daemon=True)
    reader.start()
    reader.join(15)
    assert done
    app.retrieval.search(actor=owner, query="afterwards")
    assert app.retrievals.list(actor=owner)[0].query == "afterwards"


def test_n1_a_path_finds_its_note_among_many_of_its_title(app: Application, owner: Actor) -> None:
    for number in range(60):
        app.notes.create(actor=owner, vault="v", title="README", content=f"text {number}", folder=f"d{number:02}")
    for ref in ("d55/README", "v:d59/readme"):
        assert app.notes.get(actor=owner, ref=ref).note.content == f"text {ref[-9:-7]}"
    with pytest.raises(Conflict, match="60 of your notes have that title"):
        app.notes.get(actor=owner, ref="README")


def test_n2_a_page_and_a_document_at_one_path_are_both_told(app: Application, owner: Actor) -> None:
    document = app.notes.create(actor=owner, vault="v", title="X", content="mine", folder="memory")
    number = keep(app, owner, "a fact", category="X")
    page = app.facts.get(actor=owner, number=number).note_id
    with pytest.raises(Conflict, match="that path") as refusal:
        app.notes.get(actor=owner, ref="memory/X")
    assert {item["id"] for item in refusal.value.details["notes"]} == {document.id, page}
    assert app.notes.get(actor=owner, ref="X").note.id == document.id


def test_n4_a_category_is_a_label_and_never_a_path(app: Application, owner: Actor) -> None:
    number = keep(app, owner, "a fact", category="../../etc/passwd")
    fact = app.facts.get(actor=owner, number=number)
    note = app.notes.get(actor=owner, ref=fact.note_id).note
    assert (fact.category, note.path) == ("../../etc/passwd", "memory/..-..-etc-passwd")


def test_n9_purging_an_empty_page_leaves_the_history_of_facts_that_moved_on(app: Application, owner: Actor) -> None:
    number = keep(app, owner, "first wording", category="A")
    page = app.facts.get(actor=owner, number=number).note_id
    app.facts.edit(actor=owner, number=number, content="second wording")
    app.facts.edit(actor=owner, number=number, category="B")
    before = app.history.of_fact(actor=owner, number=number)
    app.notes.delete(actor=owner, ref=page)
    app.notes.purge(actor=owner, ref=page)
    assert app.history.of_fact(actor=owner, number=number) == before
    assert len(before) == 3


def test_v1_n4_a_vault_called_personal_does_not_stand_in_the_way_of_the_personal_one(
    app: Application, owner: Actor
) -> None:
    app.vaults.create(actor=owner, name="Personal")
    kept = app.facts.remember_about_user(actor=owner, observation=Observation(content="likes tea"))
    (own,) = [item for item in app.vaults.list(actor=owner) if item.kind is VaultKind.PERSONAL]
    assert (own.id, own.slug) == (kept.fact.vault_id, "personal-2")
    for kind in (VaultKind.PERSONAL, VaultKind.APP):
        with pytest.raises(InvalidInput, match="one each"):
            app.vaults.create(actor=owner, name="Another", kind=kind)


def test_v10_auto_is_told_names_descriptions_and_the_question_as_text() -> None:
    import json

    sent = json.loads(build_prompt("what?", [Offered(1, "A", "about a"), Offered(2, "B", "")]).user)
    assert sent == {
        "vaults": [
            {"number": 1, "name": "A", "description": "about a"},
            {"number": 2, "name": "B", "description": ""},
        ],
        "question": "what?",
    }


def test_v9_an_agent_without_a_token_reads_no_applications_vault(app: Application, owner: Actor) -> None:
    with app.database.write() as tx:
        app.vaults.create_in(tx, owner, name="Sealed", kind=VaultKind.APP, app="editor")
    app.facts.remember(actor=owner, vault="sealed", observations=[Observation(content="sealed words")])
    agent = app.owner_through(Source.AGENT, is_model=True, name="agent")
    assert "sealed" not in {item.slug for item in app.vaults.list(actor=agent)}
    with pytest.raises(NotFound):
        app.facts.list(actor=agent, vault="sealed")
    with pytest.raises(NotFound):
        app.facts.get(actor=agent, number=1)
    assert [fact.content for fact in app.facts.list(actor=owner, vault="sealed")] == ["sealed words"]


def test_v9_v4_what_an_application_does_and_its_owner_undoes_leaves_its_vault_at_rest(
    app: Application, owner: Actor
) -> None:
    with app.database.write() as tx:
        app.vaults.create_in(tx, owner, name="Sealed", kind=VaultKind.APP, app="editor")
    _, secret = app.tokens.create(actor=owner, name="editor", route=Route.LOCAL, app="editor")
    editor = app.tokens.authenticate(secret, source=Source.REST, is_model=False)
    before = {item.slug: item.attention for item in app.vaults.list(actor=owner)}
    app.attention.none(actor=editor)
    app.attention.undo(actor=owner)
    assert {item.slug: item.attention for item in app.vaults.list(actor=owner)} == before


def test_v6_who_subscribes_while_the_last_one_leaves_is_told(app: Application, owner: Actor) -> None:
    heard: list[Changed] = []
    leave = app.changes.subscribe(lambda _news: None)
    ended = app.changes._ended

    def racing() -> threading.Thread | None:
        late = threading.Thread(target=lambda: app.changes.subscribe(heard.append))
        late.start()  # another window opens just now: it must wait for the lock, not be swept away
        thread = ended()
        joins.append(late)
        return thread

    joins: list[threading.Thread] = []
    app.changes._ended = racing  # type: ignore[method-assign]
    leave()
    app.changes._ended = ended  # type: ignore[method-assign]
    joins[0].join(10)
    keep(app, owner, "news")
    deadline = time.monotonic() + 5
    while not heard and time.monotonic() < deadline:
        time.sleep(0.02)
    assert heard


def test_n6_what_was_found_and_does_not_fit_is_not_called_nothing(app: Application, owner: Actor) -> None:
    app.notes.create(
        actor=owner, vault="v", title="Quokka " + "z" * 180, content="the quokka is a small marsupial", folder="a" * 400
    )
    recalled = app.retrieval.recall(actor=owner, topic="quokka marsupial", budget_tokens=50, vault="v")
    assert (recalled.text, recalled.cut, recalled.sources) == (NO_ROOM, True, ())


LANGUAGES: tuple[Any, ...] = ("en\x00x", "\ud800", "x" * 200_000, "not a tag", 5)


@pytest.mark.parametrize("language", LANGUAGES, ids=range(len(LANGUAGES)))
def test_f1_a_language_is_a_tag(app: Application, owner: Actor, language: Any) -> None:
    with pytest.raises(InvalidInput):
        keep(app, owner, "hello", language=language)
    number = keep(app, owner, "hello", language="pt-BR")
    with pytest.raises(InvalidInput):
        app.facts.edit(actor=owner, number=number, language=language)
    assert app.facts.get(actor=owner, number=number).language == "pt-BR"


@pytest.mark.parametrize("reason", ["", "  \n "])
def test_t2_a_fact_is_retired_for_a_reason(app: Application, owner: Actor, reason: str) -> None:
    number = keep(app, owner, "hello")
    acts: list[Callable[[], object]] = [
        lambda: app.facts.retire(actor=owner, number=number, version=1, reason=reason),
        lambda: app.bulk.apply(actor=owner, numbers=[number], action=Action.RETIRE, reason=reason),
    ]
    for act in acts:
        with pytest.raises(InvalidInput, match="No reason"):
            act()
    assert app.facts.get(actor=owner, number=number).valid_to is None


def test_t1_a_prompt_may_be_about_a_thousand_members(app: Application, owner: Actor) -> None:

    keep(app, owner, "plays chess", subject_kind=SubjectKind.MEMBER, subject_id="999")
    about = [(SubjectKind.MEMBER, str(number)) for number in range(1000)]
    given = app.ladder.given_to_prompt(actor=owner, vault="v", message="m", about=about)
    assert [item.fact.content for item in given.facts] == ["plays chess"]


def test_n10_a3_v8_a_token_arranges_nothing_it_may_not_see(app: Application, owner: Actor) -> None:
    app.vaults.create(actor=owner, name="Clinic", protection=Protection.MAXIMUM)
    secret = app.notes.create(actor=owner, vault="clinic", title="secret", content="x")
    app.context.pin(actor=owner, ref=secret.id)
    app.context.arrange(actor=owner, place="chemotherapy", refs=[secret.id])
    wanted = app.context.settings(actor=owner)
    tokens = {}
    for name, vaults in (("bound", ["v"]), ("free", None)):
        _, made = app.tokens.create(actor=owner, name=name, route=Route.CLOUD, vaults=vaults)
        tokens[name] = app.tokens.authenticate(made, source=Source.REST, is_model=False)
    for act in (
        lambda: app.context.arrange(actor=tokens["bound"], place="pins", refs=[]),
        lambda: app.context.set_order(actor=tokens["bound"], order=["memory"]),
        lambda: app.context.set_budget(actor=tokens["bound"], tokens=500),
    ):
        with pytest.raises(NotAllowed):
            act()
    for token in tokens.values():
        seen = app.context.settings(actor=token)
        assert (seen.order, seen.pins, seen.sets) == (("pins", "memory"), (), {})
    app.context.arrange(actor=tokens["free"], place="pins", refs=[])
    app.context.set_order(actor=tokens["free"], order=["pins", "memory"])
    assert app.context.settings(actor=owner) == wanted


def test_n9_going_back_to_a_change_that_is_not_in_its_history_is_refused(app: Application, owner: Actor) -> None:
    number = keep(app, owner, "hello")
    with pytest.raises(NotFound, match="change"):
        app.history.restore(actor=owner, ref=f"#{number}", change_id=99_999)
    note = app.notes.create(actor=owner, vault="v", title="N", content="x")
    with pytest.raises(NotFound, match="change"):
        app.history.restore(actor=owner, ref=note.id, change_id=99_999)


class Embedder:
    """Vectors of its own for anything."""

    name, dimension, route = "x/1", 8, Route.LOCAL

    def embed_passages(self, texts: list[str]) -> NDArray[np.float32]:
        made = np.random.default_rng(1).normal(size=(len(texts), 8)).astype(np.float32)
        return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), dtype=np.float32)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return np.asarray(self.embed_passages([text])[0], dtype=np.float32)


def test_t6_a_sample_is_taken_evenly_from_vaults_written_in_turn(store_url: str) -> None:
    from souvenance.settings import Settings
    from souvenance.store import vectors
    from souvenance.wiring import open_application

    opened = open_application(Settings(database_url=store_url, embedder="none"), embedder=Embedder())  # type: ignore[arg-type]
    try:
        owner = opened.owner_through(Source.PANEL)
        ids = [opened.vaults.create(actor=owner, name=name).id for name in ("A", "B")]
        for number in range(40):
            for name in ("a", "b"):
                opened.facts.remember(actor=owner, vault=name, observations=[Observation(content=f"{name} {number}")])
        opened.embedding.catch_up()
        with opened.database.read() as tx:
            model = opened.embedding.model(tx)
            assert model is not None
            taken = [len(vectors.sample(tx, model=model, vault_id=one, limit=20)) for one in ids]
        assert taken == [20, 20]
    finally:
        opened.close()


def test_n5_a_long_note_is_taken_apart_before_the_lock_is_taken(
    app: Application, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    from souvenance.notes import drafts as module

    note = app.notes.create(actor=owner, vault="v", title="Long", content="first\n\n" + "a line of it\n\n" * 50)
    split, waited = module.split, []

    def slow(content: str) -> Any:
        started = time.monotonic()
        writer = threading.Thread(target=lambda: keep(app, owner, "meanwhile"))
        writer.start()
        writer.join(20)
        waited.append(time.monotonic() - started if not writer.is_alive() else None)
        return split(content)

    monkeypatch.setattr(module, "split", slow)
    edited = app.notes.edit(actor=owner, ref=note.id, operation="append", content="see [[Other]] at last")
    assert len(waited) == 1
    assert waited[0] is not None
    view = app.notes.get(actor=owner, ref=note.id)
    assert (edited.version, view.links[0].target) == (2, "Other")
    assert [hit.title for hit in app.retrieval.search(actor=owner, query="at last").hits][:1] == ["Long"]


def test_f9_what_lies_in_the_trash_is_out_of_a_models_sight(app: Application, owner: Actor) -> None:
    number = keep(app, owner, "deleted words")
    note = app.notes.create(actor=owner, vault="v", title="N", content="deleted text")
    app.facts.delete(actor=owner, number=number)
    app.notes.delete(actor=owner, ref=note.id)
    model = app.owner_through(Source.AGENT, is_model=True)
    for act in (
        lambda: app.facts.get(actor=model, number=number),
        lambda: app.notes.get(actor=model, ref=note.id),
        lambda: app.history.of_fact(actor=model, number=number),
        lambda: app.history.of_note(actor=model, ref=note.id),
    ):
        with pytest.raises(NotFound, match="in the trash"):
            act()
    assert app.facts.get(actor=owner, number=number).content == "deleted words"


def test_n1_a_link_leads_to_the_note_of_that_name_that_stands(app: Application, owner: Actor) -> None:
    source = app.notes.create(actor=owner, vault="v", title="A", content="see [[B]]")
    first = app.notes.create(actor=owner, vault="v", title="B", content="x", folder="one")
    second = app.notes.create(actor=owner, vault="v", title="B", content="y", folder="two")
    assert [item.note_id for item in app.notes.get(actor=owner, ref=source.id).links] == [first.id]
    app.notes.delete(actor=owner, ref=first.id)
    assert [item.note_id for item in app.notes.get(actor=owner, ref=source.id).links] == [second.id]
    app.notes.purge(actor=owner, ref=first.id)
    assert [item.note_id for item in app.notes.get(actor=owner, ref=source.id).links] == [second.id]


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"a": value}
    return value


FRONT: tuple[dict[str, Any], ...] = (nested(900), {"a": "\x00"}, {"a\x00": 1}, {"a": "\ud800"}, {"a": float("nan")})


@pytest.mark.parametrize("front_matter", FRONT, ids=range(len(FRONT)))
def test_n1_front_matter_is_what_any_store_can_keep(
    app: Application, owner: Actor, front_matter: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput):
        app.notes.create(actor=owner, vault="v", title="T", content="x", front_matter=front_matter)
    plain = {"a": "\\u0000", "b": nested(20)}
    note = app.notes.create(actor=owner, vault="v", title="T", content="x", front_matter=plain)
    assert app.notes.get(actor=owner, ref=note.id).note.front_matter == plain


@pytest.mark.parametrize("colour", ["\ud800", "\x00", "x" * 41])
def test_v1_a_colour_is_a_short_line(app: Application, owner: Actor, colour: str) -> None:
    with pytest.raises(InvalidInput):
        app.vaults.create(actor=owner, name="C", colour=colour)
    with pytest.raises(InvalidInput):
        app.vaults.change(actor=owner, vault="v", colour=colour)


def test_n9_a4_a_revert_since_the_beginning_of_time_is_audited(app: Application, owner: Actor) -> None:
    from datetime import datetime

    token, secret = app.tokens.create(actor=owner, name="agent")
    agent = app.tokens.authenticate(secret, source=Source.REST, is_model=False)
    (kept,) = app.facts.remember(actor=agent, vault="v", observations=[Observation(content="by token")])
    app.history.revert(actor=owner, since=datetime.fromisoformat("0001-01-01T00:00:00+14:00"), token=token.id)
    assert app.facts.get(actor=owner, number=kept.fact.number).deleted_at is not None
    assert "history.revert" in {entry.verb for entry in app.history.audit(actor=owner)}


@pytest.mark.parametrize("kind", [SubjectKind.MEMBER, SubjectKind.ROLE])
@pytest.mark.parametrize("name", ["", "  "])
def test_f1_a_member_or_a_role_without_an_id_is_refused_wherever_it_is_said(
    app: Application, owner: Actor, kind: SubjectKind, name: str
) -> None:
    number = keep(app, owner, "plays chess", subject_kind=kind, subject_id="7")
    with pytest.raises(InvalidInput, match="is not said"):
        keep(app, owner, "of nobody", subject_kind=kind, subject_id=name)
    with pytest.raises(InvalidInput, match="is not said"):
        app.facts.edit(actor=owner, number=number, subject_kind=kind, subject_id=name)
    with pytest.raises(InvalidInput, match="is not said"):
        app.facts.edit(actor=owner, number=number, subject_id=name)
    with pytest.raises(InvalidInput, match="is not said"):
        app.ladder.given_to_prompt(actor=owner, vault="personal", message="hello", about=[(kind, name)])
    assert app.facts.get(actor=owner, number=number).subject_id == "7"


def test_f1_the_vault_itself_has_no_id(app: Application, owner: Actor) -> None:
    with pytest.raises(InvalidInput, match="vault itself"):
        keep(app, owner, "about us", subject_id="7")
    number = keep(app, owner, "plays chess", subject_kind=SubjectKind.MEMBER, subject_id="7")
    with pytest.raises(InvalidInput, match="vault itself"):
        app.facts.edit(actor=owner, number=number, subject_kind=SubjectKind.VAULT, subject_id="7")
    fact = app.facts.edit(actor=owner, number=number, subject_kind=SubjectKind.VAULT)
    assert (fact.subject_kind, fact.subject_id) == (SubjectKind.VAULT, "")
    with pytest.raises(InvalidInput, match="empty"):
        app.erasures.receipts(actor=owner, member=" ")
