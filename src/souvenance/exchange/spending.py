"""Tokens counted per vault and use, a cap per vault, a rate per member (C6)."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from souvenance.domain.access import Actor
from souvenance.domain.clock import Clock
from souvenance.domain.endpoint import Use
from souvenance.domain.errors import CapReached, NotAllowed, SouvenanceError
from souvenance.domain.vault import Vault
from souvenance.domain.vault_settings import VaultSettings, settings_of
from souvenance.domain.wording import counted
from souvenance.exchange.events import Gathered, Spent
from souvenance.exchange.lapsed import LEASE, settle_lapsed
from souvenance.exchange.tally import Tally
from souvenance.store import people
from souvenance.store import spending as rows
from souvenance.store import vaults as vault_rows
from souvenance.store.database import Database, Transaction
from souvenance.store.erasure import receipts
from souvenance.store.spending import NO_VAULT, Spending

MEMBER = "member:"
"""Begins the name under which a member is counted, before their id."""
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
    """What was taken note of when an exchange began: in which hour; `asked`, the vaults whose question it counts as
    whatever comes; `leased`, what stands as under way. `charged` pays where no vault is read."""

    hour: datetime
    asked: frozenset[int] = frozenset()
    leased: Mapping[tuple[int, Use], Spending] = field(default_factory=dict)
    charged: int = NO_VAULT


class Counting:
    """Counting what exchanges spend, and refusing what is over a vault's limits."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._tally = Tally(lambda key, spent: self.add(vault_id=key[0], use=key[1], member=key[2], spent=spent))

    def enter(
        self, *, exchange: str, limits: Sequence[Limits], member: str, expected: Spent, gathered: Gathered, charged: int
    ) -> Entered:
        """Refuse where a vault's tokens of this day (UTC), or the member's questions of this hour, are used up.

        Where a rate or a cap is set the question counts at once, and holds what it is `expected` to spend: many at once
        are no way around either. `count` puts what it really spent in its place; where that never comes, the prompt
        counts as sent.
        """
        now = self._clock()
        capped = {one.vault_id: one for one in limits if one.settings.daily_tokens}
        rated = {one.vault_id: one for one in limits if one.settings.member_rate}
        hour, asked = hour_of(now), frozenset({*capped, *rated})
        if not asked:
            return Entered(hour=hour, charged=charged)
        about = {Use.ANSWERS: Spent(calls=1, sent=expected.sent)}
        parts = {one.vault_id: one for one in portions(gathered, about, charged=charged, asked=asked)}
        leased = {}
        with self._database.write() as tx:
            for vault_id in sorted(asked):
                tx.hold("limits", vault_id)
            for one in capped.values():
                _require_tokens(tx, one, now)
            for one in rated.values():
                _require_rate(tx, one, member, now)
            for vault_id in asked:
                spent = leased[(vault_id, Use.ANSWERS)] = parts[vault_id]
                rows.begin_spending(
                    tx,
                    exchange=exchange,
                    spent=spent,
                    member=member,
                    hour=hour,
                    reserved=expected.sent + expected.received if vault_id in capped else 0,
                    until=now + LEASE,
                )
        return Entered(hour=hour, asked=frozenset(rated), leased=leased, charged=charged)

    def renew(
        self,
        tx: Transaction,
        *,
        exchange: str,
        parts: Sequence[Spending],
        member: str,
        entered: Entered,
        until: datetime,
    ) -> Entered:
        """Say that an exchange goes on, and what it has spent by now: what counts should it never end."""
        leased = dict(entered.leased)
        for spent in parts:
            if spent.key not in leased:
                rows.begin_spending(
                    tx, exchange=exchange, spent=spent, member=member, hour=entered.hour, reserved=0, until=until
                )
                leased[spent.key] = spent
            elif rows.renew_spending(tx, exchange=exchange, spent=spent, until=until):
                leased[spent.key] = spent
        return replace(entered, leased=leased)

    def count(
        self,
        tx: Transaction,
        *,
        exchange: str,
        parts: Sequence[Spending],
        member: str,
        entered: Entered,
        receipt: int,
    ) -> None:
        """Add what an exchange spent, in place of what stood as under way.

        `receipt` is the newest of an erasure when the exchange began. What was given up meanwhile was counted as far as
        it was known, and is not counted twice. Of a member who was erased meanwhile the tokens are counted, and the id
        does not come back (F7).
        """
        there = rows.end_spending(tx, exchange=exchange, keys=entered.leased)
        given_up = {key: spent for key, spent in entered.leased.items() if key not in there}
        is_named = member.startswith(MEMBER)
        erased = set(receipts.vaults_after(tx, receipt)) if given_up or is_named else set()
        for part in parts:
            is_erased = part.vault_id in erased
            spent = part.beyond(given_up[part.key]) if part.key in given_up and not is_erased else part
            who = "" if is_named and is_erased else member
            rows.add_spending(tx, spent=spent, member=who, hour=entered.hour)

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
            rows.add_spending(tx, spent=_counted(vault_id, use, spent), member=member, hour=hour_of(self._clock()))

    def add_later(self, *, vault_id: int, use: Use, member: str, usage: Any, sent_text: int) -> None:
        """Add one call a little later, for those who cannot wait for it; as the endpoint counted it, else by this
        estimate."""
        self._tally.add((vault_id, use, member), usage=usage, sent_text=sent_text)

    def close(self) -> None:
        """Write down what was to be added later."""
        self._tally.close()

    def list(self, *, actor: Actor, days: int = 30) -> Sequence[tuple[Vault | None, Spending]]:
        """What the actor's vaults spent in the last days, by vault and use; None stands for no vault.

        What was spent for no vault is told to the owner of the memory as a whole, to others as far as it is theirs.
        Exchanges whose process ended in the middle are in it as `broken_off`, with what is known of them.
        """
        if actor.token_id is not None or actor.is_model:
            raise NotAllowed("What is spent is the owner's to see.", hint="Use the panel or the command line.")
        with contextlib.suppress(SouvenanceError):  # a store that can only be read is read all the same
            self._tally.flush()
            settle_lapsed(self._database, self._clock)
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
    if rows.tokens_since(tx, vault_id=capped.vault_id, since=day, at=now) >= most:
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
    return f"{MEMBER}{member_id}" if member_id is not None else f"user:{actor.user_id}"


def portions(
    gathered: Gathered | None, spent: Mapping[Use, Spent], *, charged: int, asked: Collection[int] = ()
) -> list[Spending]:
    """What an exchange spent, divided among the vaults it read by what each put into the prompt; where none was read it
    is that of the vault it is charged to. Those that were `asked` count the question, whatever they put."""
    shares = (_shares(gathered) if gathered else {}) or {charged: 1}
    found = []
    for use, one in spent.items():
        counts = {name: _divided(getattr(one, name), shares) for name in ("sent", "received", "estimated")}
        counting = set(asked) if use is Use.ANSWERS else set()
        for vault_id in {*(shares if one.calls else ()), *counting}:
            mine = {name: amounts.get(vault_id, 0) for name, amounts in counts.items()}
            found.append(Spending(vault_id=vault_id, use=use, calls=1, **mine))
    return found


def _counted(vault_id: int, use: Use, spent: Spent) -> Spending:
    return Spending(
        vault_id=vault_id,
        use=use,
        calls=spent.calls,
        sent=spent.sent,
        received=spent.received,
        estimated=spent.estimated,
    )


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
