"""Who sends a request, decided before anything else of it is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, cast

import anyio.to_thread
from fastapi import Depends, Request, Security
from fastapi.security import HTTPBearer
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.errors import InvalidInput, NotAllowed, SouvenanceError
from souvenance.interfaces.rest.problems import refused

Identify = Callable[[Scope], Actor]
"""Who a request's headers speak for; raises NotAuthenticated. Reads the store, so it runs in a worker thread."""

PUBLIC = frozenset(
    {
        ("GET", "/openapi.json"),
        ("HEAD", "/openapi.json"),
        ("POST", "/sessions"),
        ("POST", "/invitations/look"),
        ("POST", "/invitations/accept"),
    }
)
"""What asks for no token: it holds nothing of a memory, or takes another secret in its body."""

bearer = HTTPBearer(auto_error=False, description="An API token: `souvenance token create NAME` shows it once.")


class Authentication:
    """Lets nobody in without a token, and hands who it is to the routes."""

    def __init__(self, app: ASGIApp, identify: Identify) -> None:
        self._app = app
        self._identify = identify

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Identify the caller, then pass the request on."""
        if scope["type"] == "http" and _place(scope) not in PUBLIC:
            try:
                scope.setdefault("state", {})["actor"] = await anyio.to_thread.run_sync(self._identify, scope)
            except SouvenanceError as error:
                await refused(error)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _place(scope: Scope) -> tuple[str, str]:
    return scope["method"], scope["path"].removeprefix(scope.get("root_path", ""))


def bearer_secret(scope: Scope) -> str | None:
    """The secret of a request's Authorization header, None where there is none."""
    scheme, _, secret = Headers(scope=scope).get("authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" and secret.strip() else None


def _caller(request: Request, _shown: Annotated[object, Security(bearer)]) -> Actor:
    return cast(Actor, request.state.actor)


def _owner(actor: Annotated[Actor, Depends(_caller)]) -> Actor:
    """A person, at this machine or signed in: never a token, whatever it may otherwise do (N11, A4)."""
    if actor.token_id is not None or actor.is_model:
        raise NotAllowed("This is the owner's only, never a token's.", hint="Use the command line.")
    return actor


def _memory(request: Request) -> Application:
    return cast(Application, request.app.state.memory)


Caller = Annotated[Actor, Depends(_caller)]
Owner = Annotated[Actor, Depends(_owner)]
Memory = Annotated[Application, Depends(_memory)]


def slugs(memory: Application, actor: Actor) -> dict[int, str]:
    """Slugs by id of the vaults that may be named to this caller."""
    return {vault.id: vault.slug for vault in memory.vaults.list(actor=actor)}


def refuse_unknown_parameters(request: Request) -> None:
    """Refuse a query parameter that the route does not document: a slip must not pass for a filter."""
    if "\x00" in request.url.path or any(
        "\x00" in part for pair in request.query_params.multi_items() for part in pair
    ):
        raise InvalidInput("The address holds a NUL byte.", hint="Remove it.")
    known: dict[tuple[str, str], frozenset[str]] = request.app.state.query_parameters
    allowed = known.get((request.method, request.scope["route"].path_format), frozenset())
    unknown = sorted(set(request.query_params) - allowed)
    if unknown:
        raise InvalidInput(
            "The request has query parameters that this route does not know.",
            hint=f"It knows: {', '.join(sorted(allowed)) or 'none'}.",
            known=sorted(allowed),
        )
