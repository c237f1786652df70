"""People who own or share vaults, and the tokens that speak for them (A1 to A3)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from souvenance.domain.access import Route


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A person who owns or shares vaults."""

    id: int
    handle: str
    display_name: str
    language: str
    time_zone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """An API token as its owner sees it; the secret itself is shown once and kept only as a hash (A3)."""

    id: int
    user_id: int
    name: str
    can_write: bool
    route: Route
    app: str | None
    vault_ids: frozenset[int] | None
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None
