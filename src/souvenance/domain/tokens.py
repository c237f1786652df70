"""How many model tokens a text may cost: one estimate for the whole house, made to err on the high side.

No tokenizer is at hand for every model an answer may go to, so characters are counted by kind. Published tokenizers
(cl100k, o200k, Llama, Gemma) take 3.5 to 4.5 ASCII characters a token in prose, about 3 in code and JSON; about one
accented Latin letter in two starts a token of its own; other alphabets take 1.5 to 3 letters a token; Chinese,
Japanese, Korean and Thai up to one and a half token a character; emoji and rarer planes up to three.
"""

from __future__ import annotations

import re

_ASCII_PER_TOKEN = 3.3
_LATIN = re.compile(r"[\u00a0-\u024f\u1e00-\u1eff\u2010-\u205e]")
_LATIN_TOKENS = 0.6
_DENSE = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u9fff\ua000-\ua4cf\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]"
)
_DENSE_TOKENS = 1.4
_ASTRAL = re.compile(r"[\U00010000-\U0010ffff]")
_ASTRAL_TOKENS = 3.0
_OTHER_TOKENS = 0.7


def estimate_tokens(text: str) -> int:
    """Tokens a text is likely to cost at most; 0 for an empty text. Linear, about a millisecond for 100 KB."""
    if not text:
        return 0
    plain = len(text.encode("ascii", "ignore"))
    rest = len(text) - plain
    cost = plain / _ASCII_PER_TOKEN
    if rest:
        latin, dense, astral = (sum(1 for _ in kind.finditer(text)) for kind in (_LATIN, _DENSE, _ASTRAL))
        cost += latin * _LATIN_TOKENS + dense * _DENSE_TOKENS + astral * _ASTRAL_TOKENS
        cost += (rest - latin - dense - astral) * _OTHER_TOKENS
    return int(cost) + 1


def cut_to_tokens(text: str, budget: int) -> tuple[str, bool]:
    """The longest beginning of a text that keeps to a budget, and whether anything was cut.

    It ends where a line ends, else a sentence, else a word, when that costs at most a third of what would fit.
    """
    most = int(max(budget, 0) * _ASCII_PER_TOKEN) + 4
    if len(text) <= most and estimate_tokens(text) <= budget:
        return text, False
    low, high = 0, min(len(text), most)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate_tokens(text[:middle]) <= budget:
            low = middle
        else:
            high = middle - 1
    kept = text[:low]
    for mark in ("\n", ". ", "。", " "):
        end = kept.rfind(mark)
        if end >= low * 2 // 3 and end > 0:
            return kept[: end + len(mark)].rstrip(), True
    return kept.rstrip(), True
