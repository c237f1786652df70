"""The audit log: acts that someone may have to answer for, with names and counts, never contents (A4)."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from souvenance.interfaces.panel.audit_words import told
from souvenance.interfaces.panel.marking import marked as _
from souvenance.interfaces.panel.pages.memory_list import SOURCES
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get

PAGE = "audit.html"
A_PAGE = 50


VERBS = {
    "vault.create": _("made a vault"),
    "vault.change": _("changed a vault"),
    "vault.type": _("changed the step of a vault"),
    "vault.settings": _("changed settings of a vault"),
    "vault.restore_all": _("restored all retired facts"),
    "vault.move": _("gave a vault to another team"),
    "vault.export": _("took the facts of a vault out as a file"),
    "vault.import": _("read a file of facts into a vault"),
    "vault.delete": _("deleted a vault"),
    "erase.vault": _("erased the memory of a vault"),
    "erase.member": _("erased what is known of a member"),
    "fact.delete": _("deleted facts"),
    "fact.purge": _("purged facts for good"),
    "fact.restore": _("took facts out of the trash"),
    "fact.move": _("moved facts to another vault"),
    "fact.arrive": _("facts arrived from another vault"),
    "fact.ignored": _("a model's request was ignored"),
    "note.delete": _("deleted a note"),
    "note.purge": _("purged a note for good"),
    "history.revert": _("took back all that someone wrote"),
    "proposal.answer": _("answered a proposal"),
    "member.opt_out": _("wished not to be remembered"),
    "member.opt_in": _("let themselves be remembered again"),
    "token.create": _("made a token"),
    "token.revoke": _("revoked a token"),
    "endpoint.add": _("added a model"),
    "endpoint.change": _("changed a model"),
    "endpoint.use": _("chose what a model is used for"),
    "endpoint.remove": _("removed a model"),
    "server.settings": _("changed settings of a Discord server"),
    "folder.watch": _("had a folder watched"),
    "folder.unwatch": _("had a folder watched no longer"),
    "user.create": _("made a user"),
    "user.remove": _("removed a user"),
    "user.restore": _("let a user in again"),
    "user.password": _("set a password"),
    "session.revoke": _("signed a browser out"),
    "team.create": _("made a team"),
    "team.rename": _("renamed a team"),
    "team.invite": _("invited someone"),
    "team.withdraw": _("took an invitation back"),
    "team.join": _("joined a team"),
    "team.give": _("gave a vault to another team"),
    "team.member.configure": _("changed what a member may do"),
    "team.member.remove": _("removed a member"),
    "team.member.leave": _("left a team"),
}
"""What was done, in words; an act that is not here is shown by its code."""


def show(visit: Visit) -> Response:
    """The latest acts first, page by page."""
    return visit.page(PAGE, **_shown(visit))


def show_more(visit: Visit) -> Response:
    """The next page, put behind what is shown."""
    return visit.piece(PAGE, "entries", **_shown(visit))


def _shown(visit: Visit) -> dict[str, Any]:
    start = visit.asked_number("from", 0)
    found = visit.memory.history.audit(actor=visit.actor, limit=A_PAGE + 1, offset=start)
    return {
        "here": "settings",
        "tab": "audit",
        "entries": found[:A_PAGE],
        "next": start + A_PAGE if len(found) > A_PAGE else None,
        "names": {vault.slug: visit.called(vault) for vault in visit.memory.vaults.list(actor=visit.actor)},
        "verbs": VERBS,
        "sources": SOURCES,
        "told": lambda entry: told(visit, entry),
    }


WAYS: tuple[Way, ...] = (get("/audit", show), get("/audit/more", show_more))
