"""The exchange in which a model asks something of memory: what its requests are held against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from souvenance.domain.access import Actor
from souvenance.domain.note import title_key
from souvenance.domain.vault import Vault
from souvenance.exchange.events import Member, Put
from souvenance.exchange.gathering import Memory
from souvenance.exchange.reply import Reply
from souvenance.exchange.requests import gist
from souvenance.memory.shown import Where
from souvenance.store.database import Transaction
from souvenance.store.erasure import receipts

THE_USER = {"user", "me", "myself", "moi", "utilisateur", "utilisatrice", "the user", "l'utilisateur"}
"""How a model names whoever speaks, case and accents aside."""
_PIECE = 8192
"""Characters of a text that are looked through at once: what holds thousands of requests is copied for each."""


@dataclass(slots=True, kw_only=True)
class Occasion:
    """The exchange in which a model asks: who put the question, where, with what before the model.

    `learnt_from`: ids of the vaults whose content stood in the prompt, earlier turns included. `into`: the one vault
    that was named, for facts about the vault and its members. `inputs`: all texts that were put before the model.
    `reader`: the actor as the prompt's reader, over its most distant route. `receipt`: the newest receipt of an erasure
    when the question was taken. `put`: what a look-up put before the model besides.
    """

    actor: Actor
    reader: Actor
    memory: Memory
    where: Where
    learnt_from: frozenset[int]
    language: str
    member: Member | None = None
    members: Sequence[Member] = ()
    into: Vault | None = None
    inputs: Sequence[str] = ()
    receipt: int
    put: list[Put] = field(default_factory=list)
    has_looked_up: bool = False
    _pasted: frozenset[tuple[object, ...]] | None = field(default=None, init=False)

    @property
    def pasted(self) -> frozenset[tuple[object, ...]]:
        """The requests that stand in what was put before the model; looked for once, where the model asks anything."""
        if self._pasted is None:
            found = Reply(most=sum(map(len, self.inputs)))
            for text in self.inputs:
                for at in range(0, len(text), _PIECE):
                    found.feed(text[at : at + _PIECE])
                found.end()
            self._pasted = frozenset(gist(one.request) for one in found.asked)
        return self._pasted

    def member_named(self, about: str) -> Member | None:
        """The member a fact is about: whoever speaks, or one who is present, by name or id."""
        wanted = title_key(about)
        if self.member is not None and wanted in THE_USER:
            return self.member
        present = [*self.members, *([self.member] if self.member else [])]
        return next((one for one in present if wanted and wanted in {title_key(one.name), title_key(one.id)}), None)

    def is_erased_in(self, tx: Transaction, into: int | None = None) -> bool:
        """Whether something was erased of a vault that was read or would be written to since the question was taken."""
        read = self.learnt_from | self.memory.vaults.keys()
        written = {one for one in (into, self.into.id if self.into else None) if one is not None}
        return receipts.is_erased_after(tx, self.receipt, vault_ids=read | written)
