"""F1 to F9, T1 to T3: all that can be done to facts, in random order, on any step: nothing lost, nothing resurrected,
every view equal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from pydantic import SecretStr
from sqlalchemy import func, select

from souvenance.application import Application
from souvenance.domain.access import Source
from souvenance.domain.errors import Conflict, NotFound
from souvenance.domain.fact import Action, Fact, State
from souvenance.domain.vault import MemoryType, VaultKind
from souvenance.memory.remember import Observation
from souvenance.memory.shown import LookUp, Outcome, Replace, Retire, Shown
from souvenance.settings import Settings
from souvenance.store.tables import fact, vault
from souvenance.wiring import open_application

WORDS = ("thé", "café", "tournoi", "rétro", "langue", "salon", "Paul", "Zoé")
wordings = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
places = st.integers(0, 30)
categories = st.sampled_from(["general", "gens", "règles"])
ALL = list(State)


@dataclass
class Known:
    """A fact as the machine expects it."""

    number: int
    content: str
    vault: str
    state: State
    is_summary: bool = False


class FactMachine(RuleBasedStateMachine):
    """Two vaults, a person and a model."""

    def __init__(self, app: Application) -> None:
        super().__init__()
        self.app = app
        self.person = app.owner_through(Source.PANEL)
        self.model = app.owner_through(Source.BOT, is_model=True, name="bot")
        self.known: dict[int, Known] = {}
        self.purged: list[int] = []
        self.step = MemoryType.CLASSIC

    @initialize()
    def open_vaults(self) -> None:
        with self.app.database.read() as tx:
            count = tx.execute(select(func.count()).select_from(vault)).scalar_one()
        self.vault, self.other = (
            self.app.vaults.create(actor=self.person, name=f"v{count + place}", kind=VaultKind.SERVER).slug
            for place in range(2)
        )
        self.app.vaults.change_settings(actor=self.person, vault=self.vault, changes={"max_injected": 3})

    def pick(self, place: int, *states: State) -> Known | None:
        chosen = [item for item in self.known.values() if item.state in states]
        return chosen[place % len(chosen)] if chosen else None

    def same(self, content: str, where: str, category: str) -> bool:
        return any(
            item.state is State.IN_FORCE and item.vault == where and item.content == content
            and self.app.facts.get(actor=self.person, number=item.number).category == category
            for item in self.known.values()
        )  # fmt: skip

    # --- writing -----------------------------------------------------------------------------------------------

    @rule(content=wordings, category=categories, by_model=st.booleans())
    def remember(self, content: str, category: str, by_model: bool) -> None:
        was_there = self.same(content, self.vault, category)
        (done,) = self.app.facts.remember(
            actor=self.model if by_model else self.person,
            vault=self.vault,
            observations=[Observation(content=content, category=category)],
        )
        assert (done.outcome == "skipped") == was_there
        self.known.setdefault(done.fact.number, Known(done.fact.number, content, self.vault, State.IN_FORCE))

    @rule(content=wordings)
    def remember_a_summary(self, content: str) -> None:
        (done,) = self.app.facts.remember(
            actor=self.person, vault=self.vault, observations=[Observation(content=content, key="summary")]
        )
        self.known.setdefault(done.fact.number, Known(done.fact.number, content, self.vault, State.IN_FORCE))
        self.known[done.fact.number].is_summary = True

    @rule(place=places, content=wordings, category=categories)
    def edit(self, place: int, content: str, category: str) -> None:
        item = self.pick(place, State.IN_FORCE, State.RETIRED)
        if item is not None:
            self.app.facts.edit(actor=self.person, number=item.number, content=content, category=category)
            item.content = content

    @rule(place=places)
    def move(self, place: int) -> None:
        item = self.pick(place, State.IN_FORCE, State.RETIRED)
        if item is not None:
            item.vault = self.other if item.vault == self.vault else self.vault
            self.app.facts.move(actor=self.person, number=item.number, vault=item.vault)

    # --- ending and coming back --------------------------------------------------------------------------------

    @rule(place=places, content=wordings, says=st.booleans())
    def retire(self, place: int, content: str, says: bool) -> None:
        item = self.pick(place, State.IN_FORCE)
        if item is None:
            return
        try:
            _, new = self.app.facts.retire(
                actor=self.person, number=item.number, version=None, reason="r", replacement=content if says else None
            )
        except Conflict:
            assert says  # the replacement says what it says already
            return
        item.state = State.RETIRED
        if new is not None:
            self.known.setdefault(new.number, Known(new.number, content, item.vault, State.IN_FORCE, item.is_summary))

    @rule(one=places, other=places)
    def replace_by(self, one: int, other: int) -> None:
        item, new = self.pick(one, State.IN_FORCE), self.pick(other, *ALL)
        if item is None or new is None:
            return
        may = new.state is State.IN_FORCE and new.vault == item.vault and new.number != item.number
        try:
            self.app.facts.retire(
                actor=self.person, number=item.number, version=None, reason="r", replaced_by=new.number
            )
        except Conflict:
            assert not may
        else:
            assert may
            item.state = State.RETIRED

    @rule(place=places)
    def restore(self, place: int) -> None:
        item = self.pick(place, State.RETIRED, State.TRASHED)
        if item is not None:
            item.state = self.app.facts.restore(actor=self.person, number=item.number).state
            assert item.state is not State.TRASHED

    @rule(place=places)
    def delete(self, place: int) -> None:
        item = self.pick(place, State.IN_FORCE, State.RETIRED)
        if item is not None:
            self.app.facts.delete(actor=self.person, number=item.number)
            item.state = State.TRASHED

    @rule(place=places)
    def purge(self, place: int) -> None:
        item = self.pick(place, State.TRASHED)
        if item is not None:
            self.app.facts.purge(actor=self.person, number=item.number)
            self.purged.append(self.known.pop(item.number).number)

    @rule(chosen=st.lists(places, min_size=1, max_size=4), action=st.sampled_from([Action.DELETE, Action.RESTORE]))
    def bulk(self, chosen: list[int], action: Action) -> None:
        numbers = list(dict.fromkeys(list(self.known)[one % len(self.known)] for one in chosen)) if self.known else []
        if not numbers:
            return
        done = self.app.bulk.apply(actor=self.person, numbers=numbers, action=action)
        assert sorted([*done.done, *(item.number for item in done.refused)]) == sorted(numbers)
        for number in done.done:
            assert self.known[number].state is not (State.TRASHED if action is Action.DELETE else State.IN_FORCE)
            self.known[number].state = self.app.facts.get(actor=self.person, number=number).state

    @rule()
    def restore_all(self) -> None:
        here = [item for item in self.known.values() if item.state is State.RETIRED and item.vault == self.vault]
        done = self.app.bulk.restore_all(actor=self.person, vault=self.vault)
        assert done.restored + len(done.summaries_left) == len(here)
        assert all(self.known[number].is_summary for number in done.summaries_left)
        for item in here:
            item.state = State.RETIRED if item.number in done.summaries_left else State.IN_FORCE

    @rule(step=st.sampled_from(list(MemoryType)))
    def change_step(self, step: MemoryType) -> None:
        before = self.rows()
        self.app.simulations.simulate(actor=self.person, vault=self.vault, to=step)
        self.app.vaults.change_type(actor=self.person, vault=self.vault, memory_type=step)
        self.step = step
        assert self.rows() == before

    # --- an exchange -------------------------------------------------------------------------------------------

    def exchange(self, message: str) -> Shown:
        given = self.app.ladder.given_to_prompt(actor=self.model, vault=self.vault, message=message)
        for item in given.facts:
            known = self.known[item.fact.number]
            assert (known.state, known.vault, known.content) == (State.IN_FORCE, self.vault, item.fact.content)
        here = [item for item in self.known.values() if item.state is State.IN_FORCE and item.vault == self.vault]
        assert len(given.facts) == min(3, len(here))
        return given.shown

    @rule(message=wordings, place=places, content=wordings, says=st.booleans())
    def model_ends_a_fact(self, message: str, place: int, content: str, says: bool) -> None:
        shown = self.exchange(message)
        item = self.pick(place, *ALL)
        if item is None:
            return
        may = item.number in shown.versions and (not says or self.step.step >= MemoryType.JOURNAL.step)
        done = self.app.ladder.apply_request(
            actor=self.model,
            shown=shown,
            request=Replace(number=item.number, content=content, reason="r") if says else Retire(number=item.number),
        )
        if done.outcome is Outcome.REFUSED:
            assert says and may  # noqa: PT018  the replacement says what it says already
            return
        assert (done.outcome is Outcome.DONE) == may
        if may:
            item.state = State.TRASHED if self.step is MemoryType.CLASSIC else State.RETIRED
        if done.successor is not None:
            new = done.successor
            ended = self.known[done.fact.number].is_summary if done.fact is not None else False
            self.known.setdefault(new.number, Known(new.number, content, self.vault, State.IN_FORCE, ended))

    @rule(query=st.sampled_from(WORDS))
    def model_looks_up(self, query: str) -> None:
        shown = self.exchange("bonjour")
        done = self.app.ladder.apply_request(actor=self.model, shown=shown, request=LookUp(query=query))
        assert (done.outcome is Outcome.DONE) == (self.step.step >= MemoryType.ARCHIVE.step)
        for found in done.found:
            known = self.known[found.number]
            assert (known.state, known.vault) == (State.IN_FORCE, self.vault)
        holding = [
            item for item in self.known.values()
            if item.state is State.IN_FORCE and item.vault == self.vault and query in item.content.split()
        ]  # fmt: skip
        if done.outcome is Outcome.DONE:
            assert bool(done.found) == bool(holding)

    # --- what always holds -------------------------------------------------------------------------------------

    def rows(self) -> list[tuple[object, ...]]:
        with self.app.database.read() as tx:
            return [tuple(row) for row in tx.execute(select(fact).order_by(fact.c.number))]

    @precondition(lambda self: hasattr(self, "vault"))
    @invariant()
    def every_view_is_equal(self) -> None:
        # Which summary stands follows from which came last (tests/store/test_summaries.py); here, that there is one.
        for item in self.known.values():
            if item.is_summary:
                item.state = self.app.facts.get(actor=self.person, number=item.number).state
        for slug in (self.vault, self.other):
            standing = [one for one in self.known.values() if one.is_summary and one.state is State.IN_FORCE]
            assert sum(one.vault == slug for one in standing) <= 1
        listed: dict[int, Fact] = {}
        for slug in (self.vault, self.other):
            page = self.app.facts.browse(actor=self.person, vault=slug, states=ALL, limit=1000)
            mine = [item for item in self.known.values() if item.vault == slug]
            counts = {state: sum(item.state is state for item in mine) for state in State}
            assert dict(page.by_state) == counts
            for item in page.facts:
                known = self.known[item.number]
                assert (known.content, known.vault, known.state) == (item.content, slug, item.state)
                listed[item.number] = item
            in_force = {item.number for item in mine if item.state is State.IN_FORCE}
            found = self.app.retrieval.search(actor=self.person, query=" ".join(WORDS), vault=slug, limit=200)
            assert {hit.number for hit in found.hits} == in_force
            pages = {item.note_id for item in page.facts if item.state is State.IN_FORCE}
            on_pages = [one for ref in pages for one in self.app.notes.get(actor=self.person, ref=ref).facts]
            assert {one.number for one in on_pages} == in_force
            if page.facts:
                latest = max(item.updated_at for item in page.facts)
                then = self.app.facts.browse(actor=self.person, vault=slug, states=ALL, limit=1000, as_of=latest)
                assert {timeless(item) for item in then.facts} == {timeless(item) for item in page.facts}
        assert listed.keys() == self.known.keys()
        for number in self.purged[-2:]:
            try:
                self.app.facts.get(actor=self.person, number=number)
            except NotFound:
                continue
            raise AssertionError(f"#{number} came back")


def timeless(item: Fact) -> Fact:
    return replace(item, version=0, position=0)


def run(make: Callable[[], FactMachine], *, examples: int, steps: int) -> None:
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        make,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_facts_through_everything_that_can_be_done_to_them(store_url: str) -> None:
    app = open_application(Settings(database_url=SecretStr(store_url), embedder="none"))
    try:
        run(lambda: FactMachine(app), examples=15 if store_url.startswith("sqlite") else 4, steps=20)
    finally:
        app.close()
