"""Every form of the panel against bad input: each field of each deed, each kind of it; nothing fails, nothing leaks.

Complete by construction: the ways come from the table that must hold them all, the fields from what the panel reads of
a form, an address and its query while it answers. A way or a field that is new is tried without anybody listing it.
"""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.testclient import TestClient

from panel_house import furnish
from panel_walk import ENGLISH, IN_NO_ADDRESS, KINDS, RAW, URL_ENCODED, Noted, Reading, Walk, encoded, filled, said_in
from panel_ways import CASES, Case, For
from souvenance.application import Application
from souvenance.interfaces.panel import ways as panel_ways
from souvenance.interfaces.panel.app import WAYS
from souvenance.interfaces.panel.visit import Visit
from souvenance.serving.app import build_app
from souvenance.settings import Settings
from souvenance.wiring import open_application

HERE = "http://127.0.0.1:8765"
OF_THE_STORE = ("enormous", "nul, surrogate")
"""The kinds that one store may take and another refuse."""
ALSO: dict[str, tuple[dict[str, str], ...]] = {
    "POST /memory/{vault}/erase/preview": ({"what": "member", "member": "ada", "names": "Ada"},),
    "POST /memory/{vault}/erase": ({"what": "member", "member": "ada", "names": "Ada", "confirm": "no"},),
    "POST /agents/tokens": ({"name": "desk", "reach": "chosen", "vault": "harpe", "can_write": "1", "app": ""},),
    "POST /agents/context/put": ({"place": "set:evening", "note": "/n/{note}"},),
    "POST /fact/{number}/retire": ({"reason": "r", "version": "1", "replacement": "zorglub again"},),
    "POST /settings/answers/{vault}": (
        {"daily_tokens": "5", "member_rate": "5", "recency": "1", "importance": "1", "relevance": "1", "time_zone": ""},
    ),
    "POST /settings/answers/{vault}/channels": (
        {"read": "chosen", "read_chosen": "1", "write": "chosen", "write_chosen": "2", "answer_channels": "3"},
    ),
    "POST /welcome/teach": ({"content": "zorglub hums", "where": "new", "name": "Viole"},),
}
"""Further forms of a way that reads other fields where one of them says so."""
MORE = {"POST /facts": {"vault": "lyre"}}
"""What is said beside, for a list that stays short."""
LATE = {"POST /vaults/{vault}/change", "POST /team/{team:int}/vault"}
"""After these a vault may have another name, or be another's."""

EARLY = "POST /agents/context/"
"""These answer with all notes there are: while there are few."""


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> Reading:
    found = Reading()
    form, asked = panel_ways._form, Visit.asked

    async def noted_form(request: Request, *, is_known: bool) -> FormData:
        return Noted(await form(request, is_known=is_known), found.form)

    def noted_asked(visit: Visit, name: str, default: str = "") -> str:
        found.query.add(name)
        return asked(visit, name, default)

    monkeypatch.setattr(panel_ways, "_form", noted_form)
    monkeypatch.setattr(Visit, "asked", noted_asked)
    return found


@contextmanager
def _opened(memory: Application, settings: Settings) -> Iterator[TestClient]:
    app = build_app(memory, settings, local_token="local-secret")
    with TestClient(app, base_url=HERE, client=("127.0.0.1", 5), follow_redirects=False) as client:
        yield client


@contextmanager
def _walk(memory: Application, settings: Settings, place: Path, reading: Reading, kinds: list[str]) -> Iterator[Walk]:
    with _opened(memory, settings) as client:
        house = furnish(memory, place)
        other, _ = house.person("outsider")
        memory.vaults.create(actor=other, name="Secret", description="gorgonzola")
        yield Walk(client, house, reading, {kind: KINDS[kind] for kind in kinds})


def _ordered() -> list[tuple[str, Case]]:
    deeds = [(way, case) for way, case in CASES.items() if way.startswith("POST ") and way != "POST /login"]

    def turn(deed: tuple[str, Case]) -> tuple[bool, ...]:
        return deed[0] == "POST /logout", deed[1].last, deed[0] in LATE, not deed[0].startswith(EARLY)

    return sorted(deeds, key=turn)


def _gone(walk: Walk, caplog: pytest.LogCaptureFixture) -> None:
    for way, case in _ordered():
        walk.go(way, replace(case, form=case.form | MORE.get(way, {})))
        for form in ALSO.get(way, ()):
            walk.go(way, replace(case, form=form))
    kinds_of_wrong = {re.sub(r"\[\w+ \w+: [^\]]*\]", "", one): one for one in walk.wrong}
    assert not walk.wrong, "\n".join([f"{len(walk.wrong)} of {walk.posts}:", *list(kinds_of_wrong.values())[:60]])
    failed = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]
    assert not failed, failed[:3]
    followed = {Path(view.folder.path).name for view in walk.house.memory.folders.list(actor=walk.house.owner)}
    assert followed <= {"watched"}, "a path that is none is no folder, not even the one that the program runs in"


@pytest.mark.timeout(600)
def test_every_field_of_every_form_bears_bad_input(
    memory: Application,
    settings: Settings,
    tmp_path: Path,
    reading: Reading,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with _walk(memory, settings, tmp_path, reading, list(KINDS)) as walk:
        _gone(walk, caplog)
    deeds = {f"POST {way.address}" for way in WAYS if way.method == "POST"}
    assert {*walk.tried, "POST /login"} == deeds, "a form that is new is tried too: it belongs in the table of ways"
    read = {slot.name for slot in walk.tried["POST /facts"]}
    assert {"content", "key", "category", "confidence", "importance", "subject_kind", "subject_id", "order"} <= read


@pytest.mark.timeout(600)
def test_r2_no_form_fails_on_postgresql_where_it_would_not_on_sqlite(
    tmp_path: Path, postgresql_url: str, reading: Reading, caplog: pytest.LogCaptureFixture
) -> None:
    settings = Settings(data=tmp_path / "data", database_url=postgresql_url, embedder="none")  # type: ignore[arg-type]
    memory = open_application(settings)
    try:
        with _walk(memory, settings, tmp_path, reading, list(OF_THE_STORE)) as walk:
            _gone(walk, caplog)
    finally:
        memory.close()


def test_a_stranger_at_the_door_is_refused_in_words(
    stranger: TestClient, memory: Application, reading: Reading
) -> None:
    doors = [way for way, case in CASES.items() if case.whom is For.DOOR and way.startswith("POST ")]
    for way in doors:
        for name in CASES[way].form or {"nothing": ""}:
            for kind, given in KINDS.items():
                form = filled([(key, str(value).encode()) for key, value in CASES[way].form.items()], name, kind, given)
                address = way.partition(" ")[2].replace(
                    "{secret}", "x" if kind in IN_NO_ADDRESS else quote(given[:2000], safe="")
                )
                headers = {"accept-language": "fr", "content-type": URL_ENCODED}
                answer = stranger.post(address, content=encoded(form), headers=headers)
                assert answer.status_code in {303, 401, 404, 413, 422, 429}, (way, name, kind, answer.status_code)
                assert not any(raw in answer.content for raw in RAW), (way, name, kind)
                if answer.status_code >= 400:
                    assert not ENGLISH.search(said_in(answer.content)), (way, name, kind, said_in(answer.content))
