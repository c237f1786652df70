"""Bringing facts, Markdown and conversations into a vault, and taking a vault's facts away (R4)."""

from __future__ import annotations

from starlette.datastructures import UploadFile
from starlette.responses import Response, StreamingResponse

from souvenance.domain.errors import InvalidInput
from souvenance.domain.form import FactForm, Form
from souvenance.imports.uploads import Upload
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get, post

PAGE = "memory_import.html"
WHAT = ("facts", "markdown", "chats")
FORM_NAMES = {
    FactForm.JSON_LINES: "JSON lines",
    FactForm.CSV: "CSV",
    FactForm.MEM0: "mem0 (JSON)",
    FactForm.MARKDOWN: "Markdown",
}
KINDS = {Form.JSON_LINES: ("jsonl", "application/jsonl"), Form.MARKDOWN: ("md", "text/markdown")}


def show_import(visit: Visit) -> Response:
    """Choose files."""
    found = visit.memory.vaults.get(actor=visit.actor, vault=visit.path["vault"])
    what = visit.asked("what", "markdown")
    what = what if what in WHAT else "markdown"
    return visit.page(
        PAGE, here="memory", vault=found, report=None, what=what, forms=list(FactForm), form_names=FORM_NAMES
    )


def bring_facts(visit: Visit) -> Response:
    """Read a file of facts into the vault; or say first what that would do."""
    found = visit.memory.vaults.get(actor=visit.actor, vault=visit.path["vault"])
    report = visit.memory.fact_imports.facts(
        actor=visit.actor,
        upload=_sent(visit),
        vault=found.slug,
        form=FactForm(visit.chosen("form", "", *FactForm) or FactForm.AUTO),
        dry_run=_is_look(visit),
    )
    return visit.piece(PAGE, "facts_report", vault=found, report=report)


def bring_chats(visit: Visit) -> Response:
    """Read the conversations of an export into the vault as notes; or say first what that would do."""
    found = visit.memory.vaults.get(actor=visit.actor, vault=visit.path["vault"])
    report = visit.memory.chat_imports.chats(
        actor=visit.actor,
        upload=_sent(visit),
        vault=found.slug,
        folder=visit.given("folder"),
        dry_run=_is_look(visit),
    )
    return visit.piece(PAGE, "chats_report", vault=found, report=report)


def _sent(visit: Visit) -> Upload:
    """The one file of the form."""
    sent = visit.form.get("file")
    if not isinstance(sent, UploadFile) or not sent.filename:
        raise InvalidInput("No file was chosen.", hint="Choose a file first.")
    return Upload(sent.filename, sent.file)


def _is_look(visit: Visit) -> bool:
    return visit.chosen("deed", "", "look", "import") != "import"


def bring_in(visit: Visit) -> Response:
    """Read Markdown files, or a zip of them, into the vault as notes; or say first what that would do."""
    found = visit.memory.vaults.get(actor=visit.actor, vault=visit.path["vault"])
    sent = [item for item in visit.form.getlist("files") if isinstance(item, UploadFile) and item.filename]
    uploads = [Upload(item.filename or "", item.file) for item in sent]
    report = visit.memory.imports.uploads(
        actor=visit.actor,
        uploads=uploads,
        vault=found.slug,
        folder=visit.given("folder"),
        dry_run=_is_look(visit),
    )
    return visit.piece(PAGE, "report", vault=found, report=report)


def export(visit: Visit) -> Response:
    """The facts of a vault as a download, piece by piece."""
    try:
        form = Form(visit.asked("form", Form.JSON_LINES))
    except ValueError:
        raise InvalidInput("There is no such form.", hint="Choose jsonl or markdown.") from None
    found = visit.memory.vaults.get(actor=visit.actor, vault=visit.path["vault"])
    pieces = visit.memory.exports.facts(actor=visit.actor, vault=found.slug, form=form)
    ending, kind = KINDS[form]
    plain = found.slug.encode("ascii", "ignore").decode() or "memory"
    headers = {"Content-Disposition": f'attachment; filename="souvenance-{plain}.{ending}"'}
    return StreamingResponse(pieces, media_type=f"{kind}; charset=utf-8", headers=headers)


WAYS: tuple[Way, ...] = (
    get("/memory/{vault}/import", show_import),
    post("/memory/{vault}/import", bring_in),
    post("/memory/{vault}/import/facts", bring_facts),
    post("/memory/{vault}/import/chats", bring_chats),
    get("/memory/{vault}/export", export),
)
