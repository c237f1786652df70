"""How fast one vault of many facts is: writing, searching by words and by both, memory, and starting.

    python bench/speed.py --facts 100000 [--store sqlite|postgresql://...] [--data FOLDER] [--queries 100]

makes that many facts of invented words whose frequencies follow Zipf's law (the commonest stands in most facts), keeps
them through the library in batches, durably, and prints JSON. Vectors are stand-ins that mean nothing
(`vectors: scattered`), so that a million of them need no model; the query's own vector is never in the times. With
--data the store stays there, and a second run measures the same store again without writing it.

`common` queries are made of the twelve commonest words, `rare` ones of two rare words, `mixed` ones of eight words as
they come. Times are wall times per search; `cpu` is processor time of this process per search.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measuring import ScatteredEmbedder, held_megabytes, machine, peak_megabytes, percentiles

from souvenance import Souvenance
from souvenance.memory.remember import Observation

VAULT = "bench"
BATCH = 10_000
WORDS = 30_000


def vocabulary() -> list[str]:
    """Invented words, none of them a function word of a known language."""
    chance = random.Random(11)
    starts = [a + b for a in "bdfgkmnprstvz" for b in "aeiou"]
    made: dict[str, None] = {}
    while len(made) < WORDS:
        made["".join(chance.choices(starts, k=chance.choice((2, 3, 3, 4)))) + chance.choice("kmprz")] = None
    return list(made)


def facts(count: int, words: list[str]) -> Iterator[list[Observation]]:
    """Batches of distinct facts of 8 to 24 words."""
    chance = random.Random(5)
    total, weights = 0.0, []
    for rank in range(1, len(words) + 1):
        total += 1 / rank
        weights.append(total)
    for start in range(0, count, BATCH):
        numbers = range(start, min(start + BATCH, count))
        yield [
            Observation(
                content=" ".join(chance.choices(words, cum_weights=weights, k=chance.randint(8, 24))) + f" {number}",
                key=f"{words[number % 500]}_{words[number % 311]}",
                category=f"subject {number % 200}",
                language="en",
            )
            for number in numbers
        ]


def queries(words: list[str], count: int) -> dict[str, list[str]]:
    chance = random.Random(3)
    ranks = [1 / rank for rank in range(1, len(words) + 1)]
    commonest = words[:12]
    return {
        "common": [" ".join(chance.sample(commonest, 12)) for _ in range(count)],
        "rare": [" ".join(chance.sample(words[2000:], 2)) for _ in range(count)],
        "mixed": [" ".join(dict.fromkeys(chance.choices(words, weights=ranks, k=8))) for _ in range(count)],
    }


def tell(what: str) -> None:
    """Progress, beside the JSON: a million facts take the better part of an hour."""
    print(time.strftime("%H:%M:%S"), what, file=sys.stderr, flush=True)


def ingest(memory: Souvenance, count: int, words: list[str]) -> dict[str, Any]:
    spent = cpu = 0.0
    slowest = 0.0
    for batch in facts(count, words):
        started, used = time.perf_counter(), time.process_time()
        memory.remember_many(batch, vault=VAULT)
        took = time.perf_counter() - started
        spent, cpu, slowest = spent + took, cpu + time.process_time() - used, max(slowest, took)
        tell(f"{len(batch)} facts in {took:.1f} s")
    return {
        "facts": count,
        "batch": BATCH,
        "seconds": round(spent, 2),
        "per_second": round(count / spent, 1),
        "per_cpu_second": round(count / cpu, 1),
        "slowest_batch_per_second": round(min(BATCH, count) / slowest, 1),
    }


def search(memory: Souvenance, asked: list[str], matcher: str) -> dict[str, Any]:
    wall, cpu = [], []
    for text in asked:
        if matcher != "words":
            memory.application.embedding.embed_query(text)
        started, used = time.perf_counter(), time.process_time()
        memory.search(text, vault=VAULT, limit=10, matcher=matcher)  # type: ignore[arg-type]
        cpu.append(1000 * (time.process_time() - used))
        wall.append(1000 * (time.perf_counter() - started))
    shown = percentiles(wall)
    return {"p50_ms": shown["p50"], "p95_ms": shown["p95"], "cpu_p50_ms": percentiles(cpu)["p50"]}


def start_up(arguments: list[str], environment: dict[str, str]) -> dict[str, float]:
    """Seconds from the start of a process to its first answer: a search on the command line, the tools over MCP."""
    command = [sys.executable, "-m", "souvenance", *arguments]
    started = time.perf_counter()
    subprocess.run(
        [*command, "search", "--vault", VAULT, "bakam"], env=environment, check=True, stdout=subprocess.DEVNULL
    )
    searched = time.perf_counter() - started
    started = time.perf_counter()
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    with subprocess.Popen([*command, "mcp"], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for line in (
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        ):
            server.stdin.write(json.dumps(line).encode() + b"\n")
        server.stdin.flush()
        listed = _answered(server.stdout.fileno(), b'"id":2', started + 60)
        server.stdin.close()
    return {"command_line_search_s": round(searched, 3), "mcp_tools_list_s": round(listed - started, 3)}


def _answered(reads: int, wanted: bytes, deadline: float) -> float:
    seen = b""
    while wanted not in seen.replace(b" ", b""):
        if not select.select([reads], [], [], max(0.0, deadline - time.perf_counter()))[0]:
            raise SystemExit("The MCP server did not answer.")
        chunk = os.read(reads, 65536)
        if not chunk:
            raise SystemExit("The MCP server ended.")
        seen += chunk
    return time.perf_counter()


def first_search(places: dict[str, Any]) -> dict[str, float]:
    """Seconds that opening and the first search of each kind take, in a process that has it all imported."""
    started = time.perf_counter()
    with Souvenance(**places, embedder=ScatteredEmbedder(), background=False) as memory:
        opened = time.perf_counter()
        memory.search("bakam", vault=VAULT, matcher="words")
        by_words = time.perf_counter()
        memory.search("bakam", vault=VAULT)
        return {
            "open_s": round(opened - started, 3),
            "first_words_s": round(by_words - opened, 3),
            "first_hybrid_s": round(time.perf_counter() - by_words, 3),
        }


def measure(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    url = None if options.store == "sqlite" else options.store
    places: dict[str, Any] = {"data": folder} if url is None else {"database_url": url}
    words = vocabulary()
    result: dict[str, Any] = {
        "facts": options.facts,
        "store": "sqlite" if url is None else "postgresql",
        "vectors": "scattered: deterministic stand-ins of 384 dimensions, no model",
        "machine": machine(),
    }
    with Souvenance(**places, embedder=ScatteredEmbedder(), background=False) as memory:
        if not memory.vaults or VAULT not in {vault.slug for vault in memory.vaults}:
            result["ingest"] = ingest(memory, options.facts, words)
        result["memory_after_ingest_mb"] = held_megabytes()
        tell("searching by words")
        asked = queries(words, options.queries)
        for text in asked["mixed"][:20]:
            memory.search(text, vault=VAULT, limit=10, matcher="words")
        result["words"] = {kind: search(memory, texts, "words") for kind, texts in asked.items()}
        if not options.no_vectors:
            tell("keeping vectors")
            started = time.perf_counter()
            memory.wait_until_embedded()
            result["vectors_kept_s"] = round(time.perf_counter() - started, 1)
            tell("searching by both")
            for text in asked["mixed"][:20]:
                memory.search(text, vault=VAULT, limit=10)
            result["hybrid"] = {kind: search(memory, texts, "hybrid") for kind, texts in asked.items()}
        result["memory_mb"] = held_megabytes()
        result["peak_memory_mb"] = peak_megabytes()
    tell("starting anew")
    result["start"] = first_search(places)
    if not options.no_start:
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent / "src")}
        environment |= {"SOUVENANCE_EMBEDDER": "none"}
        result["start"] |= start_up(["--data", str(folder)] if url is None else ["--database-url", url], environment)
    if url is None:
        result["file_mb"] = round(sum(item.stat().st_size for item in folder.iterdir() if item.is_file()) / 2**20, 1)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", type=int, default=100_000, help="how many, up to 1,000,000")
    parser.add_argument("--store", default="sqlite", help="`sqlite` or the URL of an empty PostgreSQL database")
    parser.add_argument("--data", type=Path, help="keep the store in this folder and use it again")
    parser.add_argument("--queries", type=int, default=100, help="of each kind")
    parser.add_argument("--no-vectors", action="store_true", help="words only")
    parser.add_argument("--no-start", action="store_true", help="start no further process")
    options = parser.parse_args()
    if not 1 <= options.facts <= 1_000_000:
        raise SystemExit("--facts is from 1 to 1,000,000.")
    if options.data is not None:
        print(json.dumps(measure(options, options.data), indent=1))
        return
    folder = Path(tempfile.mkdtemp(prefix="souvenance-bench-"))
    try:
        print(json.dumps(measure(options, folder), indent=1))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
