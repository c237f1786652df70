"""C1: one question, one answer, with memory: what is read, said, written and kept, on both engines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from scripted import Handler, Server
from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.errors import Conflict
from souvenance.domain.fact import Fact, State, SubjectKind
from souvenance.domain.tokens import estimate_tokens
from souvenance.domain.vault import MemoryType, Protection, VaultKind
from souvenance.exchange.applying import LOOK_UP_TOKENS
from souvenance.exchange.events import Became, Event, Gathered, LookedUp, Member, Text, Verb, Wait, Waiting, Wrote
from souvenance.exchange.instructions import instructions
from souvenance.memory.remember import Observation
from souvenance.memory.shown import Where

Ask = Callable[..., list[Event]]


def keep(app: Application, owner: Actor, vault: str, content: str, **values: Any) -> Fact:
    observation = Observation(content=content, **values)
    return app.facts.remember(actor=owner, vault=vault, observations=[observation])[0].fact


@pytest.fixture
def harpe(app: Application, owner: Actor) -> Fact:
    """A vault on Semantic with one fact."""
    app.vaults.create(actor=owner, name="Harpe")
    return keep(app, owner, "harpe", "The harp has 47 strings.", key="strings")


def wrote(events: list[Event]) -> list[tuple[Verb, Became]]:
    return [(one.verb, one.became) for one in events if isinstance(one, Wrote)]


def gathered(events: list[Event]) -> Gathered:
    return next(one for one in events if isinstance(one, Gathered))


def test_c1_the_prompt_holds_memory_as_numbered_quotations(ask: Ask, model: Server, harpe: Fact) -> None:
    model.says(f"It has 47 [#{harpe.number}].")
    events = ask("How many strings has the harp?")
    (body,) = model.asked
    assert [one["role"] for one in body["messages"]] == ["system", "user"]
    assert body["messages"][1]["content"] == "How many strings has the harp?"
    assert f"> [#{harpe.number}] strings: The harp has 47 strings." in body["messages"][0]["content"]
    assert "".join(one.text for one in events if hasattr(one, "text") and type(one).__name__ == "Text") == (
        f"It has 47 [#{harpe.number}]."
    )
    badge = gathered(events).badge
    assert [one.slug for one in badge.vaults] == ["harpe"]
    assert badge.label("fr") == "Tous les coffres lus (Harpe)"
    assert [(one.number, one.vault) for one in gathered(events).put] == [(harpe.number, "harpe")]
    assert model.seen[0]["headers"]["Authorization"] == "Bearer sk-very-secret-key"


def test_c1_what_is_asked_of_memory_is_done_and_never_seen(
    ask: Ask, app: Application, owner: Actor, model: Server, harpe: Fact
) -> None:
    model.says(f"Noted.\n<<replace #{harpe.number} | The harp has 46 strings. | one broke>>")
    events = ask("One string broke.")
    assert events[-1].text == "Noted."  # type: ignore[union-attr]
    assert wrote(events) == [(Verb.REPLACE, Became.DONE)]
    assert app.facts.get(actor=owner, number=harpe.number).state is State.RETIRED
    (new,) = app.facts.list(actor=owner, vault="harpe")
    assert new.content == "The harp has 46 strings."
    assert new.source is Source.AGENT


def test_f1_what_a_model_wrote_says_so_and_for_whom_and_is_reviewed(
    ask: Ask, app: Application, owner: Actor, model: Server, harpe: Fact
) -> None:
    person = app.owner_through(Source.COMMAND_LINE)
    model.says(f"<<retire #{harpe.number} | it was sold>><<remember city | I live in Lyon | 7 | user>> Ok.")
    events = ask("I live in Lyon and sold the harp.", actor=person)
    assert wrote(events) == [(Verb.RETIRE, Became.DONE), (Verb.REMEMBER, Became.DONE)]
    (fact,) = app.facts.list(actor=owner, vault="personal")
    assert fact.source is Source.AGENT
    for number in (fact.number, harpe.number):
        last = app.history.of_fact(actor=owner, number=number)[0]
        assert (last.who, last.source) == ("chat model, for Owner", "agent")
    begun = fact.created_at - timedelta(minutes=1)
    found = app.history.review(actor=owner, agent="chat model", since=begun)
    assert {thing.reference for change in found.changes for thing in change.things if thing.kind == "fact"} == {
        str(fact.number), str(harpe.number)
    }  # fmt: skip
    assert "chat model" in {one.agent for one in app.history.writers(actor=owner, since=begun)}


def test_f4_numbers_that_were_not_shown_do_nothing_and_are_in_the_audit(
    ask: Ask, app: Application, owner: Actor, model: Server, harpe: Fact
) -> None:
    app.vaults.create(actor=owner, name="Lyre")
    other = keep(app, owner, "lyre", "The lyre is old.")
    model.says(f"<<retire #{other.number}>><<retire #9999>> Done.")
    events = ask("Forget the lyre", vaults="harpe")
    assert wrote(events) == [(Verb.RETIRE, Became.IGNORED)] * 2
    assert app.facts.get(actor=owner, number=other.number).state is State.IN_FORCE
    ignored = [one for one in app.history.audit(actor=owner) if one.verb == "fact.ignored"]
    assert sorted(one.details["number"] for one in ignored) == [other.number, 9999]


@pytest.mark.parametrize("chunk", [1, 5, 400])
def test_t3_a_look_up_costs_exactly_one_more_call(
    ask: Ask, app: Application, owner: Actor, model: Server, harpe: Fact, chunk: int
) -> None:
    app.vaults.change_settings(actor=owner, vault="harpe", changes={"max_injected": 1})
    hidden = keep(app, owner, "harpe", "Martin tunes the harp on Fridays.", key="martin")
    keep(app, owner, "harpe", "Last word of all.")
    app.vaults.change_type(actor=owner, vault="harpe", memory_type=MemoryType.ARCHIVE)
    model.chunk = chunk
    model.says(
        "<<lookup Martin>> ignored tail",
        f"<<lookup Ana>>\nOn Fridays [#{hidden.number}].<<retire #{hidden.number} | x>>",
    )
    chat = app.conversations.start(actor=owner)
    events = ask("When does he come?", conversation=chat.id)
    assert len(model.asked) == 2
    (looked,) = [one for one in events if isinstance(one, LookedUp)]
    assert (looked.query, looked.numbers) == ("Martin", (hidden.number,))
    assert events[-1].text == f"On Fridays [#{hidden.number}]."  # type: ignore[union-attr]
    assert "Martin tunes" in model.prompt(1)
    assert "Martin tunes" not in model.prompt(0)
    # The badge opens on what was found too (V11): here, and in the conversation taken up again.
    shown = [one.number for one in events[-1].gathered.put]  # type: ignore[union-attr]
    assert shown.count(hidden.number) == 1
    (turn,) = app.conversations.get(actor=owner, conversation=chat.id).turns
    assert turn.trace is not None
    assert [one["number"] for one in turn.trace["put"]] == shown
    # Found this way it may be corrected as if shown; a second look-up is ignored.
    assert wrote(events) == [(Verb.LOOK_UP, Became.IGNORED), (Verb.RETIRE, Became.DONE)]
    retrievals = {one.verb for one in app.retrievals.list(actor=owner)}
    assert {"exchange", "look-up"} <= retrievals


def test_t3_over_several_vaults_a_look_up_is_one_more_call_within_one_budget(
    app: Application, owner: Actor, model: Server, ask: Ask
) -> None:
    names = ("Harpe", "Lyre", "Luth")
    for name in names:
        app.vaults.create(actor=owner, name=name)
        long = [Observation(content=f"Martin tunes the {name} {'often ' * 500}{number}.") for number in range(8)]
        app.facts.remember(actor=owner, vault=name.lower(), observations=long)
        app.facts.remember(actor=owner, vault=name.lower(), observations=[Observation(content="Last word of all.")])
        app.vaults.change_settings(actor=owner, vault=name.lower(), changes={"max_injected": 1})
        app.vaults.change_type(actor=owner, vault=name.lower(), memory_type=MemoryType.ARCHIVE)
    model.says(*["<<lookup Martin>>"] * 6)
    events = ask("When does he come?")
    (looked,) = [one for one in events if isinstance(one, LookedUp)]
    assert len(model.asked) == 2
    found = model.asked[1]["messages"][-1]["content"]
    assert estimate_tokens(found) <= LOOK_UP_TOKENS + 200
    assert all(f"tunes the {name}" in found for name in names)  # none takes the place of all
    assert sorted(looked.vault.split(", ")) == ["harpe", "luth", "lyre"]
    assert [one.verb for one in events if isinstance(one, Wrote)] == [Verb.LOOK_UP]
    # A look-up that is not allowed is no first one after which another would be free.
    model.says("<<lookup Martin>> <<lookup Ana>> No.", "<<lookup Ana>>")
    where = Where(may_read=True, may_write=True)
    ask("<<lookup Martin>>", where=where)  # it only repeats what was put before the model
    assert len(model.asked) == 1


@pytest.mark.parametrize("again", ["", "<<remember visit | Martin comes tomorrow at nine | harpe>>"])
def test_t3_what_was_asked_before_a_look_up_is_done_and_not_twice(
    ask: Ask, app: Application, owner: Actor, model: Server, harpe: Fact, again: str
) -> None:
    app.vaults.change_type(actor=owner, vault="harpe", memory_type=MemoryType.ARCHIVE)
    noted = "<<remember visit | Martin comes tomorrow at nine | harpe>>"
    model.says(f"{noted}\n<<lookup Martin>>", f"Noted. {again}")
    events = ask("Martin comes tomorrow at nine.", vaults="harpe")
    assert len(model.asked) == 2
    assert wrote(events) == [(Verb.REMEMBER, Became.DONE)]
    assert [one.key for one in app.facts.list(actor=owner, vault="harpe")] == ["visit", "strings"]


def test_v8_a_look_up_finds_nothing_of_a_vault_that_was_protected_meanwhile(
    ask: Ask, app: Application, owner: Actor, model: Server, harpe: Fact
) -> None:
    app.vaults.change_settings(actor=owner, vault="harpe", changes={"max_injected": 1})
    keep(app, owner, "harpe", "Martin tunes the harp on Fridays.")
    keep(app, owner, "harpe", "Last word of all.")
    app.vaults.change_type(actor=owner, vault="harpe", memory_type=MemoryType.ARCHIVE)
    app.endpoints.change(actor=owner, name="scripted", route=Route.CLOUD)

    def protects(handler: Handler, _body: Any) -> None:
        app.vaults.change(actor=owner, vault="harpe", protection=Protection.MAXIMUM)
        handler.send_stream("<<lookup Martin>> I do not know.")

    model.says(protects, "On Fridays.")
    events = ask("When does he come?")
    assert len(model.asked) == 1
    assert events[-1].text == "I do not know."  # type: ignore[union-attr]
    assert not any("Fridays" in one.text for one in events if isinstance(one, Text))


def test_t3_below_the_archive_a_look_up_is_ignored_and_costs_nothing(
    ask: Ask, app: Application, owner: Actor, model: Server, harpe: Fact
) -> None:
    app.vaults.change_type(actor=owner, vault="harpe", memory_type=MemoryType.JOURNAL)
    model.says("<<lookup Martin>> I do not know.")
    events = ask("When does he come?")
    assert len(model.asked) == 1
    assert events[-1].text == "I do not know."  # type: ignore[union-attr]
    assert not [one for one in events if isinstance(one, LookedUp)]
    assert [one.details["asked"] for one in app.history.audit(actor=owner) if one.verb == "fact.ignored"] == ["look_up"]


def test_c1_what_is_learnt_goes_where_it_belongs(
    ask: Ask, app: Application, owner: Actor, model: Server, harpe: Fact
) -> None:
    app.vaults.create(actor=owner, name="Lyre")
    model.says(
        "<<remember city | I live in Lyon | 7 | user>>"
        "<<remember age | The lyre is from 1890 | Lyre>>"
        "<<remember loose | It rains>> Ok."
    )
    events = ask("I live in Lyon and the lyre is from 1890.")
    assert wrote(events) == [(Verb.REMEMBER, Became.DONE)] * 3
    assert {one.vault for one in events if isinstance(one, Wrote)} == {"personal", "lyre"}
    assert [one.content for one in app.facts.list(actor=owner, vault="lyre")] == ["The lyre is from 1890"]
    personal = {one.key: one for one in app.facts.list(actor=owner, vault="personal")}
    assert personal["city"].importance == 7
    assert set(personal) == {"city", "loose"}


def test_n4_what_a_person_says_of_themselves_is_theirs_whatever_vault_is_named(
    ask: Ask, app: Application, owner: Actor, model: Server, harpe: Fact
) -> None:
    model.says("<<remember city | I live in Lyon | user>><<remember wood | It is of maple>> Ok.")
    events = ask("I live in Lyon; the harp is of maple", vaults="harpe")
    assert {(one.key, one.vault) for one in events if isinstance(one, Wrote)} == {
        ("city", "personal"), ("wood", "harpe")
    }  # fmt: skip
    model.says("<<remember hat | I wear a hat | user>> Ok.")
    events = ask("I wear a hat", vaults="harpe", actor=replace(owner, vaults=frozenset({harpe.vault_id})))
    assert [one.vault for one in events if isinstance(one, Wrote)] == ["harpe"]  # it reaches no other


def test_d1_the_same_words_about_another_or_under_another_key_are_no_repetition(
    ask: Ask, app: Application, owner: Actor, model: Server
) -> None:
    app.vaults.create(actor=owner, name="Guild", kind=VaultKind.SERVER)
    ana, bo = Member(id="1001", name="Ana"), Member(id="1002", name="Bo")
    about = {"subject_kind": SubjectKind.MEMBER, "subject_id": ana.id}
    keep(app, owner, "guild", "Lyon", key="birthplace", **about)
    keep(app, owner, "guild", "has a cat that sings", key="pet", **about)
    model.says(
        "<<remember birthplace | Lyon | Ana>><<remember home | Lyon | Ana>><<remember home | Lyon | Bo>>"
        "<<remember animal | has a cat that sings | Ana>><<remember pet | has a cat that sings | Bo>> Ok."
    )
    events = ask("We both live in Lyon, and have a cat each", vaults="guild", member=ana, members=[bo])
    became = [one.became for one in events if isinstance(one, Wrote)]
    assert became == [Became.SKIPPED, Became.DONE, Became.DONE, Became.SKIPPED, Became.DONE]
    kept = {(one.key, one.subject_id) for one in app.facts.list(actor=owner, vault="guild")}
    assert kept == {("birthplace", "1001"), ("pet", "1001"), ("home", "1001"), ("home", "1002"), ("pet", "1002")}


def test_c1_it_writes_only_where_the_person_may(
    ask: Ask, app: Application, owner: Actor, model: Server, harpe: Fact
) -> None:
    reading = replace(owner, token_id=1, can_write=False)
    model.says(f"<<remember a | b>><<retire #{harpe.number}>> Ok.")
    events = ask("q", actor=reading)
    assert wrote(events) == [(Verb.REMEMBER, Became.IGNORED), (Verb.RETIRE, Became.IGNORED)]
    assert "<<remember" not in model.prompt()
    assert "<<retire" not in model.prompt()
    assert "<<lookup" in model.prompt()
    model.says(f"<<remember a | b>><<retire #{harpe.number}>> Ok.")
    events = ask("q", where=Where(channel="quiet", may_write=False))
    assert {one[1] for one in wrote(events)} == {Became.IGNORED}
    assert len(app.facts.list(actor=owner, vault="harpe")) == 1


@pytest.mark.parametrize("step", [MemoryType.CLASSIC, MemoryType.RANKED])
def test_n11_an_exchange_is_audited_with_what_bears_on_it_of_facts_and_notes(
    ask: Ask, app: Application, owner: Actor, model: Server, harpe: Fact, step: MemoryType
) -> None:
    app.vaults.change_type(actor=owner, vault="harpe", memory_type=step)
    keep(app, owner, "harpe", "Ana likes tea.")
    ask("How many strings has the harp?")
    ask("Qui peint la palissade ?")
    note = app.notes.create(actor=owner, vault="harpe", title="Fence", content="Paul peint la palissade en bleu.")
    ask("Qui peint la palissade en bleu ?")
    assert "palissade en bleu" in model.prompt()
    fence, blind, strings = (one for one in app.retrievals.list(actor=owner) if one.verb == "exchange")
    assert [one["number"] for one in strings.top] == [harpe.number]
    assert (strings.confidence, blind.confidence, blind.found) == ("weak", "none", 0)
    assert fence.top[0]["note"] == note.id
    assert [one.query for one in app.retrievals.blind_spots(actor=owner)] == ["qui peint la palissade ?"]


def test_c1_notes_are_found_among_many_facts_and_many_notes(
    ask: Ask, app: Application, owner: Actor, model: Server, harpe: Fact
) -> None:
    many = [Observation(content=f"The fence number {place} is painted by somebody.") for place in range(900)]
    app.facts.remember(actor=owner, vault="harpe", observations=many)
    app.notes.create(actor=owner, vault="harpe", title="Fence", content="Paul painted the quincunx fence.")
    ask("Who painted the quincunx fence?")
    assert "Paul painted the quincunx" in model.prompt()
    long = "\n\n".join(f"## Part {place}\n\n" + f"The gate number {place} is green. " * 40 for place in range(700))
    app.notes.create(actor=owner, vault="harpe", title="Gates", content=long)
    ask("Who painted the quincunx fence?")
    assert "Paul painted the quincunx" in model.prompt()


def test_v8_facts_of_a_protected_vault_are_counted_as_withheld_where_there_is_no_note(
    ask: Ask, app: Application, owner: Actor, model: Server, harpe: Fact
) -> None:
    app.vaults.create(actor=owner, name="Secret")
    keep(app, owner, "secret", "The harp of strings is hidden.")
    app.vaults.change(actor=owner, vault="secret", protection=Protection.MAXIMUM)
    found = gathered(ask("Where is the harp of strings hidden?", actor=replace(owner, route=Route.CLOUD)))
    assert found.withheld == 1
    assert "hidden." not in model.prompt()


@pytest.mark.parametrize("language", ["en", "fr"])
def test_f4_a_model_that_writes_down_the_examples_it_was_given_asks_nothing(
    ask: Ask, app: Application, owner: Actor, model: Server, harpe: Fact, language: str
) -> None:
    for place in range(15):  # so that every number an example could hold is a fact that is shown
        keep(app, owner, "harpe", f"Fact of the harp, {place}")
    app.vaults.change_type(actor=owner, vault="harpe", memory_type=MemoryType.SEMANTIC)
    before = app.facts.list(actor=owner, vault="harpe", states=list(State))
    told = instructions(language, steps=[MemoryType.SEMANTIC], may_write=True, may_look_up=True)
    for text in (told, "Well. " + told, *(line for line in told.splitlines() if "<<" in line)):
        model.says(text, text)
        events = ask("What of the harp?", language=language)
        assert {became for _, became in wrote(events)} <= {Became.IGNORED}
        assert len(model.asked) == 1
    assert app.facts.list(actor=owner, vault="harpe", states=list(State)) == before
    assert [one.slug for one in app.vaults.list(actor=owner)] == ["harpe"]  # nothing of the person was learnt either


def test_d2_without_read_nothing_is_put_before_the_model(ask: Ask, model: Server, harpe: Fact) -> None:
    model.says("Hello.")
    events = ask("How many strings has the harp?", where=Where(may_read=False))
    assert "47" not in model.prompt()
    assert gathered(events).put == ()


def test_v7_none_reads_and_writes_nothing_not_even_a_vault_that_is_named(
    ask: Ask, app: Application, owner: Actor, model: Server, harpe: Fact
) -> None:
    chat = app.conversations.start(actor=owner, without_memory=True)
    model.says("<<remember a | b>>I cannot know.")
    events = ask("What does @harpe say of strings?", conversation=chat.id)
    assert [one["role"] for one in model.asked[0]["messages"]] == ["user"]
    assert gathered(events).badge.label("fr") == "Aucune mémoire"
    assert wrote(events) == [(Verb.REMEMBER, Became.IGNORED)]
    app.attention.all(actor=owner)
    assert app.conversations.get(actor=owner, conversation=chat.id).conversation.without_memory
    model.says("Still not.")
    ask("And now, harpe?", conversation=chat.id)
    assert "47" not in model.prompt()


def test_v12_a_muted_vault_that_is_named_answers(
    ask: Ask, app: Application, owner: Actor, model: Server, harpe: Fact
) -> None:
    app.vaults.create(actor=owner, name="Lyre")
    keep(app, owner, "lyre", "The lyre is old.")
    app.attention.solo(actor=owner, vault="Lyre")
    model.says("a", "b")
    assert "harpe" in gathered(ask("What of strings?")).passed_over
    assert "47" not in model.prompt(0)
    events = ask("What of strings in Harpe?")
    assert "47" in model.prompt(1)
    assert gathered(events).badge.designated


def test_v8_v10_auto_costs_one_call_and_is_never_offered_what_is_protected(
    ask: Ask, app: Application, owner: Actor, model: Server, harpe: Fact
) -> None:
    for name in ("Lyre", "Secret"):
        app.vaults.create(actor=owner, name=name)
        keep(app, owner, name, f"{name} has strings too.")
    app.vaults.change(actor=owner, vault="Secret", protection=Protection.MAXIMUM)
    app.attention.set_auto(actor=owner, auto=True)
    model.says('{"vaults": [1]}', "47.")
    events = ask("How many strings?")
    assert len(model.asked) == 2
    assert "Secret" not in model.prompt(0)
    badge = gathered(events).badge
    assert badge.chosen
    assert [one.slug for one in badge.vaults] == ["harpe"]
    assert badge.label() == "✨ Harpe"
    assert [one.what for one in events if isinstance(one, Waiting)] == [Wait.AUTO, Wait.MODEL]
    model.says("nonsense", "47.")
    events = ask("How many strings?")
    assert {one.slug for one in gathered(events).badge.vaults} == {"harpe", "lyre", "secret"}
    assert "not a choice" in gathered(events).auto_why


def test_c5_what_was_written_is_kept_with_the_answer_and_can_be_undone(
    ask: Ask, app: Application, owner: Actor, model: Server, harpe: Fact
) -> None:
    chat = app.conversations.start(actor=owner)
    model.says(f"<<replace #{harpe.number} | 46 strings | broke>><<remember who | Ana broke it>> Ok.")
    ask("Ana broke a string", conversation=chat.id)
    (turn,) = app.conversations.get(actor=owner, conversation=chat.id).turns
    assert [one["verb"] for one in turn.wrote] == ["replace", "remember"]
    for place in (0, 1):
        assert app.conversations.undo(actor=owner, conversation=chat.id, turn=1, place=place).undone
    assert [one.content for one in app.facts.list(actor=owner, vault="harpe")] == ["The harp has 47 strings."]
    (turn,) = app.conversations.get(actor=owner, conversation=chat.id).turns
    assert all(one["undone"] for one in turn.wrote)
    with pytest.raises(Conflict):
        app.conversations.undo(actor=owner, conversation=chat.id, turn=1, place=0)


@pytest.mark.parametrize("step", [MemoryType.CLASSIC, MemoryType.JOURNAL])
def test_c5_t1_an_undone_retirement_leaves_the_fact_as_it_was(
    ask: Ask, app: Application, owner: Actor, model: Server, harpe: Fact, step: MemoryType
) -> None:
    app.vaults.change_type(actor=owner, vault="harpe", memory_type=step)
    chat = app.conversations.start(actor=owner)
    model.says(f"<<retire #{harpe.number} | it was sold>> Ok.")
    ask("It was sold", conversation=chat.id)
    assert app.facts.list(actor=owner, vault="harpe") == []
    app.conversations.undo(actor=owner, conversation=chat.id, turn=1, place=0)
    (back,) = app.facts.list(actor=owner, vault="harpe")
    assert replace(back, version=harpe.version, updated_at=harpe.updated_at) == harpe


def test_c5_f6_undoing_a_replaced_summary_brings_the_old_one_back_alone(
    ask: Ask, app: Application, owner: Actor, model: Server, harpe: Fact
) -> None:
    app.vaults.change_type(actor=owner, vault="harpe", memory_type=MemoryType.JOURNAL)
    old = keep(app, owner, "harpe", "A place for harps.", key="summary")
    chat = app.conversations.start(actor=owner)
    model.says(f"<<replace #{old.number} | A place for lyres. | it changed>> Ok.")
    ask("It changed", conversation=chat.id)
    assert [one.content for one in app.facts.list(actor=owner, vault="harpe") if one.is_summary] == [
        "A place for lyres."
    ]
    app.conversations.undo(actor=owner, conversation=chat.id, turn=1, place=0)
    states = {one.content: one.state for one in app.facts.list(actor=owner, vault="harpe", states=list(State))}
    assert states["A place for harps."] is State.IN_FORCE
    assert states["A place for lyres."] is State.TRASHED


def test_f8_a_secret_is_refused(ask: Ask, app: Application, owner: Actor, model: Server, harpe: Fact) -> None:
    model.says("<<remember key | The API key is sk-proj-abcdefghijklmnopqrstuvwxyz123456789012345678>> Ok.")
    events = ask("keep it", vaults="harpe")
    assert wrote(events) == [(Verb.REMEMBER, Became.REFUSED)]
    assert len(app.facts.list(actor=owner, vault="harpe")) == 1


def test_d1_facts_about_a_member_are_kept_under_their_id(
    ask: Ask, app: Application, owner: Actor, model: Server
) -> None:

    app.vaults.create(actor=owner, name="Guild", kind=VaultKind.SERVER)
    ana, bo = Member(id="1001", name="Ana"), Member(id="1002", name="Bo")
    model.says("<<remember pet | has a cat | user>><<remember job | is a baker | Bo>><<remember rule | no spam>> Ok.")
    ask("I have a cat, Bo bakes", vaults="guild", member=ana, members=[bo], where=Where(channel="general"))
    kept = {one.key: one for one in app.facts.list(actor=owner, vault="guild")}
    assert (kept["pet"].subject_id, kept["job"].subject_id, kept["rule"].subject_id) == ("1001", "1002", "")
    assert kept["pet"].channel == "general"
    assert model.asked[0]["messages"][-1]["content"] == "Ana: I have a cat, Bo bakes"


def test_n11_a_question_that_no_model_answers_is_written_down_once(
    ask: Ask, app: Application, owner: Actor, harpe: Fact
) -> None:
    events = ask("How many strings has the harp?")
    assert "47 strings" in "".join(one.text for one in events if isinstance(one, Text))
    assert [(one.verb, one.found) for one in app.retrievals.list(actor=owner)] == [("exchange", 1)]
    assert app.retrievals.frequent(actor=owner) == []
