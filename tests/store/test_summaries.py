"""F6: at most one summary is in force in a vault, whichever way another would come in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from community import SLUG, Community, community
from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.errors import Conflict
from souvenance.domain.fact import Action, Fact, State, SubjectKind
from souvenance.domain.proposal import Answer
from souvenance.domain.vault import MemoryType
from souvenance.memory.remember import Observation


@pytest.fixture
def place(app: Application, owner: Actor, clock: Callable[[], object]) -> Community:
    return community(app, owner, clock)


def summary(place: Community, said: str, vault: str = SLUG, **other: Any) -> int:
    observation = Observation(content=said, key="summary", **other)
    (kept,) = place.app.facts.remember(actor=place.owner, vault=vault, observations=[observation])
    return kept.fact.number


def get(place: Community, number: int) -> Fact:
    return place.app.facts.get(actor=place.owner, number=number)


def in_force(place: Community, vault: str = SLUG) -> list[int]:
    listed = place.app.facts.browse(actor=place.owner, vault=vault, limit=1000).facts
    found = [item.number for item in listed if item.is_summary]
    given = place.app.ladder.given_to_prompt(actor=place.owner, vault=vault, message="hello")
    assert [item.fact.number for item in given.facts if item.fact.is_summary] == found
    return found


def test_f6_another_summary_takes_the_place_of_the_one_in_force_which_the_journal_keeps(place: Community) -> None:
    first, second = summary(place, "A club of old games."), summary(place, "A club of new games.")
    assert in_force(place) == [second]
    old = get(place, first)
    assert (old.state, old.replaced_by, old.content) == (State.RETIRED, second, "A club of old games.")
    assert "summary" in old.reason
    assert summary(place, "A club of new games.") == second  # the same again is skipped
    assert in_force(place) == [second]


def test_f6_of_several_summaries_remembered_at_once_the_last_stands(place: Community) -> None:
    said = [Observation(content=f"Summary {one}.", key="summary") for one in range(3)]
    kept = place.app.facts.remember(actor=place.owner, vault=SLUG, observations=said)
    assert in_force(place) == [kept[-1].fact.number]
    assert [item.fact.state for item in kept] == [State.RETIRED, State.RETIRED, State.IN_FORCE]
    assert [get(place, item.fact.number) == item.fact for item in kept] == [True] * 3


def test_f6_an_old_summary_that_is_restored_replaces_the_present_one(place: Community) -> None:
    first, second = summary(place, "A club of old games."), summary(place, "A club of new games.")
    place.app.facts.restore(actor=place.owner, number=first)
    assert in_force(place) == [first]
    assert (get(place, second).state, get(place, second).replaced_by) == (State.RETIRED, first)
    place.app.facts.delete(actor=place.owner, number=first)
    third = summary(place, "Yet another.")
    place.app.facts.restore(actor=place.owner, number=first)  # out of the trash
    assert in_force(place) == [first]
    assert get(place, third).replaced_by == first


def test_f6_restoring_all_leaves_former_summaries_retired_and_says_so(place: Community) -> None:
    numbers = [summary(place, f"Summary {one}.") for one in range(3)]
    number = place.numbers["language"]
    place.app.facts.retire(actor=place.owner, number=number, version=None, reason="over")
    done = place.app.bulk.restore_all(actor=place.owner, vault=SLUG)
    assert (done.restored, done.summaries_left) == (1, tuple(numbers[:2]))
    assert in_force(place) == numbers[2:]
    assert get(place, number).state is State.IN_FORCE
    # Where none stands, the last one that did comes back.
    place.app.facts.retire(actor=place.owner, number=numbers[2], version=None, reason="over")
    done = place.app.bulk.restore_all(actor=place.owner, vault=SLUG)
    assert (done.restored, done.summaries_left) == (1, tuple(numbers[:2]))
    assert in_force(place) == numbers[2:]


def test_f6_an_accepted_draft_then_restore_all_leaves_one_summary(place: Community) -> None:
    first = summary(place, "Written by hand.")
    place.rest()
    place.app.passes.look()
    kept = place.answer(place.one("summary"), Answer.ACCEPT).kept
    assert get(place, first).replaced_by == kept.number
    assert place.app.bulk.restore_all(actor=place.owner, vault=SLUG).summaries_left == (first,)
    assert in_force(place) == [kept.number]


def test_f6_moving_and_editing_bring_in_no_second_summary(place: Community) -> None:
    place.app.vaults.create(actor=place.owner, name="Ailleurs")
    here, there = summary(place, "Here."), summary(place, "There.", vault="ailleurs")
    place.app.facts.move(actor=place.owner, number=there, vault=SLUG)
    assert in_force(place) == [there]
    assert get(place, here).replaced_by == there
    place.app.facts.edit(actor=place.owner, number=place.numbers["language"], key="summary")
    assert in_force(place) == [place.numbers["language"]]
    about = summary(place, "Of somebody.", subject_kind=SubjectKind.MEMBER, subject_id="7")
    assert in_force(place) == [place.numbers["language"]]
    place.app.facts.edit(actor=place.owner, number=about, subject_kind=SubjectKind.VAULT, subject_id="")
    assert in_force(place) == [about]


def test_f6_a_disabled_summary_does_not_come_back_beside_another(place: Community) -> None:
    first = summary(place, "Out of every read.")
    place.app.map.set_disabled(actor=place.owner, node=f"fact:{first}", disabled=True)
    second = summary(place, "The one that answers.")
    assert get(place, first).state is State.RETIRED
    assert in_force(place) == [second]


def test_f6_undoing_brings_the_former_summary_back_alone(place: Community) -> None:
    first = summary(place, "First.")
    second = summary(place, "Second.")
    changes = place.app.history.of_fact(actor=place.owner, number=first)
    place.app.history.restore(actor=place.owner, ref=first, change_id=changes[-1].change_id)
    assert in_force(place) == [first]
    assert get(place, second).state is State.RETIRED


def test_f6_a_page_back_from_the_trash_leaves_the_present_summary(place: Community) -> None:
    first = summary(place, "First.", category="about")
    page = get(place, first).note_id
    place.app.notes.delete(actor=place.owner, ref=page)
    second = summary(place, "Second.", category="elsewhere")
    place.app.notes.restore(actor=place.owner, ref=page)
    assert in_force(place) == [second]
    assert (get(place, first).state, get(place, first).replaced_by) == (State.RETIRED, second)


def test_f6_a_page_that_is_edited_holds_one_summary(place: Community) -> None:
    first = summary(place, "First.", category="about")
    page = place.app.notes.get(actor=place.owner, ref=get(place, first).note_id)
    done = place.app.notes.edit(
        actor=place.owner, ref=page.note.id, operation="append", content="- **summary**: Second.",
        version=page.note.version,
    )  # fmt: skip
    (second,) = done.facts_added
    assert in_force(place) == [second]
    assert get(place, first).state is State.RETIRED


def test_f6_restoring_many_brings_back_one_summary_and_names_the_other(place: Community) -> None:
    numbers = [summary(place, f"Summary {one}.") for one in range(3)]
    done = place.app.bulk.apply(actor=place.owner, numbers=numbers[:2], action=Action.RESTORE)
    assert (done.done, [item.number for item in done.refused]) == ((numbers[0],), [numbers[1]])
    assert in_force(place) == [numbers[0]]
    assert get(place, numbers[2]).replaced_by == numbers[0]


def test_f4_f6_a_model_replaces_no_summary_by_writing_another(place: Community) -> None:
    first = summary(place, "First.")
    model = replace(place.owner, is_model=True)
    with pytest.raises(Conflict) as refused:
        place.app.facts.remember(
            actor=model, vault=SLUG, observations=[Observation(content="Mine now.", key="summary")]
        )
    assert f"#{first}" in str(refused.value)
    assert in_force(place) == [first]
    # By its number it may (T2).
    place.app.vaults.change_type(actor=place.owner, vault=SLUG, memory_type=MemoryType.JOURNAL)
    _, new = place.app.facts.retire(
        actor=model, number=first, version=get(place, first).version, reason="stale", replacement="Mine now."
    )
    assert new is not None
    assert in_force(place) == [new.number]
    assert get(place, first).reason == "stale"


# --- what an accepted summary was drawn from ------------------------------------------------------------------------


@pytest.fixture
def accepted(place: Community) -> int:
    """The number of a summary that was accepted after the first pass."""
    for importance, name in ((10, "eight"), (10, "nine")):
        place.app.facts.edit(actor=place.owner, number=place.numbers[name], importance=importance)
    place.rest()
    place.app.passes.look()
    return int(place.answer(place.one("summary"), Answer.ACCEPT).kept.number)


def outdated(place: Community, number: int) -> Any:
    return place.app.facts.outdated(facts=[get(place, number)]).get(number)


def test_f6_a_summary_drawn_from_what_keep_this_retired_says_so_and_is_drafted_anew(
    place: Community, accepted: int
) -> None:
    assert outdated(place, accepted) is None
    against = place.one("contradiction")
    drawn = next(number for number in (against.this.number, against.that.number)
                 if get(place, number).content in get(place, accepted).content)  # fmt: skip
    keep = Answer.KEEP_THAT if drawn == against.this.number else Answer.KEEP_THIS
    assert place.answer(against, keep).retired.number == drawn
    old = outdated(place, accepted)
    assert (old.number, old.sentence()) == (drawn, "drawn from a fact that was retired")
    assert old.sentence("fr") == "tiré d’un souvenir qui a été retiré"
    given = place.app.ladder.given_to_prompt(actor=place.owner, vault=SLUG, message="hello", language="fr").facts[0]
    assert (given.is_summary, given.outdated) == (True, old.sentence("fr"))
    assert old.sentence("fr") in given.line
    place.settle()
    place.rest(days=2)
    place.app.passes.run(actor=place.owner, vault=SLUG, anyway=True)
    view = place.one("summary")
    assert (view.this.number, view.outdated) == (accepted, old)
    assert get(place, drawn).content not in view.proposal.draft
    new = place.answer(view, Answer.ACCEPT).kept
    assert outdated(place, new.number) is None
    assert outdated(place, accepted) is None  # it is retired itself


def source(place: Community, accepted: int) -> int:
    return next(
        number for number in place.numbers.values() if get(place, number).content in get(place, accepted).content
    )


HAPPENS: list[tuple[str, Callable[[Community, int], object]]] = [
    ("was retired", lambda place, number: place.app.facts.retire(
        actor=place.owner, number=number, version=None, reason="over", replacement="Another thing altogether.")),
    ("was rewritten", lambda place, number: place.app.facts.edit(
        actor=place.owner, number=number, content="Another thing.")),
    ("is in the trash", lambda place, number: place.app.facts.delete(actor=place.owner, number=number)),
    ("was disabled", lambda place, number: place.app.map.set_disabled(
        actor=place.owner, node=f"fact:{number}", disabled=True)),
    ("is not in this vault any more", lambda place, number: (
        place.app.facts.delete(actor=place.owner, number=number),
        place.app.facts.purge(actor=place.owner, number=number))),
]  # fmt: skip


@pytest.mark.parametrize(("what", "happens"), HAPPENS, ids=[name for name, _ in HAPPENS])
def test_f6_whatever_became_of_a_source_the_summary_says_so(
    place: Community, accepted: int, what: str, happens: Callable[[Community, int], object]
) -> None:
    number = source(place, accepted)
    happens(place, number)
    assert outdated(place, accepted).sentence() == f"drawn from a fact that {what}"
    # Whoever words it anew takes it over.
    place.app.facts.edit(actor=place.owner, number=accepted, content="In words of my own.")
    assert outdated(place, accepted) is None


def test_f6_a_refused_draft_leaves_the_accepted_summary_as_it_is(place: Community, accepted: int) -> None:
    place.settle()
    place.rest(days=2)
    place.app.passes.run(actor=place.owner, vault=SLUG, anyway=True)
    assert [view for view in place.waiting() if view.proposal.kind == "summary"] == []  # drawn from the same: decided
    assert outdated(place, accepted) is None
