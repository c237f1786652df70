"""A chat completion as a client asks for it: what memory needs of it is read, all the rest passes through untouched."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from souvenance.domain.errors import InvalidInput
from souvenance.exchange.events import Said

MEMORY_HEADER = "x-souvenance-memory"
VAULTS_HEADER = "x-souvenance-vaults"
FIELD = "souvenance"
"""A field of the body, for clients that set no headers: `{"memory": false, "vaults": ["harp"]}`; not passed on."""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A request: its body without our own field, the question in it, what was said before, and how memory is wanted."""

    body: Json
    question: str
    history: tuple[Said, ...]
    with_memory: bool = True
    vaults: tuple[str, ...] | None = None

    @property
    def is_stream(self) -> bool:
        """Whether the client reads events."""
        return self.body.get("stream") is True

    @property
    def beside(self) -> list[str]:
        """What else is put before the model: instructions, calls of tools and what they answered, names."""
        own = [one for one in self.body["messages"] if one.get("role") not in {"user", "assistant"}]
        said = [text_of(one) for one in own]
        for one in self.body["messages"]:
            more = {name: value for name, value in one.items() if name not in {"role", "content"}}
            said += _strings(more)
        return [*said, *_strings(self.body.get("tools")), *_strings(self.body.get("functions"))]

    @property
    def may_ask(self) -> bool:
        """Whether the model may be told how to ask of memory: not where its reply must have a form of its own."""
        form = self.body.get("response_format")
        return not (isinstance(form, dict) and form.get("type") not in {None, "text"})

    def upstream(self, memory: str, withheld: frozenset[str], hidden: str) -> Json:
        """The body as the endpoint is sent it: memory as one system message behind the client's own, and what may not
        leave over its route put out of sight."""
        messages = _hiding(self.body["messages"], withheld, hidden) if withheld else [*self.body["messages"]]
        if memory:
            at = next((place for place, one in enumerate(messages) if one.get("role") not in _OWN), len(messages))
            messages.insert(at, {"role": "system", "content": memory})
        return self.body | {"messages": messages}


_OWN = {"system", "developer"}


def read_completion(raw: bytes, headers: Mapping[str, str]) -> Completion:
    """Read a request; refuses what is no chat completion."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        raise InvalidInput("The body is not valid JSON in UTF-8.", hint="Send a chat completion.") from None
    if not isinstance(body, dict):
        raise InvalidInput("The body is no JSON object.", hint="Send a chat completion.")
    own = body.pop(FIELD, None)
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages or not all(isinstance(one, dict) for one in messages):
        raise InvalidInput("`messages` is a list of at least one message.", hint="Send a chat completion.")
    if not isinstance(body.get("model"), str) or not body["model"]:
        raise InvalidInput("`model` is the name of a model.", hint="GET /v1/models lists them.")
    said = [(place, Said(text=text, by_model=one.get("role") == "assistant"))
            for place, one in enumerate(messages) if one.get("role") in {"user", "assistant"}
            for text in (text_of(one), called(one))]  # fmt: skip
    asked = next((place for place, one in reversed(said) if not one.by_model and one.text.strip()), None)
    question = "" if asked is None else text_of(messages[asked])
    history = tuple(one for place, one in said if place != asked and one.text.strip())
    found = Completion(body=body, question=question, history=history)
    return _wished(found, own, headers)


def _wished(found: Completion, own: Any, headers: Mapping[str, str]) -> Completion:
    if own is not None:
        if not isinstance(own, dict) or set(own) - {"memory", "vaults"}:
            raise InvalidInput(f"`{FIELD}` knows `memory` and `vaults`.", hint='{"memory": false, "vaults": ["harp"]}')
        found = replace(found, with_memory=_switch(own.get("memory", True)), vaults=_names(own.get("vaults")))
    if MEMORY_HEADER in headers:
        found = replace(found, with_memory=_switch(headers[MEMORY_HEADER]))
    if VAULTS_HEADER in headers:
        found = replace(found, vaults=_names(headers[VAULTS_HEADER].split(",")))
    return found


def _switch(value: Any) -> bool:
    said = value.strip().lower() if isinstance(value, str) else value
    if said in (True, "on", "true", "1"):
        return True
    if said in (False, "off", "false", "0"):
        return False
    raise InvalidInput("Memory is on or off.", hint=f"Send {MEMORY_HEADER}: off, or leave it out.")


def _names(value: Any) -> tuple[str, ...] | None:
    if value is None:
        return None
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or len(names) > 100:
        raise InvalidInput("`vaults` is a list of names.", hint="Leave it out to read by attention.")
    return tuple(name.strip() for name in names if name.strip()) or None


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message, of all its parts that are text."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts: Sequence[Any] = content if isinstance(content, list) else ()
    texts = [one.get("text") for one in parts if isinstance(one, dict)]
    return "\n".join(one for one in texts if isinstance(one, str))


def _strings(value: Any, depth: int = 20) -> list[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in inner for text in _strings(one, depth - 1)] if depth else []


class Call(NamedTuple):
    """A call of a tool, or a piece of one: its place among several where it is told, its id, its name and arguments."""

    place: int | None
    id: str
    text: str


OLD_CALL = -1
"""The place of the one call that a message may make in the older form, `function_call`: it has no index, nor an id."""


def tool_calls(message: Any) -> list[Call]:
    """The calls of tools in a message, or the pieces of them in a part of one, in either form."""
    whole = message if isinstance(message, dict) else {}
    old = whole.get("function_call")
    found = [Call(OLD_CALL, "", _called(old, "arguments"))] if isinstance(old, dict) else []
    calls = whole.get("tool_calls")
    for one in calls if isinstance(calls, list) else ():
        kind = _kind(one)
        if kind:
            index = one.get("index")
            found.append(
                Call(index if type(index) is int else None, str(one.get("id") or ""), _called(one[kind], _KINDS[kind]))
            )
    return found


def _called(call: Json, given: str) -> str:
    """The name of a call and what it is made with; some endpoints give that as an object."""
    parts = (call.get(name) or "" for name in ("name", given))
    return "".join(one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in parts)


_KINDS = {"function": "arguments", "custom": "input"}
"""Under which name a call of each kind holds what it was made with."""


def _kind(call: Any) -> str:
    return next((kind for kind in _KINDS if isinstance(call, dict) and isinstance(call.get(kind), dict)), "")


def _blank(call: Any) -> Any:
    kind = _kind(call)
    return call | {kind: call[kind] | {_KINDS[kind]: "{}"}} if kind else call


def called(message: Mapping[str, Any]) -> str:
    """Which tools a message calls with what: what a model says in this way is as protected as its words (V8)."""
    return "\n".join(call.text for call in tool_calls(message))


def _hiding(messages: Sequence[Json], withheld: frozenset[str], hidden: str) -> list[Json]:
    """The messages, those that may not leave without their contents: words, thoughts, what tools were called with and
    what these answered. Their form stays, which endpoints insist on."""
    shown: list[Json] = []
    ids: set[str] = set()
    asked: str | None = None
    for one in messages:
        own = {text for text in (text_of(one), called(one)) if text}
        if one.get("role") in {"user", "assistant"}:
            asked = None
        if one.get("role") in {"user", "assistant"} and own & withheld:
            ids |= {call.id for call in tool_calls(one) if call.id}
            old = one.get("function_call")
            asked = str(old.get("name")) if isinstance(old, dict) else None
            shown.append(_without_contents(one, hidden))
        else:
            answers = one.get("role") == "tool" and one.get("tool_call_id") in ids
            answers = answers or (one.get("role") == "function" and asked is not None and str(one.get("name")) == asked)
            shown.append(one | {"content": hidden} if answers else one)
    return shown


_FORM = ("role", "name", "content", "tool_calls", "function_call")


def _without_contents(message: Json, hidden: str) -> Json:
    """What a message is, without what it says: of other fields, such as a model's thoughts, nothing stays."""
    form = {name: message[name] for name in _FORM if name in message}
    if form.get("content"):
        form["content"] = hidden
    if isinstance(form.get("tool_calls"), list):
        form["tool_calls"] = [*map(_blank, form["tool_calls"])]
    if isinstance(form.get("function_call"), dict):
        form["function_call"] = form["function_call"] | {"arguments": "{}"}
    return form
