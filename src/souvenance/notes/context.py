"""What loads when a session starts: pins, then context sets, then memory by its digests (N8, N10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from souvenance.domain.access import Actor
from souvenance.domain.errors import InvalidInput, NotAllowed
from souvenance.domain.fact import checked_line
from souvenance.domain.note import Note
from souvenance.notes.find import find_note
from souvenance.notes.session import MEMORY, PINS, SET, Session, start_session
from souvenance.store import context as rows
from souvenance.store import notes as note_rows
from souvenance.store import vaults as vault_rows
from souvenance.store.database import Database, Transaction
from souvenance.store.tables import note as note_table

DEFAULT_BUDGET = 4000
LEAST_BUDGET, MOST_BUDGET = 300, 200_000
DEFAULT_ORDER = (PINS, MEMORY)
MOST_PLACED = 200
"""Notes one place holds at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSettings:
    """What a user wants loaded: within how many tokens, which places in which order, and the notes of each place;
    and what is kept out of start-up and recall.

    `order` names `pins`, `memory` and `set:NAME`; a set that it does not name is kept but does not load.
    """

    budget_tokens: int
    order: tuple[str, ...]
    pins: tuple[Note, ...]
    sets: dict[str, tuple[Note, ...]]
    muted: tuple[Note, ...] = ()


class Context:
    """Starting a session, and choosing what it starts with. A user's choices are for the user's own sessions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def start(self, *, actor: Actor, project: str | None = None, budget_tokens: int | None = None) -> Session:
        """What a session should know at once, within a token budget; nothing is written, not even a vault made.

        A project that is not there, or is withheld on this route, is told in the text and fails nothing.
        """
        if budget_tokens is not None:
            _checked_budget(budget_tokens)
        with self._database.read() as tx:
            budget, order = _settings(tx, actor)
            return start_session(tx, actor, project=project, budget=budget_tokens or budget, order=order)

    def settings(self, *, actor: Actor) -> ContextSettings:
        """What the user wants loaded. Notes in the trash, or that this actor may not read, are left out."""
        with self._database.read() as tx:
            budget, order = _settings(tx, actor)
            placed = rows.list_placed(tx, user_id=actor.user_id)
            found = notes_by_id(tx, actor, [item.note_id for item in placed])
            hidden = _hidden(tx, actor, placed)
            muted = note_rows.find_notes(tx, actor, note_table.c.muted.is_(True), with_content=False)
        placed = [item for item in placed if item.place not in hidden]
        places: dict[str, tuple[Note, ...]] = {item.place: () for item in placed}
        for item in placed:
            if item.note_id in found:
                places[item.place] += (found[item.note_id],)
        return ContextSettings(
            budget_tokens=budget,
            order=tuple(entry for entry in order if entry not in hidden),
            pins=places.pop(PINS, ()),
            sets={place.removeprefix(SET): held for place, held in places.items()},
            muted=tuple(muted),
        )

    def pin(self, *, actor: Actor, ref: str) -> None:
        """Load a note whole at every start; the last pinned comes last. Pinned again, it stays where it is."""
        self._change_pins(actor, ref, pinned=True)

    def unpin(self, *, actor: Actor, ref: str) -> None:
        """No longer load a note at every start."""
        self._change_pins(actor, ref, pinned=False)

    def _change_pins(self, actor: Actor, ref: str, *, pinned: bool) -> None:
        _require_person(actor)
        with self._database.write() as tx:
            tx.hold("context", actor.user_id)
            found = find_note(tx, actor, ref)
            place = (found.vault_id, found.id)
            held = [
                (item.vault_id, item.note_id)
                for item in rows.list_placed(tx, user_id=actor.user_id)
                if item.place == PINS
            ]
            wanted = [item for item in held if item != place]
            if pinned:
                wanted = held if place in held else [*held, place]
            _checked_count(len(wanted))
            rows.fill_place(tx, user_id=actor.user_id, place=PINS, items=wanted)

    def arrange(self, *, actor: Actor, place: str, refs: Sequence[str]) -> None:
        """Make `pins`, or the context set of that name, hold these notes in this order. No note removes the set.

        What the actor may not see there stays, behind the others. A new set loads just before memory until the order is
        set otherwise.
        """
        _require_person(actor)
        _checked_count(len(refs))
        key = PINS if place == PINS else SET + _set_name(place)
        with self._database.write() as tx:
            tx.hold("context", actor.user_id)
            found = [find_note(tx, actor, ref) for ref in refs]
            items = list(dict.fromkeys((note.vault_id, note.id) for note in found))
            items += _unseen(tx, actor, key)
            rows.fill_place(tx, user_id=actor.user_id, place=key, items=items)
            budget, order = _settings(tx, actor)
            changed = [entry for entry in order if items or entry != key or key == PINS]
            if items and key not in changed:
                changed.insert(changed.index(MEMORY) if MEMORY in changed else len(changed), key)
            if tuple(changed) != order:
                rows.save_settings(tx, user_id=actor.user_id, budget_tokens=budget, order=changed)

    def set_order(self, *, actor: Actor, order: Sequence[str]) -> None:
        """Say what loads and in which order: `pins`, `memory` and `set:NAME`, or NAME where that is clear; what is
        not named does not load."""
        self.change(actor=actor, order=order)

    def set_budget(self, *, actor: Actor, tokens: int) -> None:
        """Say how many tokens a start may cost where the caller does not say."""
        self.change(actor=actor, tokens=tokens)

    def change(self, *, actor: Actor, order: Sequence[str] | None = None, tokens: int | None = None) -> None:
        """Change what is given of order and budget, both or neither."""
        _require_person(actor)
        if tokens is not None:
            _checked_budget(tokens)
        with self._database.write() as tx:
            tx.hold("context", actor.user_id)
            budget, before = _settings(tx, actor)
            wanted = list(before) if order is None else self._ordered(tx, actor, order, before)
            rows.save_settings(tx, user_id=actor.user_id, budget_tokens=tokens or budget, order=wanted)

    @staticmethod
    def _ordered(tx: Transaction, actor: Actor, order: Sequence[str], before: Sequence[str]) -> list[str]:
        placed = rows.list_placed(tx, user_id=actor.user_id)
        hidden = _hidden(tx, actor, placed)
        known = {PINS, MEMORY} | {item.place for item in placed} - hidden
        wanted = [SET + entry if entry not in known and SET + entry in known else entry for entry in order]
        unknown = [entry for entry in wanted if entry not in known]
        if unknown or len(set(wanted)) != len(wanted):
            raise InvalidInput(
                f"The order may name each of these once: {', '.join(sorted(known))}.",
                hint="A context set is made by saying which notes it holds, then named as set:NAME.",
            )
        for place, entry in enumerate(before):
            if entry in hidden:  # what this caller does not know of stays where it was
                wanted.insert(place, entry)
        return wanted


def notes_by_id(tx: Transaction, actor: Actor, ids: Sequence[str]) -> dict[str, Note]:
    """Those of these notes that stand and that the actor may read."""
    return {note.id: note for note in note_rows.find_notes(tx, actor, note_table.c.id.in_(sorted(set(ids))))}


def _settings(tx: Transaction, actor: Actor) -> tuple[int, tuple[str, ...]]:
    budget, order = rows.get_settings(tx, user_id=actor.user_id) or (DEFAULT_BUDGET, DEFAULT_ORDER)
    return budget, tuple(order)


def _hidden(tx: Transaction, actor: Actor, placed: Sequence[rows.Placed]) -> set[str]:
    """Context sets of which the actor may see no note: not even their names are told (V8, A3)."""
    readable = {item.id for item in vault_rows.list_vaults(tx, actor)}
    shown = {item.place for item in placed if item.vault_id in readable}
    return {item.place for item in placed if item.place != PINS} - shown


def _unseen(tx: Transaction, actor: Actor, place: str) -> list[tuple[int, str]]:
    """What stands in a place that the actor may not see: whatever it arranges, that stays."""
    readable = {item.id for item in vault_rows.list_vaults(tx, actor)}
    placed = rows.list_placed(tx, user_id=actor.user_id)
    return [(item.vault_id, item.note_id) for item in placed if item.place == place and item.vault_id not in readable]


def _require_person(actor: Actor) -> None:
    actor.require_write()
    if actor.vaults is not None:
        raise NotAllowed("This token is bound to its vaults and arranges nothing.", hint="The owner does it.")
    if actor.is_model:
        raise NotAllowed("Only a person chooses what every session starts with.", hint="The owner does it.")


def _set_name(name: str) -> str:
    cleaned = checked_line(name.removeprefix(SET), what="set's name", limit=60)
    if not cleaned or cleaned in {PINS, MEMORY}:
        raise InvalidInput("A context set needs a name of its own.", hint="Choose another name.")
    return cleaned


def _checked_budget(tokens: int) -> None:
    if isinstance(tokens, bool) or not isinstance(tokens, int) or not LEAST_BUDGET <= tokens <= MOST_BUDGET:
        raise InvalidInput(f"The budget is a whole number of tokens from {LEAST_BUDGET} to {MOST_BUDGET:,}.")


def _checked_count(count: int) -> None:
    if count > MOST_PLACED:
        raise InvalidInput(f"A place holds at most {MOST_PLACED} notes.", hint="Take some out first.")
