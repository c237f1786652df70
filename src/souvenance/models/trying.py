"""The connection test of an endpoint: what it answers to a word, to a list of models, to a text to embed (C2)."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from souvenance.domain.access import Route
from souvenance.domain.endpoint import MAY_FORWARD, Reached
from souvenance.domain.errors import SouvenanceError
from souvenance.models.chat import Chat

MOST_MODELS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """What came of a test. `answers` and `embeds` say whether it can be used so; `problem` and `embedding_problem` why
    not. `models` are the ids it lists, `knows_model` whether its own is among them (None where it lists none)."""

    name: str
    route: Route
    answers: bool
    milliseconds: float
    problem: str = ""
    embeds: bool = False
    dimension: int | None = None
    embedding_problem: str = ""
    models: tuple[str, ...] = ()
    knows_model: bool | None = None

    def warning(self, language: str = "en") -> str:
        """What a person should know of a local route (V8)."""
        return MAY_FORWARD.get(language, MAY_FORWARD["en"]) if self.route is Route.LOCAL else ""


async def tried(chat: Chat, endpoint: Reached) -> Tested:
    """Try an endpoint; never raises for what it does."""
    started = time.perf_counter()
    problem, embedding_problem, dimension = "", "", None
    models: tuple[str, ...] = ()
    try:
        listed = await chat.models(endpoint)
        models = tuple(str(one["id"]) for one in listed["data"] if isinstance(one, dict) and "id" in one)[:MOST_MODELS]
    except SouvenanceError:
        pass  # many endpoints list none; what counts is whether they answer
    asked: dict[str, Any] = {
        "model": endpoint.model,
        "messages": [{"role": "user", "content": "Say ok."}],
        "max_tokens": 8,
    }
    try:
        await chat.complete(endpoint, asked)
    except SouvenanceError as error:
        problem = str(error)
    milliseconds = (time.perf_counter() - started) * 1000
    try:
        dimension = len((await chat.embeddings(endpoint, ["ok"])).vectors[0]) or None
    except SouvenanceError as error:
        embedding_problem = str(error)
    return Tested(
        name=endpoint.name,
        route=endpoint.route,
        answers=not problem,
        milliseconds=milliseconds,
        problem=problem,
        embeds=dimension is not None,
        dimension=dimension,
        embedding_problem=embedding_problem,
        models=models,
        knows_model=endpoint.model in models if models else None,
    )
