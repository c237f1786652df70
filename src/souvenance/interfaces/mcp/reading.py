"""The tools that read: every day's five, and the occasional ones."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from souvenance.domain.errors import InvalidInput, NotFound
from souvenance.domain.fact import Fact, dates_meant
from souvenance.domain.note import NoteClass
from souvenance.domain.tokens import estimate_tokens
from souvenance.domain.wording import counted
from souvenance.interfaces.mcp.arguments import (
    Arguments,
    Class,
    FactNumber,
    Limit,
    NoArguments,
    NoteRef,
    Offset,
    Ref,
    VaultName,
)
from souvenance.interfaces.mcp.call import Call
from souvenance.interfaces.mcp.quoting import NOTICE, inline, json_tokens, pages, quoted, shortened, within
from souvenance.interfaces.mcp.rendering import (
    Result,
    fact_line,
    fitting,
    lines,
    moment,
    named,
    note_data,
    note_line,
    search_result,
    trace_data,
    trace_lines,
)

if TYPE_CHECKING:
    from souvenance.domain.note import Note
    from souvenance.notes.reading import NoteView

LEAST_BODY = 12
"""Tokens of a recall's block, however small the budget."""
FRAME = 160
"""Tokens kept for the tool's own words around what it quotes."""


class StartSession(Arguments):
    """Arguments of `start_session`."""

    project: Annotated[str | None, Field(description="The project you work on")] = None


def start_session(call: Call, given: StartSession) -> Result:
    """What loads when a session starts, within the budget its user chose (N10); it comes quoted from there."""
    session = call.memory.context.start(actor=call.actor, project=given.project)
    data: dict[str, object] = {"text": session.text, "cut": session.cut, "withheld": session.withheld}
    vaults = [vault.slug for vault in session.vaults]
    # The text lists the vaults as well: names that would not fit beside it are left to list_vaults.
    data["vaults"] = fitting(vaults, budget=session.budget - json_tokens(data) - 20, least=0)
    data["vault_count"] = len(vaults)
    return Result(session.text, data)


def list_vaults(call: Call, _given: NoArguments) -> Result:
    """The vaults that may answer, with kind, attention and how many facts they hold."""
    vaults = call.memory.vaults.list(actor=call.actor)
    counts = call.memory.vaults.count_facts(actor=call.actor)
    withheld = call.memory.vaults.count_withheld(actor=call.actor)
    rows = [
        {
            "vault": vault.slug,
            "name": vault.name,
            "kind": vault.kind,
            "attention": vault.attention,
            "facts": counts.get(vault.id, 0),
            "description": shortened(vault.description, 40),
        }
        for vault in vaults
    ]
    shown = fitting(rows, budget=call.budget - FRAME)
    said = [
        f"{counted(len(vaults), 'vault')}. {NOTICE}" if vaults else "No vault yet: remembering something makes one."
    ]
    for row in shown:
        described = f"{row['name']}: {row['description']}" if row["description"] else str(row["name"])
        said.append(
            f"{row['vault']}: {row['kind']}, attention {row['attention']}, {counted(int(str(row['facts'])), 'fact')}"
        )
        said.append(quoted(described))
    if len(shown) < len(vaults):
        said.append(f"{len(vaults) - len(shown)} more are not shown; any of them can be named in search.")
    if withheld:
        said.append(f"{withheld} withheld: protected vault, cloud route.")
    data = {"vaults": shown, "count": len(vaults), "more": len(shown) < len(vaults), "withheld": withheld}
    return Result(lines(said), data)


class Search(Arguments):
    """Arguments of `search`."""

    query: Annotated[str, Field(min_length=1)]
    vault: VaultName = None
    class_: Class = None
    limit: Limit = 20


def search(call: Call, given: Search) -> Result:
    """Ranked excerpts over notes and agent memory (N6)."""
    answer = call.memory.retrieval.search(
        actor=call.actor,
        query=given.query,
        vault=given.vault,
        note_class=NoteClass(given.class_) if given.class_ else None,
        limit=given.limit,
    )
    return search_result(answer, budget=call.budget)


class Recall(Arguments):
    """Arguments of `recall`."""

    topic: Annotated[str, Field(min_length=1)]
    vault: VaultName = None
    depth: Annotated[int, Field(ge=0, le=3, description="Links to follow")] = 1
    budget_tokens: Annotated[int, Field(ge=100, le=32_000)] = 4000
    max_per_source: Annotated[int | None, Field(ge=20, description="Tokens of one source at most")] = None


def recall(call: Call, given: Recall) -> Result:
    """One block on a topic; the whole answer, its sources too, stays within the budget asked for (N6)."""
    found = call.memory.retrieval.recall(
        actor=call.actor,
        topic=given.topic,
        vault=given.vault,
        depth=given.depth,
        budget_tokens=given.budget_tokens - min(FRAME, given.budget_tokens // 4),
        max_per_source=given.max_per_source,
    )
    head = "Nothing relevant was found." if found.confidence == "none" else f"Confidence {found.confidence}. {NOTICE}"
    tail = trace_lines(found.trace, budget=given.budget_tokens // 6)
    rows = [
        ({} if item.number is None else {"number": item.number})
        | {"note": item.note_id, "vault": item.vault, "title": item.title, "depth": item.depth}
        for item in found.sources
    ]
    room = given.budget_tokens - estimate_tokens(lines(head, tail)) - 30
    body = pages(found.text, max(room - min(room // 6, 40 * len(rows)), LEAST_BODY))
    cut = found.cut or len(body) > 1
    room -= estimate_tokens(quoted(body[0]))
    listed: list[str] = []
    for row in rows:
        one = f"[#{row['number']}]" if "number" in row else f"note {row['note']} {inline(str(row['title']))}"
        room -= estimate_tokens(one) + 1
        if room < 0:
            break
        listed.append(one)
    sources = f"Sources: {', '.join(listed)}" + (f" and {len(rows) - len(listed)} more" if rows[len(listed) :] else "")
    said = lines(
        head,
        quoted(body[0].rstrip()) if rows else "",
        sources if rows else "",
        "Cut at the budget: raise budget_tokens or narrow the topic." if cut else "",
        tail,
    )
    data: dict[str, object] = {
        "confidence": found.confidence,
        "text": "",
        "cut": cut,
        "sources": [],
        "source_count": len(rows),
        **trace_data(found.trace, budget=given.budget_tokens // 6),
    }
    if rows:
        left = max(given.budget_tokens - json_tokens(data), 0)
        data["text"] = written = within(body[0], left)
        data["sources"] = fitting(rows, budget=left - json_tokens(written), least=0)
    return Result(said, data)


class GetNote(Arguments):
    """Arguments of `get_note`."""

    ref: Ref


def viewed(call: Call, ref: str) -> tuple[NoteView, int]:
    """A note by its reference, and which page of it is wanted: `REF@2` is the second, unless a note is called so."""
    page = 1
    try:
        view = call.memory.notes.get(actor=call.actor, ref=ref)
    except NotFound:
        paged = re.fullmatch(r"(.+)@([0-9]{1,6})", ref.strip(), re.DOTALL)
        if paged is None:
            raise
        view, page = call.memory.notes.get(actor=call.actor, ref=paged[1]), int(paged[2])
    return view, page


def get_note(call: Call, given: GetNote) -> Result:
    """A note's text, page by page where it is long, with its version, links, and the versions of its facts."""
    view, page = viewed(call, given.ref)
    note = view.note
    size = (call.budget - FRAME) * 2 // 3
    parts = pages(note.content, size)
    if not 1 <= page <= len(parts):
        raise InvalidInput(
            f"This note has {counted(len(parts), 'page')}.",
            hint=f"Read {note.id}@1 to {note.id}@{len(parts)}." if len(parts) > 1 else f"Read {note.id}.",
        )
    text = parts[page - 1]
    about = note_data(note, vault=view.vault.slug)
    said = [
        f"{note_line(note, vault=view.vault.slug)}, {moment(note.updated_at)}. {NOTICE}",
        quoted(text),
    ]
    data = about | {"content": text, "page": page, "pages": len(parts)}
    left = call.budget - FRAME - estimate_tokens(quoted(text))
    if len(parts) > 1:
        more = f"; the next is {note.id}@{page + 1}" if page < len(parts) else ""
        said.append(f"Page {page} of {len(parts)}{more}.")
    if view.facts:
        numbers = {int(found) for found in re.findall(r"\^([0-9]{1,18})[ \t]*$", text, re.MULTILINE)}
        facts = [fact for fact in view.facts if fact.number in numbers]
        rows = fitting([_fact_data(fact) for fact in facts], budget=left // 2)
        said.append("Facts: " + ", ".join(fact_line(fact) for fact in facts[: len(rows)]))
        data["facts"] = rows
    for label, name, links in (("Links", "links", view.links), ("Linked from", "backlinks", view.backlinks)):
        if links and page == 1:
            shown = [
                ({"note": link.note_id} if link.note_id else {}) | {"title": link.title or link.target}
                for link in links
            ]
            kept = fitting(shown, budget=max(left // 6, 30))
            more = f" and {len(shown) - len(kept)} more" if len(kept) < len(shown) else ""
            titles = [f"{row.get('note', 'not yet written')} {inline(row['title'])}" for row in kept]
            said.append(f"{label}: {', '.join(titles)}{more}")
            data[name] = kept
    return Result(lines(said), data)


def _fact_data(fact: Fact) -> dict[str, Any]:
    meant = dates_meant(fact.said_dates).strip(" ()")
    return {"number": fact.number, "version": str(fact.version)} | ({"dates": meant} if meant else {})


# --- now and then ------------------------------------------------------------------------------------------------


def whoami(call: Call, _given: NoArguments) -> Result:
    """Who the caller is here: user, token, route, what it may do and where."""
    actor = call.actor
    user = call.memory.owner.display_name if actor.user_id == call.memory.owner.id else f"user {actor.user_id}"
    bound = "its listed vaults" if actor.vaults is not None else "every vault of the user"
    through = f"token {actor.token_id}" if actor.token_id is not None else "this machine"
    vaults = sorted(call.slugs.values())
    withheld = call.memory.vaults.count_withheld(actor=actor)
    room = call.budget - 2 * FRAME
    shown = named(vaults, budget=room)
    said = lines(
        f"User {inline(user)}, through {through}, as {inline(actor.name or 'unnamed client')}.",
        f"Route {actor.route}: " + ("protected vaults answer." if actor.route == "local" else "protected ones do not."),
        f"May {'read and write' if actor.can_write else 'read'} in {bound}: {shown if vaults else 'none yet'}.",
        f"{withheld} withheld: protected vault, cloud route." if withheld else "",
        f"Limits: {call.budget} tokens an answer, 64 KiB a fact, 8 MiB a note, 100 results a search.",
    )
    data = {
        "user": user,
        "name": actor.name,
        "token": actor.token_id,
        "route": actor.route,
        "can_write": actor.can_write,
        "every_vault": actor.vaults is None,
        "vaults": fitting(vaults, budget=room, least=0),
        "vault_count": len(vaults),
        "withheld": withheld,
        "limits": {"answer_tokens": call.budget, "fact_bytes": 65536, "note_bytes": 8388608, "search_results": 100},
    }
    return Result(said, data)


class ListNotes(Arguments):
    """Arguments of `list_notes`."""

    vault: VaultName = None
    folder: Annotated[str | None, Field(description="Folder inside the vault")] = None
    class_: Class = None
    limit: Limit = 50
    offset: Offset = 0


def list_notes(call: Call, given: ListNotes) -> Result:
    """Notes by place, page by page."""
    found = call.memory.notes.list(
        actor=call.actor,
        vault=given.vault,
        folder=given.folder,
        note_class=NoteClass(given.class_) if given.class_ else None,
        limit=given.limit + 1,
        offset=given.offset,
    )
    return _listing(call, found[: given.limit], more=len(found) > given.limit, offset=given.offset)


class RecentActivity(Arguments):
    """Arguments of `recent_activity`."""

    vault: VaultName = None
    limit: Limit = 20


def recent_activity(call: Call, given: RecentActivity) -> Result:
    """Notes and memory pages last changed, newest first."""
    return _listing(call, call.memory.notes.recent(actor=call.actor, vault=given.vault, limit=given.limit))


def _listing(call: Call, found: list[Note], *, more: bool = False, offset: int | None = None) -> Result:
    rows = fitting([note_data(note, vault=call.slug(note.vault_id)) for note in found], budget=call.budget - FRAME)
    shown = [f"{note_line(note, vault=call.slug(note.vault_id))}, {moment(note.updated_at)}" for note in found]
    more = more or len(rows) < len(found)
    said = [f"{counted(len(rows), 'note')}." if rows else "No notes here.", *shown[: len(rows)]]
    data: dict[str, object] = {"notes": rows, "more": more}
    if more:
        said.append(f"There is more: offset={offset + len(rows)}." if offset is not None else "There is more.")
        data |= {"next_offset": offset + len(rows)} if offset is not None else {}
    return Result(lines(said), data)


class History(Arguments):
    """Arguments of `history`."""

    ref: Annotated[NoteRef | None, Field(description="A note")] = None
    number: Annotated[FactNumber | None, Field(description="Or a fact")] = None
    limit: Limit = 20
    offset: Offset = 0


def history(call: Call, given: History) -> Result:
    """The revisions of a note or a fact, newest first, each with what it changed (N9)."""
    if (given.ref is None) == (given.number is None):
        raise InvalidInput("history takes either `ref` or `number`.", hint="Give one of them.")
    room = {"limit": given.limit + 1, "offset": given.offset}
    if given.number is not None:
        found = call.memory.history.of_fact(actor=call.actor, number=given.number, **room)
    else:
        found = call.memory.history.of_note(actor=call.actor, ref=given.ref or "", **room)
    each = max((call.budget - FRAME) // max(len(found), 1) - 60, 24)
    rows = [
        {
            "change": item.change_id,
            "at": moment(item.at),
            "who": item.who,
            "source": item.source,
            "did": item.operation,
            "version": "" if item.version is None else str(item.version),
            "diff": shortened(item.diff, each),
        }
        for item in found[: given.limit]
    ]
    kept = fitting(rows, budget=call.budget - FRAME)
    said = [f"{len(kept)} revisions. {NOTICE}" if kept else "No revision there."]
    for row in kept:
        by = f"{row['source']} {inline(str(row['who']))}"
        version = f", v{row['version']}" if row["version"] else ""
        said += [f"change {row['change']}{version}, {row['at']}, {row['did']} by {by}", quoted(str(row["diff"]))]
    more = len(kept) < len(found)
    if more:
        said.append(f"There is more: offset={given.offset + len(kept)}.")
    data = {"revisions": kept, "more": more} | ({"next_offset": given.offset + len(kept)} if more else {})
    return Result(lines(said), data)
