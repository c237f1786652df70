"""One vault: what it is, what it holds, its protection, and taking it away (V1, V8, F7)."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from souvenance.domain.errors import InvalidInput, NotFound, StaleVersion
from souvenance.domain.vault import Protection, Vault, VaultKind
from souvenance.interfaces.panel.colours import COLOURS, colour_of
from souvenance.interfaces.panel.pages import vault_folders
from souvenance.interfaces.panel.pages.vaults import DELETED, shared_by
from souvenance.interfaces.panel.vault_words import KINDS, STEPS, as_named
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get, post

PAGE = "vault.html"
FIELDS = ("name", "description", "colour")


def show(visit: Visit) -> Response:
    """The vault's page."""
    found = _vault(visit)
    return visit.page(PAGE, **_shown(visit, found) | vault_folders.shown(visit, found))


def show_about(visit: Visit) -> Response:
    """What the vault is and holds, asked for again when it changed; where it is gone, that, and what is typed stays."""
    try:
        found = _vault(visit)
    except NotFound:
        return visit.piece("pieces/vault_gone.html", "gone")
    return visit.piece(PAGE, "about", **_shown(visit, found))


def change(visit: Visit) -> Response:
    """Name, description, colour. Where someone changed them meanwhile, both are shown and nothing is overwritten."""
    given = {name: visit.given(name) for name in FIELDS}
    try:
        changed = visit.memory.vaults.change(
            actor=visit.actor,
            vault=visit.path["vault"],
            name=as_named(visit.tongue, _vault(visit), given["name"]),
            description=given["description"],
            colour=given["colour"],
            seen=_seen(visit.given("seen")),
        )
    except StaleVersion:
        values = _shown(visit, _vault(visit))
        return visit.piece(PAGE, "form", **values | {"given": given, "theirs": values["given"]})
    return visit.html(visit.block(PAGE, "form", **_shown(visit, changed)), visit.note(visit.say("Saved.")))


def protect(visit: Visit) -> Response:
    """Protect the vault, or let it leave over cloud routes again."""
    wanted = Protection(visit.chosen("protection", *Protection))
    changed = visit.memory.vaults.change(actor=visit.actor, vault=visit.path["vault"], protection=wanted)
    if wanted is Protection.MAXIMUM:
        said = visit.say("%(name)s is protected: nothing of it leaves over a cloud route.", name=visit.called(changed))
    else:
        said = visit.say("%(name)s may leave over cloud routes again.", name=visit.called(changed))
    return visit.html(visit.block(PAGE, "about", **_shown(visit, changed)), visit.note(said))


def ask_to_delete(visit: Visit) -> Response:
    """What dies with the vault, in figures, before its name is typed."""
    found = _vault(visit)
    preview = visit.memory.erasures.preview(actor=visit.actor, vault=found.slug)
    (counted,) = preview.vaults
    counts = counted.counts
    return visit.piece(
        "pieces/delete_vault.html",
        "dialog",
        vault=found,
        facts=counts.get("facts", 0),
        old=counts.get("facts_retired", 0) + counts.get("facts_trashed", 0),
        notes=counts.get("notes", 0),
        revisions=counts.get("revisions", 0),
        turns=counts.get("turns", 0),
        folders=len(visit.memory.folders.list(actor=visit.actor, vault=found.slug)),
        beyond=preview.beyond,
        comes_back=found.kind in {VaultKind.PERSONAL, VaultKind.APP, VaultKind.SERVER},
    )


def delete(visit: Visit) -> Response:
    """Erase everything of the vault and take it away; where its files cannot be rewritten yet, that is said."""
    confirm = as_named(visit.tongue, _vault(visit), visit.given("confirm"))
    receipt = visit.memory.erasures.delete_vault(actor=visit.actor, vault=visit.path["vault"], confirm=confirm)
    state = "pending" if receipt.why else "done"
    response = visit.go("/vaults")
    said = f"{state}/{quote(visit.path['vault'], safe='')}"  # a cookie: an address could be made up by anybody
    response.set_cookie(
        DELETED, said, max_age=60, httponly=True, samesite="lax", secure=visit.is_secure, path="/vaults"
    )
    return response


def _vault(visit: Visit) -> Vault:
    return visit.memory.vaults.get(actor=visit.actor, vault=visit.path["vault"])


def _seen(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput("The form is not whole.", hint="Load the page again.") from None


def _shown(visit: Visit, found: Vault) -> dict[str, Any]:
    return {
        "here": "vaults",
        "vault": found,
        "colour": colour_of(found),
        "given": {
            "name": visit.called(found),
            "description": found.description,
            "colour": found.colour or colour_of(found),
        },
        "theirs": None,
        "seen": found.updated_at.isoformat(),
        "palette": COLOURS,
        "kinds": KINDS,
        "steps": STEPS,
        "team": shared_by(visit).get(found.team_id, ""),
        "facts": visit.memory.vaults.count_facts(actor=visit.actor).get(found.id, 0),
        "notes": visit.memory.vaults.count_notes(actor=visit.actor).get(found.id, 0),
        "waiting": visit.memory.embedding.waiting(actor=visit.actor).get(found.id, 0),
        "by_meaning": visit.memory.embedding.may_read(found),
    }


WAYS: tuple[Way, ...] = (
    get("/vaults/{vault}", show),
    get("/vaults/{vault}/about", show_about),
    get("/vaults/{vault}/delete", ask_to_delete),
    post("/vaults/{vault}/change", change),
    post("/vaults/{vault}/protection", protect),
    post("/vaults/{vault}/delete", delete),
)
