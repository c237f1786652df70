"""chromadb's side of `run.py`: reads FOLDER/work.json and vectors.npz, writes FOLDER/found.json."""

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import chromadb
import numpy as np

BATCH = 5000
FIRST = 20

folder = Path(sys.argv[1])
work = json.loads((folder / "work.json").read_text())
vectors = np.load(folder / "vectors.npz")
client = chromadb.PersistentClient(path=str(folder / "store"), settings=chromadb.Settings(anonymized_telemetry=False))
collections = [
    client.create_collection(f"collection-{at}", metadata={"hnsw:space": "cosine"}, embedding_function=None)
    for at in range(len(work["texts"]))
]
started = time.perf_counter()
for at, texts in enumerate(work["texts"]):
    rows = vectors[f"c{at}"]
    for start in range(0, len(texts), BATCH):
        end = min(start + BATCH, len(texts))
        collections[at].add(
            ids=[str(place) for place in range(start, end)], documents=texts[start:end], embeddings=rows[start:end]
        )
seconds = time.perf_counter() - started
places, milliseconds = [], []
for (at, _), vector in zip(work["queries"], vectors["queries"], strict=True):
    started = time.perf_counter()
    found = collections[at].query(query_embeddings=vector[None], n_results=min(FIRST, len(work["texts"][at])))
    milliseconds.append(1000 * (time.perf_counter() - started))
    places.append([int(one) for one in found["ids"][0]])
result = {"version": version("chromadb"), "ingest_seconds": seconds, "places": places, "milliseconds": milliseconds}
(folder / "found.json").write_text(json.dumps(result))
