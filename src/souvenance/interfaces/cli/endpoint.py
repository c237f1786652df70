"""`souvenance endpoint`, `souvenance spending`: the models that answer, and what they spend."""

from __future__ import annotations

import asyncio
import getpass
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from souvenance.domain.access import Route
from souvenance.domain.endpoint import MAY_FORWARD, Use
from souvenance.domain.errors import InvalidInput
from souvenance.interfaces.cli.session import Session, read_text, verb

if TYPE_CHECKING:
    from souvenance.domain.endpoint import Endpoint

group = typer.Typer(name="endpoint", help="Model endpoints: any OpenAI-compatible base URL.", no_args_is_help=True)
spent = typer.Typer()

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of an endpoint.")]
Key = Annotated[bool, typer.Option("--key", help="Ask for its key, or read it from standard input; never shown.")]
Local = Annotated[bool, typer.Option("--local", help="Declare it local: what it is sent stays with you.")]
Cloud = Annotated[bool, typer.Option("--cloud", help="Declare it cloud: no protected vault is read for it.")]
Schema = Annotated[bool | None, typer.Option("--schema/--no-schema", help="Whether it understands JSON schemas.")]


def _shape(found: Endpoint) -> dict[str, Any]:
    return {
        "name": found.name,
        "base_url": found.base_url,
        "model": found.model,
        "has_key": found.has_key,
        "route": found.route,
        "takes_schema": found.takes_schema,
        "dimension": found.dimension,
        "uses": list(found.uses),
    }


def _said(session: Session, found: Endpoint) -> None:
    uses = f", used for {', '.join(found.uses)}" if found.uses else ", used for nothing yet: souvenance endpoint use"
    session.out.say(_shape(found), f"{found.name}: {found.model} at {found.base_url}, {found.route} route{uses}")
    if found.route is Route.LOCAL:
        session.out.note(MAY_FORWARD["en"])


def _route(local: bool, cloud: bool) -> Route | None:
    if local and cloud:
        raise InvalidInput("An endpoint has one route.", hint="Say --local or --cloud, or neither.")
    return Route.LOCAL if local else Route.CLOUD if cloud else None


def _key(wanted: bool) -> str | None:
    """The key, typed unseen or read from a pipe: never an argument, which every process of the machine can see."""
    if not wanted:
        return None
    return getpass.getpass("Key: ") if sys.stdin.isatty() else read_text("-", what="key").strip()


@verb(
    group,
    "add",
    example=(
        "endpoint add home http://127.0.0.1:11434/v1 qwen3 --use answers\n"
        "endpoint add far https://api.example.org/v1 large-1 --key"
    ),
)
def add(
    session: Session,
    name: Annotated[str, typer.Argument(help="A name of your own for it.")],
    base_url: Annotated[str, typer.Argument(metavar="URL", help="What comes before /chat/completions.")],
    model: Annotated[str, typer.Argument(help="The model's name there.")],
    *,
    key: Key = False,
    local: Local = False,
    cloud: Cloud = False,
    use: Annotated[list[Use] | None, typer.Option(help="What it is used for; repeats. Answers when left out.")] = None,
    schema: Schema = None,
) -> None:
    """Add an endpoint. Its route is the one its address proposes, unless you declare it."""
    made = session.memory.endpoints.add(
        actor=session.actor,
        name=name,
        base_url=base_url,
        model=model,
        key=_key(key),
        route=_route(local, cloud),
        takes_schema=bool(schema),
        uses=use or [Use.ANSWERS],
    )
    _said(session, made)


@verb(group, "list")
def list_endpoints(session: Session) -> None:
    """List the endpoints; whether each has a key, never the key."""
    shapes = [_shape(one) for one in session.memory.endpoints.list(actor=session.actor)]
    session.out.table(
        {"endpoints": shapes},
        columns=("name", "base url", "model", "key", "route", "used for"),
        rows=[
            (s["name"], s["base_url"], s["model"], "yes" if s["has_key"] else "", s["route"], ", ".join(s["uses"]))
            for s in shapes
        ],
        empty="There is no endpoint yet: souvenance endpoint add NAME URL MODEL.",
    )


@verb(group, "change")
def change(
    session: Session,
    name: Name,
    *,
    base_url: Annotated[str | None, typer.Option("--url", help="Its address; the old one's key goes.")] = None,
    model: Annotated[str | None, typer.Option(help="The model's name there.")] = None,
    key: Key = False,
    no_key: Annotated[bool, typer.Option("--no-key", help="Take its key away.")] = False,
    local: Local = False,
    cloud: Cloud = False,
    schema: Schema = None,
) -> None:
    """Change what is given and leave the rest."""
    changed = session.memory.endpoints.change(
        actor=session.actor,
        name=name,
        base_url=base_url,
        model=model,
        key="" if no_key else _key(key),
        route=_route(local, cloud),
        takes_schema=schema,
    )
    _said(session, changed)


@verb(
    group,
    "use",
    example="endpoint use consolidation home",
)
def use(
    session: Session,
    use: Annotated[Use, typer.Argument(metavar="USE", help="answers, auto, consolidation or embeddings.")],
    name: Annotated[str | None, typer.Argument(help="The endpoint; none when left out.")] = None,
) -> None:
    """Say which endpoint a use has."""
    session.memory.endpoints.use(actor=session.actor, use=use, name=name)
    session.out.say({"use": use, "endpoint": name}, f"{use}: {name or 'none'}")


@verb(group, "test")
def test(session: Session, name: Name) -> None:
    """Ask an endpoint for a word, its models and a vector, and say what came of it."""
    memory = session.memory
    tested = asyncio.run(memory.endpoints.test(actor=session.actor, name=name, chat=memory.exchange.chat))
    lines = [
        f"answers: yes, in {tested.milliseconds:.0f} ms" if tested.answers else f"answers: no. {tested.problem}",
        f"embeds: yes, {tested.dimension} numbers" if tested.embeds else f"embeds: no. {tested.embedding_problem}",
    ]
    if tested.knows_model is False:
        lines.append("It does not list that model.")
    session.out.say({field: getattr(tested, field) for field in tested.__dataclass_fields__}, *lines)
    if tested.warning():
        session.out.note(tested.warning())


@verb(group, "remove")
def remove(session: Session, name: Name) -> None:
    """Remove an endpoint and its key."""
    session.memory.endpoints.remove(actor=session.actor, name=name)
    session.out.say({"removed": name}, f"{name} is removed.")


@verb(spent, "spending")
def spending(
    session: Session, *, days: Annotated[int, typer.Option(min=1, max=3660, help="Of so many days.")] = 30
) -> None:
    """Show the tokens that were spent, by vault and use: how many no endpoint counted, and what broke off."""
    found = session.memory.spending.list(actor=session.actor, days=days)
    shapes = [
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
    ]
    session.out.table(
        {"spending": shapes},
        columns=("vault", "use", "calls", "sent", "received", "estimated", "broken off"),
        rows=[
            (
                s["vault"] or "(none)",
                s["use"],
                s["calls"],
                s["sent"],
                s["received"],
                s["estimated"] or "",
                s["broken_off"] or "",
            )
            for s in shapes
        ],
        empty="Nothing was spent.",
    )
