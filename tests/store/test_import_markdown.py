"""Importing a folder of Markdown files (R4), on both engines."""

import os
import time
from pathlib import Path

import pytest

from souvenance.application import Application
from souvenance.domain.access import Actor, Source
from souvenance.domain.errors import InvalidInput, NotAllowed, NotFound
from souvenance.imports.note_keeping import ImportReport
from souvenance.upkeep.derived import QUESTIONS


@pytest.fixture
def tree(tmp_path: Path, app: Application, owner: Actor) -> Path:
    app.vaults.create(actor=owner, name="Atlas")
    root = tmp_path / "vault"
    (root / "people").mkdir(parents=True)
    (root / "Index.md").write_text("---\ntags: [home]\n---\nSee [[Ada]] and [the plan](people/Plan%20B.md).\n")
    (root / "people" / "Ada.md").write_text("Back to [[Index]].\n")
    (root / "people" / "Plan B.md").write_text("# Another heading\nUp: [index](../Index.md)\n")
    for ignored in (".git", ".obsidian", ".trash", "node_modules"):
        (root / ignored).mkdir()
        (root / ignored / "Hidden.md").write_text("hidden")
    (root / "picture.png").write_bytes(b"\x89PNG")
    return root


def imported(app: Application, owner: Actor, tree: Path, **options: object) -> ImportReport:
    return app.imports.markdown(actor=owner, path=tree, vault="atlas", **options)  # type: ignore[arg-type]


def test_r4_folders_titles_front_matter_and_links_are_kept(app: Application, owner: Actor, tree: Path) -> None:
    steps: list[tuple[int, int]] = []
    report = imported(app, owner, tree, progress=lambda done, total: steps.append((done, total)))
    assert (report.files, report.created, report.problems, steps) == (3, 3, [], [(3, 3)])
    assert [note.path for note in app.notes.list(actor=owner, vault="atlas")] == [
        "Index",
        "people/Ada",
        "people/Plan B",
    ]
    index = app.notes.get(actor=owner, ref="atlas:Index")
    assert index.note.front_matter == {"tags": ["home"]}
    assert index.note.content == "See [[Ada]] and [the plan](people/Plan%20B.md).\n"
    assert {(link.title, link.folder) for link in index.links} == {("Ada", "people"), ("Plan B", "people")}
    assert {link.title for link in index.backlinks} == {"Ada", "Plan B"}


def test_r4_a_note_is_found_by_the_title_and_aliases_of_its_front_matter_and_linked_by_its_file(
    app: Application, owner: Actor, tree: Path
) -> None:
    post = tree / "2024-05-12-lighthouse.md"
    post.write_text("---\ntitle: Étretat au printemps\naliases: [falaises, 7]\n---\nUn sentier longe la mer.\n")
    (tree / "empty.md").write_text("---\ntitle: Vide\nalias: néant\n---\n")
    (tree / "Index.md").write_text("See [[2024-05-12-lighthouse]].\n")
    imported(app, owner, tree)

    def found(query: str) -> list[str | None]:
        return [hit.title for hit in app.retrieval.search(actor=owner, query=query).hits]

    assert found("etretat printemps") == found("falaises") == [post.stem]
    assert post.stem in found("lighthouse")
    assert found("néant") == ["empty"]
    assert [link.title for link in app.notes.get(actor=owner, ref="Index").links] == [post.stem]
    assert imported(app, owner, tree).unchanged == 5
    post.write_text("---\ntitle: Honfleur\n---\nUn sentier longe la mer.\n")
    assert imported(app, owner, tree).updated == 1
    assert (found("honfleur"), found("etretat")) == ([post.stem], [])
    with app.database.read() as tx:
        assert all(not question.ask(tx) for question in QUESTIONS)


def test_r4_what_is_hidden_or_made_by_programs_is_passed_over_and_named(
    app: Application, owner: Actor, tree: Path
) -> None:
    for path in (".venv/lib/pkg/README.md", ".hidden/note.md", "people/build/out.md", ".draft.md"):
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text("not mine")
    report = imported(app, owner, tree)
    assert report.created == 3
    assert set(report.passed_over) == {
        ".draft.md", ".git", ".hidden", ".obsidian", ".trash", ".venv", "node_modules", "people/build",
    }  # fmt: skip
    inner = app.imports.markdown(actor=owner, path=tree / "people" / "build", vault="atlas")
    assert (inner.created, inner.passed_over) == (1, [])


def test_r4_a_dry_run_needs_no_vault_and_makes_none(app: Application, owner: Actor, tree: Path) -> None:
    report = app.imports.markdown(actor=owner, path=tree, vault="new", dry_run=True)
    assert (report.created, report.makes_vault) == (3, True)
    assert "new" not in {vault.slug for vault in app.vaults.list(actor=owner)}
    with pytest.raises(NotFound):
        app.imports.markdown(actor=owner, path=tree, vault="new")
    assert imported(app, owner, tree, dry_run=True).makes_vault is False


def test_r4_read_again_only_what_changed_is_written(app: Application, owner: Actor, tree: Path) -> None:
    imported(app, owner, tree)
    again = imported(app, owner, tree)
    assert (again.created, again.updated, again.unchanged) == (0, 0, 3)

    (tree / "Index.md").write_text("Changed in the file, see [[Plan B]].\n")
    app.notes.edit(actor=owner, ref="people/Ada", operation="append", content="Edited here.")
    (tree / "New.md").write_text("New.")
    plan = imported(app, owner, tree, dry_run=True)
    assert app.notes.get(actor=owner, ref="atlas:Index").note.version == 1
    third = imported(app, owner, tree)
    for report in (plan, third):
        assert (report.created, report.updated, report.unchanged, report.kept) == (1, 1, 1, 1)
        assert report.conflicts == []
    index = app.notes.get(actor=owner, ref="atlas:Index")
    assert index.note.content == "Changed in the file, see [[Plan B]].\n"
    assert index.note.front_matter == {}
    assert [link.title for link in index.links] == ["Plan B"]
    assert "Edited here." in app.notes.get(actor=owner, ref="people/Ada").note.content
    newest, first = app.history.of_note(actor=owner, ref=index.note.id)
    assert (newest.source, newest.operation) == ("import", "import")
    assert "tags: home → none" in newest.diff
    assert first.version == 1


def test_r4_what_changed_in_both_places_is_left_and_told(app: Application, owner: Actor, tree: Path) -> None:
    imported(app, owner, tree)
    app.notes.edit(actor=owner, ref="people/Ada", operation="append", content="Edited here.")
    (tree / "people" / "Ada.md").write_text("Edited there.")
    app.notes.create(actor=owner, vault="atlas", title="Mine", content="Mine.")
    (tree / "Mine.md").write_text("Theirs.")
    report = imported(app, owner, tree)
    assert sorted(item.path for item in report.conflicts) == ["Mine.md", "people/Ada.md"]
    assert "Edited here." in app.notes.get(actor=owner, ref="people/Ada").note.content
    assert app.notes.get(actor=owner, ref="atlas:Mine").note.content == "Mine."


def test_r4_a_file_that_cannot_be_read_stops_nothing(
    app: Application, owner: Actor, tree: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "Secret.md").write_text("secret")
    (tree / "latin.md").write_bytes("é".encode("latin-1"))
    (tree / "nul.md").write_bytes(b"a\x00b")
    (tree / "large.md").write_bytes(b"x" * (8 * 1024 * 1024 + 1))
    (tree / "ADA.md").write_text("one")
    (tree / "ada.md").write_text("two")
    (tree / "broken.md").write_text("---\na: [1\n---\nText.")
    (tree / "bom.md").write_bytes(b"\xef\xbb\xbfWith a mark.")
    (tree / "leaving.md").symlink_to(outside / "Secret.md")
    (tree / "away").symlink_to(outside)
    (tree / "loop").symlink_to(tree)
    (tree / "nowhere.md").symlink_to(tree / "missing.md")
    (tree / "inside.md").symlink_to(tree / "Index.md")
    os.mkfifo(tree / "pipe.md")
    report = imported(app, owner, tree)
    reasons = {item.path: item.reason for item in report.problems}
    assert set(reasons) == {
        "latin.md", "nul.md", "large.md", "ada.md", "leaving.md", "away", "loop", "nowhere.md", "pipe.md",
    }  # fmt: skip
    assert "not valid UTF-8" in reasons["latin.md"]
    assert "out of the folder" in reasons["leaving.md"]
    assert [item.path for item in report.warnings] == ["broken.md"]
    assert report.created == 3 + 4
    assert app.notes.get(actor=owner, ref="atlas:broken").note.content == "---\na: [1\n---\nText."
    assert app.notes.get(actor=owner, ref="atlas:bom").note.content == "With a mark."
    assert "secret" not in str(report.as_dict())


def test_r4_a_root_that_cannot_be_read_is_an_error(app: Application, owner: Actor, tree: Path) -> None:
    with pytest.raises(InvalidInput):
        imported(app, owner, tree / "missing")
    with pytest.raises(InvalidInput):
        imported(app, owner, tree / "Index.md")
    with pytest.raises(NotAllowed):
        imported(app, app.owner_through(Source.AGENT, is_model=True), tree)


def test_r4_thousands_of_files_take_seconds(app: Application, owner: Actor, tmp_path: Path) -> None:
    app.vaults.create(actor=owner, name="Atlas")
    for number in range(1000):
        folder = tmp_path / "big" / f"folder {number % 20}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"Note {number}.md").write_text(f"About {number}.\n\nSee [[Note {(number * 7) % 1000}]].\n")
    start = time.perf_counter()
    assert imported(app, owner, tmp_path / "big").created == 1000
    first = time.perf_counter()
    assert imported(app, owner, tmp_path / "big").unchanged == 1000
    print(f"first {first - start:.1f} s, again {time.perf_counter() - first:.1f} s")
    assert first - start < 60
    assert time.perf_counter() - first < 20
