"""Other memories beside this one, on the same folder, with the same vectors, in one run.

    python bench/peers/run.py FOLDER [--sizes 10000,100000] [--mem0-size 65000] [--limit-queries N] [--cache DIR]

Each peer runs in an environment of its own, made on demand under --environments (a cache folder) from the pinned
requirements beside this file; only that needs a network. Vectors come from the bundled model once and are handed to
all (mem0: `infer` off, its default store kept on disk in its process, no telemetry). Prints JSON: `recall` on the
folder for `souvenance`, `chromadb` and `mem0`, then `speed` at each size, of invented facts with stand-in vectors.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
import recall
import speed
from measuring import ScatteredEmbedder, chosen_embedder, evenly, machine, percentiles, read_lines, recall_figures

from souvenance import Souvenance
from souvenance.models.embedder import Embedder
from souvenance.store.vectors import layout

HERE = Path(__file__).resolve().parent
PEERS = ("chromadb", "mem0")
SEARCHES = 50


def python_of(peer: str, environments: Path) -> Path:
    """The interpreter of a peer's environment, made when it is not there yet."""
    folder = environments / peer
    interpreter = folder / "bin" / "python"
    stamp = folder / "made"
    wanted = (HERE / f"requirements-{peer}.txt").read_text()
    if not stamp.exists() or stamp.read_text() != wanted:
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        install = [str(interpreter), "-m", "pip", "install", "--quiet", "--requirement"]
        subprocess.run([*install, str(HERE / f"requirements-{peer}.txt")], check=True, stdout=sys.stderr)
        stamp.write_text(wanted)
    return interpreter


def run_peer(
    peer: str,
    environments: Path,
    *,
    texts: list[list[str]],
    vectors: list[Any],
    queries: list[tuple[int, str]],
    query_vectors: Any,
) -> dict[str, Any]:
    """Load collections of texts and ask; what each query found, as places in its collection, and the times."""
    interpreter = python_of(peer, environments)
    with tempfile.TemporaryDirectory(prefix="souvenance-peer-") as name:
        folder = Path(name)
        (folder / "work.json").write_text(json.dumps({"texts": texts, "queries": queries}))
        np.savez(folder / "vectors.npz", queries=query_vectors, **{f"c{i}": one for i, one in enumerate(vectors)})
        command = [str(interpreter), str(HERE / f"peer_{peer}.py"), str(folder)]
        subprocess.run(command, check=True, stdout=sys.stderr)
        found: dict[str, Any] = json.loads((folder / "found.json").read_text())
        return found


def times(found: dict[str, Any], count: int) -> dict[str, Any]:
    shown = percentiles(found["milliseconds"])
    return {
        "version": found["version"],
        "facts": count,
        "ingest_per_second": round(count / found["ingest_seconds"], 1),
        "p50_ms": shown["p50"],
        "p95_ms": shown["p95"],
    }


def on_folder(folder: Path, embedder: Embedder, limit: int | None, environments: Path, peers: list[str]) -> Any:
    """Recall of everyone on the labelled folder; times are without the query's vector."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for document in read_lines(folder / "documents.jsonl"):
        groups[document["group"]].append(document)
    queries = [query for query in evenly(read_lines(folder / "queries.jsonl"), limit) if query["expected"]]
    names = list(groups)
    texts = [[_laid_out(document) for document in groups[name]] for name in names]
    vectors = [embedder.embed_passages(one) for one in texts]
    asked = [(names.index(query["group"]), query["text"]) for query in queries]
    query_vectors = np.stack([embedder.embed_query(text) for _, text in asked])
    result: dict[str, Any] = {"souvenance": _own(groups, queries, embedder)}
    for peer in peers:
        found = run_peer(peer, environments, texts=texts, vectors=vectors, queries=asked, query_vectors=query_vectors)
        ranks = []
        for query, places in zip(queries, found["places"], strict=True):
            ids = [groups[query["group"]][place]["id"] for place in places]
            ranks.append([ids.index(one) if one in ids else None for one in query["expected"]])
        result[peer] = recall_figures(ranks) | times(found, sum(map(len, texts)))
    return result


def _laid_out(document: dict[str, Any]) -> str:
    said = recall.observation(document)
    return layout(heading=said.key, text=said.content, speaker=said.author, is_fact=True)


def _own(groups: dict[str, list[dict[str, Any]]], queries: list[dict[str, Any]], embedder: Embedder) -> dict[str, Any]:
    with (
        tempfile.TemporaryDirectory(prefix="souvenance-bench-") as data,
        Souvenance(data, embedder=embedder, background=False) as memory,
    ):
        kept = {group: [recall.observation(one) for one in documents] for group, documents in groups.items()}
        numbers, ingest = recall.load(memory, groups, kept)
        memory.wait_until_embedded()
        found = recall.section(memory, queries, numbers, "hybrid", group_name="group", embedding={})
    return found | {"ingest_per_second": ingest["per_second"], "facts": ingest["documents"]}


def at_size(count: int, environments: Path, peers: list[str]) -> dict[str, Any]:
    """Ingest and search of everyone on the same invented facts with the same stand-in vectors."""
    words = speed.vocabulary()
    embedder = ScatteredEmbedder()
    observed = [item for batch in speed.facts(count, words) for item in batch]
    asked = speed.queries(words, SEARCHES)["mixed"]
    result: dict[str, Any] = {}
    with (
        tempfile.TemporaryDirectory(prefix="souvenance-bench-") as data,
        Souvenance(data, embedder=embedder, background=False) as memory,
    ):
        started = time.perf_counter()
        memory.remember_many(observed, vault=speed.VAULT)
        seconds = time.perf_counter() - started
        memory.wait_until_embedded()
        memory.search(asked[0], vault=speed.VAULT)
        result["souvenance"] = {"facts": count, "ingest_per_second": round(count / seconds, 1)}
        result["souvenance"] |= speed.search(memory, asked, "hybrid")
    texts = [item.content for item in observed]
    vectors = embedder.embed_passages(texts)
    for peer in peers:
        found = run_peer(
            peer,
            environments,
            texts=[texts],
            vectors=[vectors],
            queries=[(0, text) for text in asked],
            query_vectors=embedder.embed_passages(asked),
        )
        result[peer] = times(found, count)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sizes", default="10000", help="facts, several separated by commas")
    parser.add_argument("--mem0-size", type=int, default=65000, help="mem0 is left out above this many facts")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--limit-queries", type=int)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--embedder", choices=("local", "scattered"), default="local")
    parser.add_argument("--environments", type=Path, default=Path("~/.cache/souvenance-bench").expanduser())
    options = parser.parse_args()
    peers = [peer for peer in options.peers.split(",") if peer in PEERS]
    embedder = chosen_embedder(options.embedder, options.cache)
    assert embedder is not None
    result: dict[str, Any] = {
        "machine": machine(),
        "recall": on_folder(options.folder, embedder, options.limit_queries, options.environments, peers),
        "speed": {},
    }
    for size in [int(one) for one in options.sizes.split(",") if one]:
        here = [peer for peer in peers if peer != "mem0" or size <= options.mem0_size]
        result["speed"][str(size)] = at_size(size, options.environments, here)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
