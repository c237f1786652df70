"""`/endpoints`, `/spending`: the models that answer, and what they spend; the owner's only (C2, C6)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import Field, SecretStr

from souvenance.domain.access import Route
from souvenance.domain.endpoint import Use
from souvenance.interfaces.rest.caller import Memory, Owner
from souvenance.interfaces.rest.fields import Given, Shown, Text

router = APIRouter(tags=["endpoints"])

Name = Annotated[str, Path(min_length=1, max_length=200, description="Name of an endpoint.")]
UseName = Annotated[Use, Path(description="What a model is used for.")]
Line = Annotated[Text, Field(min_length=1, max_length=2000)]
Declared = Annotated[Route, Field(strict=False)]


class EndpointShown(Shown):
    """An endpoint; whether it has a key, never the key."""

    name: str
    base_url: str
    model: str
    has_key: bool
    route: Route
    takes_schema: bool
    dimension: int | None
    uses: list[Use]
    created_at: datetime
    updated_at: datetime


class EndpointsShown(Shown):
    """Endpoints by name."""

    endpoints: list[EndpointShown]


class EndpointGiven(Given):
    """A new endpoint. Its route is the one its address proposes unless it is declared here."""

    name: Line
    base_url: Line
    model: Line
    key: SecretStr | None = None
    route: Declared | None = None
    takes_schema: bool = False
    uses: Annotated[list[Annotated[Use, Field(strict=False)]], Field(default_factory=list, max_length=10)]


class EndpointChange(Given):
    """What to change; an empty key takes it away, a new address loses it."""

    base_url: Line | None = None
    model: Line | None = None
    key: SecretStr | None = None
    route: Declared | None = None
    takes_schema: bool | None = None


class UseGiven(Given):
    """The endpoint that a use has from now on; null for none."""

    endpoint: Line | None


class TestShown(Shown):
    """What came of a connection test."""

    name: str
    route: Route
    answers: bool
    milliseconds: float
    problem: str
    embeds: bool
    dimension: int | None
    embedding_problem: str
    models: list[str]
    knows_model: bool | None


class Done(Shown):
    """It is done."""

    done: bool


@router.get("/endpoints", summary="List endpoints")
def list_endpoints(memory: Memory, owner: Owner) -> EndpointsShown:
    """By name, never with their keys."""
    found = memory.endpoints.list(actor=owner)
    return EndpointsShown(endpoints=[EndpointShown.model_validate(one) for one in found])


@router.post("/endpoints", status_code=201, summary="Add an endpoint")
def add_endpoint(memory: Memory, owner: Owner, given: EndpointGiven) -> EndpointShown:
    """Any OpenAI-compatible base URL; the key is sealed and never shown again."""
    made = memory.endpoints.add(
        actor=owner,
        name=given.name,
        base_url=given.base_url,
        model=given.model,
        key=_opened(given.key),
        route=given.route,
        takes_schema=given.takes_schema,
        uses=given.uses,
    )
    return EndpointShown.model_validate(made)


@router.patch("/endpoints/{endpoint}", summary="Change an endpoint")
def change_endpoint(memory: Memory, owner: Owner, endpoint: Name, given: EndpointChange) -> EndpointShown:
    """Change what is given."""
    changed = memory.endpoints.change(
        actor=owner,
        name=endpoint,
        base_url=given.base_url,
        model=given.model,
        key=_opened(given.key),
        route=given.route,
        takes_schema=given.takes_schema,
    )
    return EndpointShown.model_validate(changed)


@router.delete("/endpoints/{endpoint}", summary="Remove an endpoint")
def remove_endpoint(memory: Memory, owner: Owner, endpoint: Name) -> Done:
    """Remove it with its key, for good."""
    memory.endpoints.remove(actor=owner, name=endpoint)
    return Done(done=True)


@router.post("/endpoints/{endpoint}/test", summary="Test an endpoint")
async def test_endpoint(memory: Memory, owner: Owner, endpoint: Name) -> TestShown:
    """Ask it for a word, its models and a vector."""
    tested = await memory.endpoints.test(actor=owner, name=endpoint, chat=memory.exchange.chat)
    return TestShown.model_validate(tested)


@router.put("/endpoints/uses/{use}", summary="Say which endpoint a use has")
def use_endpoint(memory: Memory, owner: Owner, use: UseName, given: UseGiven) -> Done:
    """Answers, Auto, consolidation, embeddings: each its own, or none."""
    memory.endpoints.use(actor=owner, use=use, name=given.endpoint)
    return Done(done=True)


@router.get("/spending", summary="Show the tokens that were spent")
def get_spending(
    memory: Memory, owner: Owner, days: Annotated[int, Query(ge=1, le=3660, description="Of so many days.")] = 30
) -> dict[str, Any]:
    """Calls and tokens by vault and use; a null vault stands for what was spent for none. `estimated`: tokens of these
    that no endpoint counted; `broken_off`: answers whose process ended in the middle, counted as far as is known."""
    found = memory.spending.list(actor=owner, days=days)
    return {
        "days": days,
        "spending": [
            {
                "vault": vault.slug if vault else None,
                "use": item.use,
                "calls": item.calls,
                "sent": item.sent,
                "received": item.received,
                "estimated": item.estimated,
                "broken_off": item.broken_off,
            }
            for vault, item in found
        ],
    }


def _opened(key: SecretStr | None) -> str | None:
    return None if key is None else key.get_secret_value()
