"""One question, one answer: the exchange that the chat page, the Discord bot and the proxy share (C1)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence

from souvenance.domain.access import Actor
from souvenance.exchange.events import Event, Member, Said, Wrote
from souvenance.memory.shown import Where
from souvenance.store.fact_lists import Subject

BUDGET_TOKENS = 4000


class Exchange:
    """Exchanges with one memory. Used from one event loop; what touches the database runs in worker threads."""

    def answer(
        self,
        *,
        actor: Actor,
        question: str,
        conversation: int | None = None,
        history: Sequence[Said] = (),
        vaults: str | Sequence[str] | None = None,
        with_memory: bool = True,
        where: Where | None = None,
        member: Member | None = None,
        members: Sequence[Member] = (),
        about: Collection[Subject] | None = None,
        language: str | None = None,
        persona: str = "",
        budget_tokens: int = BUDGET_TOKENS,
    ) -> AsyncIterator[Event]:
        """Answer a question with memory; see `events` for what is yielded, in which order.

        `actor` is who asks: only what they may read is read, and written only where they may write. `conversation` is
        one that is stored: its turns are the history and this becomes its next; else `history` is what was said before,
        oldest first, and nothing is stored. `vaults` names the vaults to read at full weight, alone (a server's own, for
        a bot); else the person's attention decides, and Auto where it is on. `where` says whether memory may be read
        and written in this channel. `member` is who speaks, where that is not the actor (a member of a server): facts
        about them are kept under their id; `members` are the others present, so that facts about them are too. `about`
        keeps to facts about the vault itself and these subjects; of everyone when left out. `language` is the
        conversation's (`fr`, `en`), guessed from the question when left out. `persona` is the caller's own instruction,
        put first. Closing the iterator, or cancelling the task, stops the model; what was said is kept.
        """
        raise NotImplementedError

    async def learn(
        self,
        *,
        actor: Actor,
        said: Sequence[Said],
        vault: str,
        where: Where | None = None,
        members: Sequence[Member] = (),
        language: str | None = None,
    ) -> tuple[Wrote, ...]:
        """Ask the model what of these messages is worth remembering in that vault, and keep it; nobody is answered.

        Nothing is asked where `where` forbids writing or no model is set.
        """
        raise NotImplementedError

    async def undo(self, *, actor: Actor, wrote: Wrote) -> Wrote:
        """Take back one thing that an answer wrote, unless somebody changed it since (C5)."""
        raise NotImplementedError
