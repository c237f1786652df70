"""`/map`: the neural map's nodes and edges, and taking a node out of every retrieval (V14)."""

from __future__ import annotations

import dataclasses
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from fastapi.responses import JSONResponse

from souvenance.domain.clock import isoformat
from souvenance.domain.note import NoteClass
from souvenance.interfaces.rest.caller import Caller, Memory
from souvenance.interfaces.rest.fields import Given, Shown
from souvenance.map.map import MOST_NODES

router = APIRouter(prefix="/map", tags=["map"])

NodeName = Annotated[str, Path(pattern=r"^(note:[0-9a-z]{12}|fact:[1-9][0-9]{0,17})$", description="A node's `id`.")]


class MapVault(Shown):
    """A vault on the map; its nodes are dimmed by its attention."""

    slug: str
    name: str
    colour: str
    attention: int


class NodeShown(Shown):
    """A note or a fact: `id` is `note:ID` or `fact:NUMBER`; `note` the note itself, or the page a fact stands on, of
    the class `note_class`."""

    id: str
    kind: Literal["note", "fact"]
    vault: str
    label: str
    note: str
    note_class: NoteClass
    disabled: bool
    updated_at: datetime


class EdgeShown(Shown):
    """`link`: a text points at a note. `page`: a fact stands on it. `alike`: measured, its weight is their cosine."""

    kind: Literal["link", "page", "alike"]
    source: str
    target: str
    weight: float


class MapShown(Shown):
    """The map; `cut`: there is more than is drawn, and what changed last is."""

    vaults: list[MapVault]
    nodes: list[NodeShown]
    edges: list[EdgeShown]
    cut: bool


class Disabled(Given):
    """Whether a node is left out of every retrieval."""

    disabled: bool


@router.get("", summary="Draw the map", response_model=MapShown)
def draw_map(
    memory: Memory,
    actor: Caller,
    limit: Annotated[int, Query(ge=1, le=MOST_NODES, description="At most so many nodes.")] = MOST_NODES,
) -> JSONResponse:
    """Notes and facts of the vaults that may be given to this caller, with their ties."""
    drawing = memory.map.draw(actor=actor, limit=limit)
    shown: dict[str, Any] = {  # as it is: five thousand nodes are not validated one by one
        "vaults": [
            {"slug": one.slug, "name": one.name, "colour": one.colour, "attention": one.attention}
            for one in drawing.vaults
        ],
        "nodes": [dataclasses.asdict(node) | {"updated_at": isoformat(node.updated_at)} for node in drawing.nodes],
        "edges": [
            {"kind": edge.kind, "source": edge.source, "target": edge.target, "weight": edge.weight}
            for edge in drawing.edges
        ],
        "cut": drawing.cut,
    }
    return JSONResponse(shown)


@router.put("/{node}/disabled", status_code=204, summary="Disable or enable a node")
def disable_node(memory: Memory, actor: Caller, node: NodeName, given: Disabled) -> None:
    """Leave a note or a fact out of every retrieval until it is enabled again; a memory page takes its facts along."""
    memory.map.set_disabled(actor=actor, node=node, disabled=given.disabled)
