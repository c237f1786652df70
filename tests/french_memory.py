"""A memory in French in which about everything has happened: what the test of French pages walks over."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from documents import docx
from scripted import Raw, Server
from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.endpoint import Use
from souvenance.domain.errors import SouvenanceError
from souvenance.domain.proposal import Standing
from souvenance.domain.server import ServerMember
from souvenance.domain.vault import MemoryType, Protection, VaultKind
from souvenance.memory.remember import Observation

ANSWERS = (
    "Bérénice a la clé.",
    "",
    "<<remember porte | La porte est verte>> C’est noté. <<remember porte | La porte est verte>>",
    "<<retire 1>> <<retire 99999>> <<replace 2 | Le thé se boit froid>> Voilà.",
    "<<remember api | sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD>> Bien.",
    "<<lookup théière>>",
    "La théière est là.",
    Raw(status=401, body=b'{"error": {"message": "non"}}'),
    Raw(status=413, body=b"{}"),
    Raw(status=500, body=b"{}"),
    Raw(body=b"<html>", kind="text/html"),
)
"""What the model says, question by question."""
FACTS = (
    ("clé", "La clé du local est chez Bérénice.", "général"), ("thé", "Le thé se boit chaud.", "général"),
    ("clé", "La clé du local est chez Marc.", "local"), ("thé", "Le thé se boit chaud.", "boissons"),
    ("tasse", "La tasse bleue est fêlée.", "vaisselle"), ("vase", "Le vase vient de Lyon.", "vaisselle"),
    ("lampe", "La lampe est à Zoé.", "meubles"), ("banc", "Le banc est au jardin.", "meubles"),
)  # fmt: skip


def furnish(memory: Application, owner: Actor, model: Server, place: Path) -> list[str]:
    """Let it all happen; the addresses that lead to it, besides those of every way."""
    agent = replace(owner, source=Source.AGENT, name="claude", is_model=True)
    memory.vaults.create(actor=owner, name="Atelier", description="Le club du mercredi.")
    memory.vaults.create(actor=owner, name="Coffret", protection=Protection.MAXIMUM)
    memory.vaults.create(actor=owner, name="Livres", kind=VaultKind.LIBRARY)
    numbers = []
    for at, (key, content, category) in enumerate(FACTS):
        said = Observation(content=content, key=key, category=category, importance=1 + at)
        numbers += [
            one.fact.number
            for one in memory.facts.remember(actor=agent if at % 2 else owner, vault="atelier", observations=[said])
        ]
    memory.facts.remember(
        actor=owner, vault="coffret", observations=[Observation(content="Le théâtre ferme à minuit.")]
    )
    _tidy(memory, owner)
    _change_facts(memory, owner, numbers)
    notes = _notes(memory, owner, agent)
    _folders(memory, owner, place)
    _server(memory, owner)
    memory.endpoints.add(actor=owner, name="maison", base_url=model.url, model="tiny", uses=[Use.ANSWERS])
    memory.endpoints.add(actor=owner, name="sourd", base_url="http://127.0.0.1:9/v1", model="rien", uses=[Use.AUTO])
    memory.vaults.create(actor=owner, name="Carnet")
    talks = [_talk(memory, owner, model, vault) for vault in ("carnet", "atelier")]
    memory.attention.all(actor=owner)
    _ask_around(memory, owner, agent)
    _erase(memory, owner)
    memory.tokens.create(actor=owner, name="portable", route=Route.LOCAL)
    memory.tokens.revoke(actor=owner, token=memory.tokens.create(actor=owner, name="vieux", can_write=False)[0].id)
    memory.vaults.change_settings(actor=owner, vault="atelier", changes={"max_injected": 5, "daily_tokens": 9000})
    memory.context.pin(actor=owner, ref=notes[0])
    memory.notes.mute(actor=owner, ref=notes[1], muted=True)
    return [
        *(f"/chat/{talk}" for talk in talks),
        *(f"/chat/{talk}/turns/{at}/read" for talk in talks for at in range(1, len(ANSWERS))),
        *(f"/memory/atelier?tab={tab}" for tab in ("in_force", "retired", "all", "trash")),
        "/memory", "/memory/atelier/proposals", "/memory/coffret/proposals", "/memory/atelier/erase",
        "/memory/atelier/receipts", "/memory/cercle/receipts", "/vaults", "/vaults/atelier", "/vaults/coffret",
        "/vaults/livres", "/vaults/livres/folders", "/vaults/cercle", "/settings/answers/cercle",
        *(f"/vaults/livres/folders/{one.folder.id}/problems" for one in memory.folders.list(actor=owner)),
        *(f"/memory/atelier/steps/{step}" for step in MemoryType), "/memory/coffret/steps/semantic",
        *(f"/fact/{number}/{what}" for number in numbers for what in ("history", "row", "menu")),
        *(f"/n/{note}{what}" for note in notes for what in ("", "/history", "/edit")),
        "/notes/history?who=agent:claude", "/notes/history/plan?who=agent:claude",
        "/notes/history?who=agent:chat+model", "/notes/history/plan?who=agent:chat+model",
        "/notes/trash", "/notes?q=cl%C3%A9", "/agents/activity", "/audit",
        "/audit/more?from=5", "/agents/context", "/settings/endpoints", "/team", "/map/list", "/map/list?q=th%C3%A9",
    ]  # fmt: skip


def _tidy(memory: Application, owner: Actor) -> None:
    memory.vaults.change_type(actor=owner, vault="atelier", memory_type=MemoryType.SEMANTIC)
    memory.passes.run(actor=owner, vault="atelier", anyway=True)
    waiting = memory.proposals.list(actor=owner, vault="atelier", standing=Standing.WAITING)
    assert len(waiting) >= 2
    for view in waiting[:1]:
        memory.proposals.answer(actor=owner, proposal=str(view.proposal.id), answer=view.answers[-1])


def _change_facts(memory: Application, owner: Actor, numbers: Sequence[int]) -> None:
    retire = memory.facts.retire
    third, fifth, sixth, seventh, eighth = (
        memory.facts.get(actor=owner, number=numbers[at]) for at in (2, 4, 5, 6, 7)
    )  # fmt: skip
    memory.facts.edit(
        actor=owner, number=third.number, version=third.version, content="La clé est perdue.", importance=2
    )
    retire(actor=owner, number=fifth.number, version=fifth.version, reason="cassée")
    memory.facts.restore(actor=owner, number=fifth.number)
    retire(actor=owner, number=sixth.number, version=sixth.version, reason="rendu")
    memory.facts.delete(actor=owner, number=seventh.number)
    memory.facts.move(actor=owner, number=eighth.number, vault="coffret")


def _notes(memory: Application, owner: Actor, agent: Actor) -> list[str]:
    made = [
        memory.notes.create(actor=who, title=title, content=content, vault="livres", folder="carnets").id
        for who, title, content in (
            (owner, "Porto", "# Porto\n\nVoir [[Lisbonne]] et [[Nulle part]].\n"),
            (agent, "Lisbonne", "# Lisbonne\n\nRetour vers [[Porto]].\n"),
        )
    ]
    memory.notes.rename(actor=owner, ref=made[1], title="Lisbonne la nuit")
    memory.notes.move(actor=owner, ref=made[1], folder="autres")
    memory.notes.set_digest(actor=owner, ref=made[0], digest="Un pont.")
    memory.notes.disable(actor=owner, ref=made[0], disabled=True)
    memory.notes.disable(actor=owner, ref=made[0], disabled=False)
    gone = memory.notes.create(actor=agent, title="Brouillon", content="à jeter", vault="livres")
    memory.notes.delete(actor=owner, ref=gone.id)
    return made


def _folders(memory: Application, owner: Actor, place: Path) -> None:
    for name in ("lu", "suspendu", "disparu", "vide"):
        (place / name).mkdir()
        (place / name / "texte.md").write_text("# Texte\n\nDes mots.\n")
    (place / "lu" / "abîmé.pdf").write_bytes(b"%PDF-1.4 rien")
    (place / "lu" / "vide.docx").write_bytes(b"")
    (place / "lu" / "bon.docx").write_bytes(docx("Titre", "Du texte"))
    (place / "lu" / "binaire.md").write_bytes(b"\xff\xfe\x00\xd8")
    (place / "lu" / "inconnu.xyz").write_bytes(b"\x00\x01")
    (place / "lu" / "boucle").symlink_to(place / "lu")
    for name in ("lu", "suspendu", "disparu", "vide"):
        folder = memory.folders.watch(actor=owner, vault="livres", path=str(place / name)).id
        memory.folders.scan(actor=owner, folder=folder)
        if name == "suspendu":
            memory.folders.suspend(actor=owner, folder=folder)
        if name in {"disparu", "vide"}:
            (place / name / "texte.md").unlink()
        if name == "disparu":
            (place / name).rmdir()
        if name != "suspendu":
            with suppress(SouvenanceError):  # what is refused is what the page shows
                memory.folders.scan(actor=owner, folder=folder)


def _server(memory: Application, owner: Actor) -> None:
    server = memory.servers.join(actor=owner, guild_id="123456789012345678", name="Cercle")
    member = ServerMember(id="1001", name="Ana")
    memory.servers.meet(server=server, members=[member])
    memory.members.opt_out(actor=owner, server=server, member=member)
    memory.servers.change_settings(actor=owner, vault="cercle", changes={"read": "all", "write": "none"})


def _talk(memory: Application, owner: Actor, model: Server, vault: str) -> int:
    memory.attention.solo(actor=owner, vault=vault)
    model.says(*ANSWERS)
    talk = memory.conversations.start(actor=owner).id

    async def ask() -> None:
        for at in range(len(ANSWERS) - 1):
            answer = memory.exchange.answer(
                actor=owner,
                question=f"Où est la clé numéro {at} ?",
                conversation=talk,
                language="en" if at < 2 else "fr",
            )
            with suppress(SouvenanceError):
                async for _ in answer:
                    pass

    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, ask()).result()
    turns = memory.conversations.get(actor=owner, conversation=talk, last=50).turns
    assert {turn.state for turn in turns} >= {"done", "failed"}
    for turn in turns:
        for place, _ in enumerate(turn.wrote):
            with suppress(SouvenanceError):
                memory.conversations.undo(actor=owner, conversation=talk, turn=turn.ordinal, place=place)
    return talk


def _ask_around(memory: Application, owner: Actor, agent: Actor) -> None:
    for who in (owner, agent):
        for query in ("clé", "tarte au citron", "tarte au citron"):
            memory.retrieval.search(actor=who, query=query)
    memory.retrievals.flush()


def _erase(memory: Application, owner: Actor) -> None:
    memory.vaults.create(actor=owner, name="Perdu")
    memory.facts.remember(actor=owner, vault="perdu", observations=[Observation(content="À oublier.")])
    memory.erasures.erase(actor=owner, vault="perdu", confirm="Perdu")
    with suppress(SouvenanceError):
        memory.erasures.erase(actor=owner, member="1001", confirm="1001")
    memory.vaults.create(actor=owner, name="Détruit")
    memory.erasures.delete_vault(actor=owner, vault="détruit", confirm="Détruit")
