"""The first steps: teach a fact, ask it back, then connect what you like. What is done is read off the data."""

from __future__ import annotations

import re
from typing import Any

import anyio.to_thread
from starlette.responses import Response

from souvenance.domain.endpoint import Use
from souvenance.domain.errors import InvalidInput
from souvenance.domain.fact import Fact
from souvenance.exchange.language import guessed_language
from souvenance.interfaces.panel.connecting import connect_values
from souvenance.interfaces.panel.marking import marked as _
from souvenance.interfaces.panel.turns import turn_views
from souvenance.interfaces.panel.visit import Visit
from souvenance.interfaces.panel.ways import Way, get, post
from souvenance.memory.remember import Observation

PAGE = "welcome.html"
COOKIE = "welcome"
LATER = "later"
YEAR = 365 * 24 * 3600
PERSONAL, NEW = "personal", "new"
LONGEST = 2000


_EXAMPLES = (
    (_("I am allergic to peanuts."), _("What am I allergic to?")),
    (_("My harp needs new strings every spring."), _("When does my harp need strings?")),
    (_("The boiler was serviced in March."), _("When was the boiler serviced?")),
)
"""What one could teach, and how to ask it back."""


def is_due(visit: Visit) -> bool:
    """Whether memory is empty, and this browser has not put the first steps off."""
    if visit.request.cookies.get(COOKIE) == LATER:
        return False
    memory, actor = visit.memory, visit.actor
    return not (
        any(memory.vaults.count_facts(actor=actor).values())
        or memory.conversations.list(actor=actor, limit=1)
        or memory.notes.recent(actor=actor, limit=1)
        or memory.folders.list(actor=actor)
    )


def show(visit: Visit) -> Response:
    """The first steps, with those that are done."""
    return visit.page(PAGE, here="chat", **_steps(visit), **connect_values(visit))


def show_steps(visit: Visit) -> Response:
    """The steps again, after something was done elsewhere."""
    return visit.piece(PAGE, "steps", **_steps(visit), **connect_values(visit))


def later(visit: Visit) -> Response:
    """Put the first steps off: this browser is not shown them by themselves any more."""
    response = visit.go("/")
    response.set_cookie(COOKIE, LATER, max_age=YEAR, httponly=True, samesite="lax", path="/")
    return response


def teach(visit: Visit) -> Response:
    """Keep a first fact, in the personal vault, in another, or in a new one."""
    content, where = visit.given("content").strip(), visit.given("where", PERSONAL)
    if not content:
        raise InvalidInput("There is nothing to remember yet.", hint="Write one short sentence, or take an example.")
    if len(content) > LONGEST:
        raise InvalidInput(
            f"That is too long for one fact: at most {LONGEST} characters here.",
            hint="Say it in a sentence or two. Longer texts are notes.",
        )
    observation = Observation(content=content, language=visit.language)
    facts, actor = visit.memory.facts, visit.actor
    if where == PERSONAL:
        kept = facts.remember_about_user(actor=actor, observation=observation)
    elif where == NEW:
        name = visit.given("name").strip()
        if not name:
            raise InvalidInput("The new vault has no name yet.", hint="Name it, or keep the fact in your personal one.")
        kept = facts.remember_about_project(actor=actor, project=name, observation=observation)
    else:
        (kept,) = facts.remember(actor=actor, vault=where, observations=[observation])
    said = visit.block(PAGE, "steps", **_steps(visit, kept.fact), **connect_values(visit))
    if kept.secrets:
        warning = visit.say(
            "That looks like a secret. A memory is read by models: passwords and keys do not belong in it."
        )
        return visit.html(said, visit.note(warning, kind="warn"))
    return visit.html(said)


async def ask(visit: Visit) -> Response:
    """Ask it back: a whole exchange, kept as a conversation like any other."""
    question = visit.given("question")
    if not question.strip():
        raise InvalidInput("The question is empty.", hint="Say something.")
    conversation = await anyio.to_thread.run_sync(lambda: visit.memory.conversations.start(actor=visit.actor))
    try:
        async for _event in visit.memory.exchange.answer(
            actor=visit.actor, question=question, conversation=conversation.id,
            language=guessed_language(question, otherwise=visit.language),
        ):  # fmt: skip
            pass  # what came, or went wrong, is kept with the turn and shown
    except BaseException:
        await anyio.to_thread.run_sync(_drop_empty, visit, conversation.id)
        raise
    return await anyio.to_thread.run_sync(show_steps, visit)


def _drop_empty(visit: Visit, conversation: int) -> None:
    if not visit.memory.conversations.get(actor=visit.actor, conversation=conversation, last=1).turns:
        visit.memory.conversations.delete(actor=visit.actor, conversation=conversation)


def _steps(visit: Visit, taught: Fact | None = None) -> dict[str, Any]:
    """What is done and what is shown of it."""
    memory, actor = visit.memory, visit.actor
    vaults = memory.vaults.list(actor=actor)
    latest = memory.facts.browse(actor=actor, vault=None, limit=1).facts if vaults else ()
    fact = taught or next(iter(latest), None)
    talks = memory.conversations.list(actor=actor, limit=1)
    opened = memory.conversations.get(actor=actor, conversation=talks[0].id, last=1) if talks else None
    folders = memory.folders.list(actor=actor)
    tokens = [token for token in memory.tokens.list(actor=actor) if token.revoked_at is None]
    by_agents = any(one.source == "agent" for one in memory.retrievals.list(actor=actor, limit=200))
    return {
        "fact": fact,
        "vault": next((one for one in vaults if fact and one.id == fact.vault_id), None),
        "vaults": [one for one in vaults if one.can_configure and one.kind != PERSONAL],
        "examples": [visit.say(text) for text, _question in _EXAMPLES],
        "question": _question_on(visit, fact) if fact else "",
        "talk": talks[0].id if talks else None,
        "turns": turn_views(visit, opened.turns) if opened else [],
        "has_model": memory.endpoints.used_for(user_id=visit.user.id, use=Use.ANSWERS) is not None,
        "has_agent": bool(tokens) or by_agents,
        "folders": [view.folder.path for view in folders][:5],
        "first_vault": vaults[0].slug if vaults else "",
    }


def _question_on(visit: Visit, fact: Fact) -> str:
    """A question that the fact answers, for a start."""
    for text, question in _EXAMPLES:
        if fact.content == visit.say(text):
            return visit.say(question)
    words = re.findall(r"[^\W\d_]{4,40}", fact.key or fact.content)
    if not words:
        return visit.say("What do you know about me?")
    return visit.say("What do you know about “%(subject)s”?", subject=max(words, key=len))


WAYS: tuple[Way, ...] = (
    get("/welcome", show),
    get("/welcome/steps", show_steps),
    post("/welcome/teach", teach),
    post("/welcome/ask", ask),
    post("/welcome/later", later),
)
