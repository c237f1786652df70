"""What every table holds that someone said or wrote, and which of its rows an erasure takes (F7).

Every table of the schema stands in `HELD`, `LOGS` or `KEPT`, and every column of text, JSON or bytes of a held one in
`words` or `plain`: a test walks the schema, so that a table nobody thought of cannot outlive an erasure. A new table of
vault data joins `HELD` with one entry; its place there is its turn: rows go before the rows they are found by.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Select, String, Table, and_, cast, false, literal_column, not_, or_, select

from souvenance.domain.fact import SubjectKind
from souvenance.store.tables import (
    attention,
    audit,
    browser_session,
    change,
    change_mark,
    claim,
    consolidation_pass,
    context_item,
    context_setting,
    conversation,
    counter,
    embedding_model,
    endpoint,
    endpoint_use,
    entry_link,
    erasure,
    fact,
    invitation,
    link,
    login_attempt,
    membership,
    note,
    passage,
    passage_vector,
    proposal,
    protected_reply,
    retrieval,
    revision,
    scope_setting,
    sealed_reply,
    server,
    server_member,
    spending,
    team,
    token,
    token_vault,
    turn,
    turn_vault,
    under_way,
    user,
    vault,
    vector_change,
    watched_file,
    watched_folder,
)

Condition = ColumnElement[bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Doomed:
    """What is to go: everything of a vault, or what is about one member of it."""

    vault_id: int
    member: str | None = None

    def facts(self) -> Select[tuple[int]]:
        """Numbers of the member's facts."""
        about = and_(fact.c.subject_kind == SubjectKind.MEMBER, fact.c.subject_id == self.member)
        here = fact.c.vault_id == self.vault_id
        return select(fact.c.number).where(here, or_(about, fact.c.note_id.in_(self.notes())))

    def references(self) -> Select[tuple[str]]:
        """The same numbers as revisions and links write them."""
        return select(cast(self.facts().subquery().c.number, String))

    def notes(self) -> Select[tuple[str]]:
        """Ids of the member's memory pages."""
        about = and_(note.c.subject_kind == SubjectKind.MEMBER, note.c.subject_id == self.member)
        return select(note.c.id).where(note.c.vault_id == self.vault_id, about)

    def passages(self) -> Select[tuple[int]]:
        """Ids of the passages of these facts and pages."""
        theirs = or_(passage.c.fact_number.in_(self.facts()), passage.c.note_id.in_(self.notes()))
        return select(passage.c.id).where(passage.c.vault_id == self.vault_id, theirs)

    def following(self) -> Select[tuple[int]]:
        """Ids of the passages of which one vector covers words of the member: those that stand just after theirs."""
        later, earlier = passage.alias("later"), passage.alias("earlier")
        before = (
            select(earlier.c.fact_number)
            .where(
                earlier.c.vault_id == later.c.vault_id,
                earlier.c.origin == later.c.origin,
                earlier.c.origin != literal_column("''"),
                earlier.c.ordinal < later.c.ordinal,
                earlier.c.active,
            )
            .order_by(earlier.c.ordinal.desc())
            .limit(1)
            .correlate(later)
            .scalar_subquery()
        )
        here = and_(later.c.vault_id == self.vault_id, later.c.origin != literal_column("''"))
        return select(later.c.id).where(here, before.in_(self.facts()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A table of contents: how its rows are counted, which columns hold words, which rows are a member's, and which of
    them `stay` whatever is erased, because they hold a wish and no words."""

    table: Table
    kind: str
    words: tuple[str, ...]
    plain: tuple[str, ...] = ()
    of_member: Callable[[Doomed], Condition]
    stays: Condition | None = None

    def condition(self, doomed: Doomed) -> Condition:
        """Which rows go."""
        here: Condition = self.table.c.vault_id == doomed.vault_id
        if self.stays is not None:
            here = and_(here, not_(self.stays))
        return here if doomed.member is None else and_(here, self.of_member(doomed))


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A table that an erasure leaves, and why it may.

    `names`: columns in which people's own names for vaults, folders, tokens and themselves stand, which an erased text
    may share without being held by them.
    """

    table: Table
    why: str
    names: tuple[str, ...] = ()


def _fact_of_member(doomed: Doomed) -> Condition:
    return or_(fact.c.number.in_(doomed.facts()), fact.c.note_id.in_(doomed.notes()))


def _revision_of_member(doomed: Doomed) -> Condition:
    of_fact = and_(revision.c.kind == "fact", revision.c.subject_ref.in_(doomed.references()))
    # A fact that was once filed under the member and is not any more keeps its life, without that part of it.
    kind, name = revision.c.after["subject_kind"].as_string(), revision.c.after["subject_id"].as_string()
    once = and_(kind == SubjectKind.MEMBER.value, name == doomed.member)
    return or_(of_fact, revision.c.note_id.in_(doomed.notes()), once)


def _link_of_member(doomed: Doomed) -> Condition:
    of_fact = and_(link.c.source_kind == "fact", link.c.source_id.in_(doomed.references()))
    return or_(of_fact, link.c.source_note_id.in_(doomed.notes()))


HELD = (
    Held(
        table=passage_vector,
        kind="vectors",
        words=("vector", "with_previous"),
        plain=("text_hash",),
        of_member=lambda doomed: or_(
            passage_vector.c.passage_id.in_(doomed.passages()), passage_vector.c.passage_id.in_(doomed.following())
        ),
    ),
    Held(
        table=link,
        kind="links",
        words=("target", "target_key"),
        plain=("source_kind", "source_id", "target_note_id", "source_note_id"),
        of_member=_link_of_member,
    ),
    Held(
        table=context_item,
        kind="pins",
        words=(),
        plain=("place", "note_id"),
        of_member=lambda doomed: context_item.c.note_id.in_(doomed.notes()),
    ),
    Held(
        table=revision,
        kind="revisions",
        words=("after",),
        plain=("kind", "subject_ref", "note_id", "operation"),
        of_member=_revision_of_member,
    ),
    Held(
        table=proposal,
        kind="proposals",
        words=("this_wording", "that_wording", "draft"),
        plain=(
            "id", "kind", "codes", "model", "sources", "standing", "overtaken", "answer", "answered_by",
            "answered_through",
        ),
        of_member=lambda doomed: or_(
            proposal.c.this_number.in_(doomed.facts()), proposal.c.that_number.in_(doomed.facts())
        ),
    ),
    Held(
        table=consolidation_pass,
        kind="passes",
        words=(),
        plain=("reason", "asked_by", "model", "model_state"),
        of_member=lambda _doomed: false(),
    ),
    Held(
        table=passage,
        kind="passages",
        words=("heading", "text", "speaker", "origin", "terms"),
        plain=("note_id",),
        of_member=lambda doomed: passage.c.id.in_(doomed.passages()),
    ),
    Held(
        table=watched_file,
        kind="files",
        words=("path", "hash", "reason"),
        plain=("folder_id", "note_id", "state"),
        of_member=lambda _doomed: false(),
    ),
    Held(
        table=protected_reply,
        kind="replies",
        words=("hash",),
        of_member=lambda _doomed: false(),
    ),
    Held(
        table=spending,
        kind="spending",
        words=("member",),
        plain=("used_for",),
        of_member=lambda doomed: spending.c.member == f"member:{doomed.member}",
    ),
    Held(
        table=under_way,
        kind="under_way",
        words=("member",),
        plain=("exchange", "used_for"),
        of_member=lambda doomed: under_way.c.member == f"member:{doomed.member}",
    ),
    Held(
        table=server_member,
        kind="members",
        words=("name",),
        plain=("member_id",),
        of_member=lambda doomed: server_member.c.member_id == doomed.member,
        # Who does not want to be remembered is not to be learnt about after it either; no name is kept of them (D4).
        stays=and_(server_member.c.opted_out.is_(True), server_member.c.name == literal_column("''")),
    ),
    Held(
        table=fact,
        kind="facts",
        words=(
            "key", "content", "content_hash", "folded", "category", "subject_id", "channel", "author", "said_at",
            "said_dates", "reason",
        ),
        plain=("note_id", "subject_kind", "language", "source"),
        of_member=_fact_of_member,
    ),
    Held(
        table=note,
        kind="notes",
        words=("folder", "title", "title_key", "content", "category", "subject_id", "digest", "front_matter"),
        plain=("id", "note_class", "subject_kind"),
        of_member=lambda doomed: note.c.id.in_(doomed.notes()),
    ),
)  # fmt: skip
"""In the order in which their rows go."""

LOGS = (retrieval, conversation, turn, turn_vault)
"""Held too, and not by vault: which of their entries go is decided in `logs.py` and `turns.py`."""

KEPT = (
    Kept(
        table=vault,
        why="the vault itself stays, with its name and description",
        names=("slug", "name", "description", "app"),
    ),
    Kept(
        table=watched_folder,
        why="the folders stay, suspended; what is known of their files goes",
        names=("path", "place", "include", "exclude"),
    ),
    Kept(table=server, why="the server stays, with its name and settings", names=("guild_id", "name", "settings")),
    Kept(table=user, why="accounts, not contents", names=("handle", "display_name", "time_zone")),
    Kept(table=team, why="accounts, not contents", names=("name",)),
    Kept(table=token, why="tokens, not contents", names=("name", "app")),
    Kept(table=token_vault, why="numbers"),
    Kept(table=endpoint, why="people's settings, not contents", names=("name", "base_url", "model")),
    Kept(table=endpoint_use, why="people's settings, not contents"),
    Kept(table=membership, why="numbers"),
    Kept(table=browser_session, why="who came in, when, with which browser", names=("user_agent",)),
    Kept(table=invitation, why="accounts, not contents"),
    Kept(table=entry_link, why="accounts, not contents"),
    Kept(table=login_attempt, why="hashes of who tried to log in, for a quarter of an hour"),
    Kept(
        table=sealed_reply,
        why="hashes sealed with a key that is not in the database: a reply that was made from an erased vault stays "
        "out of cloud prompts when its program sends it again, and nobody can tell from them what it said",
    ),
    Kept(table=attention, why="numbers"),
    Kept(table=scope_setting, why="ids of vaults and weights"),
    Kept(table=context_setting, why="an order of places and a budget"),
    Kept(table=change, why="who wrote when through what; what was written stands in its revisions", names=("actor",)),
    Kept(table=change_mark, why="ids of what changed"),
    Kept(table=vector_change, why="ids of passages"),
    Kept(table=embedding_model, why="names of models, and vectors of sentences of the program's own"),
    Kept(table=audit, why="who, when, how many; never a content (A4)", names=("actor",)),
    Kept(table=erasure, why="who, when, how many; a member by fingerprint only", names=("actor",)),
    Kept(table=claim, why="who does a piece of background work"),
    Kept(table=counter, why="numbers"),
)
