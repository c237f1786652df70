"""Replies of protected vaults that programs keep, known again by hashes when they send them over another route (V8).

Of a reply all of it is hashed, and its beginnings at a ladder of lengths: a program whose reply was stopped has a part
of it, and sends that. A text is known by its longest beginning on the ladder, which is at least 0.7 of it.

When a vault is erased, or what it says of a member, its hashes go, for what was erased could be guessed by them (which
replies were about the member, nobody can tell). What is left is sealed with a key that is not in the database, and of
the beginnings only those that stand so far apart that they cannot be guessed one from the other.
"""

from __future__ import annotations

import hashlib
import hmac
from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, exists, select
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from souvenance.store.database import Transaction
from souvenance.store.spending import NO_VAULT
from souvenance.store.tables import protected_reply, sealed_reply

LADDER = tuple(round(2 ** (step / 2)) for step in range(4, 48))
"""Characters of the beginnings that are hashed: 4, 6, 8, 11, 16 ..."""
SEALED_LADDER = tuple(2**step for step in range(6, 24))
"""Those that are left when a vault is erased: 64, 128, 256 ..."""
WHOLE = 0
AT_A_TIME = 500
UNKNOWN = "*"
"""In place of a hash, where there was no key to seal with: every reply that is not known might be one."""


@dataclass(frozen=True, slots=True)
class Sealing:
    """What seals hashes: a key of its own."""

    key: bytes

    @property
    def by(self) -> str:
        """A name of the key that tells nothing of it."""
        return hmac.new(self.key, b"name", hashlib.sha256).hexdigest()[:16]

    def seal(self, hashed: str) -> str:
        """What only this key makes of a hash."""
        return hmac.new(self.key, hashed.encode(), hashlib.sha256).hexdigest()


Sealer = Callable[[], Sealing | None]
"""Gives the key when it is first needed; None where there is none that can be used."""


def note_reply(
    tx: Transaction, *, user_id: int, text: str, read: Collection[int], at: datetime, is_whole: bool = True
) -> None:
    """Remember of a reply, by its hashes, which vaults it was made from; where it is not whole yet, by those of its
    beginnings. `at` is one moment for all that is noted of it, however often."""
    plain = _plain(text)
    lengths = [*LADDER[: bisect_right(LADDER, len(plain))], *([WHOLE] if is_whole else ())]
    hashes = {_hash(plain, length): length for length in lengths}
    rows = [
        {"vault_id": vault_id, "user_id": user_id, "hash": hashed, "at": at, "beginning": length}
        for vault_id in sorted(read)
        for hashed, length in hashes.items()
    ]
    if rows:
        statement = (sqlite_insert if tx.is_sqlite else postgresql_insert)(protected_reply)
        tx.execute(statement.on_conflict_do_nothing(), rows)


def note_unprotected(tx: Transaction, *, user_id: int, text: str, read: Collection[int], at: datetime) -> None:
    """Remember of a reply that it was made from no protected vault, or from no vault at all: of all of it, since a
    beginning may be another's. Where hashes were sealed with a key that is lost, only so is it told from them."""
    hashed = _hash(_plain(text), WHOLE)
    rows = [
        {"vault_id": vault_id, "user_id": user_id, "hash": hashed, "at": at, "beginning": WHOLE}
        for vault_id in sorted(read) or [NO_VAULT]
    ]
    statement = (sqlite_insert if tx.is_sqlite else postgresql_insert)(protected_reply)
    tx.execute(statement.on_conflict_do_nothing(), rows)


def has_lost(tx: Transaction, *, user_id: int, sealer: Sealer) -> bool:
    """Whether hashes of this user's replies were sealed with a key that is not there now."""
    keys = set(tx.execute(select(sealed_reply.c.sealed_by).where(sealed_reply.c.user_id == user_id)).scalars())
    sealing = sealer() if keys else None
    return bool(keys - ({sealing.by} if sealing is not None else set()))


def read_for(
    tx: Transaction, *, user_id: int, texts: Collection[str], sealer: Sealer
) -> dict[str, frozenset[int]]:  # fmt: skip
    """The vaults that these texts were made from, of those that are known; none for one that was made from no vault."""
    plain = {text: _plain(text) for text in texts}
    found = _found(tx, user_id, {text: _hashes(said, LADDER) for text, said in plain.items()})
    sealed = dict[str, set[int]]()
    for row in tx.execute(
        select(sealed_reply.c.sealed_by, sealed_reply.c.vault_id).where(sealed_reply.c.user_id == user_id).distinct()
    ):
        sealed.setdefault(row.sealed_by, set()).add(row.vault_id)
    if not sealed:
        return {text: ids - {NO_VAULT} for text, ids in found.items()}
    sealing = sealer()
    if sealing is not None and sealing.by in sealed:
        hashes = {text: [sealing.seal(one) for one in _hashes(said, SEALED_LADDER)] for text, said in plain.items()}
        for text, ids in _found(tx, user_id, hashes, is_sealed=True).items():
            found[text] = found.get(text, frozenset()) | ids
    # What another key sealed cannot be told from anything: whatever is not known may be it.
    lost = frozenset(one for by, ids in sealed.items() if sealing is None or by != sealing.by for one in ids)
    return {text: found.get(text, lost) - {NO_VAULT} for text in texts if text in found or lost}


def seal_replies(tx: Transaction, *, vault_id: int, sealer: Sealer) -> set[str]:
    """Leave of a vault's replies what cannot be guessed, under every vault they were made from; the hashes that went.

    Rows of other vaults tell of the same reply by their hash where that stands for much of it, or was noted with it;
    and with such a row goes all that was noted for its reply, by its moment: of a beginning that several replies have
    in common each vault keeps the moment at which it first had it.
    """
    mine = protected_reply.alias("mine")
    same = (mine.c.user_id == protected_reply.c.user_id) & (mine.c.hash == protected_reply.c.hash)
    is_telling = protected_reply.c.beginning.in_((WHOLE, *SEALED_LADDER)) | (mine.c.at == protected_reply.c.at)
    here = exists().where(mine.c.vault_id == vault_id, same, is_telling)
    telling = select(protected_reply.c.user_id, protected_reply.c.vault_id, protected_reply.c.at).where(here).distinct()
    moments: dict[tuple[int, int], list[datetime]] = {}
    for row in tx.execute(telling):
        moments.setdefault((row.user_id, row.vault_id), []).append(row.at)
    of_replies = [
        (protected_reply.c.vault_id == under)
        & (protected_reply.c.user_id == user_id)
        & protected_reply.c.at.in_(ats[start : start + AT_A_TIME])
        for (user_id, under), ats in moments.items()
        for start in range(0, len(ats), AT_A_TIME)
    ]
    rows = [row for one in of_replies for row in tx.execute(select(protected_reply).where(one)).mappings()]
    if not rows:
        return set()
    sealing = sealer()
    kept = [
        {
            "vault_id": row["vault_id"],
            "user_id": row["user_id"],
            "hash": UNKNOWN if sealing is None else sealing.seal(row["hash"]),
            "sealed_by": "" if sealing is None else sealing.by,
            "at": row["at"],
        }
        for row in rows
        if row["beginning"] == WHOLE or row["beginning"] in SEALED_LADDER
    ]
    if kept:
        statement = (sqlite_insert if tx.is_sqlite else postgresql_insert)(sealed_reply)
        tx.execute(statement.on_conflict_do_nothing(), kept)
    for one in of_replies:
        tx.execute(delete(protected_reply).where(one))
    return {row["hash"] for row in rows}


def _found(
    tx: Transaction, user_id: int, hashes: dict[str, list[str]], *, is_sealed: bool = False
) -> dict[str, frozenset[int]]:
    table = sealed_reply if is_sealed else protected_reply
    known: dict[str, set[int]] = {}
    wanted = sorted({one for own in hashes.values() for one in own})
    for start in range(0, len(wanted), AT_A_TIME):
        statement = select(table.c.hash, table.c.vault_id).where(
            table.c.user_id == user_id, table.c.hash.in_(wanted[start : start + AT_A_TIME])
        )
        for row in tx.execute(statement):
            known.setdefault(row.hash, set()).add(row.vault_id)
    found = {text: frozenset(one for hashed in own for one in known.get(hashed, ())) for text, own in hashes.items()}
    return {text: ids for text, ids in found.items() if ids}


def _hashes(plain: str, ladder: Sequence[int]) -> list[str]:
    """What a text is looked up by: all of it, and its longest beginning on the ladder."""
    longest = bisect_right(ladder, len(plain))
    return [_hash(plain, length) for length in (WHOLE, *ladder[longest - 1 : longest])]


def _plain(text: str) -> str:
    return " ".join(text.split())


def _hash(plain: str, length: int) -> str:
    said = f"{length}\n{plain[:length]}" if length else plain
    return hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()
