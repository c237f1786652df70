"""`/chat` and what goes with it, as a program asks (C1, C2, C5)."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from scripted import Handler, Raw, Server, model_server
from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.endpoint import Use
from souvenance.memory.remember import Observation

HOME = {"by": "secret-of-serve-json", "headers": {"X-Souvenance-Route": "local"}}


@pytest.fixture
def model(memory: Application, owner: Actor) -> Iterator[Server]:
    with model_server() as server:
        memory.endpoints.add(actor=owner, name="s", base_url=server.url, model="tiny", uses=[Use.ANSWERS])
        memory.vaults.create(actor=owner, name="Harpe")
        memory.facts.remember(actor=owner, vault="harpe", observations=[Observation(content="47 strings")])
        yield server


def test_c1_an_answer_whole_or_as_it_is_said(ask: Any, model: Server) -> None:
    model.says("It has 47 [#1].<<remember who | Ana asked>>", "Forty-seven.")
    whole = ask("POST", "/chat", {"question": "How many strings?"}).json()
    assert whole["answer"] == "It has 47 [#1]."
    assert whole["read"]["badge"] == "All vaults read (Harpe)"
    assert [(one["verb"], one["became"]) for one in whole["wrote"]] == [("remember", "done")]
    streamed = ask("POST", "/chat", {"question": "Sûr ?", "stream": True, "language": "fr"})
    assert streamed.headers["content-type"].startswith("text/event-stream")
    events = [
        (block.split("\n")[0].removeprefix("event: "), json.loads(block.split("\n")[1].removeprefix("data: ")))
        for block in streamed.text.strip().split("\n\n")
    ]
    names = [name for name, _ in events]
    assert names[:2] == ["gathered", "waiting"]
    assert set(names[2:-1]) == {"text"}
    assert names[-1] == "ended"
    assert "".join(values["text"] for name, values in events if name == "text") == "Forty-seven."


@pytest.mark.parametrize("stream", [False, True])
def test_c2_an_answer_that_somebody_stops_says_so(
    ask: Any, model: Server, memory: Application, owner: Actor, stream: bool
) -> None:
    number = ask("POST", "/conversations", {}).json()["conversation"]

    def silent(handler: Handler, _body: Any) -> None:
        memory.conversations.stop(actor=owner, conversation=number)
        handler.server.stop.wait(20)

    model.says(silent)
    stopped = ask("POST", "/chat", {"question": "q", "conversation": number, "stream": stream})
    assert stopped.status_code == (200 if stream else 409)
    told = json.loads(stopped.text.strip().rpartition("data: ")[2]) if stream else stopped.json()
    assert told.get("error", told)["code"] == "stopped"
    (turn,) = ask("GET", f"/conversations/{number}").json()["said"]
    assert (turn["state"], turn["failure"]) == ("stopped", None)


def test_c2_failures_have_a_status_of_their_own_and_end_a_stream(ask: Any, model: Server) -> None:
    model.says(Raw(b"<html>", kind="text/html"), Raw(b"<html>", kind="text/html"))
    failed = ask("POST", "/chat", {"question": "q"})
    assert (failed.status_code, failed.json()["code"]) == (502, "model_unavailable")
    assert "web page" in failed.json()["message"]
    streamed = ask("POST", "/chat", {"question": "q", "stream": True})
    assert streamed.status_code == 200
    assert streamed.text.strip().split("\n\n")[-1].startswith("event: failed\n")
    for bad in ({}, {"question": ""}, {"question": "q", "conversation": 99}, {"question": "q", "more": 1}):
        assert ask("POST", "/chat", bad | {"stream": True}).status_code in {404, 422}


def test_c1_a_language_that_is_not_spoken_is_refused(ask: Any, model: Server) -> None:
    refused = ask("POST", "/chat", {"question": "hello", "language": "xx"})
    assert (refused.status_code, refused.json()["hint"]) == (422, "Say fr or en, or leave it out.")
    model.says("Bonjour.")
    assert ask("POST", "/chat", {"question": "hello", "language": "fr-CA"}).json()["answer"] == "Bonjour."


def test_c5_conversations_are_kept_and_what_was_written_is_undone(ask: Any, model: Server) -> None:
    number = ask("POST", "/conversations", {}).json()["conversation"]
    model.says("Noted.<<remember who | Ana asked>>")
    ask("POST", "/chat", {"question": "I am Ana", "conversation": number})
    (listed,) = ask("GET", "/conversations?query=ana").json()["conversations"]
    assert (listed["title"], listed["turns"]) == ("I am Ana", 1)
    (turn,) = ask("GET", f"/conversations/{number}").json()["said"]
    assert (turn["state"], turn["answer"]) == ("done", "Noted.")
    path = f"/conversations/{number}/turns/1/undo"
    assert ask("POST", path, {"place": 0}).json()["undone"]
    assert ask("POST", path, {"place": 0}).status_code == 409
    assert ask("POST", path, {"place": 5}).status_code == 404
    assert ask("GET", "/vaults/harpe/facts").json()["facts"][0]["content"] == "47 strings"
    assert ask("PATCH", f"/conversations/{number}", {"without_memory": True}).json()["without_memory"]
    assert ask("DELETE", f"/conversations/{number}").json() == {"deleted": number}


def test_c2_endpoints_are_the_owners_and_show_no_key(ask: Any, model: Server) -> None:
    made = ask("POST", "/endpoints", {"name": "w", "base_url": model.url, "model": "m", "key": "sk-hidden-1"}, **HOME)
    assert made.status_code == 201
    assert "sk-hidden-1" not in made.text
    tested = ask("POST", "/endpoints/w/test", **HOME).json()
    assert (tested["answers"], tested["dimension"]) == (True, 8)
    assert ask("PUT", "/endpoints/uses/embeddings", {"endpoint": "w"}, **HOME).status_code == 200
    listed = {one["name"]: one for one in ask("GET", "/endpoints", **HOME).json()["endpoints"]}
    assert listed["w"] | {"created_at": "", "updated_at": ""} == {
        "name": "w", "base_url": model.url, "model": "m", "has_key": True, "route": "local", "takes_schema": False,
        "dimension": 8, "uses": ["embeddings"], "created_at": "", "updated_at": "",
    }  # fmt: skip
    ask("POST", "/chat", {"question": "q"})
    (spent,) = ask("GET", "/spending", **HOME).json()["spending"]
    counts = {"calls": 1, "sent": 11, "received": 7, "estimated": 0, "broken_off": 0}
    assert spent == {"vault": "harpe", "use": "answers"} | counts
