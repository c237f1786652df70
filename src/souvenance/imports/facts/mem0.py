"""The memories of mem0 as facts: what its `get_all` answers, in the library and on its platform (R4).

A list, or an object that holds one under `results`; each memory has `memory`, `created_at`, `updated_at` and, where
it has them, `metadata`, `categories`, `expiration_date`, and whose it is (`user_id`, `agent_id`).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from souvenance.domain.fact import SubjectKind
from souvenance.imports.facts.lines import require_room
from souvenance.imports.facts.records import FactFile, Remark

KNOWN = {
    "id", "memory", "hash", "metadata", "score", "created_at", "updated_at", "user_id", "agent_id", "app_id", "run_id",
    "actor_id", "role", "categories", "expiration_date", "immutable", "owner", "organization", "input", "event",
    "structured_attributes", "score_details",
}  # fmt: skip
"""What a memory may say; more of it is named as left out."""
EXPIRED = "expired in mem0"
_TAKEN = ("category", "key", "confidence", "importance", "author", "language")


def is_mem0(value: Any) -> bool:
    """Whether a JSON value is an export of mem0, by its first memory."""
    items = memories(value)
    return bool(items) and isinstance(items[0], Mapping) and "memory" in items[0] and "content" not in items[0]


def memories(value: Any) -> list[Any]:
    """The memories of an export, whichever way it is wrapped; none where it is no such thing."""
    if isinstance(value, Mapping):
        value = next((value[name] for name in ("results", "memories") if isinstance(value.get(name), list)), None)
    return value if isinstance(value, list) else []


def read_mem0(value: Any, found: FactFile, *, now: datetime) -> None:
    """Memories into `found`, each counted as a line from 1."""
    for line, item in enumerate(memories(value), 1):
        if not isinstance(item, Mapping) or not isinstance(item.get("memory"), str):
            found.reject(Remark(line, "it is no memory of mem0"))
            continue
        require_room(found)
        found.meet(str(name) for name in item if name not in KNOWN)
        found.take(_values(item, line, found), line=line, now=now)


def _values(item: Mapping[str, Any], line: int, found: FactFile) -> dict[str, Any]:
    metadata = item.get("metadata")
    values: dict[str, Any] = {}
    if isinstance(metadata, Mapping):
        for name, value in metadata.items():
            if name in _TAKEN:
                values[name] = value
            else:
                found.meet([f"metadata.{name}"])
    given = item.get("categories")
    several = given if isinstance(given, list) else [given]
    categories = [one for one in several if isinstance(one, str) and one.strip()]
    if categories:
        values.setdefault("category", categories[0])
        if len(categories) > 1:
            found.warnings.append(Remark(line, "it stood in several categories; the first was kept"))
    values |= {"content": item["memory"], "created_at": item.get("created_at"), "updated_at": item.get("updated_at")}
    user = item.get("user_id")
    if isinstance(user, str) and user.strip():
        values |= {"subject_kind": SubjectKind.MEMBER, "subject_id": user}
    if isinstance(item.get("actor_id"), str):
        values.setdefault("author", item["actor_id"])
    until = item.get("expiration_date")
    if isinstance(until, str) and until:
        values |= {"valid_to": until, "reason": EXPIRED}
    return values
