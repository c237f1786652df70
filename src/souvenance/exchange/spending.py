"""Tokens counted per vault and use, a cap per vault, a rate per member (C6)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta

from souvenance.domain.access import Actor
from souvenance.domain.clock import Clock
from souvenance.domain.endpoint import Use
from souvenance.domain.errors import CapReached, NotAllowed
from souvenance.domain.vault import Vault
from souvenance.domain.vault_settings import settings_of
from souvenance.exchange.events import Gathered, Spent
from souvenance.store import spending as rows
from souvenance.store import vaults as vault_rows
from souvenance.store.database import Database, Transaction
from souvenance.store.spending import NO_VAULT, Spending


class Counting:
    """Counting what exchanges spend, and refusing what is over a vault's limits."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def enter(self, *, vaults: Collection[Vault], member: str) -> frozenset[int]:
        """Refuse where a vault's tokens of this day (UTC), or the member's questions of this hour, are used up.

        The question counts at once where a rate is set, so that many at once are no way around it: ids of those vaults.
        """
        now = self._clock()
        limited = [(vault, settings_of(vault.settings)) for vault in vaults]
        capped = [(vault, own.daily_tokens) for vault, own in limited if own.daily_tokens]
        rated = [(vault, own.member_rate) for vault, own in limited if own.member_rate]
        if capped:
            self._require_tokens(capped, now)
        if rated:
            self._take_question(rated, member, now)
        return frozenset(vault.id for vault, _ in rated)

    def _require_tokens(self, capped: Sequence[tuple[Vault, int]], now: datetime) -> None:
        day = now.replace(hour=0, minute=0, second=0, microsecond=0)
        with self._database.read() as tx:
            for vault, most in capped:
                if rows.tokens_since(tx, vault_id=vault.id, since=day) >= most:
                    raise CapReached(
                        f"“{vault.name}” has used its {most:,} tokens of the day.",
                        hint="It answers again tomorrow (UTC); its setting daily_tokens is the cap.",
                    )

    def _take_question(self, rated: Sequence[tuple[Vault, int]], member: str, now: datetime) -> None:
        hour = hour_of(now)
        with self._database.write() as tx:
            for vault, most in rated:
                tx.hold("rate", vault.id, member)
                if rows.questions_in(tx, vault_id=vault.id, member=member, hour=hour) >= most:
                    raise CapReached(
                        f"That is {most} questions to “{vault.name}” this hour, the most for one person.",
                        hint=f"Ask again in {60 - now.minute} minutes.",
                    )
                rows.add_spending(
                    tx, vault_id=vault.id, use=Use.ANSWERS, member=member, hour=hour, calls=1, sent=0, received=0
                )

    def count(
        self,
        tx: Transaction,
        *,
        gathered: Gathered,
        spent: Mapping[Use, Spent],
        member: str,
        entered: Collection[int] = (),
    ) -> None:
        """Add what an exchange spent, divided among the vaults it read by what each put into the prompt; the question
        itself is counted already for those it `entered`."""
        shares = _shares(gathered)
        hour = hour_of(self._clock())
        for use, one in spent.items():
            if one.calls:
                sent, received = _divided(one.sent, shares), _divided(one.received, shares)
                for vault_id in shares:
                    rows.add_spending(
                        tx,
                        vault_id=vault_id,
                        use=use,
                        member=member,
                        hour=hour,
                        calls=int(vault_id not in entered),
                        sent=sent[vault_id],
                        received=received[vault_id],
                    )

    def list(self, *, actor: Actor, days: int = 30) -> Sequence[tuple[Vault | None, Spending]]:
        """What the actor's vaults spent in the last days, by vault and use; None stands for no vault."""
        if actor.token_id is not None or actor.is_model:
            raise NotAllowed("What is spent is the owner's to see.", hint="Use the panel or the command line.")
        with self._database.read() as tx:
            vaults = {item.id: item for item in vault_rows.list_vaults(tx, actor)}
            since = self._clock() - timedelta(days=days)
            found = rows.list_spending(tx, vault_ids=[*vaults, NO_VAULT], since=since)
        return [(vaults.get(item.vault_id), item) for item in found]


def hour_of(instant: datetime) -> datetime:
    """The hour an instant is in."""
    return instant.replace(minute=0, second=0, microsecond=0)


def member_of(actor: Actor, member_id: str | None) -> str:
    """Under which name an exchange is counted: the member's id, else the user's."""
    return f"member:{member_id}" if member_id is not None else f"user:{actor.user_id}"


def _shares(gathered: Gathered) -> dict[int, int]:
    """What each vault read put into the prompt, in characters; all alike where none did; no vault for none."""
    by_slug = dict.fromkeys((vault.slug for vault in gathered.badge.vaults), 0)
    for item in gathered.put:
        by_slug[item.vault] = by_slug.get(item.vault, 0) + len(item.text)
    ids = {vault.slug: vault.id for vault in gathered.badge.vaults}
    shares = {ids[slug]: size for slug, size in by_slug.items() if slug in ids and size}
    return shares or dict.fromkeys(ids.values(), 1) or {NO_VAULT: 1}


def _divided(amount: int, shares: Mapping[int, int]) -> dict[int, int]:
    """An amount in whole parts by these shares; the parts add up to it."""
    parts, left, over = {}, amount, sum(shares.values())
    for name, share in shares.items():
        parts[name] = left * share // over
        left -= parts[name]
        over -= share
    return parts
