"""What tests of the proxy share: OpenAI's own client, and a fact to ask about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import openai

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.memory.remember import Observation

Make = Callable[..., openai.OpenAI]


def keep(memory: Application, owner: Actor, vault: str, content: str) -> int:
    if vault not in {one.slug for one in memory.vaults.list(actor=owner)}:
        memory.vaults.create(actor=owner, name=vault)
    return memory.facts.remember(actor=owner, vault=vault, observations=[Observation(content=content)])[0].fact.number


def user(text: str) -> Any:
    return [{"role": "user", "content": text}]
