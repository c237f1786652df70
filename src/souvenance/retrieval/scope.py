"""Which vaults answer a question, and at what weight (V2, V8, V12). The only place that decides it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from souvenance.domain.access import Actor
from souvenance.domain.attention import FULL, MUTED
from souvenance.domain.note import title_key
from souvenance.domain.vault import Vault
from souvenance.store import vaults as rows
from souvenance.store.database import Transaction

_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Thai, Japanese, Chinese and Korean: words are written without spaces, or with endings that stick to them."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The vaults one question is put to.

    `weights` holds every vault that is queried, 0 < weight <= 1; `passed_over` the names of those muted; `protected`
    the ids of those that are queried only to count what is withheld on the caller's route.
    """

    vaults: Mapping[int, Vault]
    weights: Mapping[int, float]
    passed_over: tuple[str, ...] = ()
    protected: frozenset[int] = field(default=frozenset())

    @property
    def answering(self) -> list[int]:
        """Ids of the vaults whose content may be given, in a stable order."""
        return sorted(set(self.weights) - self.protected)

    @property
    def names(self) -> tuple[str, ...]:
        """Slugs of the vaults whose content may be given."""
        return tuple(self.vaults[vault_id].slug for vault_id in self.answering)


def resolve_scope(tx: Transaction, actor: Actor, *, question: str, vaults: str | Sequence[str] | None = None) -> Scope:
    """The scope of a question: the vaults named by argument alone, at full weight; else all, by attention.

    A vault that the question itself names answers it at full weight, muted or not, and stays as it is (V12).
    """
    if vaults is not None:
        wanted = [vaults] if isinstance(vaults, str) else list(vaults)
        named = {item.id: item for item in (rows.named_vault(tx, actor, name) for name in wanted)}
        return Scope(vaults=named, weights=dict.fromkeys(named, 1.0))
    known = {item.id: item for item in rows.list_known_vaults(tx, actor)}
    folded = title_key(question)
    weights: dict[int, float] = {}
    passed_over = []
    for vault_id, item in known.items():
        if names_vault(folded, item):
            weights[vault_id] = 1.0
        elif item.attention > MUTED:
            weights[vault_id] = item.attention / FULL
        elif not rows.is_withheld(item, actor):
            passed_over.append(item.slug)
    protected = frozenset(vault_id for vault_id in weights if rows.is_withheld(known[vault_id], actor))
    return Scope(vaults=known, weights=weights, passed_over=tuple(passed_over), protected=protected)


def names_vault(folded_question: str, vault: Vault) -> bool:
    """Whether a question (already folded by `title_key`) names the vault: its name or slug as whole words, or @slug."""
    for name in {title_key(vault.name), vault.slug}:
        bounded = re.escape(name) if _UNSPACED.search(name) else rf"(?<!\w){re.escape(name)}(?!\w)"
        if re.search(bounded, folded_question):
            return True
    return False
