"""The use cases of stored conversations: listed, searched, renamed, taken up again, deleted (V7, C5)."""

from __future__ import annotations

import builtins
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from souvenance.domain.access import Actor
from souvenance.domain.clock import Clock
from souvenance.domain.conversation import GONE_NAME, UNTITLED, Turn
from souvenance.domain.errors import InvalidInput, NotFound, SouvenanceError
from souvenance.domain.fact import readable_text
from souvenance.domain.protection import HIDDEN_NAME, may_leave
from souvenance.domain.vault import Protection, Vault, clean_name
from souvenance.exchange.applying import Applying
from souvenance.exchange.events import Became, Verb, Wrote
from souvenance.exchange.lapsed import LEASE_ONCE_STOPPED, settle_lapsed
from souvenance.store import claims
from souvenance.store import conversations as rows
from souvenance.store import vaults as vault_rows
from souvenance.store.conversations import Conversation
from souvenance.store.database import Database, Transaction

T = TypeVar("T")

MOST_LISTED = 200
STOP = "stop:"
STOP_SECONDS = 60.0
"""For how long an answer is wished stopped: whoever makes it looks every second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A conversation with its turns; of those made from a protected vault, only that they are there goes over a cloud
    route."""

    conversation: Conversation
    turns: tuple[Turn, ...]


class Conversations:
    """A person's conversations; a token has those it began, and no other (A3)."""

    def __init__(self, database: Database, clock: Clock, applying: Applying) -> None:
        self._database = database
        self._clock = clock
        self._applying = applying

    def start(self, *, actor: Actor, title: str = "", without_memory: bool = False) -> Conversation:
        """A new conversation, without a turn yet; it is titled by its first question where no title is given."""
        actor.require_write()
        with self._database.write() as tx:
            tx.mark("conversations", actor.user_id)
            made = rows.add_conversation(
                tx,
                actor=actor,
                title=clean_name(title, what="title") if title.strip() else UNTITLED,
                without_memory=without_memory,
                at=self._clock(),
            )
            return found_in(tx, actor, made)

    def list(self, *, actor: Actor, query: str = "", limit: int = 50, offset: int = 0) -> builtins.list[Conversation]:
        """The caller's conversations, the last used first; with `query`, those whose title or turns say it."""
        if not 1 <= limit <= MOST_LISTED or offset < 0:
            raise InvalidInput(f"A page has 1 to {MOST_LISTED} conversations and starts at 0 or later.")
        wanted = readable_text(query, what="query", limit=4000)
        with self._database.read() as tx:
            found = rows.list_conversations(
                tx, actor, query=wanted, open_only=not _may_see(actor), limit=limit, offset=offset
            )
        return [_shown(one, actor) for one in found]

    def get(self, *, actor: Actor, conversation: int, last: int | None = None, before: int | None = None) -> Opened:
        """One conversation with its turns, or only the last so many of them, of those before turn `before`."""
        if last is not None and not 1 <= last <= MOST_LISTED:
            raise InvalidInput(f"1 to {MOST_LISTED} turns are read at once.")
        found, turns = self._read(actor, conversation, last, before)
        now = self._clock()
        if any(one.until is not None and one.until <= now for one in turns):  # its process is gone, as far as is known
            with contextlib.suppress(SouvenanceError):  # a store that can only be read is read all the same
                settle_lapsed(self._database, self._clock)
            found, turns = self._read(actor, conversation, last, before)
        return Opened(conversation=_shown(found, actor), turns=tuple(_shown_turn(one, actor) for one in turns))

    def _read(
        self, actor: Actor, conversation: int, last: int | None, before: int | None
    ) -> tuple[Conversation, builtins.list[Turn]]:
        with self._database.read() as tx:
            found = found_in(tx, actor, conversation)
            turns = rows.list_turns(tx, conversation_id=conversation, last=last, before=before)
            known = vault_rows.list_known_vaults(tx, actor) if turns else []
        return found, [_as_of_now(one, known, actor) for one in turns]

    def change(
        self, *, actor: Actor, conversation: int, title: str | None = None, without_memory: bool | None = None
    ) -> Conversation:
        """Rename it, or say whether memory is read in it; what is left out stays."""
        actor.require_write()
        values: dict[str, Any] = {}
        if title is not None:
            values["title"] = clean_name(title, what="title")
        if without_memory is not None:
            values["without_memory"] = without_memory
        with self._database.write() as tx:
            found_in(tx, actor, conversation)
            if values:
                tx.mark("conversations", actor.user_id)
                rows.save_conversation(tx, conversation_id=conversation, values=values)
            return _shown(found_in(tx, actor, conversation), actor)

    def delete(self, *, actor: Actor, conversation: int) -> None:
        """Delete it with its turns, for good; what was learnt in it stays in memory. An answer under way ends."""
        actor.require_write()
        with self._database.write() as tx:
            found_in(tx, actor, conversation)
            self._wish_stopped(tx, actor, conversation)
            tx.mark("conversations", actor.user_id)
            rows.remove_conversation(tx, conversation_id=conversation)

    def stop(self, *, actor: Actor, conversation: int) -> None:
        """Wish the answer under way in it stopped, whichever process makes it; nothing happens where there is none. One
        that nobody makes any more is given up within half a minute."""
        actor.require_write()
        with self._database.write() as tx:
            found_in(tx, actor, conversation)
            self._wish_stopped(tx, actor, conversation)

    def _wish_stopped(self, tx: Transaction, actor: Actor, conversation: int) -> None:
        now = self._clock()
        claims.sweep(tx, prefixes=(STOP,), at=now)
        for last in rows.list_turns(tx, conversation_id=conversation, last=1):
            if last.state == "asked":
                name = stop_name(conversation, last.ordinal)
                claims.claim(tx, name=name, holder=str(actor.user_id), seconds=STOP_SECONDS, at=now)
                if last.until is not None and last.until > now + LEASE_ONCE_STOPPED:
                    values = {"until": now + LEASE_ONCE_STOPPED}
                    rows.save_turn(tx, conversation_id=conversation, ordinal=last.ordinal, values=values)

    def undo(self, *, actor: Actor, conversation: int, turn: int, place: int) -> Wrote:
        """Take back what an answer wrote: the thing at that place of its list, from 0 (C5)."""
        with self._database.write() as tx:
            rows.hold_turns(tx, conversation_id=conversation)
            wrote = _wrote_in(tx, actor, conversation, turn)
            if not 0 <= place < len(wrote):
                raise NotFound(
                    "That answer wrote no such thing.", hint="The conversation lists what each answer wrote."
                )
            wrote[place] = undone = self._applying.undo_in(tx, actor=actor, wrote=wrote[place])
            tx.mark("conversations", actor.user_id)
            values = {"wrote": [one.kept() for one in wrote]}
            rows.save_turn(tx, conversation_id=conversation, ordinal=turn, values=values)
        return undone


def found_in(tx: Transaction, actor: Actor, conversation: int) -> Conversation:
    """The conversation, where it is this actor's."""
    return _known(rows.find_conversation(tx, actor, conversation))


def place_in(tx: Transaction, actor: Actor, conversation: int) -> rows.Place:
    """What goes on with that conversation needs to know of it, where it is this actor's."""
    return _known(rows.find_place(tx, actor, conversation))


def stop_name(conversation: int, turn: int) -> str:
    """Under which name it is wished that an answer stops."""
    return f"{STOP}{conversation}:{turn}"


def _known(found: T | None) -> T:
    if found is None:
        raise NotFound("You have no such conversation.", hint="souvenance conversation list shows yours.")
    return found


def _wrote_in(tx: Transaction, actor: Actor, conversation: int, turn: int) -> builtins.list[Wrote]:
    found_in(tx, actor, conversation)
    for one in rows.list_turns(tx, conversation_id=conversation, last=1, before=turn + 1):
        if one.ordinal == turn:
            return [wrote_of(item) for item in one.wrote]
    raise NotFound("That conversation has no such turn.", hint="Read it again: turns are counted from 1.")


def wrote_of(kept: Any) -> Wrote:
    """What a model asked of memory, as a turn keeps it."""
    names = {field.name for field in fields(Wrote)}
    values = {name: value for name, value in dict(kept).items() if name in names}
    return Wrote(**values | {"verb": Verb(values["verb"]), "became": Became(values["became"])})


def _may_see(actor: Actor) -> bool:
    return may_leave(Protection.MAXIMUM, actor.route)


def _shown(found: Conversation, actor: Actor) -> Conversation:
    hidden = found.is_protected and not _may_see(actor)
    return replace(found, title=HIDDEN_NAME["en"]) if hidden else found


def _as_of_now(found: Turn, known: Sequence[Vault], actor: Actor) -> Turn:
    """A turn that calls vaults what they are called now, and tells those apart that it cannot name: `id` of a vault and
    `vault_id` of what was put tell one from another, and are sent to nobody."""
    wrote = tuple(_wrote_as_of_now(found, one, known, actor) for one in found.wrote)
    if found.trace is None:
        return replace(found, wrote=wrote)
    ids = found.trace.get("ids") or {}

    def named(slug: str) -> tuple[str, str]:
        return _named(_vault_now(found, known, slug), actor)

    def told(one: Mapping[str, Any]) -> dict[str, Any]:
        slug, name = named(one["slug"])
        return {**one, "slug": slug, "name": name, "id": ids.get(one["slug"], one["slug"])}

    trace = {name: value for name, value in found.trace.items() if name != "ids"}
    trace["vaults"] = [told(one) for one in trace.get("vaults", ())]
    trace["put"] = [
        {**one, "vault": named(one["vault"])[0], "vault_id": ids.get(one["vault"], one["vault"])}
        for one in trace.get("put", ())
    ]
    trace["passed_over"] = [slug for slug, _ in map(named, trace.get("passed_over", ())) if slug]
    return replace(found, trace=trace, wrote=wrote)


def _wrote_as_of_now(found: Turn, one: Mapping[str, Any], known: Sequence[Vault], actor: Actor) -> dict[str, Any]:
    """What an answer wrote, under its vault's name of now; its words where that vault may be shown to the caller (V8).
    A vault that the caller does not know may be protected by now."""
    if not one.get("vault"):
        return dict(one)
    vault_id = one.get("vault_id")
    if vault_id is None:
        vault = _vault_now(found, known, one["vault"])
    else:
        vault = next((item for item in known if item.id == vault_id), None)
    slug, name = _named(vault, actor)
    withheld = () if slug or _may_see(actor) else ("key", "content", "why")
    return {field: value for field, value in one.items() if field not in withheld} | {"vault": slug, "name": name}


def _named(vault: Vault | None, actor: Actor) -> tuple[str, str]:
    """The slug and the name that a caller is told; no slug where it is told of no vault."""
    if vault is None:
        return "", GONE_NAME["en"]
    return ("", HIDDEN_NAME["en"]) if vault_rows.is_withheld(vault, actor) else (vault.slug, vault.name)


def _vault_now(found: Turn, known: Sequence[Vault], slug: str) -> Vault | None:
    """The vault that a turn called so, by its id. Of an old turn, which kept none, the only one that goes by that slug,
    if it is no younger."""
    ids = (found.trace or {}).get("ids")
    if ids is not None:
        return next((one for one in known if one.id == ids.get(slug)), None)
    wanted = vault_rows.plain_slug(slug)
    same = [one for one in known if vault_rows.plain_slug(one.slug) == wanted]
    same = [one for one in same if slug in {wanted, f"{wanted}~{one.team_id}"}]
    if len(same) != 1 or same[0].created_at > (found.answered_at or found.asked_at):
        return None
    return same[0]


def _shown_turn(found: Turn, actor: Actor) -> Turn:
    if not found.is_protected or _may_see(actor):
        return found
    return replace(found, question="", answer="", failure=None, trace=None, wrote=())
