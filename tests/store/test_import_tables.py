"""Facts that others wrote: CSV, mem0 and the Markdown export (R4)."""

import io
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.errors import InvalidInput, TooLarge
from souvenance.domain.fact import Fact, State, SubjectKind
from souvenance.domain.form import FactForm, Form
from souvenance.imports.facts.files import read_facts
from souvenance.imports.facts.imports import FactsReport
from souvenance.imports.facts.records import FactFile
from souvenance.imports.uploads import Upload
from souvenance.memory.remember import Observation

NOW = datetime(2024, 6, 1, tzinfo=UTC)
EVERY = (State.IN_FORCE, State.RETIRED, State.TRASHED)


def read(text: str | bytes, name: str = "facts.csv", form: FactForm = FactForm.AUTO) -> FactFile:
    raw = text.encode() if isinstance(text, str) else text
    return read_facts(Upload(name, io.BytesIO(raw)), form=form, now=NOW)


def brought_in(app: Application, owner: Actor, vault: str, text: str, name: str) -> FactsReport:
    return app.fact_imports.facts(actor=owner, upload=Upload(name, io.BytesIO(text.encode())), vault=vault)


TABLE = (
    "Contenu;Clé;Catégorie;Confiance;Importance;Sujet;Auteur;Depuis;Jusqu’au;Motif\n"
    'Vit à Lyon;ville;vie;"0,5";8;membre 77;Ève;2020-01-02;;\n'
    '"Dit ""oui"";\nà tout";;;80 %;;;;;2021-03-04;parti\n'
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
def test_r4_a_table_is_read_whatever_wrote_it(encoding: str, delimiter: str) -> None:
    text = TABLE if delimiter == ";" else TABLE.replace('"";\n', '""|\n').replace(";", delimiter).replace("|", ";")
    found = read(text.encode(encoding))
    assert (found.form, found.problems, found.warnings) == ("csv", [], [])
    one, two = found.records
    assert (one.content, one.key, one.category, one.confidence, one.importance) == (
        "Vit à Lyon", "ville", "vie", 0.5, 8,
    )  # fmt: skip
    assert (one.subject_kind, one.subject_id, one.author) == (SubjectKind.MEMBER, "77", "Ève")
    assert (one.valid_from, one.state) == (datetime(2020, 1, 2, tzinfo=UTC), State.IN_FORCE)
    assert (two.content, two.confidence, two.state, two.reason) == ('Dit "oui";\nà tout', 0.8, State.RETIRED, "parti")
    assert (one.line, two.line) == (2, 3)


def test_r4_rows_that_cannot_be_facts_are_named_by_their_line() -> None:
    found = read(
        "content,importance,valid_to,colour\n"
        "good,3,,red\n"
        ",3,,\n"
        "bad,eleven,,\n"
        "late,,someday,\n"
        "future,,2999-01-01,\n"
        "wide,1,,a,b\n"
        "\n"
        '"never closed,1\n'
    )
    assert [one.content for one in found.records] == ["good", "future"]
    assert [one.line for one in found.problems] == [3, 4, 5, 7, 9]
    assert [one.line for one in found.warnings] == [0, 6]
    assert "colour" in found.warnings[0].reason


@pytest.mark.parametrize(
    ("heading", "left_out"),
    [
        ("fact,text", "text"),
        ("memory,content", "content"),
        ("content,said_dates", "said_dates"),
        ("content,sujet,about", "about"),
    ],
)
def test_r4_the_first_of_two_columns_that_mean_the_same_is_taken_and_the_other_named(
    heading: str, left_out: str
) -> None:
    found = read(f"{heading}\n" + ",".join(f"word {n}" for n in range(heading.count(",") + 1)) + "\n")
    assert [one.content for one in found.records] == ["word 0"]
    assert [one.reason for one in found.warnings] == [f"these fields are not known here and were left out: {left_out}"]


@pytest.mark.parametrize(
    ("name", "first", "fault"),
    [
        ("f.jsonl", '{"content": "x"}\n', "x\n"),
        ("f.json", '[{"content": "x"}\n', ",0"),
        ("f.json", '[{"memory": "x"}\n', ",0"),
        ("f.csv", "content,key\nx,\n", "a,b,c\n"),
        ("f.md", "- x\n", "stray\n"),
    ],
)
def test_r4_faults_without_end_are_counted_and_a_file_of_nothing_else_is_refused(
    name: str, first: str, fault: str
) -> None:
    end = "]" if first.startswith("[") else ""
    found = read(first + fault * 12_000 + end, name)
    assert (len(found.records), len(found.problems), found.problems.total) == (1, 1000, 12_000)
    with pytest.raises(InvalidInput, match="no file of facts"):
        read(first.replace("x", "" if name != "f.md" else "^1") + fault * 12_000 + end, name)


def test_r4_a_file_of_which_too_much_is_left_out_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("souvenance.imports.facts.records.MOST_REJECTED", 20)
    assert len(read('{"content": "x"}\n' + "x\n" * 19, "f.jsonl").problems) == 19
    with pytest.raises(TooLarge, match="Over 20 lines"):
        read('{"content": "x"}\n' + "x\n" * 20, "f.jsonl")


def test_r4_fields_without_end_are_named_as_far_as_they_are_shown() -> None:
    found = read("".join(f'{{"content": "x", "\\ud800{n}{"a" * 99}": 1}}\n' for n in range(2000)), "f.jsonl")
    assert len(found.unknown) == 1000
    assert max(map(len, found.unknown)) == 40
    assert found.warnings[0].reason.encode()


def test_r4_a_column_of_facts_alone_keeps_its_commas() -> None:
    found = read("fact\nLikes tea, green above all\nplain\n")
    assert [one.content for one in found.records] == ["Likes tea, green above all", "plain"]


def test_r4_a_table_without_facts_is_refused_with_the_way_out() -> None:
    with pytest.raises(InvalidInput, match="content"):
        read("name,age\nZoé,4\n")


def test_r4_a_table_read_twice_adds_nothing_even_of_what_ended(app: Application, owner: Actor) -> None:
    vault = app.vaults.create(actor=owner, name="Atelier").slug
    first = brought_in(app, owner, vault, TABLE + "Vit à Lyon;ville;vie;;;membre 77\n", "t.csv")
    assert (first.created, first.retired, first.known) == (2, 1, 1)
    facts = app.facts.list(actor=owner, vault=vault)
    app.facts.retire(actor=owner, number=facts[0].number, version=None, reason="parti")
    assert brought_in(app, owner, vault, TABLE, "t.csv").created == 0


def test_f10_relative_dates_of_a_table_are_resolved(app: Application, owner: Actor) -> None:
    vault = app.vaults.create(actor=owner, name="Atelier").slug
    brought_in(app, owner, vault, "contenu;langue;créé le\nLe four est tombé hier;fr;2020-05-08T12:00:00Z\n", "t.csv")
    (fact,) = app.facts.list(actor=owner, vault=vault)
    assert [one.resolved for one in fact.said_dates] == ["2020-05-07"]


MEM0 = """{"results": [
  {"id": "a1", "memory": "Likes green tea", "hash": "x", "user_id": "alex",
   "created_at": "2024-01-02T03:04:05.678-07:00",
   "updated_at": null, "metadata": {"category": "food", "mood": "calm"}},
  {"id": "a2", "memory": "Lives in Lyon", "categories": ["places", "life"], "created_at": "2024-02-01T00:00:00Z",
   "updated_at": "2024-03-01T00:00:00Z", "expiration_date": "2024-04-01"},
  {"id": "a3", "memory": "Will move", "expiration_date": "2999-01-01"},
  {"id": "a4", "memory": ""}, {"id": "a5"}, 7
], "relations": []}"""


def test_r4_memories_of_mem0_become_facts() -> None:
    found = read(MEM0, "memories.json")
    tea, lyon, move = found.records
    assert found.form == "mem0"
    assert (tea.content, tea.category, tea.subject_kind, tea.subject_id) == (
        "Likes green tea", "food", SubjectKind.MEMBER, "alex",
    )  # fmt: skip
    assert tea.created_at == datetime(2024, 1, 2, 10, 4, 5, 678000, tzinfo=UTC)
    assert (lyon.category, lyon.state, lyon.reason) == ("places", State.RETIRED, "expired in mem0")
    assert move.state is State.IN_FORCE
    assert [one.line for one in found.problems] == [4, 5, 6]
    assert [one.line for one in found.warnings] == [0, 2, 3]
    assert "metadata.mood" in found.warnings[0].reason
    bare = MEM0[MEM0.index("[") : MEM0.rindex("]", 0, MEM0.index("relations")) + 1]
    assert [one.content for one in read(bare, "m.json", FactForm.MEM0).records] == [
        one.content for one in found.records
    ]


@pytest.mark.parametrize("text", ['{"results": 3}', '"text"', '{"memory": "no list"}', "[", "[1, 2", "[" * 100_000])
def test_r4_what_is_no_export_of_mem0_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        read(text, "m.json", FactForm.MEM0)


def test_r4_a_list_of_facts_as_one_piece_of_json_is_read_too() -> None:
    found = read('[\n {"content": "x", "key": "k"},\n {"content": ""}\n]', "facts.json")
    assert ([one.key for one in found.records], [one.line for one in found.problems]) == (["k"], [2])


def test_r4_the_markdown_export_is_read_back_with_what_a_page_says(app: Application, owner: Actor) -> None:
    vault = app.vaults.create(actor=owner, name="Atelier").slug
    told = [
        Observation(content="Vit à Lyon.", key="*ville*"),
        Observation(
            content="Aime\n\n  le thé ^7\n(retired 2020-01-01)",
            category="goûts (1)",
            subject_kind=SubjectKind.MEMBER,
            subject_id="7 7",
        ),
        Observation(content="**faux**: clé", category="a/b"),
        Observation(content="Du coffre.", category="Notes (user)"),
        Observation(content="De deux.", category="Notes (member 7)", subject_kind=SubjectKind.USER),
        Observation(content="Rôle.", subject_kind=SubjectKind.ROLE, subject_id="mods"),
    ]
    first = app.facts.remember(actor=owner, vault=vault, observations=told)[0]
    app.facts.retire(
        actor=owner, number=first.fact.number, version=None, reason="parti: loin", replacement="Vit à Brest."
    )
    text = "".join(app.exports.facts(actor=owner, vault=vault, form=Form.MARKDOWN))
    target = app.vaults.create(actor=owner, name="Copie").slug
    report = brought_in(app, owner, target, text, "a.md")
    assert (report.form, report.created, report.retired, report.problems) == ("markdown", 7, 1, [])

    def seen(slug: str) -> list[Any]:
        facts = {one.number: one for one in app.facts.list(actor=owner, vault=slug, states=EVERY, limit=99)}

        def said(one: Fact) -> Any:
            other = facts[one.replaced_by].content if one.replaced_by else ""
            day = one.valid_to and one.valid_to.date()
            return (
                one.content,
                one.key,
                one.category,
                one.subject_kind,
                one.subject_id,
                one.state,
                one.reason,
                other,
                day,
            )

        return sorted(map(said, facts.values()), key=str)

    assert seen(target) == seen(vault)
    assert brought_in(app, owner, target, text, "a.md").created == 0


def test_r4_lines_of_a_page_that_are_no_facts_are_named() -> None:
    found = read("# Memory\n\n## tea\n- green\nstray words\n- \n- a ^1 b ^2\n", "page.md")
    assert [(one.content, one.category) for one in found.records] == [("green", "tea"), ("a ^1 b", "tea")]
    assert [one.line for one in found.problems] == [5, 6]


def test_r4_lines_below_a_heading_and_endless_items_are_named() -> None:
    endless = "- long\n" + "  more of it\n" * 100_000
    found = read(f"# Memory\n  a\n\n## tea\n  b\n\n\tc\n- green\n\n  leaves\n{endless}- black\n", "page.md")
    assert [one.content for one in found.records] == ["green\n\nleaves", "black"]
    assert [one.line for one in found.problems] == [2, 5, 7, 11]


def test_f8_a_token_that_only_reads_looks_at_no_file(app: Application, owner: Actor) -> None:
    vault = app.vaults.create(actor=owner, name="Atelier").slug
    upload = Upload("t.csv", io.BytesIO(TABLE.encode()))
    with pytest.raises(Exception, match="may only read"):
        app.fact_imports.facts(actor=replace(owner, can_write=False), upload=upload, vault=vault, dry_run=True)
