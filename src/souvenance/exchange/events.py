"""What one exchange tells its caller while it runs, and what it is asked with: plain values, no database.

An exchange yields, in this order: `Waiting` whenever a person would wonder what is being waited for; one `Gathered`;
then `Text` as the model says it, with at most one `LookedUp` before the first of it; one `Wrote` for each thing the
model asked of memory; and last exactly one of `Ended` and `Failed`. Texts joined are the visible reply: no directive is
ever in one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from souvenance.domain.access import Route
from souvenance.domain.errors import SouvenanceError
from souvenance.domain.protection import withheld_sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """Someone who takes part, by the id that stays and the name that is shown now. `kept` is false for who does not
    want to be remembered: nothing about them is."""

    id: str
    name: str
    kept: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Something that was said before the question. `by` is the speaker's shown name; `read` the ids of the vaults
    whose content it was made from."""

    text: str
    by_model: bool = False
    by: str = ""
    read: frozenset[int] = frozenset()


class Wait(StrEnum):
    """What is waited for."""

    AUTO = "auto"
    MODEL = "model"
    LOOK_UP = "look_up"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A call is under way: for what, over which route, and about how many tokens it sends (V10)."""

    what: Wait
    route: Route
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultRead:
    """A vault whose content may have been put before the model, at which weight, from 0 to 1."""

    id: int
    slug: str
    name: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    """Which vaults were read for an answer (V11). `chosen`: by the model; `designated`: somebody chose or named some;
    `without_memory`: nothing was read, whatever the weights (V7)."""

    vaults: tuple[VaultRead, ...] = ()
    chosen: bool = False
    designated: bool = False
    without_memory: bool = False

    def label(self, language: str = "en") -> str:
        """The badge in words: a spark stands before what the model chose."""
        words = _BADGE.get(language, _BADGE["en"])
        if self.without_memory:
            return words["none"]
        if not self.vaults:
            return words["nothing"]
        names = ", ".join(vault.name for vault in self.vaults)
        if not self.designated:
            return f"{words['all']} ({names})"
        return f"\N{SPARKLES} {names}" if self.chosen else names


_BADGE = {
    "en": {"none": "No memory", "nothing": "No vault read", "all": "All vaults read"},
    "fr": {"none": "Aucune mémoire", "nothing": "Aucun coffre lu", "all": "Tous les coffres lus"},
}


class Kind(StrEnum):
    """What kind of memory was put before the model."""

    SUMMARY = "summary"
    FACT = "fact"
    PASSAGE = "passage"


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """One thing that was really put before the model, as it was put. `number` names a fact, `note` a passage's note."""

    kind: Kind
    vault: str
    text: str
    number: int | None = None
    note: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What the prompt holds of memory, and why; the badge opens on it.

    `tokens` is what memory and its instructions cost, `instruction_tokens` the instructions alone. `withheld` counts
    passages kept back because their vault is protected and the route is cloud, `withheld_turns` earlier turns left out
    for the same reason, `named_withheld` protected vaults that the question named. `left_out` counts what found no
    room. `why` says in words how facts were found, vault by vault, where there is something to say. `ids` are the
    vaults that are named here, by the slug each had: another may go by it later.
    """

    badge: Badge
    put: tuple[Put, ...] = ()
    tokens: int = 0
    instruction_tokens: int = 0
    withheld: int = 0
    withheld_turns: int = 0
    named_withheld: int = 0
    passed_over: tuple[str, ...] = ()
    left_out: int = 0
    why: str = ""
    auto_why: str = ""
    milliseconds: float = 0.0
    ids: Mapping[str, int] = field(default_factory=dict)

    def withheld_sentence(self, language: str = "en") -> str:
        """« 2 passages retenus : coffre protégé », or nothing (V8)."""
        return withheld_sentence(self.withheld + self.withheld_turns, named=self.named_withheld, language=language)

    def as_dict(self) -> dict[str, Any]:
        """The trace as interfaces send it."""
        return {
            "vaults": [
                {"slug": one.slug, "name": one.name, "weight": round(one.weight, 4)} for one in self.badge.vaults
            ],
            "chosen": self.badge.chosen,
            "designated": self.badge.designated,
            "without_memory": self.badge.without_memory,
            "put": [
                {"kind": one.kind, "vault": one.vault, "number": one.number, "note": one.note, "title": one.title}
                for one in self.put
            ],
            "tokens": self.tokens,
            "instruction_tokens": self.instruction_tokens,
            "withheld": self.withheld,
            "withheld_turns": self.withheld_turns,
            "named_withheld": self.named_withheld,
            "passed_over": list(self.passed_over),
            "left_out": self.left_out,
            "why": self.why,
            "auto_why": self.auto_why,
            "milliseconds": round(self.milliseconds, 2),
        }

    def kept(self) -> dict[str, Any]:
        """The trace as a conversation keeps it: with ids, by which vaults are named when it is read again."""
        return self.as_dict() | {"ids": dict(self.ids)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A part of the visible reply."""

    text: str


class Verb(StrEnum):
    """What a model may ask of memory in a reply."""

    REMEMBER = "remember"
    RETIRE = "retire"
    REPLACE = "replace"
    LOOK_UP = "look_up"


class Became(StrEnum):
    """What became of a request. `ignored`: nothing happened and the audit says so; `refused`: it could not be done as
    asked and nothing happened; `skipped`: memory says so already."""

    DONE = "done"
    SKIPPED = "skipped"
    IGNORED = "ignored"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrote:
    """One thing the model asked of memory and what became of it (C5).

    `number` and `version` are the fact that was made, retired or replaced, as it stands now; `successor` and
    `successor_version` what took its place. `vault` is the slug it stands in, `content` and `key` what was written.
    `can_undo` until somebody did. `times` counts equal requests that were taken as this one. `vault_id` is sent to
    nobody: it tells the vault where another goes by its slug.
    """

    verb: Verb
    became: Became
    why: str = ""
    vault: str = ""
    vault_id: int | None = None
    number: int | None = None
    version: int | None = None
    successor: int | None = None
    successor_version: int | None = None
    key: str = ""
    content: str = ""
    times: int = 1
    undone: bool = False

    @property
    def can_undo(self) -> bool:
        """Whether there is something to undo."""
        return self.became is Became.DONE and self.verb is not Verb.LOOK_UP and not self.undone

    def as_dict(self) -> dict[str, Any]:
        """As interfaces send it."""
        shown = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "vault_id"}
        return {name: value for name, value in shown.items() if value not in (None, "", False)} | {
            "verb": self.verb,
            "became": self.became,
        }

    def kept(self) -> dict[str, Any]:
        """As a conversation keeps it."""
        return self.as_dict() | ({} if self.vault_id is None else {"vault_id": self.vault_id})


@dataclass(frozen=True, slots=True, kw_only=True)
class LookedUp:
    """The model asked for facts by name before answering; one extra call was made with what was found (T3)."""

    query: str
    vault: str
    numbers: tuple[int, ...]
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Tokens of one exchange, all calls together; `is_estimate` where an endpoint did not say, `estimated` how many of
    the tokens are then ours."""

    sent: int = 0
    received: int = 0
    calls: int = 0
    is_estimate: bool = False
    estimated: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The whole visible reply, and where it is kept. `by_model` is false where no model is set and memory itself
    answered (C3). `finish` is the endpoint's own word, such as `stop` or `length`."""

    text: str
    gathered: Gathered
    wrote: tuple[Wrote, ...] = ()
    by_model: bool = True
    finish: str = ""
    spent: Spent = Spent()
    conversation: int | None = None
    turn: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """No whole reply came. `text` is what was said before; it is kept, and nothing the model asked was done."""

    error: SouvenanceError
    text: str = ""
    conversation: int | None = None
    turn: int | None = None


Event = Waiting | Gathered | Text | LookedUp | Wrote | Ended | Failed
