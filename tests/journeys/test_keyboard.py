"""Everything works by keyboard: the main deeds of the panel without a mouse, and focus always in sight (R5).

Nothing is clicked and nothing is focused by a script of the test: a person presses Tab until they are there.
"""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from showcase import furnish
from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.fact import State
from souvenance.domain.vault import MemoryType
from souvenance.memory.remember import Observation
from windows import Open

MOST = 90
"""How often Tab is pressed at most before a thing counts as out of reach."""
RING = """() => {
  const at = document.activeElement;
  if (!at || at === document.body) return "";
  const drawn = (one) => {
    const style = getComputedStyle(one);
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  };
  const holder = at.closest("#ask, .cm-editor");
  const box = at.getBoundingClientRect();
  const isSeen = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  const name = at.outerHTML.slice(0, 160);
  const beside = at.nextElementSibling?.matches("svg") ? at.nextElementSibling : null;
  if (!drawn(at) && !(holder && drawn(holder)) && !(beside && drawn(beside))) return `no ring: ${name}`;
  return isSeen ? "" : `out of sight: ${name}`;
}"""
"""What is wrong with how the focus is shown; empty where a person sees where they are."""
IS_FOCUSED = "(one) => one === document.activeElement"


def reach(page: Page, wanted: Locator, *, key: str = "Tab") -> Locator:
    """Go on from where the keyboard is until something has it, which is in sight and marked."""
    expect(wanted).to_be_attached()
    for _ in range(MOST):
        page.keyboard.press(key)
        if wanted.evaluate(IS_FOCUSED):
            assert page.evaluate(RING) == ""
            return wanted
    raise AssertionError(f"{wanted} is not reached by {key}")


def press(page: Page, wanted: Locator, key: str = "Enter", *, by: str = "Tab") -> None:
    """Reach a thing and press a key on it."""
    reach(page, wanted, key=by)
    page.keyboard.press(key)


def within(page: Page, holder: Locator) -> None:
    """Assert that the keyboard is inside of something."""
    expect(holder.locator(":focus")).to_have_count(1)


@pytest.fixture
def number(memory: Application, owner: Actor) -> int:
    """A fact in one of two vaults."""
    memory.vaults.create(actor=owner, name="Atelier", colour="#b8672b")
    memory.vaults.create(actor=owner, name="Voyages")
    said = Observation(content="The key hangs by the door", key="key")
    (kept,) = memory.facts.remember(actor=owner, vault="atelier", observations=[said])
    return kept.fact.number


def test_r5_one_comes_in_goes_about_asks_and_says_who_answers(
    open_as_owner: Open, memory: Application, owner: Actor, number: int
) -> None:
    memory.users.change_password(actor=owner, old="", new="three words in a row")
    page = open_as_owner("/login")
    page.context.clear_cookies()
    page.reload()
    expect(page.get_by_label("Handle")).to_be_focused()
    page.keyboard.type("owner")
    reach(page, page.get_by_label("Password"))
    page.keyboard.type("three words in a row")
    page.keyboard.press("Enter")
    # the chat: one may write at once
    question = page.get_by_label("Your question")
    expect(question).to_be_focused()
    page.keyboard.type("Where is the key?")
    page.keyboard.press("Enter")
    page.wait_for_url("**/chat/*")
    expect(page.locator(".answered")).to_contain_text("by the door")
    badge = page.locator(".badge summary").first
    press(page, badge, by="Shift+Tab")
    expect(page.locator(".badge .read")).to_contain_text("The key hangs by the door")
    # the scope: a pill that opens, ticks, and gives the keyboard back
    pill = page.locator("#scope-button")
    press(page, pill)
    expect(page.locator("#scope-choice")).to_be_visible()
    press(page, page.get_by_role("checkbox", name="Voyages"), "Space")
    expect(page.locator("#scope-label")).to_have_text("Atelier")
    expect(page.get_by_role("checkbox", name="Voyages")).to_be_focused()
    press(page, page.get_by_label("Attention of Atelier"), "ArrowLeft", by="Shift+Tab")
    expect(page.locator("#scope-says-1, output[for^=scope-weight]").filter(has_text="95%")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#scope-choice")).to_be_hidden()
    expect(pill).to_be_focused()
    # a menu, and the dialog that it opens
    more = page.get_by_role("button", name="More about this conversation")
    press(page, more, by="Shift+Tab")
    press(page, page.get_by_role("button", name="Rename"))
    dialog = page.get_by_role("dialog", name="Rename this conversation")
    within(page, dialog)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(more).to_be_focused()
    # the way over the navigation, and through it
    page.reload()
    press(page, page.get_by_role("link", name="Go to the content"), by="Shift+Tab")
    expect(page.locator("#main")).to_be_focused()
    page.keyboard.press("Tab")
    within(page, page.locator("#main"))
    press(page, page.get_by_role("navigation", name="Places").get_by_role("link", name="Vaults"), by="Shift+Tab")
    expect(page.get_by_role("heading", level=1)).to_have_text("Vaults")


def test_r5_vaults_are_weighed_made_and_climb_the_ladder(
    open_as_owner: Open, memory: Application, owner: Actor, number: int
) -> None:
    page = open_as_owner("/vaults")
    new = page.get_by_role("button", name="New vault")
    press(page, new)
    dialog = page.get_by_role("dialog", name="New vault")
    within(page, dialog)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(new).to_be_focused()
    slider = page.get_by_label("Attention of Atelier")
    press(page, slider, "ArrowLeft")
    expect(page.locator("#vaults-state")).to_have_text("mixed")
    expect(slider).to_be_focused()
    assert memory.vaults.get(actor=owner, vault="atelier").attention == 95
    solo = page.get_by_role("button", name="Solo: only Atelier answers")
    press(page, solo)
    expect(page.locator("#vaults-state")).to_have_text("Atelier")
    expect(solo).to_be_focused()
    press(page, page.get_by_role("button", name="Undo").first, by="Shift+Tab")
    expect(page.locator("#vaults-state")).to_have_text("mixed")
    # the ladder
    press(page, page.get_by_role("link", name="1 fact"))
    change = page.locator("#ladder").get_by_role("button", name="Change…")
    press(page, change)
    steps = page.get_by_role("dialog", name=re.compile("Six steps"))
    within(page, steps)
    page.keyboard.press("Escape")
    expect(change).to_be_focused()
    page.keyboard.press("Enter")
    within(page, steps)
    press(page, steps.get_by_role("button", name="Choose Journal"))
    expect(page.locator("#ladder [aria-current=step]")).to_contain_text("Journal")
    expect(steps).to_be_hidden()
    expect(change).to_be_focused()
    assert memory.vaults.get(actor=owner, vault="atelier").memory_type is MemoryType.JOURNAL


def test_r5_facts_are_added_edited_retired_and_proposals_answered(
    open_as_owner: Open, memory: Application, owner: Actor, number: int
) -> None:
    memory.vaults.change_type(actor=owner, vault="atelier", memory_type=MemoryType.CONSOLIDATED)
    page = open_as_owner("/memory/atelier")
    add = page.get_by_role("button", name="Add a fact").first
    press(page, add)
    expect(page.get_by_label("What should be remembered?")).to_be_focused()
    page.keyboard.type("The key hangs by the window")
    press(page, page.get_by_role("button", name="Remember"))
    expect(page.locator(".fact")).to_have_count(2)
    expect(add).to_be_focused()
    edit = page.get_by_role("button", name=f"Edit #{number}")
    press(page, edit)
    expect(page.locator(f"#content-{number}")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("The key hangs by the gate")
    press(page, page.locator(".editing").get_by_role("button", name="Save"))
    expect(page.locator(f"#fact-{number}")).to_contain_text("by the gate")
    expect(edit).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(f"#content-{number}")).to_be_focused()
    page.keyboard.press("Escape")
    expect(edit).to_be_focused()
    # the menu of a row, and the dialog behind it
    more = page.get_by_role("button", name=f"More on #{number}")
    press(page, more)
    within(page, page.locator("#fact-menu"))
    page.keyboard.press("Escape")
    expect(more).to_be_focused()
    page.keyboard.press("Enter")
    press(page, page.locator("#fact-menu").get_by_role("button", name="Retire…"))
    expect(page.get_by_label("Why does it no longer hold?")).to_be_focused()
    page.keyboard.press("Escape")
    expect(more).to_be_focused()
    # a proposal
    for category in ("one", "two"):
        said = Observation(content="Sunday is the day of rest", category=category)
        memory.facts.remember(actor=owner, vault="atelier", observations=[said])
    memory.passes.run(actor=owner, vault="atelier", anyway=True)
    link = page.locator("#waiting a")
    expect(link).to_be_visible()
    press(page, link, by="Shift+Tab")
    answer = page.locator("form.answers button").first
    press(page, answer)
    expect(page.locator("#toasts")).to_contain_text("is retired")
    states = {fact.state for fact in memory.facts.list(actor=owner, vault="atelier", states=tuple(State))}
    assert State.RETIRED in states


def test_r5_notes_are_found_written_and_left_and_the_map_is_searched(
    open_as_owner: Open, memory: Application, owner: Actor, number: int
) -> None:
    note = memory.notes.create(actor=owner, vault="voyages", title="Lisbonne", content="tram", folder="carnets")
    page = open_as_owner("/notes")
    tree = page.locator("#tree")
    for branch in ("Voyages", "carnets"):
        press(page, tree.locator("summary", has_text=branch))
    leaf = tree.get_by_role("link", name="Lisbonne")
    expect(leaf).to_be_visible()
    press(page, leaf)
    expect(page.get_by_role("heading", level=1)).to_have_text("Lisbonne")
    press(page, page.locator("#article").get_by_role("link", name="Edit"))
    editor = page.locator(".cm-content")
    expect(editor).to_be_focused()
    assert page.evaluate(RING) == ""
    page.keyboard.press("Control+End")
    page.keyboard.type(" 28")
    page.keyboard.press("Tab")  # no trap: the next thing has the keyboard
    expect(page.get_by_role("button", name="Save")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(editor).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#article .prose")).to_have_text("tram 28")
    assert memory.notes.get(actor=owner, ref=note.id).note.content == "tram 28"
    more = page.get_by_role("button", name="More to do with this note")
    press(page, more)
    press(page, page.locator("#note-menu").get_by_role("button", name="Move"))
    within(page, page.locator("#move"))
    page.keyboard.press("Escape")
    expect(page.locator("#move")).to_be_hidden()
    expect(more).to_be_focused()
    # the map
    press(page, page.get_by_role("navigation", name="Places").get_by_role("link", name="Neural map"), by="Shift+Tab")
    expect(page.locator("#map-wait")).to_be_hidden(timeout=20_000)
    reach(page, page.get_by_label("Find on the map"))
    page.keyboard.type("key")
    expect(page.locator("#map-hits button")).not_to_have_count(0)
    page.keyboard.press("ArrowDown")
    expect(page.locator("#map-hits button").first).to_be_focused()
    page.keyboard.press("Enter")
    sheet = page.locator("#map-sheet")
    expect(sheet.locator("h2")).to_be_focused()
    assert page.evaluate(RING) == ""
    press(page, sheet.get_by_role("button", name="Disable"))
    expect(sheet).to_contain_text("Disabled: no search")
    assert memory.facts.get(actor=owner, number=number).disabled
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    expect(page.locator("#map-canvas")).to_be_focused()


ADDRESSES = ("chat", "vaults", "vault", "map", "memory", "memory-proposals", "notes", "note", "note-edit", "agents",
             "context", "team")  # fmt: skip


@pytest.mark.timeout(180)
def test_r5_wherever_tab_leads_the_focus_is_in_sight_and_marked(
    open_as_owner: Open, memory: Application, owner: Actor
) -> None:
    shown = furnish(memory, owner)
    page = open_as_owner("/vaults")
    start = page.url.removesuffix("/vaults")
    wrong: dict[str, list[str]] = {}
    for name in ADDRESSES:
        page.goto(start + shown.addresses[name])
        seen: set[str] = set()
        for _ in range(50):
            page.keyboard.press("Tab")
            if fault := page.evaluate(RING):
                wrong.setdefault(name, []).append(fault)
            here = page.evaluate("document.activeElement.outerHTML.slice(0, 300)")
            seen.add(here)
            if 'class="skip"' in here and len(seen) > 8:
                break  # around once
        assert len(seen) > 8, f"{name}: {len(seen)} stops"
    assert not wrong, wrong
