"""Notes as MCP resources: `souvenance://note/<id>`, listed page by page, read with the caller's own rights."""

from __future__ import annotations

import base64
import binascii

import mcp_types as wire
from mcp.shared.exceptions import MCPError

from souvenance.domain.errors import NotFound
from souvenance.interfaces.mcp.call import Call
from souvenance.interfaces.mcp.quoting import pages, storable
from souvenance.interfaces.mcp.reading import viewed

PREFIX = "souvenance://note/"
PAGE = 100
MARKDOWN = "text/markdown"
TEMPLATE = wire.ResourceTemplate(
    uri_template=PREFIX + "{id}", name="note", title="A note", description="A note as Markdown", mime_type=MARKDOWN
)


def list_page(call: Call, *, cursor: str | None) -> wire.ListResourcesResult:
    """A page of the notes this caller may read, and the cursor of the next."""
    offset = _offset(cursor)
    found = call.memory.notes.list(actor=call.actor, limit=PAGE + 1, offset=offset)
    return wire.ListResourcesResult(
        resources=[
            wire.Resource(
                uri=PREFIX + note.id,
                name=storable(f"{call.slug(note.vault_id)}:{note.path}"),
                title=storable(note.title),
                mime_type=MARKDOWN,
            )
            for note in found[:PAGE]
        ],
        next_cursor=_cursor(offset + PAGE) if len(found) > PAGE else None,
    )


def read(call: Call, *, uri: str) -> wire.ReadResourceResult:
    """A note's Markdown. A long one ends with a second content that names the rest, outside the note's own text."""
    ref = uri.removeprefix(PREFIX)
    identity, _, page = ref.partition("@")
    if ref == uri or not identity.isalnum() or (page and not page.isdecimal()):
        raise _not_found(uri)
    try:
        view, wanted = viewed(call, ref)
    except NotFound:
        raise _not_found(uri) from None
    parts = pages(view.note.content, call.budget * 4)
    if view.note.id != identity or not 1 <= wanted <= len(parts):
        raise _not_found(uri)
    contents: list[wire.TextResourceContents | wire.BlobResourceContents] = [
        wire.TextResourceContents(uri=uri, mime_type=MARKDOWN, text=storable(parts[wanted - 1]))
    ]
    if wanted < len(parts):
        following = f"{PREFIX}{identity}@{wanted + 1}"
        said = f"Part {wanted} of {len(parts)}; the note goes on at {following}"
        contents.append(wire.TextResourceContents(uri=following, mime_type="text/plain", text=said))
    return wire.ReadResourceResult(contents=contents)


def _not_found(uri: str) -> MCPError:
    """The same answer whether there is no such note or it is another's."""
    return MCPError(code=wire.INVALID_PARAMS, message="Resource not found", data={"uri": storable(uri[:200])})


def _cursor(offset: int) -> str:
    return base64.urlsafe_b64encode(b"%d" % offset).decode()


def _offset(cursor: str | None) -> int:
    if not cursor:
        return 0
    try:
        return int(base64.b64decode(cursor, altchars=b"-_", validate=True)[:9])
    except (binascii.Error, ValueError):
        raise MCPError(
            code=wire.INVALID_PARAMS, message="That cursor is none of ours; list again from the start."
        ) from None
