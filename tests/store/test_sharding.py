"""R2: every statement on vault data names the vault, so that a store spread over several nodes sends it to one."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from embedders import NgramEmbedder
from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.fact import Action, State
from souvenance.domain.vault import MemoryType
from souvenance.memory.remember import Observation
from souvenance.settings import Settings
from souvenance.store.tables import metadata
from souvenance.wiring import open_application

OWN = {name for name, table in metadata.tables.items() if "vault_id" in table.primary_key.columns}
"""Tables of vault data: those whose key the vault leads."""
OVER_ALL = {
    "store/context.py:list_placed": "what a user wants loaded holds notes of several vaults, asked for by user",
    "store/context.py:fill_place": "the same, and what stands in a vault that was lost goes as well",
    "store/proposals.py:close_drafts": "what was drafted of a fact may stand in a vault that it moved out of",
    "store/vector_index/postgresql.py:index_work": "whether the one index over all vaults is worth making",
}
"""Functions whose statements are over all vaults on purpose, and why."""

_TABLE = re.compile(r"(?:\bFROM|\bJOIN|\bUPDATE|\bINTO|,)\s+(\w+)(?:\s+AS\s+(\w+))?", re.IGNORECASE)
_WORDS = {"where", "on", "set", "group", "order", "left", "inner", "outer", "values", "limit"}


def unsharded(statement: str) -> list[str]:
    """Names of the tables of vault data in a statement whose vault it does not compare or write."""
    plain = " ".join(statement.replace('"', "").split())
    found = []
    for table, alias in _TABLE.findall(plain):
        if table not in OWN:
            continue
        name = table if not alias or alias.lower() in _WORDS else alias
        column = rf"\b{name}\.vault_id\b"
        written = re.match(rf"INSERT INTO {table} \([^)]*\bvault_id\b", plain, re.IGNORECASE)
        compared = re.search(rf"{column}\s*(=|IN\b)|(=\s*){column}", plain, re.IGNORECASE)
        alone = len({one for one, _ in _TABLE.findall(plain) if one in OWN}) == 1
        bare = alone and re.search(r"(?<![.\w])vault_id\s*(=|IN\b)", plain, re.IGNORECASE)
        if not (written or compared or bare):
            found.append(name)
    return found


def origin() -> str:
    """The innermost function of the program, outside the store's own plumbing, that sends the statement at hand."""
    frame = sys._getframe(1)
    while frame is not None:
        path = frame.f_code.co_filename
        if "/souvenance/" in path and not path.endswith(("store/database.py", "test_sharding.py")):
            return f"{path.rpartition('/souvenance/')[2]}:{frame.f_code.co_name}"
        frame = frame.f_back  # type: ignore[assignment]
    return ""


@contextmanager
def recorded(app: Application) -> Iterator[dict[str, str]]:
    """Every statement sent, each once, with where it comes from."""
    sent: dict[str, str] = {}

    def record(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        sent.setdefault(statement, origin())

    event.listen(app.database._engine, "before_cursor_execute", record)
    try:
        yield sent
    finally:
        event.remove(app.database._engine, "before_cursor_execute", record)


def a_day(app: Application, owner: Actor, files: Path) -> None:
    """What people and programs do with a memory, each use case at least once."""
    since = datetime(2020, 1, 1, tzinfo=UTC)
    for name in ("Alpha", "Beta"):
        app.vaults.create(actor=owner, name=name)
    app.vaults.change(actor=owner, vault="beta", description="the second")
    model = app.owner_through(Source.AGENT, route=Route.CLOUD, is_model=True, name="bot")
    said = [Observation(content=f"Bees like [[Flowers]] {n}.", category=f"c{n % 2}", channel="a") for n in range(6)]
    kept = app.facts.remember(actor=model, vault="alpha", observations=said, digest="about bees")
    one, two, three, four, five, six = (item.fact.number for item in kept)
    app.facts.remember_about_user(actor=model, observation=Observation(content="Likes honey."))
    app.facts.remember_about_project(actor=model, project="gamma", observation=Observation(content="Ships in May."))
    app.facts.edit(actor=owner, number=one, content="Bees love yesterday.", category="other", language="fr")
    app.facts.retire(actor=owner, number=two, version=None, reason="no", replacement="Bees sleep.")
    app.facts.restore(actor=owner, number=two)
    app.facts.move(actor=owner, number=three, vault="beta")
    app.facts.delete(actor=owner, number=four)
    app.facts.purge(actor=owner, number=four)
    app.bulk.apply(actor=owner, numbers=[five, six], action=Action.RETIRE, reason="all")
    app.bulk.restore_all(actor=owner, vault="alpha")
    app.bulk.apply(actor=owner, numbers=[five], action=Action.DELETE)
    app.bulk.empty_trash(actor=owner, vault="alpha")
    app.facts.browse(actor=owner, vault="alpha", query="bees", states=tuple(State))
    app.facts.browse(actor=owner, vault="alpha", as_of=datetime.now(UTC))
    app.facts.list(actor=owner, vault="alpha")

    flowers = app.notes.create(actor=owner, vault="alpha", title="Flowers", content="# Roses\n\nsee [[Bees]]")
    bees = app.notes.create(actor=owner, vault="alpha", title="Bees", content="buzz", folder="a")
    app.notes.edit(actor=owner, ref=flowers.id, operation="append", content="more")
    app.notes.edit(actor=owner, ref=kept[0].note_id, operation="append", content="- Bees dance.\n")
    app.notes.move(actor=owner, ref=bees.id, folder="b")
    app.notes.rename(actor=owner, ref=bees.id, title="Wasps")
    app.notes.link(actor=owner, source_ref=bees.id, target_ref=flowers.id)
    app.notes.set_digest(actor=owner, ref=bees.id, digest="small")
    app.notes.mute(actor=owner, ref=bees.id, muted=True)
    app.notes.disable(actor=owner, ref=bees.id, disabled=True)
    app.notes.disable(actor=owner, ref=kept[1].note_id, disabled=True)
    app.notes.disable(actor=owner, ref=kept[1].note_id, disabled=False)
    app.notes.get(actor=owner, ref="alpha:Flowers")
    app.notes.list(actor=owner)
    app.notes.recent(actor=owner)
    app.explorer.vaults(actor=owner)
    app.explorer.branch(actor=owner, vault="alpha", folder="b")
    app.explorer.activity(actor=owner)
    app.explorer.memory(actor=owner)
    for ref in (bees.id, kept[1].note_id):
        app.notes.delete(actor=owner, ref=ref)
        app.notes.restore(actor=owner, ref=ref)
    app.notes.delete(actor=owner, ref=bees.id)
    app.notes.purge(actor=owner, ref=bees.id)
    app.context.pin(actor=owner, ref=flowers.id)
    app.context.start(actor=model, project="alpha")
    app.context.settings(actor=owner)

    app.imports.markdown(actor=owner, path=files, vault="beta")
    app.imports.markdown(actor=owner, path=files, vault="beta")
    watched = app.folders.watch(actor=owner, vault="alpha", path=files)
    app.folders.scan(actor=owner, folder=watched.id)
    (files / "x.md").rename(files / "y.md")
    app.folders.scan(actor=owner, folder=watched.id)
    app.folders.list(actor=owner)
    (taken,) = [note for note in app.notes.list(actor=owner, vault="alpha") if note.title == "y"]
    app.explorer.file_of(actor=owner, ref=taken.id)
    app.folders.errors(actor=owner, folder=watched.id)
    app.folders.unwatch(actor=owner, folder=watched.id)

    app.embedding.catch_up()
    app.embedding.status()
    for query in ("what do bees like", "alpha"):
        app.retrieval.search(actor=owner, query=query)
        app.retrieval.search(actor=owner, query=query, documents=True)
        app.retrieval.recall(actor=owner, topic=query, depth=2)
        app.retrieval.search(actor=model, query=query, vault="alpha")
    app.retrievals.list(actor=owner)
    app.vaults.change_type(actor=owner, vault="alpha", memory_type=MemoryType.SEMANTIC)
    app.ladder.given_to_prompt(actor=owner, vault="alpha", message="what do bees like to do")
    for step in MemoryType:
        app.simulations.simulate(actor=owner, vault="alpha", to=step)
    app.map.draw(actor=owner)
    app.attention.solo(actor=owner, vault="alpha")
    app.attention.undo(actor=owner)

    app.history.of_fact(actor=owner, number=one)
    change = app.history.of_note(actor=owner, ref=kept[0].note_id)[-1].change_id
    app.history.text_at(actor=owner, ref=kept[0].note_id, change_id=change)
    app.history.restore(actor=owner, ref=kept[0].note_id, change_id=change)
    app.history.writers(actor=owner, since=since)
    app.history.review(actor=owner, since=since, agent="bot")
    app.history.revert(actor=owner, since=since, agent="bot")
    app.history.audit(actor=owner)
    app.vaults.count_facts(actor=owner)


def test_r2_every_statement_on_vault_data_names_the_vault(store_url: str, tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    for name in ("x.md", "z.md"):
        (files / name).write_text(f"see [[Flowers]] {name}")
    app = open_application(Settings(database_url=store_url, embedder="none"), embedder=NgramEmbedder())  # type: ignore[arg-type]
    try:
        with recorded(app) as sent:
            a_day(app, app.owner_through(Source.PANEL), files)
    finally:
        app.close()
    assert len(sent) > 150
    wrong = {
        f"{place}: {', '.join(names)}": statement
        for statement, place in sent.items()
        if (names := unsharded(statement)) and place not in OVER_ALL
    }
    assert wrong == {}


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("SELECT fact.content FROM fact WHERE fact.number = ?", ["fact"]),
        ("SELECT fact.vault_id FROM fact WHERE fact.number = ?", ["fact"]),
        ("SELECT fact.content FROM fact WHERE fact.vault_id = ? AND fact.number = ?", []),
        ("SELECT a.id FROM note AS a JOIN note AS b ON b.id = a.id WHERE a.vault_id IN (?)", ["b"]),
        ("DELETE FROM note WHERE note.id = ?", ["note"]),
        ("INSERT INTO note (vault_id, id) VALUES (?, ?)", []),
        ("SELECT vault.id FROM vault", []),
    ],
)
def test_r2_the_test_above_would_tell(statement: str, found: list[str]) -> None:
    assert unsharded(statement) == found
