"""Composing one coherent block on a topic, within a token budget (N6).

What was found comes first, by rank; then what it links to, nearest first. Facts of one category stand together under
their page, passages of one note together in reading order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from souvenance.domain.access import Actor
from souvenance.domain.fact import dates_meant
from souvenance.domain.tokens import cut_to_tokens, estimate_tokens
from souvenance.retrieval.answer import SourceUsed
from souvenance.retrieval.ranking import Sureness
from souvenance.retrieval.scope import Scope
from souvenance.retrieval.search import Searched
from souvenance.store import candidates as rows
from souvenance.store.candidates import Candidate, Shown
from souvenance.store.database import Transaction
from souvenance.store.links import Node, neighbours

FOUND_SHARE = 0.75
"""Of the budget, what the hits themselves may take while neighbours wait."""

LEAST_SHARE = 0.2
"""A hit is taken up when its score is at least this share of the best one's."""

MOST_SOURCES = 60
NOTHING = "Nothing relevant to this is in memory."
NO_ROOM = "What is relevant to this does not fit in so few tokens."


@dataclass(frozen=True, slots=True)
class Composed:
    """The block, its cost, and what went into it."""

    text: str
    tokens: int
    sources: tuple[SourceUsed, ...]
    cut: bool


@dataclass(slots=True)
class Source:
    """One note or fact that may go into the block, with its passages in order of worth."""

    node: Node
    depth: int
    passages: list[Candidate] = field(default_factory=list)


def compose(
    tx: Transaction, actor: Actor, searched: Searched, *, scope: Scope, depth: int, budget: int, per_source: int
) -> Composed:
    """The block for a search's result. Nothing of a vault out of scope, withheld or muted by category enters it."""
    if searched.confidence.sureness is Sureness.NONE:
        return Composed(NOTHING, estimate_tokens(NOTHING), (), cut=False)
    found = _found(searched)
    linked = _linked(tx, actor, found, scope=scope, depth=depth)
    sources = [*found, *linked]
    shown = rows.read_shown(tx, [passage for source in sources for passage in source.passages])
    sources = [source for source in sources if not _is_muted(source, shown)]
    block = _Block(scope=scope, shown=shown, per_source=per_source)
    limit = int(budget * FOUND_SHARE) if linked else budget
    later = [source for source in sources if source.depth == 0 and not block.add(source, within=limit)]
    later += [source for source in sources if source.depth > 0 and not block.add(source, within=budget)]
    for source in later:
        block.add(source, within=budget, or_cut=True)
    return block.composed()


def _found(searched: Searched) -> list[Source]:
    ranking = searched.ranking
    sources: dict[Node, Source] = {}
    if not len(ranking.order):
        return []
    least = LEAST_SHARE * ranking.scores[ranking.order[0]]
    for place in ranking.order.tolist():
        if ranking.scores[place] < least or ranking.scores[place] <= 0:
            break
        passage = searched.passages[place]
        node = _node(passage)
        if node not in sources and len(sources) >= MOST_SOURCES:
            continue
        sources.setdefault(node, Source(node, 0)).passages.append(passage)
    return list(sources.values())


def _node(passage: Candidate) -> Node:
    return ("fact", passage.fact_number) if passage.fact_number is not None else ("note", passage.note_id)


def _linked(tx: Transaction, actor: Actor, found: Sequence[Source], *, scope: Scope, depth: int) -> list[Source]:
    """What is up to `depth` links away from the hits, in the order it is reached; each once."""
    reached = {source.node for source in found}
    edge: list[Node] = [source.node for source in found]
    linked: list[Source] = []
    for step in range(1, depth + 1):
        around = neighbours(tx, actor, edge) if edge else {}
        edge = list(dict.fromkeys(other for node in edge for other in around.get(node, ()) if other not in reached))
        edge = edge[: MOST_SOURCES - len(linked)]
        reached.update(edge)
        sources = {node: Source(node, step) for node in edge}
        for passage in rows.read_sources(
            tx,
            vault_ids=scope.answering,
            notes=[str(name) for kind, name in edge if kind == "note"],
            facts=[int(name) for kind, name in edge if kind == "fact"],
        ):
            if _node(passage) in sources:
                sources[_node(passage)].passages.append(passage)
        linked += [source for source in sources.values() if source.passages]
    return linked


def _is_muted(source: Source, shown: dict[int, Shown]) -> bool:
    return all(passage.id not in shown or shown[passage.id].muted for passage in source.passages)


class _Block:
    """The block as it fills up."""

    def __init__(self, *, scope: Scope, shown: dict[int, Shown], per_source: int) -> None:
        self._scope = scope
        self._shown = shown
        self._per_source = per_source
        self._tokens = 0
        self._cut = False
        self._sections: dict[tuple[int, str], list[tuple[int, str]]] = {}
        self._sources: list[SourceUsed] = []

    def add(self, source: Source, *, within: int, or_cut: bool = False) -> bool:
        """Take a source up if it fits; with `or_cut`, as much of it as fits. Whether it was taken."""
        first = source.passages[0]
        shown = self._shown[first.id]
        place = (first.vault_id, first.note_id)
        heading = "" if place in self._sections else self._heading(first, shown)
        lines, is_cut = self._lines(source)
        cost = estimate_tokens(heading + "".join(text for _, text in lines)) + 1
        if self._tokens + cost > within:
            if not or_cut:
                return False
            self._cut = True
            room = within - self._tokens - estimate_tokens(heading) - 2
            text, is_cut = cut_to_tokens(lines[0][1], room)
            if room < 20 or not text:
                return False
            lines = [(lines[0][0], text + " …")]
            cost = estimate_tokens(heading + lines[0][1]) + 1
            if self._tokens + cost > within:
                return False
        self._cut = self._cut or is_cut
        self._tokens += cost
        self._sections.setdefault(place, [(-1, heading)] if heading else []).extend(lines)
        kind, name = source.node
        self._sources.append(
            SourceUsed(
                kind=kind,
                vault=self._scope.vaults[first.vault_id].slug,
                title=shown.key or shown.title if kind == "fact" else shown.title,
                note_id=first.note_id,
                number=int(name) if kind == "fact" else None,
                depth=source.depth,
                tokens=cost,
                cut=is_cut,
            )
        )
        return True

    def _heading(self, passage: Candidate, shown: Shown) -> str:
        vault = self._scope.vaults[passage.vault_id]
        path = f"{shown.folder}/{shown.title}" if shown.folder else shown.title
        return f"## {vault.name}: {path} [{passage.note_id}]\n"

    def _lines(self, source: Source) -> tuple[list[tuple[int, str]], bool]:
        """The source's text as (place in its note, text), within its own limit, and whether something was left out."""
        if source.node[0] == "fact":
            passage = source.passages[0]
            shown = self._shown[passage.id]
            said = f"{passage.speaker}: " if passage.speaker else ""
            key = f"{shown.key}: " if shown.key else ""
            meant, _ = cut_to_tokens(dates_meant(shown.said_dates), self._per_source // 3)
            room = self._per_source - 8 - estimate_tokens(meant)
            text, is_cut = cut_to_tokens(f"{said}{key}{shown.text}", room)
            body = text.replace("\n", "\n  ") + (" …" if is_cut else "") + meant
            return [(passage.fact_number or 0, f"- [#{passage.fact_number}] {body}\n")], is_cut
        taken: list[tuple[int, str]] = []
        spent, is_cut = 0, False
        for passage in source.passages:
            text = self._shown[passage.id].text
            cost = estimate_tokens(text)
            if spent + cost > self._per_source:
                is_cut = True
                if taken:
                    continue
                text, _ = cut_to_tokens(text, self._per_source - 2)
                text, cost = text + " …", self._per_source
            taken.append((passage.ordinal, text + "\n"))
            spent += cost
        return sorted(taken), is_cut

    def composed(self) -> Composed:
        """The block, sections in the order they were opened."""
        text = "\n".join("".join(text for _, text in _in_order(section)) for section in self._sections.values())
        return Composed(
            text.strip() or (NO_ROOM if self._cut else NOTHING), self._tokens, tuple(self._sources), self._cut
        )


def _in_order(section: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    heading_and_lines = list(section)
    return heading_and_lines[:1] + sorted(heading_and_lines[1:], key=lambda line: line[0])
