"""Conversations of ChatGPT and Claude become notes that search finds (R4), on both engines."""

import io
import json
import zipfile
from dataclasses import replace
from typing import Any

import pytest

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.errors import InvalidInput, NotAllowed
from souvenance.imports.chats.imports import ChatsReport
from souvenance.imports.uploads import Upload

GPT_TIME = 1_714_521_600.0  # 2024-05-01


def gpt(identity: str, title: str, *said: Any, **more: Any) -> dict[str, Any]:
    """A conversation as ChatGPT writes it: a tree, of which the present leaf is named; odd ones are the user's."""
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": ["n0"]}}
    for place, words in enumerate(said):
        role = "assistant" if place % 2 else "user"
        parts = [words] if isinstance(words, str) else words
        mapping[f"n{place}"] = {
            "id": f"n{place}",
            "parent": f"n{place - 1}" if place else "root",
            "children": [f"n{place + 1}"],
            "message": {
                "author": {"role": role},
                "create_time": GPT_TIME + 60 * place,
                "content": {"content_type": "text", "parts": parts},
                "metadata": {},
                "recipient": "all",
            },
        }
    return {
        "title": title, "create_time": GPT_TIME, "update_time": GPT_TIME + 3600, "mapping": mapping,
        "current_node": f"n{len(said) - 1}", "conversation_id": identity, "default_model_slug": "gpt-x",
    } | more  # fmt: skip


def claude(identity: str, name: str, *said: str) -> dict[str, Any]:
    messages = [
        {
            "uuid": f"m{place}", "text": text, "sender": "assistant" if place % 2 else "human",
            "content": [{"type": "thinking", "thinking": "secretly"}, {"type": "text", "text": text}],
            "created_at": f"2024-05-02T10:0{place}:00.000000Z", "attachments": [{"file_name": "plan.pdf"}], "files": [],
        }
        for place, text in enumerate(said)
    ]  # fmt: skip
    return {
        "uuid": identity, "name": name, "created_at": "2024-05-02T10:00:00.000000Z",
        "updated_at": "2024-05-02T11:00:00.000000Z", "account": {"uuid": "a"}, "chat_messages": messages,
    }  # fmt: skip


def zipped(**files: Any) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in files.items():
            archive.writestr(name.replace("__", "/").replace("_json", ".json"), json.dumps(value))
    return made.getvalue()


def brought_in(app: Application, owner: Actor, raw: bytes | list[Any], **options: Any) -> ChatsReport:
    raw = json.dumps(raw).encode() if isinstance(raw, list) else raw
    upload = Upload(options.pop("name", "export.zip"), io.BytesIO(raw))
    return app.chat_imports.chats(actor=owner, upload=upload, vault="atelier", **options)


def notes(app: Application, owner: Actor) -> dict[str, str]:
    return {
        one.path: app.notes.get(actor=owner, ref=one.id).note.content
        for one in app.notes.list(actor=owner, vault="atelier")
    }


@pytest.fixture(autouse=True)
def _vault(app: Application, owner: Actor) -> None:
    app.vaults.create(actor=owner, name="Atelier")


def test_r4_a_chatgpt_archive_becomes_notes_that_search_finds(app: Application, owner: Actor) -> None:
    made = gpt("c-1", "Bread/oven", "How hot is the oven for rye?", "About 230 degrees.")
    report = brought_in(app, owner, zipped(export__conversations_json=[made], user_json={"id": 1}))
    assert (report.files, report.created, report.turns, report.programs) == (1, 1, 2, ["ChatGPT"])
    assert (report.problems, report.warnings, report.conflicts) == ([], [], [])
    assert notes(app, owner) == {
        "ChatGPT/Bread-oven": (
            "## User, 2024-05-01 00:00\n\nHow hot is the oven for rye?\n\n"
            "## ChatGPT, 2024-05-01 00:01\n\nAbout 230 degrees.\n"
        )
    }
    (listed,) = app.notes.list(actor=owner, vault="atelier")
    assert listed.front_matter == {
        "conversation": "c-1", "from": "ChatGPT", "created": "2024-05-01T00:00:00Z",
        "updated": "2024-05-01T01:00:00Z", "model": "gpt-x",
    }  # fmt: skip
    hits = app.retrieval.search(actor=owner, query="rye oven degrees", vault="atelier").hits
    assert hits
    assert hits[0].note_id == listed.id


def test_r4_claude_says_the_same_otherwise(app: Application, owner: Actor) -> None:
    report = brought_in(app, owner, [claude("u-1", "", "Plan the garden\nfor May", "Sow beans.")], name="c.json")
    assert (report.created, report.programs) == (1, ["Claude"])
    assert notes(app, owner) == {
        "Claude/Plan the garden for May *[plan.pdf]*": (
            "## User, 2024-05-02 10:00\n\nPlan the garden\nfor May\n\n*[plan.pdf]*\n\n"
            "## Claude, 2024-05-02 10:01\n\nSow beans.\n\n*[plan.pdf]*\n"
        )
    }


def test_r4_only_the_branch_that_was_last_shown_and_what_people_saw_is_kept(app: Application, owner: Actor) -> None:
    made = gpt("c-1", "Branches", "Hello", "Old answer", "Go on", "Last")
    nodes = made["mapping"]
    nodes["other"] = json.loads(json.dumps(nodes["n1"])) | {"parent": "n0"}
    nodes["other"]["message"]["content"]["parts"] = ["New answer", {"content_type": "image_asset_pointer"}]
    nodes["n2"]["parent"] = "other"
    nodes["n3"]["message"]["metadata"] = {"is_visually_hidden_from_conversation": True}
    nodes["n0"]["message"]["content"]["parts"] = ["Hel\x00lo \ud83d\ude00 \ud83d"]
    brought_in(app, owner, [made], name="c.json")
    (text,) = notes(app, owner).values()
    assert "New answer\n\n*[image]*" in text
    assert "Old answer" not in text
    assert "Last" not in text
    assert "Hello 😀 \N{REPLACEMENT CHARACTER}" in text


def test_r4_a_conversation_that_went_on_is_the_same_note_wherever_it_was_moved(app: Application, owner: Actor) -> None:
    first = [gpt("c-1", "Bread", "Rye?", "Yes."), gpt("c-2", "Tea", "Green?", "Yes.")]
    brought_in(app, owner, first)
    assert brought_in(app, owner, first).unchanged == 2
    bread = next(one for one in app.notes.list(actor=owner, vault="atelier") if one.title == "Bread")
    app.notes.move(actor=owner, ref=bread.id, folder="Kitchen")
    app.notes.rename(actor=owner, ref=bread.id, title="My bread")
    later = [gpt("c-1", "Bread, renamed there", "Rye?", "Yes.", "How long?", "An hour."), first[1]]
    report = brought_in(app, owner, later)
    assert (report.created, report.updated, report.unchanged) == (0, 1, 1)
    assert "An hour." in notes(app, owner)["Kitchen/My bread"]
    app.notes.edit(actor=owner, ref=bread.id, operation="append", content="My own remark.")
    assert brought_in(app, owner, later).kept == 1
    more = brought_in(app, owner, [gpt("c-1", "Bread", "Rye?", "No."), first[1]])
    assert [one.path for one in more.conflicts] == ["Kitchen/My bread"]
    assert "My own remark." in notes(app, owner)["Kitchen/My bread"]


def test_r4_conversations_of_one_title_stand_beside_each_other(app: Application, owner: Actor) -> None:
    made = [gpt(f"c-{n}", "New chat", f"Question {n}") for n in range(3)]
    report = brought_in(app, owner, made, folder="Elsewhere")
    assert (report.created, report.problems) == (3, [])
    assert sorted(notes(app, owner)) == [
        "Elsewhere/ChatGPT/New chat", "Elsewhere/ChatGPT/New chat (2024-05-01)", "Elsewhere/ChatGPT/New chat (c-2)",
    ]  # fmt: skip
    assert brought_in(app, owner, made, folder="Elsewhere").unchanged == 3


def test_r4_what_is_no_conversation_is_named_and_passed_over(app: Application, owner: Actor) -> None:
    odd = [
        7, None, {}, {"mapping": {}}, {"mapping": [], "id": "x"}, gpt("", "No id", "x"),
        gpt("e", "Empty"), gpt("t", "Time", "x", create_time="soon", update_time=1e300), gpt("t", "Twice", "y"),
        gpt("r", "Round", "x") | {"mapping": {"n0": {"parent": "n0", "message": {"author": 3, "content": []}}}},
        claude("k", "Odd") | {"chat_messages": [3, {"text": 4}, {"content": "x", "attachments": 5}]},
    ]  # fmt: skip
    report = brought_in(app, owner, [*odd, gpt("last", "Last", "here")])
    assert sorted(notes(app, owner)) == ["ChatGPT/Last", "ChatGPT/Time"]
    assert [one.path for one in report.problems] == ["#1", "#2", "#3", "#4", "#5", "#6", "Twice"]
    assert report.passed_over == ["Empty", "Round", "Odd"]


def test_r4_a_file_that_breaks_off_gives_what_stood_before(app: Application, owner: Actor) -> None:
    whole = json.dumps([gpt(f"c-{n}", f"Chat {n}", "x") for n in range(5)])
    report = brought_in(app, owner, whole[:-200].encode(), name="c.json")
    assert (report.created, [one.path for one in report.problems]) == (4, ["#5"])
    nested = "[" + json.dumps(gpt("deep", "Deep", "x")) + "," + "[" * 200_000
    assert [one.path for one in brought_in(app, owner, nested.encode(), name="c.json").problems] == ["#2"]
    damaged = bytearray(zipped(conversations_json=[gpt(f"d-{n}", f"Bad {n}", "x" * 5000) for n in range(200)]))
    damaged[2000] ^= 0xFF
    assert brought_in(app, owner, bytes(damaged)).problems


def test_r4_a_later_list_that_is_none_ends_the_reading_and_what_stood_before_is_reported(
    app: Application, owner: Actor
) -> None:
    first = [gpt(f"c-{n}", f"Chat {n}", "x") for n in range(3)]
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as written:
        written.writestr("conversations-000.json", json.dumps(first))
        written.writestr("conversations-001.json", "{}")
    report = brought_in(app, owner, archive.getvalue())
    assert (report.created, [one.path for one in report.problems]) == (3, ["#4"])
    assert "breaks off" in report.problems[0].reason
    assert report.deed


def test_r4_broken_json_within_a_large_file_is_told_as_such_and_not_held(
    app: Application, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("souvenance.imports.chats.files._PIECE", 1000)
    monkeypatch.setattr("souvenance.imports.chats.files.MOST_CONVERSATION", 50_000)
    rest = json.dumps([gpt(f"r-{n}", f"Rest {n}", "y" * 1000) for n in range(200)])[1:]
    for broken in ('{"title": oops, "x": 1}', '{"title" "t"}', '{"a": "\\q"}', '{"a": 1, 2}', "nul", "{'a': 1}"):
        raw = "[" + json.dumps(gpt("c-1", "First", "x")) + f", {broken}, {rest}"
        report = brought_in(app, owner, raw.encode())
        assert (report.files, [one.path for one in report.problems]) == (1, ["#2"]), broken
        assert "breaks off" in report.problems[0].reason, broken


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 64])
def test_r4_wherever_a_piece_ends_the_same_is_read(
    app: Application, owner: Actor, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    monkeypatch.setattr("souvenance.imports.chats.files._PIECE", piece)
    made = [
        gpt(
            "c-1", 'Sn\u00f6 \U0001f600 "\\', "x\n\t\u2028y", create_time=-1.5e-9, extra=[True, False, None, {}, 1e300]
        ),
        claude("u-1", "Ça", "là"),
    ]
    for number, raw in enumerate((json.dumps(made, indent=2), json.dumps(made, ensure_ascii=False))):
        report = brought_in(app, owner, raw.encode(), folder=str(number), dry_run=True)
        assert (report.files, report.problems) == (2, [])


def test_r4_a_small_archive_cannot_hold_an_endless_list(
    app: Application, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("souvenance.imports.chats.files.MOST_UNPACKED", 2_000_000)
    bomb = zipped(conversations_json=[gpt("c-1", "First", "x"), *([" " * 10_000] * 1000)])
    assert len(bomb) < 50_000
    report = brought_in(app, owner, bomb)
    assert (report.created, "GB" in report.problems[-1].reason) == (1, True)
    monkeypatch.setattr("souvenance.imports.chats.files.MOST_CONVERSATION", 100_000)
    report = brought_in(app, owner, [gpt("c-2", "Huge", "x" * 900_000)])
    assert (report.created, "One conversation is over" in report.problems[-1].reason) == (0, True)


def test_r4_faults_without_end_are_counted_and_a_file_of_nothing_else_is_refused(
    app: Application, owner: Actor
) -> None:
    good = gpt("c-1", "First", "x")
    steps: list[int] = []
    report = brought_in(app, owner, [good, *[0] * 25_000], progress=lambda done, _: steps.append(done))
    assert (report.created, len(report.problems), len(steps)) == (1, 1001, 2)
    assert report.problems[-1].reason == "not named here: 24,000 more"
    stopped = brought_in(app, owner, [good, *[0] * 25_000, gpt("c-2", "Second", "x")], stop=lambda: True)
    assert (stopped.stopped, stopped.problems[-1].reason) == (True, "not named here: 9,000 more")
    empty = brought_in(app, owner, [gpt(f"e-{n}", "Empty") for n in range(1500)])
    assert (len(empty.passed_over), empty.passed_over.total) == (1000, 1500)
    with pytest.raises(InvalidInput, match="no export"):
        brought_in(app, owner, b"[" + b"0," * 20_000)


@pytest.mark.parametrize(
    "raw", [b"", b"PK\x03\x04nonsense", b"{}", b"nothing", zipped(other_json=[]), zipped(conversations_json={"a": 1})]
)
def test_r4_files_that_are_no_export_are_refused(app: Application, owner: Actor, raw: bytes) -> None:
    with pytest.raises(InvalidInput):
        brought_in(app, owner, raw)


def test_r4_numbered_lists_are_read_in_order(app: Application, owner: Actor) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as written:
        for number in (1, 0):
            written.writestr(f"conversations-00{number}.json", json.dumps([gpt(f"c-{number}", f"Part {number}", "x")]))
    report = brought_in(app, owner, archive.getvalue())
    assert (report.files, sorted(notes(app, owner))) == (2, ["ChatGPT/Part 0", "ChatGPT/Part 1"])


def test_r4_a_look_first_writes_nothing_and_secrets_are_told(app: Application, owner: Actor) -> None:
    made = [gpt("c-1", "Keys", "My password is hunter2secret!", "Noted.")]
    look = brought_in(app, owner, made, dry_run=True)
    assert (look.created, look.deed, [one.path for one in look.warnings]) == (1, "", ["ChatGPT/Keys"])
    assert notes(app, owner) == {}
    with pytest.raises(NotAllowed):
        brought_in(app, replace(owner, is_model=True), made)


def test_r4_an_import_is_stopped_between_batches_and_taken_back_together(
    app: Application, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("souvenance.imports.chats.imports.BATCH", 2)
    made = [gpt(f"c-{n}", f"Chat {n}", "x") for n in range(5)]
    steps: list[tuple[int, int]] = []
    report = brought_in(
        app, owner, made, stop=lambda: len(steps) == 1, progress=lambda done, total: steps.append((done, total))
    )
    assert (report.created, report.stopped, len(steps)) == (2, True, 1)
    assert steps[0][0] <= steps[0][1] == report.bytes
    rest = brought_in(app, owner, made)
    assert (rest.created, rest.unchanged) == (3, 2)
    assert rest.begun is not None
    undone = app.history.revert(actor=owner, agent=rest.deed, since=rest.begun)
    assert (len(undone.reverted), undone.conflicts) == (3, ())
    assert len(notes(app, owner)) == 2
