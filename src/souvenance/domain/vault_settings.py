"""What can be set on one vault: typed, bounded, each with a default (F5, T4, F10)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any
from zoneinfo import ZoneInfo

from souvenance.domain.errors import InvalidInput

MOST_INJECTED = 1000
HEAVIEST = 10.0
MOST_LIMIT = 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultSettings:
    """The settings of a vault.

    max_injected: how many facts a prompt is given at most, 1 to 1000 (F5). recency, importance, relevance: what each
    weighs when places are ranked, 0 to 10 (T4). time_zone: the IANA name of the zone in which « hier » is understood;
    empty for that of whoever writes (F10). daily_tokens: tokens that exchanges reading this vault may spend in a day
    (UTC); member_rate: questions that one person may put to it in an hour; 0 for no limit (C6).
    """

    max_injected: int = 20
    recency: float = 1.0
    importance: float = 1.0
    relevance: float = 4.0
    time_zone: str = ""
    daily_tokens: int = 0
    member_rate: int = 0

    def __post_init__(self) -> None:
        if not _is_number(self.max_injected, whole=True) or not 1 <= self.max_injected <= MOST_INJECTED:
            raise InvalidInput(
                f"max_injected is a whole number from 1 to {MOST_INJECTED}, not {self.max_injected!r}.",
                hint="Give a number in that range. Facts beyond it are kept all the same, only not given.",
            )
        for name in WEIGHTS:
            value = getattr(self, name)
            if not _is_number(value) or not 0 <= value <= HEAVIEST:
                raise InvalidInput(f"The weight {name} is a number from 0 to {HEAVIEST:g}, not {value!r}.")
        for name in LIMITS:
            value = getattr(self, name)
            if not _is_number(value, whole=True) or not 0 <= value <= MOST_LIMIT:
                raise InvalidInput(f"{name} is a whole number from 0 (no limit) to {MOST_LIMIT}, not {value!r}.")
        if not isinstance(self.time_zone, str) or (self.time_zone and not is_zone(self.time_zone)):
            raise InvalidInput(
                f"There is no time zone {str(self.time_zone)[:60]!r}.",
                hint="Use a name such as Europe/Paris, or leave it empty.",
            )


WEIGHTS = ("recency", "importance", "relevance")
LIMITS = ("daily_tokens", "member_rate")
NAMES = tuple(field.name for field in fields(VaultSettings))


def settings_of(kept: Mapping[str, Any]) -> VaultSettings:
    """The settings a vault keeps; what it does not keep has its default, what is not known here is left alone."""
    return VaultSettings(**{name: kept[name] for name in NAMES if name in kept})


def changed_settings(kept: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """What a vault keeps after these changes; None brings a default back. Refuses what cannot be set."""
    unknown = sorted(set(changes) - set(NAMES))
    if unknown:
        raise InvalidInput(f"There is no setting {', '.join(unknown)}.", hint=f"There are {', '.join(NAMES)}.")
    after = {name: value for name, value in {**kept, **changes}.items() if value is not None}
    settings_of(after)
    return after


def setting_from_text(name: str, text: str) -> Any:
    """A setting as it is typed on a command line; an empty text brings its default back."""
    if name not in NAMES:
        raise InvalidInput(f"There is no setting {name}.", hint=f"There are {', '.join(NAMES)}.")
    if not text:
        return None
    try:
        if name == "time_zone":
            return text
        return int(text) if name in {"max_injected", *LIMITS} else float(text.replace(",", "."))
    except ValueError:
        raise InvalidInput(f"{name} is a number, not {text!r}.", hint="Write it as 2 or 0.5.") from None


def _is_number(value: object, *, whole: bool = False) -> bool:
    return not isinstance(value, bool) and isinstance(value, int if whole else int | float)


def is_zone(name: str) -> bool:
    """Whether there is a time zone of that name."""
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return True
