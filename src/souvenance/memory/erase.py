"""Erasing: everything about a vault, or about one member by id (F7). Immediate, irreversible, and proven.

The deed is one transaction: what is erased is out of every read when it commits, with a receipt whose purge is pending.
Then the store is written anew and looked through for what went; the receipt is completed, or says what is in the way
and is completed in the background, by whichever process comes to it. The texts that are looked for are known to this
process only, and only until their receipt is complete: kept anywhere else they would not be erased.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Collection, Sequence

from souvenance.domain.access import Actor
from souvenance.domain.clock import Clock
from souvenance.domain.erasure import (
    Erased,
    ErasureKind,
    Hindrance,
    Mention,
    Preview,
    Proof,
    Receipt,
    VaultCounts,
    fingerprint,
)
from souvenance.domain.errors import (
    Conflict,
    InvalidInput,
    NotAllowed,
    NotFound,
    SouvenanceError,
    StoreDamaged,
    Withheld,
)
from souvenance.domain.fact import checked_line
from souvenance.domain.note import title_key
from souvenance.domain.vault import Vault
from souvenance.ingest import claimed
from souvenance.store import history, servers
from souvenance.store import vaults as vault_rows
from souvenance.store.database import Database, Transaction
from souvenance.store.erasure import deed, mentions, purge, receipts
from souvenance.store.erasure.declared import Doomed
from souvenance.store.erasure.records import Records
from souvenance.store.erasure.traces import Traces, Windows
from souvenance.store.replies import Sealer, seal_replies
from souvenance.store.terms import forget_words

CLAIM, LEASE = "purge", 900.0
LATER = 0.2
"""Seconds for which the background waits for a reader before it tries again later."""

Forget = Callable[[int], None]
"""Lets go of what a part of this process holds in memory of a vault."""


class Erasures:
    """Use cases of erasing. `flush` writes down what is under way to the retrieval log, so that it can be erased;
    `sealer` gives the key with which is sealed what must be known again of replies."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        flush: Callable[[], None],
        forget: Sequence[Forget],
        sealer: Sealer,
    ) -> None:
        self._database = database
        self._clock = clock
        self._flush = flush
        self._sealer = sealer
        self._forget = tuple(forget)
        self._holder = claimed.new_holder()
        self._lock = threading.Lock()
        self._known: dict[int, Windows] = {}

    # --- before ------------------------------------------------------------------------------------------------

    def preview(
        self, *, actor: Actor, vault: str | None = None, member: str | None = None, names: Sequence[str] = ()
    ) -> Preview:
        """A dry run: what would go, by kind, and who else mentions the member; nothing changes.

        A vault, or a member (the id facts about them carry as their subject) in it or, without one, in every vault the
        caller configures. `names` are further names by which the member may be mentioned. Entries of the retrieval log
        and turns of conversations are counted by what they found and name; those whose words alone betray what is gone
        join them in the deed.
        """
        member = _checked(vault, member)
        with self._database.read() as tx:
            chosen, left_out = self._vaults(tx, actor, vault, member)
            called = self._called(tx, chosen, member, names)
            asked_by, counted, seen = _asked_by(member, called), list[VaultCounts](), set[tuple[int, int]]()
            for item in chosen:
                doomed = Doomed(vault_id=item.id, member=member)
                counts = deed.count(tx, doomed)
                counts |= Records(tx, doomed, names=asked_by).count(seen)
                folders = 0 if member is not None else deed.count_watched(tx, vault_id=item.id)
                counted.append(VaultCounts(vault=item.slug, counts=counts, folders=folders))
            said, cut = self._mentions(tx, actor, member, called)
        return Preview(
            kind=ErasureKind.VAULT if member is None else ErasureKind.MEMBER,
            vaults=tuple(counted),
            names=tuple(called),
            mentions=tuple(said),
            beyond=tuple(purge.beyond_reach(self._database)),
            left_out=left_out,
            mentions_cut=cut,
        )

    # --- the deed ----------------------------------------------------------------------------------------------

    def erase(
        self,
        *,
        actor: Actor,
        confirm: str,
        vault: str | None = None,
        member: str | None = None,
        names: Sequence[str] = (),
    ) -> Erased:
        """Erase, now and for good. `confirm` is the vault's name or slug, or the member's id, typed again.

        The vault itself stays and learns again; its watched folders are suspended. A receipt comes back for each vault.
        """
        member = _checked(vault, member)
        with self._lock:
            self._flush()
            traces, done, (said, cut), left_out = self._deed(actor, vault, member, names, confirm)
            for vault_id in done.values():
                self._forget_vault(vault_id)
            self._known.update(dict.fromkeys(done, traces.windows()))
            try:
                self._prove(list(done), patience=purge.PATIENCE)
            finally:
                claimed.release(self._database, name=CLAIM, holder=self._holder)
        with self._database.read() as tx:
            kept = receipts.list_receipts(tx, actor, ids=done, limit=len(done))
        return Erased(receipts=tuple(reversed(kept)), mentions=tuple(said), left_out=left_out, mentions_cut=cut)

    def delete_vault(self, *, actor: Actor, vault: str, confirm: str) -> Receipt:
        """Erase everything a vault holds and take the vault itself away, now and for good; the receipt.

        `confirm` is its name or slug, typed again. Its files stay on the disk; pins, tokens and weights forget it. A
        personal vault, an application's and a Discord server's are made again, empty, when they are next needed: so one
        that keeps the wish of members not to be remembered is only erased, or they would be learnt about again (D4).
        """
        with self._database.read() as tx:
            vault_rows.configured_vault(tx, actor, vault)
        if actor.vaults is not None:
            raise NotAllowed("This token is bound to its vaults and deletes none.", hint="Ask the owner to delete it.")
        with self._lock:
            self._flush()
            traces, done, _, _ = self._deed(actor, vault, None, (), confirm, with_vault=True)
            ((number, vault_id),) = done.items()
            self._forget_vault(vault_id)
            self._known[number] = traces.windows()
            try:
                self._prove([number], patience=purge.PATIENCE)
            finally:
                claimed.release(self._database, name=CLAIM, holder=self._holder)
        with self._database.read() as tx:
            (receipt,) = receipts.list_receipts(tx, actor, ids=[number], limit=1)
        return receipt

    def _deed(
        self,
        actor: Actor,
        vault: str | None,
        member: str | None,
        names: Sequence[str],
        confirm: str,
        *,
        with_vault: bool = False,
    ) -> tuple[Traces, dict[int, int], tuple[list[Mention], bool], int]:
        traces = Traces()
        done: dict[int, int] = {}
        with self._database.write(alone=True) as tx:
            chosen, left_out = self._vaults(tx, actor, vault, member)
            _require_confirmed(chosen[0] if member is None else None, member, confirm)
            if with_vault:
                _require_no_wish(tx, chosen[0])
            called = self._called(tx, chosen, member, names)
            claimed.claim_in(tx, self._clock, name=CLAIM, holder=self._holder, seconds=LEASE)
            now, beyond = self._clock(), purge.beyond_reach(self._database)
            asked_by, parts = _asked_by(member, called), list[tuple[Vault, dict[str, int], int, Records]]()
            for item in chosen:
                doomed = Doomed(vault_id=item.id, member=member)
                counts, records = deed.count(tx, doomed), Records(tx, doomed, names=asked_by)
                strays = deed.strays(tx, vault_id=item.id)
                deed.remember_traces(tx, doomed, traces)
                traces.add(sorted(seal_replies(tx, vault_id=item.id, sealer=self._sealer)))
                deed.take_away(tx, doomed)
                deed.hear_from(tx, vault_id=item.id, at=now)
                suspended = deed.suspend_folders(tx, vault_id=item.id) if member is None else 0
                if any(deed.count(tx, doomed).values()) or deed.strays(tx, vault_id=item.id) > strays:
                    raise StoreDamaged("Not everything could be erased; nothing was.", hint="Run souvenance doctor.")
                parts.append((item, counts, suspended, records))
            for name in called:
                traces.add(name)
            said, cut = self._mentions(tx, actor, member, called)
            kind = ErasureKind.VAULT if member is None else ErasureKind.MEMBER
            mark = "" if member is None else fingerprint(member, salt=secrets.token_hex(8))
            for *_, records in parts:  # all are chosen before the words of the first are taken note of
                records.choose_by_words(traces)
            for item, rows, suspended, records in parts:
                counts = rows | records.remove(traces)
                receipt = receipts.add_receipt(
                    tx,
                    actor,
                    at=now,
                    vault_id=item.id,
                    kind=kind,
                    member=mark,
                    counts=counts,
                    folders_suspended=suspended,
                    mentions=sum(mention.vault == item.slug for mention in said),
                    beyond=beyond,
                )
                done[receipt] = item.id
                history.record_audit(
                    tx, actor, verb=f"erase.{kind}", at=now, vault_id=item.id, receipt=receipt, counts=counts
                )
                if with_vault:
                    history.record_audit(tx, actor, verb="vault.delete", at=now, vault_id=item.id, receipt=receipt)
                    vault_rows.remove_vault(tx, vault_id=item.id)
        return traces, done, (said, cut), left_out

    # --- the proof ---------------------------------------------------------------------------------------------

    def finish(self, *, patience: float = LATER) -> int:
        """Try again what is pending, whoever erased it; how many receipts are pending after it.

        Quick where nothing is. Left to the process that is at it where there is one.
        """
        with self._database.read() as tx:
            pending = receipts.pending_ids(tx)
        self._let_go(pending)
        if not pending or not self._lock.acquire(blocking=False):
            return len(pending)
        try:
            if not claimed.claim(self._database, self._clock, name=CLAIM, holder=self._holder, seconds=LEASE):
                return len(pending)
            try:
                self._prove(pending, patience=patience)
            finally:
                claimed.release(self._database, name=CLAIM, holder=self._holder)
        finally:
            self._lock.release()
        with self._database.read() as tx:
            return len(receipts.pending_ids(tx))

    def _prove(self, ids: Sequence[int], *, patience: float) -> None:
        hindrance = purge.rewrite(self._database, patience=patience)
        proof = Proof.REBUILT
        if hindrance is None and all(number in self._known for number in ids):
            proof = Proof.BYTES if self._database.is_sqlite else Proof.ROWS
            hindrance = self._look(ids)
        with self._database.write() as tx:
            if hindrance is not None:
                receipts.hinder(tx, ids=ids, hindrance=hindrance)
                return
            beyond = purge.beyond_reach(self._database)
            receipts.complete(tx, ids=ids, proof=proof, at=self._clock(), beyond=beyond)
        for number in ids:
            self._known.pop(number, None)

    def _look(self, ids: Sequence[int]) -> Hindrance | None:
        windows = self._known[ids[0]]
        for number in ids[1:]:
            if self._known[number] is not windows:
                windows = windows.also(self._known[number])
        try:
            return Hindrance.TRACES if len(purge.find_traces(self._database, windows)) else None
        except (SouvenanceError, OSError):
            return Hindrance.STORE

    @property
    def looked_for(self) -> int:
        """Of how many receipts this process still knows what went, to look for it once it can."""
        return len(self._known)

    def newest(self) -> int:
        """The id of the newest receipt of the whole memory, 0 where there is none."""
        with self._database.read() as tx:
            return receipts.newest(tx)

    def forget_since(self, receipt: int) -> int:
        """Let go of what this process holds in memory of vaults that another erased from; the newest receipt's id."""
        with self._database.read() as tx:
            newest, vault_ids = receipts.newest(tx), receipts.vaults_after(tx, receipt)
            pending = set(receipts.pending_ids(tx))
        for vault_id in vault_ids:
            self._forget_vault(vault_id)
        self._let_go(pending)
        return newest

    def _let_go(self, pending: Collection[int]) -> None:
        """Drop what is looked for of receipts that are complete by now, whichever process proved them."""
        if self._known and self._lock.acquire(blocking=False):  # a proof that is under way lets go by itself
            try:
                self._known = {number: kept for number, kept in self._known.items() if number in pending}
            finally:
                self._lock.release()

    def _forget_vault(self, vault_id: int) -> None:
        for forget in self._forget:
            forget(vault_id)
        forget_words()

    # --- receipts ----------------------------------------------------------------------------------------------

    def receipts(
        self,
        *,
        actor: Actor,
        vault: str | None = None,
        member: str | None = None,
        limit: int = 50,
        offset: int = 0,
    ) -> list[Receipt]:
        """Receipts of the vaults the caller configures, the newest first; with `member`, those of that member."""
        if actor.is_model:
            raise NotAllowed("Receipts are read by people.", hint="Use the command line or the panel.")
        if member is not None:
            _checked(None, member)
        with self._database.read() as tx:
            vault_id = None if vault is None else vault_rows.named_vault(tx, actor, vault).id
            if member is None:
                return receipts.list_receipts(tx, actor, vault_id=vault_id, limit=limit, offset=offset)
            found = receipts.list_receipts(tx, actor, vault_id=vault_id, limit=100_000)
        return [item for item in found if item.is_of(member)][offset : offset + limit]

    # --- whose and which ---------------------------------------------------------------------------------------

    def _vaults(self, tx: Transaction, actor: Actor, vault: str | None, member: str | None) -> tuple[list[Vault], int]:
        """The vaults to erase from, and how many others hold something of the member."""
        actor.require_write()
        if actor.is_model:
            raise NotAllowed("Only a person erases.", hint="Use the command line or the panel.")
        if vault is not None:
            found = vault_rows.named_vault(tx, actor, vault, to_write=True)
            if vault_rows.is_withheld(found, actor):
                raise Withheld(
                    "That vault is protected: nothing of it leaves over a cloud route.", hint="Erase on this machine."
                )
            return [found], 0
        chosen, left_out = [], 0
        for item in vault_rows.list_known_vaults(tx, actor):
            if any(deed.count(tx, Doomed(vault_id=item.id, member=member)).values()):
                if item.can_configure and not vault_rows.is_withheld(item, actor):
                    chosen.append(item)
                else:
                    left_out += 1
        if not chosen:
            raise NotFound("No vault that you configure holds anything about that member.", hint="Check the id.")
        return chosen, left_out

    def _called(self, tx: Transaction, chosen: Sequence[Vault], member: str | None, names: Sequence[str]) -> list[str]:
        if member is None:
            return []
        given = [checked_line(name, what="name") for name in names]
        for item in chosen:
            given += mentions.known_names(tx, Doomed(vault_id=item.id, member=member))
        return list(dict.fromkeys(name for name in given if name))

    def _mentions(
        self, tx: Transaction, actor: Actor, member: str | None, called: Sequence[str]
    ) -> tuple[list[Mention], bool]:
        """What others say of the member, and whether there is more than that."""
        if member is None:
            return [], False
        mine = [(item.id, item.slug) for item in vault_rows.list_vaults(tx, actor) if item.can_configure]
        return mentions.find_mentions(tx, vaults=mine, member=member, names=called)


def _checked(vault: str | None, member: str | None) -> str | None:
    if member is None:
        if vault is None:
            raise InvalidInput("Say what to erase: a vault, or a member by id.")
        return None
    found = checked_line(member, what="member's id")
    if not found:
        raise InvalidInput("The member's id is empty.", hint="It is the subject id that their facts carry.")
    return found


def _asked_by(member: str | None, called: Sequence[str]) -> list[str]:
    """By what a query asks for the member."""
    return [] if member is None else [member, *called]


def _require_no_wish(tx: Transaction, vault: Vault) -> None:
    out = servers.all_opted_out(tx, vault_id=vault.id)
    if out:
        raise Conflict(
            f"{len(out)} of this server's members asked not to be remembered; the vault keeps their wish.",
            hint="Erase the vault: everything that it holds goes, and their wish stays.",
        )


_ISOLATES = dict.fromkeys(range(0x2066, 0x206A))
"""Marks that keep a name of any direction to itself in a sentence: whoever copies it from there copies them along."""


def _require_confirmed(vault: Vault | None, member: str | None, confirm: str) -> None:
    wanted = {title_key(vault.name), vault.slug} if vault is not None else {str(member)}
    given = _bare(confirm).removeprefix("@") if vault is not None else _bare(confirm)
    if not {given, title_key(given)} & {_bare(one) for one in wanted}:
        raise InvalidInput(
            "This cannot be undone, and what was typed to confirm it is another name.",
            hint="Type the vault's name." if vault is not None else "Type the member's id.",
        )


def _bare(name: str) -> str:
    return name.translate(_ISOLATES).strip() or name.strip()
