"""How often someone may try to log in: per account and per address, counted in the store for all processes."""

from __future__ import annotations

import hashlib
import ipaddress
from datetime import datetime, timedelta
from math import ceil

from souvenance.domain.errors import TooManyAttempts
from souvenance.domain.person import handle_key
from souvenance.store import sessions as rows
from souvenance.store.database import Database

WINDOW = timedelta(minutes=15)
PER_ACCOUNT = 10
PER_ADDRESS = 50
"""Failed attempts within the window. Of IPv6 a /64 counts as one address: one customer has it whole."""


def account_key(handle: str) -> str:
    """The account of a handle, whether there is one or not; hashed, since people type passwords there."""
    return _key("account", handle_key(handle)[:1000])


def address_key(address: str) -> str:
    """The address an attempt comes from; what is no address counts as one of its own."""
    try:
        found = ipaddress.ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        return _key("address", address[:1000])
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is None:
            return _key("address", str(ipaddress.ip_network((int(found), 64), strict=False)))
        return _key("address", str(found.ipv4_mapped))
    return _key("address", str(found))


def _key(kind: str, name: str) -> str:
    return f"{kind}:{hashlib.sha256(name.encode(errors='replace')).hexdigest()}"


def admit(database: Database, *, account: str, address: str | None, at: datetime) -> None:
    """Count an attempt before it is looked at, or refuse it: those made at once are counted too."""
    since = at - WINDOW
    limits = [(account, PER_ACCOUNT)] + ([] if address is None else [(address, PER_ADDRESS)])
    with database.write() as tx:
        for key, _ in limits:
            tx.hold("login", key)
        for key, most in limits:
            count, first = rows.count_attempts(tx, key=key, since=since)
            if count >= most and first is not None:
                seconds = max(1, ceil((first + WINDOW - at).total_seconds()))
                raise TooManyAttempts(
                    "Too many attempts to log in.",
                    hint=f"Try again in {ceil(seconds / 60)} minutes.",
                    retry_after=seconds,
                )
        rows.add_attempts(tx, keys=[key for key, _ in limits], at=at, forget_before=since)
