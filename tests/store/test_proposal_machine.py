"""T5, CASES 12, 25: passes and answers among everything that happens to facts, in random order: no word is lost, a pair
that was kept apart is not asked of again, and nothing is answered that no longer holds."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from sqlalchemy import func, select

from souvenance.application import Application
from souvenance.domain.access import Source
from souvenance.domain.errors import StaleProposal
from souvenance.domain.fact import State
from souvenance.domain.proposal import Answer, Kind, Standing, pair_of
from souvenance.domain.vault import VaultKind
from souvenance.memory.remember import Observation
from souvenance.settings import Settings
from souvenance.store.tables import vault
from souvenance.wiring import open_application

WORDINGS = (
    "The server language is French.", "The language of the server is French.", "La langue du serveur est le français.",
    "The weekly tournament starts at 20:00.", "The weekly tournament starts at 21:00.", "Nobody posts spoilers.",
    "The archive is kept on a cassette.", "Moderators wear a green badge.",
)  # fmt: skip
KEYS = ("language", "lang", "tournament_time", "")
wordings, keys, places = st.sampled_from(WORDINGS), st.sampled_from(KEYS), st.integers(0, 30)
ALL = list(State)


class ProposalMachine(RuleBasedStateMachine):
    """One vault on step five, and a person."""

    def __init__(self, app: Application, clock: Any) -> None:
        super().__init__()
        self.app = app
        self.clock = clock
        self.person = app.owner_through(Source.PANEL, name="Ana")
        self.kept_apart: dict[tuple[str, str], set[int]] = {}
        self.said: dict[int, set[str]] = {}
        self.purged: set[int] = set()

    @initialize()
    def open_vault(self) -> None:
        with self.app.database.read() as tx:
            count = tx.execute(select(func.count()).select_from(vault)).scalar_one()
        self.vault = self.app.vaults.create(actor=self.person, name=f"v{count}", kind=VaultKind.PROJECT).slug

    def facts(self, *states: State) -> list[Any]:
        return self.app.facts.list(actor=self.person, vault=self.vault, states=list(states) or ALL, limit=500)

    def pick(self, place: int, *states: State) -> Any:
        found = sorted(self.facts(*states), key=lambda item: item.number)
        return found[place % len(found)] if found else None

    def note(self, fact: Any) -> None:
        self.said.setdefault(fact.number, set()).add(fact.content)

    @rule(content=wordings, key=keys, category=st.sampled_from(["general", "rules"]))
    def remember(self, content: str, key: str, category: str) -> None:
        said = Observation(content=content, key=key, category=category)
        (kept,) = self.app.facts.remember(actor=self.person, vault=self.vault, observations=[said])
        self.note(kept.fact)

    @rule(place=places, content=wordings)
    def edit(self, place: int, content: str) -> None:
        found = self.pick(place, State.IN_FORCE)
        if found is not None:
            self.note(self.app.facts.edit(actor=self.person, number=found.number, content=content))

    @rule(place=places, what=st.sampled_from(["retire", "delete", "purge"]))
    def end(self, place: int, what: str) -> None:
        found = self.pick(place, State.IN_FORCE)
        if found is None:
            return
        if what == "retire":
            self.app.facts.retire(actor=self.person, number=found.number, version=None, reason="over")
            return
        self.app.facts.delete(actor=self.person, number=found.number)
        if what == "purge":
            self.app.facts.purge(actor=self.person, number=found.number)
            self.purged.add(found.number)
            # With a fact, what was answered about it is gone for good.
            self.kept_apart = {pair: about for pair, about in self.kept_apart.items() if found.number not in about}

    @rule(place=places)
    def restore(self, place: int) -> None:
        found = self.pick(place, State.RETIRED, State.TRASHED)
        if found is not None:
            self.app.facts.restore(actor=self.person, number=found.number)

    @rule()
    def consolidate(self) -> None:
        self.clock.now += timedelta(days=2)
        before = {item.number: item for item in self.facts()}
        waiting = self.app.proposals.list(actor=self.person, vault=self.vault, limit=500)
        outcome = self.app.passes.run(actor=self.person, vault=self.vault, anyway=True)
        assert (outcome.made is None) == bool(waiting)
        assert {item.number: item for item in self.facts()} == before
        fresh = self.app.proposals.list(actor=self.person, vault=self.vault, limit=500)
        pairs = [pair_of(view.proposal.this_wording, view.proposal.that_wording) for view in fresh if view.that]
        assert not self.kept_apart.keys() & set(pairs)
        named = [(view.proposal.this, view.proposal.that) for view in fresh if view.that]
        assert len({frozenset(pair) for pair in named}) == len(named)

    @rule(place=places, which=places)
    def answer(self, place: int, which: int) -> None:
        waiting = self.app.proposals.list(actor=self.person, vault=self.vault, limit=500)
        if not waiting:
            return
        view = waiting[place % len(waiting)]
        said = view.answers[which % len(view.answers)]
        before = {item.number: item for item in self.facts(State.IN_FORCE)}
        done = self.app.proposals.answer(actor=self.person, proposal=view.proposal.id, answer=said)
        after = {item.number: item for item in self.facts(State.IN_FORCE)}
        if said in {Answer.KEEP_BOTH, Answer.REFUSE}:
            assert after == before
            if said is Answer.KEEP_BOTH:
                pair = pair_of(view.proposal.this_wording, view.proposal.that_wording)
                self.kept_apart[pair] = {view.this.number, view.that.number}
            return
        assert before.keys() - after.keys() == ({done.retired.number} if done.retired else set())
        if view.proposal.kind is Kind.SUMMARY:
            self.note(done.kept)
            assert after.keys() - before.keys() == {done.kept.number}
            return
        assert after.keys() < before.keys()
        assert {number: before[number] for number in after} == after
        assert done.retired.replaced_by == done.kept.number

    @rule(place=places)
    def answer_what_was_overtaken(self, place: int) -> None:
        stale = self.app.proposals.list(actor=self.person, vault=self.vault, standing=Standing.STALE, limit=500)
        if not stale:
            return
        before = self.facts()
        found = stale[place % len(stale)].proposal
        answer = Answer.REFUSE if found.kind is Kind.SUMMARY else Answer.KEEP_BOTH
        try:
            self.app.proposals.answer(actor=self.person, proposal=found.id, answer=answer)
        except StaleProposal:
            assert self.facts() == before
        else:
            raise AssertionError("a proposal that was overtaken was answered")

    @invariant()
    def no_word_is_lost(self) -> None:
        there = {item.number: item.content for item in self.facts()}
        assert there.keys() == self.said.keys() - self.purged
        assert all(content in self.said[number] for number, content in there.items())


def test_t5_passes_and_answers_among_everything_else(store_url: str, clock: Callable[[], object]) -> None:
    app = open_application(Settings(database_url=store_url, embedder="none"), clock=clock)  # type: ignore[arg-type]
    try:
        run_state_machine_as_test(  # type: ignore[no-untyped-call]
            lambda: ProposalMachine(app, clock),
            settings=settings(
                max_examples=12, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
            ),
        )
    finally:
        app.close()
