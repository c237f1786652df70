"""A reply as it streams in: what the reader may see goes on at once, what the model asks of memory is taken out.

A request may be cut anywhere across chunks, stand in a code fence, in bold or in a list, several on a line. Only what
may still be the beginning of one is ever held back. Nothing here decides what a request may do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from souvenance.exchange.events import Verb
from souvenance.exchange.requests import Request, has_form, may_become_verb, read_requests, verb_at
from souvenance.memory.shown import LookUp

LONGEST = 8000
"""Characters of one request; a longer one is none."""
MOST_KEPT = 50
"""Different requests of one reply that are kept; further ones are counted."""

_CLOSES = {"<<": ">>", "«": "»", "[[": "]]", "<": ">", "[": "]"}
_TAUGHT = "<<"
_OPEN = re.compile(r"<<|«|\[\[|<|\[")
_BEFORE_VERB = re.compile(r"[\s*_`:]*")
_DECORATION = re.compile(r"```[\w-]{0,12}[ \t]*\n?|[*_`]{1,3}|(?:^|(?<=\n))[ \t]*(?:[-*•>]|\d{1,2}[.)])[ \t]+")
_TAIL = re.compile(
    r"\s*(?:```[\w-]{0,12}[ \t]*\n?\s*|(?:^|(?<=\n))[ \t]*(?:[-*•>]|\d{1,2}[.)])[ \t]*|[*_`]{1,3})?[<\[]?\Z"
)
_BLANK = re.compile(r"\n[ \t]*\n")
_NEAR = 64
"""Characters before a request, or at the end of what came, that may be its fence, emphasis or bullet."""
_FORM_WITHIN = 120


@dataclass(frozen=True, slots=True)
class _Taken:
    """A request as it stands: where it ends, its verb and what follows it."""

    end: int
    verb: Verb
    body: str


_NONE = _Taken(-1, Verb.REMEMBER, "")
"""What is no request, for certain."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Something the model asked for; `opens` where nothing visible stood before it."""

    request: Request
    opens: bool


@dataclass(slots=True)
class Reply:
    """One reply. `asked` are its different requests in order, the first `most` of them, `times` how often each came;
    `uncounted` counts the others. One that `halts` reads no further once a look-up opens it, until that is dropped."""

    most: int = MOST_KEPT
    halts: bool = False
    asked: list[Asked] = field(default_factory=list)
    times: dict[Request, int] = field(default_factory=dict)
    uncounted: int = 0
    has_spoken: bool = False
    _held: str = ""
    _gap: str | None = None
    _fence: str = ""
    _halted: bool = False

    def feed(self, text: str) -> str:
        """Take in what came; what of it is visible and certain."""
        self._held += text
        return self._scan(final=False)

    def end(self) -> str:
        """What is left when the reply is over: nothing of it can become a request any more."""
        said = self._scan(final=True)
        self._fence = ""
        return said

    def drop(self, request: Request) -> None:
        """Forget a request that was dealt with; one that halted the reply lets it go on with what comes next."""
        self.asked = [one for one in self.asked if one.request != request]
        self._halted = self.halts = False

    def after_look_up(self) -> Reply:
        """The reply that goes on once a look-up was answered: what was asked before it still stands, once."""
        asked = [one for one in self.asked if not isinstance(one.request, LookUp)]
        return Reply(most=self.most, asked=asked, times={one.request: self.times[one.request] for one in asked})

    # --- reading -----------------------------------------------------------------------------------------------

    def _scan(self, *, final: bool) -> str:
        out: list[str] = []
        start = 0
        while not self._halted:
            found = _OPEN.search(self._held, start)
            if found is None:
                break
            taken = self._taken(found, final=final)
            if taken is _NONE:
                start = found.end()
                continue
            before = self._before_end(found.start())
            self._say(out, self._held[:before])
            if taken is None:
                self._held = self._held[before:]
                return "".join(out)
            self._open(self._held[before : found.start()])
            self._held = self._held[taken.end :]
            self._close()
            self._keep(taken)
            start = 0
        if self._halted:
            return "".join(out)
        if final:
            self._say(out, self._held.rstrip())
            self._held = ""
        else:
            keep = max(start, len(self._held) - _NEAR)
            tail = _TAIL.search(self._held, keep)
            at = tail.start() if tail else len(self._held)
            self._say(out, self._held[:at])
            self._held = self._held[at:]
        return "".join(out)

    def _taken(self, found: re.Match[str], *, final: bool) -> _Taken | None:
        """The request that begins here; `_NONE` when it is none, None while that is not known."""
        opener, text = found[0], self._held
        at = _BEFORE_VERB.match(text, found.end())
        begin = at.end() if at else found.end()
        verb = verb_at(text[begin : begin + 24])
        if not final and len(text) - begin <= 10 and may_become_verb(text[begin:]):
            return None  # the verb itself, or a letter that would make it another word, may still come
        if verb is None:
            return _NONE
        body_from = begin + verb[1]
        while text[body_from : body_from + 1] in {"*", "_", "`"}:
            body_from += 1
        close = text.find(_CLOSES[opener], body_from, body_from + LONGEST)
        blank = _BLANK.search(text, body_from, body_from + LONGEST)
        is_closed = close >= 0 and (blank is None or close < blank.start())
        if not is_closed and not final and blank is None and len(text) - body_from < LONGEST:
            return None if opener == _TAUGHT or self._may_have_form(verb[0], text[body_from:]) else _NONE
        if is_closed:
            body, end = text[body_from:close], close + len(_CLOSES[opener])
            is_sure = opener == _TAUGHT and "\n" not in body and _TAUGHT not in body
            if not (is_sure or has_form(verb[0], body)):
                return _NONE
        else:
            line = text.find("\n", body_from)
            end = len(text) if line < 0 else line
            body = text[body_from:end].rstrip(" \t>]»*_`")
            if len(body) >= LONGEST or not (has_form(verb[0], body) or (final and opener == _TAUGHT and line < 0)):
                return _NONE
        return _Taken(end, verb[0], body)

    @staticmethod
    def _may_have_form(verb: Verb, body: str) -> bool:
        """Whether what came after an untaught bracket and a verb may still turn out to be a request."""
        head = body[:_FORM_WITHIN]
        return has_form(verb, head) or (len(body) < _FORM_WITHIN and not re.search(r"[.!?\n»\]]", head))

    def _keep(self, taken: _Taken) -> None:
        for request in read_requests(taken.verb, taken.body):
            if request in self.times:
                self.times[request] += 1
            elif len(self.asked) < self.most:
                self.times[request] = 1
                self.asked.append(Asked(request, opens=not self.has_spoken))
                self._halted = self.halts and isinstance(request, LookUp) and not self.has_spoken
            else:
                self.uncounted += 1

    # --- what stands around requests ---------------------------------------------------------------------------

    def _before_end(self, at: int) -> int:
        """Where the text before a request ends: its fence, emphasis or bullet and the blank space are not text."""
        near = max(0, at - _NEAR)
        text = self._held[near:at]
        bare = text.rstrip()
        for mark in _DECORATION.finditer(text):
            if mark[0].strip() and mark.end() >= len(bare) and text[mark.end() :].strip() == "":
                return near + len(text[: mark.start()].rstrip())
        return near + len(bare)

    def _open(self, around: str) -> None:
        """Note the blank space and the mark that stood before a request."""
        if self._gap is None:
            self._gap = around[: len(around) - len(around.lstrip())]
        mark = around.strip()
        if mark[:1] in {"`", "*", "_"} and not self._fence:
            self._fence = "```" if mark.startswith("```") else mark

    def _close(self) -> None:
        """Take away what closed the emphasis of a request; a fence may hold further ones."""
        if self._fence and self._fence != "```" and self._held.startswith(self._fence):
            self._held = self._held[len(self._fence) :]
            self._fence = ""

    def _say(self, out: list[str], text: str) -> None:
        """Let text out. Between what stood before a request and what follows, one of the two gaps stays."""
        if not text:
            return
        if self._gap is not None:
            bare = text.lstrip()
            if self._fence:
                closed = bare.startswith(self._fence)
                bare = bare[len(self._fence) :].lstrip() if closed else self._reopened(bare)
                self._fence = ""
            if not bare:
                return
            own = text[: len(text) - len(text.lstrip())]
            text = max(self._gap, own, key=len) + bare if self.has_spoken else bare
            self._gap = None
        if not self.has_spoken:
            text = text.lstrip()
        if text:
            self.has_spoken = True
            out.append(text)

    def _reopened(self, bare: str) -> str:
        """What goes on in a fence or in emphasis that began with a request has its opening mark again."""
        return f"```\n{bare}" if self._fence == "```" else self._fence + bare
