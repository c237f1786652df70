"""Each bench runs on a small made-up folder and prints what docs/benchmarks.md promises."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).parents[2] / "bench"
FACTS = (
    ("k1", "café", "The café opens at eight on Mondays."),
    ("k2", "parking", "Le parking du stade est gratuit le dimanche."),
    ("k3", "printer", "The printer on the second floor needs magenta ink."),
)
QUERIES = (
    ("q1", "when does the café open", ["k1"], "same_words"),
    ("q2", "magenta ink printer", ["k3"], "same_words"),
    ("q3", "submarine volcano", [], "negative"),
)


def run(script: str, *arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, str(BENCH / script), *arguments], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    documents = [
        {"id": name, "group": "club", "lang": "en", "title": key, "text": text, "author": "Ana", "session": 1}
        for name, key, text in FACTS
    ]
    facts = [
        {"id": name, "vault": "club", "lang": "en", "key": key, "content": text, "subject_kind": "vault"}
        for name, key, text in FACTS
    ]
    write(tmp_path / "documents.jsonl", documents)
    write(tmp_path / "facts.jsonl", facts)
    queries = [
        {"id": name, "group": "club", "vault": "club", "lang": "en", "text": text, "expected": expected, "kind": kind}
        for name, text, expected, kind in QUERIES
    ]
    write(tmp_path / "queries.jsonl", queries)
    return tmp_path


def test_recall_prints_each_matcher_and_finds_what_answers(folder: Path) -> None:
    printed = run("recall.py", str(folder), "--embedder", "scattered")
    assert printed["ingest_per_second"] > 0
    for matcher in ("words", "vectors", "hybrid"):
        section = printed[matcher]
        assert section["ran"] == {matcher: 3}
        assert {"recall@5", "recall@10", "recall@20", "mrr", "p50_ms", "p95_ms"} <= section.keys()
        assert {"p50_ms_with_embedding", "p95_ms_with_embedding"} <= section.keys()
        assert section["by_kind"]["same_words"]["queries"] == 2
    assert printed["words"]["recall@5"] == 1.0
    assert printed["words"]["mrr"] == 1.0


def test_recall_asks_no_more_queries_than_it_is_told(folder: Path) -> None:
    printed = run("recall.py", str(folder), "--embedder", "none", "--limit-queries", "1")
    assert printed["words"]["queries"] == 1
    assert "vectors" not in printed


def test_memory_tells_answered_from_negative(folder: Path) -> None:
    printed = run("memory.py", str(folder), "--embedder", "none")
    assert printed["negatives"] == 1
    assert printed["words"]["recall@5"] == 1.0
    assert printed["words"]["confidence_auc"] == 1.0
    assert printed["words"]["said"]["negative"] == {"none": 1}


def test_speed_measures_writing_searching_and_starting() -> None:
    printed = run("speed.py", "--facts", "300", "--queries", "3")
    assert printed["ingest"]["per_second"] > 0
    for matcher in ("words", "hybrid"):
        assert printed[matcher].keys() == {"common", "rare", "mixed"}
        assert all(0 < times["p50_ms"] <= times["p95_ms"] for times in printed[matcher].values())
    assert printed["start"]["mcp_tools_list_s"] > 0
    assert printed["peak_memory_mb"] > 0


def test_ranked_sets_the_three_weights_against_recency_alone(folder: Path) -> None:
    printed = run("ranked.py", str(folder), "--embedder", "none", "--max-injected", "1")
    assert printed["queries"] == 2
    assert printed["ranked"]["hit"] == 1.0
    assert printed["recency"]["hit"] == 0.5
    assert printed["ranked"]["hit_by_kind"] == {"same_words": 1.0}
    assert set(printed["ranked_by_weights"]) >= {"equal", "only_relevance"}


def test_exchange_measures_overhead_streams_and_what_memory_answers_alone(folder: Path) -> None:
    sizes = ("--facts", "200", "--questions", "4", "--streams", "3", "--embedder", "none")
    printed = run("exchange.py", str(folder), *sizes)
    assert printed["without_model"]["answered"] == 1.0
    assert printed["overhead"]["semantic_kept"]["p50"] > 0
    assert printed["streams"]["streams"] == 3
    assert max(printed["instructions"]["fr"].values()) < 300
