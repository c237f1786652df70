"""« Effacer la mémoire »: what would go, the deed confirmed by name, and the receipts (F7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from souvenance.domain.erasure import Erased, Hindrance, Preview, Proof, PurgeState
from souvenance.domain.errors import NotAllowed
from souvenance.domain.vault import Vault
from souvenance.interfaces.panel.marking import marked as _
from souvenance.interfaces.panel.vault_words import as_named
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get, post

PAGE = "memory_erase.html"


KINDS = {
    "facts": _("facts in force"),
    "facts_retired": _("retired facts"),
    "facts_trashed": _("facts in the trash"),
    "notes": _("notes"),
    "revisions": _("revisions"),
    "passages": _("passages"),
    "words": _("entries of the text index"),
    "vectors": _("vectors"),
    "links": _("links"),
    "proposals": _("proposals"),
    "passes": _("passes"),
    "files": _("files of watched folders"),
    "retrievals": _("entries of the retrieval log"),
    "turns": _("turns of conversations"),
    "conversations": _("conversations"),
    "pins": _("pins"),
    "replies": _("marks of protected replies"),
    "spending": _("counts of tokens"),
    "under_way": _("answers under way"),
    "members": _("members of the server"),
}
HINDRANCES = {
    Hindrance.NOT_RUN: _(
        "The files are still to be rewritten and checked; any process that opens this memory does it."
    ),
    Hindrance.READER: _("A program holds an older state of the database open; the purge completes once it lets go."),
    Hindrance.TRACES: _("Traces of what was erased were found; the purge is tried again."),
    Hindrance.STORE: _(
        "The database could not be rewritten (locked, read-only or no space); the purge is tried again."
    ),
}
PROOFS = {
    Proof.NONE: "",
    Proof.BYTES: _("The database’s files were read: none of it is in them."),
    Proof.REBUILT: _("The database was written anew from what is left."),
    Proof.ROWS: _("No row of any table holds it."),
}


def show(visit: Visit) -> Response:
    """Choose what to erase."""
    return visit.page(PAGE, here="memory", preview=None, **_shown(visit, _configured(visit)))


def preview(visit: Visit) -> Response:
    """The dry run: what would go and who else says the name; nothing changes."""
    vault = _configured(visit)
    member, names = _whom(visit)
    found = visit.memory.erasures.preview(actor=visit.actor, vault=vault.slug, member=member, names=names)
    return visit.piece(PAGE, "preview", **_previewed(visit, vault, found, member, names))


def erase(visit: Visit) -> Response:
    """Erase, now and for good; the receipts come back."""
    vault = _configured(visit)
    member, names = _whom(visit)
    typed = visit.given("confirm")
    confirm = typed if member else as_named(visit.tongue, vault, typed)
    done = visit.memory.erasures.erase(actor=visit.actor, vault=vault.slug, member=member, names=names, confirm=confirm)
    return visit.piece(PAGE, "done", **_shown(visit, vault), done=done, member=member, **_mentions(done))


def show_receipts(visit: Visit) -> Response:
    """What was erased here, and how far each purge is."""
    return visit.piece(PAGE, "receipts", **_shown(visit, _configured(visit)))


def _shown(visit: Visit, vault: Vault) -> dict[str, Any]:
    kept = visit.memory.erasures.receipts(actor=visit.actor, vault=vault.slug, limit=20)
    return {
        "vault": vault,
        "receipts": kept,
        "is_pending": any(item.state is PurgeState.PENDING for item in kept),
        "PurgeState": PurgeState,
        "kinds": KINDS,
        "counted": _counted,
        "hindrances": HINDRANCES,
        "proofs": PROOFS,
    }


def _previewed(visit: Visit, vault: Vault, found: Preview, member: str | None, names: list[str]) -> dict[str, Any]:
    return _shown(visit, vault) | {
        "preview": found,
        "member": member,
        "names": names,
        "counts": _counted(found.total),
        "folders": sum(item.folders for item in found.vaults),
    }


def _counted(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """What there is of each kind, what people know first."""
    known = list(KINDS)
    places = {name: known.index(name) if name in known else len(known) for name in counts}
    return [(name, counts[name]) for name in sorted(counts, key=places.__getitem__) if counts[name]]


def _mentions(done: Erased) -> dict[str, Any]:
    return {"mentions": done.mentions}


def _whom(visit: Visit) -> tuple[str | None, list[str]]:
    member = visit.given("member").strip() if visit.chosen("what", "vault", "member") == "member" else None
    return member, [name for name in (part.strip() for part in visit.given("names").split(",")) if name]


def _configured(visit: Visit) -> Vault:
    found = visit.memory.vaults.get(actor=visit.actor, vault=visit.path["vault"])
    if not found.can_configure:
        raise NotAllowed("You may read this vault but not erase it.", hint="Ask its team for the configure permission.")
    return found


WAYS: tuple[Way, ...] = (
    get("/memory/{vault}/erase", show),
    post("/memory/{vault}/erase/preview", preview),
    post("/memory/{vault}/erase", erase),
    get("/memory/{vault}/receipts", show_receipts),
)
