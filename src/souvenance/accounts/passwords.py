"""Passwords: hashed with argon2id, checked in the same time whoever it is."""

from __future__ import annotations

import secrets
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from souvenance.domain.errors import TooManyAttempts
from souvenance.domain.person import LONGEST_PASSWORD

if TYPE_CHECKING:
    from argon2 import PasswordHasher

AT_ONCE = 2
"""Hashes made at once in this process: each takes 64 MiB, and people who log in can wait for each other."""

WAITING = 4
"""As many may wait for their turn; others are told to come back, so that logging in never takes all threads of a
server whose users want to read."""

_turns = threading.BoundedSemaphore(AT_ONCE)
_places = threading.BoundedSemaphore(AT_ONCE + WAITING)


@contextmanager
def _turn() -> Iterator[None]:
    if not _places.acquire(blocking=False):
        raise TooManyAttempts("Too many people log in at this very moment.", hint="Try again.", retry_after=2)
    try:
        with _turns:
            yield
    finally:
        _places.release()


class Passwords:
    """Makes and checks hashes, with the parameters of RFC 9106 for machines with little memory."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._given = hasher

    @cached_property
    def _hasher(self) -> PasswordHasher:
        from argon2 import PasswordHasher

        return self._given or PasswordHasher()

    @cached_property
    def _nobodys(self) -> str:
        """A hash that no password has, for those who have none: refusing them takes as long."""
        return self.hash(secrets.token_hex())

    def hash(self, password: str) -> str:
        """What is kept of a password: the hash with its salt and parameters."""
        with _turn():
            return self._hasher.hash(_bytes(password))

    def verify(self, kept: str | None, password: str) -> bool:
        """Whether a password is the one that was kept. Takes one computation, also where nothing was kept."""
        from argon2.exceptions import InvalidHashError, VerificationError

        against = self._nobodys if kept is None else kept
        with _turn():
            try:
                self._hasher.verify(against, _bytes(password[:LONGEST_PASSWORD]))
            except (VerificationError, InvalidHashError):
                return False
        return kept is not None and len(password) <= LONGEST_PASSWORD

    def is_outdated(self, kept: str) -> bool:
        """Whether a hash was made with other parameters than are used now."""
        return self._hasher.check_needs_rehash(kept)


def _bytes(password: str) -> bytes:
    """One form of each letter: keyboards differ in how they send an accent (RFC 8265)."""
    return unicodedata.normalize("NFC", password).encode(errors="surrogatepass")
