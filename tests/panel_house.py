"""A vault of a team with what the ways of the panel lead to, for the tests that walk all of them."""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from panel_ways import Case
from souvenance.application import Application
from souvenance.domain.access import Actor, Source
from souvenance.domain.fact import State
from souvenance.domain.person import EnteredBy
from souvenance.domain.vault import MemoryType
from souvenance.memory.remember import Observation
from souvenance.store import people

CANARY = "zorglub"


@dataclass
class House:
    """A vault of a team, with what the ways lead to: made anew for each way, so that no deed spoils another's."""

    memory: Application
    owner: Actor
    team: int
    folder: str
    proposal: str
    made: dict[str, list[Any]] = field(default_factory=lambda: {"fact": [], "note": []})
    count: int = 0

    def person(self, handle: str) -> tuple[Actor, str]:
        """That user as somebody who is signed in, and the secret of the session."""
        with self.memory.database.write() as tx:
            user = people.find_user(tx, handle)
            assert user is not None
            begun = self.memory.sessions.begin(tx, user, entered_by=EnteredBy.PASSWORD, user_agent="a test")
        return self.memory.sessions.authenticate(begun.secret)[1], begun.secret

    def fact(self, *, trashed: bool) -> tuple[int, int]:
        """A fact, and its first change."""
        self.count += 1
        said = Observation(content=f"{CANARY} {self.count}", category=f"c{self.count}")
        (kept,) = self.memory.facts.remember(actor=self.owner, vault="harpe", observations=[said])
        number = kept.fact.number
        change = self.memory.history.of_fact(actor=self.owner, number=number)[0].change_id
        if trashed:
            self.memory.facts.delete(actor=self.owner, number=number)
        self.made["fact"].append((number, trashed))
        return number, change

    def note(self, *, trashed: bool) -> tuple[str, int]:
        """A note, and its first change."""
        self.count += 1
        note = self.memory.notes.create(actor=self.owner, vault="harpe", title=f"T{self.count}", content=f"{CANARY} b")
        change = self.memory.history.of_note(actor=self.owner, ref=note.id)[0].change_id
        if trashed:
            self.memory.notes.delete(actor=self.owner, ref=note.id)
        self.made["note"].append((note.id, trashed))
        return note.id, change

    def fill(self, way: str, case: Case) -> tuple[str, str, dict[str, Any], str]:
        """Method, address and form of a way, leading to something that is there."""
        method, _, pattern = way.partition(" ")
        values = self.leads(pattern, case)
        plain = re.sub(r"\{(\w+):\w+\}", r"{\1}", pattern + case.query)
        return method, plain.format(**values), self.form(case, values), case.file

    @staticmethod
    def form(case: Case, values: dict[str, Any]) -> dict[str, str]:
        """The form of a way, naming what is there."""
        return {name: str(value).format(**values) for name, value in case.form.items()}

    def leads(self, pattern: str, case: Case) -> dict[str, Any]:
        """What the variable parts of an address are to be, so that it leads to something that is there."""
        whole = pattern + case.query + str(case.form)
        trashed = "restore" in pattern.rpartition("/")[2] or pattern.endswith("/purge")
        is_history = "{change}" in pattern
        values: dict[str, Any] = {
            "secret": "si_unknown", "vault": "harpe", "turn": 1, "place": 9, "folder": self.folder, "deed": "suspend",
            "action": "delete", "step": "journal", "proposal": self.proposal, "what": "digest", "use": "auto",
            "team": self.team,
        }  # fmt: skip
        if "{number}" in whole:
            values["number"], values["change"] = self.fact(trashed=trashed)
        if "{note}" in whole or "{node}" in whole:
            values["note"], values["change"] = self.note(trashed=trashed and not is_history)
            values["node"] = f"note:{values['note']}"
        if "{conversation" in whole:
            values["conversation"] = self.conversation()
        if "{invitation" in whole:
            values["invitation"] = self.memory.invitations.invite(actor=self.owner, team=self.team)[0].id
        if "{token" in whole:
            self.count += 1
            values["token"] = self.memory.tokens.create(actor=self.owner, name=f"t{self.count}")[0].id
        if "{session" in whole:
            values["session"] = self.person("owner")[0].session_id
        return values

    def conversation(self) -> int:
        """A conversation of the owner's with one turn."""
        made = self.memory.conversations.start(actor=self.owner)

        async def ask() -> None:
            answer = self.memory.exchange.answer(
                actor=self.owner, question=f"{CANARY}?", conversation=made.id, language="fr"
            )
            async for _ in answer:
                pass

        with ThreadPoolExecutor(1) as pool:
            pool.submit(asyncio.run, ask()).result()
        return made.id

    def untouched(self) -> None:
        """Assert that everything made is as it was made."""
        for number, trashed in self.made["fact"]:
            fact = self.memory.facts.get(actor=self.owner, number=number)
            assert (fact.state is State.TRASHED) == trashed, number
            assert fact.content.startswith(CANARY), number
            assert not fact.disabled, number
            assert fact.version <= 2, number
        for ref, trashed in self.made["note"]:
            note = self.memory.notes.get(actor=self.owner, ref=ref, limit=0).note
            assert (note.deleted_at is not None) == trashed, ref
            assert (note.content, note.folder, note.digest) == (f"{CANARY} b", "", ""), ref
            assert (note.muted, note.disabled) == (False, False), ref


def furnish(memory: Application, place: Path) -> House:
    """Fill an empty memory: a team's vaults `harpe` and `lyre`, people of every kind; `place`: a folder for files."""
    owner = memory.owner_through(Source.PANEL)
    for handle in ("reader", "configurer", "outsider", "another"):
        memory.users.create(actor=owner, handle=handle)
    team = memory.teams.create(actor=owner, name="Harpists").id
    for name in ("Harpe", "Lyre"):
        memory.vaults.create(actor=owner, name=name, description=CANARY)
        memory.teams.move_vault(actor=owner, vault=name.lower(), team=team)
    for category in ("one", "two"):
        said = Observation(content=f"{CANARY} a des cordes", category=category)
        memory.facts.remember(actor=owner, vault="harpe", observations=[said])
    memory.vaults.change_type(actor=owner, vault="harpe", memory_type=MemoryType.SEMANTIC)
    memory.passes.run(actor=owner, vault="harpe", anyway=True)
    (proposed,) = memory.proposals.list(actor=owner, vault="harpe")
    watched = place / "watched"
    watched.mkdir()
    folder = memory.folders.watch(actor=owner, vault="harpe", path=str(watched))
    made = House(memory, owner, team, folder.id, str(proposed.proposal.id))
    for handle in ("reader", "configurer", "another"):
        _, secret = memory.invitations.invite(actor=owner, team=team, can_configure=handle == "configurer")
        memory.invitations.join(secret, actor=made.person(handle)[0])
    return made
