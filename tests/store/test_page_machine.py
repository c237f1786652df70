"""N2: facts and their page are one thing seen twice. Whatever is done to either, both stay equal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
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
from souvenance.domain.access import Actor, Source
from souvenance.domain.errors import AmbiguousEdit, Conflict, StaleVersion
from souvenance.domain.vault import MemoryType, VaultKind
from souvenance.memory import remember
from souvenance.memory.remember import Observation
from souvenance.notes import categories, plan
from souvenance.notes.categories import Edited
from souvenance.notes.page import parse, render, render_item
from souvenance.settings import Settings
from souvenance.store.tables import change, revision
from souvenance.wiring import open_application

TRICKY = (
    "tea", "green tea", "green  tea", "black\ntea", "a\n\nb", "a\n  b \nc", "- tea", "- tea\n- coffee", "**k**: v",
    "\\**k**: v", "see ^3", "see \\^3", "^3", "one ^3\ntwo", "```\n- x\n```", "# title", "end\\", "[[Beta]]",
    "a\u2028b", "  \n*", "日本", "---",
)  # fmt: skip
contents = st.one_of(
    st.sampled_from(TRICKY),
    st.lists(st.sampled_from(["a", " ", "\n", "- ", " ^4", "\\", "**", ": ", "\t", "`"]), min_size=1, max_size=7).map(
        "".join
    ),
).filter(lambda text: bool(text.strip()))
keys = st.sampled_from(["", "", "", "city", "a*b", "back\\slash", "**"])
observations = st.tuples(keys, contents)
places = st.integers(0, 30)


@dataclass
class Known:
    """A fact as the machine expects it."""

    number: int
    key: str
    content: str
    version: int


Line = tuple[int | None, str, str]


def page_text(lines: list[Line]) -> str:
    """Lines as someone would write them back: with their anchor, or without one."""
    return "".join(
        render_item(number=anchor, key=key, content=content) + "\n"
        if anchor is not None
        else render_item(number=0, key=key, content=content).removesuffix(" ^0") + "\n"
        for anchor, key, content in lines
    )


def same(key: str, content: str) -> tuple[str, str]:
    return key, " ".join(content.split())


class PageMachine(RuleBasedStateMachine):
    """One category of one vault, changed now as facts, now as a page."""

    def __init__(self, app: Application) -> None:
        super().__init__()
        self.app = app
        self.person = app.owner_through(Source.PANEL)
        self.model = app.owner_through(Source.AGENT, is_model=True, name="agent")
        self.page: list[Known] = []
        self.gone: list[int] = []
        self.shown: dict[int, str] = {}

    @initialize(kind=st.sampled_from([VaultKind.PROJECT, VaultKind.SERVER]))
    def open_vault(self, kind: VaultKind) -> None:
        with self.app.database.read() as tx:
            name = f"vault {tx.execute(select(func.count()).select_from(change)).scalar_one()}"
        self.vault = self.app.vaults.create(actor=self.person, name=name, kind=kind)
        elsewhere = self.app.facts.remember(
            actor=self.person, vault=self.vault.slug, observations=[Observation(content="tea", category="other")]
        )
        self.foreign = elsewhere[0].fact.number
        (first,) = self.app.facts.remember(
            actor=self.person, vault=self.vault.slug, observations=[Observation(content="first")]
        )
        self.note_id = first.note_id
        self.page = [Known(first.fact.number, "", "first", 1)]

    # --- as facts ----------------------------------------------------------------------------------------------

    @rule(said=observations)
    def remember(self, said: tuple[str, str]) -> None:
        observation = Observation(key=said[0], content=said[1])
        (done,) = self.app.facts.remember(actor=self.model, vault=self.vault.slug, observations=[observation])
        if done.outcome == "skipped":
            assert same(done.fact.key, done.fact.content) == same(said[0], said[1].strip())
        else:
            self.page.append(Known(done.fact.number, done.fact.key, done.fact.content, 1))
            assert done.note_id == self.note_id

    @precondition(lambda self: self.page)
    @rule(place=places, said=observations)
    def edit_fact(self, place: int, said: tuple[str, str]) -> None:
        known = self.page[place % len(self.page)]
        after = self.app.facts.edit(
            actor=self.person, number=known.number, version=known.version, key=said[0], content=said[1]
        )
        known.key, known.content, known.version = after.key, after.content, known.version + 1
        assert after.version == known.version

    @precondition(lambda self: len(self.page) > 1)
    @rule(one=places, other=places)
    def make_two_facts_alike(self, one: int, other: int) -> None:
        model, known = self.page[one % len(self.page)], self.page[other % len(self.page)]
        after = self.app.facts.edit(actor=self.person, number=known.number, key=model.key, content=model.content)
        known.key, known.content, known.version = after.key, after.content, after.version

    @precondition(lambda self: self.page)
    @rule(place=places, by_model=st.booleans())
    def retire_fact(self, place: int, by_model: bool) -> None:
        known = self.page.pop(place % len(self.page))
        actor = self.model if by_model else self.person
        self.app.facts.retire(actor=actor, number=known.number, version=known.version, reason="no longer so")
        self.gone.append(known.number)

    @precondition(lambda self: self.page)
    @rule(place=places)
    def delete_fact(self, place: int) -> None:
        known = self.page.pop(place % len(self.page))
        self.app.facts.delete(actor=self.person, number=known.number)
        self.gone.append(known.number)

    @precondition(lambda self: self.gone)
    @rule(place=places)
    def restore_fact(self, place: int) -> None:
        number = self.gone.pop(place % len(self.gone))
        self.app.facts.restore(actor=self.person, number=number)
        self._read_back()

    def _read_back(self) -> None:
        """Take over where the facts now stand; what they say and what was not touched stays as it was known."""
        before = {known.number: known for known in self.page}
        facts = self._facts()
        for fact in facts:
            if fact.number in before:
                known = before[fact.number]
                assert (fact.key, fact.content, fact.version) == (known.key, known.content, known.version)
        assert [fact.number for fact in facts if fact.number in before] == [known.number for known in self.page]
        self.page = [Known(fact.number, fact.key, fact.content, fact.version) for fact in facts]

    # --- as a page ---------------------------------------------------------------------------------------------

    @rule(data=st.data())
    def rewrite_as_person(self, data: st.DataObject) -> None:
        self._rewrite(data, by_model=False, operation="replace")

    @rule(data=st.data())
    def rewrite_as_model(self, data: st.DataObject) -> None:
        self._rewrite(data, by_model=True, operation="replace")

    @rule(data=st.data(), by_model=st.booleans())
    def rewrite_section(self, data: st.DataObject, by_model: bool) -> None:
        self._rewrite(data, by_model=by_model, operation="replace_section", section="general")

    def _rewrite(self, data: st.DataObject, *, by_model: bool, **operation: Any) -> None:
        """Swap, move, edit, drop and repeat lines, lose anchors and add lines, all in one edit of the whole page."""
        lines: list[Line] = []
        for known in data.draw(st.permutations(self.page)) if data.draw(st.booleans()) else self.page:
            key, content = known.key, known.content
            what = data.draw(st.sampled_from(["keep", "keep", "keep", "edit", "lose", "lose", "drop", "repeat"]))
            if what == "edit":
                key, content = data.draw(observations)
            if what != "drop":
                lines.append((None if what == "lose" else known.number, key, content.strip()))
            if what == "repeat":
                lines.append((None, key, content))
        for place, (key, content) in data.draw(st.lists(st.tuples(places, observations), max_size=2)):
            lines.insert(place % (len(lines) + 1), (None, key, content.strip()))
        self._edit(lines, by_model=by_model, **operation)

    @rule(said=st.lists(observations, min_size=1, max_size=3), operation=st.sampled_from(["append", "prepend"]))
    def add_lines(self, said: list[tuple[str, str]], operation: str) -> None:
        added: list[Line] = []
        seen = {same(known.key, known.content) for known in self.page}
        for key, content in said:
            if same(key, content) not in seen:
                seen.add(same(key, content))
                added.append((None, key, content.strip()))
        text = page_text([(None, key, content.strip()) for key, content in said])
        done = self.app.notes.edit(actor=self.model, ref=self.note_id, operation=operation, content=text)
        assert len(done.facts_added) == len(added)
        assert done.facts_changed == done.facts_removed == ()
        new = [
            Known(number, key, content, 1) for number, (_, key, content) in zip(done.facts_added, added, strict=True)
        ]
        self.page = self.page + new if operation == "append" else new + self.page

    @precondition(lambda self: self.page)
    @rule(place=places, said=observations)
    def find_and_replace(self, place: int, said: tuple[str, str]) -> None:
        """Replace one whole item found by its text, anchor and all, by another wording with the same anchor."""
        known = self.page[place % len(self.page)]
        old = render_item(number=known.number, key=known.key, content=known.content)
        text = render(self._facts())
        new = render_item(number=known.number, key=said[0], content=said[1].strip())
        if text.count(old) == 1:
            lines: list[Line] = [(other.number, other.key, other.content) for other in self.page]
            lines[self.page.index(known)] = (known.number, said[0], said[1].strip())
            self._edit(lines, operation="find_replace", find=old, content=new)

    def _edit(self, lines: list[Line], *, by_model: bool = False, **how: Any) -> None:
        """Send an edit and hold what it did against what these lines mean."""
        actor = self.model if by_model else self.person
        version = self._version()
        expected = self._meaning(lines)
        how.setdefault("content", page_text(lines))
        if expected is None:
            before = self._everything()
            with pytest.raises(AmbiguousEdit):
                self.app.notes.edit(actor=actor, ref=self.note_id, version=version, **how)
            assert self._everything() == before
            return
        done = self.app.notes.edit(actor=actor, ref=self.note_id, version=version, **how)
        self._hold(done, expected, actor)

    def _meaning(self, lines: list[Line]) -> list[Line] | None:
        """The page these lines ask for, or None where they could mean two things; said here as plainly as SPEC does."""
        anchored = {anchor for anchor, _, _ in lines if anchor is not None}
        lost = [known for known in self.page if known.number not in anchored]
        result: list[Line | None] = []
        for anchor, key, content in lines:
            equal = [known for known in lost if (known.key, known.content) == (key, content)]
            if anchor is not None or not equal:
                result.append((anchor, key, content))
            elif len(equal) > 1:
                return None
            else:
                lost.remove(equal[0])
                result.append((equal[0].number, key, content))
        said = {same(line[1], line[2]) for line in result if line and line[0] is not None}
        for place, line in enumerate(result):
            if line and line[0] is None:
                if same(line[1], line[2]) in said:
                    result[place] = None
                said.add(same(line[1], line[2]))
        return [line for line in result if line is not None]

    def _hold(self, done: Edited, expected: list[Line], actor: Actor) -> None:
        before = {known.number: known for known in self.page}
        facts = self._facts()
        fresh = iter(done.facts_added)
        numbers = [next(fresh) if anchor is None else anchor for anchor, _, _ in expected]
        assert [(fact.number, fact.key, fact.content) for fact in facts] == [
            (number, key, content) for number, (_, key, content) in zip(numbers, expected, strict=True)
        ]
        assert next(fresh, None) is None
        assert not set(done.facts_added) & before.keys()
        removed = before.keys() - set(numbers)
        assert set(done.facts_removed) == removed
        untouched = [number for number in numbers if number in before and number not in done.facts_changed]
        assert untouched == [known.number for known in self.page if known.number in untouched]
        for fact in facts:
            if fact.number in before:
                known = before[fact.number]
                if fact.number in untouched:
                    assert (fact.version, fact.key, fact.content) == (known.version, known.key, known.content)
                else:
                    assert fact.version == known.version + 1
        survivors = [known.number for known in self.page if known.number in numbers]
        if survivors == [number for number in numbers if number in before]:
            assert set(done.facts_changed) == {
                fact.number
                for fact in facts
                if fact.number in before
                and (fact.key, fact.content) != (before[fact.number].key, before[fact.number].content)
            }
        for number in removed:
            fact = self.app.facts.get(actor=self.person, number=number)
            deletes = not actor.is_model or self.vault.memory_type is MemoryType.CLASSIC
            assert fact.state == ("trashed" if deletes else "retired")
            self.gone.append(number)
        self.page = [Known(fact.number, fact.key, fact.content, fact.version) for fact in facts]

    # --- refused -----------------------------------------------------------------------------------------------

    @rule(data=st.data())
    def refuse(self, data: st.DataObject) -> None:
        """Foreign, unknown, gone and repeated anchors, prose and stale versions are refused, and nothing is written."""
        lines: list[Line] = [(known.number, known.key, known.content) for known in self.page]
        before = self._everything()
        what = data.draw(st.sampled_from(["foreign", "unknown", "gone", "twice", "prose", "empty", "stale", "append"]))
        error: type[Conflict] = StaleVersion if what == "stale" else AmbiguousEdit
        how = {"operation": "replace", "content": page_text(lines), "version": self._version()}
        wrong = {"foreign": self.foreign, "unknown": 10**15, "gone": self.gone[-1] if self.gone else self.foreign}
        if what in wrong:
            lines.insert(data.draw(places) % (len(lines) + 1), (wrong[what], "", data.draw(contents).strip()))
            how["content"] = page_text(lines)
        elif what == "twice":
            known = data.draw(st.sampled_from(self.page)) if self.page else Known(self.foreign, "", "x", 1)
            how["content"] = page_text([*lines, (known.number, "", data.draw(contents).strip())])
        elif what == "prose":
            how["content"] = page_text(lines) + "\nSome words that are no item.\n"
        elif what == "empty":
            how["content"] = page_text(lines) + f"- ^{self.page[0].number if self.page else 1}\n"
        elif what == "stale":
            how["version"] = self._version() - 1
            how["content"] = "- something else\n"
        else:
            how |= {"operation": "append", "content": page_text([(lines[0][0] if lines else 1, "", "more")])}
        with pytest.raises(error):
            self.app.notes.edit(actor=self.person, ref=self.note_id, **how)
        assert self._everything() == before

    # --- the page as a whole -----------------------------------------------------------------------------------

    @rule()
    def delete_and_restore_page(self) -> None:
        self.app.notes.delete(actor=self.person, ref=self.note_id)
        assert self.app.facts.list(actor=self.person, vault=self.vault.slug, limit=5)[0].number == self.foreign
        self.app.notes.restore(actor=self.person, ref=self.note_id)
        for known in self.page:
            known.version += 2

    # --- always ------------------------------------------------------------------------------------------------

    def _facts(self) -> list[Any]:
        return list(self.app.notes.get(actor=self.person, ref=self.note_id).facts)

    def _version(self) -> int:
        return self.app.notes.get(actor=self.person, ref=self.note_id, limit=0).note.version

    def _everything(self) -> tuple[Any, ...]:
        view = self.app.notes.get(actor=self.person, ref=self.note_id)
        with self.app.database.read() as tx:
            return view, tx.execute(select(func.max(change.c.id))).scalar()

    @invariant()
    def page_and_facts_are_equal(self) -> None:
        if not hasattr(self, "note_id"):
            return
        view = self.app.notes.get(actor=self.person, ref=self.note_id)
        assert [(fact.number, fact.key, fact.content, fact.version) for fact in view.facts] == [
            (known.number, known.key, known.content, known.version) for known in self.page
        ]
        assert view.note.content == render(view.facts)
        assert [(item.anchor, item.key, item.content) for item in parse(view.note.content, title="general")] == [
            (known.number, known.key, known.content) for known in self.page
        ]
        again = self.app.notes.edit(actor=self.person, ref=self.note_id, operation="replace", content=view.note.content)
        assert (again.version, again.facts_changed, again.facts_added, again.facts_removed) == (
            view.note.version, (), (), (),
        )  # fmt: skip
        with self.app.database.read() as tx:
            latest = tx.execute(
                select(func.max(revision.c.change_id)).where(revision.c.vault_id == self.vault.id)
            ).scalar_one()
        self.shown.setdefault(latest, view.note.content)
        assert self.shown[latest] == view.note.content

    def teardown(self) -> None:
        """Every page that was ever shown can be read again from the revisions alone."""
        for change_id, text in self.shown.items():
            assert self._page_at(change_id) == text
        super().teardown()

    def _page_at(self, change_id: int) -> str:
        statement = (
            select(revision.c.subject_ref, revision.c.after)
            .where(revision.c.vault_id == self.vault.id, revision.c.kind == "fact", revision.c.change_id <= change_id)
            .order_by(revision.c.change_id)
        )
        with self.app.database.read() as tx:
            latest = {int(row.subject_ref): row.after for row in tx.execute(statement)}
        there = [
            (after["position"], number, after)
            for number, after in latest.items()
            if after["note_id"] == self.note_id and "valid_to" not in after and "deleted_at" not in after
        ]
        return "".join(
            render_item(number=number, key=after.get("key", ""), content=after["content"]) + "\n"
            for _, number, after in sorted(there, key=lambda item: item[:2])
        )


def run(store_url: str, *, examples: int, steps: int) -> None:
    app = open_application(Settings(database_url=SecretStr(store_url), embedder="none"))
    try:
        run_state_machine_as_test(  # type: ignore[no-untyped-call]
            lambda: PageMachine(app),
            settings=settings(
                max_examples=examples,
                stateful_step_count=steps,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
    finally:
        app.close()


def test_n2_facts_and_their_page_stay_one_thing(store_url: str) -> None:
    run(store_url, examples=18 if store_url.startswith("sqlite") else 5, steps=20)


def test_n2_a_page_without_room_between_its_lines_is_numbered_anew(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same with next to no room between positions, so that it runs out all the time."""
    for module in (remember, plan, categories):
        monkeypatch.setattr(module, "POSITION_STEP", 4)
    monkeypatch.setattr(plan, "END_STEP", 2)
    run(sqlite_url, examples=10, steps=20)
