"""Watched folders of a vault: counted before they are taken, followed while they are read, and let go of (V13)."""

from __future__ import annotations

import threading
from typing import Any

from starlette.responses import Response

from souvenance.domain.errors import InvalidInput, NotFound, SouvenanceError
from souvenance.domain.folder import DEFAULT_MAX_BYTES, Condition, FolderStatus
from souvenance.domain.vault import Vault
from souvenance.ingest.folder_views import FolderView
from souvenance.ingest.kinds import Kind
from souvenance.interfaces.panel.marking import marked as _
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get, post

PAGE = "vault.html"
MANY = 200
"""Files not read that are listed at most."""
MEGABYTE = 1024 * 1024
LARGEST = 1_000_000
"""Megabytes beyond which a size is no other than this."""


FILE_KINDS = {
    Kind.MARKDOWN: "Markdown",
    Kind.TEXT: _("text"),
    Kind.CODE: _("source code"),
    Kind.CSV: "CSV",
    Kind.HTML: "HTML",
    Kind.PDF: "PDF",
    Kind.DOCX: "Word",
    Kind.PPTX: "PowerPoint",
    Kind.XLSX: "Excel",
    Kind.EPUB: "EPUB",
    Kind.EMAIL: _("e-mail"),
    Kind.UNKNOWN: _("unknown"),
    Kind.OTHER: _("other files"),
}


def shown(visit: Visit, vault: Vault) -> dict[str, Any]:
    """What the part of a vault's page about its folders needs."""
    folders = visit.memory.folders.list(actor=visit.actor, vault=vault.slug)
    return {
        "vault": vault,
        "folders": folders,
        "is_busy": any(_is_busy(one) for one in folders),
        "may_watch": visit.user.is_owner and vault.can_configure,
        "census": None,
        "file_kinds": FILE_KINDS,
        "asked": {"path": "", "include": "", "exclude": "", "megabytes": DEFAULT_MAX_BYTES // MEGABYTE},
    }


def show(visit: Visit) -> Response:
    """The folders as they stand; asked for again while one is being read. Where the vault is gone, nothing."""
    try:
        found = _vault(visit)
    except NotFound:
        return visit.html('<div id="folders"></div>')
    return visit.piece(PAGE, "folders", **shown(visit, found))


def count(visit: Visit) -> Response:
    """How much a folder is, before anything is read; and the question whether to take it."""
    found, asked = _vault(visit), _asked(visit)
    census = visit.memory.folders.census(
        actor=visit.actor,
        path=asked["path"],
        include=_lines(asked["include"]),
        exclude=_lines(asked["exclude"]),
        max_bytes=_bytes(asked["megabytes"]),
    )
    values = shown(visit, found) | {"census": census, "asked": asked}
    return visit.piece(PAGE, "watch", **values)


def watch(visit: Visit) -> Response:
    """Follow the folder from now on; it is read in the background."""
    found, asked = _vault(visit), _asked(visit)
    made = visit.memory.folders.watch(
        actor=visit.actor,
        vault=found.slug,
        path=asked["path"],
        include=_lines(asked["include"]),
        exclude=_lines(asked["exclude"]),
        max_bytes=_bytes(asked["megabytes"]),
    )
    values = shown(visit, found)
    said = visit.note(visit.say("%(path)s is followed from now on.", path=made.path))
    oob = visit.block(PAGE, "folders", **values, out_of_band=True)
    return visit.html(visit.block(PAGE, "watch", **values), oob, said)


def act(visit: Visit) -> Response:
    """Stop, go on, look again, try failed files again, or confirm that files are gone."""
    found, folder, deed = _vault(visit), visit.path["folder"], visit.path["deed"]
    folders, given = visit.memory.folders, {"actor": visit.actor, "folder": folder, "vault": found.slug}
    if deed == "suspend":
        folders.suspend(**given)
    elif deed == "resume":
        folders.resume(**given)
    elif deed == "retry":
        _in_background(visit, **given, retry=True)
    elif deed == "accept":
        folders.scan(**given, accept_empty=True)
    elif deed == "scan":
        folders.want_scan(**given)
    else:
        raise InvalidInput("There is no such deed.", hint="Load the page again.")
    return visit.piece(PAGE, "folders", **shown(visit, found))


def unwatch(visit: Visit) -> Response:
    """Follow the folder no longer; its notes stay, or go to the trash."""
    found, keep = _vault(visit), visit.chosen("keep", "0", "1") == "1"
    went = visit.memory.folders.unwatch(actor=visit.actor, folder=visit.path["folder"], vault=found.slug, keep=keep)
    if keep:
        said = visit.say("The folder is followed no longer; its notes stay as they are.")
    else:
        said = visit.tongue.count("%(n)s note went to the trash.", "%(n)s notes went to the trash.", went)
    return visit.html(visit.block(PAGE, "folders", **shown(visit, found)), visit.note(said))


def show_problems(visit: Visit) -> Response:
    """The files that were not taken, each with its reason."""
    folder = visit.path["folder"]
    files = visit.memory.folders.errors(actor=visit.actor, folder=folder, vault=visit.path["vault"], limit=MANY + 1)
    return visit.piece("pieces/problem_files.html", "files", files=files[:MANY], more=len(files) > MANY)


def _in_background(visit: Visit, **given: Any) -> None:
    """Scan without making the browser wait; how far it is, is kept with the folder."""
    scan = visit.memory.folders.scan

    def run() -> None:
        try:
            scan(**given)
        except SouvenanceError:  # told in the folder's state, which the page shows
            return

    threading.Thread(target=run, name="souvenance-retry", daemon=True).start()


def _is_busy(view: FolderView) -> bool:
    folder = view.folder
    waits = folder.wanted and folder.condition is Condition.NEW
    return folder.status is FolderStatus.WATCHED and (folder.condition is Condition.SCANNING or waits)


def _asked(visit: Visit) -> dict[str, Any]:
    megabytes = visit.given_number("megabytes", DEFAULT_MAX_BYTES / MEGABYTE)
    return {
        "path": visit.given("path").strip(),
        "include": visit.given("include"),
        "exclude": visit.given("exclude"),
        "megabytes": f"{megabytes:g}",
    }


def _bytes(megabytes: str) -> int:
    return int(max(-1, min(float(megabytes), LARGEST)) * MEGABYTE)  # what is over it is refused, whatever it is


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _vault(visit: Visit) -> Vault:
    return visit.memory.vaults.get(actor=visit.actor, vault=visit.path["vault"])


WAYS: tuple[Way, ...] = (
    get("/vaults/{vault}/folders", show),
    post("/vaults/{vault}/folders/census", count),
    post("/vaults/{vault}/folders/watch", watch),
    get("/vaults/{vault}/folders/{folder}/problems", show_problems),
    post("/vaults/{vault}/folders/{folder}/unwatch", unwatch),
    post("/vaults/{vault}/folders/{folder}/{deed:str}", act),
)
