"""V8 over the proxy: a protected reply is known again, whole or in part, also when its vault was erased."""

from __future__ import annotations

import json
from typing import Any

import httpx
import openai
import pytest
from sqlalchemy import select, update

from proxy_ways import Make, keep, user
from scripted import Server
from souvenance.application import Application
from souvenance.domain.access import Actor, Route
from souvenance.domain.errors import NotAllowed
from souvenance.domain.vault import Protection
from souvenance.models.keyring import Keyring
from souvenance.store import tables

LONG = (
    "The code name of the whole undertaking is Zyxwvut, chosen in the spring by those who were there and never written "
    "down anywhere else, so that nobody who was not there would ever come upon it by chance or by diligence."
)


@pytest.fixture
def secret(memory: Application, owner: Actor) -> None:
    keep(memory, owner, "secret", "The code name is Zyxwvut.")
    memory.vaults.change(actor=owner, vault="secret", protection=Protection.MAXIMUM)


def told(local: openai.OpenAI, model: Server, said: str) -> None:
    model.says(said)
    local.chat.completions.create(model="m", messages=user("What is the code name?"))


def sent_again(local: openai.OpenAI, model: Server, said: str) -> tuple[str, int]:
    """What goes to a model elsewhere when a client sends a reply back, and how many passages are withheld."""
    model.says("I do not know.")
    history: Any = [*user("What is it called?"), {"role": "assistant", "content": said}, *user("And again?")]
    raw = local.chat.completions.with_raw_response.create(model="m", messages=history)
    return json.dumps(model.asked[0]), int(raw.headers.get("x-souvenance-withheld", 0))


def elsewhere(memory: Application, owner: Actor) -> None:
    memory.endpoints.change(actor=owner, name="scripted", route=Route.CLOUD)


def erase(memory: Application, owner: Actor) -> None:
    memory.erasures.erase(actor=owner, vault="secret", confirm="secret")


@pytest.mark.parametrize("said", ["It is Zyxwvut.", LONG])
@pytest.mark.parametrize("how", ["kept", "erased", "deleted"])
def test_v8_a_protected_reply_is_known_again_whatever_became_of_its_vault(
    memory: Application, owner: Actor, model: Server, client: Make, secret: None, how: str, said: str
) -> None:
    local = client()
    told(local, model, said)
    if how == "erased":
        erase(memory, owner)
    elif how == "deleted":
        memory.erasures.delete_vault(actor=owner, vault="secret", confirm="secret")
    elsewhere(memory, owner)
    sent, withheld = sent_again(local, model, said)
    assert "Zyxwvut" not in sent
    assert withheld >= 1
    sent, withheld = sent_again(local, model, "It rains, and the river rises by the hour.")
    assert "It rains" in sent
    assert withheld == 0


@pytest.mark.parametrize("is_erased", [False, True])
def test_v8_the_beginning_of_a_protected_reply_is_known_again(
    memory: Application, owner: Actor, model: Server, client: Make, secret: None, is_erased: bool
) -> None:
    """As far as a client got before it stopped; of an erased vault, from 64 characters on."""
    local = client()
    told(local, model, LONG)
    if is_erased:
        erase(memory, owner)
    elsewhere(memory, owner)
    for size in (64, 65, 100, 127, 128, 180, len(LONG) - 1) if is_erased else (5, 17, 50, 90, len(LONG) - 1):
        sent, withheld = sent_again(local, model, LONG[:size])
        assert LONG[:size].strip() not in sent, size
        assert withheld >= 1


def test_v8_what_a_client_heard_before_it_hung_up_is_known_again(
    memory: Application, owner: Actor, model: Server, client: Make, url: str, secret: None
) -> None:
    local = client()
    model.says(LONG)
    model.pause = 0.02
    headers = {"Authorization": f"Bearer {local.api_key}"}
    body = {"model": "m", "messages": user("What is the code name?"), "stream": True}
    heard = ""
    with httpx.stream("POST", f"{url}/chat/completions", json=body, headers=headers, timeout=30) as response:
        for line in response.iter_lines():
            if line.startswith("data: {"):
                choices = json.loads(line[6:])["choices"]
                heard += (choices[0]["delta"].get("content") or "") if choices else ""
            if "Zyxwvut" in heard:
                break
    assert model.gone.wait(10)
    model.pause = 0.0
    for _ in range(100):
        with memory.database.read() as tx:
            if tx.execute(select(tables.protected_reply.c.hash)).first():
                break
    elsewhere(memory, owner)
    sent, _ = sent_again(local, model, heard)
    assert "Zyxwvut" not in sent


def test_v8_an_earlier_version_s_marks_are_known_and_sealed(
    memory: Application, owner: Actor, model: Server, client: Make, secret: None
) -> None:
    local = client()
    told(local, model, "It is Zyxwvut.")
    with memory.database.write() as tx:  # as they stood: of all of a reply only
        tx.execute(tables.protected_reply.delete().where(tables.protected_reply.c.beginning > 0))
        assert tx.execute(update(tables.protected_reply).values(beginning=0)).rowcount == 1
    elsewhere(memory, owner)
    assert "Zyxwvut" not in sent_again(local, model, "It  is Zyxwvut.")[0]
    erase(memory, owner)
    assert "Zyxwvut" not in sent_again(local, model, "It  is Zyxwvut.")[0]


@pytest.mark.parametrize("lost", ["another key", "no key when it was erased"])
def test_v8_without_the_key_that_sealed_them_no_unknown_reply_leaves(
    memory: Application,
    owner: Actor,
    model: Server,
    client: Make,
    secret: None,
    lost: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    local = client()
    told(local, model, "It is Zyxwvut.")

    def unusable(*_given: Any) -> bytes:
        raise NotAllowed("Others may read the master key; it is not used so.")

    if lost != "another key":
        monkeypatch.setattr(Keyring, "derived", unusable)
    erase(memory, owner)
    monkeypatch.undo()
    if lost == "another key":
        monkeypatch.setattr(Keyring, "derived", lambda *_given: b"another key of thirty-two bytes.")
    elsewhere(memory, owner)
    sent, withheld = sent_again(local, model, "It is Zyxwvut.")
    assert "Zyxwvut" not in sent
    assert withheld >= 1
    # What is said from then on is known for what it is: a conversation that begins now goes on as any other.
    for reply, headers in (("Very well then.", {}), ("The river rises.", {"x-souvenance-memory": "off"})):
        model.says(reply)
        local.chat.completions.create(model="m", messages=user("Hello"), extra_headers=headers)
        sent, withheld = sent_again(local, model, reply)
        assert reply in sent
        assert withheld == 0
    assert "Zyxwvut" not in sent_again(local, model, "It is Zyxwvut.")[0]
    assert "Very" not in sent_again(local, model, "Very well, Zyxwvut.")[0]  # no beginning makes it known
