"""`/vaults/{vault}/folders`: folders of this machine that a vault follows (V13). The owner's only, never a token's."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import Field

from souvenance.domain.folder import DEFAULT_MAX_BYTES, Condition, FileState, FolderStatus
from souvenance.ingest.folder_views import FolderView, problems
from souvenance.interfaces.rest.caller import Memory, Owner
from souvenance.interfaces.rest.fields import Given, Limit, Offset, Shown, Text, VaultName, page

router = APIRouter(prefix="/vaults/{vault}/folders", tags=["folders"])

FolderId = Annotated[str, Path(pattern=r"^[0-9a-z]{12}$", description="Id of a watched folder.")]
Patterns = Annotated[list[Annotated[Text, Field(min_length=1, max_length=1000)]], Field(max_length=100)]
Size = Annotated[int, Field(ge=1, le=1024**3, description="Bytes above which a file is refused.")]


class FolderShown(Shown):
    """A watched folder; `files` counts its files by what became of them, `done` of `total` tells a scan under way."""

    folder: str
    vault: str
    path: str
    place: str
    include: list[str]
    exclude: list[str]
    max_bytes: int
    status: FolderStatus
    condition: Condition
    reason: str
    done: int
    total: int
    files: dict[FileState, int]
    created_at: datetime
    scanned_at: datetime | None


class FolderList(Shown):
    """The folders a vault follows."""

    folders: list[FolderShown]


class NewFolder(Given):
    """A folder to watch, and which of its files."""

    path: Annotated[Text, Field(min_length=1, max_length=4096)]
    include: Patterns = Field(default_factory=list)
    exclude: Patterns = Field(default_factory=list)
    max_bytes: Size = DEFAULT_MAX_BYTES
    place: Annotated[Text, Field(min_length=1, max_length=500)] | None = None


class CensusGiven(Given):
    """A folder to count."""

    path: Annotated[Text, Field(min_length=1, max_length=4096)]
    include: Patterns = Field(default_factory=list)
    exclude: Patterns = Field(default_factory=list)
    max_bytes: Size = DEFAULT_MAX_BYTES


class FolderChange(Given):
    """`suspended`: stop following it for now; false follows it again."""

    suspended: bool


class KindCount(Shown):
    """How many files of one kind, and their bytes."""

    kind: str
    files: int
    bytes: int


class PathReason(Shown):
    """A path within the folder, and why it would not be read."""

    path: str
    reason: str


class CensusShown(Shown):
    """What watching a folder would take; `is_large` says that it should be confirmed first."""

    files: int
    bytes: int
    is_large: bool
    kinds: list[KindCount]
    refused: list[PathReason]
    unlisted: list[PathReason]
    others: int


class FileProblem(Shown):
    """A file that could not be read or was refused; `note` is what it said before, where it was read once."""

    path: str
    state: FileState
    reason: str
    bytes: int
    note: str | None


class ProblemList(Shown):
    """Files that were not taken."""

    errors: list[FileProblem]
    more: bool


class Unwatched(Shown):
    """How many notes went to the trash."""

    deleted: int


def _shown(view: FolderView) -> FolderShown:
    return FolderShown.model_validate(view.as_dict())


@router.get("", summary="List watched folders")
def list_folders(memory: Memory, actor: Owner, vault: VaultName) -> FolderList:
    """The folders the vault follows, by path, and how they stand."""
    return FolderList(folders=[_shown(view) for view in memory.folders.list(actor=actor, vault=vault)])


@router.post("", status_code=201, summary="Watch a folder")
def watch_folder(memory: Memory, actor: Owner, vault: VaultName, given: NewFolder) -> FolderShown:
    """Let the vault follow a folder of this machine; it is read in the background. Again: with other patterns."""
    made = memory.folders.watch(
        actor=actor,
        vault=vault,
        path=given.path,
        include=given.include,
        exclude=given.exclude,
        max_bytes=given.max_bytes,
        place=given.place,
    )
    return _shown(memory.folders.get(actor=actor, folder=made.id))


@router.post("/census", summary="Count a folder")
def count_folder(memory: Memory, actor: Owner, vault: VaultName, given: CensusGiven) -> CensusShown:
    """What watching a folder would take, by kind and size; nothing is opened or kept."""
    memory.vaults.get(actor=actor, vault=vault)
    found = memory.folders.census(
        actor=actor, path=given.path, include=given.include, exclude=given.exclude, max_bytes=given.max_bytes
    )
    return CensusShown.model_validate(found.as_dict())


@router.get("/{folder}", summary="Show a watched folder")
def get_folder(memory: Memory, actor: Owner, vault: VaultName, folder: FolderId) -> FolderShown:
    """One watched folder, and how far a scan under way is."""
    return _shown(memory.folders.get(actor=actor, folder=folder, vault=vault))


@router.patch("/{folder}", summary="Suspend or resume")
def change_folder(memory: Memory, actor: Owner, vault: VaultName, folder: FolderId, given: FolderChange) -> FolderShown:
    """Stop following a folder for now, and any scan of it; or follow it again, from where it stood."""
    change = memory.folders.suspend if given.suspended else memory.folders.resume
    change(actor=actor, folder=folder, vault=vault)
    return _shown(memory.folders.get(actor=actor, folder=folder, vault=vault))


@router.post("/{folder}/scan", status_code=202, summary="Scan a folder")
def scan_folder(memory: Memory, actor: Owner, vault: VaultName, folder: FolderId) -> FolderShown:
    """Have the whole folder looked at now, in the background."""
    memory.folders.want_scan(actor=actor, folder=folder, vault=vault)
    return _shown(memory.folders.get(actor=actor, folder=folder, vault=vault))


@router.get("/{folder}/errors", summary="List files that were not taken")
def list_errors(
    memory: Memory, actor: Owner, vault: VaultName, folder: FolderId, limit: Limit = 50, offset: Offset = 0
) -> ProblemList:
    """The files that could not be read or were refused, with the reasons, by path."""
    found = memory.folders.errors(actor=actor, folder=folder, vault=vault, limit=limit + 1, offset=offset)
    files, more = page(found, limit)
    return ProblemList(errors=[FileProblem.model_validate(item) for item in problems(files)], more=more)


@router.delete("/{folder}", summary="Unwatch a folder")
def unwatch_folder(
    memory: Memory,
    actor: Owner,
    vault: VaultName,
    folder: FolderId,
    keep: Annotated[bool, Query(description="Leave its notes where they are.")] = False,
) -> Unwatched:
    """Follow a folder no longer; its notes go to the trash, and come back when it is watched again."""
    return Unwatched(deleted=memory.folders.unwatch(actor=actor, folder=folder, vault=vault, keep=keep))
