"""Plain words: how many there are, and what a value must be, where the checks of arguments say how it is parsed."""

from __future__ import annotations

import re

_WORDS = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"Value error, (.*)", r"\1"),
        (r"Input should be a valid integer.*", "it must be a whole number"),
        (r"Input should be a valid number.*", "it must be a number"),
        (r"Input should be a valid string.*", "it must be text"),
        (r"Input should be a valid boolean.*", "it must be true or false"),
        (r"Input should be a valid (?:list|array).*", "it must be a list"),
        (r"Input should be a valid (?:dictionary|object).*", "it must be an object"),
        (r"Input should be a valid date.*", "it must be a date and time, as 2023-05-08T00:00:00Z"),
        (r"Input should be greater than or equal to (.*)", r"it must be \1 or more"),
        (r"Input should be less than or equal to (.*)", r"it must be \1 or less"),
        (r"Input should be greater than (.*)", r"it must be more than \1"),
        (r"Input should be (less than .*|'.*|true|false)", r"it must be \1"),
        (r"List should have at least (\d+) items? after validation.*", r"it must hold \1 or more"),
        (r"List should have at most (\d+) items? after validation.*", r"it may hold \1 at most"),
        (r"String should have at least (.*)", r"it must have \1 or more"),
        (r"String should have at most (.*)", r"it may have \1 at most"),
        (r"String should match pattern.*", "it does not have the right form"),
        (r"Field required", "it is missing"),
        (r"Extra inputs are not permitted", "it is not known here"),
    )
)


def plainly(said: str) -> str:
    """What is wrong with a value, from what pydantic says of it; what is not known here is left as it is."""
    for pattern, plain in _WORDS:
        found = pattern.fullmatch(said)
        if found:
            return found.expand(plain)
    return said


def counted(number: int, noun: str, many: str = "") -> str:
    """How many there are, in words: `1 note`, `2,000 notes`; `many` is a plural that is made otherwise."""
    return f"{number:,} {noun if number == 1 else many or f'{noun}s'}"
