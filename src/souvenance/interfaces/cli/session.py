"""One run of one command: the global options, taken before or after the verb, and the memory they point at."""

from __future__ import annotations

import contextlib
import inspect
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, get_type_hints

import typer
from typer.models import ParameterInfo

from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.errors import InvalidInput, SouvenanceError, TooLarge
from souvenance.domain.wording import plainly
from souvenance.interfaces.cli.output import Output

if TYPE_CHECKING:
    from souvenance.application import Application
    from souvenance.settings import Settings

EMBED_SECONDS = 1.0
"""For how long a question makes vectors of what was written since, before it is asked."""
MANY_WAITING = 100
"""Passages without a vector that are more than the next question makes in passing, so that one is told of them."""
MAKING_SECONDS = 10.0
"""For how long the file of a store may hold nothing while it is made."""
MOST_INPUT = 64 * 1024 * 1024
"""Bytes that a command reads from a file or from standard input."""


def given(text: str) -> str:
    """What an option was given; an empty one is a variable that was not set, and must not mean this folder."""
    if not text.strip():
        raise typer.BadParameter("It is empty. Leave the option out for the default.")
    return text


DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="DIR",
        parser=lambda text: Path(given(str(text))),
        help="Folder of the embedded store.",
        rich_help_panel="Global options",
    ),
]
UrlOption = Annotated[
    str | None,
    typer.Option(
        "--database-url",
        metavar="URL",
        parser=given,
        help="PostgreSQL URL of the store.",
        rich_help_panel="Global options",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Answer in JSON.", rich_help_panel="Global options")]
DebugOption = Annotated[
    bool, typer.Option("--debug", help="Show the traceback of an error.", rich_help_panel="Global options")
]
GLOBAL_OPTIONS = {"data": DataOption, "database_url": UrlOption, "as_json": JsonOption, "debug": DebugOption}

Server = Callable[["Settings"], None]
"""What runs until it is stopped: `serve`, `mcp`, `discord`."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """The global options of one run, and the servers this program can start."""

    data: Path | None = None
    database_url: str | None = None
    as_json: bool = False
    debug: bool = False
    servers: dict[str, Server] = field(default_factory=dict)

    def over(self, **given: Any) -> Options:
        """These options with those that were given again, nearer to the verb."""
        return replace(self, **{name: value for name, value in given.items() if value not in (None, False)})


class ReaderGone(Exception):
    """Whoever read the answer has closed the pipe."""


class Session:
    """What a verb is given: its memory, opened when first asked for, who asks, and where its answer goes."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.out = Output(as_json=options.as_json)

    def settings(self, **overrides: Any) -> Settings:
        """The settings of this run: what was given here, else the environment, else the defaults."""
        from pydantic import ValidationError

        from souvenance.settings import Settings

        given = {"data": self.options.data, "database_url": self.options.database_url} | overrides
        try:
            return Settings(**{name: value for name, value in given.items() if value is not None})
        except ValidationError as error:
            first = error.errors()[0]
            name = "_".join(str(part) for part in first["loc"])
            raise InvalidInput(
                f"The setting {name} is not right: {plainly(first['msg'])}.",
                hint=f"Correct SOUVENANCE_{name.upper()} or the option.",
            ) from None

    @cached_property
    def memory(self) -> Application:
        """The memory, made when it is not there yet."""
        from souvenance.wiring import open_application

        settings = self.settings()
        emptied = _emptied(settings)
        opened = open_application(settings)
        if emptied is not None:
            self.out.note(
                f"Warning: {emptied} was empty (0 bytes); a new memory begins in it. If one stood there, put your copy "
                "of it back before you go on."
            )
        return opened

    @cached_property
    def actor(self) -> Actor:
        """The owner at this machine's command line."""
        return self.memory.owner_through(Source.COMMAND_LINE, route=Route.LOCAL)

    @cached_property
    def slugs(self) -> dict[int, str]:
        """The slug of each vault by its id."""
        return {vault.id: vault.slug for vault in self.memory.vaults.list(actor=self.actor)}

    def catch_up(self, question: str) -> None:
        """Make vectors of what was written since, so that a question finds it by meaning; for a second at most, and
        never an error.

        The question's own vector is made first: it loads the model within the time that a search waits for it, and
        where that is not enough the search goes by words at once. An endpoint is sent no question here, before it is
        known which vaults it is put to.
        """
        with contextlib.suppress(SouvenanceError):
            embedding = self.memory.embedding
            if embedding.waiting(actor=self.actor):
                if not embedding.sends:
                    embedding.embed_query(question)
                embedding.catch_up(limit_seconds=EMBED_SECONDS)

    def tell_waiting(self) -> None:
        """Say of much that waits for its vectors who makes them; a command that writes waits for none."""
        with contextlib.suppress(SouvenanceError):
            waiting = sum(self.memory.embedding.waiting(actor=self.actor).values())
            if waiting > MANY_WAITING:
                self.out.note(
                    f"{waiting:,} passages wait for a vector and are found by their words meanwhile. A running server "
                    "makes them, and so does: souvenance embed"
                )

    def confirm(self, question: str, *, yes: bool, why: str = "This cannot be undone.") -> None:
        """Ask before what cannot be undone, or does much at once; a script says --yes."""
        if yes:
            return
        if not sys.stdin.isatty() or self.out.as_json:
            raise InvalidInput(why, hint="Say --yes to do it without being asked.")
        typer.confirm(question, abort=True, err=True)

    def typed_again(self, name: str, *, yes: bool) -> str:
        """A name that a person types again before what can never be undone; a script says --yes."""
        if yes:
            return name
        if not sys.stdin.isatty() or self.out.as_json:
            raise InvalidInput("This cannot be undone.", hint="Say --yes to do it without being asked.")
        return str(typer.prompt(f"This cannot be undone. Type {name} to erase", err=True))

    def finish_purges(self) -> None:
        """Try once to complete what an erasure left pending, once the answer is out; never an error."""
        with contextlib.suppress(SouvenanceError):
            self.memory.erasures.finish()

    def close(self) -> None:
        """Give back what was opened."""
        if "memory" in self.__dict__:
            self.memory.close()


def _emptied(settings: Settings) -> Path | None:
    """The file of the embedded store where something has emptied it; not where another command is making it now."""
    file = settings.data_folder / "souvenance.db"
    with contextlib.suppress(OSError):
        found = file.stat()
        if settings.database_url is None and found.st_size == 0 and time.time() - found.st_mtime > MAKING_SECONDS:
            return file
    return None


def verb(
    group: typer.Typer, name: str, *, writes: bool = False, example: str = ""
) -> Callable[[Callable[..., None]], Any]:
    """Register a function as a command that takes a Session first and the global options last.

    `writes`: after the answer is out, much that waits for its vectors is told of. `example`: how it is typed, without
    the name of the program, one a line; shown by `--help`.
    """
    shown = "\n\n".join(f"Example: souvenance {line}" for line in example.splitlines())

    def register(function: Callable[..., None]) -> Callable[..., None]:
        group.command(name, epilog=shown or None)(_command(function, writes=writes))
        return function

    return register


def noun_alone(group: typer.Typer) -> Callable[[Callable[..., None]], Any]:
    """Register a function as what a noun does where no verb follows it."""

    def register(function: Callable[..., None]) -> Callable[..., None]:
        group.callback(invoke_without_command=True)(_command(function, writes=False))
        return function

    return register


def _command(function: Callable[..., None], *, writes: bool) -> Callable[..., None]:
    """The function as typer calls it: with the global options, and a session that is closed in the end."""
    hints = get_type_hints(function, include_extras=True)
    own = [
        parameter.replace(annotation=hints[parameter.name])
        for parameter in list(inspect.signature(function).parameters.values())[1:]
    ]
    for parameter in own:  # a name is taken in whatever case it is typed
        for said in getattr(parameter.annotation, "__metadata__", ()):
            if isinstance(said, ParameterInfo):
                said.case_sensitive = False
    keyword = inspect.Parameter.KEYWORD_ONLY
    shared = [
        inspect.Parameter(option, keyword, default=False if option in {"as_json", "debug"} else None, annotation=kind)
        for option, kind in GLOBAL_OPTIONS.items()
    ]
    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)

    @wraps(function)
    def run(context: typer.Context, **given: Any) -> None:
        root = context.find_root()
        options: Options = root.obj.over(**{option: given.pop(option) for option in GLOBAL_OPTIONS})
        if context.invoked_subcommand is not None:  # a noun whose verb follows
            root.obj = options
            return
        session = Session(options)
        try:
            function(session, **given)
            session.out.flush()
            if writes:
                session.tell_waiting()
            if "memory" in session.__dict__:
                session.finish_purges()
        except BrokenPipeError:
            raise ReaderGone from None
        finally:
            session.close()

    parameters = [context, *own, *shared]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def warn_of_secrets(session: Session, kinds: Sequence[str]) -> None:
    """Tell a person that what was written seems to hold a secret; never the secret itself (F8)."""
    if kinds:
        said = ", ".join(kind.replace("_", " ") for kind in kinds)
        session.out.note(f"Warning: this looks like it holds a secret ({said}). It was kept; consider removing it.")


def read_text(text: str, *, what: str) -> str:
    """The text itself, or all of standard input where it is `-`."""
    if text != "-":
        return text
    try:
        return read_bounded(sys.stdin.buffer, what="standard input").decode()
    except UnicodeDecodeError:
        raise InvalidInput(f"The {what} on standard input is not UTF-8.", hint="Convert it first (iconv).") from None


def read_bounded(source: BinaryIO, *, what: str) -> bytes:
    """All of it; one that has no end, a device or a pipe, is refused before it fills the memory."""
    read = source.read(MOST_INPUT + 1)
    if len(read) > MOST_INPUT:
        raise TooLarge(
            f"There are more than {MOST_INPUT:,} bytes on {what}; nothing was written.", hint="Send it in parts."
        )
    return read
