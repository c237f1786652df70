"""Doing what a model asked of memory in a reply: what is allowed, once, within bounds; the rest is written down (F4).

Whoever asks, a request does nothing when it only repeats what was put before the model: words that somebody pasted, or
that stand in a document, are not the model's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from souvenance.domain.access import Actor
from souvenance.domain.clock import Clock
from souvenance.domain.errors import Conflict, NotAllowed, SouvenanceError
from souvenance.domain.fact import Fact, SubjectKind, folded
from souvenance.domain.note import title_key
from souvenance.domain.tokens import estimate_tokens
from souvenance.domain.vault import Protection, Vault
from souvenance.exchange.events import Became, Kind, Member, Put, Verb, Wrote
from souvenance.exchange.occasion import THE_USER, Occasion
from souvenance.exchange.quoting import quoted
from souvenance.exchange.reply import Reply
from souvenance.exchange.requests import Remember, Request, Unreadable, gist, verb_of
from souvenance.memory import correct
from souvenance.memory.facts import Facts
from souvenance.memory.ladder import Ladder
from souvenance.memory.remember import Check, Observation, Outcome
from souvenance.memory.shown import LookUp, Replace, Retire
from souvenance.memory.shown import Outcome as Asked
from souvenance.store import history
from souvenance.store.database import Database, Transaction
from souvenance.vaults.protection import require_as_protected
from souvenance.vaults.vaults import Vaults

MOST_WRITTEN = 10
"""Requests that one reply may have done."""

LOOK_UP_TOKENS = 4000
"""What a look-up may bring of all vaults together; what one leaves, the next ones share."""

SHORT_WORDS = 3
"""Words of a fact that is told by its key as much as by itself."""

_BECAME = {Asked.DONE: Became.DONE, Asked.IGNORED: Became.IGNORED, Asked.REFUSED: Became.REFUSED}
_ERASED = "what it came from was erased meanwhile"
_ECHO = "it only repeats what was put before the model"
_TOO_MANY = f"one reply has at most {MOST_WRITTEN} requests done"
_NO_LOOK_UP = "a look-up opens the reply, once per question"


class Applying:
    """Applies requests. Synchronous; each in its own transaction."""

    def __init__(self, database: Database, clock: Clock, facts: Facts, ladder: Ladder, vaults: Vaults) -> None:
        self._database = database
        self._clock = clock
        self._facts = facts
        self._ladder = ladder
        self._vaults = vaults

    def apply(self, occasion: Occasion, reply: Reply) -> Iterator[Wrote]:
        """Do what a whole reply asked, in its order. A look-up that is left in it came too late, or again."""
        done = 0
        for asked in reply.asked:
            one = self._ignored(occasion, asked.request, _TOO_MANY) if done >= MOST_WRITTEN else None
            one = one or self._one(occasion, asked.request)
            done += one.became is Became.DONE
            yield replace(one, times=reply.times[asked.request])
        if reply.uncounted:
            last = reply.asked[-1].request
            yield replace(self._ignored(occasion, last, _TOO_MANY), times=reply.uncounted)

    def look_up(self, occasion: Occasion, request: LookUp) -> tuple[str, str]:
        """Look up what the vaults that were read hold under that name, where their step allows: the vaults' slugs, and
        why nothing was looked up where nothing was. Facts found may be corrected like those shown."""
        memory, occasion.has_looked_up = occasion.memory, True
        if gist(request) in occasion.pasted:
            self._ignored(occasion, request, _ECHO)
            return "", _ECHO
        if self._is_erased(occasion):  # the query may say what is gone, and is written down
            self._ignored(occasion, request, _ERASED)
            return "", _ERASED
        why, vaults, left = "memory was not read", [], LOOK_UP_TOKENS
        for at, (vault_id, shown) in enumerate(memory.shown.items()):
            # What it finds goes into the prompt: read anew over its route, for a vault may be protected by now (V8).
            done = self._ladder.apply_request(
                actor=occasion.reader,
                shown=shown,
                request=request,
                where=occasion.where,
                budget_tokens=left // (len(memory.shown) - at),
            )
            left -= sum(estimate_tokens(f"{line}\n") for line in done.lines)
            if done.outcome is Asked.DONE:
                vault = memory.vaults[vault_id]
                vaults.append(vault)
                memory.facts += done.found
                occasion.put += [
                    Put(kind=Kind.FACT, vault=vault.slug, text=quoted(line), number=item.number, title=item.key)
                    for item, line in zip(done.found, done.lines, strict=True)
                ]
            else:
                why = done.why
        occasion.learnt_from |= {vault.id for vault in vaults}
        if not memory.shown:
            self._ignored(occasion, request, why)
        return ", ".join(vault.slug for vault in vaults), "" if vaults else why

    def undo(self, *, actor: Actor, wrote: Wrote) -> Wrote:
        """Take back what was written, all of it or nothing, unless somebody changed it since (C5)."""
        with self._database.write() as tx:
            return self.undo_in(tx, actor=actor, wrote=wrote)

    def undo_in(self, tx: Transaction, *, actor: Actor, wrote: Wrote) -> Wrote:
        """The same within a transaction of the caller's."""
        if not wrote.can_undo or wrote.number is None:
            raise Conflict("There is nothing to undo here.", hint="Nothing was written, or it was undone already.")
        found, now = _unchanged(tx, actor, wrote.number, wrote.version), self._clock()
        if wrote.successor is not None and wrote.successor_version is not None:
            correct.delete(tx, actor, _unchanged(tx, actor, wrote.successor, wrote.successor_version), at=now)
        if wrote.verb is Verb.REMEMBER:
            correct.delete(tx, actor, found, at=now)
        else:
            correct.restore(tx, actor, found, at=now)
        return replace(wrote, undone=True)

    # --- one request -------------------------------------------------------------------------------------------

    def _one(self, occasion: Occasion, request: Request) -> Wrote:
        if isinstance(request, Unreadable):
            return self._ignored(occasion, request, request.why)
        if gist(request) in occasion.pasted:
            return self._ignored(occasion, request, _ECHO)
        if isinstance(request, LookUp):
            return self._ignored(occasion, request, _NO_LOOK_UP)
        if not (occasion.where.may_write and occasion.actor.can_write):
            return self._ignored(occasion, request, "memory is not written here")
        if self._is_erased(occasion):  # it would bring back what is gone (F7)
            return self._ignored(occasion, request, _ERASED)
        try:
            if isinstance(request, Remember):
                return self._remember(occasion, request)
            return self._end(occasion, request)
        except SouvenanceError as error:
            return self._ignored(occasion, request, str(error), became=Became.REFUSED)

    def _is_erased(self, occasion: Occasion) -> bool:
        with self._database.read() as tx:
            return occasion.is_erased_in(tx)

    def _check(self, occasion: Occasion) -> Check:
        """What must still be so when it is written: an erasure, or a vault that becomes protected, comes between."""

        def check(tx: Transaction, into: int) -> None:
            if occasion.is_erased_in(tx, into):
                raise NotAllowed("What it came from was erased meanwhile; nothing was written.", hint="Say it anew.")
            require_as_protected(tx, learnt_from=occasion.learnt_from, into=into)

        return check

    def _remember(self, occasion: Occasion, request: Remember) -> Wrote:
        model = occasion.actor.asked_model()
        about = request.about.strip()
        member = occasion.member_named(about)
        for known in occasion.memory.facts:
            if _says(known, request, member):
                slug = occasion.memory.vaults[known.vault_id].slug if known.vault_id in occasion.memory.vaults else ""
                return Wrote(
                    verb=Verb.REMEMBER, became=Became.SKIPPED, why="memory says so already", vault=slug,
                    vault_id=known.vault_id, number=known.number, key=known.key, content=known.content,
                )  # fmt: skip
        if member is not None and not member.kept:
            return self._ignored(occasion, request, "it is about someone who does not want to be remembered")
        vault = self._vault_for(occasion, about, member)
        observation = Observation(
            content=request.content,
            key=request.key,
            importance=request.importance,
            channel=occasion.where.channel,
            author=occasion.member.name if occasion.member else "",
            language=occasion.language,
            subject_kind=SubjectKind.MEMBER if member and vault else SubjectKind.VAULT,
            subject_id=member.id if member and vault else "",
        )
        check = self._check(occasion)
        if vault is None:
            kept = self._facts.remember_about_user(actor=model, observation=observation, check=check)
            slug = "personal"
        else:
            (kept,) = self._facts.remember(actor=model, vault=vault.slug, observations=[observation], check=check)
            slug = vault.slug
        is_new = kept.outcome is not Outcome.SKIPPED
        return Wrote(
            verb=Verb.REMEMBER,
            became=Became.DONE if is_new else Became.SKIPPED,
            why="" if is_new else "memory says so already",
            vault=slug,
            vault_id=kept.fact.vault_id,
            number=kept.fact.number,
            version=kept.fact.version,
            key=kept.fact.key,
            content=kept.fact.content,
        )

    def _vault_for(self, occasion: Occasion, about: str, member: Member | None) -> Vault | None:
        """Where a fact goes; None for the personal vault. What was learnt from a protected vault goes to one (V8)."""
        actor, memory = occasion.actor, occasion.memory
        is_own = member is None and title_key(about) in THE_USER
        # What a person says of themselves is theirs, whatever is open (N4); not where that one vault is all there is.
        vault = None if is_own and actor.vaults is None else occasion.into
        if vault is None and not is_own:
            names = {title_key(about), title_key(about).replace(" ", "-")}
            named = [one for one in memory.vaults.values() if about and {title_key(one.name), one.slug} & names]
            read = list(memory.vaults.values())
            vault = named[0] if len(named) == 1 else read[0] if len(read) == 1 else None
        with self._database.write() as tx:
            target = vault or self._vaults.personal(tx, actor)
            try:
                require_as_protected(tx, learnt_from=occasion.learnt_from, into=target.id)
            except NotAllowed:
                safe = [one for one in memory.vaults.values() if one.protection is Protection.MAXIMUM]
                if len(safe) != 1 or not safe[0].can_configure or (occasion.into is not None and not is_own):
                    raise
                target = vault = safe[0]
                require_as_protected(tx, learnt_from=occasion.learnt_from, into=target.id)
        return vault

    def _end(self, occasion: Occasion, request: Retire | Replace) -> Wrote:
        verb = verb_of(request)
        shown = next((one for one in occasion.memory.shown.values() if request.number in one.versions), None)
        if shown is None:
            return self._ignored(occasion, request, "the number was not shown in this exchange")
        done = self._ladder.apply_request(
            actor=occasion.actor, shown=shown, request=request, where=occasion.where, check=self._check(occasion)
        )
        if done.outcome is Asked.REFUSED:
            return self._ignored(occasion, request, done.why, became=Became.REFUSED)
        fact, successor = done.fact, done.successor
        is_new = fact is not None and successor is not None and successor.created_at == fact.updated_at
        return Wrote(
            verb=verb,
            became=_BECAME[done.outcome],
            why=done.why or (fact.reason if fact else ""),
            vault=occasion.memory.vaults[shown.vault_id].slug,
            vault_id=shown.vault_id,
            number=request.number,
            version=fact.version if fact else None,
            successor=successor.number if successor else None,
            successor_version=successor.version if successor and is_new else None,
            key=fact.key if fact else "",
            content=successor.content if successor else fact.content if fact else "",
        )

    def _ignored(self, occasion: Occasion, request: Request, why: str, *, became: Became = Became.IGNORED) -> Wrote:
        """Nothing is done; who, what and why is in the audit, never the words (F4, A4)."""
        verb, number = verb_of(request), getattr(request, "number", None)
        ids = list(occasion.memory.shown) or ([occasion.into.id] if occasion.into else [])
        named = {} if number is None else {"number": number}
        with self._database.write() as tx:
            history.record_audit(
                tx,
                occasion.actor.asked_model(),
                verb="fact.ignored",
                at=self._clock(),
                vault_id=ids[0] if len(ids) == 1 else None,
                asked=verb,
                why=why,
                **named,
            )
        return Wrote(verb=verb, became=became, why=why, number=number)


def _unchanged(tx: Transaction, actor: Actor, number: int, version: int | None) -> Fact:
    """A fact as the exchange left it, held until the transaction ends."""
    _, found = correct.writable_fact(tx, actor, number)
    if found.version != version:
        raise Conflict(f"Fact #{number} was changed since; it is left as it is.", hint="Its history has every wording.")
    return found


def _says(known: Fact, request: Remember, member: Member | None) -> bool:
    """Whether a fact that was shown says this already, of the same one. A word or two say it only under the same key:
    « Lyon » is where someone was born and where another lives."""
    of_member = known.subject_id if known.subject_kind is SubjectKind.MEMBER else None
    if folded(known.content) != folded(request.content) or of_member != (member.id if member else None):
        return False
    is_short = len(known.content.split()) <= SHORT_WORDS
    return not (is_short and known.key and request.key) or folded(known.key) == folded(request.key)
