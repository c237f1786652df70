"""F7 in conversations: what was made from what is erased goes with it, to the byte; what was not stays."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import JSON, Text, cast, select

from scripted import Server
from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.erasure import PurgeState, Receipt
from souvenance.domain.errors import NotFound
from souvenance.domain.fact import SubjectKind
from souvenance.exchange.events import Event, Wrote
from souvenance.memory.remember import Observation
from souvenance.store import tables
from souvenance.store.replies import note_reply, read_for, seal_replies

Ask = Callable[..., list[Event]]
MEMBER = "281474976710656001"


def keep(app: Application, owner: Actor, vault: str, content: str, **values: Any) -> int:
    observation = Observation(content=content, **values)
    return app.facts.remember(actor=owner, vault=vault, observations=[observation])[0].fact.number


@pytest.fixture
def filled(app: Application, owner: Actor) -> dict[str, int]:
    """Two vaults; the number of a fact in each."""
    for name in ("Harpe", "Lyre"):
        app.vaults.create(actor=owner, name=name)
    return {
        "harpe": keep(app, owner, "harpe", "The harp has 47 strings.", key="strings"),
        "lyre": keep(app, owner, "lyre", "The lyre hangs in the attic.", key="place"),
    }


@pytest.fixture
def chat(app: Application, owner: Actor, ask: Ask, model: Server) -> Callable[..., int]:
    """A conversation of these questions and answers, each read from one vault; its id."""

    def made(*said: tuple[str, str, str], into: int | None = None) -> int:
        conversation = into or app.conversations.start(actor=owner).id
        for vault, question, answer in said:
            model.says(answer)
            ask(question, conversation=conversation, vaults=vault)
        return conversation

    return made


def asked(app: Application, owner: Actor, conversation: int) -> list[str]:
    return [one.question for one in app.conversations.get(actor=owner, conversation=conversation).turns]


def assert_gone(app: Application, *needles: str) -> None:
    """Not in any column of any table, nor in any byte of the files."""
    written = list[str]()
    with app.database.read() as tx:
        for table in tables.metadata.sorted_tables:
            for column in table.c:
                if isinstance(column.type, (Text, JSON)):
                    written += [f"{table.name}: {one}" for one in tx.execute(select(cast(column, Text))).scalars()]
    path = str(app.database.url.database)
    files = [name for name in (path, f"{path}-wal") if app.database.is_sqlite and os.path.exists(name)]
    raw = (
        subprocess.run(["cat", *files], capture_output=True, check=True).stdout if files else b""
    )  # not here, for the locks
    for needle in needles:
        escaped = json.dumps(needle)[1:-1]
        assert [row for row in written if needle in row or escaped in row] == []
        assert needle.encode() not in raw
        assert escaped.encode() not in raw


def erased(app: Application, owner: Actor, **what: str) -> list[Receipt]:
    """Erase after a dry run that foretells turns and conversations as they go."""
    app.retrievals.flush()
    foretold = app.erasures.preview(actor=owner, **{name: what[name] for name in what if name != "confirm"})
    receipts = list(app.erasures.erase(actor=owner, **what).receipts)  # type: ignore[arg-type]
    assert all((one.state, one.why) == (PurgeState.DONE, "") for one in receipts)
    for counts, receipt in zip(foretold.vaults, receipts, strict=True):
        for kind in ("turns", "conversations", "replies"):
            assert counts.counts[kind] == receipt.counts[kind], kind
    return receipts


def test_f7_with_a_vault_go_the_turns_made_from_it_and_no_other(
    app: Application, owner: Actor, filled: dict[str, int], chat: Callable[..., int]
) -> None:
    gone = chat(
        ("harpe", "How many quadrisyllabic strings?", f"Forty-seven zygomatics [#{filled['harpe']}]."),
        ("lyre", "Et ailleurs, à Orléans ?", "After what was said before: nothing."),  # with the turn before in view
    )
    stays = chat(("lyre", "Where does the lyre hang?", "In the attic, under a blanket."))
    (receipt,) = erased(app, owner, vault="harpe", confirm="harpe")
    assert (receipt.counts["turns"], receipt.counts["conversations"]) == (2, 1)
    with pytest.raises(NotFound):
        app.conversations.get(actor=owner, conversation=gone)
    assert_gone(app, "quadrisyllabic", "zygomatics", "à Orléans", "a orleans", "what was said before: nothing")
    (turn,) = app.conversations.get(actor=owner, conversation=stays).turns
    assert (turn.question, turn.answer) == ("Where does the lyre hang?", "In the attic, under a blanket.")
    assert [one.title for one in app.conversations.list(actor=owner, query="blanket")] == ["Where does the lyre hang?"]


def test_f7_why_a_request_was_ignored_stays_in_the_audit_log_and_keeps_no_purge_waiting(
    app: Application, owner: Actor, filled: dict[str, int], chat: Callable[..., int]
) -> None:
    chat(("harpe", "How many quadrisyllabic strings?", "Forty-seven zygomatics. <<retire #9999 | a mere guess>>"))
    (receipt,) = erased(app, owner, vault="harpe", confirm="harpe")
    assert receipt.counts["turns"] == 1
    assert_gone(app, "quadrisyllabic", "zygomatics", "a mere guess")
    (ignored,) = [one for one in app.history.audit(actor=owner) if one.verb == "fact.ignored"]
    assert ignored.details["why"] == "the number was not shown in this exchange"


def test_f7_a_turn_that_wrote_into_the_vault_goes_and_the_conversation_is_called_anew(
    app: Application, owner: Actor, filled: dict[str, int], chat: Callable[..., int], ask: Ask, model: Server
) -> None:
    app.vaults.create(actor=owner, name="Empty")
    mixed = chat(
        ("empty", "Note: my zither is turquoise-green", "Noted. <<remember zither | Turquoise-green zither.>>")
    )
    (wrote,) = app.conversations.get(actor=owner, conversation=mixed).turns[0].wrote
    assert (wrote["became"], wrote["vault"]) == ("done", "empty")
    model.says("Hello.")
    ask("What a fine day", conversation=mixed, with_memory=False)
    (receipt,) = erased(app, owner, vault="empty", confirm="empty")
    assert (receipt.counts["turns"], receipt.counts["conversations"]) == (1, 0)
    assert asked(app, owner, mixed) == ["What a fine day"]
    assert app.conversations.get(actor=owner, conversation=mixed).conversation.title == "What a fine day"
    assert_gone(app, "zither", "urquoise-green")


def test_f7_with_a_member_go_the_turns_that_are_about_them(
    app: Application, owner: Actor, filled: dict[str, int], chat: Callable[..., int]
) -> None:
    about = {"subject_kind": SubjectKind.MEMBER, "subject_id": MEMBER, "author": "Quintefeuille"}
    number = keep(app, owner, "lyre", "Mange des topinambours confits", key="manger", **about)
    by_name = chat(("harpe", "What of Quintefeuille and the harp strings?", "Nothing is known."))
    by_fact = chat(("lyre", "Et les topinambours de la lyre ?", f"Confits, tout simplement [#{number}]."))
    stays = chat(("harpe", "How many strings has the harp?", "It has 47 strings."))
    total = sum(receipt.counts["turns"] for receipt in erased(app, owner, member=MEMBER, confirm=MEMBER))
    assert total >= 1
    assert asked(app, owner, stays) == ["How many strings has the harp?"]
    # The name alone, in a vault that holds nothing of the member, is no message of theirs.
    assert asked(app, owner, by_name) == ["What of Quintefeuille and the harp strings?"]
    with pytest.raises(NotFound):
        app.conversations.get(actor=owner, conversation=by_fact)
    assert_gone(app, "topinambours", "Confits, tout")


def test_f7_of_a_member_s_vault_a_turn_goes_that_names_them_or_says_what_nothing_else_says(
    app: Application, owner: Actor, filled: dict[str, int], chat: Callable[..., int]
) -> None:
    about = {"subject_kind": SubjectKind.MEMBER, "subject_id": MEMBER, "author": "Quintefeuille"}
    number = keep(app, owner, "lyre", "Joue du hurdygurdyphone au conservatoire", key="jouer", **about)
    app.facts.retire(actor=owner, number=number, version=None, reason="old")  # so that it is put before no model
    by_name = chat(("lyre", "Where is the lyre of Quintefeuille?", "In the attic."))
    by_words = chat(("lyre", "Where is the lyre?", "Beside the hurdygurdyphone."))
    stays = chat(("lyre", "Is the lyre in the attic?", "It hangs there."))
    (receipt,) = erased_by_words(app, owner)
    assert (receipt.counts["turns"], receipt.counts["conversations"]) == (2, 2)
    for conversation in (by_name, by_words):
        with pytest.raises(NotFound):
            app.conversations.get(actor=owner, conversation=conversation)
    assert asked(app, owner, stays) == ["Is the lyre in the attic?"]
    assert_gone(app, "hurdygurdyphone", "Quintefeuille", "quintefeuille")


def erased_by_words(app: Application, owner: Actor) -> list[Receipt]:
    app.retrievals.flush()
    assert app.erasures.preview(actor=owner, member=MEMBER).total["turns"] == 1  # words alone are known in the deed
    receipts = list(app.erasures.erase(actor=owner, member=MEMBER, confirm=MEMBER).receipts)
    assert all((one.state, one.why) == (PurgeState.DONE, "") for one in receipts)
    return receipts


def test_f7_a_turn_under_way_brings_nothing_back(
    app: Application, owner: Actor, filled: dict[str, int], ask: Ask, model: Server
) -> None:
    conversation = app.conversations.start(actor=owner).id

    def erasing(handler: Any, body: Any) -> None:
        app.erasures.erase(actor=owner, vault="harpe", confirm="harpe")
        handler.send_stream("It has forty-seven zygomatics. <<remember strings | The harp has 47 strings>>")

    model.says(erasing)
    events = ask("How many quadrisyllabic strings?", conversation=conversation, vaults="harpe")
    assert [one.why for one in events if isinstance(one, Wrote)] == ["what it came from was erased meanwhile"]
    assert app.facts.list(actor=owner, vault="harpe") == []
    with pytest.raises(NotFound):
        app.conversations.get(actor=owner, conversation=conversation)
    app.retrievals.flush()
    assert app.conversations.list(actor=owner, query="zygomatics") == []
    model.says("Fine. <<remember strings | It has 46 strings>>")  # learning starts again with the next one
    ask("It has 46 strings", vaults="harpe")
    assert [one.content for one in app.facts.list(actor=owner, vault="harpe")] == ["It has 46 strings"]


@pytest.mark.parametrize("where", ["in a conversation", "in none"])
def test_f7_no_clock_tells_what_was_erased_beside_an_exchange(
    app: Application, owner: Actor, filled: dict[str, int], ask: Ask, model: Server, clock: Any, where: str
) -> None:
    """Two machines that share a store have clocks of their own."""
    app.vaults.change(actor=owner, vault="harpe", protection="maximum")

    def erase(*, ahead: timedelta) -> None:
        clock.now += ahead
        app.erasures.erase(actor=owner, vault="harpe", confirm="harpe")
        clock.now -= ahead

    def erasing(handler: Any, body: Any) -> None:
        erase(ahead=timedelta(minutes=-1))
        handler.send_stream("It has forty-seven zygomatics. <<remember strings | The harp has 47 strings>>")

    conversation = app.conversations.start(actor=owner).id if where == "in a conversation" else None
    model.says(erasing)
    events = ask("How many quadrisyllabic strings?", conversation=conversation, vaults="harpe")
    assert [one.why for one in events if isinstance(one, Wrote)] == ["what it came from was erased meanwhile"]
    assert app.facts.list(actor=owner, vault="harpe") == []
    with app.database.read() as tx:
        assert tx.execute(select(tables.turn)).all() == []
        assert tx.execute(select(tables.protected_reply)).all() == []
        assert len(tx.execute(select(tables.sealed_reply)).all()) == (conversation is None)

    erase(ahead=timedelta(minutes=1))  # before the next question, whatever that clock says
    model.says("Fine. <<remember strings | It has 46 strings>>")
    conversation = app.conversations.start(actor=owner).id
    ask("It has 46 strings", conversation=conversation, vaults="harpe")
    assert [one.content for one in app.facts.list(actor=owner, vault="harpe")] == ["It has 46 strings"]
    assert [one.answer for one in app.conversations.get(actor=owner, conversation=conversation).turns] == ["Fine."]


def test_f7_what_a_turn_wrote_into_an_empty_vault_and_was_erased_before_the_turn_was_kept_is_in_no_turn(
    app: Application, owner: Actor, ask: Ask, model: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.vaults.create(actor=owner, name="Empty")
    conversation, keeping = app.conversations.start(actor=owner).id, app.exchange._keeping
    save = keeping.save

    def after_an_erasure(*given: Any) -> None:
        assert len(app.facts.list(actor=owner, vault="empty")) == 1
        app.erasures.erase(actor=owner, vault="empty", confirm="empty")
        save(*given)

    monkeypatch.setattr(keeping, "save", after_an_erasure)
    model.says("<<remember visit | Martin comes with a zygomatic harp | empty>>Noted.")
    ask("Who comes?", conversation=conversation, vaults="empty")
    with app.database.read() as tx:
        assert "zygomatic" not in repr(tx.execute(select(tables.turn)).all())


def guessed(said: str) -> set[str]:
    """Hashes of what one could guess: a text, and each of its beginnings."""
    sizes = range(len(said) + 1)
    guesses = {hashlib.sha256(f"{size}\n{said[:size]}".encode()).hexdigest() for size in sizes}
    return guesses | {hashlib.sha256(said[:size].encode()).hexdigest() for size in sizes}


@pytest.mark.parametrize("what", ["member", "vault"])
def test_f7_no_hash_is_left_of_a_reply_about_what_is_erased_under_whatever_vault(
    app: Application, owner: Actor, filled: dict[str, int], ask: Ask, model: Server, what: str
) -> None:
    """A member's replies are not told from others': all of the vault are sealed. And a reply that was made from two
    vaults is known under both."""
    keep(app, owner, "harpe", "Bo restores zygomatic harps.", subject_kind=SubjectKind.MEMBER, subject_id=MEMBER)
    for vault in ("harpe", "lyre"):
        app.vaults.change(actor=owner, vault=vault, protection="maximum")
    both = "Bo restores zygomatic harps in the attic, where the lyre has been hanging for as long as anybody knows."
    lyre = "The lyre hangs in the attic, as it always has and as it will for as long as anybody lives in this house."
    model.says(both, lyre)
    ask("Who restores harps, and where?", vaults=["harpe", "lyre"])
    ask("Where is the lyre?", vaults="lyre")
    given = {"member": MEMBER, "confirm": MEMBER} if what == "member" else {"vault": "harpe", "confirm": "harpe"}
    erased(app, owner, **given)
    with app.database.read() as tx:
        left = set(tx.execute(select(tables.protected_reply.c.hash)).scalars())
        by_vault = set(tx.execute(select(tables.sealed_reply.c.vault_id).distinct()).scalars())
        sealer = app.exchange._keeping._sealer
        known = read_for(tx, user_id=owner.user_id, texts={both, both[:70], lyre, "Hello"}, sealer=sealer)
    harpe, other = (app.vaults.get(actor=owner, vault=name).id for name in ("harpe", "lyre"))
    assert not left & guessed(both)
    assert left <= guessed(lyre)  # which is nobody's affair but the lyre's
    assert by_vault == {harpe, other}
    assert known == {both: {harpe, other}, both[:70]: {harpe, other}, lyre: {other}}
    assert_gone(app, *guessed(both))


def test_f7_of_what_a_program_keeps_nothing_is_left_that_could_be_guessed(
    app: Application, owner: Actor, filled: dict[str, int], ask: Ask, model: Server
) -> None:
    """Hashes are guessed by hashing guesses; what is sealed takes a key that is not in the database."""
    app.vaults.change(actor=owner, vault="harpe", protection="maximum")
    said = "It has forty-seven strings, as everybody knows who ever had to tune one before a concert."
    model.says(said)
    ask("How many strings has the harp?", vaults="harpe")  # in no conversation: only its hashes are kept
    (receipt,) = erased(app, owner, vault="harpe", confirm="harpe")
    assert receipt.counts["replies"] >= 1
    guesses = guessed(said)
    with app.database.read() as tx:
        assert tx.execute(select(tables.protected_reply)).all() == []
        sealed = set(tx.execute(select(tables.sealed_reply.c.hash)).scalars())
    assert len(sealed) == 2  # all of it, and its first 64 characters: no letter can be guessed from the one before
    assert not sealed & guesses
    assert_gone(app, *guesses)


_ALONE = "Bo restores zygomatic harps in town since 1990, alone and by hand, and nobody else in town does."
_LYRE = "Bo restores zygomatic harps in town since 1990, with the lyre beside him, as he has always done."


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((_ALONE, {1}), (_LYRE, {1, 2})),
        ((_LYRE, {1, 2}), (_ALONE, {1})),
        ((_LYRE, {1}), (_LYRE, {1, 2})),
        ((_LYRE, {1, 2}), (_LYRE, {1})),
        ((_LYRE, {2}), (_LYRE, {1, 2})),
    ],
    ids=["common beginning", "in reverse", "identical", "identical in reverse", "identical and elsewhere first"],
)
@pytest.mark.parametrize("is_whole", [True, False], ids=["whole", "broken off"])
def test_f7_no_hash_is_left_of_a_reply_whose_beginning_was_noted_before_with_another_scope(
    app: Application,
    owner: Actor,
    clock: Any,
    first: tuple[str, set[int]],
    second: tuple[str, set[int]],
    is_whole: bool,
) -> None:
    """A vault keeps the moment at which it first had a beginning: two vaults may have two for one reply."""
    other = "The lyre hangs in the attic, as it always has and as it will."
    at, sealer = clock(), app.exchange._keeping._sealer
    with app.database.write() as tx:
        for hours, (text, read) in enumerate((first, second)):
            noted = at + timedelta(hours=hours)
            note_reply(tx, user_id=owner.user_id, text=text, read=read, at=noted, is_whole=is_whole)
        note_reply(tx, user_id=owner.user_id, text=other, read={2}, at=at + timedelta(hours=2))
        seal_replies(tx, vault_id=1, sealer=sealer)
        left = set(tx.execute(select(tables.protected_reply.c.hash)).scalars())
        sealed = set(tx.execute(select(tables.sealed_reply.c.hash)).scalars())
        known = read_for(tx, user_id=owner.user_id, texts={_ALONE, _LYRE}, sealer=sealer)
    assert left, "another reply stays known as it was"
    assert left <= guessed(other)
    assert not (left | sealed) & (guessed(_ALONE) | guessed(_LYRE))
    assert known[_LYRE] == {1, 2}
