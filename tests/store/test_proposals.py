"""T5: what people answer to proposals: applied as a journal, looked at again first, asked once (CASES 11, 12, 25)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select, update

from community import SLUG, Community, community
from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound, StaleProposal, Withheld
from souvenance.domain.fact import State, SubjectKind
from souvenance.domain.proposal import Answer, Kind, Overtaken, Standing, label
from souvenance.domain.vault import Protection
from souvenance.memory.remember import Observation
from souvenance.store.tables import membership, proposal


@pytest.fixture
def place(app: Application, owner: Actor, clock: Callable[[], object]) -> Community:
    """The community after its first pass."""
    made = community(app, owner, clock)
    assert len(app.passes.look()) == 1
    return made


def again(place: Community) -> list[Any]:
    """The pairs that the next pass proposes."""
    place.rest(days=2)
    place.app.passes.run(actor=place.owner, vault=SLUG, anyway=True)
    return [view.proposal for view in place.waiting() if view.proposal.kind != "summary"]


def fact(place: Community, name: str) -> Any:
    return place.app.facts.get(actor=place.owner, number=place.numbers[name])


def audited(place: Community) -> list[dict[str, Any]]:
    return [
        dict(entry.details) for entry in place.app.history.audit(actor=place.owner) if entry.verb == "proposal.answer"
    ]


# --- the answers ---------------------------------------------------------------------------------------------------


def test_t5_a_merge_is_a_journal_replacement_and_can_be_restored(place: Community) -> None:
    language, lang = place.numbers["language"], place.numbers["lang"]
    done = place.answer(place.one("duplicate"), Answer.MERGE)
    assert (done.retired.number, done.kept.number) == (lang, language)
    retired = fact(place, "lang")
    assert (retired.state, retired.replaced_by) == (State.RETIRED, language)
    assert retired.reason == f"merged with #{language}"
    assert fact(place, "language").content == "The server language is French."
    (entry,) = audited(place)
    assert entry == {
        "proposal": done.proposal.id, "kind": "duplicate", "answer": "merge", "this": language, "that": lang
    }  # fmt: skip
    place.app.facts.restore(actor=place.owner, number=lang)
    assert fact(place, "lang").state is State.IN_FORCE


def test_t5_an_answer_waits_for_who_is_changing_the_vault(place: Community) -> None:
    view, done = place.one("duplicate"), list[Any]()
    answering = threading.Thread(target=lambda: done.append(place.answer(view, Answer.MERGE)))
    with place.app.database.write() as tx:
        tx.hold_vault(view.proposal.vault_id)
        answering.start()
        answering.join(0.5)
        assert done == []
    answering.join(30)
    assert done[0].retired.number == place.numbers["lang"]


def test_t5_a_merge_the_other_way_keeps_the_other(place: Community) -> None:
    place.answer(place.one("duplicate"), Answer.MERGE_OTHER_WAY)
    assert fact(place, "language").replaced_by == place.numbers["lang"]
    assert fact(place, "lang").state is State.IN_FORCE


def test_12_language_and_lang_are_proposed_once_and_not_again_until_one_is_rewritten(place: Community) -> None:
    pair = {place.numbers["language"], place.numbers["lang"]}
    place.answer(place.one("duplicate"), Answer.KEEP_BOTH)
    place.settle()
    assert fact(place, "lang").state is fact(place, "language").state is State.IN_FORCE
    assert again(place) == []
    facts, number = place.app.facts, place.numbers["lang"]
    # Its category, confidence and importance are not its words.
    facts.edit(actor=place.owner, number=number, confidence=0.4, importance=3, category="rules")
    assert again(place) == []
    facts.edit(actor=place.owner, number=number, content="The language of this server is French.")
    (asked,) = again(place)
    assert {asked.this, asked.that} == pair
    place.answer(place.one("duplicate"), Answer.KEEP_BOTH)
    place.settle()
    facts.edit(actor=place.owner, number=number, content="The language of the server is French.")
    assert again(place) == []  # these words were answered before


def test_11_a_contradiction_is_flagged_and_never_merged(place: Community) -> None:
    view = place.one("contradiction")
    for answer in (Answer.MERGE, Answer.MERGE_OTHER_WAY, Answer.ACCEPT):
        with pytest.raises(InvalidInput):
            place.answer(view, answer)
    done = place.answer(view, Answer.KEEP_THAT)
    assert (done.retired.number, done.kept.number) == (place.numbers["eight"], place.numbers["nine"])
    assert fact(place, "nine").content == "The weekly tournament starts at 21:00."
    assert fact(place, "eight").content == "The weekly tournament starts at 20:00."
    assert fact(place, "eight").replaced_by == place.numbers["nine"]
    assert again(place) == [place.one("duplicate").proposal]


def test_11_both_sides_of_a_contradiction_may_stay_and_it_is_not_asked_again(place: Community) -> None:
    place.answer(place.one("contradiction"), Answer.KEEP_BOTH)
    place.settle()
    assert fact(place, "eight").state is fact(place, "nine").state is State.IN_FORCE
    assert again(place) == []


def test_f6_the_summary_is_drafted_and_the_old_wording_goes_to_the_journal(place: Community) -> None:
    first = place.one("summary")
    assert first.this is None
    assert "The server language is French." in first.proposal.draft
    assert "\n" not in first.proposal.draft
    new = place.answer(first, Answer.ACCEPT).kept
    assert (new.key, new.content, new.source) == ("summary", first.proposal.draft, Source.CONSOLIDATION)
    place.settle()
    assert not again(place)
    with pytest.raises(ValueError, match="not enough"):
        place.one("summary")  # drawn from the same facts: nothing to say
    place.app.facts.edit(actor=place.owner, number=place.numbers["language"], content="The server language is Breton.")
    again(place)
    second = place.one("summary")
    assert second.this.number == new.number
    assert "Breton" in second.proposal.draft
    done = place.answer(second, Answer.ACCEPT)
    assert (done.retired.number, done.retired.replaced_by) == (new.number, done.kept.number)
    given = place.app.ladder.given_to_prompt(actor=place.owner, vault=SLUG, message="hello")
    assert (given.facts[0].fact.number, given.facts[0].is_summary) == (done.kept.number, True)
    assert [item.fact.number for item in given.facts].count(new.number) == 0


def test_f6_a_refused_summary_is_not_drafted_again_from_the_same_words(place: Community) -> None:
    draft = place.one("summary").proposal.draft
    place.settle()
    again(place)
    assert place.waiting() == []
    with place.app.database.read() as tx:
        assert draft not in str(tx.execute(select(proposal)).all())  # nobody's words are kept


def test_11_12_a_vault_in_french_is_looked_after_as_well(app: Application, owner: Actor, clock: Any) -> None:
    place = community(app, owner, clock)
    said = {
        "langue": Observation(content="La langue du serveur est le français.", key="langue", language="fr"),
        "lang": Observation(content="Le français est la langue du serveur.", key="langue_serveur", language="fr"),
        "vingt": Observation(content="Le loto mensuel commence à 20 h.", key="loto", language="fr"),
        "vingt et une": Observation(content="Le loto mensuel commence à 21 h.", key="loto", language="fr"),
    }
    numbers = {name: place.keep(f"fr {name}", observation) for name, observation in said.items()}
    place.rest()
    app.passes.look()
    by_pair = {frozenset({view.proposal.this, view.proposal.that}): view for view in place.waiting()}
    twice = by_pair[frozenset({numbers["langue"], numbers["lang"]})]
    against = by_pair[frozenset({numbers["vingt"], numbers["vingt et une"]})]
    assert (twice.proposal.kind, against.proposal.kind) == (Kind.DUPLICATE, Kind.CONTRADICTION)
    place.answer(twice, Answer.KEEP_BOTH)
    place.answer(against, Answer.KEEP_THAT)
    assert fact(place, "fr vingt").replaced_by == numbers["vingt et une"]
    place.settle()
    assert again(place) == []


# --- what happened meanwhile ---------------------------------------------------------------------------------------


def rewrite(place: Community, number: int) -> None:
    place.app.facts.edit(actor=place.owner, number=number, content="Something else altogether.")


def retire(place: Community, number: int) -> None:
    place.app.facts.retire(actor=place.owner, number=number, version=None, reason="over")


def trash(place: Community, number: int) -> None:
    place.app.facts.delete(actor=place.owner, number=number)


def purge(place: Community, number: int) -> None:
    trash(place, number)
    place.app.facts.purge(actor=place.owner, number=number)


def move(place: Community, number: int) -> None:
    place.app.vaults.create(actor=place.owner, name="Ailleurs")
    place.app.facts.move(actor=place.owner, number=number, vault="ailleurs")


def disable(place: Community, number: int) -> None:
    place.app.map.set_disabled(actor=place.owner, node=f"fact:{number}", disabled=True)


MEANWHILE = [
    (rewrite, Overtaken.REWRITTEN), (retire, Overtaken.RETIRED), (trash, Overtaken.TRASHED), (purge, Overtaken.GONE),
    (move, Overtaken.GONE), (disable, Overtaken.DISABLED),
]  # fmt: skip


@pytest.mark.parametrize("name", ["language", "lang"])
@pytest.mark.parametrize(("happens", "what"), MEANWHILE, ids=lambda one: getattr(one, "__name__", None))
def test_25_what_a_fact_became_meanwhile_makes_its_proposal_stale_and_the_answer_says_so(
    place: Community, name: str, happens: Callable[[Community, int], None], what: Overtaken
) -> None:
    view = place.one("duplicate")
    happens(place, place.numbers[name])
    other = fact(place, "lang" if name == "language" else "language")
    assert [one.proposal.kind for one in place.waiting() if one.proposal.kind == "duplicate"] == []
    shown = place.app.proposals.get(actor=place.owner, proposal=view.proposal.id)
    assert shown.answers == ()
    with pytest.raises(StaleProposal) as refused:
        place.answer(view, Answer.MERGE)
    assert refused.value.details["what"] == what
    assert "nothing was changed" in str(refused.value)
    assert place.app.facts.get(actor=place.owner, number=other.number) == other
    assert audited(place) == []
    with pytest.raises(StaleProposal):  # and says so again
        place.answer(view, Answer.KEEP_BOTH)
    closed = place.app.proposals.list(actor=place.owner, vault=SLUG, standing=Standing.STALE)
    assert (view.proposal.id, what) in [(one.proposal.id, one.proposal.overtaken) for one in closed]


def test_25_a_disabled_present_summary_is_replaced_all_the_same(place: Community) -> None:
    place.settle()
    place.keep("summary", Observation(content="Written by hand.", key="summary"))
    place.app.facts.edit(actor=place.owner, number=place.numbers["language"], content="The server language is Breton.")
    again(place)
    view = place.one("summary")
    disable(place, place.numbers["summary"])
    done = place.answer(view, Answer.ACCEPT)
    assert (done.retired.number, done.retired.replaced_by) == (place.numbers["summary"], done.kept.number)
    disable(place, done.kept.number)  # and before a draft is made
    place.app.facts.edit(actor=place.owner, number=place.numbers["language"], content="The server language is Gallo.")
    again(place)
    assert place.one("summary").this.number == done.kept.number


def test_25_a_draft_is_stale_when_what_it_was_drawn_from_or_stands_beside_changed(place: Community) -> None:
    view = place.one("summary")
    place.app.facts.edit(actor=place.owner, number=place.numbers["language"], content="The server language is Breton.")
    assert place.app.proposals.get(actor=place.owner, proposal=view.proposal.id).proposal.draft == ""
    with pytest.raises(StaleProposal):
        place.answer(view, Answer.ACCEPT)
    place.settle()
    again(place)
    view = place.one("summary")
    place.keep("summary", Observation(content="Written by hand meanwhile.", key="summary"))
    with pytest.raises(StaleProposal):
        place.answer(view, Answer.ACCEPT)
    assert place.app.facts.get(actor=place.owner, number=place.numbers["summary"]).state is State.IN_FORCE


def test_25_a_change_of_anything_but_the_words_leaves_the_proposal_standing(place: Community) -> None:
    view = place.one("duplicate")
    place.app.facts.edit(actor=place.owner, number=place.numbers["lang"], confidence=0.3, category="elsewhere")
    assert place.answer(view, Answer.MERGE).retired.number == place.numbers["lang"]


def test_25_the_second_of_two_proposals_about_one_fact_is_overtaken_by_the_answer_to_the_first(
    app: Application, owner: Actor, clock: Any
) -> None:
    place = community(app, owner, clock)
    place.keep("third", Observation(content="The server language is French!", key="server_language"))
    place.rest()
    app.passes.look()
    twice = [view for view in place.waiting() if view.proposal.kind == "duplicate"]
    assert len(twice) >= 2
    place.answer(twice[0], Answer.MERGE)
    retired = twice[0].that.number
    left = [view for view in place.waiting() if view.proposal.kind == "duplicate"]
    assert all(retired not in {view.proposal.this, view.proposal.that} for view in left)
    assert len(left) < len(twice) - 1 or len(twice) == 2


def test_stale_proposals_do_not_keep_the_next_pass_waiting(place: Community) -> None:
    place.answer(place.one("summary"), Answer.REFUSE)
    rewrite(place, place.numbers["lang"])
    rewrite(place, place.numbers["nine"])
    assert place.waiting() == []
    place.rest(days=2)
    assert place.app.passes.status(actor=place.owner, vault=SLUG).decision.runs
    assert len(place.app.passes.look()) == 1
    closed = place.app.proposals.list(actor=place.owner, vault=SLUG, standing=Standing.STALE)
    assert {view.proposal.overtaken for view in closed} == {Overtaken.REWRITTEN}


# --- two at once, and who may --------------------------------------------------------------------------------------


def test_of_two_people_who_answer_at_once_one_is_first_and_the_other_is_told(place: Community) -> None:
    view = place.one("duplicate")
    ready = threading.Barrier(2)
    told: list[Any] = []

    def say(name: str, answer: Answer) -> None:
        ready.wait()
        try:
            told.append(place.answer(view, answer, actor=replace(place.owner, name=name)))
        except Conflict as error:
            told.append(error)

    threads = [
        threading.Thread(target=say, args=("Ana", Answer.MERGE)),
        threading.Thread(target=say, args=("Bo", Answer.MERGE_OTHER_WAY)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (refused,) = [one for one in told if isinstance(one, Conflict)]
    (done,) = [one for one in told if not isinstance(one, Conflict)]
    first = done.proposal.answered_by
    assert refused.details == {"answer": done.proposal.answer, "by": first}
    assert f"answered already by {first}: {label(done.proposal.answer)}" in str(refused)
    states = {fact(place, name).state for name in ("language", "lang")}
    assert states == {State.IN_FORCE, State.RETIRED}
    assert len(audited(place)) == 1


def test_a1_answers_need_configure_and_are_a_persons(place: Community, app: Application) -> None:
    view = place.one("duplicate")
    model = app.owner_through(Source.AGENT, is_model=True)
    for actor in (model, replace(place.owner, can_write=False)):
        with pytest.raises(NotAllowed):
            place.answer(view, Answer.MERGE, actor=actor)
    with app.database.write() as tx:
        tx.execute(update(membership).values(can_configure=False))
    assert len(place.waiting()) == 3  # the list is readable
    with pytest.raises(NotAllowed):
        place.answer(view, Answer.MERGE)
    with pytest.raises(NotAllowed):
        app.passes.run(actor=place.owner, vault=SLUG)
    stranger = replace(place.owner, user_id=10**6)
    with pytest.raises(NotFound):
        app.proposals.get(actor=stranger, proposal=view.proposal.id)
    with pytest.raises(NotFound):
        app.proposals.list(actor=stranger, vault=SLUG)
    assert fact(place, "lang").state is State.IN_FORCE


def test_v8_proposals_of_a_protected_vault_are_withheld_on_a_cloud_route(place: Community, app: Application) -> None:
    view = place.one("summary")
    app.vaults.change(actor=place.owner, vault=SLUG, protection=Protection.MAXIMUM)
    cloud = replace(place.owner, route=Route.CLOUD)
    for read in (
        lambda: app.proposals.list(actor=cloud, vault=SLUG),
        lambda: app.proposals.get(actor=cloud, proposal=view.proposal.id),
        lambda: app.passes.status(actor=cloud, vault=SLUG),
        lambda: app.proposals.answer(actor=cloud, proposal=view.proposal.id, answer=Answer.ACCEPT),
    ):
        with pytest.raises(Withheld):
            read()
    assert place.answer(view, Answer.ACCEPT).kept is not None


def test_proposals_survive_a_restart_and_hold_no_words_of_their_facts(place: Community, app: Application) -> None:
    with app.database.read() as tx:
        kept = str(tx.execute(select(proposal).where(proposal.c.kind != Kind.SUMMARY)).all())
    assert "duplicate" in kept
    for word in ("French", "tournament", "20:00"):
        assert word not in kept


def test_f9_a_purge_leaves_nothing_of_the_fact_in_proposals(place: Community, app: Application) -> None:
    hashes = {place.one("duplicate").proposal.that_wording}
    purge(place, place.numbers["lang"])
    with app.database.read() as tx:
        kept = str(tx.execute(select(proposal)).all())
    assert not [one for one in hashes if one in kept]
    assert "The server language" not in kept  # a draft may have drawn on it
    assert [view.proposal.kind for view in place.waiting()] == ["contradiction"]


def test_unknown_answers_and_proposals_are_refused(place: Community, app: Application) -> None:
    view = place.one("summary")
    with pytest.raises(InvalidInput):
        place.answer(view, "perhaps")
    with pytest.raises(NotFound):
        app.proposals.get(actor=place.owner, proposal="0" * 12)
    place.answer(view, Answer.REFUSE)
    with pytest.raises(Conflict):
        place.answer(view, Answer.REFUSE)


def test_every_word_people_read_is_there_in_both_languages() -> None:
    for language in ("en", "fr", "de"):
        said = [label(one, language) for one in (*Kind, *Answer, *Overtaken)]
        assert all(said)


@pytest.mark.parametrize("way", ["refiled", "moved", "purged"])
def test_f7_no_draft_outlives_what_it_was_drawn_from(place: Community, way: str) -> None:
    app, owner = place.app, place.owner
    (draft,) = drafts(app)
    number = draft.sources[0][0]
    if way == "refiled":
        app.facts.edit(actor=owner, number=number, subject_kind=SubjectKind.MEMBER, subject_id="m777")
        app.erasures.erase(actor=owner, member="m777", confirm="m777", vault=SLUG)
    else:
        app.vaults.create(actor=owner, name="Elsewhere")
        app.facts.move(actor=owner, number=number, vault="elsewhere")
        if way == "moved":
            app.erasures.erase(actor=owner, vault="elsewhere", confirm="Elsewhere")
        else:
            app.facts.delete(actor=owner, number=number)
            app.facts.purge(actor=owner, number=number)
    assert [(row.draft, row.sources) for row in drafts(app)] == [("", [])]


def drafts(app: Application) -> list[Any]:
    with app.database.read() as tx:
        return list(tx.execute(select(proposal).where(proposal.c.kind == Kind.SUMMARY)).all())
