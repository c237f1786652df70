"""Bad input for every field of every form of the panel: what is sent, and what a user would complain of."""

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa
from httpx import Response
from starlette.datastructures import FormData
from starlette.testclient import TestClient

from panel_house import House
from panel_ways import Case
from souvenance.application import Application
from souvenance.store import tables

URL_ENCODED = "application/x-www-form-urlencoded"
MISSING, TWICE = "missing", "given twice"
KINDS: dict[str, bytes] = {
    "empty": b"",
    "blanks": b" \t \r\n ",
    "too long": b"x" * 200_000,
    "below zero": b"-1",
    "out of range": b"1e308",
    "not a number": b"NaN",
    "enormous": str(10**30).encode(),
    "emoji, right to left": "🏴‍☠️ \u202eשלום\u05bc\u0301 عَرَب\u2069".encode(),
    "html": b"<script>zq()</script>\"><img src=x onerror=zq()>'",
    "nul, surrogate": b"a\x00\xed\xa0\x80b",
    "of another person": b"secret",
    "letters, unknown": b"nowhere-at-all",
    MISSING: b"",
    TWICE: b"<script>zq()</script>",
}
"""What is put into a field, as the bytes that are sent."""
LONGEST_OF_AN_ADDRESS = 20_000
IN_NO_ADDRESS = {MISSING, TWICE, "empty", "blanks", "not a number", "out of range", "below zero"}
"""Kinds that an address cannot hold, or that are others there."""
WISHES = {"q", "tab", "order", "page"}
"""How a list of facts is to be shown: read in one place for all deeds that answer with one."""
RAW = (b"<script>zq()", b"<img src=x onerror=zq")
CHOICES = {
    "protection", "kind", "keep", "muted", "disabled", "pinned", "can_configure", "reach", "route", "what", "deed",
    "off", "subject_kind", "answer", "step", "can_write", "action", "read", "write", "language", "theme", "time_zone",
}  # fmt: skip
"""Fields of which a form offers every value: one that is none of them is refused, never read as another."""
OTHERS = ("letters, unknown", "html", "emoji, right to left", "below zero", "enormous")
"""Kinds that are the value of no such field."""
IN_PASSING = {"browser_session", "login_attempt", "claim", "counter", "change_mark", "retrieval", "spending"}
"""Tables that may be written where nothing was done: who was there, who tried to come in, what is being followed."""
LED_TO = {"fact", "note", "conversation", "turn", "token", "invitation"}
"""Tables of what the ways lead to: it is made anew where a deed wrote to one of them, and is as it was otherwise."""
REREAD = 200
"""So many of the last rows are read again, for one with a lower number that was not durable yet."""


class Noted(FormData):
    """A form that notes which of its fields are read."""

    def __init__(self, form: FormData, seen: set[str]) -> None:
        super().__init__(form.multi_items())
        self.seen = seen

    def get(self, key: Any, default: Any = None) -> Any:
        self.seen.add(key)
        return super().get(key, default)

    def getlist(self, key: Any) -> list[Any]:
        self.seen.add(key)
        return super().getlist(key)

    def __contains__(self, key: Any) -> bool:
        self.seen.add(key)
        return super().__contains__(key)


@dataclass
class Reading:
    """The names of form fields and of parts of the query that were read since it was last emptied."""

    form: set[str] = field(default_factory=set)
    query: set[str] = field(default_factory=set)


class Witness:
    """Sees every row that is written, whoever writes it; what was rolled back was never written. Tables that any visit
    may touch are not looked at."""

    def __init__(self, memory: Application) -> None:
        self._database = memory.database
        self._last = 0
        self._told: set[int] = set()
        names = [table.name for table in tables.metadata.sorted_tables if table.name not in IN_PASSING]
        with self._database.write() as tx:
            number = "integer PRIMARY KEY" if tx.is_sqlite else "serial PRIMARY KEY"
            tx.execute(sa.text(f"CREATE TABLE written (id {number}, name text)"))
            for name in names:
                for statement in self._watched(name, is_sqlite=tx.is_sqlite):
                    tx.execute(sa.text(statement))

    @staticmethod
    def _watched(name: str, *, is_sqlite: bool) -> Iterator[str]:
        noted = f"INSERT INTO written (name) VALUES ('{name}')"
        if is_sqlite:
            for deed in ("INSERT", "UPDATE", "DELETE"):
                yield f"CREATE TRIGGER saw_{name}_{deed} AFTER {deed} ON {name} BEGIN {noted}; END"
            return
        yield f"CREATE FUNCTION saw_{name}() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN {noted}; RETURN NULL; END$$"
        yield (
            f"CREATE TRIGGER saw_{name} AFTER INSERT OR UPDATE OR DELETE ON {name} "
            f"FOR EACH ROW EXECUTE FUNCTION saw_{name}()"
        )

    def seen(self) -> set[str]:
        """The tables that were written since it was last asked. Nothing is written to tell."""
        query = sa.text("SELECT id, name FROM written WHERE id > :after")
        with self._database.read() as tx:  # numbers are not durable in their order everywhere: some are read again
            rows = tx.execute(query, {"after": self._last - REREAD}).all()
        found = {row.name for row in rows if row.id not in self._told}
        self._told = {row.id for row in rows}
        self._last = max([self._last, *self._told])
        return found


@dataclass(frozen=True)
class Slot:
    """A place of a request that can be filled: a field of the form, a value of the query, a part of the address."""

    where: str
    name: str


class Walk:
    """Goes the ways with bad input, as the owner of the memory in French, and keeps what a user would complain of."""

    def __init__(self, client: TestClient, house: House, reading: Reading, kinds: dict[str, bytes]) -> None:
        self.client, self.house, self.reading, self.kinds = client, house, reading, kinds
        self.witness = Witness(house.memory)
        self.wrong: list[str] = []
        self.posts = 0
        self.written: set[str] = set()
        self.wished: set[str] = set()
        self.tried: dict[str, set[Slot]] = {}
        _, secret = house.person("owner")
        client.cookies.set("souvenance_session", secret)
        self.headers = {
            "x-csrf": house.memory.sessions.csrf(secret), "hx-request": "true", "accept-language": "fr",
            "accept-encoding": "identity",
        }  # fmt: skip

    def go(self, way: str, case: Case) -> None:
        """Fill each slot of a way with each kind; slots that are found to be read meanwhile are tried too."""
        pattern = way.partition(" ")[2]
        slots = [Slot("form", name) for name in case.form]
        if way not in self.tried:  # else it is another form at the same address
            slots += [Slot("form", "nobody_reads_this")]
            slots += [Slot("path", name) for name in re.findall(r"\{(\w+)", pattern)]
            slots += [Slot("query", name) for name in re.findall(r"[?&](\w+)=", case.query)]
        tried = self.tried.setdefault(way, set())
        values = self.house.leads(pattern, case)
        self.witness.seen()
        place = 0
        while place < len(slots):
            slot = slots[place]
            place += 1
            tried.add(slot)
            for kind in self.kinds:
                if kind in self._left_out(slot):
                    continue
                self.reading.form.clear()
                self.reading.query.clear()
                if self._post(way, case, values, slot, kind) < 400 and (self.written & LED_TO or "{session" in way):
                    values = self.house.leads(pattern, case)
                    self.witness.seen()
                read = [Slot("form", name) for name in sorted(self.reading.form - {"csrf"})]
                read += [Slot("query", name) for name in sorted(self.reading.query)]
                slots += [one for one in read if one not in slots and not self._is_known(one, slots)]

    @staticmethod
    def _left_out(slot: Slot) -> set[str]:
        """Kinds that would say nothing new of a place."""
        if slot.name == "nobody_reads_this":
            return KINDS.keys() - {"html", "nul, surrogate"}
        return IN_NO_ADDRESS if slot.where == "path" else set()

    def _is_known(self, slot: Slot, slots: list[Slot]) -> bool:
        """What is read from the form or else from the query is one thing; what a list is wished as is so everywhere."""
        if slot.where == "query" and Slot("form", slot.name) in slots:
            return True
        if not re.fullmatch("[a-z_]+", slot.name):  # the name holds what was put into the address
            return True
        if slot.name not in WISHES:
            return False
        known = slot.name in self.wished
        self.wished.add(slot.name)
        return known

    def _post(self, way: str, case: Case, values: dict[str, Any], slot: Slot, kind: str) -> int:
        given = self.kinds[kind][: None if slot.where == "form" else LONGEST_OF_AN_ADDRESS]
        form = [(name, value.encode()) for name, value in self.house.form(case, values).items()]
        query = [
            (name, value.format(**values).encode()) for name, value in re.findall(r"[?&](\w+)=([^&]*)", case.query)
        ]
        parts = {name: str(value).encode() for name, value in values.items()}
        if slot.where == "path":
            parts[slot.name] = given
        elif slot.where == "form":
            form = filled(form, slot.name, kind, given)
        else:
            query = filled(query, slot.name, kind, given)
        plain = re.sub(r"\{(\w+)(?::\w+)?\}", lambda hole: quote(parts[hole[1]], safe=":"), way.partition(" ")[2])
        address = plain + (f"?{encoded(query)}" if query else "")
        if case.file:
            sent: dict[str, Any] = {"data": {name: value.decode(errors="replace") for name, value in form}}
            sent["files"] = {case.file: ("imported.md", b"# Imported")}
            if slot == Slot("form", case.file):
                text = given.decode(errors="replace")
                sent = {"data": {case.file: text}, "files": {case.file: (text[:300] or "x", given)}}
            sent["headers"] = self.headers
        else:
            sent = {"content": encoded(form), "headers": self.headers | {"content-type": URL_ENCODED}}

        def send() -> Response:
            self.posts += 1
            return self.client.post(address, **sent)

        answer = send()
        tried = f"{way} [{slot.where} {slot.name}: {kind}]"
        self._judge(tried, answer, send)
        is_offered = slot.name in CHOICES and not (slot.name == "route" and "/context/" in way)
        if is_offered and kind in OTHERS and answer.status_code < 400:
            self.wrong.append(f"{tried} is taken for another choice")
        return answer.status_code

    def _judge(self, tried: str, answer: Response, send: Callable[[], Response]) -> None:
        body, status = _shown(answer), answer.status_code
        if status == 500 or "Souvenance a échoué".encode() in body:
            self.wrong.append(f"{tried} fails")
        if any(raw in body for raw in RAW):
            self.wrong.append(f"{tried} gives the HTML back as it is")
        if b"gorgonzola" in body:
            self.wrong.append(f"{tried} tells what another person keeps")
        written = self.written = self.witness.seen()
        if status < 400:
            return
        for _ in range(2):  # what was written in the background, for a deed before this one, is not written again
            if written:
                send()
                written = self.witness.seen()
        if written:
            self.wrong.append(f"{tried} is refused with {status}, but {sorted(written)} was written")
        said = said_in(body)
        if len(said) < 12 or (english := ENGLISH.search(said)):
            self.wrong.append(
                f"{tried} is refused with {status} in these words: {said[:300]!r} {english and english[0]}"
            )


ENGLISH = re.compile(
    r"\b(?:the|is|are|was|of|not|cannot|no|that|there|this|you|your|it|with|must|nothing|at least)\b", re.I
)
"""Words that no French sentence holds."""


def filled(pairs: list[tuple[str, bytes]], name: str, kind: str, given: bytes) -> list[tuple[str, bytes]]:
    """A form with one of its fields filled so."""
    if kind == TWICE:
        return [*pairs, (name, given)]
    others = [pair for pair in pairs if pair[0] != name]
    return others if kind == MISSING else [*others, (name, given)]


def encoded(pairs: list[tuple[str, bytes]]) -> str:
    """A form as a browser sends it, whatever bytes it holds."""
    return "&".join(f"{quote(name)}={quote(value, safe='')}" for name, value in pairs)


def _shown(answer: Response) -> bytes:
    """What a page takes as HTML: of a stream not the text of an answer, which becomes a text node."""
    if not answer.headers.get("content-type", "").startswith("text/event-stream"):
        return answer.content
    return b"\n\n".join(part for part in answer.content.split(b"\n\n") if part.startswith(b"event: done"))


def said_in(body: bytes) -> str:
    """The words of a refusal, without what the visitor wrote and what the pages around it say."""
    words = re.sub(r"<(script|style|template|nav)\b.*?</\1>", " ", body.decode(), flags=re.S)
    words = html.unescape(re.sub(r"<[^>]*>", " ", words))
    return re.sub(r"«[^»]*»|/\S+", "«»", " ".join(words.split()))
