"""How many answers one caller has under way at once in this process, and no more than may be (C6)."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Hashable

from souvenance.domain.access import Actor
from souvenance.domain.errors import TooManyAtOnce
from souvenance.domain.wording import counted

MOST = 16
"""Answers of one caller at once, where nothing else is set."""
RETRY_AFTER = 5
"""Seconds after which one of them may well have ended."""


class Place:
    """A place among those under way. It is free again once it is left, and also when nobody holds it any more."""

    __slots__ = ("__weakref__", "_leave")

    def __init__(self) -> None:
        self._leave: weakref.finalize[..., Place] | None = None

    def leave(self) -> None:
        """Make room. Leaving twice changes nothing."""
        if self._leave is not None:
            self._leave()


class AtOnce:
    """Counts answers under way by who asks: a member of a server, a token, else a user. Any thread."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self._lock = threading.RLock()  # a place may be found free by the collector, in the middle of anything
        self._going: dict[Hashable, int] = {}

    def enter(self, actor: Actor, member_id: str | None = None) -> Place:
        """A place for one more answer; TooManyAtOnce where the caller has as many under way as may be."""
        who = _who(actor, member_id)
        with self._lock:
            if self._going.get(who, 0) >= self.most:
                raise TooManyAtOnce(
                    f"You have {counted(self.most, 'answer')} under way, the most there may be at once.",
                    hint="Wait until one of them has ended.",
                    retry_after=RETRY_AFTER,
                )
            self._going[who] = self._going.get(who, 0) + 1
        place = Place()
        place._leave = weakref.finalize(place, self._left, who)
        place._leave.atexit = False
        return place

    def _left(self, who: Hashable) -> None:
        with self._lock:
            left = self._going.get(who, 0) - 1
            if left > 0:
                self._going[who] = left
            else:
                self._going.pop(who, None)


def _who(actor: Actor, member_id: str | None) -> Hashable:
    if member_id is not None:
        return ("member", member_id)
    return ("user", actor.user_id) if actor.token_id is None else ("token", actor.token_id)
