"""`/health`, `/ready` and `/metrics`: for those who keep the process running (R6)."""

from __future__ import annotations

from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from souvenance import __version__
from souvenance.application import Application
from souvenance.domain.address import is_loopback
from souvenance.domain.errors import SouvenanceError
from souvenance.interfaces.rest.caller import Identify
from souvenance.interfaces.rest.problems import refused
from souvenance.serving.guards import is_from_this_machine
from souvenance.serving.metrics import Metrics


def probe_routes(memory: Application, metrics: Metrics, *, identify: Identify, bound_to: str) -> list[Route]:
    """The three routes. The numbers need a token, but for who asks from this machine a server that only it can reach;
    health and readiness never do."""

    async def health(_request: Request) -> Response:
        return JSONResponse({"status": "ok", "name": "souvenance", "version": __version__})

    def ready(_request: Request) -> Response:
        found: dict[str, Any] = {"ready": True, "store": "ok"}
        try:
            found["schema"] = memory.census.check()
            status = memory.embedding.status()
        except SouvenanceError as error:
            return JSONResponse({"ready": False, "store": error.as_dict()}, status_code=503)
        found["embedding"] = {"state": status.state, "waiting": status.waiting, "model": status.model}
        return JSONResponse(found)

    def numbers(request: Request) -> Response:
        if not (is_loopback(bound_to) and is_from_this_machine(request.scope)):
            try:
                identify(request.scope)
            except SouvenanceError as error:
                return refused(error)
        return Response(generate_latest(metrics.registry), media_type=CONTENT_TYPE_LATEST)

    return [Route("/health", health), Route("/ready", ready), Route("/metrics", numbers)]
