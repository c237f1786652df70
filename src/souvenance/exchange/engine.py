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
        """Answer a question with memory; see `events` for what is yielded, in which order."""
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
