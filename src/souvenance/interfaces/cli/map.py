"""`souvenance map`: the nodes and ties of the neural map, and taking a node out of every retrieval."""

from __future__ import annotations

from typing import Annotated

import typer

from souvenance.interfaces.cli.session import Session, verb

group = typer.Typer(name="map", help="The map: notes and facts and what ties them.", no_args_is_help=True)

NodeName = Annotated[str, typer.Argument(metavar="NODE", help="fact:NUMBER or note:ID.")]


@verb(group, "show")
def show(
    session: Session, *, limit: Annotated[int, typer.Option(min=1, help="At most this many nodes.")] = 5000
) -> None:
    """List the nodes of the map and how many ties each has; with --json the ties themselves."""
    drawing = session.memory.map.draw(actor=session.actor, limit=limit)
    ties: dict[str, int] = {}
    for edge in drawing.edges:
        for end in (edge.source, edge.target):
            ties[end] = ties.get(end, 0) + 1
    session.out.table(
        {
            "vaults": [{"slug": one.slug, "attention": one.attention} for one in drawing.vaults],
            "nodes": drawing.nodes,
            "edges": drawing.edges,
            "cut": drawing.cut,
        },
        columns=("node", "vault", "label", "ties", "disabled"),
        rows=[
            (node.id, node.vault, node.label, ties.get(node.id, 0), "disabled" if node.disabled else "")
            for node in drawing.nodes
        ],
        empty="There is nothing on the map yet.",
    )
    if drawing.cut:
        session.out.note(f"Only the {len(drawing.nodes)} changed last are shown.")


@verb(
    group,
    "disable",
    example="map disable fact:12",
)
def disable(session: Session, node: NodeName) -> None:
    """Leave a node out of every retrieval until it is enabled; a memory page takes its facts along."""
    session.memory.map.set_disabled(actor=session.actor, node=node, disabled=True)
    session.out.say({"node": node, "disabled": True}, f"{node} is left out of every retrieval.")


@verb(group, "enable")
def enable(session: Session, node: NodeName) -> None:
    """Let a node be found again."""
    session.memory.map.set_disabled(actor=session.actor, node=node, disabled=False)
    session.out.say({"node": node, "disabled": False}, f"{node} can be found again.")
