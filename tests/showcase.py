"""A memory as a small household might have: what pictures and the test of accessibility look at."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.vault import MemoryType, Protection, VaultKind
from souvenance.memory.remember import Observation

SAID = {
    "atelier": [
        ("tournoi", "Le tournoi d’échecs a lieu le premier samedi de mars, au préau.", 8),
        ("local", "La clé du local est chez Bérénice, au 14.", 7),
        ("langue", "Sur ce serveur on parle français.", 6),
        ("lang", "La langue du serveur est le français.", 5),
        ("café", "La machine à café est détartrée chaque premier lundi.", 3),
        ("imprimante", "The 3D printer takes 1.75 mm filament, PLA only.", 6),
        ("réunion", "Les réunions commencent à 18 h 30, jamais plus tôt.", 5),
        ("budget", "Le budget de l’année est de 2 400 euros.", 7),
    ],
    "voyages": [
        ("Lisbonne", "Nous prenons le tram 28 tôt le matin, avant la foule.", 6),
        ("train", "The night train to Vienna leaves from platform 9.", 5),
        ("hôtel", "L’hôtel de Porto garde les vélos dans la cour.", 4),
    ],
    "santé": [("allergie", "Zoé est allergique aux noix de cajou.", 10)],
}


@dataclass(frozen=True)
class Showcase:
    """Where to look at what was put there."""

    addresses: dict[str, str]


def furnish(memory: Application, owner: Actor) -> Showcase:
    """Fill an empty memory with a little of everything."""
    memory.vaults.create(
        actor=owner, name="Atelier", colour="#b8672b", description="Le club du mercredi, son local, ses outils."
    )
    memory.vaults.create(
        actor=owner, name="Voyages", colour="#2b7fb8", description="Trips, bookings, and what we would do again."
    )
    memory.vaults.create(actor=owner, name="Santé", colour="#8a3fa0", protection=Protection.MAXIMUM)
    memory.vaults.create(actor=owner, name="Bibliothèque", colour="#3f8f5b", kind=VaultKind.LIBRARY)
    numbers: dict[str, int] = {}
    agent = replace(owner, source=Source.AGENT, name="claude", is_model=True)
    for vault, facts in SAID.items():
        name = {"santé": "Santé"}.get(vault, vault)
        for key, content, importance in facts:
            observation = Observation(content=content, key=key, importance=importance, category="général")
            (kept,) = memory.facts.remember(actor=agent, vault=name, observations=[observation])
            numbers[key] = kept.fact.number
    (old,) = memory.facts.remember(
        actor=agent, vault="atelier", observations=[Observation(content="La clé du local est chez Marc.", key="local")]
    )
    memory.facts.retire(actor=owner, number=old.fact.number, version=old.fact.version, reason="Marc a déménagé")
    memory.vaults.change_type(actor=owner, vault="atelier", memory_type=MemoryType.CONSOLIDATED)
    memory.passes.run(actor=owner, vault="atelier", anyway=True)
    notes = {
        "Lisbonne": "# Lisbonne\n\nLe **tram 28** part de Moniz. Voir [[Porto]] et [[Bagages]].\n\n- tôt le matin\n",
        "Porto": "# Porto\n\nLe pont Luís I se traverse à pied, de préférence le soir. Retour vers [[Lisbonne]].\n",
        "Bagages": "# Bagages\n\n| quoi | combien |\n| --- | --- |\n| chaussettes | 5 |\n| livres | 2 |\n",
    }
    made = {
        title: memory.notes.create(actor=owner, title=title, content=content, vault="voyages", folder="carnets")
        for title, content in notes.items()
    }
    draft = memory.notes.create(actor=owner, title="Brouillon", content="à jeter", vault="voyages")
    memory.notes.delete(actor=owner, ref=draft.id)
    memory.teams.create(actor=owner, name="Famille")
    memory.tokens.create(actor=owner, name="laptop", route=Route.LOCAL)
    memory.tokens.create(actor=owner, name="reader", can_write=False, vaults=["voyages"])
    for query in ("tram 28", "où est la clé du local", "recette de la tarte au citron"):
        memory.retrieval.search(actor=agent, query=query)
    memory.retrievals.flush()
    conversation = memory.conversations.start(actor=owner, title="La clé du local")
    with ThreadPoolExecutor(1) as pool:  # the browser's driver has a loop in this thread
        pool.submit(asyncio.run, _ask(memory, owner, "Où est la clé du local ?", conversation.id)).result()
    memory.attention.set(actor=owner, vault="voyages", weight=60)
    page = memory.facts.get(actor=owner, number=numbers["tournoi"]).note_id
    return Showcase(
        addresses={
            "chat": f"/chat/{conversation.id}",
            "vaults": "/vaults",
            "vault": "/vaults/voyages",
            "map": "/map",
            "map-list": "/map/list",
            "memory": "/memory/atelier",
            "memory-all": "/memory",
            "memory-retired": "/memory/atelier?tab=retired",
            "memory-proposals": "/memory/atelier/proposals",
            "memory-erase": "/memory/atelier/erase",
            "memory-import": "/memory/atelier/import?what=facts",
            "notes": "/notes",
            "note": f"/n/{made['Lisbonne'].id}",
            "note-edit": f"/n/{made['Bagages'].id}/edit",
            "note-history": f"/n/{made['Lisbonne'].id}/history",
            "memory-page": f"/m/{page}",
            "memory-of-agents": "/notes/memory",
            "notes-found": "/notes?q=tram+28",
            "who-wrote-what": "/notes/history?who=agent:claude",
            "trash": "/notes/trash",
            "agents": "/agents",
            "context": "/agents/context",
            "activity": "/agents/activity",
            "account": "/settings",
            "answers": "/settings/answers/atelier",
            "models": "/settings/endpoints",
            "team": "/team",
            "audit": "/audit",
            "welcome": "/welcome",
        }
    )


async def _ask(memory: Application, owner: Actor, question: str, conversation: int) -> None:
    async for _ in memory.exchange.answer(actor=owner, question=question, conversation=conversation, language="fr"):
        pass
