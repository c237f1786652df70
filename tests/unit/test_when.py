"""T5: when a vault gets its pass, and the reason people read where it does not."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from souvenance.consolidation.when import AT_LATEST, BETWEEN, QUIET, SMALLEST, Decision, Reason, Situation, decide

NOW = datetime(2023, 5, 8, 12, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def situation(**other: object) -> Situation:
    """A vault that is quiet, changed, large enough and was never passed."""
    usual: dict[str, object] = {
        "proposes": True,
        "facts": SMALLEST,
        "waiting": 0,
        "changed_at": NOW - QUIET,
        "changing_since": NOW - QUIET,
        "passed_at": None,
        "is_unchanged": False,
    }
    return Situation(**(usual | other))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("other", "runs", "reason"),
    [
        ({}, True, Reason.QUIET),
        ({"proposes": False}, False, Reason.STEP),
        ({"waiting": 1}, False, Reason.PROPOSAL_WAITING),
        ({"facts": SMALLEST - 1}, False, Reason.TOO_SMALL),
        ({"is_unchanged": True}, False, Reason.UNCHANGED),
        ({"passed_at": NOW - BETWEEN}, True, Reason.QUIET),
        ({"passed_at": NOW - BETWEEN + SECOND}, False, Reason.TOO_SOON),
        ({"changed_at": NOW - QUIET + SECOND}, False, Reason.NOT_QUIET),
        ({"changed_at": NOW}, False, Reason.NOT_QUIET),
        ({"changed_at": NOW, "changing_since": NOW - AT_LATEST + SECOND}, False, Reason.NOT_QUIET),
        ({"changed_at": NOW, "changing_since": NOW - AT_LATEST}, True, Reason.NEVER_QUIET),
        # Long at rest and only now busy again: that is no vault that is never quiet.
        (
            {"changed_at": NOW, "changing_since": NOW - SECOND, "passed_at": NOW - 5 * AT_LATEST},
            False,
            Reason.NOT_QUIET,
        ),
        ({"changed_at": NOW, "changing_since": NOW - AT_LATEST, "passed_at": NOW - SECOND}, False, Reason.TOO_SOON),
        ({"facts": SMALLEST - 1, "is_unchanged": True, "waiting": 3}, False, Reason.PROPOSAL_WAITING),
    ],
)
def test_t5_each_rule_decides_at_its_very_moment(other: dict[str, object], runs: bool, reason: Reason) -> None:
    found = decide(situation(**other), now=NOW)
    assert (found.runs, found.reason) == (runs, reason)


def test_t5_time_alone_lets_it_run_from_the_moment_it_names() -> None:
    for other in ({"changed_at": NOW - SECOND}, {"passed_at": NOW - SECOND}):
        held = situation(**other)
        until = decide(held, now=NOW).until
        assert until is not None
        assert not decide(held, now=until - SECOND).runs
        assert decide(held, now=until).runs


def test_t5_a_person_who_insists_waits_for_nothing_but_the_step_and_the_answers() -> None:
    hurried = {"facts": 0, "is_unchanged": True, "passed_at": NOW, "changed_at": NOW}
    assert decide(situation(**hurried), now=NOW, anyway=True) == Decision(runs=True, reason=Reason.ASKED)
    assert decide(situation(waiting=2), now=NOW, anyway=True).reason is Reason.PROPOSAL_WAITING
    assert decide(situation(proposes=False), now=NOW, anyway=True).reason is Reason.STEP


def test_t5_every_reason_is_said_in_french_and_english() -> None:
    for language in ("en", "fr", "de"):
        said = [Decision(runs=False, reason=reason, count=4).label(language) for reason in Reason]
        assert len(set(said)) == len(Reason)
        assert not any("{" in line for line in said)
    small = Decision(runs=False, reason=Reason.TOO_SMALL, count=4)
    assert small.label() == "the vault is too small: 4 facts, and a pass needs 10"
    assert small.label("fr") == "le coffre est trop petit : 4 souvenirs, il en faut 10"


ages = st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=30))


@given(
    facts=st.integers(0, 40),
    waiting=st.integers(0, 2),
    quiet=ages,
    busy=ages,
    passed=st.none() | ages,
    is_unchanged=st.booleans(),
)
def test_t5_it_never_runs_against_a_rule_and_a_busy_vault_has_its_turn_within_a_week(
    facts: int, waiting: int, quiet: timedelta, busy: timedelta, passed: timedelta | None, is_unchanged: bool
) -> None:
    held = situation(
        facts=facts,
        waiting=waiting,
        changed_at=NOW - quiet,
        changing_since=NOW - max(quiet, busy),
        passed_at=None if passed is None else NOW - passed,
        is_unchanged=is_unchanged and passed is not None,
    )
    found = decide(held, now=NOW)
    if found.runs:
        assert not waiting
        assert facts >= SMALLEST
        assert not held.is_unchanged
        assert passed is None or passed >= BETWEEN
        assert quiet >= QUIET or max(quiet, busy) >= AT_LATEST
    else:
        assert decide(held, now=NOW, anyway=True).runs is not bool(waiting)
        ready = not waiting and facts >= SMALLEST and not held.is_unchanged and (passed is None or passed >= BETWEEN)
        assert not (ready and max(quiet, busy) >= AT_LATEST)
