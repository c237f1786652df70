"""N1, N8, N9: looking around among notes, on both engines: folders, activity, the index of agent memory, who wrote."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.errors import NotAllowed, NotFound
from souvenance.domain.vault import Protection
from souvenance.memory.remember import Observation
from souvenance.notes.drafts import Draft

EVER = datetime(2000, 1, 1, tzinfo=UTC)


@pytest.fixture
def model(app: Application) -> Actor:
    """An agent at home."""
    return app.owner_through(Source.AGENT, route=Route.LOCAL, is_model=True, name="Claude")


def test_n1_folders_are_told_one_level_at_a_time_with_what_stands_below(app: Application, owner: Actor) -> None:
    app.vaults.create(actor=owner, name="Work")
    drafts = [
        Draft(title=title, content="x", folder=folder)
        for title, folder in (("top", ""), ("one", "a"), ("two", "a/b"), ("three", "a/b/c"), ("four", "A b"))
    ]
    app.notes.create_many(actor=owner, vault="work", drafts=drafts)
    app.facts.remember(actor=owner, vault="work", observations=[Observation(content="kept", category="a")])
    top = app.explorer.branch(actor=owner, vault="work")
    assert [(one.path, one.name, one.notes) for one in top.folders] == [("a", "a", 3), ("A b", "A b", 1)]
    assert [note.title for note in top.notes] == ["top"], "agent memory stands in no folder (N8)"
    inner = app.explorer.branch(actor=owner, vault="work", folder="a")
    assert [(one.path, one.notes) for one in inner.folders] == [("a/b", 2)]
    assert [note.title for note in inner.notes] == ["one"]
    assert app.explorer.branch(actor=owner, vault="work", folder="nowhere").notes == ()
    assert app.explorer.folders(actor=owner, vault="work") == ["A b", "a", "a/b", "a/b/c"]
    assert [(vault.slug, count) for vault, count in app.explorer.vaults(actor=owner)] == [("work", 5)]
    few = app.explorer.branch(actor=owner, vault="work", folder="a/b", limit=1)
    assert (len(few.notes), few.more) == (1, False)
    app.notes.create(actor=owner, vault="work", title="zed", content="x", folder="a/b")
    assert app.explorer.branch(actor=owner, vault="work", folder="a/b", limit=1).more


def test_n8_activity_tells_who_did_what_through_what_and_no_agent_memory(
    app: Application, owner: Actor, model: Actor
) -> None:
    app.vaults.create(actor=owner, name="Work")
    first = app.notes.create(actor=owner, vault="work", title="First", content="x")
    app.notes.create(actor=model, vault="work", title="Second", content="x")
    app.notes.edit(actor=model, ref=first.id, operation="append", content="more")
    app.facts.remember(actor=model, vault="work", observations=[Observation(content="kept", category="likes")])
    told = app.explorer.activity(actor=owner)
    assert [
        (one.note.title, one.last.operation, one.last.who, one.last.source) for one in told if one.last is not None
    ] == [("First", "append", "Claude", "agent"), ("Second", "create", "Claude", "agent")]
    assert app.explorer.activity(actor=owner, limit=1, offset=1)[0].note.title == "Second"
    app.notes.delete(actor=owner, ref=first.id)
    assert [one.note.title for one in app.explorer.activity(actor=owner)] == ["Second"]


def test_n8_the_index_has_one_line_for_each_category_muted_ones_too(
    app: Application, owner: Actor, model: Actor
) -> None:
    app.vaults.create(actor=owner, name="Work")
    app.vaults.create(actor=owner, name="Empty")
    for category in ("likes", "places"):
        app.facts.remember(
            actor=model,
            vault="work",
            observations=[Observation(content=f"{category} {n}", category=category) for n in range(2)],
            digest=f"about {category}",
        )
    (index,) = app.explorer.memory(actor=owner)
    assert index.vault.slug == "work"
    assert [(one.category, one.digest, one.facts) for one in index.pages] == [
        ("places", "about places", 2),
        ("likes", "about likes", 2),
    ]
    app.notes.mute(actor=owner, ref=index.pages[0].note_id, muted=True)
    (index,) = app.explorer.memory(actor=owner)
    assert {one.category: one.muted for one in index.pages} == {"places": True, "likes": False}
    assert "about places" not in app.context.start(actor=model, project="work").text
    (cut,) = app.explorer.memory(actor=owner, vault="work", limit=1)
    assert (len(cut.pages), cut.more) == (1, True)


def test_n6_a_search_of_documents_leaves_agent_memory_out(app: Application, owner: Actor, model: Actor) -> None:
    app.vaults.create(actor=owner, name="Work")
    note = app.notes.create(actor=owner, vault="work", title="Tea", content="green tea in the morning")
    app.facts.remember(actor=model, vault="work", observations=[Observation(content="likes green tea")])
    everything = app.retrieval.search(actor=owner, query="green tea")
    assert {hit.kind for hit in everything.hits} == {"fact", "note"}
    assert [hit.note_id for hit in app.retrieval.search(actor=owner, query="green tea", documents=True).hits] == [
        note.id
    ]


def test_n9_those_who_wrote_are_listed_for_their_owner_only(app: Application, owner: Actor, model: Actor) -> None:
    app.vaults.create(actor=owner, name="Work")
    token, secret = app.tokens.create(actor=owner, name="bot", vaults=["work"])
    holder = app.tokens.authenticate(secret, source=Source.REST)
    app.notes.create(actor=owner, vault="work", title="Mine", content="x")
    app.notes.create(actor=model, vault="work", title="Theirs", content="x")
    app.notes.create(actor=holder, vault="work", title="Its", content="x")
    told = app.history.writers(actor=owner, since=EVER)
    assert [(one.agent, one.token, one.changes) for one in told if one.agent != owner.name] == [
        ("bot", token.id, 1),
        ("Claude", None, 1),
    ]
    assert app.history.writers(actor=owner, since=datetime(2100, 1, 1, tzinfo=UTC)) == []
    for other in (model, holder):
        with pytest.raises(NotAllowed):
            app.history.writers(actor=other, since=EVER)


def test_n1_an_ingested_note_says_which_file_it_is(app: Application, owner: Actor, tmp_path: Path) -> None:
    app.vaults.create(actor=owner, name="Work")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("text")
    folder = app.folders.watch(actor=owner, vault="work", path=tmp_path / "docs")
    app.folders.scan(actor=owner, folder=folder.id)
    (note,) = app.notes.list(actor=owner, vault="work")
    assert app.explorer.file_of(actor=owner, ref=note.id) == str(tmp_path / "docs" / "a.md")
    written = app.notes.create(actor=owner, vault="work", title="Written", content="x")
    assert app.explorer.file_of(actor=owner, ref=written.id) == ""


def test_f9_the_trash_has_the_last_deleted_first(app: Application, owner: Actor) -> None:
    app.vaults.create(actor=owner, name="Work")
    ids = [app.notes.create(actor=owner, vault="work", title=title, content="x").id for title in "abc"]
    for one in (ids[1], ids[0], ids[2]):
        app.notes.delete(actor=owner, ref=one)
    assert [note.title for note in app.notes.list(actor=owner, trashed=True)] == ["c", "a", "b"]


def test_v8_a_cloud_route_is_told_nothing_of_a_protected_vault(app: Application, owner: Actor) -> None:
    app.vaults.create(actor=owner, name="Secret", protection=Protection.MAXIMUM)
    note = app.notes.create(actor=owner, vault="secret", title="Samarkand", content="x", folder="hidden")
    app.facts.remember(actor=owner, vault="secret", observations=[Observation(content="kept", category="zyx")])
    cloud = app.owner_through(Source.PANEL, route=Route.CLOUD)
    assert app.explorer.vaults(actor=cloud) == []
    assert app.explorer.activity(actor=cloud) == []
    assert app.explorer.memory(actor=cloud) == []
    assert app.history.writers(actor=cloud, since=EVER) == []
    for read in (
        lambda: app.explorer.branch(actor=cloud, vault="secret"),
        lambda: app.explorer.folders(actor=cloud, vault="secret"),
        lambda: app.explorer.memory(actor=cloud, vault="secret"),
        lambda: app.explorer.file_of(actor=cloud, ref=note.id),
    ):
        with pytest.raises(Exception) as refused:  # noqa: PT011 - which of the two says it is another test's
            read()
        assert "samarkand" not in str(refused.value).casefold()
    with pytest.raises(NotFound):
        app.explorer.branch(actor=owner, vault="nowhere")
