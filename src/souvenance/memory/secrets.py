"""Is there an obvious secret in this text? (F8)

Promise: `find_secrets` says what kind and where, never what: neither its result nor anything logged holds the secret.
A short fact costs well under 0.2 ms once warm; a hostile megabyte a few seconds at most.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from souvenance.memory.secret_shapes import shapes
from souvenance.memory.secret_words import may_name, said_secrets


@dataclass(frozen=True, slots=True)
class Found:
    """One secret: its kind (a code to be translated) and its place, in characters, `text[start:end]`."""

    kind: str
    start: int
    end: int


KINDS = (
    "api_key", "bearer", "card_number", "connection_string", "iban", "jwt", "license_key", "otp_secret", "password",
    "password_hash", "pin", "private_key", "recovery_code", "seed_phrase", "webhook",
)  # fmt: skip
"""Every kind `find_secrets` may report."""

# A shape is at least this long without a space, or holds one of these signs; most facts have neither.
_LONG_RUN = 16
_NAME = re.compile(r"[a-z]{1,14}(?:[_-][a-z]{1,14})*")
"""Short lower-case words in one piece (`favourite_kettle_colour`): long, and no shape."""
_SIGNS = ("-----begin ", "://", "flyv1", "password=", "pwd=", "bearer", "authorization")
_CARD = re.compile(r"(?<![\w+.,-])\d(?:[ -]?\d){12,18}(?![\w]|[.,]\d)")
_CARD_GROUPS = re.compile(r"\d{12,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{1,4}(?:\1\d{1,3})?|\d{4}([ -])\d{6}\2\d{4,5}")
_NOT_A_CARD = re.compile(
    r"(?i)(?:isbn|ean|siret|imei|order|commande|tracking|suivi|colis|ticket|facture|invoice"
    r"|iccid)\W{0,4}(?:\w{1,8}\W{1,2})?$"
)
_IBAN = re.compile(r"(?<!\w)[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]{4}){2,7}(?: ?[A-Za-z0-9]{1,4})?(?!\w)")
# Length of an IBAN by country: SWIFT's IBAN registry, the countries most met in French and English text.
_IBAN_LENGTH = {
    "AD": 24, "AE": 23, "AT": 20, "BE": 16, "BG": 22, "CH": 21, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "EE": 20,
    "ES": 24,
    "FI": 18, "FR": 27, "GB": 22, "GI": 23, "GR": 24, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IS": 26, "IT": 27,
    "LI": 21,
    "LT": 20, "LU": 20, "LV": 21, "MA": 28, "MC": 27, "MT": 31, "NL": 18, "NO": 15, "PL": 28, "PT": 25, "RO": 24,
    "SE": 24,
    "SI": 19, "SK": 24, "SM": 27, "TN": 24, "TR": 26,
}  # fmt: skip


# Both begin with a digit, so that a text without any is passed over at once.
_NUMBERS = re.compile(r"\d[\d -]{11}|\d\d(?<=[A-Za-z]{2}\d\d)")


def may_hold_a_secret(text: str) -> bool:
    """A quick look that says no where `find_secrets` surely finds nothing: in most of what is remembered."""
    return may_name(text) or _may_hold_a_shape(text) or _NUMBERS.search(text) is not None


def find_secrets(text: str) -> list[Found]:
    """The secrets of `text` in order of place, without overlaps (the longest wins). Empty when there is none."""
    found = sorted(_all(text), key=lambda each: (each.start, -each.end))
    kept: list[Found] = []
    for each in found:
        if kept and each.start < kept[-1].end:
            if each.end - each.start > kept[-1].end - kept[-1].start:
                kept[-1] = each
        else:
            kept.append(each)
    return kept


def _all(text: str) -> Iterator[Found]:
    for kind, start, end in said_secrets(text):
        yield Found(kind, start, end)
    yield from _cards(text)
    yield from _ibans(text)
    if _may_hold_a_shape(text):
        for kind, pattern in shapes():
            for match in pattern.finditer(text):
                yield Found(kind, match.start(), match.end())


def _may_hold_a_shape(text: str) -> bool:
    runs = text.split()
    if max(map(len, runs), default=0) >= _LONG_RUN and any(
        len(run) >= _LONG_RUN and not _NAME.fullmatch(run) for run in runs
    ):
        return True
    return any(map(text.casefold().__contains__, _SIGNS))


def _cards(text: str) -> Iterator[Found]:
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        if (
            _CARD_GROUPS.fullmatch(match[0])
            and _issued(digits)
            and _luhn(digits)
            and not _NOT_A_CARD.search(text[max(0, match.start() - 24) : match.start()])
        ):
            yield Found("card_number", match.start(), match.end())


def _issued(digits: str) -> bool:
    """Does an issuer use this prefix with this length? (ISO/IEC 7812 ranges of the card networks.)"""
    two, four, length = int(digits[:2]), int(digits[:4]), len(digits)
    return (
        (digits[0] == "4" and length in (13, 16, 19))
        or ((51 <= two <= 55 or 2221 <= four <= 2720) and length == 16)
        or (two in (34, 37) and length == 15)
        or ((300 <= int(digits[:3]) <= 305 or two in (36, 38)) and length == 14)
        or ((four == 6011 or two in (62, 65, 81) or 644 <= int(digits[:3]) <= 649) and 16 <= length <= 19)
        or (3528 <= four <= 3589 and length == 16)
        or ((two in (50, 60, 63, 67) or 56 <= two <= 58) and length == 16)
    )


def _luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if place % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0 and len(set(digits)) > 1


def _ibans(text: str) -> Iterator[Found]:
    for match in _IBAN.finditer(text):
        compact = match[0].replace(" ", "").upper()
        length = _IBAN_LENGTH.get(compact[:2])
        if length is None or len(compact) < length:
            continue
        compact = compact[:length]
        if int("".join(str(int(c, 36)) for c in compact[4:] + compact[:4])) % 97 == 1:
            yield Found("iban", match.start(), match.start() + _span(match[0], length))


def _span(raw: str, wanted: int) -> int:
    """How many characters of `raw` hold its first `wanted` characters that are not spaces."""
    seen = 0
    for place, char in enumerate(raw):
        seen += char != " "
        if seen == wanted:
            return place + 1
    return len(raw)
