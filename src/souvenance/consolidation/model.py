"""A model that consolidation may ask, if it has one, and what is made of its answers: never more than they may do.

Whatever it says or fails to say, a pass goes on as it would without it.
"""

from __future__ import annotations

import json
import queue
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from souvenance.domain.access import Route

PATIENCE = 30.0
"""Seconds one call may take."""
TOGETHER = 600.0
"""Seconds that the calls of one pass may take together."""
MOST_FAILURES = 3
"""Calls that fail one after the other before a pass asks no more."""
LONGEST_ANSWER = 10_000
"""Characters of an answer that are looked at."""


class Model(Protocol):
    """A chat model, as consolidation needs one. It may raise anything.

    `name` is what people are told; `route` says where the facts it is asked about go (V8).
    """

    @property
    def name(self) -> str:
        """The model's name."""

    @property
    def route(self) -> Route:
        """Where what it is asked goes."""

    def complete(self, *, system: str, user: str) -> str:
        """Its whole answer to one message, under these instructions."""


@dataclass(slots=True)
class Asking:
    """The questions of one pass to one model. `may_ask` is looked at before each: the vault's protection may change.

    `state` says in the end what became of it.
    """

    model: Model | None
    may_ask: Callable[[], bool]
    patience: float = PATIENCE
    together: float = TOGETHER
    calls: int = 0
    state: str = "none is set"
    _spent: float = 0.0
    _failures: int = field(default=0)

    def ask(self, system: str, told: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The JSON object a model answers with, told these things as JSON; None where there is none to be had.

        What it is told stands in one JSON object, so that a fact stays data whatever it says (CASES 24).
        """
        model = self.model
        if model is None or not self._is_fit():
            return None
        started = time.monotonic()
        answer = _answer(model, system, json.dumps(told, ensure_ascii=False), self.patience)
        self._spent += time.monotonic() - started
        self.calls += 1
        found = None if answer is None else _object(answer)
        self._failures = self._failures + 1 if found is None else 0
        self.state = "asked" if found is not None else "it failed, or its answer made no sense"
        return found

    def _is_fit(self) -> bool:
        if not self.may_ask():
            self.state = "the vault is protected, and nothing of it goes to this model"
            return False
        if self._failures >= MOST_FAILURES:
            self.state = f"it failed {MOST_FAILURES} times and was asked no more"
            return False
        if self._spent >= self.together:
            self.state = f"its answers took {self.together:g} seconds, and it was asked no more"
            return False
        return True


def _answer(model: Model, system: str, user: str, patience: float) -> str | None:
    """What the model says within the time; a call that hangs is left behind in a thread nobody waits for."""
    said: queue.Queue[object] = queue.Queue(1)

    def call() -> None:
        try:
            said.put(model.complete(system=system, user=user))
        except Exception:  # whatever an endpoint raises: the pass goes on without
            said.put(None)

    threading.Thread(target=call, name="souvenance-consolidation-model", daemon=True).start()
    try:
        answer = said.get(timeout=patience)
    except queue.Empty:
        return None
    return answer if isinstance(answer, str) else None


def _object(answer: str) -> Mapping[str, Any] | None:
    text = answer[:LONGEST_ANSWER].strip()
    fenced = re.fullmatch(r"```(?:json)?\s*(.*?)\s*```", text, re.DOTALL | re.IGNORECASE)
    try:
        found = json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
