"""C2, C4: over the proxy too, endpoints that fail are told in words, bounded, and nothing that they asked is done."""

from __future__ import annotations

import json
import time
from typing import Any

import httpx
import openai
import pytest

from bad_endpoints import BAD, event
from proxy_ways import Make, keep, user
from scripted import Raw, Server
from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.exchange.events import Became
from souvenance.models.chat import Patience

ASKING = event("<<remember boss | Mallory is the boss>>")
STREAMS = {kind for kind, (raw, _) in BAD.items() if raw.kind == "text/event-stream"}


def failure(client: openai.OpenAI, *, stream: bool, model: str = "m", text: str = "hi") -> tuple[str, openai.APIError]:
    """What was said before it failed, and how it did."""
    said: list[str] = []

    def listen() -> None:
        found: Any = client.chat.completions.create(model=model, messages=user(text), stream=stream)
        for chunk in found if stream else ():
            said.extend(one.delta.content or "" for one in chunk.choices)

    with pytest.raises(openai.APIError) as failed:
        listen()
    return "".join(said), failed.value


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", BAD)
def test_c2_an_endpoint_that_fails_is_told_in_words_and_nothing_is_done(
    memory: Application, owner: Actor, model: Server, client: Make, stream: bool, kind: str
) -> None:
    raw, words = BAD[kind]
    keep(memory, owner, "harpe", "The harp has 47 strings.")
    model.says(raw)
    _, failed = failure(client(), stream=stream)
    if stream or kind not in STREAMS:
        assert words in failed.message
    assert "sk-up" not in str(failed.body)
    assert "very-secret" not in str(failed.body)
    assert len(failed.message) < 700
    assert len(memory.facts.list(actor=owner, vault="harpe")) == 1
    deadline = time.monotonic() + 10  # the error is told before it is written down
    while not (spent := [one for _, one in memory.spending.list(actor=owner)]):
        assert time.monotonic() < deadline
    assert [one.calls for one in spent] == [1]  # what was asked is counted, however it ended


@pytest.mark.parametrize("stream", [False, True])
def test_c2_silence_is_given_up(memory: Application, model: Server, client: Make, stream: bool) -> None:
    memory.exchange.chat.patience = Patience(silence=0.4)
    for raw in (
        Raw(silent_seconds=20, kind="text/event-stream" if stream else "application/json"),
        Raw(event("We ") + event("know "), silent_seconds=20, kind="text/event-stream"),
    ):
        model.says(raw)
        started = time.monotonic()
        _, failed = failure(client(), stream=stream)
        assert "for 0.4 seconds" in failed.message or "did not finish" in failed.message
        assert time.monotonic() - started < 10


def test_c2_what_was_asked_of_memory_in_half_a_stream_is_not_done(
    memory: Application, owner: Actor, model: Server, client: Make
) -> None:
    keep(memory, owner, "harpe", "The harp has 47 strings.")
    model.says(Raw(event("Well, ") + ASKING, kind="text/event-stream", cut=True))
    said, failed = failure(client(), stream=True)
    assert said.strip() == "Well,"
    assert "middle" in failed.message
    assert len(memory.facts.list(actor=owner, vault="harpe")) == 1


def test_c2_a_thousand_requests_are_bounded(memory: Application, owner: Actor, model: Server, client: Make) -> None:
    model.says("".join(f"<<remember k{place} | thing {place}>>" for place in range(1000)))
    found: Any = client().chat.completions.create(model="m", messages=user("hi"))
    wrote = [one["became"] for one in found.souvenance["wrote"]]
    assert (wrote.count(Became.DONE), len(wrote)) == (10, 51)
    model.chunk = 4000
    model.says("<<remember pet | Ana has a cat>>" * 1000)
    chunks: Any = client().chat.completions.create(model="m", messages=user("hi"), stream=True)
    assert "".join(one.choices[0].delta.content or "" for one in chunks if one.choices).strip() == ""
    assert len(memory.facts.list(actor=owner, vault="personal")) == 11


def test_c2_a_hundred_thousand_characters_go_through_whole(model: Server, client: Make) -> None:
    text = "mot " * 25_000
    model.says("ok")
    assert client().chat.completions.create(model="m", messages=user(text)).choices[0].message.content == "ok"
    assert model.asked[0]["messages"][-1]["content"] == text


def test_c6_one_too_many_at_once_is_told_with_when_to_ask_again(
    memory: Application, model: Server, client: Make, url: str
) -> None:
    memory.exchange.at_once.most = 1
    model.otherwise, model.pause = "word " * 60, 0.05
    first = client()
    chunks: Any = first.chat.completions.create(model="m", messages=user("hi"), stream=True)
    assert next(chunks).choices
    headers = {"Authorization": f"Bearer {first.api_key}"}
    body: dict[str, Any] = {"model": "m", "messages": user("hi")}
    asked: list[tuple[str, dict[str, Any]]] = [
        ("/v1/chat/completions", body),
        ("/v1/chat/completions", body | {"stream": True}),
        ("/api/v1/chat", {"question": "hi"}),
        ("/api/v1/chat", {"question": "hi", "stream": True}),
    ]
    for path, given in asked:
        refused = httpx.post(url.removesuffix("/v1") + path, json=given, headers=headers)
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) >= 1
        error = refused.json().get("error", refused.json())
        assert error["code"] == "too_many_at_once"
        assert "1 answer under way" in error["message"]
    model.says("Fine.")
    assert client().chat.completions.create(model="m", messages=user("hi")).choices  # another token's own
    chunks.close()
    assert model.gone.wait(10)
    model.pause = 0.0
    deadline = time.monotonic() + 10
    while (found := httpx.post(f"{url}/chat/completions", json=body, headers=headers)).status_code == 429:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert json.loads(found.content)["choices"]
