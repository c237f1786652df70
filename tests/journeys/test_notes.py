"""The notes pages as people use them: look around, read, write, go back (N1 to N9, N12, F9, R5)."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.memory.remember import Observation
from souvenance.notes.drafts import Draft
from windows import NARROW


@pytest.fixture
def model(memory: Application) -> Actor:
    return memory.owner_through(Source.AGENT, route=Route.LOCAL, is_model=True, name="Claude")


@pytest.fixture(autouse=True)
def home(memory: Application, owner: Actor) -> None:
    memory.vaults.create(actor=owner, name="Home", colour="#0d6a62")


def write(page: Page, text: str) -> None:
    """Type in the editor in the place of what is there."""
    editor = page.locator(".cm-content")
    editor.click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)


def test_n1_a_first_note_is_written_linked_found_and_read(open_as_owner, memory: Application, owner: Actor) -> None:
    page = open_as_owner("/notes")
    page.get_by_role("link", name="Write a first note").click()
    page.get_by_label("Title").fill("Garden")
    page.get_by_label("Folder").fill("outside/plants")
    write(page, "# Garden\n\nTomatoes like sun, see [[Seeds]].")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#preview")).to_contain_text("Tomatoes like sun")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Garden")
    expect(page.get_by_role("heading", name="Garden")).to_have_count(1)
    # the link that leads nowhere yet offers to write its note, and leads there afterwards
    page.locator(".prose a.missing", has_text="Seeds").click()
    expect(page.get_by_label("Title")).to_have_value("Seeds")
    expect(page.get_by_label("Folder")).to_have_value("outside/plants")
    write(page, "Keep them dry.")
    page.keyboard.press("Control+s")
    expect(page.get_by_role("heading", level=1)).to_have_text("Seeds")
    expect(page.locator(".note-links")).to_contain_text("Linked from")
    page.locator(".note-links").get_by_role("link", name="Garden").click()
    page.locator(".prose a.wiki", has_text="Seeds").click()
    expect(page.locator(".prose")).to_have_text("Keep them dry.")
    page.get_by_role("link", name="Edit").click()
    write(page, "Keep them very dry.")
    page.wait_for_timeout(400)
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".prose")).to_have_text("Keep them very dry.")
    page.get_by_role("link", name="Edit").click()
    expect(page.locator("#draft")).to_be_hidden()
    page.get_by_role("link", name="Cancel").click()
    # the explorer stands open on the way to the note
    expect(page.locator("#tree a[aria-current=page]")).to_have_text("Seeds")
    page.goto(page.url.split("/n/")[0] + "/notes")
    expect(page.locator(".feed .event").first).to_contain_text("Seeds")
    page.get_by_role("searchbox").fill("tomatoes sun")
    page.keyboard.press("Enter")
    expect(page.locator("[data-confidence=strong]")).to_contain_text("Searched by words")
    expect(page.locator(".hit").first).to_contain_text("Garden")


def test_n6_a_search_says_when_nothing_is_relevant_and_which_vaults_were_not_asked(
    open_as_owner, memory: Application, owner: Actor
) -> None:
    memory.vaults.create(actor=owner, name="Asleep")
    memory.vaults.set_attention(actor=owner, vault="asleep", weight=0)
    memory.notes.create(actor=owner, vault="home", title="Tea", content="Green tea in the morning.")
    page = open_as_owner("/notes?q=quantum+chromodynamics")
    expect(page.locator("[data-confidence=none]")).to_contain_text("Nothing relevant was found.")
    expect(page.locator("[data-confidence=none]")).to_contain_text("Asleep")


def test_n5_two_people_edit_one_note_and_nothing_is_overwritten_unseen(
    open_as_owner, memory: Application, owner: Actor
) -> None:
    note = memory.notes.create(actor=owner, vault="home", title="Plan", content="one\ntwo\nthree\n")
    page = open_as_owner(f"/n/{note.id}/edit")
    write(page, "one\nTWO\nthree\n")
    memory.notes.edit(actor=owner, ref=note.id, operation="find_replace", find="three", content="3")
    expect(page.locator("#news")).to_contain_text("changed meanwhile")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".conflict .diff ins").first).to_contain_text("TWO")
    expect(page.get_by_label("What stands now")).to_have_value("one\ntwo\n3\n")
    assert memory.notes.get(actor=owner, ref=note.id).note.content == "one\ntwo\n3\n"
    page.get_by_role("textbox", name="Yours").fill("one\nTWO\n3\n")
    page.get_by_role("button", name="Save my text").click()
    expect(page.locator(".prose")).to_contain_text("TWO")
    assert memory.notes.get(actor=owner, ref=note.id).note.content == "one\nTWO\n3\n"
    page.get_by_role("link", name="Edit").click()
    expect(page.locator("#draft")).to_be_hidden()


def test_text_is_kept_when_the_session_ends_and_after_a_restart(
    open_as_owner, server, memory: Application, owner: Actor
) -> None:
    note = memory.notes.create(actor=owner, vault="home", title="Plan", content="before")
    page = open_as_owner(f"/n/{note.id}/edit")
    write(page, "what I wrote for an hour")
    expect(page.locator("#kept")).to_have_text("Not saved yet")
    page.wait_for_timeout(400)
    server.stop()
    server.start()
    cookies = page.context.cookies()
    page.context.clear_cookies()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert").filter(has_text="no longer signed in").first).to_be_visible()
    page.context.add_cookies(cookies)  # signed in again, in another window
    page.reload()
    expect(page.locator("#draft")).to_be_visible()
    expect(page.locator(".cm-content")).to_have_text("what I wrote for an hour")
    page.keyboard.press("Control+s")
    expect(page.locator("#toasts")).to_contain_text("Saved.")
    assert memory.notes.get(actor=owner, ref=note.id).note.content == "what I wrote for an hour"
    page.reload()
    expect(page.locator("#draft")).to_be_hidden()
    # a draft on an old version does not slip over what someone else wrote meanwhile
    write(page, "written on the old text")
    page.wait_for_timeout(400)
    memory.notes.edit(actor=owner, ref=note.id, operation="replace", content="someone else's")
    page.reload()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_label("What stands now")).to_have_value("someone else's")


def test_n2_n8_the_memory_of_agents_is_read_and_corrected_and_an_ambiguous_edit_refused(
    open_as_owner, memory: Application, owner: Actor, model: Actor
) -> None:
    said = [
        Observation(content="Likes green tea", category="likes"),
        Observation(content="Likes cats", category="likes"),
    ]
    kept = memory.facts.remember(actor=model, vault="home", observations=said, digest="what Ana likes")
    tea, cats = (item.fact.number for item in kept)
    page = open_as_owner("/notes")
    expect(page.locator("#feed")).not_to_contain_text("likes")
    page.get_by_role("link", name="Memory of agents").click()
    expect(page.locator("#index")).to_contain_text("what Ana likes")
    page.locator("#index").get_by_role("link", name="likes").click()
    assert re.search(r"/m/[0-9a-z]{12}$", page.url)
    expect(page.locator(f"#fact-{tea} a.anchor")).to_have_attribute("href", f"/fact/{tea}")
    page.get_by_role("link", name="Edit").click()
    write(page, f"- Likes black tea ^{tea}\n- Likes dogs ^{tea}\n")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#problem")).to_contain_text("stands on the page twice")
    assert memory.facts.get(actor=owner, number=tea).content == "Likes green tea"
    write(page, f"- Likes black tea ^{tea}\n- Likes snow\n")
    page.keyboard.press("Control+s")
    expect(page.locator(".cm-content")).to_contain_text(re.compile(r"Likes snow \^\d+"))
    assert memory.facts.get(actor=owner, number=tea).content == "Likes black tea"
    assert memory.facts.get(actor=owner, number=cats).deleted_at is not None
    # what an agent writes meanwhile is seen at once
    page.goto(page.url.removesuffix("/edit"))
    expect(page.locator("html")).to_have_attribute("data-connection", "there")
    memory.facts.remember(actor=model, vault="home", observations=[Observation(content="Likes rain", category="likes")])
    expect(page.locator(".page-facts")).to_contain_text("Likes rain")


def test_f9_a_note_is_arranged_deleted_brought_back_and_purged(
    open_as_owner, memory: Application, owner: Actor
) -> None:
    note = memory.notes.create(actor=owner, vault="home", title="Draft", content="words")
    page = open_as_owner(f"/n/{note.id}")
    menu = page.get_by_role("button", name="More to do with this note")
    menu.click()
    page.get_by_role("button", name="Rename").click()
    page.get_by_label("Title").fill("Final")
    page.locator("#rename").get_by_role("button", name="Rename").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Final")
    expect(page.locator("#tree")).to_contain_text("Final")
    page.locator("#toasts").get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Draft")
    menu.click()
    page.get_by_role("button", name="Move").click()
    page.get_by_role("combobox", name="Folder").fill("a/b")
    page.locator("#move").get_by_role("button", name="Move").click()
    expect(page.locator(".path")).to_contain_text("b")
    menu.click()
    page.get_by_role("button", name="Mute").click()
    expect(page.locator(".note-meta .chip", has_text="muted")).to_be_visible()
    assert memory.notes.get(actor=owner, ref=note.id).note.muted
    menu.click()
    page.get_by_role("button", name="Delete").click()
    expect(page.locator(".notice", has_text="lies in the trash")).to_be_visible()
    page.locator("#toasts .toast", has_text="in the trash").get_by_role("button", name="Undo").click()
    expect(page.locator(".notice", has_text="lies in the trash")).to_have_count(0)
    menu.click()
    page.get_by_role("button", name="Delete").click()
    expect(page.locator(".notice", has_text="lies in the trash")).to_be_visible()
    page.goto(page.url.split("/n/")[0] + "/notes/trash")
    page.get_by_role("button", name="Purge “Draft”").click()
    page.get_by_role("button", name="Purge for good").click()
    expect(page.locator("#trash")).to_contain_text("The trash is empty")
    page.goto(page.url.split("/notes")[0] + f"/n/{note.id}")
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no such thing here")


def test_n9_history_is_read_and_gone_back_in_and_what_an_agent_wrote_taken_back(
    open_as_owner, memory: Application, owner: Actor, model: Actor
) -> None:
    note = memory.notes.create(actor=owner, vault="home", title="Rule", content="Be kind.\n")
    memory.notes.edit(actor=model, ref=note.id, operation="replace", content="Be quick.\n")
    both = memory.notes.create(actor=model, vault="home", title="Of both", content="hers")
    memory.notes.edit(actor=owner, ref=both.id, operation="append", content="and mine")
    memory.facts.remember(actor=model, vault="home", observations=[Observation(content="The moon is cheese")])
    page = open_as_owner(f"/n/{note.id}/history")
    first = page.locator(".revision").first
    expect(first).to_contain_text("Claude")
    expect(first.locator("del")).to_contain_text("Be kind.")
    expect(first.locator("ins")).to_contain_text("Be quick.")
    page.locator(".revision").last.get_by_role("button", name="Go back to").click()
    expect(page.locator(".revision")).to_have_count(3)
    assert memory.notes.get(actor=owner, ref=note.id).note.content == "Be kind.\n"
    page.goto(page.url.split("/n/")[0] + "/notes/history")
    page.get_by_label("Who", exact=True).select_option(label="Claude")
    expect(page.locator("#changes")).to_contain_text("The moon is cheese")
    page.get_by_role("button", name="Take all of it back").click()
    expect(page.get_by_role("dialog")).to_contain_text("1 thing was changed by others since")
    expect(page.get_by_role("dialog")).to_contain_text("Take 1 thing back?")
    page.get_by_role("button", name="Take it back").click()
    expect(page.locator("#outcome")).to_contain_text("taken back")
    assert memory.facts.list(actor=owner, vault="home") == []
    assert "and mine" in memory.notes.get(actor=owner, ref=both.id).note.content


def test_n1_a_file_is_read_with_its_path_and_not_edited(
    open_as_owner, memory: Application, owner: Actor, tmp_path: Path
) -> None:
    files = tmp_path / "docs"
    files.mkdir()
    (files / "guide.md").write_text("---\ntags: [alpha, beta]\nauthor: Ana\n---\n# Guide\n\nread me\n")
    memory.folders.watch(actor=owner, vault="home", path=files)
    deadline = time.monotonic() + 30  # the server watches by itself; scanning by hand would meet it
    while not memory.notes.list(actor=owner) and time.monotonic() < deadline:
        time.sleep(0.2)
    (note,) = memory.notes.list(actor=owner)
    page = open_as_owner(f"/n/{note.id}")
    expect(page.locator("#article")).to_contain_text(str(files / "guide.md"))
    expect(page.locator("#article")).to_contain_text("file, read-only")
    expect(page.get_by_role("link", name="#alpha")).to_be_visible()
    expect(page.get_by_role("link", name="Edit")).to_have_count(0)
    page.goto(page.url + "/edit")
    expect(page).to_have_url(re.compile(rf"/n/{note.id}$"))


def test_n1_thousands_of_notes_stay_quick_and_open_branches_stay_open(
    open_as_owner, memory: Application, owner: Actor
) -> None:
    drafts = [Draft(title=f"n{n:04}", content="x", folder="many") for n in range(2500)]
    memory.notes.create_many(actor=owner, vault="home", drafts=drafts)
    page = open_as_owner("/notes", viewport=NARROW)
    page.get_by_role("button", name="Explorer").click()
    page.locator("#tree summary", has_text="many").click()
    expect(page.locator("#tree a.leaf")).to_have_count(100)
    page.locator("#tree").get_by_role("button", name="Show more").click()
    expect(page.locator("#tree a.leaf")).to_have_count(300)
    memory.notes.create(actor=owner, vault="home", title="a new one", content="x", folder="many")
    expect(page.locator("#tree a.leaf", has_text="a new one")).to_be_visible()
    expect(page.locator("#tree a.leaf")).to_have_count(300)
    page.locator("#tree a.leaf", has_text="n0001").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("n0001")


HOSTILE = '"><img src=x onerror="document.title=\'owned\'">'
TEXT = """
<script>document.title='owned'</script> <img src=x onerror="document.title='owned'">

<svg onload="document.title='owned'"></svg> <div hx-get="/notes" hx-trigger="load">x</div>

[click](javascript:document.title='owned') [data](data:text/html,<script>1</script>)

![pic](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+) <a href="javascript:document.title='owned'">raw</a>

[[<img src=x onerror=document.title='owned'>]] [["><script>document.title='owned'</script>|y]]

<form action="/notes/new" method="post"><button>go</button></form> <p style="position:fixed;inset:0">x</p>

# <img src=x onerror="document.title='owned'">

# two

# three
"""


ACTING = """() => [
  ...document.querySelectorAll("main img:not(.cm-widgetBuffer), main svg:not(.icon):not(.dot)"),
  ...document.querySelectorAll("main script, main iframe, .prose form"),
  ...[...document.querySelectorAll(".prose *")].filter(
    (e) => e.getAttributeNames().some((name) => /^(on|hx-|data-|style$)/.test(name))),
  ...[...document.querySelectorAll("main a")].filter((e) => /^(javascript|data|vbscript):/i.test(e.href)),
].map((e) => e.outerHTML)"""
"""What of a page would do something that its text has no right to."""


def test_n1_nothing_that_is_written_acts_on_a_page_that_shows_it(
    open_as_owner, memory: Application, owner: Actor, model: Actor
) -> None:
    name = "x" + HOSTILE.replace("/", "")
    front = {"tags": [HOSTILE], HOSTILE: HOSTILE, "nested": {"a": HOSTILE}}
    note = memory.notes.create(actor=owner, vault="home", title=name, folder=name, content=TEXT, front_matter=front)
    memory.notes.edit(actor=model, ref=note.id, operation="append", content=f"{HOSTILE} \u202eright to left 🍅")
    memory.notes.set_digest(actor=owner, ref=note.id, digest=HOSTILE)
    said = [Observation(content=TEXT, key=name, category=name)]
    kept = memory.facts.remember(actor=model, vault="home", observations=said, digest=HOSTILE)
    gone = memory.notes.create(actor=owner, vault="home", title=name + "2", content=TEXT)
    memory.notes.delete(actor=owner, ref=gone.id)
    page = open_as_owner("/notes")
    base = page.url.removesuffix("/notes")
    places = [
        "/notes", f"/n/{note.id}", f"/n/{note.id}/history", f"/n/{note.id}/edit", f"/m/{kept[0].note_id}",
        f"/m/{kept[0].note_id}/edit", f"/m/{kept[0].note_id}/history", "/notes/memory", "/notes/trash",
        f"/n/{gone.id}", "/notes?q=click+data", "/notes/memory?q=click", "/notes/history?who=agent:Claude",
        "/notes/new?title=%22%3E%3Cscript%3Edocument.title%3D%27owned%27%3C%2Fscript%3E&folder=%3Cimg+src%3Dx%3E",
    ]  # fmt: skip
    for place in places:
        page.goto(base + place)
        page.wait_for_load_state("networkidle") if place.endswith("/edit") else page.wait_for_timeout(120)
        assert "owned" not in page.title() or "onerror" in page.title(), place
        acting = page.evaluate(ACTING)
        assert acting == [], place
    page.goto(f"{base}/n/{note.id}/edit")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#preview")).to_contain_text("right to left")
    assert page.locator("#preview img, #preview script, #preview form").count() == 0


def test_n5_bad_input_is_refused_beside_the_text_and_the_text_stays(
    open_as_owner, memory: Application, owner: Actor
) -> None:
    memory.notes.create(actor=owner, vault="home", title="Taken", content="x")
    page = open_as_owner("/notes/new", language="fr")
    page.get_by_label("Titre").fill("a/b")
    write(page, "mon texte 🍅 \u202e")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.locator("#problem")).to_contain_text("Un titre ne nomme pas de dossier")
    page.get_by_label("Titre").fill("taken")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.locator("#problem").get_by_role("link")).to_have_text("Voir cette note")
    expect(page.locator(".cm-content")).to_contain_text("mon texte 🍅")
    page.get_by_label("Titre").fill("libre")
    page.get_by_label("Dossier").fill("../dehors")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.locator("#problem")).to_contain_text("ne doit contenir")
    page.get_by_label("Dossier").fill("")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("libre")
    # a note that is deleted in another window while one writes: what is written stays
    page.get_by_role("link", name="Modifier").click()
    write(page, "tout mon travail")
    (note,) = [one for one in memory.notes.list(actor=owner) if one.title == "libre"]
    memory.notes.delete(actor=owner, ref=note.id)
    expect(page.locator("#news")).to_contain_text("supprimée entre-temps")
    page.get_by_role("button", name="Enregistrer").click()
    expect(page.locator("#problem")).to_contain_text("à la corbeille")
    expect(page.locator(".cm-content")).to_have_text("tout mon travail")
