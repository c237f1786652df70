"""Time as the memory keeps it: instants in UTC, to the microsecond."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The present instant, aware, in UTC."""
    return datetime.now(UTC)


class SharedClock:
    """The time of a clock that several machines share, by this machine's and what it is off by.

    A difference within `TOLERANCE` is left alone: it may be the time a message took, and what this machine stamps is
    to keep its order.
    """

    TOLERANCE = timedelta(seconds=1)

    def __init__(self) -> None:
        self.process: Clock = utc_now
        self._off_by = timedelta(0)

    def __call__(self) -> datetime:
        """The present instant there."""
        return self.process() + self._off_by

    def heard(self, instant: datetime, *, since: datetime) -> None:
        """It was this instant there at some moment since this machine's clock showed `since`.

        An answer that was long in coming says little, and moves nothing that it does not contradict.
        """
        least, most = instant - self.process(), instant - since
        if not least - self.TOLERANCE <= self._off_by <= most + self.TOLERANCE:
            self._off_by = min(max(self._off_by, least), most)


def isoformat(instant: datetime) -> str:
    """An instant as it is shown and exported: ISO 8601 in UTC, ending in Z."""
    try:
        return instant.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    except OverflowError:  # within a day of the first or last moment there is
        return instant.isoformat(timespec="seconds")
