"""The REST interface as one ASGI application, with its OpenAPI document."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware

from souvenance import __version__
from souvenance.application import Application
from souvenance.domain.errors import SouvenanceError
from souvenance.interfaces.rest import (
    accounts,
    audit,
    chat,
    context,
    conversations,
    endpoints,
    erasure,
    facts,
    folders,
    history,
    ladder,
    map,
    notes,
    proposals,
    scope,
    search,
    servers,
    teams,
    tokens,
    vaults,
)
from souvenance.interfaces.rest.caller import Authentication, Identify, refuse_unknown_parameters
from souvenance.interfaces.rest.problems import RESPONSES, Faults, on_http, on_invalid, on_refusal

DESCRIPTION = """\
The use cases of a memory, for programs that act for a person. Every route asks for an API token
(`souvenance token create NAME`) or the secret of a session; the log of audits, the log of retrievals, tokens, users
and teams are for people only, never for a token. Nothing is written when a request is refused; a refusal has a stable
`code` and says the way out.
"""


def build_api(memory: Application, identify: Identify, *, inside: Sequence[Middleware] = ()) -> FastAPI:
    """The application to mount at `/api/v1`. `inside`: what looks at a request once its caller is known."""
    api = FastAPI(
        title="Souvenance",
        version=__version__,
        description=DESCRIPTION,
        servers=[{"url": "/api/v1"}],
        root_path_in_servers=False,
        docs_url=None,  # its pages load scripts from elsewhere
        redoc_url=None,
        responses=RESPONSES,
        dependencies=[Depends(refuse_unknown_parameters)],
        generate_unique_id_function=lambda route: route.name,
        redirect_slashes=False,
    )
    for room in (
        vaults, ladder, proposals, erasure, scope, map, folders, facts, notes, search, history, context, chat,
        conversations, endpoints, servers, tokens, audit, accounts,
        teams,
    ):  # fmt: skip
        api.include_router(room.router)
    for layer in inside:
        api.add_middleware(layer.cls, *layer.args, **layer.kwargs)
    api.add_middleware(Authentication, identify=identify)
    api.add_middleware(Faults)
    api.add_exception_handler(SouvenanceError, on_refusal)
    api.add_exception_handler(RequestValidationError, on_invalid)
    api.add_exception_handler(HTTPException, on_http)
    api.state.memory = memory
    api.state.query_parameters = {
        (method.upper(), path): frozenset(
            parameter["name"] for parameter in operation.get("parameters", ()) if parameter["in"] == "query"
        )
        for path, operations in api.openapi()["paths"].items()
        for method, operation in operations.items()
    }
    return api
