"""What one exchange put before the model, and what the model asked back: by number, and only what it was shown (F4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from souvenance.domain.fact import Fact
from souvenance.memory.types.occasion import Ask


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """The channel an exchange takes place in, and whether memory may be read and written there (D2)."""

    channel: str = ""
    may_read: bool = True
    may_write: bool = True


@dataclass(slots=True)
class Shown:
    """The facts one exchange showed of one vault, with the version shown. Lives as long as the exchange; not shared."""

    vault_id: int
    versions: dict[int, int] = field(default_factory=dict)
    has_looked_up: bool = False

    def add(self, facts: Iterable[Fact]) -> None:
        """Remember that these were put before the model."""
        self.versions |= {item.number: item.version for item in facts}


@dataclass(frozen=True, slots=True, kw_only=True)
class Retire:
    """The model says that a fact no longer holds."""

    number: int
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replace:
    """The model says that a fact no longer holds, and what does."""

    number: int
    content: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookUp:
    """The model asks for facts by name."""

    query: str


Request = Retire | Replace | LookUp

ASKED: Mapping[type, Ask] = {Retire: Ask.RETIRE, Replace: Ask.REPLACE, LookUp: Ask.LOOK_UP}


class Outcome(StrEnum):
    """What became of a request. `ignored`: nothing happened, and that is written down; `refused`: it could not be done
    as it was asked, and nothing happened."""

    DONE = "done"
    IGNORED = "ignored"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What became of a request. `fact` is the one it ended, `successor` what took its place; `found` is
    what a look-up brought, `lines` each of it as the model is to be given it."""

    ask: Ask
    outcome: Outcome
    why: str = ""
    fact: Fact | None = None
    successor: Fact | None = None
    found: tuple[Fact, ...] = ()
    lines: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The lines together."""
        return "\n".join(self.lines)
