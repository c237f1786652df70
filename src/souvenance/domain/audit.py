"""What the audit log tells of an act (A4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One act that someone may have to answer for: names and counts, never contents (A4)."""

    id: int
    at: datetime
    who: str
    source: str
    verb: str
    vault: str
    token: int | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
