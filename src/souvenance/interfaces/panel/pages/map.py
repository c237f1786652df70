"""The neural map: vaults, notes and facts as a drawing that follows every gesture, and the same as a list (V14)."""

from __future__ import annotations

import unicodedata
from typing import Any

from starlette.responses import JSONResponse, Response

from souvenance.domain.errors import InvalidInput, NotFound
from souvenance.domain.note import NoteClass
from souvenance.interfaces.panel.colours import colour_of
from souvenance.interfaces.panel.pages.scope import pill_values
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get, post
from souvenance.map.map import Drawing, Node

PAGE = "map.html"
ROWS = 50
EXCERPT = 700
"""Characters of a note that the sheet beside the map shows."""
_FORMS = {NoteClass.USER_DOC: "n", NoteClass.AGENT_MEMORY: "m", NoteClass.SOURCE: "s"}


def show(visit: Visit) -> Response:
    """The map; the drawing itself comes as data."""
    vaults = visit.memory.vaults.list(actor=visit.actor)
    return visit.page(
        PAGE,
        here="map",
        vaults=[(vault, colour_of(vault)) for vault in vaults if vault.kind != "app"],
        withheld=visit.memory.vaults.count_withheld(actor=visit.actor),
        **pill_values(visit),
    )


def give_data(visit: Visit) -> Response:
    """Nodes, places and ties in compact arrays: `nodes` are named by `ids`, ties are pairs of places in them."""
    placed = visit.memory.map.place(actor=visit.actor)
    drawing = placed.drawing
    at = {node.id: place for place, node in enumerate(drawing.nodes)}
    order = {vault.slug: place for place, vault in enumerate(drawing.vaults)}
    ties: dict[str, list[float]] = {"link": [], "page": [], "alike": []}
    for edge in drawing.edges:
        ties[edge.kind] += (at[edge.source], at[edge.target])
    return JSONResponse(
        {
            "vaults": [
                {"id": one.id, "name": visit.called(one), "colour": colour_of(one), "attention": one.attention}
                for one in drawing.vaults
            ],
            "ids": [node.id for node in drawing.nodes],
            "forms": "".join(
                "f" if node.kind == "fact" else _FORMS[NoteClass(node.note_class)] for node in drawing.nodes
            ),
            "vault": [order[node.vault] for node in drawing.nodes],
            "labels": [node.label for node in drawing.nodes],
            "disabled": [place for place, node in enumerate(drawing.nodes) if node.disabled],
            "x": [round(float(x), 1) for x in placed.places[:, 0]],
            "y": [round(float(y), 1) for y in placed.places[:, 1]],
            "ties": ties,
            "cut": drawing.cut,
            "settled": placed.is_settled,
        }
    )


def give_weights(visit: Visit) -> Response:
    """The attention of each vault, by its id: what dims the map after a gesture."""
    return JSONResponse({vault.id: vault.attention for vault in visit.memory.vaults.list(actor=visit.actor)})


def show_node(visit: Visit) -> Response:
    """What a node is, beside the map."""
    return visit.piece("pieces/node.html", "node", **_node(visit, visit.path["node"]))


def disable(visit: Visit) -> Response:
    """Leave a node out of every retrieval, or let it be found again; the other way round is one click away."""
    node, off = visit.path["node"], visit.asked("off", "1")
    if off not in {"0", "1"}:
        raise InvalidInput("The form is not whole.", hint="Load the page again.")
    disabled = off == "1"
    visit.memory.map.set_disabled(actor=visit.actor, node=node, disabled=disabled)
    values = _node(visit, node)
    if disabled:
        said = visit.say("“%(name)s” is left out of every search and answer until you enable it.", name=values["title"])
    else:
        said = visit.say("“%(name)s” is found again.", name=values["title"])
    note = visit.note(said, undo=f"/map/node/{node}/disabled?off={int(not disabled)}")
    if visit.request.headers.get("hx-target") == "map-list":
        return visit.html(visit.block("map_list.html", "list", **_list(visit)), note)
    return visit.html(visit.block("pieces/node.html", "node", **values), note)


def show_list(visit: Visit) -> Response:
    """The same nodes as a table, for those who read rather than look."""
    values = _list(visit)
    return visit.piece("map_list.html", "list", **values) if visit.is_partial else visit.page("map_list.html", **values)


def _node(visit: Visit, name: str) -> dict[str, Any]:
    kind, _, ref = name.partition(":")
    if kind == "fact" and ref.isascii() and ref.isdigit() and len(ref) < 19:
        fact = visit.memory.facts.get(actor=visit.actor, number=int(ref))
        page = visit.memory.notes.get(actor=visit.actor, ref=fact.note_id, limit=1)
        title, text = fact.key or f"#{fact.number}", fact.content
        values: dict[str, Any] = {"fact": fact, "disabled": fact.disabled, "page": page.note, "vault": page.vault}
        values["colour"] = colour_of(page.vault)
        return values | {"node": name, "title": title, "text": text, "address": f"/fact/{fact.number}"}
    if kind == "note" and ref:
        view = visit.memory.notes.get(actor=visit.actor, ref=ref, limit=20)
        note = view.note
        address = f"/{'m' if note.note_class is NoteClass.AGENT_MEMORY else 'n'}/{note.id}"
        values = {"fact": None, "disabled": note.disabled, "page": note, "vault": view.vault, "address": address}
        values["colour"] = colour_of(view.vault)
        return values | {"node": name, "title": note.title, "text": _excerpt(note.content)}
    raise NotFound("That is no node of the map.", hint="Load the map again.")


def _form(node: Node) -> str:
    return "f" if node.kind == "fact" else _FORMS[NoteClass(node.note_class)]


def _excerpt(text: str) -> str:
    return text if len(text) <= EXCERPT else text[:EXCERPT].rsplit(" ", 1)[0] + " …"


def _list(visit: Visit) -> dict[str, Any]:
    drawing = visit.memory.map.draw(actor=visit.actor)
    query, vault = visit.asked("q"), visit.asked("vault")
    found = [node for node in drawing.nodes if _fits(node, folded(query), vault)]
    start = visit.asked_number("start", 0, most=len(drawing.nodes))
    return {
        "here": "map",
        "rows": found[start : start + ROWS],
        "found": len(found),
        "start": start,
        "step": ROWS,
        "query": query,
        "chosen": vault,
        "names": {one.slug: one for one in drawing.vaults},
        "colours": {one.slug: colour_of(one) for one in drawing.vaults},
        "tied": _tied(drawing),
        "cut": drawing.cut,
    }


def _fits(node: Node, query: str, vault: str) -> bool:
    return vault in ("", node.vault) and query in folded(node.label)


def _tied(drawing: Drawing) -> dict[str, int]:
    many: dict[str, int] = {}
    for edge in drawing.edges:
        for node in (edge.source, edge.target):
            many[node] = many.get(node, 0) + 1
    return many


def folded(text: str) -> str:
    """A text as it is searched: no accents, one case."""
    plain = unicodedata.normalize("NFKD", text)
    return "".join(c for c in plain if not unicodedata.combining(c)).casefold().strip()


WAYS: tuple[Way, ...] = (
    get("/map", show),
    get("/map/data", give_data),
    get("/map/weights", give_weights),
    get("/map/list", show_list),
    get("/map/node/{node}", show_node),
    post("/map/node/{node}/disabled", disable),
)
