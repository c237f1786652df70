"""What the pages of the memory share: the list of facts as it was asked for, and how a row is shown (F3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from urllib.parse import urlencode

from souvenance.domain.errors import InvalidInput
from souvenance.domain.fact import DEFAULT_CATEGORY, Fact, Sort, State, SubjectKind
from souvenance.domain.vault import Vault
from souvenance.interfaces.panel.marking import marked as _
from souvenance.interfaces.panel.visit import Visit
from souvenance.memory.as_of import Glance

PAGE = "memory.html"
ON_A_PAGE = 50
LONGEST_SHOWN = 420
"""Characters of a fact that its row shows; all of it comes at a click."""


ORDERS: dict[str, tuple[Sort, bool, str]] = {
    "updated": (Sort.UPDATED, True, _("Changed last")),
    "oldest": (Sort.UPDATED, False, _("Changed first")),
    "created": (Sort.CREATED, True, _("Newest")),
    "key": (Sort.KEY, False, _("By key")),
    "important": (Sort.IMPORTANCE, True, _("Most important")),
    "doubtful": (Sort.CONFIDENCE, False, _("Least sure")),
    "sure": (Sort.CONFIDENCE, True, _("Surest")),
    "number": (Sort.NUMBER, True, _("By number")),
}
TABS: dict[str, tuple[tuple[State, ...], str]] = {
    "in_force": ((State.IN_FORCE,), _("In force")),
    "retired": ((State.RETIRED,), _("Retired")),
    "all": ((State.IN_FORCE, State.RETIRED), _("All facts")),
    "trash": ((State.TRASHED,), _("Trash")),
}
SOURCES = {
    "panel": _("panel"),
    "bot": _("bot"),
    "agent": _("agent"),
    "import": _("import"),
    "consolidation": _("consolidation"),
    "library": _("library"),
    "cli": _("command line"),
    "rest": _("API"),
}
SUBJECTS = {
    "vault": _("the vault"),
    "member": _("a member"),
    "role": _("a role"),
    "user": _("the user"),
}
SECRETS = {
    "api_key": _("an API key"),
    "bearer": _("an access token"),
    "card_number": _("a card number"),
    "connection_string": _("a connection string"),
    "iban": _("a bank account number"),
    "jwt": _("an access token"),
    "license_key": _("a licence key"),
    "otp_secret": _("a one-time-code secret"),
    "password": _("a password"),
    "password_hash": _("a password hash"),
    "pin": _("a PIN"),
    "private_key": _("a private key"),
    "recovery_code": _("a recovery code"),
    "seed_phrase": _("a seed phrase"),
    "webhook": _("a webhook"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Which facts are looked at: of a vault (empty for all), holding a text, in which tab, order and page.

    `day`: as they stood at the end of that past day of the reader's, in ISO form; empty for now.
    """

    vault: str
    q: str = ""
    tab: str = "in_force"
    order: str = "updated"
    page: int = 1
    day: str = ""

    def address(self, path: str = "", **changes: Any) -> str:
        """The address of the same wish with something changed; the page is the first again unless it is named."""
        values = {"q": self.q, "tab": self.tab, "order": self.order, "page": 1, "day": self.day, **changes}
        usual = {"q": "", "tab": "in_force", "order": "updated", "page": 1, "day": ""}
        kept = {name: value for name, value in values.items() if value != usual[name]}
        if path == "/facts":
            kept = {"vault": self.vault, **kept}
        elif not path:
            path = f"/memory/{self.vault}" if self.vault else "/memory"
        return path + (f"?{urlencode(kept)}" if kept else "")

    @property
    def here(self) -> str:
        """The address that gives the very list of this wish again."""
        return self.address("/facts", page=self.page)


def wish(visit: Visit, vault: str | None = None) -> Wish:
    """What a form or an address asks for; what it cannot be is as if nothing had been asked."""

    def said(name: str) -> str:
        return visit.given(name) or visit.asked(name)

    page, day = said("page").strip(), past_day(visit, said("day"))
    return Wish(
        vault=said("vault") if vault is None else vault,
        q=said("q")[:1000],
        tab=said("tab") if said("tab") in TABS and not day else "in_force",
        order=said("order") if said("order") in ORDERS else "updated",
        page=min(int(page), 100_000) if page.isascii() and page.isdigit() and len(page) < 9 and int(page) else 1,
        day=day,
    )


def past_day(visit: Visit, text: str) -> str:
    """A day before today in ISO form, as a date field gives it; empty where it is none."""
    try:
        day = date.fromisoformat(text.strip())
    except ValueError:
        return ""
    return day.isoformat() if date.min < day < visit.tongue.today() else ""


def _glance(visit: Visit, asked: Wish, vault: str | None) -> Glance:
    """One page of facts: as they stand, or as they stood."""
    sort, descending, _said = ORDERS[asked.order]
    offset = (asked.page - 1) * ON_A_PAGE
    wanted: dict[str, Any] = {"actor": visit.actor, "vault": vault, "query": asked.q, "states": TABS[asked.tab][0],
                              "sort": sort, "descending": descending, "limit": ON_A_PAGE, "offset": offset}  # fmt: skip
    if not asked.day:
        return visit.memory.facts.glance(**wanted)
    end = datetime.combine(date.fromisoformat(asked.day), time.max, visit.tongue.zone).astimezone(UTC)
    then = visit.memory.facts.browse(**wanted, as_of=end)
    has_next = offset + len(then.facts) < then.total
    return Glance(
        facts=then.facts, has_next=has_next, found=then.total, is_more_than_found=False, by_state=then.by_state
    )


def listing(visit: Visit, asked: Wish) -> dict[str, Any]:
    """One page of facts and everything its rows say."""
    vaults = {item.id: item for item in visit.memory.vaults.list(actor=visit.actor)}
    vault = visit.memory.vaults.get(actor=visit.actor, vault=asked.vault) if asked.vault else None
    found = _glance(visit, asked, vault.slug if vault else None)
    may_change = vault.can_configure if vault else any(item.can_configure for item in vaults.values())
    today = visit.tongue.today()
    return {
        "here": "memory",
        "wish": asked,
        "vault": vault,
        "found": found,
        "tabs": [] if asked.day else _tabs(found.by_state, asked.tab),
        "then": date.fromisoformat(asked.day) if asked.day else None,
        "yesterday": (today - timedelta(days=1)).isoformat(),
        "orders": {name: text for name, (_sort, _down, text) in ORDERS.items()},
        "pages": max(1, -(-found.found // ON_A_PAGE)),
        "can_configure": may_change and not asked.day,
        **row_values(visit, found.facts, vaults, vault, is_past=bool(asked.day)),
    }


def row_values(
    visit: Visit, facts: tuple[Fact, ...], vaults: dict[int, Vault], alone: Vault | None, *, is_past: bool = False
) -> dict[str, Any]:
    """What rows need besides their facts. `alone`: the vault, where all rows are of one. `is_past`: they are shown as
    they once were, to be read only."""
    contradicted: Mapping[int, str] = {}
    if alone is not None and not is_past:
        numbers = [item.number for item in facts]
        contradicted = visit.memory.proposals.contradicted(actor=visit.actor, vault=alone.slug, numbers=numbers)
    return {
        "vaults": vaults,
        "contradicted": contradicted,
        "secrets": {item.number: kinds for item in facts if (kinds := visit.memory.facts.secrets_in(item))},
        "sources": SOURCES,
        "subjects": SUBJECTS,
        "secret_names": SECRETS,
        "longest": LONGEST_SHOWN,
        "usual_category": DEFAULT_CATEGORY,
        "whole": is_past,
        "is_past": is_past,
        "names_vault": alone is None,
    }


def row(visit: Visit, fact: Fact, *, whole: bool = False) -> dict[str, Any]:
    """Everything that one row says."""
    vaults = {item.id: item for item in visit.memory.vaults.list(actor=visit.actor)}
    asked = wish(visit)
    alone = vaults.get(fact.vault_id) if asked.vault else None
    return {
        "wish": asked,
        "fact": fact,
        "vault": vaults.get(fact.vault_id),
        **row_values(visit, (fact,), vaults, vaults.get(fact.vault_id)),
        "whole": whole,
        "names_vault": alone is None,
    }


def _tabs(by_state: Any, chosen: str) -> list[tuple[str, str, int]]:
    """The tabs there are: those of the journal once something was retired (T2), the trash once it holds something."""
    in_force, retired, trashed = (by_state[state] for state in (State.IN_FORCE, State.RETIRED, State.TRASHED))
    tabs = [("in_force", TABS["in_force"][1], in_force)]
    if retired or chosen in {"retired", "all"}:
        tabs += [("retired", TABS["retired"][1], retired), ("all", TABS["all"][1], in_force + retired)]
    if trashed or chosen == "trash":
        tabs.append(("trash", TABS["trash"][1], trashed))
    return tabs if len(tabs) > 1 else []


def subject_kind(text: str) -> SubjectKind:
    """Whom a fact is about, as a form names it."""
    try:
        return SubjectKind(text)
    except ValueError:
        raise InvalidInput(f"“{text[:40]}” is nobody a fact can be about.") from None


def number_of(visit: Visit) -> int:
    """The number in an address such as `/fact/12`."""
    text = visit.path["number"]
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise InvalidInput("That is no number of a fact.", hint="Facts are numbered #1, #2, …")
    return int(text)
