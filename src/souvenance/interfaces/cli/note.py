"""`souvenance note`: write, read, edit, move and restore notes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from souvenance.domain.errors import InvalidInput
from souvenance.domain.note import Note, NoteClass
from souvenance.interfaces.cli.session import Session, read_bounded, read_text, verb, warn_of_secrets
from souvenance.interfaces.cli.shapes import fact_shape, note_shape

group = typer.Typer(name="note", help="Notes in Markdown, and the pages of agent memory.", no_args_is_help=True)

Ref = Annotated[str, typer.Argument(metavar="NOTE", help="Id, title, folder/title or vault:folder/title.")]


def _said(session: Session, note: Note, done: str) -> None:
    session.out.say(note_shape(session, note), f"{note.path} ({note.id}) {done}.")


@verb(group, "list")
def list_notes(
    session: Session,
    *,
    vault: Annotated[str | None, typer.Option(help="Only this vault.")] = None,
    folder: Annotated[str | None, typer.Option(help="Only this folder.")] = None,
    note_class: Annotated[NoteClass | None, typer.Option("--class", help="Only this class.")] = None,
    trashed: Annotated[bool, typer.Option("--trashed", help="What is in the trash instead.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most this many.")] = 50,
    offset: Annotated[int, typer.Option(min=0, help="Skip this many.")] = 0,
) -> None:
    """List notes."""
    notes = session.memory.notes.list(
        actor=session.actor,
        vault=vault,
        folder=folder,
        note_class=note_class,
        trashed=trashed,
        limit=limit,
        offset=offset,
    )
    shapes = [note_shape(session, note) for note in notes]
    session.out.table(
        {"notes": shapes},
        columns=("note", "vault", "path", "class", "version", "updated"),
        rows=[(s["note"], s["vault"], s["path"], s["class"], s["version"], s["updated_at"]) for s in shapes],
        empty="There is no note to show.",
    )


@verb(group, "show")
def show(session: Session, note: Ref) -> None:
    """Print a note's text; its links and facts are in the JSON."""
    view = session.memory.notes.get(actor=session.actor, ref=note)
    shape = note_shape(session, view.note, content=True)
    shape |= {
        "links": view.links,
        "backlinks": view.backlinks,
        "facts": [fact_shape(session, fact) for fact in view.facts],
    }
    session.out.say(shape, *view.note.content.split("\n"))
    session.out.note(f"{view.vault.slug}:{view.note.path} ({view.note.id}), version {view.note.version}")


@verb(
    group,
    "create",
    writes=True,
    example="note create 'Harbour plan' - --vault server --folder plans < plan.md",
)
def create(
    session: Session,
    title: Annotated[str, typer.Argument(help="Its title; the folder is given apart.")],
    content: Annotated[str | None, typer.Argument(help="Its text in Markdown; - reads standard input.")] = None,
    *,
    vault: Annotated[str, typer.Option(help="The vault it goes to.")],
    folder: Annotated[str, typer.Option(help="Where in the vault, as a/b.")] = "",
    file: Annotated[Path | None, typer.Option(help="Take the text from this file.")] = None,
) -> None:
    """Write a note."""
    if (content is None) == (file is None):
        raise InvalidInput("Give the text once: as an argument, as - (standard input), or with --file.")
    text = _file_text(file) if file is not None else read_text(content or "", what="note")
    made = session.memory.notes.create(actor=session.actor, vault=vault, title=title, content=text, folder=folder)
    secrets = session.memory.notes.secrets_in(title, text)
    session.out.say(note_shape(session, made) | {"warnings": secrets}, f"{made.path} ({made.id}) is written.")
    warn_of_secrets(session, secrets)


def _file_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return read_bounded(file, what=str(path)).decode()
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} is not UTF-8 text.", hint="Convert it first (iconv).") from None


@verb(
    group,
    "edit",
    writes=True,
    example=(
        "note edit 'Harbour plan' append 'The ferry leaves at nine.'\n"
        "note edit plans/Harbour replace_section 'At nine.' --section Ferry\n"
        "note edit server:Harbour find_replace 'at ten' --find 'at nine'"
    ),
)
def edit(
    session: Session,
    note: Ref,
    operation: Annotated[str, typer.Argument(help="append, prepend, replace, replace_section or find_replace.")],
    content: Annotated[str, typer.Argument(help="The text; - reads standard input.")],
    *,
    find: Annotated[str | None, typer.Option(help="find_replace: the snippet, which must occur once.")] = None,
    section: Annotated[str | None, typer.Option(help="replace_section: the heading.")] = None,
    version: Annotated[int | None, typer.Option(help="Refuse if the note is no longer at this version.")] = None,
) -> None:
    """Edit a note. On a page of agent memory, this edits its facts."""
    text = read_text(content, what="text")
    edited = session.memory.notes.edit(
        actor=session.actor,
        ref=note,
        operation=operation,
        content=text,
        find=find,
        section=section,
        version=version,
    )
    secrets = session.memory.notes.secrets_in(text)
    session.out.say(
        note_shape(session, edited.note)
        | {
            "facts_added": edited.facts_added,
            "facts_changed": edited.facts_changed,
            "facts_removed": edited.facts_removed,
            "warnings": secrets,
        },
        f"{edited.note.path} ({edited.note.id}) is now at version {edited.version}.",
    )
    warn_of_secrets(session, secrets)


@verb(
    group,
    "move",
    example="note move 'Harbour plan' archive/2026",
)
def move(session: Session, note: Ref, folder: Annotated[str, typer.Argument(help="Where to; '' is the top.")]) -> None:
    """Move a note to another folder of its vault."""
    _said(session, session.memory.notes.move(actor=session.actor, ref=note, folder=folder), "is moved")


@verb(group, "rename", writes=True, example="note rename 'Harbour plan' Harbour")
def rename(session: Session, note: Ref, title: Annotated[str, typer.Argument(help="Its new title.")]) -> None:
    """Give a note another title; links to it go on leading to it."""
    _said(session, session.memory.notes.rename(actor=session.actor, ref=note, title=title), "is renamed")


@verb(group, "delete")
def delete(session: Session, note: Ref) -> None:
    """Put a note in the trash, out of every read at once."""
    found = session.memory.notes.get(actor=session.actor, ref=note).note
    session.memory.notes.delete(actor=session.actor, ref=found.id)
    session.out.say(
        {"note": found.id, "deleted": True},
        f"{found.path} is in the trash: souvenance note restore {found.id} brings it back.",
    )


@verb(group, "restore", writes=True)
def restore(
    session: Session,
    note: Ref,
    *,
    change: Annotated[int | None, typer.Option(help="Back to the text after this change of its history.")] = None,
) -> None:
    """Bring a note back from the trash, or back to an earlier text."""
    if change is None:
        _said(session, session.memory.notes.restore(actor=session.actor, ref=note), "is restored")
        return
    found = session.memory.notes.get(actor=session.actor, ref=note).note
    session.memory.history.restore(actor=session.actor, ref=found.id, change_id=change)
    _said(session, session.memory.notes.get(actor=session.actor, ref=found.id).note, "is restored")


@verb(group, "purge")
def purge(
    session: Session, note: Ref, *, yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False
) -> None:
    """Remove a trashed note for good, its history too."""
    session.confirm(f"Remove {note} for good?", yes=yes)
    session.memory.notes.purge(actor=session.actor, ref=note)
    session.out.say({"note": note, "purged": True}, f"{note} is gone.")


@verb(group, "history")
def history(
    session: Session,
    note: Ref,
    *,
    limit: Annotated[int, typer.Option(min=1, max=500, help="At most this many changes.")] = 50,
    offset: Annotated[int, typer.Option(min=0, help="Skip this many.")] = 0,
) -> None:
    """Show who changed a note, when and through what."""
    revisions = session.memory.history.of_note(actor=session.actor, ref=note, limit=limit, offset=offset)
    session.out.table(
        {"revisions": revisions},
        columns=("change", "when", "who", "through", "did", "version"),
        rows=[(r.change_id, r.at, r.who, r.source, r.operation, r.version) for r in revisions],
        empty="There is no change to show.",
    )


@verb(group, "diff", example="note diff 'Harbour plan' 40")
def diff(
    session: Session,
    note: Ref,
    change: Annotated[int | None, typer.Argument(help="A change of its history; the latest when left out.")] = None,
) -> None:
    """Show what one change did to a note."""
    revisions = session.memory.history.of_note(actor=session.actor, ref=note, limit=500, offset=0)
    found = next((r for r in revisions if change is None or r.change_id == change), None)
    if found is None:
        raise InvalidInput("This note has no such change.", hint="souvenance note history NOTE lists them.")
    session.out.say({"revision": found}, *found.diff.split("\n"))
