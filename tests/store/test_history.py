"""Revisions, restore, review and revert (N9), and the audit log (A4), on both engines."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from sqlalchemy import event

from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound
from souvenance.domain.fact import Fact, State
from souvenance.domain.note import NoteClass
from souvenance.domain.vault import MemoryType, Protection
from souvenance.memory.remember import Observation


def remember(app: Application, actor: Actor, content: str, category: str = "general") -> Fact:
    return app.facts.remember_about_user(actor=actor, observation=Observation(content=content, category=category)).fact


def agent_of(app: Application, name: str = "scribe") -> Actor:
    return app.owner_through(Source.AGENT, is_model=True, name=name)


@pytest.fixture
def since(clock: object) -> datetime:
    return clock()  # type: ignore[operator, no-any-return]


def test_n9_a_facts_history_says_who_when_and_what(app: Application, owner: Actor) -> None:
    fact = remember(app, agent_of(app), "Lives in Lyon.")
    app.facts.edit(actor=owner, number=fact.number, content="Lives in Paris.", confidence=0.5)
    app.facts.retire(actor=owner, number=fact.number, version=None, reason="moved away")
    retired, edited, made = app.history.of_fact(actor=owner, number=fact.number)
    assert (made.who, made.source, made.diff) == ("scribe", "agent", "+ Lives in Lyon.\ncategory: general")
    assert (edited.who, edited.operation, edited.version) == ("owner", "edit", 2)
    assert edited.diff == "- Lives in Lyon.\n+ Lives in Paris.\nconfidence: 1.0 → 0.5"
    assert retired.diff == "state: in force → retired (moved away)"
    assert made.at < edited.at < retired.at
    (last,) = app.history.of_fact(actor=owner, number=fact.number, limit=1, offset=1)
    assert last == edited


def test_n9_any_revision_of_a_fact_is_read_and_restored_as_a_new_one(app: Application, owner: Actor) -> None:
    fact = remember(app, owner, "Lives in Lyon.", "home")
    app.facts.edit(actor=owner, number=fact.number, content="Lives in Paris.")
    app.facts.delete(actor=owner, number=fact.number)
    deleted, _, made = app.history.of_fact(actor=owner, number=fact.number)
    assert app.history.text_at(actor=owner, ref=fact.number, change_id=made.change_id) == "Lives in Lyon."
    with pytest.raises(Conflict):
        app.history.restore(actor=owner, ref=fact.number, change_id=deleted.change_id)
    app.history.restore(actor=owner, ref=f"#{fact.number}", change_id=made.change_id)
    back = app.facts.get(actor=owner, number=fact.number)
    assert (back.content, back.state, back.version) == ("Lives in Lyon.", State.IN_FORCE, 4)
    newest = app.history.of_fact(actor=owner, number=fact.number)[0]
    assert newest.operation == "restore"
    assert newest.diff == "- Lives in Paris.\n+ Lives in Lyon.\nstate: trash → in force"
    with pytest.raises(NotFound):
        app.history.text_at(actor=owner, ref=fact.number, change_id=made.change_id - 1)


def test_n9_a_memory_pages_history_is_told_by_its_facts(app: Application, owner: Actor) -> None:
    tea = remember(app, owner, "Likes tea.", "taste")
    jam = remember(app, owner, "Likes jam.", "taste")
    app.facts.edit(actor=owner, number=tea.number, content="Likes green tea.")
    app.facts.retire(actor=owner, number=jam.number, version=None, reason="no longer")
    views = app.history.of_note(actor=owner, ref=tea.note_id)
    assert [view.diff for view in views] == [
        f"- - Likes jam. ^{jam.number}",
        f"- - Likes tea. ^{tea.number}\n+ - Likes green tea. ^{tea.number}",
        f"+ - Likes jam. ^{jam.number}",
        f"+ - Likes tea. ^{tea.number}",
    ]
    texts = [app.history.text_at(actor=owner, ref=tea.note_id, change_id=view.change_id) for view in views]
    assert texts[0] == f"- Likes green tea. ^{tea.number}\n"
    assert texts[2] == f"- Likes tea. ^{tea.number}\n- Likes jam. ^{jam.number}\n"
    assert texts[3] == f"- Likes tea. ^{tea.number}\n"


def test_n9_a_memory_page_is_restored_through_its_facts(app: Application, owner: Actor) -> None:
    tea = remember(app, owner, "Likes tea.", "taste")
    jam = remember(app, owner, "Likes jam.", "taste")
    moment = app.history.of_note(actor=owner, ref=tea.note_id)[0].change_id
    app.facts.edit(actor=owner, number=tea.number, content="Likes green tea.")
    app.facts.delete(actor=owner, number=jam.number)
    later = remember(app, owner, "Likes cake.", "taste")
    app.history.restore(actor=owner, ref=tea.note_id, change_id=moment)
    assert app.facts.get(actor=owner, number=tea.number).content == "Likes tea."
    assert app.facts.get(actor=owner, number=jam.number).state is State.IN_FORCE
    assert app.facts.get(actor=owner, number=later.number).state is State.TRASHED
    newest = app.history.of_note(actor=owner, ref=tea.note_id)[0].change_id
    page = app.history.text_at(actor=owner, ref=tea.note_id, change_id=newest)
    assert page == app.history.text_at(actor=owner, ref=tea.note_id, change_id=moment)


def test_n9_review_lists_all_that_one_agent_wrote_since(app: Application, owner: Actor, since: datetime) -> None:
    scribe, other = agent_of(app), agent_of(app, "other")
    mine = remember(app, owner, "Owner's own.")
    fact = remember(app, scribe, "Scribe's own.")
    remember(app, other, "Other's own.")
    app.facts.retire(actor=scribe, number=mine.number, version=1, reason="wrong")
    review = app.history.review(actor=owner, agent="scribe", since=since)
    assert [change.verb for change in review.changes] == ["retire", "remember"]
    (retired,), (made,) = (change.things for change in review.changes)
    assert retired.reference == str(mine.number)
    assert retired.diff == "state: in force → retired (wrong)"
    assert (made.reference, made.did, made.vault) == (str(fact.number), "remember", "personal")
    assert app.history.review(actor=owner, agent="scribe", since=app.history.of_fact(
        actor=owner, number=mine.number)[0].at).changes == review.changes[:1]  # fmt: skip
    with pytest.raises(InvalidInput):
        app.history.review(actor=owner, since=since)


def test_n9_revert_takes_back_together_and_leaves_what_others_changed(
    app: Application, owner: Actor, clock: object
) -> None:
    kept = remember(app, owner, "Born in 1990.", "self")
    reworded = remember(app, owner, "Lives in Lyon.", "self")
    retired = remember(app, owner, "Likes jam.", "self")
    since = clock()  # type: ignore[operator]
    scribe = agent_of(app)
    made = remember(app, scribe, "Likes poison.", "self")
    app.facts.edit(actor=scribe, number=reworded.number, content="Lives on Mars.")
    app.facts.edit(actor=scribe, number=reworded.number, content="Lives on Venus.")
    app.facts.retire(actor=scribe, number=retired.number, version=1, reason="lies")
    app.facts.edit(actor=scribe, number=kept.number, content="Born in 1890.")
    app.facts.edit(actor=owner, number=kept.number, content="Born in 1991.")

    plan = app.history.revert(actor=owner, agent="scribe", since=since, dry_run=True)
    assert app.facts.get(actor=owner, number=made.number).state is State.IN_FORCE
    done = app.history.revert(actor=owner, agent="scribe", since=since)
    assert (done.reverted, done.conflicts) == (plan.reverted, plan.conflicts)
    assert {thing.reference: thing.did for thing in done.reverted} == {
        str(made.number): "trash",
        str(reworded.number): "former wording",
        str(retired.number): "back in force",
    }
    (conflict,) = done.conflicts
    assert conflict.reference == str(kept.number)
    assert conflict.conflict.startswith("changed since by owner")

    assert app.facts.get(actor=owner, number=made.number).state is State.TRASHED
    assert app.facts.get(actor=owner, number=reworded.number).content == "Lives in Lyon."
    assert app.facts.get(actor=owner, number=retired.number).state is State.IN_FORCE
    assert app.facts.get(actor=owner, number=kept.number).content == "Born in 1991."
    assert app.history.of_fact(actor=owner, number=made.number)[0].operation == "revert"
    entry = app.history.audit(actor=owner)[0]
    assert (entry.verb, entry.vault, entry.details["reverted"]) == ("history.revert", "personal", 3)
    again = app.history.revert(actor=owner, agent="scribe", since=since)
    assert again.reverted == ()


def test_n9_a_revert_asks_as_much_for_each_fact_however_long_the_chain_it_was_replaced_in(
    app: Application, owner: Actor, clock: object
) -> None:
    remember(app, owner, "Plays the harp.")
    app.vaults.change_type(actor=owner, vault="personal", memory_type=MemoryType.JOURNAL)
    asked = {}
    for length in (10, 40):
        since = clock()  # type: ignore[operator]
        scribe = agent_of(app, f"scribe {length}")
        last = remember(app, scribe, f"{length}: the harp has 0 strings.")
        for strings in range(1, length):
            wording = f"{length}: the harp has {strings} strings."
            _, replaced = app.facts.retire(
                actor=scribe, number=last.number, version=last.version, reason="miscounted", replacement=wording
            )
            assert replaced is not None
            last = replaced
        sent: list[str] = []

        def note(_connection: Any, _cursor: Any, statement: str, *_more: Any, sent: list[str] = sent) -> None:
            sent.append(statement)

        event.listen(app.database._engine, "before_cursor_execute", note)
        done = app.history.revert(actor=owner, agent=f"scribe {length}", since=since)
        event.remove(app.database._engine, "before_cursor_execute", note)
        assert (len(done.reverted), done.conflicts) == (length, ())
        assert app.facts.get(actor=owner, number=last.number).state is State.TRASHED
        asked[length] = len(sent) / length
    assert asked[40] <= asked[10]


def test_n9_revert_takes_back_a_digest_and_is_for_people_only(app: Application, owner: Actor, since: datetime) -> None:
    scribe = agent_of(app)
    made = app.facts.remember_about_user(
        actor=scribe, observation=Observation(content="Likes poison.", category="new"), digest="Obey me."
    )
    with pytest.raises(NotAllowed):
        app.history.revert(actor=scribe, agent="scribe", since=since)
    done = app.history.revert(actor=owner, agent="scribe", since=since)
    assert {thing.kind for thing in done.reverted} == {"fact", "note"}
    assert "digest: Obey me. → none" in done.reverted[0].diff
    assert [thing.did for thing in done.reverted] == ["former wording", "trash"], "the page itself stays"
    assert app.history.of_note(actor=owner, ref=made.note_id)[0].operation == "revert"


def test_n9_revert_by_token(app: Application, owner: Actor, since: datetime) -> None:
    token, secret = app.tokens.create(actor=app.owner_through(Source.COMMAND_LINE), name="bot")
    bot = app.tokens.authenticate(secret, source=Source.AGENT)
    fact = remember(app, bot, "From the bot.")
    other, _ = app.tokens.create(actor=app.owner_through(Source.COMMAND_LINE), name="other")
    assert app.history.revert(actor=owner, token=other.id, since=since).reverted == ()
    with pytest.raises(NotFound):
        app.history.revert(actor=owner, token=other.id + 1, since=since)
    assert app.history.review(actor=bot, agent="oter", since=since).changes == ()  # a token learns no token's name
    (thing,) = app.history.revert(actor=owner, token=token.id, since=since).reverted
    assert thing.reference == str(fact.number)


def test_v8_protected_history_stays_off_a_cloud_route(app: Application, owner: Actor, since: datetime) -> None:
    app.vaults.create(actor=owner, name="Clinic", protection=Protection.MAXIMUM)
    scribe = agent_of(app)
    app.facts.remember(actor=scribe, vault="clinic", observations=[Observation(content="A diagnosis.")])
    cloud = app.owner_through(Source.REST, route=Route.CLOUD)
    review = app.history.review(actor=cloud, agent="scribe", since=since)
    assert review.changes == ()
    assert review.withheld == 2  # the fact and its page
    assert "clinic" not in str(app.history.audit(actor=cloud)).lower()
    assert "clinic" in str(app.history.audit(actor=owner)).lower()


def test_a4_the_log_is_newest_first_and_holds_no_contents(app: Application, owner: Actor) -> None:
    fact = remember(app, owner, "A very private sentence.")
    app.facts.delete(actor=owner, number=fact.number)
    entries = app.history.audit(actor=owner)
    assert [entry.verb for entry in entries] == ["fact.delete", "vault.create"]
    assert entries[0].details == {"number": fact.number}
    assert "private sentence" not in str(entries)
    stranger = Actor(user_id=owner.user_id + 1, source=Source.PANEL, route=Route.LOCAL)
    assert app.history.audit(actor=stranger) == []
    assert app.history.audit(actor=owner, limit=1, offset=1) == entries[1:2]
    _, secret = app.tokens.create(actor=owner, name="bot")
    assert app.history.audit(actor=owner)[0].verb == "token.create"
    assert app.history.audit(actor=app.tokens.authenticate(secret, source=Source.REST)) == entries


def test_n9_revert_by_user_undoes_a_replacement_on_both_sides(app: Application, owner: Actor, clock: object) -> None:
    old = remember(app, owner, "Lives in Lyon.")
    since = clock()  # type: ignore[operator]
    _, new = app.facts.retire(
        actor=owner, number=old.number, version=None, reason="moved", replacement="Lives in Paris."
    )
    assert new is not None
    done = app.history.revert(actor=owner, user=owner.user_id, since=since)
    assert {thing.reference: thing.did for thing in done.reverted} == {
        str(old.number): "back in force",
        str(new.number): "trash",
    }
    back = app.facts.get(actor=owner, number=old.number)
    assert (back.state, back.reason, back.replaced_by) == (State.IN_FORCE, "", None)
    assert app.history.revert(actor=owner, user=owner.user_id, since=since).reverted == ()


def test_an_ingested_file_is_not_rewritten_from_its_history(app: Application, owner: Actor) -> None:
    app.vaults.create(actor=owner, name="Atlas")
    note = app.notes.create(actor=owner, vault="atlas", title="File", content="x", note_class=NoteClass.SOURCE)
    (made,) = app.history.of_note(actor=owner, ref=note.id)
    with pytest.raises(NotAllowed):
        app.history.restore(actor=owner, ref=note.id, change_id=made.change_id)


def test_n9_a_notes_history_reads_as_a_diff_and_any_revision_comes_back(app: Application, owner: Actor) -> None:
    app.vaults.create(actor=owner, name="Atlas")
    note = app.notes.create(actor=owner, vault="atlas", title="Plan", content="# Plan\n\nOne.\nTwo.\nThree.\n")
    app.notes.edit(actor=owner, ref=note.id, operation="find_replace", find="Two.", content="2, see [[Other]].")
    app.notes.move(actor=owner, ref=note.id, folder="old")
    app.notes.delete(actor=owner, ref=note.id)
    deleted, moved, edited, made = app.history.of_note(actor=owner, ref=note.id)
    assert edited.diff == "@@ line 2\n\n  One.\n- Two.\n+ 2, see [[Other]].\n  Three."
    assert moved.diff == "folder: none → old"
    assert deleted.diff == "state: in force → trash"
    assert "+ Three." in made.diff
    text = app.history.text_at(actor=owner, ref=note.id, change_id=moved.change_id)
    assert text == "# Plan\n\nOne.\n2, see [[Other]].\nThree.\n"

    app.history.restore(actor=owner, ref=note.id, change_id=made.change_id)
    view = app.notes.get(actor=owner, ref=note.id)
    assert (view.note.path, view.note.content, view.note.deleted_at) == ("Plan", note.content, None)
    assert view.links == ()
    assert len(app.history.of_note(actor=owner, ref=note.id)) == 5

    app.notes.delete(actor=owner, ref=note.id)
    other = app.notes.create(actor=owner, vault="atlas", title="Plan", content="Another.")
    with pytest.raises(Conflict):
        app.history.restore(actor=owner, ref=note.id, change_id=made.change_id)
    assert app.notes.get(actor=owner, ref=other.id).note.content == "Another."


def test_n9_revert_of_notes_and_of_a_deleted_page(app: Application, owner: Actor, clock: object) -> None:
    app.vaults.create(actor=owner, name="Atlas")
    plan = app.notes.create(actor=owner, vault="atlas", title="Plan", content="Ours, see [[Map]].")
    fact = remember(app, owner, "Likes tea.", "taste")
    since = clock()  # type: ignore[operator]
    scribe = agent_of(app)
    app.notes.edit(actor=scribe, ref=plan.id, operation="replace", content="Theirs.")
    made = app.notes.create(actor=scribe, vault="atlas", title="Spam", content="Spam.")
    app.notes.delete(actor=scribe, ref=fact.note_id)
    taken = app.notes.create(actor=scribe, vault="atlas", title="Draft", content="Draft.")
    app.notes.edit(actor=owner, ref=taken.id, operation="append", content="Owner's line.")

    done = app.history.revert(actor=owner, agent="scribe", since=since)
    assert {thing.reference for thing in done.reverted} == {plan.id, made.id, fact.note_id, str(fact.number)}
    assert [thing.reference for thing in done.conflicts] == [taken.id]
    view = app.notes.get(actor=owner, ref=plan.id)
    assert view.note.content == "Ours, see [[Map]]."
    assert [link.target for link in view.links] == ["Map"]
    assert app.notes.get(actor=owner, ref=made.id).note.deleted_at is not None
    page = app.notes.get(actor=owner, ref=fact.note_id)
    assert page.note.deleted_at is None
    assert page.note.content == f"- Likes tea. ^{fact.number}\n"


def test_a_fact_comes_back_with_its_page_or_on_the_one_made_since(app: Application, owner: Actor) -> None:
    fact = remember(app, owner, "Likes tea.", "taste")
    (made,) = app.history.of_fact(actor=owner, number=fact.number)
    app.notes.delete(actor=owner, ref=fact.note_id)
    app.history.restore(actor=owner, ref=fact.number, change_id=made.change_id)
    assert app.notes.get(actor=owner, ref=fact.note_id).facts[0].number == fact.number
    app.notes.delete(actor=owner, ref=fact.note_id)
    newer = remember(app, owner, "Likes jam.", "taste")
    app.history.restore(actor=owner, ref=fact.number, change_id=made.change_id)
    page = app.notes.get(actor=owner, ref=newer.note_id)
    assert {item.number for item in page.facts} == {fact.number, newer.number}


def test_f9_what_lies_in_the_trash_is_out_of_every_read_of_a_model(app: Application, owner: Actor) -> None:
    app.vaults.create(actor=owner, name="Open")
    model = replace(owner, is_model=True)
    kept, gone = app.facts.remember(
        actor=owner,
        vault="open",
        observations=[Observation(content="Likes tea."), Observation(content="Canary words.")],
    )
    note = app.notes.create(actor=owner, vault="open", title="Gone", content="Canary words.")
    app.facts.delete(actor=owner, number=gone.fact.number)
    app.notes.delete(actor=owner, ref=note.id)
    number, page = gone.fact.number, kept.note_id
    (change,) = {item.change_id for item in app.history.of_fact(actor=owner, number=kept.fact.number)}
    for read in (
        lambda: app.facts.get(actor=model, number=number),
        lambda: app.history.of_fact(actor=model, number=number),
        lambda: app.history.text_at(actor=model, ref=number, change_id=change),
        lambda: app.notes.get(actor=model, ref=note.id),
        lambda: app.history.of_note(actor=model, ref=note.id),
        lambda: app.history.text_at(actor=model, ref=note.id, change_id=change),
    ):
        with pytest.raises(NotFound, match="in the trash"):
            read()
    assert app.facts.list(actor=model, vault="open", states=[State.TRASHED]) == []
    assert app.facts.browse(actor=model, vault="open", states=[State.TRASHED]).facts == ()
    assert app.notes.list(actor=model, vault="open", trashed=True) == []
    told = app.history.of_note(actor=model, ref=page)
    assert "Likes tea." in told[-1].diff
    assert not [item for item in told if "Canary" in item.diff]
    assert "Canary" not in app.history.text_at(actor=model, ref=page, change_id=change)
    assert app.facts.get(actor=owner, number=number).content == "Canary words."
    assert "Canary" in app.history.text_at(actor=owner, ref=page, change_id=change)
