"""The table of tools: name, what it says of itself, what it takes, what it calls (N3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mcp_types import Tool as ListedTool
from mcp_types import ToolAnnotations

from souvenance.interfaces.mcp import reading, writing
from souvenance.interfaces.mcp.arguments import Arguments, NoArguments
from souvenance.interfaces.mcp.rendering import Result


@dataclass(frozen=True)
class Tool:
    """One tool. `everyday` ones are always offered, the others by a setting; `writes` is hidden from who only reads."""

    run: Callable[..., Result]
    takes: type[Arguments]
    says: str
    writes: bool = False
    destructive: bool = False
    everyday: bool = True

    @property
    def name(self) -> str:
        """The tool's name is its function's."""
        return self.run.__name__

    @cached_property
    def listed(self) -> ListedTool:
        """The tool as clients list it."""
        hints: dict[str, Any] = {"destructive_hint": self.destructive} if self.writes else {"read_only_hint": True}
        return ListedTool(
            name=self.name,
            description=self.says,
            input_schema=self.takes.listed(),
            annotations=ToolAnnotations(**hints),
        )


TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool(
            reading.start_session,
            reading.StartSession,
            "Call once at the start: what is known of the user and the project, pinned notes, the index of memory.",
        ),
        Tool(
            reading.list_vaults, NoArguments, "The vaults that can answer you, with their attention (0 is not asked)."
        ),
        Tool(
            reading.search,
            reading.Search,
            "Ranked excerpts from notes and memory, by words and meaning, in any language. "
            "Search before you write, so as not to repeat or contradict what is known.",
        ),
        Tool(
            reading.get_note, reading.GetNote, "One note in full, with its version, its links and its facts' versions."
        ),
        Tool(
            reading.recall,
            reading.Recall,
            "One block of context on a topic: the relevant notes and facts and their linked neighbours, "
            "within a token budget. For answering; use search for finding.",
        ),
        Tool(
            writing.create_note,
            writing.CreateNote,
            "A new Markdown note in a vault. Search first: an existing note is better edited.",
            writes=True,
        ),
        Tool(
            writing.remember_about_user,
            writing.RememberAboutUser,
            "Keep one lasting fact about the user (preference, habit, person, plan), in their own language. "
            "Search first; the same fact again is skipped. Never secrets.",
            writes=True,
        ),
        Tool(
            writing.remember_about_project,
            writing.RememberAboutProject,
            "Keep one lasting fact about a project (decision, convention, pitfall) in its vault. "
            "Search first; the same fact again is skipped. Never secrets.",
            writes=True,
        ),
        Tool(
            writing.edit_note,
            writing.EditNote,
            "Change a note you have read. In a memory note a line with ^12 is fact 12: keep its anchor to change it; "
            "a line without one becomes a new fact, a removed line ends its fact.",
            writes=True,
            destructive=True,
        ),
        Tool(
            writing.retire_fact,
            writing.RetireFact,
            "Say that a fact is no longer true, why, and what is true instead.",
            writes=True,
            destructive=True,
        ),
        Tool(reading.whoami, NoArguments, "Who you are here, what you may do and where.", everyday=False),
        Tool(reading.list_notes, reading.ListNotes, "Notes by vault and folder, page by page.", everyday=False),
        Tool(reading.recent_activity, reading.RecentActivity, "What was changed last.", everyday=False),
        Tool(
            writing.create_notes,
            writing.CreateNotes,
            "Several new notes in one vault, all or none. Search first.",
            writes=True,
            everyday=False,
        ),
        Tool(
            writing.delete_note,
            writing.NoteOnly,
            "Put a note in the trash; a person can restore it.",
            writes=True,
            destructive=True,
            everyday=False,
        ),
        Tool(writing.link, writing.Link, "Link one note to another.", writes=True, everyday=False),
        Tool(
            writing.move_note,
            writing.MoveNote,
            "Move a note to another folder of its vault.",
            writes=True,
            everyday=False,
        ),
        Tool(
            writing.rename_note,
            writing.RenameNote,
            "Rename a note; links to it follow.",
            writes=True,
            everyday=False,
        ),
        Tool(
            reading.history,
            reading.History,
            "The revisions of a note or a fact: who, when, what changed.",
            everyday=False,
        ),
    )
}


def visible_tools(*, can_write: bool, every: bool) -> dict[str, Tool]:
    """The tools one caller sees."""
    return {name: tool for name, tool in TOOLS.items() if (can_write or not tool.writes) and (every or tool.everyday)}
