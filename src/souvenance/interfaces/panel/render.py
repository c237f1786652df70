"""Templates, and texts, numbers and dates in the reader's language."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, tzinfo
from functools import cache
from gettext import GNUTranslations, NullTranslations
from importlib import resources
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from babel import Locale
from babel.dates import format_date, format_datetime, format_timedelta
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal, format_percent
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from souvenance.domain.clock import Clock, utc_now
from souvenance.interfaces.panel.directions import filling

LANGUAGES = {"en": "English", "fr": "Français"}
ROOM = "souvenance.interfaces.panel"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tongue:
    """A language and a time zone, and everything that is said in them. `clock` tells the present moment of the memory,
    which need not be that of this machine."""

    language: str = "en"
    zone: tzinfo = UTC
    clock: Clock = utc_now
    texts: NullTranslations = field(default_factory=NullTranslations)

    def say(self, text: str, /, **values: Any) -> str:
        """A text of the interface. `values` fill its `%(name)s`."""
        said = self.texts.gettext(text)
        return said % filling(values) if values else said

    def count(self, one: str, many: str, number: int, /, **values: Any) -> str:
        """A text that depends on how many there are: `%(n)s` is the number as it is written here."""
        return self.texts.ngettext(one, many, number) % {"n": self.number(number), **filling(values)}

    def number(self, value: float, digits: int = 0) -> str:
        """A number with the signs of the language; at most `digits` after the point."""
        return format_decimal(value, format="#,##0." + "#" * digits if digits else "#,##0", locale=self.language)

    def percent(self, value: float) -> str:
        """A share of one as a percentage."""
        return format_percent(value, locale=self.language)

    def day(self, moment: datetime | None) -> str:
        """The day of a moment in the reader's time zone."""
        return format_date(moment.astimezone(self.zone), "medium", self.language) if moment else ""

    def today(self) -> date:
        """The present day in the reader's time zone."""
        return self.clock().astimezone(self.zone).date()

    def date(self, day: date) -> str:
        """A day, with its month in words."""
        return format_date(day, "long", self.language)

    def time(self, moment: datetime | None) -> str:
        """Day and minute of a moment in the reader's time zone."""
        return format_datetime(moment, "medium", tzinfo=self.zone, locale=self.language) if moment else ""

    def ago(self, moment: datetime | None) -> str:
        """How long ago a moment is, in words."""
        if moment is None:
            return ""
        return format_timedelta(moment - self.clock(), add_direction=True, locale=self.language, format="long")


def tongue(language: str, zone: str = "UTC", clock: Clock = utc_now) -> Tongue:
    """The language asked for, English where it is not spoken here; UTC where the zone is unknown."""
    try:
        known: tzinfo = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        known = UTC
    spoken = language if language in LANGUAGES else "en"
    return Tongue(language=spoken, zone=known, clock=clock, texts=_texts(spoken))


def preferred(accept_language: str) -> str:
    """The language a browser asks for first among those spoken here."""
    wanted: list[tuple[float, int, str]] = []
    for place, part in enumerate(accept_language[:1000].split(",")):
        name, _, quality = part.partition(";q=")
        try:
            wanted.append((-float(quality or 1), place, name.strip().lower().partition("-")[0]))
        except ValueError:
            continue
    return next((name for weight, _, name in sorted(wanted) if name in LANGUAGES and weight < 0), "en")


@cache
def _texts(language: str) -> NullTranslations:
    """The catalogues of a language, one per page, as one. They are read as they are written: nothing is compiled."""
    folder = resources.files(ROOM) / "locale" / language
    if language == "en" or not folder.is_dir():
        return NullTranslations()
    whole = Catalog(locale=Locale.parse(language))
    for file in sorted(folder.iterdir(), key=lambda item: item.name):
        if file.name.endswith(".po"):
            part = read_po(io.BytesIO(file.read_bytes()), locale=language)
            whole.mime_headers = [("Plural-Forms", part.plural_forms)]  # as our files count, whatever the CLDR adds
            for message in part:
                if message.id and message.string:
                    whole.add(message.id, message.string, context=message.context)
    compiled = io.BytesIO()
    write_mo(compiled, whole)
    compiled.seek(0)
    return GNUTranslations(compiled)


class Pages:
    """The templates of the panel. A block of one can be made alone: then it takes the place of the one shown."""

    def __init__(self) -> None:
        self._environment = Environment(
            loader=PackageLoader(ROOM, "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            extensions=["jinja2.ext.i18n", "jinja2.ext.do", "jinja2.ext.loopcontrols"],
        )
        self._environment.install_null_translations(newstyle=True)  # type: ignore[attr-defined]

    def add_pieces(self) -> None:
        """Make the macros of `pieces/macros.html` known to every template and every block that is made alone."""
        pieces = self._environment.get_template("pieces/macros.html").module
        for name, piece in vars(pieces).items():
            if not name.startswith("_"):
                self.add(name, piece)

    def add(self, name: str, value: object) -> None:
        """Make something known to every template."""
        self._environment.globals[name] = value

    def whole(self, template: str, values: Mapping[str, Any]) -> str:
        """A page."""
        return self._environment.get_template(template).render(self._with_tongue(values))

    def block(self, template: str, block: str, values: Mapping[str, Any]) -> str:
        """One block of a template."""
        found = self._environment.get_template(template)
        context = found.new_context(self._with_tongue(values))
        return "".join(found.blocks[block](context))

    def _with_tongue(self, values: Mapping[str, Any]) -> dict[str, Any]:
        speech: Tongue = values["visit"].tongue
        return {
            **values,
            "_": _escaping(speech.texts.gettext),
            "gettext": _escaping(speech.texts.gettext),
            "ngettext": _escaping_plural(speech.texts.ngettext),
            "tongue": speech,
        }


def _escaping(gettext: Callable[[str], str]) -> Callable[..., Markup]:
    """Texts of the interface may hold markup of ours; what fills them is escaped."""

    def said(text: str, /, **values: Any) -> Markup:
        return Markup(gettext(text)) % filling(values) if values else Markup(gettext(text))  # noqa: S704 - our own texts

    return said


def _escaping_plural(ngettext: Callable[[str, str, int], str]) -> Callable[..., Markup]:
    def said(one: str, many: str, number: int, /, **values: Any) -> Markup:
        return Markup(ngettext(one, many, number)) % {"num": number, **filling(values)}  # noqa: S704 - our own texts

    return said
