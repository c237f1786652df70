"""The tools that write: every day's five, and the occasional ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from souvenance.domain.errors import InvalidInput
from souvenance.domain.wording import counted
from souvenance.interfaces.mcp.arguments import Arguments, FactNumber, NoteRef, Version
from souvenance.interfaces.mcp.call import Call
from souvenance.interfaces.mcp.quoting import inline
from souvenance.interfaces.mcp.rendering import Result, fact_line, fitting, lines, note_data, note_line

if TYPE_CHECKING:
    from souvenance.memory.remember import Observation, Remembered

Title = Annotated[str, Field(min_length=1)]
Content = Annotated[str, Field(description="Markdown; [[Title]] links notes")]
Folder = Annotated[str | None, Field(description="Folder inside the vault")]
Observed = Annotated[str, Field(min_length=1, description="One fact, understandable on its own")]
Category = Annotated[str, Field(description="A label, never a path; prefer an existing one")]
Digest = Annotated[str | None, Field(description="The whole category in one line, for its index")]


class RememberAboutUser(Arguments):
    """Arguments of `remember_about_user`."""

    observation: Observed
    category: Category = "general"
    digest: Digest = None


class RememberAboutProject(Arguments):
    """Arguments of `remember_about_project`."""

    project: Annotated[str, Field(min_length=1)]
    observation: Observed
    category: Category = "general"
    digest: Digest = None


def remember_about_user(call: Call, given: RememberAboutUser) -> Result:
    """Keep a fact in the caller's personal vault (N4)."""
    observation = _observation(given.observation, given.category)
    kept = call.memory.facts.remember_about_user(actor=call.actor, observation=observation, digest=given.digest)
    return _remembered(call, kept)


def remember_about_project(call: Call, given: RememberAboutProject) -> Result:
    """Keep a fact in a project's vault (N4)."""
    observation = _observation(given.observation, given.category)
    kept = call.memory.facts.remember_about_project(
        actor=call.actor, project=given.project, observation=observation, digest=given.digest
    )
    return _remembered(call, kept)


def _observation(content: str, category: str) -> Observation:
    from souvenance.memory.remember import Observation  # with it comes the database: not before the first write

    return Observation(content=content, category=category)


def _remembered(call: Call, kept: Remembered) -> Result:
    vault = call.slug(kept.fact.vault_id)
    # Labels in use are content: those of a protected vault stay in it.
    alike = kept.similar_categories if kept.fact.vault_id in call.slugs else ()
    if not kept.fact.number:
        said = "Kept in a protected vault, of which nothing more is told over this route."
        return Result(said, {"outcome": kept.outcome, "vault": vault})
    said = lines(
        f"{kept.outcome}: {fact_line(kept.fact)}, note {kept.note_id}, vault {vault}.",
        "The same was known already; nothing was written." if kept.outcome == "skipped" else "",
        f"Existing categories close to this new one: {', '.join(map(inline, alike))}." if alike else "",
    )
    data = {
        "outcome": kept.outcome,
        "number": kept.fact.number,
        "version": str(kept.fact.version),
        "note": kept.note_id,
        "vault": vault,
        "similar_categories": list(alike),
    }
    return Result(said, data)


class CreateNote(Arguments):
    """Arguments of `create_note`."""

    title: Title
    content: Content
    vault: str
    path: Folder = None


def create_note(call: Call, given: CreateNote) -> Result:
    """A new note of class user-doc."""
    made = call.memory.notes.create(
        actor=call.actor, vault=given.vault, title=given.title, content=given.content, folder=given.path or ""
    )
    vault = call.slug(made.vault_id)
    return Result(f"created: {note_line(made, vault=vault)}.", {"outcome": "created"} | note_data(made, vault=vault))


class EditNote(Arguments):
    """Arguments of `edit_note`."""

    ref: NoteRef
    operation: Literal["append", "prepend", "replace", "replace_section", "find_replace"]
    content: Annotated[str, Field(description="The new text; empty with find_replace removes the found one")]
    find: Annotated[str | None, Field(description="find_replace: text that occurs exactly once")] = None
    section: Annotated[str | None, Field(description="replace_section: its heading")] = None
    version: Annotated[Version | None, Field(description="The version you read; refused once stale")] = None


def edit_note(call: Call, given: EditNote) -> Result:
    """Change a note in one of five ways (N5); on agent memory, the facts behind its lines (N2)."""
    edited = call.memory.notes.edit(
        actor=call.actor,
        ref=given.ref,
        operation=given.operation,
        content=given.content,
        find=given.find,
        section=given.section,
        version=version_number(given.version),
    )
    vault = call.slug(edited.note.vault_id)
    data = {"outcome": "edited"} | note_data(edited.note, vault=vault) | {"version": str(edited.version)}
    said = [f"edited: {note_line(edited.note, vault=vault)}; its version is now {edited.version}."]
    for what, numbers in (
        ("added", edited.facts_added),
        ("changed", edited.facts_changed),
        ("removed", edited.facts_removed),
        ("skipped", edited.facts_skipped),
    ):
        if numbers:
            shown = list(numbers[:200])
            said.append(f"Facts {what}: {', '.join(f'[#{number}]' for number in shown)}")
            data |= {f"facts_{what}": shown}
    return Result(lines(said), data)


class RetireFact(Arguments):
    """Arguments of `retire_fact`."""

    number: FactNumber
    version: Annotated[Version, Field(description="As a read gave it")]
    reason: Annotated[str, Field(min_length=1)]
    replacement: Annotated[str | None, Field(description="What is true instead")] = None


def retire_fact(call: Call, given: RetireFact) -> Result:
    """End a fact's validity; the old wording is kept in the journal where the vault keeps one (T1, T2)."""
    retired, replacement = call.memory.facts.retire(
        actor=call.actor,
        number=given.number,
        version=version_number(given.version),
        reason=given.reason,
        replacement=given.replacement,
    )
    said = lines(
        f"retired: {fact_line(retired)}.", f"In its place: {fact_line(replacement)}." if replacement is not None else ""
    )
    data: dict[str, object] = {"outcome": "retired", "number": retired.number, "version": str(retired.version)}
    data["state"] = retired.state
    if replacement is not None:
        data["replacement"] = {"number": replacement.number, "version": str(replacement.version)}
    return Result(said, data)


def version_number(version: str | None) -> int | None:
    """A version as a tool takes it, `7` or `v7`."""
    if version is None:
        return None
    digits = version.strip().removeprefix("v")
    if not digits.isdecimal() or len(digits) > 18:
        raise InvalidInput("That is no version.", hint="Send it as the last read gave it, for instance 3.")
    return int(digits)


# --- now and then ------------------------------------------------------------------------------------------------


class NewNote(Arguments):
    """One note of `create_notes`."""

    title: Title
    content: Content
    path: Folder = None


class CreateNotes(Arguments):
    """Arguments of `create_notes`."""

    vault: str
    notes: Annotated[list[NewNote], Field(min_length=1, max_length=200)]


def create_notes(call: Call, given: CreateNotes) -> Result:
    """Several notes in one vault, all or none."""
    from souvenance.notes.drafts import Draft

    drafts = [Draft(title=note.title, content=note.content, folder=note.path or "") for note in given.notes]
    made = call.memory.notes.create_many(actor=call.actor, vault=given.vault, drafts=drafts, whole=True)
    vault = call.slug(made[0].vault_id)
    rows = [{"note": note.id, "version": str(note.version), "path": note.path} for note in made]
    shown = fitting(rows, budget=call.budget - 80)
    said = [
        f"created: {counted(len(made), 'note')} in vault {vault}.",
        *(f"note {r['note']}, {inline(r['path'])}" for r in shown),
    ]
    if len(shown) < len(rows):
        said.append(f"{len(rows) - len(shown)} more are not listed here.")
    return Result(lines(said), {"outcome": "created", "count": len(made), "vault": vault, "notes": shown})


class NoteOnly(Arguments):
    """Arguments of `delete_note`."""

    ref: NoteRef


def delete_note(call: Call, given: NoteOnly) -> Result:
    """Put a note in the trash, from which a person can restore it (N12)."""
    call.memory.notes.delete(actor=call.actor, ref=given.ref)
    return Result("deleted: the note is in the trash, where a person can restore it.", {"outcome": "deleted"})


class Link(Arguments):
    """Arguments of `link`."""

    source: NoteRef
    target: NoteRef


def link(call: Call, given: Link) -> Result:
    """Join two notes."""
    call.memory.notes.link(actor=call.actor, source_ref=given.source, target_ref=given.target)
    return Result("linked.", {"outcome": "linked"})


class MoveNote(Arguments):
    """Arguments of `move_note`."""

    ref: NoteRef
    path: Annotated[str, Field(description="Folder inside the vault; empty for its top")]


def move_note(call: Call, given: MoveNote) -> Result:
    """Put a note in another folder of its vault; its id and its links stay."""
    moved = call.memory.notes.move(actor=call.actor, ref=given.ref, folder=given.path)
    vault = call.slug(moved.vault_id)
    return Result(f"moved: {note_line(moved, vault=vault)}.", {"outcome": "moved"} | note_data(moved, vault=vault))


class RenameNote(Arguments):
    """Arguments of `rename_note`."""

    ref: NoteRef
    title: Title


def rename_note(call: Call, given: RenameNote) -> Result:
    """Give a note another title; links to it follow."""
    renamed = call.memory.notes.rename(actor=call.actor, ref=given.ref, title=given.title)
    vault = call.slug(renamed.vault_id)
    return Result(
        f"renamed: {note_line(renamed, vault=vault)}.", {"outcome": "renamed"} | note_data(renamed, vault=vault)
    )
