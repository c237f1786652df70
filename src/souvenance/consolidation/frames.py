"""One frame, two fillings: two facts that are alike but for what stands in one place, and whether only one can.

"The admin is Bob" and "The admin is Carol" cannot both be so; "Alice likes tea" and "Bob likes tea" can. What
tells them apart is the place: what comes after a verb that binds one value to its subject, or before "is the".
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from souvenance.consolidation.lexicon import fold

_WORD = re.compile(r"[#@]?\w+(?:[.+&-]\w+)*[+#]{0,2}'?|:")
LONGEST = 5
"""Words of a filling at most: more is another sentence."""
_ARTICLE = r"(?: (?:the|a|an|le|la|l'|les|un|une|mr|mrs|ms|dr|mme|m))?$"
_PLACE = r"(?:in|at|near|a|au|aux|en|dans|chez|pres de|sur|on|par|by|with|avec)"
_NAMING = re.compile(
    rf"(?:^| )(?:(?:s' )?appel\w+|(?:is|are|was|be) (?:called|named)|(?:called|named|nomme\w*|surnomme\w*|baptise\w*)"
    rf"|(?:name|nom|prenom|surname|nickname|surnom|pseudo) (?:is|est)){_ARTICLE}"
)
_BINDING = re.compile(
    r"(?:^| )(?:"
    rf"(?:live|lives|living|reside|resides|born|based|located|hosted|held|headquartered|stored|deployed) {_PLACE}"
    rf"|(?:habit(?:e|es|ent|ait)|vi(?:t|vent|vait)|resid(?:e|ent)|loge|ne|nee|base|basee|situee?s?|hebergee?s?|stockee?s?)"
    rf" {_PLACE}"
    rf"|(?:se trouve|se tient|se passe|se deroule|a lieu|ont lieu|takes? place) {_PLACE}"
    r"|(?:works?|stud(?:y|ies)) (?:at|for)|etudie (?:a|au|chez|en)|comes? from|vient (?:de|du|d')"
    r"|travaille (?:a|au|chez|pour)|(?:married|engaged) to|mariee? (?:a|avec)|belongs? to|appartient a"
    r"|written in|ecrite? en|runs? on|tourne sur|(?:led|run|owned|won|chaired|founded|managed) by"
    r"|(?:dirigee?|geree?|gagnee?|remportee?|presidee?|fondee?) par)"
    rf"{_ARTICLE}"
)
_IS = re.compile(rf"(?:^| )(?:(?:is|was|will be|est|etait|sera|became|devient|est devenue?)(?: {_PLACE})?|:){_ARTICLE}")
_IS_THE = re.compile(r"^(?:is|was|will be|became|est|etait|sera|devient|est devenue?) (?:the|our|its|le|la|l'|notre) ")
_ONE_OF_MANY = re.compile(
    r"\b(?:one of|some of|among|also|another|other|too|un des|une des|l' un|l' une)\b"
    r"|\b(?:parmi|aussi|egalement|notamment|autre)\b"
    r"|\b(?:a|an|un|une) \w+ (?:called|named|nommee?|appelee?|qui s' appelle)\b"
)


@dataclass(frozen=True, slots=True)
class Filling:
    """What stands in the one place where two facts differ, and whether only one of the two can be so."""

    a: str
    b: str
    binds: bool
    bare: bool
    """Whether everything around it is the same, word for word."""
    starts: bool = False
    """Whether it is what both begin with."""


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text, case and accents aside, elided ones by themselves."""
    return tuple(_WORD.findall(fold(text)))


def filling(a: tuple[str, ...], b: tuple[str, ...], names: tuple[Collection[str], Collection[str]]) -> Filling | None:
    """Where two texts of one frame differ: between the words they begin and end with alike, or, if those leave too
    much, where the `names` stand that only one of them has. None where they differ in no one place."""
    one = _between(a, b, names)
    if one is not None:
        return one
    here, there = _run(a, names[0]), _run(b, names[1])
    if here is None or there is None:
        return None
    binds = _binds(a, here, named=True) and _binds(b, there, named=True)
    starts = here[0] == there[0] == 0
    return Filling(" ".join(a[slice(*here)]), " ".join(b[slice(*there)]), binds, bare=False, starts=starts)


def _between(a: tuple[str, ...], b: tuple[str, ...], names: tuple[Collection[str], Collection[str]]) -> Filling | None:
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    first, second = a[start : len(a) - end], b[start : len(b) - end]
    if not first or not second or max(len(first), len(second)) > LONGEST or not start + end:
        return None
    if any(c.isdigit() for word in (*first, *second) for c in word):  # numbers are compared as values
        return None
    named = all(any(word in own for word in said) for said, own in zip((first, second), names, strict=True))
    binds = _binds(a, (start, len(a) - end), named=named) and _binds(b, (start, len(b) - end), named=named)
    return Filling(" ".join(first), " ".join(second), binds, bare=True, starts=not start)


def _run(words: tuple[str, ...], names: Collection[str]) -> tuple[int, int] | None:
    """Where these names stand, if they stand together."""
    places = [place for place, word in enumerate(words) if word.rstrip("'") in names]
    if not places or places[-1] - places[0] >= len(places):
        return None
    return places[0], places[-1] + 1


def _binds(words: tuple[str, ...], place: tuple[int, int], *, named: bool) -> bool:
    """Whether what stands there can be one thing only. `named`: it is a name; "is" binds only one."""
    before, after = " ".join(words[: place[0]]), " ".join(words[place[1] :])
    if _ONE_OF_MANY.search(" ".join(words)):
        return False
    if _NAMING.search(before) or _BINDING.search(before):
        return True
    return named and bool(_IS.search(before) or (not before and _IS_THE.search(f"{after} ")))
