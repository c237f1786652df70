"""Which vaults answer a question, and at what weight (V2, V8, V12). The only place that decides it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from souvenance.domain.access import Actor
from souvenance.domain.attention import FULL, MUTED
from souvenance.domain.note import title_key
from souvenance.domain.vault import Vault, VaultKind, name_in_french, slugify
from souvenance.store import vaults as rows
from souvenance.store.database import Transaction

_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Thai, Japanese, Chinese and Korean: words are written without spaces, or with endings that stick to them."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The vaults one question is put to.

    `weights` holds every vault that is queried, 0 < weight <= 1; `passed_over` the names of those muted; `protected`
    the ids of those that are queried only to count what is withheld on the caller's route; `named_withheld` how many of
    those the question names.
    """

    vaults: Mapping[int, Vault]
    weights: Mapping[int, float]
    passed_over: tuple[str, ...] = ()
    protected: frozenset[int] = field(default=frozenset())
    named_withheld: int = 0

    @property
    def answering(self) -> list[int]:
        """Ids of the vaults whose content may be given, in a stable order."""
        return sorted(set(self.weights) - self.protected)

    @property
    def names(self) -> tuple[str, ...]:
        """Slugs of the vaults whose content may be given."""
        return tuple(self.vaults[vault_id].slug for vault_id in self.answering)


def resolve_scope(
    tx: Transaction,
    actor: Actor,
    *,
    question: str,
    vaults: str | Sequence[str] | None = None,
    chosen: Collection[int] | None = None,
) -> Scope:
    """The scope of a question: the vaults named by argument alone, at full weight; else all, by attention.

    A vault that the question itself names answers it at full weight, muted or not, and stays as it is (V12). `chosen`:
    ids of the vaults that Auto picked (V10); of those that answer, only they are read, at their weights, and where none
    of them answers any more the choice is void.
    """
    if vaults is not None:
        wanted = [vaults] if isinstance(vaults, str) else list(vaults)
        named = {item.id: item for item in (rows.named_vault(tx, actor, name) for name in wanted)}
        return Scope(vaults=named, weights=dict.fromkeys(named, 1.0))
    known = {item.id: item for item in rows.list_known_vaults(tx, actor)}
    picked = {one for one in chosen or () if one in known and known[one].attention > MUTED}
    folded = folded_question(question)
    taken = {key for item in known.values() for key in (title_key(item.name), rows.plain_slug(item.slug))}
    weights: dict[int, float] = {}
    passed_over = []
    called = 0
    for vault_id, item in known.items():
        if names_vault(folded, item, taken=taken):
            weights[vault_id] = 1.0
            called += rows.is_withheld(item, actor)
        elif item.attention > MUTED:
            if not picked or vault_id in picked:
                weights[vault_id] = item.attention / FULL
        elif not rows.is_withheld(item, actor) and item.kind is not VaultKind.APP:
            passed_over.append(item.slug)
    protected = frozenset(vault_id for vault_id in weights if rows.is_withheld(known[vault_id], actor))
    return Scope(
        vaults=known, weights=weights, passed_over=tuple(passed_over), protected=protected, named_withheld=called
    )


def folded_question(question: str) -> str:
    """A question as vaults' names are looked for in it: case, accents and kinds of apostrophe aside."""
    return unicodedata.normalize("NFC", title_key(question)).replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


def names_vault(folded: str, vault: Vault, *, taken: Collection[str] = ()) -> bool:
    """Whether a question (folded by `folded_question`) names the vault: its name or slug as whole words, or @slug.

    A word joined to others by hyphens, or part of an address, is not the vault's name. Where words are written without
    spaces a name stands anywhere, unless it is one character, which is a part of too many words; a slug of one
    character, which may be all that is left of a longer name (C++), is looked for behind an @ only.

    A personal vault that nobody named is shown as « Personnel » in French, which is an everyday word (the staff of a
    hotel, a personal matter, a safe of one's own): it is named by it behind an @ or “coffre” alone, and not where that
    is `taken`, the title keys and plain slugs that vaults really have.
    """
    name, slug = folded_question(vault.name), folded_question(rows.plain_slug(vault.slug))
    if re.search(rf"(?<![\w.])@{re.escape(slug)}(?![\w-])", folded):
        return True
    shown = name_in_french(vault)
    is_free = bool(shown) and {title_key(shown), slugify(shown)}.isdisjoint(taken)
    if is_free and _is_meant(folded_question(shown), folded):
        return True
    return any(_stands(one, folded) for one in {name, slug} if len(one) > 1 or one == name)


def _is_meant(name: str, folded: str) -> bool:
    """Whether an everyday word is said as the name of a vault."""
    word = rf"{re.escape(name)}(?![\w-])"
    alone = rf'{word}(?!\s+\d)|«\s*{word}\s*»|["“]{word}["”]'  # a number belongs to the name
    one_of_many = r"(?<!un )(?<!\ba )"  # « un coffre », « aucun coffre »: any, not this one
    return re.search(rf"(?<![\w.])@{word}|{one_of_many}\b(?:coffre|vault) (?:{alone})", folded) is not None


def _stands(name: str, folded: str) -> bool:
    if _UNSPACED.search(name) and len(name) > 1:
        return name in folded
    return re.search(rf"(?<![\w-])(?<!\w[.@]){re.escape(name)}(?![\w-]|[.@]\w)", folded) is not None
