"""`souvenance vault solo`, `all`, `tick`, `none`, `undo`, `auto`, `scope`: who answers, by one gesture."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from souvenance.interfaces.cli.session import Session, verb
from souvenance.interfaces.cli.vault import Name

if TYPE_CHECKING:
    from souvenance.vaults.attention import ScopeView

group = typer.Typer()  # its verbs join those of `souvenance vault`


class Language(StrEnum):
    """In which the labels are said."""

    ENGLISH = "en"
    FRENCH = "fr"


Said = Annotated[Language, typer.Option("--language", help="Language of the labels.")]


def scope_shape(scope: ScopeView, language: str) -> dict[str, Any]:
    """The scope as every client of the command reads it."""
    return {
        "state": scope.state(language),
        "label": scope.label(language),
        "mix": scope.mix,
        "auto": scope.auto,
        "can_undo": scope.can_undo,
        "withheld": scope.withheld,
        "weights": {vault.slug: vault.attention for vault in scope.vaults},
    }


_NO_MEMORY = {"en": "Answers have no memory.", "fr": "Les réponses sont sans mémoire."}
_AUTO = {
    "en": "auto: the model chooses for each question",
    "fr": "auto : le modèle choisit pour chaque question",
}


def _show(session: Session, scope: ScopeView, language: str = "en") -> None:
    shape = scope_shape(scope, language)
    auto = f" ({_AUTO[language]})" if scope.auto else ""
    answering = [f"  {slug}: {weight} %" for slug, weight in shape["weights"].items()]
    memory = [f"  {_NO_MEMORY[language]}"] if scope.mix == "none" else []
    session.out.say(shape, f"{shape['label']}{auto}", *memory, *answering)


@verb(group, "scope")
def scope(session: Session, *, language: Said = Language.ENGLISH) -> None:
    """Show which vaults answer, and at what weight."""
    _show(session, session.memory.attention.scope(actor=session.actor), language)


@verb(group, "solo")
def solo(session: Session, vault: Name) -> None:
    """Let one vault answer alone: it at 100, all others at 0."""
    _show(session, session.memory.attention.solo(actor=session.actor, vault=vault))


@verb(group, "all")
def every(
    session: Session,
    *,
    keep_mix: Annotated[bool, typer.Option("--keep-mix", help="Raise only muted vaults, keep the other weights.")] = (
        False
    ),
) -> None:
    """Let every vault answer, at 100; with --keep-mix as the chat's All does."""
    attention = session.memory.attention
    gesture = attention.all_answering if keep_mix else attention.all
    _show(session, gesture(actor=session.actor))


@verb(
    group,
    "tick",
    example="vault tick server blog",
)
def tick(
    session: Session, vaults: Annotated[list[str], typer.Argument(metavar="VAULT...", help="Names or slugs.")]
) -> None:
    """Let these vaults answer, at 100, and no other."""
    _show(session, session.memory.attention.tick(actor=session.actor, vaults=vaults))


@verb(group, "none")
def none(session: Session) -> None:
    """Mute every vault: answers have no memory."""
    _show(session, session.memory.attention.none(actor=session.actor))


@verb(group, "undo")
def undo(session: Session) -> None:
    """Bring back the weights before the last gesture; twice brings the gesture back."""
    _show(session, session.memory.attention.undo(actor=session.actor))


@verb(group, "auto")
def auto(
    session: Session, *, off: Annotated[bool, typer.Option("--off", help="Read what the weights say again.")] = False
) -> None:
    """Let the model choose among the vaults that answer, for each question; any gesture ends it."""
    _show(session, session.memory.attention.set_auto(actor=session.actor, auto=not off))
