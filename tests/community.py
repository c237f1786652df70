"""A small community whose memory says one thing twice and contradicts itself once."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from souvenance.application import Application
from souvenance.domain.access import Actor, Route
from souvenance.domain.vault import MemoryType, VaultKind
from souvenance.memory.remember import Observation

SLUG = "serveur"
LANGUAGE = Observation(content="The server language is French.", key="language", importance=9)
LANG = Observation(content="The language of the server is French.", key="lang")
AT_EIGHT = Observation(content="The weekly tournament starts at 20:00.", key="tournament_time")
AT_NINE = Observation(content="The weekly tournament starts at 21:00.", key="tournament_time")
OTHERS = (
    Observation(content="Le thème du salon principal est le rétro.", key="theme", importance=8),
    Observation(content="Nobody posts spoilers before Sunday.", key="spoilers", importance=7),
    Observation(content="La charte compte six articles.", key="charter"),
    Observation(content="Moderators wear a green badge.", key="badge"),
    Observation(content="Un potager occupe la cour du club.", key="garden"),
    Observation(content="The archive is kept on a cassette.", key="archive"),
    Observation(content="Chaque nouveau se présente dans l'entrée.", key="welcome"),
    Observation(content="Voice chat needs headphones.", key="voice"),
)


@dataclass
class Community:
    """The vault and the numbers of what is said in it."""

    app: Application
    owner: Actor
    clock: Any
    numbers: dict[str, int] = field(default_factory=dict)

    def keep(self, name: str, observation: Observation) -> int:
        (kept,) = self.app.facts.remember(actor=self.owner, vault=SLUG, observations=[observation])
        self.numbers[name] = kept.fact.number
        return kept.fact.number

    def rest(self, **time: float) -> None:
        """Let time go by; an hour when nothing is said."""
        self.clock.now += timedelta(**(time or {"hours": 1}))

    def waiting(self) -> list[Any]:
        return self.app.proposals.list(actor=self.owner, vault=SLUG)

    def one(self, kind: str) -> Any:
        """The one proposal of a kind that waits."""
        (found,) = [view for view in self.waiting() if view.proposal.kind == kind]
        return found

    def answer(self, view: Any, answer: str, **other: Any) -> Any:
        return self.app.proposals.answer(actor=other.get("actor", self.owner), proposal=view.proposal.id, answer=answer)

    def settle(self) -> None:
        """Keep both of whatever waits, and refuse drafts."""
        for view in self.waiting():
            self.answer(view, view.answers[-1])


def community(app: Application, owner: Actor, clock: Any) -> Community:
    """The vault on step five, at rest."""
    app.vaults.create(actor=owner, name="Serveur", kind=VaultKind.SERVER)
    app.vaults.change_type(actor=owner, vault=SLUG, memory_type=MemoryType.CONSOLIDATED)
    made = Community(app, owner, clock)
    app.facts.remember(actor=owner, vault=SLUG, observations=OTHERS)
    for name, observation in (
        ("language", LANGUAGE), ("lang", LANG), ("eight", AT_EIGHT), ("nine", AT_NINE)
    ):  # fmt: skip
        made.keep(name, observation)
    made.rest()
    return made


class Oracle:
    """A model that answers what it is told to, or does worse; it keeps what it was asked."""

    name = "oracle"

    def __init__(self, answer: Any = '{"verdict": "same"}', route: Route = Route.LOCAL) -> None:
        self.answer = answer
        self.route = route
        self.asked: list[tuple[str, str]] = []

    def complete(self, *, system: str, user: str) -> str:
        self.asked.append((system, user))
        said = self.answer(system, user) if callable(self.answer) else self.answer
        if isinstance(said, Exception):
            raise said
        return said
