"""What changed between two revisions, as a few lines that read well in a terminal, in JSON and to a model (N9).

Wordings are shown as in a unified diff: `- ` what was, `+ ` what is, two lines around in a longer text. Of two long
lines that share most of their words only the part that differs is shown, between `…`. Everything else is one line
per property: `confidence: 0.9 → 0.6`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

MOST_LINES = 400
"""Lines of a diff that are shown; what is left out is counted."""

_LONG_LINE = 160
_AROUND = 40
_MOST_COMPARED = 4_000_000
_FACT_PROPERTIES = ("key", "confidence", "importance", "category", "subject_kind", "subject_id", "channel", "author",
                    "language", "said_at", "disabled")  # fmt: skip
_NOTE_PROPERTIES = ("folder", "title", "category", "digest", "muted", "disabled")
_DEFAULTS = {"confidence": 1.0, "subject_kind": "vault", "disabled": False, "muted": False}


def fact_diff(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> str:
    """What changed in a fact, from the values two of its revisions keep; all of it where it is new."""
    lines = text_lines(str(before["content"]) if before else "", str(after["content"]))
    lines += _properties(before, after, _FACT_PROPERTIES)
    if (was := _state(before)) != (now := _state(after)) and (before or now != "in force"):
        lines.append(f"state: {was or 'none'} → {now}")
    if before and not lines and before.get("position") != after.get("position"):
        lines.append("moved on its page")
    return "\n".join(lines)


def note_diff(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> str:
    """What changed in a note, from the values two of its revisions keep; all of it where it is new."""
    lines = _properties(before, after, _NOTE_PROPERTIES if before else ("digest", "muted"))
    was, now = (dict((state or {}).get("front_matter", {})) for state in (before, after))
    lines += [f"{name}: {_shown(was.get(name))} → {_shown(now.get(name))}" for name in sorted({*was, *now})
              if was.get(name) != now.get(name)]  # fmt: skip
    if bool((before or {}).get("deleted_at")) != bool(after.get("deleted_at")):
        lines.append("state: in force → trash" if after.get("deleted_at") else "state: trash → in force")
    lines += text_lines(str((before or {}).get("content", "")), str(after.get("content", "")))
    return "\n".join(lines)


def text_lines(before: str, after: str) -> list[str]:
    """The lines of a diff between two texts; none where they are the same."""
    if before == after:
        return []
    old, new = (text.removesuffix("\n").split("\n") if text else [] for text in (before, after))
    shown = list(_compared(old, new)) or ["the line break at its end"]
    if len(shown) > MOST_LINES:
        left = len(shown) - MOST_LINES
        shown = [*shown[:MOST_LINES], f"… {left:,} more lines of this change; the text of each revision has them all"]
    return shown


def _compared(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    if len(old) * len(new) > _MOST_COMPARED:
        start = 0
        while start < min(len(old), len(new)) and old[start] == new[start]:
            start += 1
        end = 0
        while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
            end += 1
        yield f"@@ line {start + 1}"
        yield from _replaced(old[start : len(old) - end], new[start : len(new) - end])
        return
    groups = list(SequenceMatcher(None, old, new).get_grouped_opcodes(2))
    for group in groups:
        if len(groups) > 1 or group[0][1] > 0:
            yield f"@@ line {group[0][3] + 1}"
        for tag, start, end, new_start, new_end in group:
            if tag == "equal":
                yield from (f"  {line}".rstrip() for line in old[start:end])
            else:
                yield from _replaced(old[start:end], new[new_start:new_end])


def _replaced(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    if len(old) == len(new):
        for was, now in zip(old, new, strict=True):
            shorter_was, shorter_now = _focused(was, now)
            yield f"- {shorter_was}".rstrip()
            yield f"+ {shorter_now}".rstrip()
        return
    yield from (f"- {line}".rstrip() for line in old)
    yield from (f"+ {line}".rstrip() for line in new)


def _focused(was: str, now: str) -> tuple[str, str]:
    """Two long lines cut down to where they differ, whole words kept on both sides."""
    if min(len(was), len(now)) < _LONG_LINE:
        return was, now
    shortest = min(len(was), len(now))
    start = next((place for place in range(shortest) if was[place] != now[place]), shortest)
    end = next((place for place in range(shortest - start) if was[-1 - place] != now[-1 - place]), shortest - start)
    start = max(0, start - _AROUND)
    start = was.rfind(" ", 0, start) + 1 if start else 0
    end = max(0, end - _AROUND)
    if end:
        space = was.find(" ", len(was) - end)
        end = len(was) - space if space >= 0 else 0
    if start + end < shortest // 3:
        return was, now
    before, after = "…" if start else "", "…" if end else ""
    return tuple(f"{before}{line[start : len(line) - end]}{after}" for line in (was, now))  # type: ignore[return-value]


def _properties(before: Mapping[str, Any] | None, after: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    changed = [(name, _value(before or {}, name), _value(after, name)) for name in names]
    told = [(name.replace("_", " "), was, now) for name, was, now in changed if was != now]
    return [f"{name}: {_shown(was)} → {_shown(now)}" if before else f"{name}: {_shown(now)}" for name, was, now in told]


def _value(state: Mapping[str, Any], name: str) -> Any:
    value = state.get(name, _DEFAULTS.get(name))
    return None if value is False or value == "" else value


def _shown(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(one, str | int | float) for one in value):
        return ", ".join(str(one) for one in value)
    return "none" if value is None else str(value)


def _state(values: Mapping[str, Any] | None) -> str:
    if values is None:
        return ""
    if values.get("deleted_at"):
        return "trash"
    if not values.get("valid_to"):
        return "in force"
    reason = f" ({values['reason']})" if values.get("reason") else ""
    return f"retired{reason}" + (f", replaced by #{values['replaced_by']}" if values.get("replaced_by") else "")
