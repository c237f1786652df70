"""Tokens counted per vault and use, a cap per vault, a rate per member (C6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from souvenance.domain.access import Actor
from souvenance.domain.clock import Clock
from souvenance.domain.endpoint import Use
from souvenance.domain.errors import CapReached, NotAllowed
from souvenance.domain.vault import Vault
from souvenance.domain.vault_settings import VaultSettings, settings_of
from souvenance.domain.wording import counted
from souvenance.exchange.events import Gathered, Spent
from souvenance.store import people
from souvenance.store import spending as rows
from souvenance.store import vaults as vault_rows
from souvenance.store.database import Database, Transaction
from souvenance.store.spending import NO_VAULT, Spending

REPLY_TOKENS = 500
"""What a reply is expected to take, while it is not known."""


@dataclass(frozen=True, slots=True)
class Limits:
    """A vault whose limits an exchange keeps to."""

    vault_id: int
    name: str
    settings: VaultSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """What was counted of an exchange when it began: in which hour; the vaults whose rate has its question already;
    what was reserved of whose cap. `charged` pays where no vault is read."""

    hour: datetime
    asked: frozenset[int] = frozenset()
    reserved: Mapping[int, Spent] = field(default_factory=dict)
    charged: int = NO_VAULT


class Counting:
    """Counting what exchanges spend, and refusing what is over a vault's limits."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def enter(self, *, limits: Sequence[Limits], member: str, expected: Spent) -> Entered:
        """Refuse where a vault's tokens of this day (UTC), or the member's questions of this hour, are used up.

        Where a rate is set the question counts at once, and where a cap is, what the exchange is `expected` to spend:
        many at once are no way around either. `count` puts what it really spent in its place.
        """
        now = self._clock()
        capped = {one.vault_id: one for one in limits if one.settings.daily_tokens}
        rated = {one.vault_id: one for one in limits if one.settings.member_rate}
        hour = hour_of(now)
        if not (capped or rated):
            return Entered(hour=hour)
        with self._database.write() as tx:
            for vault_id in sorted({*capped, *rated}):
                tx.hold("limits", vault_id)
            for one in capped.values():
                _require_tokens(tx, one, now)
            for one in rated.values():
                _require_rate(tx, one, member, now)
            for vault_id in {*capped, *rated}:
                rows.add_spending(
                    tx,
                    vault_id=vault_id,
                    use=Use.ANSWERS,
                    member=member,
                    hour=hour,
                    calls=int(vault_id in rated),
                    sent=expected.sent if vault_id in capped else 0,
                    received=expected.received if vault_id in capped else 0,
                )
        reserved = dict.fromkeys(capped, expected)
        return Entered(hour=hour, asked=frozenset(rated), reserved=reserved)

    def count(
        self, tx: Transaction, *, gathered: Gathered | None, spent: Mapping[Use, Spent], member: str, entered: Entered
    ) -> None:
        """Add what an exchange spent, divided among the vaults it read by what each put into the prompt, in place of
        what was reserved; where none was read it is that of the vault it is charged to."""
        shares = (_shares(gathered) if gathered else {}) or {entered.charged: 1}
        for use, one in spent.items():
            sent, received = _divided(one.sent, shares), _divided(one.received, shares)
            reserved = entered.reserved if use is Use.ANSWERS else {}
            for vault_id in {*(shares if one.calls else ()), *reserved}:
                held = reserved.get(vault_id, Spent())
                rows.add_spending(
                    tx,
                    vault_id=vault_id,
                    use=use,
                    member=member,
                    hour=entered.hour,
                    calls=int(vault_id in shares and one.calls > 0 and vault_id not in entered.asked),
                    sent=sent.get(vault_id, 0) - held.sent,
                    received=received.get(vault_id, 0) - held.received,
                )

    def require_tokens(self, *, vault_id: int) -> None:
        """Refuse where a vault's tokens of this day are used up."""
        with self._database.read() as tx:
            found = rows.limits(tx, vault_id=vault_id)
            limits = None if found is None else Limits(vault_id, found[0], settings_of(found[1]))
            if limits is not None and limits.settings.daily_tokens:
                _require_tokens(tx, limits, self._clock())

    def add(self, *, vault_id: int, use: Use, member: str, spent: Spent) -> None:
        """Add what was spent for one vault."""
        with self._database.write() as tx:
            rows.add_spending(
                tx,
                vault_id=vault_id,
                use=use,
                member=member,
                hour=hour_of(self._clock()),
                calls=spent.calls,
                sent=spent.sent,
                received=spent.received,
            )

    def list(self, *, actor: Actor, days: int = 30) -> Sequence[tuple[Vault | None, Spending]]:
        """What the actor's vaults spent in the last days, by vault and use; None stands for no vault.

        What was spent for no vault is told to the owner of the memory as a whole, to others as far as it is theirs.
        """
        if actor.token_id is not None or actor.is_model:
            raise NotAllowed("What is spent is the owner's to see.", hint="Use the panel or the command line.")
        with self._database.read() as tx:
            vaults = {item.id: item for item in vault_rows.list_vaults(tx, actor)}
            since = self._clock() - timedelta(days=days)
            member = None if people.is_owner(tx, actor.user_id) else member_of(actor, None)
            found = rows.list_spending(tx, vault_ids=list(vaults), since=since, member=member)
        return [(vaults.get(item.vault_id), item) for item in found]


def hour_of(instant: datetime) -> datetime:
    """The hour an instant is in."""
    return instant.replace(minute=0, second=0, microsecond=0)


def _require_tokens(tx: Transaction, capped: Limits, now: datetime) -> None:
    day, most = now.replace(hour=0, minute=0, second=0, microsecond=0), capped.settings.daily_tokens
    if rows.tokens_since(tx, vault_id=capped.vault_id, since=day) >= most:
        raise CapReached(
            f"“{capped.name}” has used its {counted(most, 'token')} of the day.",
            hint="It answers again tomorrow (UTC); its setting daily_tokens is the cap.",
        )


def _require_rate(tx: Transaction, rated: Limits, member: str, now: datetime) -> None:
    most = rated.settings.member_rate
    if rows.questions_in(tx, vault_id=rated.vault_id, member=member, hour=hour_of(now)) >= most:
        raise CapReached(
            f"That is {counted(most, 'question')} to “{rated.name}” this hour, the most for one person.",
            hint=f"Ask again in {counted(60 - now.minute, 'minute')}.",
        )


def limits_of(vault: Vault) -> Limits:
    """The limits of a vault."""
    return Limits(vault.id, vault.name, settings_of(vault.settings))


def member_of(actor: Actor, member_id: str | None) -> str:
    """Under which name an exchange is counted: the member's id, else the user's."""
    return f"member:{member_id}" if member_id is not None else f"user:{actor.user_id}"


def _shares(gathered: Gathered) -> dict[int, int]:
    """What each vault read put into the prompt, in characters; all alike where none did."""
    by_slug = dict.fromkeys((vault.slug for vault in gathered.badge.vaults), 0)
    for item in gathered.put:
        by_slug[item.vault] = by_slug.get(item.vault, 0) + len(item.text)
    ids = {vault.slug: vault.id for vault in gathered.badge.vaults}
    shares = {ids[slug]: size for slug, size in by_slug.items() if slug in ids and size}
    return shares or dict.fromkeys(ids.values(), 1)


def _divided(amount: int, shares: Mapping[int, int]) -> dict[int, int]:
    """An amount in whole parts by these shares; the parts add up to it."""
    parts, left, over = {}, amount, sum(shares.values())
    for name, share in shares.items():
        parts[name] = left * share // over
        left -= parts[name]
        over -= share
    return parts
