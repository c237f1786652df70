"""What tests that talk to the chat page share: asking, and what was put before the model."""

import re

from playwright.sync_api import Page, expect

from scripted import Server
from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.memory.remember import Observation
from windows import go

ANSWER = ".turn:last-child .answered"


def told(memory: Application, owner: Actor, vault: str, content: str, *, key: str = "") -> int:
    """Keep a fact; its number."""
    (kept,) = memory.facts.remember(actor=owner, vault=vault, observations=[Observation(content=content, key=key)])
    return kept.fact.number


def ask(page: Page, question: str) -> None:
    """Put a question."""
    page.locator("#question").fill(question)
    page.locator("#question").press("Enter")


def ask_anew(page: Page, question: str, answer: str) -> None:
    """Put a question in a conversation of its own, and wait for that answer."""
    go(page, "/")
    ask(page, question)
    expect(page.locator(f"{ANSWER} .prose[id]")).to_have_text(answer)


def given(model: Server, call: int = -1) -> list[int]:
    """The numbers of the facts that one call put before the model, in their order."""
    return [int(number) for number in re.findall(r"^> \[#(\d+)\]", model.prompt(call), re.MULTILINE)]
