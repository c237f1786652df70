"""Writing: a note or a page of agent memory in an editor, a new note, a preview (N1, N2, N5).

Nothing is overwritten unseen: what is saved names the version it was written on; where that is not the note's any more
both texts are shown, and the person chooses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.responses import Response

from souvenance.domain.errors import AmbiguousEdit, Conflict, InvalidInput, NotFound, SouvenanceError, StaleVersion
from souvenance.domain.note import NoteClass
from souvenance.interfaces.panel import prose
from souvenance.interfaces.panel.changes import diff_rows
from souvenance.interfaces.panel.pages.note import MOST_FACTS, create_address, leave
from souvenance.interfaces.panel.pages.notes import writable
from souvenance.interfaces.panel.problems import status_of
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get, post
from souvenance.notes.diff import text_lines
from souvenance.notes.reading import NoteView

PAGE, ANSWERS = "note_edit.html", "pieces/editor_answers.html"


def show(visit: Visit) -> Response:
    """The text in an editor."""
    view = _view(visit)
    address = prose.note_address(view.note.id, view.note.note_class)
    if view.note.deleted_at is not None or view.note.note_class is NoteClass.SOURCE or not view.vault.can_configure:
        return visit.go(address)
    if view.facts_total > MOST_FACTS:
        raise InvalidInput(
            visit.say("This page holds too many facts to be edited as one text."),
            hint=visit.say("Correct them one by one on the Memory page."),
        )
    return visit.page(PAGE, **_shown(visit, view))


def save(visit: Visit) -> Response:
    """Keep the text. Without a script, and when the editor is left, the note is read next."""
    stay = visit.given("stay") == "yes"
    text, version = visit.given("content"), visit.given_whole("version")
    view = _view(visit)
    try:
        done = visit.memory.notes.edit(
            actor=visit.actor, ref=view.note.id, operation="replace", content=text, version=version or 0
        )
    except StaleVersion:
        return _both_texts(visit, _view(visit), text)
    except (AmbiguousEdit, Conflict, InvalidInput) as error:
        return _refused(visit, view, error, text)
    secrets = visit.memory.notes.secrets_in(text)
    if not stay:
        address = prose.note_address(view.note.id, view.note.note_class)
        return leave(visit, f"{address}?warned=yes" if secrets else address)
    pieces = [visit.block(ANSWERS, "version", version=done.version)]
    if view.note.note_class is NoteClass.AGENT_MEMORY:  # facts that are new have their anchors now
        pieces.append(visit.block(ANSWERS, "fresh", text=_view(visit).note.content))
    pieces.append(visit.note(visit.say("Saved.")))
    if secrets:
        said = visit.say("It seems to hold a secret (%(kinds)s). It was kept all the same.", kinds=", ".join(secrets))
        pieces.append(visit.note(said, kind="warn"))
    return visit.html(*pieces)


def show_news(visit: Visit) -> Response:
    """Whether the note changed since this editor was opened."""
    try:
        view = _view(visit, limit=0)
    except NotFound:
        return visit.piece("pieces/editor_news.html", "news", **_news(visit, None))
    return visit.piece("pieces/editor_news.html", "news", **_news(visit, view))


def preview(visit: Visit) -> Response:
    """The text as it will be read. Nothing is kept."""
    links = prose.Links()
    if ref := visit.given("note"):
        view = visit.memory.notes.get(actor=visit.actor, ref=f"/n/{ref}", limit=0)
        links = prose.links_to(view.links, folder=view.note.folder, create=create_address(view))
    first, *others = prose.parts(visit.given("content"))
    text = prose.rendered(first, links=links, title=visit.given("title")).html
    return visit.piece(ANSWERS, "preview", text=text, is_cut=bool(others))


def new(visit: Visit) -> Response:
    """An empty page to write on."""
    return visit.page(PAGE, **_new(visit, title=visit.asked("title"), folder=visit.asked("folder")))


def create(visit: Visit) -> Response:
    """Keep the new note. What is refused is said beside it; the text stays."""
    title, folder, content = (visit.given(name) for name in ("title", "folder", "content"))
    try:
        made = visit.memory.notes.create(
            actor=visit.actor, vault=visit.given("vault"), title=title, folder=folder, content=content
        )
    except SouvenanceError as error:
        if visit.is_partial:
            return _problem(visit, error)
        return visit.page(
            PAGE, status=status_of(error), **_new(visit, title=title, folder=folder, content=content, error=error)
        )
    secrets = visit.memory.notes.secrets_in(title, content)
    return leave(visit, f"/n/{made.id}?warned=yes" if secrets else f"/n/{made.id}")


def _shown(visit: Visit, view: NoteView, *, text: str | None = None, error: SouvenanceError | None = None) -> Any:
    note = view.note
    is_memory = note.note_class is NoteClass.AGENT_MEMORY
    return {
        "here": "notes",
        "is_new": False,
        "is_memory": is_memory,
        "item": note,
        "vault": view.vault,
        "base": prose.note_address(note.id, note.note_class),
        "text": note.content if text is None else text,
        "version": note.version,
        "error": error,
        **_news(visit, view),
    }


def _new(visit: Visit, *, title: str, folder: str, content: str = "", error: SouvenanceError | None = None) -> Any:
    vaults = writable(visit)
    wanted = visit.given("vault") or visit.asked("vault")
    chosen = next((vault for vault in vaults if vault.slug == wanted), vaults[0] if vaults else None)
    return {
        "here": "notes",
        "is_new": True,
        "is_memory": False,
        "vaults": vaults,
        "chosen": chosen.slug if chosen else "",
        "folders": visit.memory.explorer.folders(actor=visit.actor, vault=chosen.slug) if chosen else [],
        "title": title,
        "folder": folder,
        "text": content,
        "error": error,
    }


def _news(visit: Visit, view: NoteView | None) -> dict[str, Any]:
    seen = visit.asked_number("version", view.note.version if view else 0)
    return {
        "base": prose.note_address(view.note.id, view.note.note_class) if view else visit.request.url.path[:15],
        "vault_id": view.vault.id if view else 0,
        "is_lost": view is None,
        "is_gone": view is not None and view.note.deleted_at is not None,
        "is_changed": view is not None and view.note.version != seen,
    }


def _both_texts(visit: Visit, view: NoteView, mine: str) -> Response:
    """The note as it stands beside what was to be saved; the status says that nothing was, so the draft is kept."""
    last: Sequence[Any] = visit.memory.history.of_note(actor=visit.actor, ref=view.note.id, limit=1)
    values = {
        **_shown(visit, view),
        "mine": mine,
        "rows": diff_rows(visit.tongue, "\n".join(text_lines(view.note.content, mine))),
        "last": last[0] if last else None,
    }
    if not visit.is_partial:
        return visit.page("note_conflict.html", status=409, **values)
    return _at(visit.piece("note_conflict.html", "conflict", status=409, **values), "#editor", "outerHTML")


def _refused(visit: Visit, view: NoteView, error: SouvenanceError, text: str) -> Response:
    if visit.is_partial:
        return _problem(visit, error)
    return visit.page(PAGE, status=status_of(error), **_shown(visit, view, text=text, error=error))


def _problem(visit: Visit, error: SouvenanceError) -> Response:
    piece = visit.piece("pieces/editor_problem.html", "problem", status=status_of(error), error=error)
    return _at(piece, "#problem", "outerHTML")


def _at(response: Response, target: str, swap: str) -> Response:
    response.headers["HX-Retarget"] = target
    response.headers["HX-Reswap"] = swap
    return response


def _view(visit: Visit, *, limit: int | None = None) -> NoteView:
    return visit.memory.notes.get(actor=visit.actor, ref=f"/n/{visit.path['note']}", limit=limit)


WAYS: tuple[Way, ...] = (
    get("/notes/new", new),
    post("/notes/new", create),
    post("/notes/preview", preview),
    get("/n/{note}/edit", show),
    get("/m/{note}/edit", show),
    post("/n/{note}/edit", save),
    post("/m/{note}/edit", save),
    get("/n/{note}/edit/news", show_news),
    get("/m/{note}/edit/news", show_news),
)
