"""`souvenance chat`: one question, or a conversation on a terminal."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from souvenance.domain.errors import InvalidInput, SouvenanceError
from souvenance.interfaces.cli.output import harmless
from souvenance.interfaces.cli.session import Session, read_text, verb

if TYPE_CHECKING:
    from souvenance.exchange.events import Ended, Event, Wrote

group = typer.Typer()

Question = Annotated[
    str | None, typer.Argument(help="What to ask; `-` reads it. Left out on a terminal, a conversation begins.")
]


@verb(group, "chat", writes=True)
def chat(
    session: Session,
    question: Question = None,
    *,
    vault: Annotated[list[str] | None, typer.Option(help="Read only this vault, at full weight; repeats.")] = None,
    no_memory: Annotated[bool, typer.Option("--no-memory", help="Read and write nothing of memory.")] = False,
    conversation: Annotated[int | None, typer.Option(min=1, help="Go on with this conversation.")] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep it as a new conversation.")] = False,
    language: Annotated[str | None, typer.Option(help="fr or en; guessed when left out.")] = None,
    budget: Annotated[int, typer.Option(min=1, help="Tokens that memory may take of a prompt.")] = 4000,
) -> None:
    """Ask a question, answered with memory by the model that is set; without one, by memory itself."""
    from souvenance.exchange.language import checked_language

    language = checked_language(language)
    is_talk = question is None
    if is_talk and (not sys.stdin.isatty() or session.out.as_json):
        raise InvalidInput("There is no question.", hint="souvenance chat 'your question', or - to read it.")
    if conversation is None and (keep or is_talk):
        made = session.memory.conversations.start(actor=session.actor, without_memory=no_memory)
        conversation = made.id
    asked = _Asked(session, vault or None, not no_memory, conversation, language, budget)
    if question is not None:
        asked.put(read_text(question, what="question"))
        return
    session.out.note(f"Conversation {conversation}. Ctrl-C stops an answer, Ctrl-D ends.")
    while True:
        try:
            line = input("> ").strip()
        except EOFError:
            return
        if line:
            with contextlib.suppress(KeyboardInterrupt):
                _tell_failure(session, asked, line)


def _tell_failure(session: Session, asked: _Asked, line: str) -> None:
    """A question of a conversation: what goes wrong is said, and the conversation goes on."""
    try:
        asked.put(line)
    except SouvenanceError as error:
        session.out.note(f"Error: {error}")


class _Asked:
    """Questions put in one way."""

    def __init__(
        self,
        session: Session,
        vaults: list[str] | None,
        with_memory: bool,
        conversation: int | None,
        language: str | None,
        budget: int,
    ) -> None:
        self._session = session
        self._vaults = vaults
        self._with_memory = with_memory
        self._conversation = conversation
        self._language = language
        self._budget = budget

    def put(self, question: str) -> None:
        """Ask, and show the answer as it comes."""
        if self._with_memory:
            self._session.catch_up(question)
        asyncio.run(self._put(question))

    async def _put(self, question: str) -> None:
        from souvenance.exchange.language import guessed_language

        events = self._session.memory.exchange.answer(
            actor=self._session.actor,
            question=question,
            vaults=self._vaults,
            with_memory=self._with_memory,
            conversation=self._conversation,
            language=self._language,
            budget_tokens=self._budget,
        )
        language = self._language or guessed_language(question)
        async with contextlib.aclosing(events):
            async for event in events:
                self._show(event, language)

    def _show(self, event: Event, language: str) -> None:
        from souvenance.exchange.events import Ended, Failed, Text, Wait, Waiting
        from souvenance.exchange.shapes import ended_shape

        out = self._session.out
        match event:
            case Failed():
                if event.text and not out.as_json:
                    print()
                raise event.error
            case Ended():
                if out.as_json:
                    out.data(ended_shape(event, language))
                else:
                    print()
                    self._aside(event, language)
            case Text() if not out.as_json:
                print(harmless(event.text), end="", flush=True)
            case Waiting() if event.what is Wait.AUTO:
                out.note(f"The model chooses the vaults ({event.route} route, about {event.tokens} tokens) ...")
            case _:
                pass

    def _aside(self, event: Ended, language: str) -> None:
        out = self._session.out
        out.note(event.gathered.badge.label(language))
        if said := event.gathered.withheld_sentence(language):
            out.note(said)
        for one in event.wrote:
            out.note(wrote_line(one))


def wrote_line(wrote: Wrote) -> str:
    """What a model asked of memory and what became of it, on a line."""
    number = f" #{wrote.number}" if wrote.number is not None else ""
    into = f" in {wrote.vault}" if wrote.vault else ""
    said = f": {wrote.content}" if wrote.content else ""
    why = f" ({wrote.why})" if wrote.why else ""
    return f"{wrote.verb.replace('_', '-')}{number} {wrote.became}{into}{said}{why}"
