"""Gestures on attention and scope: one set of weights per user, seen from Vaults and from the chat (V2 to V10).

Gestures are a person's: a model that could mute a vault could hide what it says from its owner. A program bound to some
vaults weighs those, and makes no gesture over all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from souvenance.domain import attention
from souvenance.domain.access import Actor
from souvenance.domain.attention import Mix, Weights
from souvenance.domain.clock import Clock
from souvenance.domain.errors import Conflict, NotAllowed
from souvenance.domain.protection import HIDDEN_NAME
from souvenance.domain.vault import Vault, VaultKind
from souvenance.store import scope_settings as settings
from souvenance.store import vaults as rows
from souvenance.store.database import Database, Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeView:
    """The weights of one user as both views show them.

    `vaults` are those whose names may leave over the reader's route; `withheld` counts the others that take part.
    `auto`: the model chooses among them for each question. `can_undo`: the weights before the last gesture are known.
    """

    vaults: tuple[Vault, ...]
    weights: Weights
    names: Mapping[int, str]
    withheld: int
    auto: bool
    can_undo: bool

    @property
    def mix(self) -> Mix:
        """What the chat's scope is, apart from its words."""
        return attention.chat_mix(self.weights)

    def state(self, language: str = "en") -> str:
        """The state in the Vaults view: a vault's name (solo), all, mixed, all muted."""
        return attention.vaults_state(self.weights, self._named(language), language)

    def label(self, language: str = "en") -> str:
        """The label of the scope in the chat, of the weights alone; `auto` is shown beside it."""
        return attention.chat_label(self.weights, self._named(language), language)

    def _named(self, language: str) -> dict[int, str]:
        hidden = HIDDEN_NAME.get(language, HIDDEN_NAME["en"])
        return {vault_id: self.names.get(vault_id, hidden) for vault_id in self.weights}


class Attention:
    """Use cases on who answers. Each gesture takes effect in every process at once; the latest wins."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def scope(self, *, actor: Actor) -> ScopeView:
        """The weights as they stand."""
        with self._database.read() as tx:
            return view(tx, actor)

    def set(self, *, actor: Actor, vault: str, weight: int) -> ScopeView:
        """Give one vault a weight, 0 to 100 (V2)."""
        with self._database.write() as tx:
            weigh(tx, actor, vault=vault, weight=weight, clock=self._clock)
            return view(tx, actor)

    def solo(self, *, actor: Actor, vault: str) -> ScopeView:
        """That vault at 100 and all others at 0 (V4)."""
        return self.tick(actor=actor, vaults=[vault])

    def tick(self, *, actor: Actor, vaults: Sequence[str]) -> ScopeView:
        """Those vaults at 100 and the others at 0 (V6)."""
        return self._over_all(
            actor, lambda tx, every: attention.tick(every, [rows.named_vault(tx, actor, name).id for name in vaults])
        )

    def all(self, *, actor: Actor) -> ScopeView:
        """« Tous » in Vaults: every vault at 100 (V4). Applications' vaults stay as they are (V9)."""
        return self._over_all(actor, lambda tx, every: attention.all_full(_ordinary(tx, actor)))

    def all_answering(self, *, actor: Actor) -> ScopeView:
        """« Tous » in the chat: muted vaults to 100, the mix among the others kept (V6). As `all` on V9."""
        return self._over_all(actor, lambda tx, every: attention.all_answering(_ordinary(tx, actor)))

    def none(self, *, actor: Actor) -> ScopeView:
        """Every vault at 0: answers have no memory (V6)."""
        return self._over_all(actor, lambda _tx, every: attention.none_answering(every))

    def undo(self, *, actor: Actor) -> ScopeView:
        """The weights before the last gesture; once more brings that gesture back (V4). Vaults made since stay."""
        with self._database.write() as tx:
            _require_all(actor)
            tx.hold("attention", actor.user_id)
            previous = settings.read_setting(tx, user_id=actor.user_id).previous
            if previous is None:
                raise Conflict("There is no gesture to undo.", hint="vault attention sets a weight by hand.")
            every = _stored(tx, actor)
            wanted = {vault_id: previous.get(vault_id, weight) for vault_id, weight in every.items()}
            _keep(tx, actor, every, wanted, clock=self._clock)
            return view(tx, actor)

    def set_auto(self, *, actor: Actor, auto: bool) -> ScopeView:
        """Let the model choose among the vaults that answer, for each question (V10); the weights are left alone."""
        with self._database.write() as tx:
            _require_all(actor)
            tx.hold("attention", actor.user_id)
            before = settings.read_setting(tx, user_id=actor.user_id)
            settings.save_setting(
                tx, user_id=actor.user_id, auto=auto, previous=before.previous, changed_at=self._clock()
            )
            return view(tx, actor)

    def _over_all(self, actor: Actor, gesture: Callable[[Transaction, Weights], dict[int, int]]) -> ScopeView:
        with self._database.write() as tx:
            _require_all(actor)
            tx.hold("attention", actor.user_id)
            every = _stored(tx, actor)
            _keep(tx, actor, every, gesture(tx, every), clock=self._clock)
            return view(tx, actor)


def weigh(tx: Transaction, actor: Actor, *, vault: str, weight: int, clock: Clock) -> Vault:
    """Set one vault's weight within a transaction that does more; the vault."""
    attention.checked_weight(weight)
    _require_person(actor)
    tx.hold("attention", actor.user_id)
    found = rows.named_vault(tx, actor, vault)
    _keep(tx, actor, _stored(tx, actor), {found.id: weight}, clock=clock)
    return replace(found, attention=weight)


def view(tx: Transaction, actor: Actor) -> ScopeView:
    """The scope as this actor may see it. A sealed vault takes part only while its owner has ticked it (V9)."""
    known = [item for item in rows.list_known_vaults(tx, actor) if item.kind is not VaultKind.APP or item.attention]
    shown = tuple(item for item in known if not rows.is_withheld(item, actor))
    setting = settings.read_setting(tx, user_id=actor.user_id)
    return ScopeView(
        vaults=shown,
        weights=_weights(known),
        names={item.id: item.name for item in shown},
        withheld=len(known) - len(shown),
        auto=setting.auto,
        can_undo=setting.previous is not None,
    )


def _weights(vaults: Sequence[Vault]) -> dict[int, int]:
    return {item.id: item.attention for item in vaults}


def _stored(tx: Transaction, actor: Actor) -> dict[int, int]:
    """The weights as they are kept. An application reads its own sealed vault fully, but that is no weight (V9)."""
    return _weights(rows.list_known_vaults(tx, replace(actor, app=None)))


def _ordinary(tx: Transaction, actor: Actor) -> dict[int, int]:
    return _weights([item for item in rows.list_known_vaults(tx, actor) if item.kind is not VaultKind.APP])


def _keep(tx: Transaction, actor: Actor, before: Weights, wanted: Weights, *, clock: Clock) -> None:
    """Store what a gesture makes of the weights. It ends Auto (V10); one that moves nothing leaves undo as it was."""
    moved = {vault_id: weight for vault_id, weight in wanted.items() if before.get(vault_id) != weight}
    setting = settings.read_setting(tx, user_id=actor.user_id)
    rows.set_attention(tx, user_id=actor.user_id, weights=moved)
    if moved or setting.auto:
        previous = dict(before) if moved else setting.previous
        settings.save_setting(tx, user_id=actor.user_id, auto=False, previous=previous, changed_at=clock())


def _require_person(actor: Actor) -> None:
    actor.require_write()
    if actor.is_model:
        raise NotAllowed("Only a person says which vaults answer.", hint="Name a vault with vault= to ask it once.")


def _require_all(actor: Actor) -> None:
    _require_person(actor)
    if actor.vaults is not None:
        raise NotAllowed(
            "This token is bound to its vaults and does not weigh the others.", hint="Set the weight of one vault."
        )
