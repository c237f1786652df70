"""The use cases of the neural map: drawing it, and taking a node out of every retrieval (V14)."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from souvenance.domain.access import Actor
from souvenance.domain.clock import Clock
from souvenance.domain.errors import Conflict, InvalidInput
from souvenance.domain.fact import State
from souvenance.domain.note import NoteClass
from souvenance.domain.vault import Vault, VaultKind
from souvenance.map.layout import Floats, Plan
from souvenance.map.likeness import Likeness
from souvenance.map.places import Places
from souvenance.memory import correct
from souvenance.notes.notes import Notes, require_person_to_hide
from souvenance.retrieval.embedding import Embedding
from souvenance.store import map_nodes
from souvenance.store import vaults as vault_rows
from souvenance.store.database import Database

MOST_NODES = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A note or a fact: `id` is `note:ID` or `fact:NUMBER`; `note` the note itself, or the page a fact stands on, and
    `note_class` that note's class."""

    id: str
    kind: str
    vault: str
    label: str
    note: str
    note_class: str
    disabled: bool
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A tie: `link` (a text points at a note), `page` (a fact stands on its page), `alike` (weight: their cosine)."""

    kind: str
    source: str
    target: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """The map of one reader; each vault carries the attention by which its nodes are dimmed.

    `cut`: there are more notes and facts than are drawn; those changed last are.
    """

    vaults: tuple[Vault, ...]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    cut: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A map and where each of its nodes stands, in the order of its nodes, shape (nodes, 2).

    `is_settled`: false while better places are still being worked out; ask again in a moment.
    """

    drawing: Drawing
    places: Floats
    is_settled: bool


class Map:
    """The map of a memory. Likeness between nodes is kept in this process and follows what changes; places are kept in
    `folder`, so that a map looks the same after a restart."""

    def __init__(self, database: Database, clock: Clock, notes: Notes, embedding: Embedding, folder: Path) -> None:
        self._database = database
        self._clock = clock
        self._notes = notes
        self._embedding = embedding
        self._likeness = Likeness()
        self._places = Places(folder)
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="map-likeness")
        self._preparing: set[tuple[frozenset[int], int]] = set()
        self._lock = threading.Lock()

    def forget(self) -> None:
        """Keep nothing in memory of what was erased (F7)."""
        self._likeness.forget()
        self._places.forget()

    def close(self) -> None:
        """Work nothing more out in the background."""
        self._worker.shutdown(wait=False, cancel_futures=True)
        self._places.close()

    def place(self, *, actor: Actor, limit: int = MOST_NODES) -> Placed:
        """`draw`, with where each node stands. Never waits long: what takes time is worked out in the background, and
        until then likeness is left out."""
        drawing, is_whole = self._drawn(actor, limit, in_time=True)
        at = {node.id: place for place, node in enumerate(drawing.nodes)}
        vault_ids = {vault.slug: vault.id for vault in drawing.vaults}
        plan = Plan(
            nodes=[node.id for node in drawing.nodes],
            vaults=[vault_ids[node.vault] for node in drawing.nodes],
            ties=[(edge.kind, at[edge.source], at[edge.target]) for edge in drawing.edges],
        )
        key = (frozenset(vault_ids.values()), limit)
        name = f"{self._database.url.render_as_string()} {limit} {sorted(key[0])}"
        if not is_whole:
            self._prepare(actor, key)
            return Placed(drawing=drawing, places=self._places.provisional(plan, key=name), is_settled=False)
        places, is_settled = self._places.of(plan, key=name)
        return Placed(drawing=drawing, places=places, is_settled=is_settled)

    def draw(self, *, actor: Actor, limit: int = MOST_NODES) -> Drawing:
        """Nodes and edges of every vault whose content may be given to this reader; applications' are hidden (V9)."""
        return self._drawn(actor, limit, in_time=False)[0]

    def _prepare(self, actor: Actor, key: tuple[frozenset[int], int]) -> None:
        """Measure likeness for the first time, in the background."""
        with self._lock:
            if key in self._preparing:
                return
            self._preparing.add(key)

        def measure() -> None:
            try:
                self.draw(actor=actor, limit=key[1])
            finally:
                with self._lock:
                    self._preparing.discard(key)

        self._worker.submit(measure)

    def _drawn(self, actor: Actor, limit: int, *, in_time: bool) -> tuple[Drawing, bool]:
        """The map, and whether likeness is in it; `in_time` leaves it out where it was never measured yet."""
        if not 1 <= limit <= MOST_NODES:
            raise InvalidInput(f"limit is from 1 to {MOST_NODES} nodes.")
        with self._database.read() as tx:
            vaults = [item for item in vault_rows.list_vaults(tx, actor) if item.kind is not VaultKind.APP]
            ids = [item.id for item in vaults]
            slugs = {item.id: item.slug for item in vaults}
            notes = map_nodes.read_notes(tx, vault_ids=ids, limit=limit + 1)
            facts = map_nodes.read_facts(tx, vault_ids=ids, limit=limit + 1)
            every = [
                Node(
                    id=f"note:{row.id}",
                    kind="note",
                    vault=slugs[row.vault_id],
                    label=row.title,
                    note=row.id,
                    note_class=row.note_class,
                    disabled=row.disabled,
                    updated_at=row.updated_at,
                )
                for row in notes
            ] + [
                Node(
                    id=f"fact:{row.number}",
                    kind="fact",
                    vault=slugs[row.vault_id],
                    label=row.key or " ".join(row.content.split())[: map_nodes.LABEL],
                    note=row.note_id,
                    note_class=NoteClass.AGENT_MEMORY,
                    disabled=row.disabled,
                    updated_at=row.updated_at,
                )
                for row in facts
            ]
            every.sort(key=lambda node: node.updated_at, reverse=True)
            nodes = every[:limit]
            drawn = {node.id for node in nodes}
            edges = [
                Edge(kind="page", source=node.id, target=f"note:{node.note}")
                for node in nodes
                if node.kind == "fact" and f"note:{node.note}" in drawn
            ]
            for _, kind, source, target in map_nodes.read_links(tx, vault_ids=ids):
                edge = Edge(kind="link", source=f"{kind}:{source}", target=f"note:{target}")
                if edge.source in drawn and edge.target in drawn and edge.source != edge.target:
                    edges.append(edge)
            model, embedder = self._embedding.model(tx), self._embedding.embedder
            known = model is not None and self._likeness.is_known(model=model, vault_ids=ids, limit=limit)
            is_whole = model is None or embedder is None or known or not in_time
            if model is not None and embedder is not None and is_whole:
                enabled = [node.id for node in nodes if not node.disabled]
                edges += [
                    Edge(kind="alike", source=one, target=other, weight=cosine)
                    for one, other, cosine in self._likeness.alike(
                        tx, model=model, dimension=embedder.dimension, vault_ids=ids, nodes=enabled, limit=limit
                    )
                ]
        drawing = Drawing(vaults=tuple(vaults), nodes=tuple(nodes), edges=tuple(edges), cut=len(every) > limit)
        return drawing, is_whole

    def set_disabled(self, *, actor: Actor, node: str, disabled: bool) -> None:
        """Take a node (`note:ID`, `fact:NUMBER`) out of every retrieval, or let it be found again.

        A memory page takes its facts along. Only a person does this: nothing is forgotten behind their back.
        """
        kind, _, name = node.partition(":")
        if kind == "note" and name:
            self._notes.disable(actor=actor, ref=name, disabled=disabled)
        elif kind == "fact" and name.isascii() and name.isdigit() and len(name) < 19:
            self._set_fact_disabled(actor, int(name), disabled=disabled)
        else:
            raise InvalidInput("That is no node of the map.", hint="A node is note:ID or fact:NUMBER.")

    def _set_fact_disabled(self, actor: Actor, number: int, *, disabled: bool) -> None:
        require_person_to_hide(actor)
        with self._database.write() as tx:
            _, found = correct.writable_fact(tx, actor, number)
            if found.state is not State.IN_FORCE:
                raise Conflict(f"Fact #{number} is not in force.", hint="Restore it first.")
            if found.disabled != disabled:
                verb = "disable_fact" if disabled else "enable_fact"
                operation = "disable" if disabled else "enable"
                changes = [(found, replace(found, disabled=disabled), operation)]
                correct.apply(tx, actor, changes=changes, verb=verb, at=self._clock())
