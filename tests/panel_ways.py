"""Every way of the panel as a visitor takes it: what fills its address and its form, and who may go it."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class For(StrEnum):
    """Whom a way is for, where it leads to something of a vault of somebody's team."""

    DOOR = "whoever comes in"
    SELF = "everybody who is signed in, on what is theirs"
    READ = "who reads the vault; to others it is unknown"
    CHANGE = "who configures the vault; readers are refused, to others it is unknown"
    MINE = "one person alone; to others it is unknown"
    MACHINE = "the owner of the machine alone"
    TEAM = "who configures the team; members are refused, to others it is unknown"
    MEMBER = "members of the team; to others it is unknown"


@dataclass(frozen=True, kw_only=True)
class Case:
    """How a way is gone.

    `file`: the field of a file; `answers`: the statuses of those who may go it, `unknown`: of those to whom there is no
    such thing; `last`: what ends things goes last.
    """

    whom: For
    form: dict[str, Any] = field(default_factory=dict)
    query: str = ""
    file: str = ""
    answers: tuple[int, ...] = (200, 204, 303)
    unknown: tuple[int, ...] = (404,)
    last: bool = False


def _self(**given: Any) -> Case:
    return Case(whom=For.SELF, **given)


def _read(**given: Any) -> Case:
    return Case(whom=For.READ, **given)


def _change(**given: Any) -> Case:
    return Case(whom=For.CHANGE, **given)


def _mine(**given: Any) -> Case:
    return Case(whom=For.MINE, **given)


WRONG = {"confirm": "not its name"}
FACT = {
    "content": "zorglub anew",
    "key": "",
    "version": "1",
    "subject_kind": "vault",
    "subject_id": "",
    "confidence": "100",
}
ENDPOINT = {"name": "none", "base_url": "http://127.0.0.1:9/v1", "model": "m", "key": "", "route": "local"}

CASES: dict[str, Case] = {
    # --- coming in
    "GET /login": Case(whom=For.DOOR),
    "POST /login": Case(whom=For.DOOR, form={"handle": "nobody", "password": "not the right one"}, answers=(401,)),
    "GET /enter/{secret}": Case(whom=For.DOOR, answers=(303, 401)),
    "GET /join/{secret}": Case(whom=For.DOOR, answers=(404,)),
    "POST /join/{secret}": Case(
        whom=For.DOOR, form={"handle": "ada", "password": "harps have strings"}, answers=(404,)
    ),
    "POST /logout": Case(whom=For.DOOR, last=True),
    "GET /live/missed": _self(query="?after=0"),
    # --- the chat
    "GET /": _self(),
    "GET /chat/list": _self(),
    "GET /chat/mentions": _self(),
    "POST /chat/begin": _self(form={"question": "What hums?"}),
    "GET /chat/{conversation:int}": _mine(),
    "GET /chat/{conversation:int}/earlier": _mine(query="?before=2"),
    "GET /chat/{conversation:int}/since": _mine(query="?since=1"),
    "GET /chat/{conversation:int}/scope": _mine(),
    "GET /chat/{conversation:int}/follow": _mine(),
    "POST /chat/{conversation:int}/ask": _mine(form={"question": "What hums?"}),
    "POST /chat/{conversation:int}/stop": _mine(),
    "POST /chat/{conversation:int}/rename": _mine(form={"title": "Humming"}),
    "POST /chat/{conversation:int}/delete": _mine(last=True),
    "GET /chat/{conversation:int}/turns/{turn:int}/read": _mine(),
    "POST /chat/{conversation:int}/turns/{turn:int}/undo/{place:int}": _mine(answers=(404,)),
    "GET /welcome": _self(),
    "GET /welcome/steps": _self(),
    "POST /welcome/teach": _change(form={"content": "zorglub hums", "where": "harpe"}),
    "POST /welcome/ask": _self(form={"question": "What hums?"}),
    "POST /welcome/later": _self(),
    # --- scope and vaults
    "GET /scope/pill": _self(),
    "POST /scope/all": _self(),
    "POST /scope/auto": _self(),
    "POST /scope/tick": _read(form={"vault": "harpe"}),
    "POST /scope/undo": _self(answers=(200, 409)),
    "POST /scope/none": _self(),
    "POST /scope/only/{vault}": _read(),
    "POST /scope/weight/{vault}": _read(form={"weight-harpe": "50"}),
    "GET /vaults": _self(),
    "GET /vaults/board": _self(),
    "POST /vaults/new": _self(form={"name": "Lute", "kind": "project", "description": "", "colour": ""}),
    "POST /vaults/all": _self(),
    "POST /vaults/undo": _self(answers=(200, 409)),
    "POST /vaults/{vault}/attention": _read(form={"weight": "50"}),
    "POST /vaults/{vault}/solo": _read(),
    "GET /vaults/{vault}": _read(),
    "GET /vaults/{vault}/about": _read(unknown=(200,)),  # a window of a vault that is gone is told so in its place
    "GET /vaults/{vault}/delete": _change(),
    "POST /vaults/{vault}/change": _change(
        form={"name": "Harpe", "description": "d", "colour": "", "seen": "2024-01-01T00:00:00Z"}
    ),  # too old: both are shown
    "POST /vaults/{vault}/protection": _change(form={"protection": "normal"}),
    "POST /vaults/{vault}/delete": _change(form=WRONG, answers=(422,)),
    "GET /vaults/{vault}/folders": _read(unknown=(200,)),
    "POST /vaults/{vault}/folders/census": Case(whom=For.MACHINE, form={"path": "/nowhere-at-all"}, answers=(422,)),
    "POST /vaults/{vault}/folders/watch": Case(whom=For.MACHINE, form={"path": "/nowhere-at-all"}, answers=(422,)),
    "GET /vaults/{vault}/folders/{folder}/problems": _read(),
    "POST /vaults/{vault}/folders/{folder}/unwatch": _change(form={"keep": "1"}, last=True),
    "POST /vaults/{vault}/folders/{folder}/{deed:str}": _change(),
    # --- the map
    "GET /map": _self(),
    "GET /map/data": _self(),
    "GET /map/weights": _self(),
    "GET /map/list": _self(),
    "GET /map/node/{node}": _read(),
    "POST /map/node/{node}/disabled": _change(query="?off=0"),
    # --- the memory
    "GET /memory": _self(),
    "GET /memory/{vault}": _read(),
    "GET /fact/{number}": _read(),
    "GET /facts": _read(query="?vault=harpe"),
    "POST /facts": _change(form={"to": "harpe", "content": "zorglub added"}),
    "GET /memory/{vault}/summary": _read(),
    "GET /memory/{vault}/summary/edit": _read(),
    "POST /memory/{vault}/summary": _change(form={"content": "zorglub in short", "version": ""}),
    "POST /memory/{vault}/restore-all": _change(),
    "POST /memory/{vault}/empty-trash": _change(),
    "GET /fact/{number}/row": _read(),
    "GET /fact/{number}/edit": _read(),
    "GET /fact/{number}/menu": _read(),
    "POST /fact/{number}": _change(form=FACT),
    "GET /fact/{number}/retire": _read(),
    "POST /fact/{number}/retire": _change(form={"reason": "r", "version": "1"}),
    "POST /fact/{number}/restore": _change(),
    "POST /fact/{number}/delete": _change(),
    "GET /fact/{number}/purge": _read(),
    "POST /fact/{number}/purge": _change(),
    "GET /fact/{number}/move": _read(),
    "POST /fact/{number}/move": _change(form={"to": "lyre"}),
    "GET /fact/{number}/history": _read(),
    "POST /fact/{number}/back": _change(query="?change={change}"),
    "GET /facts/bulk/{action}": _self(query="?number={number}"),
    "POST /facts/bulk/{action}": _self(query="?number={number}"),
    "GET /memory/{vault}/ladder": _read(unknown=(200,)),  # a window of a vault that is gone is told so in its place
    "GET /memory/{vault}/waiting": _read(unknown=(200,)),
    "GET /memory/{vault}/steps": _read(),
    "GET /memory/{vault}/steps/{step}": _read(),
    "POST /memory/{vault}/step": _change(form={"step": "semantic"}),
    "GET /memory/{vault}/proposals": _read(),
    "GET /memory/{vault}/proposals/board": _read(),
    "POST /memory/{vault}/proposals/{proposal}": _change(form={"answer": "keep_both"}),
    "POST /memory/{vault}/pass": _change(form={"anyway": "yes"}),
    "GET /memory/{vault}/erase": _change(),
    "POST /memory/{vault}/erase/preview": _change(form={"what": "vault"}),
    "POST /memory/{vault}/erase": _change(form={"what": "vault", **WRONG}, answers=(422,)),
    "GET /memory/{vault}/receipts": _change(),
    "GET /memory/{vault}/import": _read(),
    "POST /memory/{vault}/import": _change(form={"deed": "import"}, file="files"),
    "POST /memory/{vault}/import/facts": _change(form={"deed": "import", "form": "csv"}, file="file", answers=(422,)),
    "POST /memory/{vault}/import/chats": _change(form={"deed": "import"}, file="file", answers=(422,)),
    "GET /memory/{vault}/export": _read(),
    # --- notes
    "GET /notes": _self(),
    "GET /notes/feed": _self(),
    "GET /notes/tree": _read(query="?note={note}"),
    "GET /notes/branch": _read(query="?vault=harpe"),
    "GET /notes/trash": _self(),
    "GET /notes/trash/list": _self(),
    "POST /notes/trash/{note}/restore": _change(),
    "POST /notes/trash/{note}/purge": _change(),
    "GET /notes/new": _self(query="?vault=harpe"),
    "POST /notes/new": _change(form={"vault": "harpe", "title": "New", "content": "zorglub", "folder": ""}),
    "POST /notes/preview": _read(form={"note": "{note}", "content": "a [[b]]"}),
    "GET /n/{note}/edit": _read(),
    "GET /m/{note}/edit": _read(),
    "POST /n/{note}/edit": _change(form={"content": "zorglub again", "version": "1"}),
    "POST /m/{note}/edit": _change(form={"content": "zorglub again", "version": "1"}),
    "GET /n/{note}/edit/news": _read(unknown=(200,)),  # a window of a note that is gone says so
    "GET /m/{note}/edit/news": _read(unknown=(200,)),
    "GET /notes/history": _self(),
    "GET /notes/history/more": _self(),
    "GET /notes/history/plan": _self(query="?who=agent:nobody", answers=(200, 404)),
    "POST /notes/history/revert": _self(form={"who": "agent:nobody"}, answers=(200, 404)),
    "GET /n/{note}/history": _read(),
    "GET /m/{note}/history": _read(),
    "GET /n/{note}/history/list": _read(),
    "GET /n/{note}/history/{change}": _read(),
    "POST /n/{note}/history/{change}/restore": _change(),
    "GET /n/{note}": _read(),
    "GET /m/{note}": _read(),
    "GET /n/{note}/article": _read(),
    "GET /m/{note}/article": _read(),
    "POST /n/{note}/rename": _change(form={"title": "Renamed {note}"}),
    "POST /n/{note}/move": _change(form={"folder": "shelf"}),
    "POST /n/{note}/digest": _change(form={"digest": "d"}),
    "POST /n/{note}/undo/{what}": _change(query="?value=d"),
    "POST /n/{note}/mute": _change(form={"muted": "yes"}),
    "POST /n/{note}/disable": _change(form={"disabled": "yes"}),
    "POST /n/{note}/pin": _read(form={"pinned": "yes"}),
    "POST /n/{note}/delete": _change(),
    "POST /n/{note}/restore": _change(),
    "POST /n/{note}/purge": _change(),
    "GET /notes/memory": _self(),
    "GET /notes/memory/index": _self(),
    # --- agents
    "GET /agents": _self(),
    "POST /agents/tokens": _self(form={"name": "laptop", "reach": "all"}),
    "POST /agents/tokens/{token:int}/revoke": _mine(),
    "GET /agents/context": _self(),
    "GET /agents/context/board": _self(query="?project=harpe"),
    "GET /agents/context/notes": _self(query="?q=hums"),
    "POST /agents/context/put": _read(form={"place": "pins", "note": "/n/{note}"}),
    "POST /agents/context/take": _self(form={"place": "pins", "note": "0" * 12}, answers=(404,)),
    "POST /agents/context/move": _self(form={"place": "pins", "note": "0" * 12}),
    "POST /agents/context/order": _self(form={"entry": "memory", "deed": "out"}),
    "POST /agents/context/budget": _self(form={"tokens": "2000"}),
    "POST /agents/context/mute": _change(form={"note": "{note}"}),
    "POST /agents/context/unmute": _change(form={"note": "{note}"}),
    "GET /agents/activity": _self(),
    "GET /agents/activity/more": _self(),
    # --- settings
    "GET /settings": _self(),
    "POST /settings/profile": _self(form={"display_name": "Ada", "language": "", "theme": "", "time_zone": "UTC"}),
    "POST /settings/password": _self(form={"old": "", "new": "short"}, answers=(422,)),
    "POST /settings/sessions/others/revoke": _self(),
    "POST /settings/sessions/{session:int}/revoke": _mine(),
    "GET /settings/answers": _self(),
    "GET /settings/answers/{vault}": _read(),
    "POST /settings/answers/{vault}": _change(form={"max_injected": "5"}),
    "POST /settings/answers/{vault}/preview": _read(form={"message": "m"}),
    "POST /settings/answers/{vault}/channels": _change(form={"read": "all", "write": "all"}, answers=(404, 422)),
    "GET /settings/endpoints": _self(),
    "POST /settings/endpoints": _self(form={**ENDPOINT, "name": "mine"}),
    "POST /settings/endpoints/change": _self(form=ENDPOINT, answers=(404,)),
    "POST /settings/endpoints/remove": _self(form=ENDPOINT, answers=(404,)),
    "POST /settings/endpoints/test": _self(form=ENDPOINT, answers=(404,)),
    "POST /settings/endpoints/uses/{use}": _self(form={"endpoint": ""}),
    "GET /team": _self(),
    "POST /team": _self(form={"name": "Lutists"}),
    "POST /team/{team:int}/rename": Case(whom=For.TEAM, form={"name": "Harpists"}),
    "POST /team/{team:int}/invite": Case(whom=For.TEAM),
    "POST /team/{team:int}/invitations/{invitation:int}/withdraw": Case(whom=For.TEAM),
    "POST /team/{team:int}/configure": Case(whom=For.TEAM, form={"member": "reader", "can_configure": "0"}),
    "POST /team/{team:int}/remove": Case(whom=For.TEAM, form={"member": "another"}),
    "POST /team/{team:int}/leave": Case(whom=For.MEMBER, last=True),
    "POST /team/{team:int}/vault": Case(whom=For.TEAM, form={"vault": "harpe"}),
    "GET /audit": _self(),
    "GET /audit/more": _self(),
}
"""By method and address. `GET /live` is not among them: it goes on until the session ends (see test_coming_in.py)."""
