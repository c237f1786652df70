"""What a browser is told so that nothing written in a memory can act on the page that shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import Response

if TYPE_CHECKING:
    from souvenance.interfaces.panel.visit import Visit

COOKIE = "souvenance_session"

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
"""No inline script, no eval, no address elsewhere. The nonce is for the one style sheet that the editor makes."""


def dress(response: Response, visit: Visit) -> Response:
    """Add the headers that every page goes out with."""
    headers = response.headers
    headers["Content-Security-Policy"] = _POLICY.format(nonce=visit.nonce)
    headers["X-Frame-Options"] = "DENY"
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Referrer-Policy"] = "same-origin"
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    headers["Permissions-Policy"] = "camera=(), microphone=(), geolocation=()"
    headers.setdefault("Cache-Control", "no-store")
    headers.setdefault("Vary", "Cookie, HX-Request")
    if visit.is_secure:
        headers["Strict-Transport-Security"] = "max-age=31536000"
    return response


def let_in(response: Response, secret: str, *, seconds: int, secure: bool) -> Response:
    """Give a browser the cookie of its session."""
    response.set_cookie(COOKIE, secret, max_age=seconds, httponly=True, samesite="lax", secure=secure, path="/")
    return response


def let_out(response: Response, *, secure: bool) -> Response:
    """Take the cookie back."""
    response.delete_cookie(COOKIE, httponly=True, samesite="lax", secure=secure, path="/")
    return response
