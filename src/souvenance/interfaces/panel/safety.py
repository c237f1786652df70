"""What a browser is told so that nothing written in a memory can act on the page that shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

if TYPE_CHECKING:
    from souvenance.interfaces.panel.visit import Visit

COOKIE = "souvenance_session"
COOKIE_OF_TLS = f"__Host-{COOKIE}"
"""Over TLS: browsers take a cookie of this name from this very host only, never from one beside or below it."""

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
    headers["Cross-Origin-Resource-Policy"] = "same-origin"
    headers["Permissions-Policy"] = "camera=(), microphone=(), geolocation=()"
    headers.setdefault("Cache-Control", "no-store")
    headers.setdefault("Vary", "Cookie, HX-Request")
    if visit.is_secure:
        headers["Strict-Transport-Security"] = "max-age=31536000"
    return response


def secret_of(request: Request) -> str:
    """The secret of the session that a browser sends along; empty where it sends none."""
    return request.cookies.get(_cookie(secure=request.url.scheme == "https"), "")


def let_in(response: Response, secret: str, *, seconds: int, secure: bool) -> Response:
    """Give a browser the cookie of its session."""
    response.set_cookie(
        _cookie(secure=secure), secret, max_age=seconds, httponly=True, samesite="lax", secure=secure, path="/"
    )
    return response


def let_out(response: Response, *, secure: bool) -> Response:
    """Take the cookie back, and the drafts that a browser keeps of what was typed."""
    response.delete_cookie(_cookie(secure=secure), httponly=True, samesite="lax", secure=secure, path="/")
    response.headers["Clear-Site-Data"] = '"storage"'
    return response


def _cookie(*, secure: bool) -> str:
    return COOKIE_OF_TLS if secure else COOKIE
