"""What a person types is theirs: each tab keeps its own, and nothing that is pasted is cut."""

import pytest
from playwright.sync_api import Page, expect

from souvenance.application import Application
from souvenance.domain.access import Actor
from windows import Open


@pytest.fixture(autouse=True)
def vaults(memory: Application, owner: Actor) -> None:
    for name in ("Atelier", "Voyages"):
        memory.vaults.create(actor=owner, name=name)


def _adding(page: Page) -> None:
    page.get_by_role("button", name="Add a fact").first.click()


def test_two_tabs_of_one_form_keep_what_was_typed_in_each(open_as_owner: Open) -> None:
    one = open_as_owner("/memory/atelier")
    _adding(one)
    one.get_by_label("What should be remembered?").fill("typed in the first tab")
    other = one.context.new_page()
    other.goto(one.url)
    _adding(other)
    expect(other.get_by_label("What should be remembered?")).to_have_value("")
    other.get_by_label("What should be remembered?").fill("typed in the second tab")
    elsewhere = one.url.replace("atelier", "voyages")
    for page, said in ((one, "typed in the first tab"), (other, "typed in the second tab")):
        page.goto(elsewhere)  # a form of another vault is another form
        _adding(page)
        expect(page.get_by_label("What should be remembered?")).to_have_value("")
        page.get_by_label("What should be remembered?").fill("of the other vault")
        page.go_back()
        page.reload()
        _adding(page)
        expect(page.get_by_label("What should be remembered?")).to_have_value(said)
    one.get_by_role("button", name="Remember").click()
    expect(one.locator(".fact")).to_contain_text("typed in the first tab")
    other.reload()
    _adding(other)
    expect(other.get_by_label("What should be remembered?")).to_have_value("typed in the second tab")


def test_what_a_person_typed_is_not_shown_to_who_signs_in_after_them(open_as_owner: Open) -> None:
    page = open_as_owner("/memory/atelier")
    _adding(page)
    page.get_by_label("What should be remembered?").fill("of the first person")
    kept = page.evaluate("Object.keys(sessionStorage).filter((key) => key.includes('add-fact'))")
    person = page.evaluate("document.documentElement.dataset.person")
    assert person
    assert all(f":{person}:" in key for key in kept)
    assert kept


def test_what_is_pasted_is_taken_whole_and_said_to_be_too_long(open_as_owner: Open, memory: Application) -> None:
    page = open_as_owner("/memory/atelier")
    _adding(page)
    page.get_by_label("What should be remembered?").fill("The key is at the wall.")
    key = page.get_by_label("Key", exact=True)
    key.focus()
    page.keyboard.insert_text("x" * 205)  # as a paste does, which a browser cuts where a field is full
    expect(key).to_have_value("x" * 205)
    expect(page.get_by_text("5 characters too many: 200 are taken.")).to_be_visible()
    page.get_by_role("button", name="Remember").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    expect(page.locator(".fact")).to_have_count(0)
    page.reload()  # nothing of it is lost, and it is said again
    _adding(page)
    expect(key).to_have_value("x" * 205)
    expect(page.get_by_text("5 characters too many: 200 are taken.")).to_be_visible()
    key.press("End")
    for _ in range(4):
        key.press("Backspace")
    expect(page.get_by_text("One character too many: 200 are taken.")).to_be_visible()
    page.locator(".limit").evaluate("notice => notice.remove()")  # as a piece that comes anew does
    key.press("Backspace")
    expect(page.get_by_text("too many")).to_have_count(0)
    page.get_by_role("button", name="Remember").click()
    expect(page.locator(".fact")).to_contain_text("x" * 200)
