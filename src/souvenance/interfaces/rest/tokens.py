"""`/tokens`: which programs may come in for a person (A3)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field

from souvenance.domain.access import Route
from souvenance.interfaces.rest.caller import Memory, Owner, slugs
from souvenance.interfaces.rest.fields import LARGEST, Given, Shown, Text, Vault

router = APIRouter(tags=["tokens"])


class TokenShown(Shown):
    """A token, never its secret. `vaults` null: it reaches all of them."""

    token: int
    name: str
    can_write: bool
    route: Route
    app: str | None
    vaults: list[str] | None
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


class TokenList(Shown):
    """The owner's tokens, revoked ones too."""

    tokens: list[TokenShown]


class TokenMade(TokenShown):
    """A new token with its secret, which is shown this once."""

    secret: str


class NewToken(Given):
    """A token to make. Its name is kept with all it writes."""

    name: Annotated[Text, Field(min_length=1)]
    can_write: bool = True
    route: Annotated[Route, Field(strict=False, description="`cloud` unless what it reads stays here.")] = Route.CLOUD
    vaults: Annotated[list[Vault] | None, Field(max_length=200, description="Only these vaults.")] = None
    app: Annotated[Text, Field(min_length=1, max_length=200, description="Id of an application (V9).")] | None = None


def _shown(token: Any, names: dict[int, str]) -> dict[str, Any]:
    return {
        "token": token.id,
        "name": token.name,
        "can_write": token.can_write,
        "route": token.route,
        "app": token.app,
        "vaults": None if token.vault_ids is None else sorted(names[item] for item in token.vault_ids if item in names),
        "created_at": token.created_at,
        "last_used_at": token.last_used_at,
        "revoked_at": token.revoked_at,
    }


@router.get("/tokens", summary="List tokens")
def list_tokens(memory: Memory, actor: Owner) -> TokenList:
    """The owner's tokens, revoked ones too; never their secrets."""
    names = slugs(memory, actor)
    return TokenList.model_validate({"tokens": [_shown(token, names) for token in memory.tokens.list(actor=actor)]})


@router.post("/tokens", status_code=201, summary="Make a token")
def create_token(memory: Memory, actor: Owner, given: NewToken) -> TokenMade:
    """A new token, and its secret this once."""
    token, secret = memory.tokens.create(
        actor=actor,
        name=given.name,
        can_write=given.can_write,
        route=given.route,
        vaults=given.vaults,
        app=given.app,
    )
    return TokenMade.model_validate(_shown(token, slugs(memory, actor)) | {"secret": secret})


@router.delete("/tokens/{token}", status_code=204, summary="Revoke a token")
def revoke_token(memory: Memory, actor: Owner, token: Annotated[int, Field(ge=1, le=LARGEST)]) -> None:
    """End a token at once."""
    memory.tokens.revoke(actor=actor, token=token)
