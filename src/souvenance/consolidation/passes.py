"""The use cases on passes: when a vault gets its next one and why, having one now, and the background of them all."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from souvenance.consolidation.model import Model
from souvenance.consolidation.running import CLAIM, Outcome, Runner
from souvenance.consolidation.standing import standing_of
from souvenance.consolidation.when import Decision, Reason, decide
from souvenance.domain.access import Actor
from souvenance.domain.clock import Clock
from souvenance.domain.consolidation import Pass
from souvenance.domain.errors import NotAllowed
from souvenance.memory.types import LADDER
from souvenance.retrieval.embedding import Embedding, step_back
from souvenance.store import claims, passes
from souvenance.store import vaults as vault_rows
from souvenance.store.database import Database

log = logging.getLogger(__name__)

FIRST_LOOK = 60.0
"""Seconds after its start that the background looks for the first time: a process that lives shortly runs no pass."""
LOOK_EVERY = 300.0
"""Seconds between two looks of the background; each is a few reads of indexes per vault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassStatus:
    """How a vault stands towards its next pass. `decision` is what a pass would be told now; `passes` are the last."""

    vault: str
    decision: Decision
    waiting: int
    passes: tuple[Pass, ...]

    def as_dict(self, language: str = "en") -> dict[str, Any]:
        """The status as every interface sends it."""
        return {
            "vault": self.vault,
            "now": decision_dict(self.decision, language),
            "waiting": self.waiting,
            "passes": [pass_dict(item, language) for item in self.passes],
        }


class Passes:
    """Passes over the vaults of one memory. They propose; nothing is applied by itself.

    `model` is called at each pass, with the vault's id, for the model it may ask, None for none.
    """

    def __init__(
        self, database: Database, clock: Clock, embedding: Embedding, *, model: Callable[[int], Model | None]
    ) -> None:
        self._database = database
        self._clock = clock
        self._runner = Runner(database, clock, embedding, model)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()

    # --- what people ask ---------------------------------------------------------------------------------------

    def status(self, *, actor: Actor, vault: str, history: int = 20) -> PassStatus:
        """Whether a pass would run now and why, what waits for an answer, and the last passes, the latest first."""
        with self._database.read() as tx:
            found = vault_rows.named_vault(tx, actor, vault)
            now = self._clock()
            standing = standing_of(tx, vault_id=found.id, memory_type=found.memory_type)
            last = passes.list_passes(tx, vault_id=found.id, limit=history)
            is_running = claims.holder_of(tx, name=f"{CLAIM}{found.id}", at=now) is not None
        decision = decide(standing.situation, now=now)
        return PassStatus(
            vault=found.slug,
            decision=Decision(runs=False, reason=Reason.RUNNING) if is_running else decision,
            waiting=len(standing.waiting),
            passes=tuple(last),
        )

    def run(self, *, actor: Actor, vault: str, anyway: bool = False) -> Outcome:
        """Have a pass now, here, and wait for it; the outcome says why where it declines.

        Without `anyway` the rules are those of the background. With it, only the vault's step and proposals that wait
        are in the way. It takes seconds for some thousand facts, and as long as the model takes.
        """
        actor.require_write()
        if actor.is_model:
            raise NotAllowed("A model asks for no consolidation.", hint="The owner does it.")
        with self._database.read() as tx:
            found = vault_rows.named_vault(tx, actor, vault)
        if not found.can_configure:
            raise NotAllowed(
                "You may read this vault but not change it.", hint="Ask its team for the configure permission."
            )
        return self._runner.run(vault_id=found.id, anyway=anyway, asked_by=actor.name or actor.source)

    # --- the background ----------------------------------------------------------------------------------------

    def look(self, stop: threading.Event | None = None) -> Sequence[Outcome]:
        """Give every vault whose time has come its pass; what became of those. One that fails keeps none waiting."""
        steps = [step.memory_type for step in LADDER if step.proposes]
        with self._database.read() as tx:
            vault_ids = passes.vaults_on(tx, steps)
        outcomes = []
        for vault_id in vault_ids:
            if stop is not None and stop.is_set():
                break
            try:
                if self._is_time(vault_id):
                    outcomes.append(self._runner.run(vault_id=vault_id, stop=stop))
            except Exception as error:
                log.warning("a consolidation failed with %s; the next look tries again", type(error).__name__)
        return outcomes

    def _is_time(self, vault_id: int) -> bool:
        with self._database.read() as tx:
            there = passes.step_and_protection(tx, vault_id=vault_id)
            standing = None if there is None else standing_of(tx, vault_id=vault_id, memory_type=there[0])
        return standing is not None and decide(standing.situation, now=self._clock()).runs

    def start_background(self) -> None:
        """Look after every vault from now on, in a thread of this process. Nothing happens when it runs already."""
        with self._lock:
            if self._thread is None:
                self._stop = threading.Event()
                self._thread = threading.Thread(
                    target=self._run, args=(self._stop,), name="souvenance-consolidation", daemon=True
                )
                self._thread.start()

    def stop(self) -> None:
        """End the background; a pass under way is left undone, and is made again. Nothing happens when none runs."""
        with self._lock:
            thread, self._thread = self._thread, None
            self._stop.set()
        if thread is not None:
            thread.join(timeout=30.0)

    def _run(self, stop: threading.Event) -> None:
        step_back()
        pause = FIRST_LOOK
        while not stop.wait(pause):
            pause = LOOK_EVERY
            try:
                self.look(stop)
            except Exception as error:  # the background outlives whatever a database or a model does
                log.warning("consolidation failed with %s; it goes on", type(error).__name__)


def decision_dict(decision: Decision, language: str = "en") -> dict[str, Any]:
    """Why a pass runs or declines, as every interface sends it."""
    return {
        "runs": decision.runs,
        "reason": decision.reason,
        "why": decision.label(language),
        "until": decision.until,
    }


def pass_dict(item: Pass, language: str = "en") -> Mapping[str, Any]:
    """A pass as every interface sends it."""
    shown = asdict(item)
    for name in ("vault_id", "seen_at", "seen_facts", "seen_change"):
        del shown[name]
    why = Decision(runs=True, reason=Reason(item.reason)).label(language)
    return shown | {"why": why, "proposed": item.proposed}
