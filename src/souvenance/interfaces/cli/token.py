"""`souvenance token`: let an agent or a program in, and show it out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from souvenance.domain.access import Route
from souvenance.domain.errors import Conflict, NotFound
from souvenance.interfaces.cli.session import Session, verb

if TYPE_CHECKING:
    from souvenance.domain.person import Token

group = typer.Typer(name="token", help="API tokens of agents and programs.", no_args_is_help=True)


def _shape(session: Session, token: Token) -> dict[str, Any]:
    reach = None if token.vault_ids is None else sorted(session.slugs.get(item, "") for item in token.vault_ids)
    return {
        "token": token.id,
        "name": token.name,
        "access": "write" if token.can_write else "read",
        "route": token.route,
        "app": token.app,
        "vaults": reach,
        "created_at": token.created_at,
        "last_used_at": token.last_used_at,
        "revoked_at": token.revoked_at,
    }


@verb(
    group,
    "create",
    example="token create laptop --read-only --vault server",
)
def create(
    session: Session,
    name: Annotated[str, typer.Argument(help="Whose it is: what it writes is kept under this name.")],
    *,
    read_only: Annotated[bool, typer.Option("--read-only", help="It may not write.")] = False,
    local: Annotated[bool, typer.Option("--local", help="What it reads stays on this machine.")] = False,
    vault: Annotated[list[str] | None, typer.Option(help="Only this vault; repeat for several.")] = None,
    app: Annotated[str | None, typer.Option(help="Id of the application it is for.")] = None,
) -> None:
    """Make a token and show its secret, this once."""
    token, secret = session.memory.tokens.create(
        actor=session.actor,
        name=name,
        can_write=not read_only,
        route=Route.LOCAL if local else Route.CLOUD,
        vaults=vault or None,
        app=app,
    )
    session.out.say(_shape(session, token) | {"secret": secret}, secret)
    session.out.note(f"Token {token.id} for {token.name}. Keep the secret: it is not shown again.")


@verb(group, "list")
def list_tokens(session: Session) -> None:
    """List the tokens, revoked ones too; never their secrets."""
    shapes = [_shape(session, token) for token in session.memory.tokens.list(actor=session.actor)]
    session.out.table(
        {"tokens": shapes},
        columns=("token", "name", "access", "route", "vaults", "created", "last used", "revoked"),
        rows=[
            (
                s["token"],
                s["name"],
                s["access"],
                s["route"],
                "all" if s["vaults"] is None else ", ".join(s["vaults"]),
                s["created_at"],
                s["last_used_at"],
                s["revoked_at"],
            )
            for s in shapes
        ],
        empty="There is no token yet: souvenance token create NAME.",
    )


@verb(group, "revoke")
def revoke(
    session: Session, token: Annotated[str, typer.Argument(help="Its number or its name, as `token list` shows them.")]
) -> None:
    """End a token at once."""
    named = [
        item.id
        for item in session.memory.tokens.list(actor=session.actor)
        if item.revoked_at is None and item.name.casefold() == token.strip().casefold()
    ]
    if len(named) > 1:
        raise Conflict(f"Tokens {', '.join(map(str, named))} have that name.", hint="Name one by its number.")
    is_number = token.isascii() and token.isdigit() and len(token) < 19
    if not named and not is_number:
        raise NotFound("You have no token of that name in force.", hint="souvenance token list shows yours.")
    number = named[0] if named else int(token)
    session.memory.tokens.revoke(actor=session.actor, token=number)
    session.out.say({"token": number, "revoked": True}, f"Token {number} is revoked.")
