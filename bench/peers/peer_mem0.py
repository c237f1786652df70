"""mem0's side of `run.py`: reads FOLDER/work.json and vectors.npz, writes FOLDER/found.json. No model is asked."""

import json
import os
import sys
import time
from importlib.metadata import version
from pathlib import Path

folder = Path(sys.argv[1])
os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=str(folder / "mem0"), OPENAI_API_KEY="none")

import numpy as np  # noqa: E402 - the settings above must be there first
from mem0 import Memory  # noqa: E402

FIRST = 20

work = json.loads((folder / "work.json").read_text())
vectors = np.load(folder / "vectors.npz")
by_text = {}
for at, texts in enumerate(work["texts"]):
    by_text.update(zip(map(str.strip, texts), vectors[f"c{at}"], strict=True))
queries = {text.strip(): vector for (_, text), vector in zip(work["queries"], vectors["queries"], strict=True)}


class Known:
    """An embedder that has every vector already."""

    def embed(self, text, memory_action=None):
        first, second = (queries, by_text) if memory_action == "search" else (by_text, queries)
        text = text.strip()
        return (first[text] if text in first else second[text]).tolist()

    def embed_batch(self, texts, memory_action=None):
        return [self.embed(text, memory_action) for text in texts]


memory = Memory.from_config(
    {
        "vector_store": {
            "provider": "qdrant",  # its default, kept on disk in this process
            "config": {
                "collection_name": "bench",
                "path": str(folder / "qdrant"),
                "embedding_model_dims": vectors["queries"].shape[1],
                "on_disk": True,
            },
        },
        "history_db_path": str(folder / "history.db"),
    }
)
memory.embedding_model = Known()
place_of = {}
started = time.perf_counter()
for at, texts in enumerate(work["texts"]):
    for place, text in enumerate(texts):
        made = memory.add(text, user_id=f"user-{at}", infer=False)["results"]
        place_of.update({one["id"]: place for one in made})
seconds = time.perf_counter() - started
places, milliseconds = [], []
for at, text in work["queries"]:
    started = time.perf_counter()
    try:
        found = memory.search(text, filters={"user_id": f"user-{at}"}, top_k=FIRST, threshold=0.0)["results"]
    except TypeError:  # an older one
        found = memory.search(text, user_id=f"user-{at}", limit=FIRST)["results"]
    milliseconds.append(1000 * (time.perf_counter() - started))
    places.append([place_of[one["id"]] for one in found if one["id"] in place_of])
result = {"version": version("mem0ai"), "ingest_seconds": seconds, "places": places, "milliseconds": milliseconds}
(folder / "found.json").write_text(json.dumps(result))
