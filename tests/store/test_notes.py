"""N1, N5, N7, N12, V1: notes, their links and their trash, on both engines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from pydantic import SecretStr
from sqlalchemy import func, select

from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound, StaleVersion, TooLarge, Withheld
from souvenance.domain.note import NoteClass
from souvenance.domain.vault import Protection
from souvenance.memory import correct
from souvenance.memory.remember import Observation
from souvenance.notes.drafts import Draft
from souvenance.settings import Settings
from souvenance.store.links import neighbours
from souvenance.store.tables import link, passage, revision
from souvenance.wiring import open_application


@pytest.fixture
def app(store_url: str) -> Iterator[Application]:
    opened = open_application(Settings(database_url=SecretStr(store_url), embedder="none"))
    opened.vaults.create(actor=opened.owner_through(Source.PANEL), name="Work")
    yield opened
    opened.close()


@pytest.fixture
def me(app: Application) -> Actor:
    return app.owner_through(Source.PANEL)


def linked(app: Application, me: Actor, ref: str) -> list[str | None]:
    return [item.note_id for item in app.notes.get(actor=me, ref=ref).links]


def test_n1_a_link_finds_its_note_when_it_appears_follows_its_name_and_goes_with_it(
    app: Application, me: Actor
) -> None:
    source = app.notes.create(actor=me, vault="work", title="Source", content="see [[Béta#part|it]]")
    assert linked(app, me, source.id) == [None]
    target = app.notes.create(actor=me, vault="work", title="beta", content="back to [[Source]]")
    (fact,) = app.facts.remember(actor=me, vault="work", observations=[Observation(content="about [[beta]]")])
    nodes = [("note", source.id), ("fact", fact.fact.number)]
    with app.database.read() as tx:
        assert neighbours(tx, me, nodes) == {
            ("note", source.id): [("note", target.id)],
            ("fact", fact.fact.number): [("note", target.id)],
        }
    app.notes.rename(actor=me, ref=target.id, title="Gamma")
    app.notes.edit(actor=me, ref=source.id, operation="append", content="more")
    assert linked(app, me, source.id) == [target.id]
    assert {item.fact for item in app.notes.get(actor=me, ref=target.id).backlinks} == {None, fact.fact.number}
    app.facts.delete(actor=me, number=fact.fact.number)
    app.notes.delete(actor=me, ref=target.id)
    assert linked(app, me, source.id) == [None]
    with app.database.read() as tx:
        assert neighbours(tx, me, [*nodes, ("note", target.id)]) == {}
    app.notes.restore(actor=me, ref=target.id)
    assert linked(app, me, source.id) == [target.id]


def test_n7_a_title_is_unique_in_its_folder_and_the_refusal_names_the_other(app: Application, me: Actor) -> None:
    first = app.notes.create(actor=me, vault="work", title="Été", content="a", folder="x")
    with pytest.raises(Conflict) as refused:
        app.notes.create(actor=me, vault="work", title="ete", content="b", folder="x")
    assert refused.value.details["note"] == first.id
    other = app.notes.create(actor=me, vault="work", title="ete", content="b", folder="y")
    with pytest.raises(Conflict):
        app.notes.move(actor=me, ref=other.id, folder="x")
    app.notes.delete(actor=me, ref=first.id)
    app.notes.move(actor=me, ref=other.id, folder="x")
    with pytest.raises(Conflict):
        app.notes.restore(actor=me, ref=first.id)


@pytest.mark.parametrize("form", ["{id}", "/n/{id}", "souvenance://note/{id}", "work:a/b/Plan", "a/b/plan", "[[Plan]]"])
def test_n1_a_note_is_found_by_every_form_of_its_name(app: Application, me: Actor, form: str) -> None:
    note = app.notes.create(actor=me, vault="work", title="Plan", content="x", folder="a/b")
    assert app.notes.get(actor=me, ref=form.format(id=note.id)).note.id == note.id


def test_n5_a_stale_version_is_refused_and_a_source_is_read_only(app: Application, me: Actor) -> None:
    note = app.notes.create(actor=me, vault="work", title="Plan", content="one")
    done = app.notes.edit(actor=me, ref=note.id, operation="append", content="two", version=1)
    with pytest.raises(StaleVersion):
        app.notes.edit(actor=me, ref=note.id, operation="replace", content="three", version=1)
    assert app.notes.get(actor=me, ref=note.id).note.content == "one\n\ntwo"
    assert done.version == 2
    with app.database.read() as tx:
        kept = tx.execute(
            select(revision.c.after).where(revision.c.subject_ref == note.id).order_by(revision.c.change_id)
        )
        assert [row.after["content"] for row in kept] == ["one", "one\n\ntwo"]
    source = app.notes.create(actor=me, vault="work", title="File", content="x", note_class=NoteClass.SOURCE)
    with pytest.raises(NotAllowed):
        app.notes.edit(actor=me, ref=source.id, operation="replace", content="y")


def test_n12_a_page_goes_to_the_trash_with_its_facts_and_a_purge_leaves_nothing(app: Application, me: Actor) -> None:
    one, two = app.facts.remember(
        actor=me, vault="work", observations=[Observation(content="[[Plan]] one"), Observation(content="two")]
    )
    app.facts.retire(actor=me, number=two.fact.number, version=1, reason="over")
    app.notes.delete(actor=me, ref=one.note_id)
    assert app.facts.get(actor=me, number=two.fact.number).state == "trashed"
    assert app.notes.restore(actor=me, ref=one.note_id).id == one.note_id
    assert app.facts.get(actor=me, number=one.fact.number).state == "in_force"
    assert app.facts.get(actor=me, number=two.fact.number).state == "retired"
    app.notes.delete(actor=me, ref=one.note_id)
    app.facts.restore(actor=me, number=one.fact.number)
    assert [fact.number for fact in app.notes.get(actor=me, ref=one.note_id).facts] == [one.fact.number]
    app.notes.delete(actor=me, ref=one.note_id)
    with pytest.raises(NotAllowed):
        app.notes.purge(actor=replace(me, is_model=True), ref=one.note_id)
    app.notes.purge(actor=me, ref=one.note_id)
    with pytest.raises(NotFound):
        app.notes.get(actor=me, ref=one.note_id)
    with app.database.read() as tx:
        for table in (revision, passage, link):
            assert tx.execute(select(func.count()).select_from(table)).scalar() == 0


def test_n12_a_page_comes_back_on_the_one_its_category_has_now(app: Application, me: Actor) -> None:
    (old,) = app.facts.remember(actor=me, vault="work", observations=[Observation(content="old")])
    app.notes.delete(actor=me, ref=old.note_id)
    (new,) = app.facts.remember(actor=me, vault="work", observations=[Observation(content="new")])
    assert new.note_id != old.note_id
    assert app.notes.restore(actor=me, ref=old.note_id).id == new.note_id
    assert [fact.content for fact in app.notes.get(actor=me, ref=new.note_id).facts] == ["old", "new"]


def test_v14_a_disabled_note_is_out_of_retrieval_until_enabled(app: Application, me: Actor) -> None:
    note = app.notes.create(actor=me, vault="work", title="Plan", content="words [[Other]]")
    (kept,) = app.facts.remember(actor=me, vault="work", observations=[Observation(content="tea")])
    for ref in (note.id, kept.note_id):
        for disabled in (True, False):
            app.notes.disable(actor=me, ref=ref, disabled=disabled)
            with app.database.read() as tx:
                found = tx.execute(select(passage.c.active).where(passage.c.note_id == ref)).scalars().all()
            assert found == [not disabled]


def test_v8_and_a1_what_is_out_of_reach_is_not_told(app: Application, me: Actor) -> None:
    app.vaults.create(actor=me, name="Closed", protection=Protection.MAXIMUM)
    note = app.notes.create(actor=me, vault="closed", title="Hidden plan", content="secret words")
    cloud = replace(me, route=Route.CLOUD)
    with pytest.raises(Withheld) as withheld:
        app.notes.get(actor=cloud, ref=note.id)
    with pytest.raises(NotFound) as unknown:
        app.notes.get(actor=cloud, ref="Hidden plan")
    app.notes.create(actor=cloud, vault="closed", title="hidden plan", content="x")  # taken, and not told to be
    stranger = replace(me, user_id=10_000)
    with pytest.raises(NotFound) as foreign:
        app.notes.edit(actor=stranger, ref=note.id, operation="append", content="x")
    for refused in (withheld, unknown, foreign):
        assert "secret" not in str(refused.value.as_dict())
        assert "Hidden" not in str(refused.value.as_dict())
    assert len({item.title for item in app.notes.list(actor=me, vault="closed")}) == 2
    with pytest.raises(NotAllowed):
        app.notes.edit(actor=replace(me, can_write=False), ref=note.id, operation="append", content="x")
    assert app.notes.list(actor=cloud) == []


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ({"title": "a/b"}, InvalidInput),
        ({"title": ".."}, InvalidInput),
        ({"folder": "../up"}, InvalidInput),
        ({"folder": "/etc"}, InvalidInput),
        ({"content": "a\x00"}, InvalidInput),
        ({"title": "\ud800"}, InvalidInput),
        ({"content": "x" * (8 * 1024 * 1024 + 1)}, TooLarge),
        ({"note_class": NoteClass.AGENT_MEMORY}, InvalidInput),
        ({"front_matter": {"a": object()}}, InvalidInput),
    ],
)
def test_bad_input_is_refused_and_nothing_is_written(
    app: Application, me: Actor, bad: dict[str, object], error: type[InvalidInput]
) -> None:
    given = {"vault": "work", "title": "Plan", "content": "x"} | bad
    with pytest.raises(error) as refused:
        app.notes.create(actor=me, **given)  # type: ignore[arg-type]
    assert refused.value.hint
    assert app.notes.list(actor=me) == []


def test_n1_a_note_of_five_mebibytes_is_kept_and_edited(app: Application, me: Actor) -> None:
    text = "## Part\n\n" + ("Some words that say something. " * 20 + "\n\n") * 8400
    note = app.notes.create(actor=me, vault="work", title="Large", content=text)
    app.notes.edit(actor=me, ref=note.id, operation="append", content="the end")
    assert app.notes.get(actor=me, ref=note.id).note.content.endswith("the end")


def test_n1_links_lead_to_the_other_note_of_a_name_while_theirs_is_in_the_trash(app: Application, owner: Actor) -> None:
    def end() -> list[str | None]:
        return [link.note_id for link in app.notes.get(actor=owner, ref=source.id).links]

    app.vaults.create(actor=owner, name="Links")
    source = app.notes.create(actor=owner, vault="links", title="Source", content="see [[B]] and [[one/B]]")
    one = app.notes.create(actor=owner, vault="links", title="B", content="x", folder="one")
    two = app.notes.create(actor=owner, vault="links", title="B", content="y", folder="two")
    assert end() == [one.id, one.id]
    app.notes.delete(actor=owner, ref=one.id)
    assert end() == [two.id, None]
    app.notes.restore(actor=owner, ref=one.id)
    assert end() == [one.id, one.id]
    app.notes.rename(actor=owner, ref=one.id, title="C")
    app.notes.delete(actor=owner, ref=two.id)
    app.notes.restore(actor=owner, ref=two.id)
    assert end() == [one.id, one.id]  # a link keeps its note through a rename
    app.notes.delete(actor=owner, ref=one.id)
    app.notes.purge(actor=owner, ref=one.id)
    assert end() == [two.id, None]


def test_n3_several_notes_are_made_all_or_none(app: Application, owner: Actor) -> None:
    app.vaults.create(actor=owner, name="Many")
    app.notes.create(actor=owner, vault="many", title="Taken", content="x")
    big = "some plain words here. " * 150_000
    drafts = [Draft(title="One", content=big), Draft(title="Two", content=big), Draft(title="Taken", content="x")]
    with pytest.raises(Conflict):
        app.notes.create_many(actor=owner, vault="many", drafts=drafts, whole=True)
    with pytest.raises(TooLarge, match="Together"):
        app.notes.create_many(
            actor=owner, vault="many", drafts=[*drafts, Draft(title="Three", content=big)], whole=True
        )
    assert [note.title for note in app.notes.list(actor=owner, vault="many")] == ["Taken"]


def test_n12_a_large_page_is_deleted_restored_disabled_and_purged_in_steps(
    app: Application, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("souvenance.notes.trash.BATCH", 3)
    holds: list[int] = []
    stored = correct.stored
    monkeypatch.setattr(
        correct, "stored", lambda *given, **named: (holds.append(len(named["changes"])), stored(*given, **named))[1]
    )
    said = [Observation(content=f"zebra number {number}") for number in range(10)]
    kept = app.facts.remember(actor=owner, vault="work", observations=said)
    page = kept[0].note_id
    numbers = [item.fact.number for item in kept]
    alone = app.facts.delete(actor=owner, number=numbers[0]).number
    holds.clear()

    def there() -> int:
        return len(app.facts.list(actor=owner, vault="work"))

    assert app.notes.delete(actor=owner, ref=page).deleted_at is not None
    assert (there(), app.retrieval.search(actor=owner, query="zebra").hits) == (0, ())
    assert app.notes.restore(actor=owner, ref=page).deleted_at is None
    assert there() == 9
    assert app.facts.get(actor=owner, number=alone).deleted_at is not None
    assert app.notes.disable(actor=owner, ref=page, disabled=True).disabled
    assert app.retrieval.search(actor=owner, query="zebra").hits == ()
    assert not app.notes.disable(actor=owner, ref=page, disabled=False).disabled
    assert len(app.retrieval.search(actor=owner, query="zebra").hits) == 9
    app.notes.delete(actor=owner, ref=page)
    app.notes.purge(actor=owner, ref=page)
    told = {entry.verb: entry.details for entry in app.history.audit(actor=owner)}
    assert (told["note.delete"]["facts"], told["note.purge"]["facts"]) == (9, 10)
    assert max(holds) == 3
    with app.database.read() as tx:
        assert tx.execute(select(func.count()).select_from(revision)).scalar_one() == 0
