"""One request of a browser: who asks, in which language, with what; and the answers a page can give."""

from __future__ import annotations

import hmac
import math
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from markupsafe import Markup
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.errors import InvalidInput, NotAuthenticated, SouvenanceError
from souvenance.domain.person import User
from souvenance.domain.vault import Vault
from souvenance.interfaces.panel.colours import colour_of
from souvenance.interfaces.panel.directions import filling
from souvenance.interfaces.panel.people_words import by, named
from souvenance.interfaces.panel.refusals import Told, joined_in_language, told
from souvenance.interfaces.panel.render import Pages, Tongue
from souvenance.interfaces.panel.streams import Streams
from souvenance.interfaces.panel.vault_words import called

FIELD = "csrf"
"""The form field, and in lower case the header `x-csrf`, that proves a request was made by a page of ours."""


_IN_ADDRESSES = ":/%#?=@[]!$&'()*+,;"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Whom a session's cookie speaks for."""

    actor: Actor
    user: User
    session: int
    csrf: str


@dataclass(slots=True, kw_only=True)
class Visit:
    """A request as a page sees it. `known` is None on the few pages that are open to strangers.

    `moment`: that of the store before the page reads anything, so that its window asks for what is written after it.
    """

    memory: Application
    request: Request
    pages: Pages
    tongue: Tongue
    known: Known | None
    nonce: str
    streams: Streams
    moment: str = ""
    form: FormData = field(default_factory=FormData)

    # --- who and what ------------------------------------------------------------------------------------------

    @property
    def actor(self) -> Actor:
        """Who asks; refuses where nobody has signed in."""
        if self.known is None:
            raise NotAuthenticated("Sign in first.")
        return self.known.actor

    @property
    def user(self) -> User:
        """The person who asks; refuses where nobody has signed in."""
        if self.known is None:
            raise NotAuthenticated("Sign in first.")
        return self.known.user

    @property
    def language(self) -> str:
        """`en` or `fr`."""
        return self.tongue.language

    @property
    def is_secure(self) -> bool:
        """Whether the browser reaches this server over TLS, its own or a trusted proxy's: cookies then stay there."""
        return self.request.url.scheme == "https"

    @property
    def path(self) -> Mapping[str, Any]:
        """The variable parts of the address."""
        return self.request.path_params

    def say(self, text: str, /, **values: Any) -> str:
        """A text of the interface in the reader's language. `values` fill its `%(name)s`."""
        return self.tongue.say(text, **values)

    def called(self, vault: Vault) -> str:
        """A vault's name as people see it: a personal one that nobody named is called so in the reader's language."""
        return called(self.tongue, vault)

    def markup(self, text: str, /, **values: Any) -> Markup:
        """The same to stand in a page: what fills it is escaped, unless it is markup already."""
        return Markup(self.tongue.say(text)) % filling(values)  # noqa: S704 - our own text

    def named(self, who: str) -> str:
        """Who, as plain text: a name of their own, or what an unnamed owner and the chat's model are called."""
        return named(self.tongue, who)

    def by(self, who: str) -> Markup:
        """Who did something, to stand in a line with words of ours."""
        return by(self.tongue, who)

    def colour(self, vault: Vault) -> str:
        """The colour a vault is shown with, the same on every page."""
        return colour_of(vault)

    def told(self, error: SouvenanceError) -> Told:
        """A refusal's message and hint in the reader's language: the only way a page shows them."""
        return told(error, self.language)

    def reason(self, text: str) -> str:
        """A reason that the engine gives, or a refusal it kept as a text, in the reader's language."""
        return joined_in_language(text, self.language)

    def asked(self, name: str, default: str = "") -> str:
        """A value of the query, `default` where it is left out."""
        return _clean(self.request.query_params.get(name, default))

    def asked_number(self, name: str, default: int, *, least: int = 0, most: int = 10**9) -> int:
        """A whole number of the query within bounds; `default` where there is none or it is no number."""
        return _number(self.asked(name), default, least, most)

    def given(self, name: str, default: str = "") -> str:
        """A text of the form, `default` where it is left out. Line ends are `\\n`, as they are stored."""
        value = self.form.get(name, default)
        if isinstance(value, UploadFile):
            raise InvalidInput(f"“{name}” is a file; a text was expected.")
        return _clean(value).replace("\r\n", "\n")

    def chosen(self, name: str, *choices: str) -> str:
        """One of the choices that a form offers. What is none of them is refused, never read as another: a form that
        came mangled shall not lift a protection or delete where it should keep. `""` among them: may be left out.
        """
        value = self.given(name)
        if value not in choices:
            raise InvalidInput("The form is not whole.", hint="Load the page again.")
        return value

    def given_all(self, name: str) -> list[str]:
        """Every value of a form's field that can be chosen more than once."""
        return [_clean(value) for value in self.form.getlist(name) if isinstance(value, str)]

    def given_number(self, name: str, default: float | None = None) -> float | None:
        """A number of the form, `default` where it is left empty; a comma is read as a point."""
        text = self.given(name).strip().replace(",", ".")
        if not text:
            return default
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise InvalidInput(f"“{text[:40]}” is no number.", hint="Write it in digits.")
        return number

    def given_whole(self, name: str, default: int | None = None) -> int | None:
        """A whole number of the form, `default` where it is left empty."""
        number = self.given_number(name)
        if number is None:
            return default
        if number != int(number):
            raise InvalidInput(f"“{self.given(name)[:40]}” is no whole number.")
        return int(number)

    def given_file(self, name: str) -> UploadFile | None:
        """A file of the form, None where none was chosen."""
        value = self.form.get(name)
        return value if isinstance(value, UploadFile) and value.filename else None

    # --- answers -----------------------------------------------------------------------------------------------

    @property
    def is_partial(self) -> bool:
        """Whether a script asks for a piece of the page, rather than the browser for a whole one."""
        return self.request.headers.get("hx-request") == "true" and self.request.headers.get("hx-boosted") != "true"

    def page(self, template: str, /, *, status: int = 200, **values: Any) -> HTMLResponse:
        """A whole page."""
        return HTMLResponse(self.pages.whole(template, self._context(values)), status_code=status)

    def piece(self, template: str, block: str, /, *, status: int = 200, **values: Any) -> HTMLResponse:
        """One block of a page's template, to be put in the place of the one that is shown."""
        return HTMLResponse(self.pages.block(template, block, self._context(values)), status_code=status)

    def html(self, *pieces: str) -> HTMLResponse:
        """Pieces one after another; those with `hx-swap-oob` find their own places."""
        return HTMLResponse("".join(pieces))

    def block(self, template: str, block: str, /, **values: Any) -> Markup:
        """One block of a template as text, to be answered together with others."""
        return Markup(self.pages.block(template, block, self._context(values)))  # noqa: S704 - rendered with escaping

    def note(self, text: str, *, kind: str = "good", undo: str = "") -> Markup:
        """A short message that comes up at the edge of the page; `undo` is the address that takes the deed back."""
        return self.block("pieces/toast.html", "toast", text=text, kind=kind, undo=undo)

    def stream(self, pieces: AsyncGenerator[str]) -> StreamingResponse:
        """Server-sent events, until there are no more, the browser goes or the server stops."""
        return StreamingResponse(
            self.streams.until_ended(pieces), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"}
        )

    def go(self, address: str) -> Response:
        """Send the browser to another page of the panel."""
        if self.is_partial:
            return Response(headers={"HX-Location": header_address(address)})
        return RedirectResponse(address, status_code=303)

    def _context(self, values: Mapping[str, Any]) -> dict[str, Any]:
        return {"visit": self, "me": self.known and self.known.user, "nonce": self.nonce, **values}

    # --- proof -------------------------------------------------------------------------------------------------

    def require_proof(self) -> None:
        """Refuse a form that no page of ours has made (cross-site request forgery)."""
        if self.known is None:
            return
        sent = self.request.headers.get("x-csrf") or self.form.get(FIELD) or ""
        if not isinstance(sent, str) or not hmac.compare_digest(sent.encode(), self.known.csrf.encode()):
            raise NotAuthenticated(
                "This page is no longer valid.", hint="Load it again; what you typed is still there."
            )


def header_address(address: str) -> str:
    """An address as a header can hold it: letters of any script percent-encoded, what is encoded already left so."""
    return quote(address, safe=_IN_ADDRESSES)


def _clean(text: str) -> str:
    return text.replace("\x00", "")


def _number(text: str, default: int, least: int, most: int) -> int:
    if not text.strip().isascii() or not text.strip().isdigit() or len(text) > 12:
        return default
    return min(max(int(text), least), most)
