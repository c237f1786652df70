"""Watched folders on both engines (V13, V3, CASES 15, 17, 21)."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import documents
from souvenance.application import Application
from souvenance.domain.access import Actor, Source
from souvenance.domain.errors import Conflict, InvalidInput, NotAllowed
from souvenance.domain.folder import Condition, WatchedFolder
from souvenance.domain.note import NoteClass
from souvenance.ingest import scanning
from souvenance.ingest.scanning import ScanReport
from souvenance.settings import Settings
from souvenance.wiring import open_application


def aged(path: Path, content: str | bytes) -> Path:
    """A file that was written a minute ago, so that no scan waits for it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    then = time.time() - 60 - len(content) % 7
    os.utime(path, (then, then))
    return path


@pytest.fixture
def root(tmp_path: Path, app: Application, owner: Actor) -> Path:
    app.vaults.create(actor=owner, name="Docs")
    root = tmp_path / "papers"
    aged(root / "a.md", "# Alpha\n\nThe aardvark digs.\n")
    aged(root / "deep" / "b.txt", "The binturong climbs.\n")
    aged(root / "deep" / "c.py", "# comment\nprint('civet')\n")
    return root


Scan = Callable[..., ScanReport]


@pytest.fixture
def folder(app: Application, owner: Actor, root: Path) -> WatchedFolder:
    return app.folders.watch(actor=owner, vault="docs", path=root)


@pytest.fixture
def scan(app: Application, owner: Actor, folder: WatchedFolder) -> Scan:
    def run(**options: object) -> ScanReport:
        return app.folders.scan(actor=owner, folder=folder.id, **options)  # type: ignore[arg-type]

    return run


def paths(app: Application, owner: Actor) -> dict[str, str]:
    return {note.path: note.id for note in app.notes.list(actor=owner, vault="docs", limit=1000)}


def found(app: Application, owner: Actor, query: str) -> list[str]:
    return [hit.title for hit in app.retrieval.search(actor=owner, query=query).hits if hit.kind == "note"]


def test_v13_files_become_read_only_source_notes_found_by_search(app: Application, owner: Actor, scan: Scan) -> None:
    steps: list[tuple[int, int]] = []
    report = scan(progress=lambda done, total: steps.append((done, total)))
    assert report.created == 3
    assert steps[-1] == (3, 3)
    assert sorted(paths(app, owner)) == ["papers/a", "papers/deep/b.txt", "papers/deep/c.py"]
    note = app.notes.get(actor=owner, ref="docs:papers/a").note
    assert (note.note_class, note.content) == (NoteClass.SOURCE, "# Alpha\n\nThe aardvark digs.\n")
    assert found(app, owner, "binturong") == ["b.txt"]
    with pytest.raises(NotAllowed, match="read-only"):
        app.notes.edit(actor=owner, ref=note.id, operation="append", content="x")


def test_v13_only_what_changed_is_touched(app: Application, owner: Actor, root: Path, scan: Scan) -> None:
    scan()
    before = paths(app, owner)
    aged(root / "a.md", "# Alpha\n\nThe axolotl swims now.\n")
    (root / "deep" / "b.txt").rename(root / "moved.txt")
    (root / "deep" / "c.py").unlink()
    os.utime(aged(root / "d.md", "new"), None)
    report = scan()
    assert (report.updated, report.moved, report.deleted, report.created) == (1, 1, 1, 1)
    after = paths(app, owner)
    assert after["papers/moved.txt"] == before["papers/deep/b.txt"]
    assert after["papers/a"] == before["papers/a"]
    assert (found(app, owner, "axolotl"), found(app, owner, "civet")) == (["a"], [])
    again = scan()
    assert (again.unchanged, again.created, again.updated, again.moved, again.deleted) == (3, 0, 0, 0, 0)


def test_v13_a_file_that_comes_back_is_the_same_note(app: Application, owner: Actor, root: Path, scan: Scan) -> None:
    scan()
    note = paths(app, owner)["papers/a"]
    (root / "a.md").unlink()
    scan()
    assert app.notes.get(actor=owner, ref=note).note.deleted_at is not None
    aged(root / "a.md", "# Alpha\n\nThe aardvark is back.\n")
    assert scan().restored == 1
    assert paths(app, owner)["papers/a"] == note
    assert found(app, owner, "aardvark") == ["a"]


@pytest.mark.parametrize("path", ["", " ", "\t"])
def test_v13_no_path_is_not_the_folder_that_the_program_runs_in(app: Application, owner: Actor, path: str) -> None:
    app.vaults.create(actor=owner, name="Docs")
    with pytest.raises(InvalidInput, match="No folder was named"):
        app.folders.watch(actor=owner, vault="docs", path=path)
    with pytest.raises(InvalidInput, match="No folder was named"):
        app.folders.census(actor=owner, path=path)


def test_v13_a_root_that_disappears_is_an_error_and_deletes_nothing(
    app: Application, owner: Actor, root: Path, folder: WatchedFolder, scan: Scan
) -> None:
    scan()
    before = paths(app, owner)
    away = root.rename(root.parent / "away")
    with pytest.raises(InvalidInput, match="cannot be read"):
        scan()
    assert app.folders.get(actor=owner, folder=folder.id).folder.condition is Condition.UNREADABLE
    root.mkdir()  # the empty place where a disk was mounted
    assert scan().held == 3
    view = app.folders.get(actor=owner, folder=folder.id)
    assert view.folder.condition is Condition.VANISHED
    assert "gone at once" in view.folder.reason
    assert paths(app, owner) == before
    root.rmdir()
    away.rename(root)
    report = scan()
    assert (report.unchanged, report.created, report.deleted) == (3, 0, 0)
    assert app.folders.get(actor=owner, folder=folder.id).folder.condition is Condition.WELL
    for path in (root / "a.md", root / "deep" / "b.txt", root / "deep" / "c.py"):
        path.unlink()
    assert scan(accept_empty=True).deleted == 3
    assert paths(app, owner) == {}


def test_v13_links_out_of_the_folder_loops_and_large_files_are_refused_and_listed(
    app: Application, owner: Actor, root: Path, folder: WatchedFolder, tmp_path: Path, scan: Scan
) -> None:
    outside = aged(tmp_path / "secret.txt", "outside")
    (root / "out.txt").symlink_to(outside)
    (root / "out").symlink_to(tmp_path)
    (root / "loop").symlink_to(root)
    (root / "circle").symlink_to(root / "circle")
    (root / "alias.txt").symlink_to(root / "deep" / "b.txt")
    os.mkfifo(root / "pipe.txt")
    with (root / "huge.txt").open("wb") as huge:
        huge.truncate(2 * 1024**3)
    report = scan()
    assert report.created == 3
    listed = {file.shown: file.reason for file in app.folders.errors(actor=owner, folder=folder.id)}
    assert set(listed) == {"out.txt", "out", "loop", "circle", "pipe.txt", "huge.txt"}
    assert "out of the folder" in listed["out.txt"]
    assert "2,147,483,648 bytes" in listed["huge.txt"]
    (root / "huge.txt").unlink()
    scan()
    assert "huge.txt" not in {file.shown for file in app.folders.errors(actor=owner, folder=folder.id)}


def test_v13_names_with_newlines_and_invalid_utf8_are_taken(
    app: Application, owner: Actor, root: Path, scan: Scan
) -> None:
    aged(root / "two\nlines.txt", "The pangolin rolls.")
    odd = os.fsencode(root) + b"/caf\xe9.txt"
    with open(odd, "wb") as file:
        file.write(b"The okapi hides.")
    os.utime(odd, (1, 1))
    report = scan()
    assert (report.created, report.failed) == (5, 0)
    assert found(app, owner, "okapi") == ["caf\ufffd.txt"]
    assert found(app, owner, "pangolin") == ["two\ufffdlines.txt"]
    assert scan().unchanged == 5


def test_v13_junk_is_passed_over_and_named_dot_folders_are_honoured(
    app: Application, owner: Actor, root: Path, folder: WatchedFolder, scan: Scan
) -> None:
    for junk in (".git/x.md", "node_modules/x.md", "__pycache__/x.md", ".venv/x.md", ".notes/x.md", "~$x.docx"):
        aged(root / junk, "junk")
    assert scan().created == 3
    app.folders.watch(actor=owner, vault="docs", path=root, include=["**", ".notes/**"], exclude=["deep/"])
    report = scan()
    assert (report.created, report.deleted) == (1, 2)
    assert sorted(paths(app, owner)) == ["papers/.notes/x", "papers/a"]


def test_v13_one_broken_file_stops_nothing_and_is_retried_when_it_changes(
    app: Application, owner: Actor, root: Path, folder: WatchedFolder, scan: Scan
) -> None:
    aged(root / "broken.docx", b"not a zip at all")
    report = scan()
    assert (report.created, report.failed) == (3, 1)
    (problem,) = app.folders.errors(actor=owner, folder=folder.id)
    assert (problem.shown, "damaged" in problem.reason) == ("broken.docx", True)
    assert scan().failed == 1  # known, not read again
    aged(root / "broken.docx", documents.docx("Whole", "The tapir walks."))
    assert scan().created == 1
    assert app.folders.errors(actor=owner, folder=folder.id) == []
    assert found(app, owner, "tapir") == ["broken.docx"]
    aged(root / "broken.docx", b"broken again")
    scan()
    assert found(app, owner, "tapir") == ["broken.docx"]  # what it said before is not lost


def test_cases_17_a_large_document_is_fine_and_can_be_deleted(
    app: Application, owner: Actor, root: Path, scan: Scan
) -> None:
    line = "The wombat number {} digs a burrow in the sand.\n\n"
    text = "".join(line.format(i) for i in range(105_000))
    assert len(text) > 5 * 1024 * 1024
    aged(root / "big.txt", text)
    assert scan().created == 4
    note = app.notes.get(actor=owner, ref="docs:papers/big.txt").note
    assert note.content == text
    assert found(app, owner, "wombat 104999 burrow")[0] == "big.txt"
    app.notes.delete(actor=owner, ref=note.id)
    assert scan().unchanged == 4  # deleted by a person: it does not come back by itself
    assert "papers/big.txt" not in paths(app, owner)


def test_v13_two_vaults_may_watch_one_folder_and_an_inner_folder_has_its_own_files(
    app: Application, owner: Actor, root: Path, scan: Scan
) -> None:
    app.vaults.create(actor=owner, name="Other")
    scan()
    note = paths(app, owner)["papers/deep/b.txt"]
    inner = app.folders.watch(actor=owner, vault="docs", path=root / "deep")
    outer = app.folders.watch(actor=owner, vault="other", path=root)
    assert app.folders.scan(actor=owner, folder=outer.id).created == 3
    app.folders.scan(actor=owner, folder=inner.id)
    scan()
    assert sorted(paths(app, owner)) == ["deep/b.txt", "deep/c.py", "papers/a"]
    assert paths(app, owner)["deep/b.txt"] == note
    with pytest.raises(Conflict, match="Several vaults"):
        app.folders.get(actor=owner, folder=str(root))


def test_v3_a_muted_vault_is_filled_and_answers_at_once_when_raised(
    app: Application, owner: Actor, root: Path, scan: Scan
) -> None:
    app.vaults.set_attention(actor=owner, vault="docs", weight=0)
    scan()
    assert found(app, owner, "aardvark") == []
    app.vaults.set_attention(actor=owner, vault="docs", weight=100)
    assert found(app, owner, "aardvark") == ["a"]


def test_cases_15_what_a_folder_brings_waits_for_a_vector_like_all_else(
    app: Application, root: Path, scan: Scan
) -> None:
    before = app.embedding.status().passages
    scan()
    assert app.embedding.status().passages == before + 3


def test_v13_only_a_person_has_watched_folders(app: Application, root: Path) -> None:
    model = app.owner_through(Source.AGENT, is_model=True)
    for ask in (
        lambda: app.folders.watch(actor=model, vault="docs", path=root),
        lambda: app.folders.census(actor=model, path=root),
        lambda: app.folders.list(actor=model),
    ):
        with pytest.raises(NotAllowed, match="owner's only"):
            ask()


def test_v13_unwatched_its_notes_are_in_the_trash_and_watched_again_they_are_back(
    app: Application, owner: Actor, root: Path, folder: WatchedFolder, scan: Scan
) -> None:
    scan()
    before = paths(app, owner)
    assert app.folders.unwatch(actor=owner, folder=folder.id) == 3
    assert (paths(app, owner), app.folders.list(actor=owner)) == ({}, [])
    app.folders.watch(actor=owner, vault="docs", path=root)
    assert scan().restored == 3
    assert paths(app, owner) == before


def test_v13_census_counts_by_kind_before_anything_is_read(app: Application, owner: Actor, root: Path) -> None:
    aged(root / "p.png", b"\x89PNG")
    census = app.folders.census(actor=owner, path=root)
    assert (census.files, census.others, census.is_large) == (3, 1, False)
    assert {kind: many for kind, (many, _) in census.kinds.items()} == {"markdown": 1, "text": 1, "code": 1}
    assert app.notes.list(actor=owner, vault="docs") == []


def test_a4_watching_and_unwatching_a_folder_is_audited(
    app: Application, owner: Actor, folder: WatchedFolder, scan: Scan
) -> None:
    scan()
    assert app.folders.unwatch(actor=owner, folder=folder.id) == 3
    told = {entry.verb: entry.details for entry in app.history.audit(actor=owner)}
    assert told["folder.watch"]["folder"] == folder.id
    assert (told["folder.unwatch"]["folder"], told["folder.unwatch"]["notes"]) == (folder.id, 3)


def test_v13_suspended_stops_and_resumed_goes_on(
    app: Application, owner: Actor, folder: WatchedFolder, scan: Scan
) -> None:
    app.folders.suspend(actor=owner, folder=folder.id)
    with pytest.raises(Conflict, match="suspended"):
        scan()
    app.folders.resume(actor=owner, folder=folder.id)
    assert scan().created == 3


def test_v13_a_scan_that_was_killed_is_resumed_without_doing_anything_twice(
    app: Application, owner: Actor, root: Path, store_url: str, folder: WatchedFolder, scan: Scan
) -> None:
    for number in range(400):
        aged(root / f"n{number:03}.md", f"# Note {number}\n\nText of number {number}.\n" * 5)
    script = (
        "import sys\nfrom souvenance.settings import Settings\nfrom souvenance.wiring import open_application\n"
        "from souvenance.domain.access import Source\n"
        "app = open_application(Settings(database_url=sys.argv[1], embedder='none'))\n"
        "owner = app.owner_through(Source.PANEL)\n"
        "app.folders.scan(actor=owner, folder=sys.argv[2], progress=lambda d, t: print(d, flush=True))\n"
    )
    child = subprocess.Popen([sys.executable, "-c", script, store_url, folder.id], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    for line in child.stdout:
        if int(line) >= 150:
            break
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    half = len(paths(app, owner))
    assert 0 < half < 403
    report = scan()
    assert report.unchanged == half
    assert report.created == 403 - half
    notes = app.notes.list(actor=owner, vault="docs", limit=1000)
    assert len(notes) == len({note.path for note in notes}) == 403
    assert {note.version for note in notes} == {1}


def test_v13_the_watcher_makes_a_changed_file_searchable_soon_and_rests(
    app: Application, owner: Actor, root: Path, folder: WatchedFolder
) -> None:
    # About a second when the machine is free. Far from LOOK_AGAIN, so that only the kernel can have told.
    soon = 15.0
    app.watcher.start()
    try:
        _until(lambda: found(app, owner, "aardvark") == ["a"], 10)
        time.sleep(0.5)
        (root / "a.md").write_text("The narwhal surfaces.")
        assert _until(lambda: found(app, owner, "narwhal") == ["a"], soon)
        temporary = root / ".a.md.new"
        temporary.write_text("The manatee floats.")
        temporary.replace(root / "a.md")  # as editors save
        assert _until(lambda: found(app, owner, "manatee") == ["a"], soon)
        (root / "a.md").rename(root / "renamed.md")
        assert _until(lambda: found(app, owner, "manatee") == ["renamed"], soon)
        time.sleep(1.0)
        shares = []
        for _ in range(3):
            used = time.process_time()
            time.sleep(1.5)
            shares.append((time.process_time() - used) / 1.5)
        assert min(shares) < 0.03  # CASES 21: idle is idle, in the stretch that others disturb least
    finally:
        app.watcher.stop()


def test_v13_the_watcher_survives_a_root_that_disappears_and_returns(
    app: Application, owner: Actor, root: Path, folder: WatchedFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("souvenance.ingest.watcher.LOOK_AGAIN", 0.5)
    app.watcher.start()
    try:
        assert _until(lambda: len(paths(app, owner)) == 3, 10)
        away = root.rename(root.parent / "away")
        condition = lambda: app.folders.get(actor=owner, folder=folder.id).folder.condition  # noqa: E731
        assert _until(lambda: condition() is Condition.UNREADABLE, 15)
        assert len(paths(app, owner)) == 3
        aged(away / "e.md", "The echidna returns.")
        away.rename(root)
        assert _until(lambda: found(app, owner, "echidna") == ["e"], 15)
        assert _until(lambda: condition() is Condition.WELL, 15)  # said when the scan ends, after its files are found
    finally:
        app.watcher.stop()


def test_v13_a_file_that_is_being_written_waits_until_it_is_quiet(
    app: Application, owner: Actor, root: Path, folder: WatchedFolder, scan: Scan
) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", "import sys, time\nwith open(sys.argv[1], 'w') as f:\n"
         "    for i in range(12):\n        f.write(f'part {i}\\n'); f.flush(); time.sleep(0.1)\n", str(root / "w.txt")]
    )  # fmt: skip
    _until((root / "w.txt").exists, 5)
    report = scan()
    writer.wait()
    assert report.created == 4
    note = app.notes.get(actor=owner, ref="docs:papers/w.txt").note
    assert note.content.count("part") == 12
    assert note.version == 1


def test_v13_a_scan_under_way_refuses_another(app: Application, owner: Actor, root: Path, scan: Scan) -> None:
    refused: list[str] = []

    def meanwhile(done: int, total: int) -> None:
        if done == 1:
            with pytest.raises(Conflict, match="Another process"):
                scan()
            refused.append("yes")

    assert scan(progress=meanwhile).created == 3
    assert refused == ["yes"]


def test_v13_of_two_watchers_one_watches_and_the_other_takes_over(
    app: Application, owner: Actor, root: Path, folder: WatchedFolder, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("souvenance.ingest.watcher.LOOK_AGAIN", 0.5)
    other = open_application(Settings(database_url=store_url, embedder="none"))  # type: ignore[arg-type]
    app.watcher.start()
    try:
        assert _until(lambda: len(paths(app, owner)) == 3, 10)
        other.watcher.start()
        app.watcher.stop()
        aged(root / "late.md", "The quoll hunts.")
        assert _until(lambda: found(app, owner, "quoll") == ["late"], 10)
    finally:
        app.watcher.stop()
        other.close()


def test_v13_copies_of_one_text_keep_their_own_identities_when_they_move(
    app: Application, owner: Actor, root: Path, scan: Scan
) -> None:
    for number, name in enumerate(("x", "y", "z")):
        aged(root / name / "same.md", "The same words.")
        os.utime(root / name / "same.md", (100 + number, 100 + number))
    scan()
    before = paths(app, owner)
    for name, target in (("z", "1"), ("x", "2")):
        (root / name).rename(root / target)
    assert scan().moved == 2
    after = paths(app, owner)
    assert after["papers/1/same"] == before["papers/z/same"]
    assert after["papers/2/same"] == before["papers/x/same"]
    assert after["papers/y/same"] == before["papers/y/same"]


def _until(holds: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.05)
    return False


def test_v13_the_memorys_own_folder_is_never_read(store_url: str, tmp_path: Path) -> None:
    data = tmp_path / "home" / "memory"
    data.mkdir(parents=True)
    aged(data / "serve.json", '{"token": "secret"}')
    aged(tmp_path / "home" / "a.md", "alpha")
    opened = open_application(Settings(data=data, database_url=store_url, embedder="none"))
    try:
        owner = opened.owner_through(Source.PANEL)
        opened.vaults.create(actor=owner, name="Docs")
        with pytest.raises(InvalidInput, match="memory itself"):
            opened.folders.watch(actor=owner, vault="docs", path=data)
        above = opened.folders.watch(actor=owner, vault="docs", path=tmp_path / "home")
        opened.folders.scan(actor=owner, folder=above.id)
        assert list(paths(opened, owner)) == ["home/a"]
    finally:
        opened.close()


def test_v13_a_file_its_reader_stumbles_over_costs_no_other_file(
    app: Application, owner: Actor, root: Path, scan: Scan, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = scanning.read_text

    def stumbling(raw: bytes, **options: object) -> object:
        if b"aardvark" in raw:
            raise RecursionError
        return read(raw, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(scanning, "read_text", stumbling)
    report = scan()
    assert (report.created, report.failed) == (2, 1)
    assert sorted(paths(app, owner)) == ["papers/deep/b.txt", "papers/deep/c.py"]


def test_v13_a_folder_that_fails_is_said_and_does_not_stop_the_next(
    app: Application, owner: Actor, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    aged(tmp_path / "second" / "d.md", "the dingo")
    failing = app.folders.watch(actor=owner, vault="docs", path=root)
    app.folders.watch(actor=owner, vault="docs", path=tmp_path / "second")
    read_all = scanning.Scan._read_all
    tries: list[str] = []

    def broken(scan: scanning.Scan, *given: object) -> bool:
        if scan._folder.id == failing.id:
            tries.append(failing.id)
            raise RuntimeError
        return read_all(scan, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(scanning.Scan, "_read_all", broken)
    app.watcher.start()
    deadline = time.monotonic() + 20
    while "second/d" not in paths(app, owner) and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(1.0)
    app.watcher.stop()
    assert "second/d" in paths(app, owner)
    (shown,) = [item for item in app.folders.list(actor=owner) if item.folder.id == failing.id]
    assert (shown.folder.condition, shown.folder.reason) == (Condition.STOPPED, "the scan failed (RuntimeError)")
    assert len(tries) <= 2
