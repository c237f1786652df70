"""The part of a passage that shows why it was found."""

from __future__ import annotations

from souvenance.store.terms import analyse, analyse_query

LONGEST = 400
"""Characters of an excerpt."""


def excerpt(text: str, query: str, *, longest: int = LONGEST) -> str:
    """The text whole when it is short; else the stretch that holds most words of the query, cut between words."""
    flat = " ".join(text.split())
    if len(flat) <= longest:
        return flat
    wanted = {form for word in analyse_query(query) if not word.common for form in word.forms}
    words = flat.split(" ")
    starts, at = [], 0
    for word in words:
        starts.append(at)
        at += len(word) + 1
    hits = [bool(wanted.intersection(analyse(word, None))) for word in words] if wanted else [False] * len(words)
    best, best_count, count, first = 0, -1, 0, 0
    for last in range(len(words)):
        count += hits[last]
        while starts[last] + len(words[last]) - starts[first] > longest - 2 and first < last:
            count -= hits[first]
            first += 1
        if count > best_count:
            best, best_count = first, count
    end = min(starts[best] + longest - 2, len(flat))
    cut = flat[starts[best] : end]
    if end < len(flat):
        cut = cut.rsplit(" ", 1)[0] or cut
    return ("…" if best else "") + cut + ("…" if end < len(flat) else "")
