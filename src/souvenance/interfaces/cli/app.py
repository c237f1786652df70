"""The command as a whole: its verbs by noun, its global options, and what becomes of an error."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

from souvenance import __version__
from souvenance.domain.errors import SouvenanceError
from souvenance.domain.wording import plainly
from souvenance.interfaces.cli import (
    accounts,
    audit,
    chat,
    context,
    conversation,
    discord,
    endpoint,
    erase,
    fact,
    find,
    folder,
    history,
    ingest,
    ladder,
    map,
    note,
    proposal,
    remember,
    scope,
    team,
    token,
    trash,
    upkeep,
    vault,
)
from souvenance.interfaces.cli.exits import ExitCode, exit_code, tell
from souvenance.interfaces.cli.output import OutputFailed
from souvenance.interfaces.cli.session import (
    DataOption,
    DebugOption,
    JsonOption,
    Options,
    ReaderGone,
    Server,
    Session,
    UrlOption,
    verb,
)

command = typer.Typer(
    name="souvenance",
    help="A memory for AI assistants that people can read, correct, weigh and trust.",
    epilog="Exit codes: 0 done, 1 refused, 2 not used as meant, 3 no such thing, 4 the store cannot be used, "
    "70 a fault of the program, 130 stopped by Ctrl-C, 141 whoever read the answer went away.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for single in (
    remember.group, find.group, chat.group, endpoint.spent, audit.group, upkeep.group, proposal.single, erase.alone,
    accounts.single, ingest.single,
):  # fmt: skip
    command.add_typer(single)
vault.group.add_typer(scope.group)
vault.group.add_typer(ladder.group)
vault.group.add_typer(proposal.vaults)
for noun in (
    vault.group, fact.group, note.group, folder.group, history.group, audit.retrievals, context.group, token.group,
    ingest.group, map.group, ladder.memory, trash.group, proposal.group, erase.group, conversation.group,
    endpoint.group, discord.group, accounts.group, accounts.sessions, team.group,
):  # fmt: skip
    command.add_typer(noun)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


@command.callback()
def options(
    started: typer.Context,
    *,
    data: DataOption = None,
    database_url: UrlOption = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,
    show_version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """A memory for AI assistants that people can read, correct, weigh and trust."""
    servers = started.obj or {}
    started.obj = Options(data=data, database_url=database_url, as_json=as_json, debug=debug, servers=dict(servers))


@verb(command, "version")
def version(session: Session) -> None:
    """Print the version."""
    session.out.say({"version": __version__}, __version__)


def run(arguments: Sequence[str], *, servers: Mapping[str, Server] | None = None) -> int:
    """Run one command line; its exit code. `servers` are what `serve`, `mcp` and `discord` start."""
    as_json, debug = "--json" in arguments, "--debug" in arguments
    try:
        code = command(list(arguments), prog_name="souvenance", standalone_mode=False, obj=dict(servers or {}))
    except SouvenanceError as error:
        if debug:
            traceback.print_exc()
        if isinstance(error, OutputFailed):
            _write_no_more()
        tell(error.as_dict(), as_json=as_json)
        return exit_code(error)
    except typer.TyperException as error:
        return _misused(error, as_json=as_json)
    except (KeyboardInterrupt, typer.Abort):
        code = ExitCode.INTERRUPTED
    except ReaderGone:
        _write_no_more()
        return ExitCode.BROKEN_PIPE
    except Exception as error:
        if debug:
            traceback.print_exc()
        message = f"This should not have happened ({type(error).__name__})."
        tell({"code": "fault", "message": message, "hint": "The same with --debug shows where."}, as_json=as_json)
        return ExitCode.FAULT
    if code == ExitCode.INTERRUPTED:
        tell({"code": "interrupted", "message": "Stopped. What was acknowledged is kept."}, as_json=as_json)
    return code if isinstance(code, int) else ExitCode.DONE


def _write_no_more() -> None:
    """Say nothing more on standard output, not even when the interpreter flushes on its way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _misused(error: typer.TyperException, *, as_json: bool) -> int:
    """A usage error; a bare noun shows its help instead and is no error to a person who looks around."""
    message = error.format_message() if hasattr(error, "format_message") else str(error)
    what, colon, said = message.partition(": ")
    message = f"{what}{colon}{plainly(said)}"
    message = message if message.endswith((".", "!", "?", "\n")) else f"{message}."
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        print(message)
        return ExitCode.USAGE
    path = context.command_path if context is not None else "souvenance"
    tell({"code": "usage", "message": message, "hint": f"{path} --help shows how it is used."}, as_json=as_json)
    return ExitCode.USAGE
