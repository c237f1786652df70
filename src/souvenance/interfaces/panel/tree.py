"""The explorer: vaults, folders and notes as a tree of which only the opened branches are read (N1, N8)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from souvenance.domain.errors import SouvenanceError
from souvenance.domain.note import Note
from souvenance.domain.vault import Vault

if TYPE_CHECKING:
    from souvenance.interfaces.panel.visit import Visit

A_BRANCH = 100
"""Notes of one folder that are listed before one asks for more."""
MOST_NOTES = 2000
MOST_OPEN = 60
"""Branches that are read for one tree."""

Opened = Mapping[tuple[str, str], int]
"""How many notes to list of each opened folder, by the slug of its vault and its path ("" is the top)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A vault's top or a folder. `branch` is what stands in it, where it is open."""

    vault: Vault
    folder: str
    name: str
    count: int
    branch: BranchShown | None = None

    @property
    def id(self) -> str:
        """Its id on the page."""
        return branch_id(self.vault.slug, self.folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchShown:
    """An opened folder: its folders, its notes, and how many notes to list when more are asked for (0: all are)."""

    id: str
    vault: Vault
    folder: str
    limit: int
    folders: tuple[Node, ...]
    notes: tuple[Note, ...]
    next_limit: int


def branch_id(slug: str, folder: str) -> str:
    """The id of a branch on the page; a path may hold anything, an id may not."""
    return "b-" + hashlib.sha256(f"{slug}/{folder}".encode()).hexdigest()[:12]


def opened_by(visit: Visit, note: Note | None, vault: Vault | None) -> dict[tuple[str, str], int]:
    """What a window has open: what it says, and always the way to the note that is shown."""
    found: dict[tuple[str, str], int] = {}
    for text in visit.request.query_params.getlist("open")[:MOST_OPEN]:
        slug, _, rest = text.partition("/")
        limit, _, folder = rest.partition("/")
        if slug and limit.isascii() and limit.isdigit() and len(limit) < 6:
            found[slug, folder] = min(max(int(limit), 1), MOST_NOTES)
    if vault is not None:
        steps = note.folder.split("/") if note is not None and note.folder else []
        for end in range(len(steps) + 1):
            found.setdefault((vault.slug, "/".join(steps[:end])), A_BRANCH)
    return found


def tree(visit: Visit, opened: Opened) -> list[Node]:
    """The whole explorer; a sole vault stands open."""
    vaults = visit.memory.explorer.vaults(actor=visit.actor)
    if len(vaults) == 1:
        opened = {(vaults[0][0].slug, ""): A_BRANCH, **opened}
    return [
        Node(vault=vault, folder="", name=visit.called(vault), count=count, branch=_open(visit, vault, "", opened))
        for vault, count in vaults
    ]


def branch(visit: Visit, *, vault: str, folder: str, limit: int, opened: Opened | None = None) -> BranchShown:
    """One folder, opened."""
    found = visit.memory.explorer.branch(actor=visit.actor, vault=vault, folder=folder, limit=limit)
    return BranchShown(
        id=branch_id(found.vault.slug, found.folder),
        vault=found.vault,
        folder=found.folder,
        limit=limit,
        folders=tuple(
            Node(
                vault=found.vault,
                folder=one.path,
                name=one.name,
                count=one.notes,
                branch=_open(visit, found.vault, one.path, opened or {}),
            )
            for one in found.folders
        ),
        notes=found.notes,
        next_limit=min(limit * 3, MOST_NOTES) if found.more and limit < MOST_NOTES else 0,
    )


def _open(visit: Visit, vault: Vault, folder: str, opened: Opened) -> BranchShown | None:
    limit = opened.get((vault.slug, folder))
    if limit is None:
        return None
    try:
        return branch(visit, vault=vault.slug, folder=folder, limit=limit, opened=opened)
    except SouvenanceError:  # what a window says is open may be nothing that can be read
        return None
