"""Time as the memory keeps it: instants in UTC, to the microsecond."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The present instant, aware, in UTC."""
    return datetime.now(UTC)


def isoformat(instant: datetime) -> str:
    """An instant as it is shown and exported: ISO 8601 in UTC, ending in Z."""
    try:
        return instant.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    except OverflowError:  # within a day of the first or last moment there is
        return instant.isoformat(timespec="seconds")
