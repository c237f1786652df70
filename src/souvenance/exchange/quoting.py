"""Memory inside a prompt: quoted line by line, unable to pose as anything else, and known again (C1, CASES 24).

Every stored line stands behind `> `, between two marks. What in it could be taken for a turn of the conversation, a
request to memory or the marks themselves is broken, so that it reads the same and works no more.
"""

from __future__ import annotations

import json
import re

from souvenance.exchange.requests import WORDS, plain_letters

BEGIN = "\N{MATHEMATICAL LEFT WHITE SQUARE BRACKET}memory\N{MATHEMATICAL RIGHT WHITE SQUARE BRACKET}"
END = "\N{MATHEMATICAL LEFT WHITE SQUARE BRACKET}/memory\N{MATHEMATICAL RIGHT WHITE SQUARE BRACKET}"
MARK = "> "

_BETWEEN = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END) + r"\n?", re.DOTALL)
_FRAMES = re.compile(
    r"<\||\|>|\[/?INST\]|<</?SYS>>|</?s>|<(?:start|end)_of_turn>|</?(?:system|assistant|user|human)>", re.IGNORECASE
)
_VERBS = "|".join(sorted(map(re.escape, WORDS), key=len, reverse=True))
_REQUESTS = re.compile(rf"(<<|«|\[\[|<|\[)(?=[\s*_`:]*(?:{_VERBS})(?![^\W_]))")
_ANGLE = "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}"
_BROKEN = {"<<": _ANGLE * 2, "«": _ANGLE, "[[": "((", "<": _ANGLE, "[": "("}
_HIDDEN = re.compile("[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
"""Control characters, those that turn the direction of text, and tags that no reader sees."""


def neutral(text: str) -> str:
    """Text that reads the same and is neither a frame of a conversation nor a request nor a mark of ours."""
    text = _HIDDEN.sub("", text.replace("\r\n", "\n"))
    text = text.replace(BEGIN[0], "[").replace(BEGIN[-1], "]")
    text = _FRAMES.sub(lambda found: f"{found[0][0]} {found[0][1:]}", text)
    if not any(mark in text for mark in "<[«"):
        return text
    parts, at = [], 0
    for found in _REQUESTS.finditer(plain_letters(text)):
        parts += [text[at : found.start()], _BROKEN[found[1]]]
        at = found.end()
    return "".join([*parts, text[at:]])


def quoted(text: str) -> str:
    """Stored text as a quotation, whatever character separates its lines."""
    return "\n".join((MARK + line).rstrip() for line in neutral(text).splitlines()) or MARK.rstrip()


def inline(text: str) -> str:
    """A stored label within a line of our own: in quotes that it cannot close by itself."""
    return json.dumps(" ".join(neutral(text).split()), ensure_ascii=False)


def marked(text: str) -> str:
    """A block of memory between its marks."""
    return f"{BEGIN}\n{text}\n{END}\n"


def without_memory(text: str) -> str:
    """A text without the blocks of memory that were put into it: what was given is never learnt again."""
    return _BETWEEN.sub("", text) if BEGIN in text else text
