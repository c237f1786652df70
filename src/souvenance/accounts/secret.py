"""Secrets that let someone in: made here, shown once, kept as a hash."""

from __future__ import annotations

import hashlib
import hmac
import secrets

SESSION = "ss_"
INVITATION = "si_"
LINK = "sl_"
LONGEST = 100


def new_secret(prefix: str) -> str:
    """A secret of 256 random bits, safe in an address; its prefix says what it opens."""
    return prefix + secrets.token_urlsafe(32)


def hashed(secret: str) -> str:
    """What is kept of a secret. It has 256 random bits, so a fast hash without salt is enough."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


def csrf_token(session_secret: str) -> str:
    """What the forms of a session carry: derived from its secret, which no other page can read."""
    return hmac.new(session_secret.encode(errors="replace"), b"csrf", hashlib.sha256).hexdigest()
