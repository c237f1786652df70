"""Who a request speaks for: an API token, or the owner at this machine."""

from __future__ import annotations

import hmac
from dataclasses import replace

from starlette.datastructures import Headers
from starlette.types import Scope

from souvenance.accounts.secret import SESSION
from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.address import is_loopback
from souvenance.domain.errors import InvalidInput, NotAllowed, NotAuthenticated
from souvenance.interfaces.mcp.handover import ROUTE_HEADER
from souvenance.interfaces.rest.caller import bearer_secret


class Doorkeeper:
    """Turns a request's headers into an actor of REST: the owner, someone who is signed in, or a token.

    `local_token` is the secret that this process keeps in `serve.json`, where only this user of this machine reads it:
    with it one is the owner, over a route that is cloud unless the request declares it local; so is that of a person
    who sends the secret of their session. A token's route was chosen when it was made, and no header changes it.
    """

    def __init__(self, memory: Application, *, local_token: str) -> None:
        self._memory = memory
        self._local_token = local_token

    def identify(self, scope: Scope) -> Actor:
        """The actor; NotAuthenticated where there is none. Reads the store."""
        secret = bearer_secret(scope)
        if secret is None:
            raise NotAuthenticated(
                "Send the header Authorization: Bearer TOKEN.", hint="Make a token: souvenance token create NAME."
            )
        declared = Headers(scope=scope).get(ROUTE_HEADER)
        if declared is not None and declared not in set(Route):
            raise InvalidInput(f"{ROUTE_HEADER} is none of {', '.join(Route)}.", hint="Leave it out for cloud.")
        route = Route.LOCAL if declared == Route.LOCAL else Route.CLOUD
        if hmac.compare_digest(secret.encode(), self._local_token.encode()):
            if not _is_from_here(scope):
                raise NotAuthenticated("This secret is for this machine only.", hint="Make a token for elsewhere.")
            return self._memory.owner_through(Source.REST, route=route)
        if secret.startswith(SESSION):
            _, person = self._memory.sessions.authenticate(secret, source=Source.REST)
            return replace(person, route=route)
        actor = self._memory.tokens.authenticate(secret, source=Source.REST, is_model=False)
        if declared is not None and declared != actor.route:
            raise NotAllowed(
                f"A token's route cannot be declared; this one's is {actor.route}.",
                hint=f"Leave {ROUTE_HEADER} out, or have the owner make a token for that route.",
            )
        return actor


def _is_from_here(scope: Scope) -> bool:
    """Whether a request came from this machine: over loopback, or from the very address it was sent to."""
    client, server = scope.get("client"), scope.get("server")
    return client is not None and (is_loopback(client[0]) or (server is not None and client[0] == server[0]))
