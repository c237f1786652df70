"""Taking the facts of a vault elsewhere, as JSON lines or as Markdown, piece by piece (R4)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from souvenance.domain.access import Actor
from souvenance.domain.clock import Clock, isoformat
from souvenance.domain.errors import NotAllowed
from souvenance.domain.fact import Fact, State
from souvenance.domain.form import Form
from souvenance.domain.vault import Vault
from souvenance.notes.page import heading_of, render_item
from souvenance.store import fact_lists as lists
from souvenance.store import history
from souvenance.store import vaults as vault_rows
from souvenance.store.database import Database

BATCH = 1000
"""Facts read in one transaction: a download may last, and no state of the database is held for it."""
KEPT = (State.IN_FORCE, State.RETIRED)


class Exports:
    """Reading a whole vault out."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def facts(
        self, *, actor: Actor, vault: str, form: Form = Form.JSON_LINES, states: Sequence[State] = KEPT
    ) -> Iterator[str]:
        """The facts of a vault in these states, in pieces of text to be written one after the other.

        JSON lines hold a fact each, by number, with all that is known of it; Markdown has a heading per category and
        an item per fact, ended by its anchor, as agent-memory notes are written. What changes while it is read may be
        in it or not; nothing stands in it twice. Refused before the first piece where the vault may not be read, and
        to a model and a token that only reads. The audit log keeps that it was taken, never the contents.
        """
        form = Form(form)
        if actor.is_model:
            raise NotAllowed("A model takes no vault away whole.", hint="Search it, or ask the owner.")
        actor.require_write()  # it is written into the audit log
        with self._database.read() as tx:
            found = vault_rows.named_vault(tx, actor, vault)
        with self._database.write() as tx:
            history.record_audit(tx, actor, verb="vault.export", at=self._clock(), vault_id=found.id, form=form)
        return self._lines(found, states) if form is Form.JSON_LINES else self._pages(found, states)

    def _lines(self, vault: Vault, states: Sequence[State]) -> Iterator[str]:
        for batch in self._batches(vault, states):
            yield "".join(json.dumps(fact_record(item), ensure_ascii=False) + "\n" for item in batch)

    def _pages(self, vault: Vault, states: Sequence[State]) -> Iterator[str]:
        yield f"# {vault.name}\n"
        heading = ""
        for batch in self._batches(vault, states, by_page=True):
            lines = []
            for item in batch:
                if (page := heading_of(item)) != heading:
                    heading = page
                    lines.append(f"\n## {heading}\n\n")
                lines.append(_item(item) + "\n")
            yield "".join(lines)

    def _batches(self, vault: Vault, states: Sequence[State], *, by_page: bool = False) -> Iterator[list[Fact]]:
        after: tuple[Any, ...] | None = None
        while True:
            with self._database.read() as tx:
                batch = lists.facts_after(
                    tx, vault_id=vault.id, states=states, after=after, limit=BATCH, by_page=by_page
                )
            if batch:
                yield batch
            if len(batch) < BATCH:
                return
            after = lists.place_of(batch[-1], by_page=by_page)


def fact_record(item: Fact) -> dict[str, Any]:
    """A fact as a line of JSON says it; what it does not have is left out. Dates are UTC."""
    values: dict[str, Any] = {
        "number": item.number,
        "content": item.content,
        "key": item.key,
        "category": item.category,
        "confidence": item.confidence,
        "importance": item.importance,
        "subject_kind": item.subject_kind.value,
        "subject_id": item.subject_id,
        "channel": item.channel,
        "author": item.author,
        "language": item.language,
        "said_at": item.said_at,
        "said_dates": [{"said": one.said, "resolved": one.resolved} for one in item.said_dates],
        "source": item.source.value,
        "state": item.state.value,
        "reason": item.reason,
        "replaced_by": item.replaced_by,
        "disabled": item.disabled or None,
        "created_at": _exact(item.created_at),
        "updated_at": _exact(item.updated_at),
    }
    for name in ("valid_from", "valid_to", "deleted_at"):
        moment = getattr(item, name)
        values[name] = None if moment is None else _exact(moment)
    return {name: value for name, value in values.items() if value not in (None, "", [])}


def _exact(moment: datetime) -> str:
    """An instant to the microsecond, so that it comes back as it was."""
    try:
        return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
    except OverflowError:  # within a day of the first or last moment there is
        return moment.isoformat()


def _item(item: Fact) -> str:
    written = render_item(number=item.number, key=item.key, content=item.content)
    if item.state is State.IN_FORCE:
        return written
    first, *rest = written.split("\n")
    ended = item.deleted_at or item.valid_to
    said = f"{item.state.value} {isoformat(ended)[:10] if ended else ''}".strip()
    reason = " ".join(item.reason.split())
    note = f"  ({said}{': ' + reason if reason else ''}{f', see ^{item.replaced_by}' if item.replaced_by else ''})"
    return "\n".join([first, *rest, note])
