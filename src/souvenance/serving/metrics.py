"""What Prometheus may scrape: requests, retrievals and how much there is; numbers, never contents (R6)."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import structlog
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily
from prometheus_client.registry import Collector
from starlette.routing import Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from souvenance import __version__
from souvenance.application import Application
from souvenance.domain.errors import SouvenanceError
from souvenance.store.retrievals import Retrieval

COUNTED_SECONDS = 10.0
"""For how long a count is served again, so that a scrape costs a large memory little."""

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_KNOWN_METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}

log = structlog.get_logger("souvenance.requests")


class Metrics:
    """The numbers of one process, and of the memory it serves."""

    def __init__(self, memory: Application) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "souvenance_requests",
            "Requests by route and status.",
            ("method", "route", "status"),
            registry=self.registry,
        )
        self._seconds = Histogram(
            "souvenance_request_seconds",
            "How long requests took, by route.",
            ("route",),
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self._retrievals = Histogram(
            "souvenance_retrieval_seconds",
            "How long searches and recalls took, through whatever they came.",
            ("verb", "matcher"),
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self.registry.register(_Holdings(memory))
        memory.retrievals.observers.append(self.retrieved)

    def retrieved(self, entry: Retrieval) -> None:
        """Note a retrieval."""
        self._retrievals.labels(entry.verb, entry.matcher).observe(entry.milliseconds / 1000)

    def answered(self, *, method: str, route: str, status: int, seconds: float) -> None:
        """Note a request that was answered."""
        self._requests.labels(method if method in _KNOWN_METHODS else "other", route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)


class _Holdings(Collector):
    """How much the memory holds and how much of it waits for a vector, asked when scraped."""

    def __init__(self, memory: Application) -> None:
        self._memory = memory
        self._lock = threading.Lock()
        self._counted: dict[str, int] = {}
        self._at = float("-inf")

    def describe(self) -> list[GaugeMetricFamily]:
        """Nothing: registering must not ask the store."""
        return []

    def collect(self) -> Iterator[GaugeMetricFamily | InfoMetricFamily]:
        """The gauges; without the counts while the store cannot be asked."""
        yield InfoMetricFamily("souvenance", "The program.", value={"version": __version__})
        try:
            counts = self._counts()
            status = self._memory.embedding.status()
        except SouvenanceError:
            yield GaugeMetricFamily("souvenance_store_up", "Whether the store can be asked.", value=0)
            return
        yield GaugeMetricFamily("souvenance_store_up", "Whether the store can be asked.", value=1)
        for name, count in counts.items():
            yield GaugeMetricFamily(f"souvenance_{name}", f"How many {name} there are.", value=count)
        yield GaugeMetricFamily("souvenance_embedding_waiting", "Passages without a vector yet.", value=status.waiting)
        yield GaugeMetricFamily("souvenance_embedding_embedded", "Passages with a vector.", value=status.embedded)
        yield GaugeMetricFamily("souvenance_embedding_rate", "Passages embedded per second here.", value=status.rate)
        state = GaugeMetricFamily("souvenance_embedding_state", "What embedding is doing.", labels=["state"])
        state.add_metric([str(status.state)], 1)
        yield state

    def _counts(self) -> dict[str, int]:
        with self._lock:
            if time.monotonic() - self._at > COUNTED_SECONDS:
                self._counted, self._at = self._memory.census.counts(), time.monotonic()
            return self._counted


class Observed:
    """Counts and logs each request by its route's pattern: an address may hold a title, so it is not kept."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, then note what became of it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 499  # the client went away before there was an answer
        started = time.perf_counter()

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = int(message["status"])
            await send(message)

        try:
            await self._app(scope, receive, watched)
        finally:
            seconds = time.perf_counter() - started
            route = _pattern(scope)
            self._metrics.answered(method=scope["method"], route=route, status=status, seconds=seconds)
            actor = scope.get("state", {}).get("actor")
            known = {} if actor is None else {"token": actor.token_id}
            if route not in {"/health", "/ready", "/metrics"}:
                log.info(
                    "request",
                    method=scope["method"],
                    route=route,
                    status=status,
                    milliseconds=round(seconds * 1000, 1),
                    **known,
                )


def _pattern(scope: Scope) -> str:
    """The pattern of the route that answered, such as `/api/v1/facts/{number}`."""
    route = scope.get("route")
    if isinstance(route, Mount):
        return f"{route.path}/unmatched"
    if route is not None:
        return f"{scope.get('root_path', '')}{route.path_format}"
    return "unmatched" if "endpoint" not in scope else str(scope["path"])
