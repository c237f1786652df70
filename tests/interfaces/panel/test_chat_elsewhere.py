"""C1, C2: an answer that another process makes is shown while it comes, can be stopped, and has no other beside it."""

import json
import re
import threading
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from starlette.testclient import TestClient

from souvenance.application import Application
from souvenance.domain.access import Route, Source
from souvenance.domain.clock import utc_now
from souvenance.domain.vault import Protection
from souvenance.store import claims
from souvenance.store import conversations as rows


@pytest.fixture
def talk(memory: Application) -> int:
    """A conversation in which another process answers."""
    made = memory.conversations.start(actor=memory.owner_through(Source.PANEL)).id
    with memory.database.write() as tx:
        now = utc_now()
        rows.add_turn(tx, conversation_id=made, question="How many?", at=now, until=now + timedelta(seconds=120))
    return made


def keep(memory: Application, talk: int, answer: str, *, state: str = "asked") -> None:
    """What that process keeps of it."""
    with memory.database.write() as tx:
        rows.save_turn(tx, conversation_id=talk, ordinal=1, values={"answer": answer, "state": state})


def headers(owner: TestClient, talk: int) -> dict[str, str]:
    page = owner.get(f"/chat/{talk}", headers={"accept-language": "fr"}).text
    return {"hx-request": "true", "accept-language": "fr"} | {
        "x-csrf": page.partition('"x-csrf": "')[2].partition('"')[0]
    }


def test_a_second_question_is_refused_in_words_and_the_first_can_be_stopped(
    owner: TestClient, memory: Application, talk: int
) -> None:
    sent = headers(owner, talk)
    refused = owner.post(f"/chat/{talk}/ask", data={"question": "And now?"}, headers=sent)
    assert refused.status_code == 409
    assert "Une réponse est en cours dans cette conversation." in refused.text
    assert owner.post(f"/chat/{talk}/stop", headers=sent).status_code == 204
    with memory.database.read() as tx:  # which whoever makes it looks for
        assert claims.held(tx, prefix="stop:", at=utc_now()) == [f"stop:{talk}:1"]
    (turn,) = memory.conversations.get(actor=memory.owner_through(Source.PANEL), conversation=talk).turns
    assert turn.until is not None
    assert turn.until < utc_now() + timedelta(seconds=31)  # should nobody hear it


def test_what_it_says_is_followed_to_its_end(owner: TestClient, memory: Application, talk: int) -> None:
    assert f'data-follows="/chat/{talk}/follow?turn=1"' in owner.get(f"/chat/{talk}").text
    keep(memory, talk, "Forty-")
    ends = threading.Timer(0.5, keep, [memory, talk, "Forty-seven."], {"state": "done"})
    ends.start()
    pieces = [part.split("\n") for part in owner.get(f"/chat/{talk}/follow?turn=1").text.split("\n\n") if part]
    ends.join()
    assert [one[0] for one in pieces] == ["event: text", "event: done"]
    assert json.loads(pieces[0][1].removeprefix("data: ")) == "Forty-"
    assert "Forty-seven." in json.loads(pieces[1][1].removeprefix("data: "))
    assert "data-follows" not in owner.get(f"/chat/{talk}").text


def test_v11_the_badge_of_an_old_answer_names_no_vault_that_was_deleted(owner: TestClient, memory: Application) -> None:
    through = memory.owner_through(Source.PANEL)
    for name in ("Harpe", "Lyre"):
        memory.vaults.create(actor=through, name=name)
    talk = memory.conversations.start(actor=through).id
    with memory.database.write() as tx:
        now = utc_now()
        rows.add_turn(tx, conversation_id=talk, question="How many?", at=now, until=now + timedelta(seconds=120))
    read = [{"slug": slug, "name": slug.title(), "weight": 1.0} for slug in ("harpe", "lyre")]
    with memory.database.write() as tx:
        values = {"state": "done", "answer": "47.", "trace": {"vaults": read, "put": []}, "answered_at": utc_now()}
        rows.save_turn(tx, conversation_id=talk, ordinal=1, values=values)
    memory.vaults.change(actor=through, vault="harpe", name="Grande harpe")
    memory.erasures.delete_vault(actor=through, vault="lyre", confirm="lyre")
    memory.vaults.create(actor=through, name="LYRE")
    french = {"accept-language": "fr"}
    page = owner.get(f"/chat/{talk}", headers=french).text
    assert "Grande harpe, un coffre qui n’est plus là" in page
    opened = owner.get(f"/chat/{talk}/turns/1/read", headers=french)
    assert opened.status_code == 200
    assert "un coffre qui n’est plus là" in opened.text
    assert "LYRE" not in opened.text


@pytest.mark.parametrize("keeps_ids", [True, False], ids=["by id", "of before ids"])
def test_v11_vaults_that_have_no_name_any_more_are_rows_of_their_own(
    owner: TestClient, memory: Application, monkeypatch: pytest.MonkeyPatch, keeps_ids: bool
) -> None:
    through = memory.owner_through(Source.PANEL, route=Route.LOCAL)
    slugs = ("first", "second", "third", "open")
    ids = {slug: memory.vaults.create(actor=through, name=slug).id for slug in slugs}
    talk = memory.conversations.start(actor=through).id
    trace = {
        "vaults": [{"slug": slug, "name": slug, "weight": 0.2 * place} for place, slug in enumerate(slugs, 1)],
        "put": [{"kind": "passage", "vault": slug, "note": f"n{slug}", "title": f"of {slug}"} for slug in slugs],
    }
    with memory.database.write() as tx:
        now = utc_now()
        rows.add_turn(tx, conversation_id=talk, question="How many?", at=now, until=now + timedelta(seconds=120))
        values = {"state": "done", "answer": "47.", "trace": trace | ({"ids": ids} if keeps_ids else {})}
        rows.save_turn(tx, conversation_id=talk, ordinal=1, values=values | {"answered_at": utc_now()})
    for slug in ("first", "second"):
        memory.erasures.delete_vault(actor=through, vault=slug, confirm=slug)
    memory.vaults.change(actor=through, vault="third", protection=Protection.MAXIMUM)
    known = memory.sessions.authenticate

    def afar(*given: Any, **more: Any) -> Any:
        session, actor = known(*given, **more)
        return session, replace(actor, route=Route.CLOUD)

    monkeypatch.setattr(memory.sessions, "authenticate", afar)
    page = owner.get(f"/chat/{talk}/turns/1/read", headers={"accept-language": "en"}).text
    read = re.findall(r"<h4>([^<]*?) <span class=\"chip\">(.*?)</span>.*?(of \w+)", page, re.DOTALL)
    assert read == [
        ("a vault that is gone", "20%", "of first"),
        ("a vault that is gone", "40%", "of second"),
        ("a protected vault", "60%", "of third"),
        ("open", "80%", "of open"),
    ]
