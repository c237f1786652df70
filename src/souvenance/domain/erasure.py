"""Erasing: what went, and what is proven of it (F7). A receipt holds who, when and how many, never a content."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from souvenance.domain.clock import isoformat


class ErasureKind(StrEnum):
    """Everything about a vault, or about one member of it."""

    VAULT = "vault"
    MEMBER = "member"


class PurgeState(StrEnum):
    """Whether what was erased is gone from the database's own files (SQLite) or rows (PostgreSQL)."""

    DONE = "done"
    PENDING = "purge pending"


class Proof(StrEnum):
    """What a receipt that is done rests on.

    `bytes`: the files were read and none of the erased texts is in them. `rebuilt`: the file was written anew from the
    rows that are left and the write-ahead log cut to nothing, when the erased texts were known to nobody any more.
    `rows`: no row of any table holds them.
    """

    NONE = ""
    BYTES = "bytes"
    REBUILT = "rebuilt"
    ROWS = "rows"


class Hindrance(StrEnum):
    """Why a purge is pending."""

    NOT_RUN = "not_run"
    READER = "reader"
    TRACES = "traces"
    STORE = "store"

    def sentence(self) -> str:
        """It in words, with the way out."""
        return _WHY[self]


_WHY = {
    Hindrance.NOT_RUN: "the files are still to be rewritten and checked; any process that opens this memory does it",
    Hindrance.READER: "a program holds an older state of the database open; the purge completes once it lets go",
    Hindrance.TRACES: "traces of what was erased were found; the purge is tried again",
    Hindrance.STORE: "the database could not be rewritten (locked, read-only or no space); the purge is tried again",
}

WITH_THE_ADMINISTRATOR = (
    "dead rows and index entries until PostgreSQL reuses their space",
    "the write-ahead log and its archives",
    "replicas",
    "backups",
)
"""What no client of a PostgreSQL server can look into."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What was erased of one vault.

    `counts` by kind; `member` a fingerprint to which an id can be compared but from which it cannot be read; `beyond`
    names what may still hold it and is out of reach; `mentions` counts what others' facts and notes say of the member.
    """

    id: int
    at: datetime
    who: str
    vault_id: int
    vault: str
    kind: ErasureKind
    member: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    folders_suspended: int = 0
    mentions: int = 0
    state: PurgeState = PurgeState.PENDING
    hindrance: Hindrance | None = None
    proof: Proof = Proof.NONE
    beyond: tuple[str, ...] = ()
    completed_at: datetime | None = None

    @property
    def why(self) -> str:
        """Why it is pending; empty when it is done."""
        return self.hindrance.sentence() if self.hindrance is not None else ""

    def is_of(self, member: str) -> bool:
        """Whether this is the erasure of the member with that id."""
        return bool(self.member) and fingerprint(member, salt=self.member.partition("-")[0]) == self.member

    def as_dict(self) -> dict[str, Any]:
        """The receipt as every interface sends it."""
        return {
            "receipt": self.id,
            "at": isoformat(self.at),
            "who": self.who,
            "vault": self.vault,
            "kind": self.kind.value,
            "member": self.member,
            "counts": dict(self.counts),
            "folders_suspended": self.folders_suspended,
            "mentions": self.mentions,
            "state": self.state.value,
            "why": self.why,
            "proof": self.proof.value,
            "beyond_reach": list(self.beyond),
            "completed_at": isoformat(self.completed_at) if self.completed_at else None,
        }


def fingerprint(member: str, *, salt: str) -> str:
    """A member's id as a receipt keeps it: the salt and a hash of both, so that the id itself is erased too."""
    hashed = hashlib.blake2b(member.encode(), key=salt.encode(), digest_size=12).hexdigest()
    return f"{salt}-{hashed}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A fact or note of others that names the member, for a person to decide about. `says` is where it does."""

    vault: str
    fact: int | None
    note: str
    title: str
    says: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultCounts:
    """What erasing would take of one vault, by kind, and how many watched folders it would suspend."""

    vault: str
    counts: dict[str, int]
    folders: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A dry run: what would go, who else mentions the member, and what is out of reach. Nothing was changed.

    `left_out` counts vaults that hold something of the member and that this caller may not erase from; `mentions_cut`
    says that there are more mentions than are listed.
    """

    kind: ErasureKind
    vaults: tuple[VaultCounts, ...]
    names: tuple[str, ...] = ()
    mentions: tuple[Mention, ...] = ()
    beyond: tuple[str, ...] = ()
    left_out: int = 0
    mentions_cut: bool = False

    @property
    def total(self) -> dict[str, int]:
        """The counts over all vaults."""
        found: dict[str, int] = {}
        for item in self.vaults:
            for kind, number in item.counts.items():
                found[kind] = found.get(kind, 0) + number
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What was done: a receipt per vault, and what others' facts and notes still say of the member, all of it unless
    that is `mentions_cut`."""

    receipts: tuple[Receipt, ...]
    mentions: tuple[Mention, ...] = ()
    left_out: int = 0
    mentions_cut: bool = False
