"""The use cases on notes, each in its own transaction (N1, N2, N5, N7, N12)."""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from souvenance.domain.access import Actor
from souvenance.domain.clock import Clock
from souvenance.domain.errors import Conflict, InvalidInput, NotAllowed, StaleVersion, TooLarge
from souvenance.domain.fact import checked_line
from souvenance.domain.markdown import targets
from souvenance.domain.note import (
    MAX_NOTE_BYTES,
    Note,
    NoteClass,
    checked_folder,
    checked_title,
    new_note_id,
)
from souvenance.domain.vault import Vault
from souvenance.ingest.passages import split
from souvenance.memory.guard import refuse_secrets, secret_kinds
from souvenance.notes import trash
from souvenance.notes.categories import Edited, edit_page
from souvenance.notes.drafts import Draft, Drafted, batched, checked, drafted
from souvenance.notes.edit import Edit, Operation, checked_edit
from souvenance.notes.find import find_note, vault_of, writable_note
from souvenance.notes.reading import NoteView, listed, view
from souvenance.notes.titles import link_name, require_free_title, under_a_free_title
from souvenance.store import history, links
from souvenance.store import notes as rows
from souvenance.store import vaults as vault_rows
from souvenance.store.database import Database, Transaction
from souvenance.store.passages import Piece
from souvenance.store.tables import note as note_table

T = TypeVar("T")

ATTEMPTS = 5
MAX_DIGEST = 300


class Notes:
    """Writing, reading, editing and arranging notes."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    # --- writing -----------------------------------------------------------------------------------------------

    def create(
        self,
        *,
        actor: Actor,
        vault: str,
        title: str,
        content: str,
        folder: str = "",
        note_class: NoteClass = NoteClass.USER_DOC,
        front_matter: dict[str, Any] | None = None,
    ) -> Note:
        """A new note; refused with the id of the one that stands under this title in this folder already (N7)."""
        draft = Draft(
            title=title, content=content, folder=folder, note_class=note_class, front_matter=front_matter or {}
        )
        return self.create_many(actor=actor, vault=vault, drafts=[draft])[0]

    def create_many(
        self, *, actor: Actor, vault: str, drafts: Sequence[Draft], whole: bool = False
    ) -> builtins.list[Note]:
        """New notes, in order, durable when this returns.

        Some 200 are stored in one transaction: when one is refused, those of earlier transactions are kept. With
        `whole` all are stored in one, or none; they then hold no more together than one note may.
        """
        actor.require_write()
        made: builtins.list[Note] = []
        fit = [checked(actor, draft) for draft in drafts]
        if whole and sum(len(draft.content.encode()) for draft in fit) > MAX_NOTE_BYTES:
            raise TooLarge(
                f"Together the notes are over {MAX_NOTE_BYTES:,} bytes; nothing was written.",
                hint="Send fewer of them at once.",
                limit=MAX_NOTE_BYTES,
            )
        for batch in [fit] if whole and fit else batched(fit):
            cut = [(split(draft.content), targets(draft.content, folder=draft.folder)) for draft in batch]
            with self._database.write() as tx:
                found = vault_rows.named_vault(tx, actor, vault, to_write=True)
                made += self._add(tx, actor, found, batch, cut)
        return made

    def _add(
        self,
        tx: Transaction,
        actor: Actor,
        vault: Vault,
        drafts: Sequence[Draft],
        cut: Sequence[tuple[builtins.list[Piece], builtins.list[str]]],
    ) -> builtins.list[Note]:
        tx.hold_vault(vault.id)
        now = self._clock()
        added = []
        for draft in drafts:
            note = Note(
                id=new_note_id(),
                vault_id=vault.id,
                note_class=draft.note_class,
                folder=draft.folder,
                title=draft.title,
                content=draft.content,
                front_matter=draft.front_matter,
                created_at=now,
                updated_at=now,
            )
            if vault_rows.is_withheld(vault, actor):
                note = under_a_free_title(tx, note)
            else:
                require_free_title(tx, note)
            rows.add_note(tx, note)
            links.adopt(tx, note)
            added.append(note)
        for note, (pieces, found) in zip(added, cut, strict=True):
            trash.index(tx, note, pieces, found)
        history.record_change(
            tx, actor, verb="create_note", at=now, written=[history.note_written(note, "create") for note in added]
        )
        # Over a route on which the vault is withheld, not even that a title was taken is told (V8).
        return [replace(note, title=draft.title) for note, draft in zip(added, drafts, strict=True)]

    def edit(
        self,
        *,
        actor: Actor,
        ref: str,
        operation: str,
        content: str,
        find: str | None = None,
        section: str | None = None,
        version: int | None = None,
    ) -> Edited:
        """One of the five operations on a note (N5). A stale version is refused and nothing is written.

        On a memory page it edits facts (N2). Without a version, it applies to the note as it stands.
        """
        edit = checked_edit(operation=operation, content=content, find=find, section=section)
        draft = self._drafted(actor, ref, edit, version)

        def change(tx: Transaction) -> Edited:
            vault, note = writable_note(tx, actor, ref, version=version)
            if note.note_class is NoteClass.AGENT_MEMORY:
                return edit_page(tx, actor, vault=vault, note=note, edit=edit, at=self._clock())
            _require_editable(note)
            return self._edit_text(tx, actor, note, edit, draft)

        return self._written(change, retry=version is None)

    def _drafted(self, actor: Actor, ref: str, edit: Edit, version: int | None) -> Drafted | None:
        """What the edit makes of a document as it stands now, so that a long text is taken apart outside the lock.

        None where the edit will be refused or goes to a page; who edits then sees to that.
        """
        actor.require_write()
        with self._database.read() as tx:
            note = find_note(tx, actor, ref)
            may_edit = vault_of(tx, actor, note).can_configure and note.deleted_at is None
        if note.note_class is not NoteClass.USER_DOC or not may_edit or version not in (None, note.version):
            return None
        return drafted(actor, note, edit)

    def _edit_text(self, tx: Transaction, actor: Actor, note: Note, edit: Edit, draft: Drafted | None = None) -> Edited:
        if draft is None or (draft.note_id, draft.version) != (note.id, note.version):
            draft = drafted(actor, note, edit)
        if draft.content == note.content:
            return Edited(note=note, version=note.version)
        changed = replace(note, content=draft.content)
        after = self._save(tx, actor, note, changed, verb="edit_note", operation=edit.operation)
        trash.index(tx, after, draft.pieces, draft.targets)
        return Edited(note=after, version=after.version)

    def _save(
        self, tx: Transaction, actor: Actor, before: Note, after: Note, *, verb: str, operation: str = ""
    ) -> Note:
        """Store a changed note as one change, its version raised."""
        now = self._clock()
        raised = replace(after, version=before.version + 1, updated_at=now)
        rows.save_note(tx, before, raised)
        written = history.note_written(raised, operation or verb.removesuffix("_note"))
        history.record_change(tx, actor, verb=verb, at=now, written=[written])
        return raised

    def _written(self, change: Callable[[Transaction], T], *, retry: bool = True) -> T:
        """Run a change; where the caller named no version, again when someone else wrote in between (PostgreSQL)."""
        for _ in range(ATTEMPTS - 1 if retry else 0):
            try:
                with self._database.write() as tx:
                    return change(tx)
            except StaleVersion:
                continue
        with self._database.write() as tx:
            return change(tx)

    def secrets_in(self, *texts: str, front_matter: dict[str, Any] | None = None) -> tuple[str, ...]:
        """The kinds of secrets these texts of a note seem to hold, to warn the person who wrote them (F8)."""
        return secret_kinds(*texts, json.dumps(front_matter, ensure_ascii=False) if front_matter else None)

    # --- reading -----------------------------------------------------------------------------------------------

    def get(self, *, actor: Actor, ref: str, limit: int | None = None, offset: int = 0) -> NoteView:
        """A note as it stands or, to a person, as it lies in the trash.

        `limit` and `offset` choose a part of a page's facts.
        """
        with self._database.read() as tx:
            return view(tx, actor, ref, limit=limit, offset=offset)

    def list(
        self,
        *,
        actor: Actor,
        vault: str | None = None,
        folder: str | None = None,
        note_class: NoteClass | None = None,
        trashed: bool = False,
        limit: int = 50,
        offset: int = 0,
    ) -> builtins.list[Note]:
        """Notes by folder and title, without their texts; agent memory only when its class is named, or in the trash.

        `folder` takes those below it too. A model is shown nothing of the trash (F9), which has the last deleted first.
        """
        if trashed and actor.is_model:
            return []
        order = (note_table.c.deleted_at.desc(), note_table.c.id) if trashed else ()
        with self._database.read() as tx:
            return listed(
                tx, actor, vault, folder, note_class, trashed=trashed, order=order, limit=limit, offset=offset
            )

    def recent(
        self, *, actor: Actor, vault: str | None = None, limit: int = 20, offset: int = 0
    ) -> builtins.list[Note]:
        """The documents changed last, without their texts; agent memory is not among them (N8)."""
        order = (note_table.c.updated_at.desc(), note_table.c.id)
        with self._database.read() as tx:
            return listed(tx, actor, vault, order=order, limit=limit, offset=offset)

    # --- arranging ---------------------------------------------------------------------------------------------

    def move(self, *, actor: Actor, ref: str, folder: str) -> Note:
        """Put a note in another folder of its vault; its id and the links to it stay."""
        refuse_secrets(actor, folder)
        return self._rearrange(actor, ref, "move_note", folder=checked_folder(folder))

    def rename(self, *, actor: Actor, ref: str, title: str) -> Note:
        """Give a note another title; its id stays, and links to it still lead to it. A page keeps its category."""
        refuse_secrets(actor, title)
        return self._rearrange(actor, ref, "rename_note", title=checked_title(title))

    def _rearrange(self, actor: Actor, ref: str, verb: str, **values: str) -> Note:
        def change(tx: Transaction) -> Note:
            _, note = writable_note(tx, actor, ref)
            _require_editable(note)
            after = replace(note, **values)  # type: ignore[arg-type]
            if after == note:
                return note
            require_free_title(tx, after)
            saved = self._save(tx, actor, note, after, verb=verb)
            trash.index(tx, saved)
            links.adopt(tx, saved)
            return saved

        return self._written(change)

    def link(self, *, actor: Actor, source_ref: str, target_ref: str) -> Edited:
        """Add a link to another note of the same vault at the end of one, as an item `- [[title]]`."""

        def change(tx: Transaction) -> Edited:
            vault, source = writable_note(tx, actor, source_ref)
            target = find_note(tx, actor, target_ref)
            if target.vault_id != source.vault_id:
                raise InvalidInput("Links stay within one vault.", hint="Choose a note of the same vault.")
            if target.id == source.id:
                raise InvalidInput("A note does not link to itself.", hint="Choose another note.")
            if target.deleted_at is not None:
                raise Conflict("The note to link to is in the trash.", hint="Restore it first.")
            there = links.links_of(tx, vault_id=source.vault_id, note_id=source.id, limit=100_000)
            if any(item.note_id == target.id for item in there):
                return Edited(note=source, version=source.version)
            name = link_name(tx, source, target)
            edit = Edit(operation=Operation.APPEND, content=f"- [[{name}]]\n")
            if source.note_class is NoteClass.AGENT_MEMORY:
                return edit_page(tx, actor, vault=vault, note=source, edit=edit, at=self._clock())
            _require_editable(source)
            return self._edit_text(tx, actor, source, edit)

        return self._written(change)

    def set_digest(self, *, actor: Actor, ref: str, digest: str) -> Note:
        """Say in one line what a note holds: what the memory's index and a session's start show of it (N8)."""
        line = checked_line(digest, what="digest", limit=MAX_DIGEST)
        refuse_secrets(actor, line)
        return self._set(actor, ref, "digest_note", digest=line)

    def mute(self, *, actor: Actor, ref: str, muted: bool) -> Note:
        """Keep a note out of start-up and recall, or let it in again (N10); search finds it. A person only."""
        require_person_to_hide(actor)
        return self._set(actor, ref, "mute_note" if muted else "unmute_note", muted=muted)

    def _set(self, actor: Actor, ref: str, verb: str, **values: Any) -> Note:
        def change(tx: Transaction) -> Note:
            _, note = writable_note(tx, actor, ref)
            after = replace(note, **values)
            return note if after == note else self._save(tx, actor, note, after, verb=verb)

        return self._written(change)

    def disable(self, *, actor: Actor, ref: str, disabled: bool) -> Note:
        """Take a note out of every retrieval, or let it be found again (V14); of a memory page, its facts.

        A person's gesture: nothing is forgotten behind their back.
        """
        require_person_to_hide(actor)

        def change(tx: Transaction) -> Note | None:
            _, note = writable_note(tx, actor, ref)
            if trash.disable_part(tx, actor, note=note, disabled=disabled, at=self._clock()):
                return None
            return trash.set_disabled(tx, actor, note=note, disabled=disabled, at=self._clock())

        while (done := self._written(change)) is None:
            pass
        return done

    # --- the trash ---------------------------------------------------------------------------------------------

    def delete(self, *, actor: Actor, ref: str) -> Note:
        """Put a note in the trash, out of every read at once; a memory page takes its facts along (F9).

        Those of a large page go in several transactions, the page with the last.
        """
        at, gone = self._clock(), 0

        def change(tx: Transaction) -> Note | int:
            _, note = writable_note(tx, actor, ref)
            part = trash.delete_part(tx, actor, note=note, at=at)
            return part or trash.delete(tx, actor, note=note, at=at, already=gone)

        while isinstance(done := self._written(change), int):
            gone += done
        return done

    def restore(self, *, actor: Actor, ref: str) -> Note:
        """Bring a note back from the trash by its id, with the facts that went with it.

        Returns the note the facts stand on: where the category got a new page meanwhile, that page.
        """

        def change(tx: Transaction) -> tuple[Note, Note]:
            _, note = writable_note(tx, actor, ref, trashed=True)
            return note, trash.restore(tx, actor, note=note, at=self._clock())

        def more(tx: Transaction) -> int:
            return trash.restore_part(tx, actor, note=trashed, page=page.id, at=self._clock())

        trashed, page = self._written(change)
        while self._written(more):
            pass
        with self._database.read() as tx:
            return rows.get_note(tx, actor, page.id)

    def purge(self, *, actor: Actor, ref: str) -> None:
        """Remove a trashed note for good, with its history, words, vectors and links; only a person does this (F9)."""
        if actor.is_model:
            raise NotAllowed("Only a person purges.", hint="The owner does it.")

        gone = 0

        def change(tx: Transaction) -> int:
            _, note = writable_note(tx, actor, ref, trashed=True)
            part = trash.purge_part(tx, note=note)
            if not part:
                trash.purge(tx, actor, note=note, at=self._clock(), already=gone)
            return part

        while part := self._written(change):
            gone += part


def require_person_to_hide(actor: Actor) -> None:
    """Refuse a model that would keep something out of what is read."""
    if actor.is_model:
        raise NotAllowed("Only a person mutes or disables what is known.", hint="The owner does it.")


def _require_editable(note: Note) -> None:
    if note.note_class is NoteClass.SOURCE:
        raise NotAllowed(
            "This note is an ingested file and is read-only.",
            hint="Change the file it comes from, or write a new note.",
        )
