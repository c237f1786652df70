"""Stored conversations: listed, searched, renamed, deleted; « Aucune » and protection in them (V7, V8, A3)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select

from scripted import Raw, Server
from souvenance.application import Application
from souvenance.domain.access import Actor, Route
from souvenance.domain.conversation import GONE_NAME
from souvenance.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound, Withheld
from souvenance.domain.protection import HIDDEN_NAME
from souvenance.domain.vault import MemoryType, Protection
from souvenance.exchange.events import Event, Gathered
from souvenance.exchange.shapes import turn_shape
from souvenance.memory.remember import Observation
from souvenance.memory.shown import Where
from souvenance.store import claims, tables

Ask = Callable[..., list[Event]]


def test_conversations_are_titled_listed_searched_renamed_and_deleted(
    app: Application, owner: Actor, model: Server, ask: Ask
) -> None:
    model.says("Il pousse des fougères.", "Forty-seven.")
    first, second = (app.conversations.start(actor=owner) for _ in range(2))
    ask("Qu’est-ce qui pousse\nau jardin ?", conversation=first.id)
    ask("How many strings?", conversation=second.id)
    listed = app.conversations.list(actor=owner)
    assert [one.title for one in listed] == ["How many strings?", "Qu’est-ce qui pousse au jardin ?"]
    assert [one.id for one in app.conversations.list(actor=owner, query="FOUGERES")] == [first.id]
    assert [one.id for one in app.conversations.list(actor=owner, query="forty-s")] == [second.id]
    assert app.conversations.list(actor=owner, query="100%") == []
    renamed = app.conversations.change(actor=owner, conversation=first.id, title="  Le   jardin ")
    assert renamed.title == "Le jardin"
    assert [one.id for one in app.conversations.list(actor=owner, query="LE JÂRDIN")] == [first.id]
    app.conversations.delete(actor=owner, conversation=second.id)
    assert [one.title for one in app.conversations.list(actor=owner)] == ["Le jardin"]
    with pytest.raises(NotFound):
        app.conversations.get(actor=owner, conversation=second.id)
    for bad in ("", "x" * 500, "a\x07b"):
        with pytest.raises(InvalidInput):
            app.conversations.change(actor=owner, conversation=first.id, title=bad or " ")


def test_what_was_said_before_goes_into_the_next_prompt(
    app: Application, owner: Actor, model: Server, ask: Ask
) -> None:
    chat = app.conversations.start(actor=owner)
    model.says("Hello Ana.", "Ana.")
    ask("I am Ana", conversation=chat.id)
    ask("Who am I?", conversation=chat.id)
    said = [(one["role"], one["content"]) for one in model.asked[1]["messages"] if one["role"] != "system"]
    assert said == [("user", "I am Ana"), ("assistant", "Hello Ana."), ("user", "Who am I?")]
    model.says("long " * 5000, "Short.", "Last.")
    ask("Tell me much", conversation=chat.id)
    ask("And now?", conversation=chat.id)
    assert "long long" not in model.prompt(1)  # beyond the budget: what is oldest is left out


def test_v7_reopening_restores_none_and_nothing_else_of_the_scope(
    app: Application, owner: Actor, model: Server, ask: Ask
) -> None:
    for name in ("Harpe", "Lyre"):
        app.vaults.create(actor=owner, name=name)
    app.attention.solo(actor=owner, vault="Harpe")
    chat = app.conversations.start(actor=owner)
    ask("q", conversation=chat.id)
    app.attention.solo(actor=owner, vault="Lyre")
    app.attention.set_auto(actor=owner, auto=True)
    app.conversations.get(actor=owner, conversation=chat.id)
    scope = app.attention.scope(actor=owner)
    assert (scope.label(), scope.auto) == ("Lyre", True)
    app.conversations.change(actor=owner, conversation=chat.id, without_memory=True)
    assert app.conversations.get(actor=owner, conversation=chat.id).conversation.without_memory
    gathered = next(one for one in ask("q", conversation=chat.id) if isinstance(one, Gathered))
    assert gathered.badge.without_memory


def test_v8_a_turn_made_from_a_protected_vault_stays_out_of_cloud_prompts(
    app: Application, owner: Actor, model: Server, ask: Ask
) -> None:
    app.vaults.create(actor=owner, name="Secret", protection=Protection.MAXIMUM)
    app.facts.remember(actor=owner, vault="Secret", observations=[Observation(content="The code name is zyxwvut.")])
    chat = app.conversations.start(actor=owner)
    model.says("It is zyxwvut.", "So it is.", "I do not know.")
    ask("What is the code name?", conversation=chat.id)
    ask("Really?", conversation=chat.id)  # made from the turn before it, so as protected as it
    app.endpoints.change(actor=owner, name="scripted", route=Route.CLOUD)
    events = ask("And what was it?", conversation=chat.id)
    assert "zyxwvut" not in model.prompt(2)
    assert "So it is" not in model.prompt(2)
    gathered = next(one for one in events if isinstance(one, Gathered))
    assert gathered.withheld_turns == 2
    assert gathered.withheld_sentence("fr") == f"{gathered.withheld + 2} passages retenus : coffre protégé"
    cloud = replace(owner, route=Route.CLOUD)
    opened = app.conversations.get(actor=cloud, conversation=chat.id)
    assert opened.conversation.title == "a protected vault"
    assert [(one.is_protected, one.answer) for one in opened.turns] == [
        (True, ""), (True, ""), (False, "I do not know.")
    ]  # fmt: skip
    assert app.conversations.list(actor=cloud, query="zyxwvut") == []
    assert app.conversations.list(actor=cloud, query="code name") == [], "the title is kept back too"
    assert len(app.conversations.list(actor=owner, query="zyxwvut")) == 1


def test_v8_what_is_withheld_is_said(app: Application, owner: Actor, model: Server, ask: Ask) -> None:
    app.vaults.create(actor=owner, name="Secret", protection=Protection.MAXIMUM)
    facts = [Observation(content=f"The garden holds {thing}.") for thing in ("ferns", "roses")]
    app.facts.remember(actor=owner, vault="Secret", observations=facts)
    app.endpoints.change(actor=owner, name="scripted", route=Route.CLOUD)
    gathered = next(one for one in ask("Que contient le garden ?", language="fr") if isinstance(one, Gathered))
    assert gathered.withheld_sentence("fr") == "2 passages retenus : coffre protégé"
    assert "ferns" not in model.prompt()
    assert "Secret" not in model.prompt()


def test_v8_earlier_turns_that_are_withheld_are_said_where_memory_is_not_read_too(
    app: Application, owner: Actor, model: Server, ask: Ask
) -> None:
    app.vaults.create(actor=owner, name="Secret", protection=Protection.MAXIMUM)
    app.facts.remember(actor=owner, vault="Secret", observations=[Observation(content="The code name is zyxwvut.")])
    chat = app.conversations.start(actor=owner)
    model.says("It is zyxwvut.", "I do not know.")
    ask("What is the code name?", conversation=chat.id)
    app.endpoints.change(actor=owner, name="scripted", route=Route.CLOUD)
    events = ask("And what was it?", conversation=chat.id, where=Where(may_read=False))
    assert "zyxwvut" not in model.prompt(1)
    gathered = next(one for one in events if isinstance(one, Gathered))
    assert gathered.withheld_sentence("fr") == "1 passage retenu : coffre protégé"


def test_a3_a_token_has_the_conversations_it_began(app: Application, owner: Actor, model: Server, ask: Ask) -> None:
    ours = app.conversations.start(actor=owner, title="Ours")
    token = replace(owner, token_id=1)
    theirs = app.conversations.start(actor=token, title="Theirs")
    assert [one.title for one in app.conversations.list(actor=token)] == ["Theirs"]
    assert {one.title for one in app.conversations.list(actor=owner)} == {"Ours", "Theirs"}
    for act in (
        lambda: app.conversations.get(actor=token, conversation=ours.id),
        lambda: app.conversations.delete(actor=token, conversation=ours.id),
        lambda: app.conversations.get(actor=replace(token, token_id=2), conversation=theirs.id),
        lambda: ask("q", actor=token, conversation=ours.id),
    ):
        with pytest.raises(NotFound):
            act()
    with pytest.raises(NotAllowed):
        app.conversations.start(actor=replace(token, can_write=False))


def test_c3_without_a_model_memory_itself_answers_and_says_so(app: Application, owner: Actor, ask: Ask) -> None:
    app.vaults.create(actor=owner, name="Harpe")
    kept = app.facts.remember(
        actor=owner, vault="Harpe", observations=[Observation(content="The harp has 47 strings.")]
    )
    chat = app.conversations.start(actor=owner)
    ended = ask("How many strings has the harp?", conversation=chat.id)[-1]
    assert not ended.by_model  # type: ignore[union-attr]
    text = ended.text  # type: ignore[union-attr]
    assert text.startswith("No model is set")
    assert f"The harp has 47 strings. [#{kept[0].fact.number}]" in text
    (turn,) = app.conversations.get(actor=owner, conversation=chat.id).turns
    assert (turn.state, turn.answer, turn.model) == ("done", text, "")
    assert "Aucun modèle" in ask("Combien de cordes ?")[-1].text  # type: ignore[union-attr]
    off = ask("How many strings has the harp?", with_memory=False)[-1]
    assert "47" not in off.text  # type: ignore[union-attr]


def test_a_conversation_is_read_from_its_end_by_pages(app: Application, owner: Actor, ask: Ask) -> None:
    chat = app.conversations.start(actor=owner)
    for number in range(1, 6):
        ask(f"Question {number}", conversation=chat.id)

    def read(**page: int) -> list[int]:
        opened = app.conversations.get(actor=owner, conversation=chat.id, **page)
        return [turn.ordinal for turn in opened.turns]

    assert read() == [1, 2, 3, 4, 5]
    assert read(last=2) == [4, 5]
    assert read(last=2, before=4) == [2, 3]
    assert read(last=2, before=1) == []
    with pytest.raises(InvalidInput):
        read(last=0)


def test_a_question_that_failed_is_put_again_in_its_place(
    app: Application, owner: Actor, model: Server, ask: Ask
) -> None:
    chat = app.conversations.start(actor=owner)
    model.says("First.", Raw(b"no", status=401), "Second.", "Third.")
    ask("One?", conversation=chat.id)
    ask("Two?", conversation=chat.id)
    ask("Two?", conversation=chat.id, instead_of=2)
    turns = app.conversations.get(actor=owner, conversation=chat.id).turns
    assert [(turn.ordinal, turn.state, turn.answer) for turn in turns] == [
        (1, "done", "First."),
        (2, "done", "Second."),
    ]
    assert model.prompt().count("Two?") == 1
    for answered in (1, 2, 9):  # what was answered is never taken away
        with pytest.raises(Conflict):
            ask("Two?", conversation=chat.id, instead_of=answered)
    assert len(app.conversations.get(actor=owner, conversation=chat.id).turns) == 2


def test_c2_a_wish_to_stop_is_for_the_answer_under_way_and_not_for_the_one_that_takes_its_place(
    app: Application, owner: Actor, model: Server, ask: Ask
) -> None:
    chat = app.conversations.start(actor=owner)
    model.says("First.", "Second.")

    async def stopped() -> None:
        answer = app.exchange.answer(actor=owner, question="How many strings?", conversation=chat.id)
        await anext(answer)
        with pytest.raises(NotFound):
            app.conversations.stop(actor=replace(owner, user_id=owner.user_id + 1), conversation=chat.id)
        app.conversations.stop(actor=owner, conversation=chat.id)
        await answer.aclose()

    asyncio.run(stopped())
    ask("How many strings?", conversation=chat.id, instead_of=1)
    (turn,) = app.conversations.get(actor=owner, conversation=chat.id).turns
    assert (turn.ordinal, turn.state) == (1, "done")
    app.conversations.stop(actor=owner, conversation=chat.id)  # nothing is under way
    with app.database.read() as tx:
        assert claims.held(tx, prefix="stop:", at=turn.asked_at) == []


def test_v11_the_trace_keeps_weights_look_ups_and_what_was_spent(
    app: Application, owner: Actor, model: Server, ask: Ask
) -> None:
    app.vaults.create(actor=owner, name="Harpe")
    app.vaults.change_type(actor=owner, vault="harpe", memory_type=MemoryType.ARCHIVE)
    app.vaults.change_settings(actor=owner, vault="harpe", changes={"max_injected": 1})
    facts = [Observation(content=f"String {number} is made of gut", key=f"string {number}") for number in range(3)]
    numbers = [kept.fact.number for kept in app.facts.remember(actor=owner, vault="harpe", observations=facts)]
    app.attention.set(actor=owner, vault="harpe", weight=40)
    chat = app.conversations.start(actor=owner)
    model.says("<<lookup string 0>>", "Gut.")
    ask("What is it made of?", conversation=chat.id)
    trace = app.conversations.get(actor=owner, conversation=chat.id).turns[0].trace
    assert trace is not None
    assert [(one["slug"], one["name"], one["weight"]) for one in trace["vaults"]] == [("harpe", "Harpe", 0.4)]
    put = [one["number"] for one in trace["put"]]
    assert numbers[0] in put
    assert len(put) == len(set(put)), "what was shown already is not said twice"
    spent = trace["spent"]
    assert spent["calls"] == 2
    assert spent["is_estimate"], "the call that the look-up broke off could not be counted by the endpoint"
    assert spent["sent"] > 100


def test_v11_an_old_badge_calls_vaults_what_they_are_called_now_and_none_by_anothers_name(
    app: Application, owner: Actor, model: Server, ask: Ask, clock: Any
) -> None:
    for name in ("Harpe", "Lyre", "Secret", "Muet"):
        app.vaults.create(actor=owner, name=name)
    app.facts.remember(actor=owner, vault="harpe", observations=[Observation(content="47 strings")])
    app.attention.set(actor=owner, vault="muet", weight=0)
    chat = app.conversations.start(actor=owner)
    ask("How many strings?", conversation=chat.id)

    def badge(actor: Actor) -> tuple[list[tuple[str, str]], list[str]]:
        (turn,) = app.conversations.get(actor=actor, conversation=chat.id).turns
        assert turn.trace is not None
        return [(one["slug"], one["name"]) for one in turn.trace["vaults"]], turn.trace["passed_over"]

    assert badge(owner) == ([("harpe", "Harpe"), ("lyre", "Lyre"), ("secret", "Secret")], ["muet"])
    app.vaults.change(actor=owner, vault="harpe", name="Grande harpe")
    app.vaults.change(actor=owner, vault="secret", protection="maximum")
    for gone in ("lyre", "muet"):
        app.erasures.delete_vault(actor=owner, vault=gone, confirm=gone)
        app.vaults.create(actor=owner, name=gone.upper())  # another of the same slug
    assert badge(owner) == (
        [("harpe", "Grande harpe"), ("", GONE_NAME["en"]), ("secret", "Secret")], [],
    )  # fmt: skip
    read, _ = badge(replace(owner, route=Route.CLOUD))
    assert read == [("harpe", "Grande harpe"), ("", GONE_NAME["en"]), ("", HIDDEN_NAME["en"])]


def _read_then(app: Application, actor: Actor, conversation: int) -> tuple[list[tuple[str, str]], list[str], list[str]]:
    """Of the last turn: the slugs and names of its badge, the slugs of what was put, and of what was passed over."""
    trace = app.conversations.get(actor=actor, conversation=conversation).turns[-1].trace
    assert trace is not None
    badge = [(one["slug"], one["name"]) for one in trace["vaults"]]
    return badge, [one["vault"] for one in trace["put"]], trace["passed_over"]


def test_v11_an_old_badge_knows_its_vault_whatever_others_of_the_same_slug_come_and_go(
    app: Application, owner: Actor, model: Server, ask: Ask
) -> None:
    """A slug is a team's: who joins another, or leaves one, meets another vault under it."""
    own = app.vaults.create(actor=owner, name="Harpe")
    app.vaults.create(actor=owner, name="Muet")
    app.attention.set(actor=owner, vault="muet", weight=0)
    app.facts.remember(actor=owner, vault="harpe", observations=[Observation(content="47 strings")])
    chat = app.conversations.start(actor=owner)
    ask("How many strings?", conversation=chat.id)
    team = app.teams.create(actor=owner, name="Harpists").id
    for name in ("Harpe", "Muet"):
        app.vaults.create(actor=owner, name=name, team=team)
    apart = f"harpe~{own.team_id}"
    assert _read_then(app, owner, chat.id) == ([(apart, "Harpe")], [apart], [f"muet~{own.team_id}"])

    app.facts.remember(actor=owner, vault=f"harpe~{team}", observations=[Observation(content="46 strings")])
    ask("How many strings has theirs?", conversation=chat.id, vaults=f"harpe~{team}")
    assert _read_then(app, owner, chat.id)[:2] == ([(f"harpe~{team}", "Harpe")], [f"harpe~{team}"])
    with app.database.write() as tx:  # the older one of the slug is left
        here = (tables.membership.c.team_id == team) & (tables.membership.c.user_id == owner.user_id)
        tx.execute(tables.membership.delete().where(here))
    assert _read_then(app, owner, chat.id)[:2] == ([("", GONE_NAME["en"])], [""])
    (first, _) = app.conversations.get(actor=owner, conversation=chat.id).turns
    assert first.trace is not None
    assert [(one["slug"], one["name"]) for one in first.trace["vaults"]] == [("harpe", "Harpe")]


def test_v11_a_badge_of_before_ids_names_the_only_vault_of_its_slug(
    app: Application, owner: Actor, model: Server, ask: Ask
) -> None:
    own = app.vaults.create(actor=owner, name="Harpe")
    app.facts.remember(actor=owner, vault="harpe", observations=[Observation(content="47 strings")])
    chat = app.conversations.start(actor=owner)
    ask("How many strings?", conversation=chat.id)

    def keep(slug: str) -> None:
        with app.database.write() as tx:
            trace = dict(tx.execute(select(tables.turn.c.trace)).scalar_one())
            trace.pop("ids", None)
            trace |= {"vaults": [{"slug": slug, "name": "Harpe", "weight": 1.0}], "passed_over": [slug]}
            trace["put"] = [one | {"vault": slug} for one in trace["put"]]
            tx.execute(tables.turn.update().values(trace=trace))

    for slug in ("harpe", f"harpe~{own.team_id}"):
        keep(slug)
        assert _read_then(app, owner, chat.id) == ([("harpe", "Harpe")], ["harpe"], ["harpe"])
    keep(f"harpe~{own.team_id + 1}")
    assert _read_then(app, owner, chat.id) == ([("", GONE_NAME["en"])], [""], [])
    keep("harpe")
    app.vaults.create(actor=owner, name="Harpe", team=app.teams.create(actor=owner, name="Harpists").id)
    assert _read_then(app, owner, chat.id) == ([("", GONE_NAME["en"])], [""], [])


def test_v11_what_is_sent_of_an_old_answer_tells_no_id_of_a_vault(
    app: Application, owner: Actor, model: Server, ask: Ask
) -> None:
    app.vaults.create(actor=owner, name="Harpe")
    app.facts.remember(actor=owner, vault="harpe", observations=[Observation(content="47 strings")])
    chat = app.conversations.start(actor=owner)
    model.says("47. <<remember pedals | It has seven pedals>>")
    (gathered,) = (one for one in ask("How many strings?", conversation=chat.id) if isinstance(one, Gathered))
    (turn,) = app.conversations.get(actor=owner, conversation=chat.id).turns
    sent = turn_shape(turn)
    spent = {"spent": sent["read"]["spent"]}
    assert sent["read"] == json.loads(json.dumps(gathered.as_dict())) | spent
    assert set(sent["read"]["vaults"][0]) == {"slug", "name", "weight"}
    assert not any("id" in name for one in sent["wrote"] for name in one)


def _other_team(app: Application, owner: Actor) -> int:
    """A team that the owner is in no more."""
    team = app.teams.create(actor=owner, name="Others").id
    with app.database.write() as tx:
        here = (tables.membership.c.team_id == team) & (tables.membership.c.user_id == owner.user_id)
        tx.execute(tables.membership.delete().where(here))
    return team


def test_v8_what_an_answer_wrote_is_shown_under_the_vault_of_now_and_not_once_that_is_withheld(
    app: Application, owner: Actor, model: Server, ask: Ask
) -> None:
    own, gone = (app.vaults.create(actor=owner, name=name) for name in ("Harpe", "Lyre"))
    (kept,) = app.facts.remember(actor=owner, vault="lyre", observations=[Observation(content="The lyre is red.")])
    chat = app.conversations.start(actor=owner)
    model.says(
        "Noted. <<remember code | The code is zyxwvut>>",
        "Noted. <<remember colour | It is turquoise>>",
        f"Fine. <<retire #{kept.fact.number} | zyxwvut said so>>",
    )
    ask("Note the code", conversation=chat.id, vaults="harpe")
    ask("Note the colour", conversation=chat.id, vaults="lyre")
    ask("The lyre is red no more", conversation=chat.id, vaults="lyre")
    team = app.teams.create(actor=owner, name="Harpists").id
    app.vaults.create(actor=owner, name="Harpe", team=team)  # so that the other is told apart from it

    def wrote(actor: Actor) -> list[dict[str, Any]]:
        turns = app.conversations.get(actor=actor, conversation=chat.id).turns
        return [one for turn in turns for one in turn_shape(turn)["wrote"]]

    def told(actor: Actor) -> list[tuple[str, ...]]:
        return [tuple(one.get(name, "") for name in ("vault", "key", "content")) for one in wrote(actor)]

    here = f"harpe~{own.team_id}"
    cloud = replace(owner, route=Route.CLOUD)
    written = [
        (here, "code", "The code is zyxwvut"),
        ("lyre", "colour", "It is turquoise"),
        ("lyre", "", "The lyre is red."),
    ]
    assert told(owner) == told(cloud) == written
    app.vaults.change(actor=owner, vault=here, protection="maximum")
    assert told(owner) == written, "on this machine it is shown"
    assert told(cloud) == [("", "", ""), *written[1:]]
    assert "zyxwvut" not in repr(wrote(cloud)[0])
    assert wrote(cloud)[0]["name"] == HIDDEN_NAME["en"]
    assert wrote(cloud)[0]["number"]
    left = _other_team(app, owner)
    with app.database.write() as tx:  # it is of a team that was left, and may be protected by now
        tx.execute(tables.vault.update().where(tables.vault.c.id == gone.id).values(team_id=left))
    assert told(owner)[1:] == [("", *one[1:]) for one in written[1:]]
    assert [one["name"] for one in wrote(owner)[1:]] == [GONE_NAME["en"]] * 2
    assert told(cloud) == [("", "", "")] * 3
    assert "zyxwvut" not in repr(wrote(cloud))

    with pytest.raises(Withheld):
        app.conversations.undo(actor=cloud, conversation=chat.id, turn=1, place=0)
    undone = app.conversations.undo(actor=owner, conversation=chat.id, turn=1, place=0)
    assert "vault_id" not in undone.as_dict()
    assert told(owner)[0] == written[0], "what is undone is still told by its vault"
