"""Which note a caller means, and whether this caller may change it (A1, A3, V8)."""

from __future__ import annotations

import re

from sqlalchemy import ColumnElement, func

from souvenance.domain.access import Actor
from souvenance.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound, SouvenanceError, StaleVersion
from souvenance.domain.fact import readable_text
from souvenance.domain.note import Note, NoteClass, title_key
from souvenance.domain.vault import Vault
from souvenance.store import notes as rows
from souvenance.store import vaults as vault_rows
from souvenance.store.database import Transaction
from souvenance.store.tables import note as note_table
from souvenance.store.tables import vault as vault_table

MAX_REFERENCE = 4096

_ADDRESS = re.compile(r"(?:souvenance://note/|/?[nm]/)([0-9a-z]{12})$")
_ID = re.compile(r"[0-9a-hjkmnp-tv-z]{12}$")
_NO_NOTE = "There is no such note that you can read."


def find_note(tx: Transaction, actor: Actor, ref: str) -> Note:
    """The note that `ref` means: an id, `/n/<id>`, `souvenance://note/<id>`, `vault:folder/title`, a path or a title.

    An id finds a note in the trash too; a path or a title does not. The title of a note that is withheld is as unknown
    as one that does not exist.
    """
    wanted = readable_text(ref, what="reference", limit=MAX_REFERENCE).strip()
    wanted = re.sub(r"^!?\[\[(.*?)(?:[#|].*)?\]\]$", r"\1", wanted).strip()
    if not wanted:
        raise InvalidInput("No note is named.", hint="Give its id, its path or its title.")
    address = _ADDRESS.match(wanted)
    if address:
        return rows.get_note(tx, actor, address[1])
    if _ID.match(wanted):
        try:
            return rows.get_note(tx, actor, wanted)
        except NotFound:
            pass  # twelve letters may be a title as well
    found = _one(_by_path(tx, actor, wanted), is_path="/" in wanted.strip("/"))
    return rows.get_note(tx, actor, found.id)


def _by_path(tx: Transaction, actor: Actor, wanted: str) -> list[Note]:
    vault_name, colon, rest = wanted.partition(":")
    if colon and rest.strip():
        refused: SouvenanceError | None = None
        try:
            vault = vault_rows.named_vault(tx, actor, vault_name)
        except NotFound:
            pass
        except SouvenanceError as error:
            refused = error
        else:
            found = _titled(tx, actor, rest.strip(), note_table.c.vault_id == vault.id)
            if found:
                return found
        found = _titled(tx, actor, wanted, None)
        if not found and refused is not None:
            raise refused
        return found
    return _titled(tx, actor, wanted, None)


def _titled(tx: Transaction, actor: Actor, path: str, within: ColumnElement[bool] | None) -> list[Note]:
    *folders, title = [part for part in path.strip("/").split("/") if part.strip()] or [""]
    condition = note_table.c.title_key == title_key(title)
    if within is not None:
        condition &= within
    found = rows.find_notes(tx, actor, condition, with_content=False)
    if folders:
        key = [title_key(part) for part in folders]
        found = [item for item in found if [title_key(part) for part in item.folder.split("/")] == key]
    return found


def _one(found: list[Note], *, is_path: bool) -> Note:
    """The one that is meant: of a bare title the document, where there is one; a path says no such thing."""
    if not found:
        raise NotFound(_NO_NOTE, hint="A search finds its id.")
    documents = [item for item in found if item.note_class is not NoteClass.AGENT_MEMORY]
    if len(found) > 1 and (is_path or len(documents) != 1):
        raise Conflict(
            f"{len(found)} of your notes have that {'path' if is_path else 'title'}.",
            hint="Name one by its id, or as `vault:folder/title`.",
            notes=[{"id": item.id, "path": item.path, "class": item.note_class} for item in found[:10]],
        )
    return documents[0] if documents else found[0]


def vault_of(tx: Transaction, actor: Actor, item: Note) -> Vault:
    """The vault a readable note stands in, as the actor sees it."""
    found = vault_rows.find_vault(tx, actor, vault_table.c.id == item.vault_id)
    if found is None:
        raise NotFound(_NO_NOTE, hint="A search finds its id.")
    return found


def shown_note(tx: Transaction, actor: Actor, ref: str) -> Note:
    """The note that `ref` means, for reading: to a model what lies in the trash is out of every read (F9)."""
    found = find_note(tx, actor, ref)
    if actor.is_model and found.deleted_at is not None:
        raise NotFound("This note is in the trash.", hint="A person can restore it.")
    return found


def writable_note(
    tx: Transaction, actor: Actor, ref: str, *, version: int | None = None, trashed: bool = False
) -> tuple[Vault, Note]:
    """A note the actor may change, with its vault, at the version it read where it names one, in the trash or not."""
    actor.require_write()
    item = find_note(tx, actor, ref)
    tx.hold_vault(item.vault_id)
    item = rows.get_note(tx, actor, item.id)  # as those who wrote while this one waited left it
    vault = vault_of(tx, actor, item)
    if not vault.can_configure:
        raise NotAllowed("You may read this note but not change it.", hint="Ask its team for the configure permission.")
    if trashed and item.deleted_at is None:
        raise Conflict("This note is not in the trash.", hint="Delete it first, if it is to go.", note=item.id)
    if not trashed and item.deleted_at is not None:
        raise Conflict("This note is in the trash.", hint="Restore it first.", note=item.id)
    if version is not None and version != item.version:
        raise StaleVersion(
            f"This note is at version {item.version}, not {version}; nothing was written.",
            hint="Read it again, then send the edit with its new version.",
            note=item.id,
            version=item.version,
        )
    return vault, item


def in_folder(folder: str) -> ColumnElement[bool]:
    """The condition that a note stands in this folder or one below it."""
    below = func.substr(note_table.c.folder, 1, len(folder) + 1) == f"{folder}/"
    return (note_table.c.folder == folder) | below
