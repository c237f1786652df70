"""The slash commands, through Discord's own interactions (D4)."""

import json
from pathlib import Path

import pytest

from discord_bench import Bench
from souvenance.domain.fact import State
from souvenance.domain.vault import MemoryType, Protection

pytestmark = pytest.mark.anyio


async def test_d4_the_commands_are_registered_in_both_languages(bench: Bench) -> None:
    (memory,) = bench.discord.rest.commands
    assert memory["name_localizations"] == {"fr": "mémoire"}
    assert memory["contexts"] == [0]
    assert {one["name"]: one["name_localizations"]["fr"] for one in memory["options"]} == {
        "search": "chercher",
        "about-me": "sur-moi",
        "my-data": "mes-données",
        "forget-me": "oublie-moi",
        "opt-out": "ne-plus-retenir",
        "notice": "avis",
        "add": "ajouter",
        "type": "type",
        "erase": "effacer",
    }
    for one in memory["options"]:
        assert one["description_localizations"]["fr"] != one["description"]
        for option in one["options"]:
            assert option["description_localizations"]["fr"] != option["description"]


async def test_d4_search_answers_the_caller_alone_in_their_language(bench: Bench) -> None:
    ana = bench.guild.new_member("ana")
    fact = bench.know("The ferry leaves at nine from the north quay")
    asked = await bench.discord.command(bench.hall, ana, "memory search", query="ferry")
    assert asked.is_ephemeral
    assert asked.text.startswith("Found, best first (1):")
    assert f"[#{fact.number}]" in asked.text
    assert "ferry leaves at nine" in asked.text
    french = await bench.discord.command(bench.hall, ana, "memory search", query="ferry", locale="fr")
    assert french.text.startswith("Trouvé, le meilleur d’abord (1) :")
    nothing = await bench.discord.command(bench.hall, ana, "memory search", query="zeppelin", locale="fr")
    assert nothing.text == "Rien n’a été trouvé."


async def test_d2_commands_obey_the_two_lists(bench: Bench) -> None:
    boss = bench.guild.new_member("boss", manages=True)
    den = bench.guild.new_channel("den")
    await bench.discord.gateway.dispatch("CHANNEL_CREATE", den, ~0)
    bench.know("The ferry leaves at nine")
    bench.set(read=[bench.hall["id"]], write=[bench.hall["id"]])
    for line, options in (("search", {"query": "ferry"}), ("about-me", {}), ("my-data", {})):
        asked = await bench.discord.command(den, boss, f"memory {line}", **options)
        assert asked.text == "Memory is not read in this channel. Ask in a channel where it is."
    asked = await bench.discord.command(den, boss, "memory add", content="The ferry leaves at ten", locale="fr")
    assert asked.text == "La mémoire n’est pas écrite dans ce salon."
    thread = await bench.discord.start_thread(bench.guild, "plans", bench.hall)
    asked = await bench.discord.command(thread, boss, "memory search", query="ferry")
    assert "not read" in asked.text
    bench.set(include_threads=True)
    asked = await bench.discord.command(thread, boss, "memory search", query="ferry")
    assert "ferry leaves at nine" in asked.text
    assert [fact.content for fact in bench.facts()] == ["The ferry leaves at nine"]


async def test_d4_anyone_sees_takes_along_and_erases_their_own(bench: Bench) -> None:
    ana, bo = bench.guild.new_member("ana"), bench.guild.new_member("bo")
    bench.know("plays the harp", about=ana)
    bench.know("plays the lute", about=bo)
    asked = await bench.discord.command(bench.hall, ana, "memory about-me", locale="fr")
    assert "plays the harp" in asked.text
    assert "lute" not in asked.text
    asked = await bench.discord.command(bench.hall, ana, "memory my-data")
    ((name, content),) = asked.answers[0].files.items()
    data = json.loads(content)
    assert name == f"memory-{bench.guild.id}-{ana['id']}.json"
    assert data["member_id"] == ana["id"]
    assert [fact["content"] for fact in data["facts"]] == ["plays the harp"]
    asked = await bench.discord.command(bench.hall, ana, "memory forget-me", sure=False)
    assert "Nothing was erased" in asked.text
    assert len(bench.facts()) == 2
    asked = await bench.discord.command(bench.hall, ana, "memory forget-me", sure=True)
    assert asked.text.startswith("Done. Facts about you erased for good: 1.")
    assert [fact.content for fact in bench.facts()] == ["plays the lute"]
    asked = await bench.discord.command(bench.hall, ana, "memory about-me", locale="fr")
    assert asked.text == "Rien n’est retenu à ton sujet ici."


async def test_f7_what_was_forgotten_is_in_no_byte_of_the_store_and_an_opt_out_outlives_it(bench: Bench) -> None:
    ana, bo = bench.guild.new_member("ana", nick="Zephyrine"), bench.guild.new_member("bo", nick="Bo")
    bench.model.says("Noted. <<remember music | plays the glockenspiel | Zephyrine>>")
    await bench.discord.tell_bot(bench.hall, ana, "I play the glockenspiel")
    await bench.discord.answer(bench.hall)
    bench.know("Zephyrine lent Bo a book", about=bo)
    await bench.discord.command(bench.hall, ana, "memory opt-out")
    asked = await bench.discord.command(bench.hall, ana, "memory forget-me", sure=True)
    assert asked.text.startswith("Done. Facts about you erased for good: 1.")
    assert "Facts about others that still name you: 1." in asked.text
    assert "Purge pending" not in asked.text
    folder = Path(str(bench.memory.database.url.database)).parent
    for file in folder.glob("souvenance.db*"):
        assert b"glockenspiel" not in file.read_bytes(), file
    met = bench.memory.servers.meet(server=bench.server(), members=[], others=[ana["id"]])
    assert (met.names, met.opted_out) == ({}, {ana["id"]})


async def test_d4_managing_commands_are_for_those_who_manage_the_server(bench: Bench) -> None:
    ana, boss = bench.guild.new_member("ana"), bench.guild.new_member("boss", manages=True)
    bench.know("plays the harp", about=ana)
    for line, options in (
        ("add", {"content": "The port is closed"}),
        ("type", {"step": "journal"}),
        ("erase", {"sure": True}),
        ("erase", {"sure": True, "member": ana["id"]}),
    ):
        asked = await bench.discord.command(bench.hall, ana, f"memory {line}", **options)
        assert asked.text == "This is for those who may manage the server.", line
    assert [fact.content for fact in bench.facts()] == ["plays the harp"]
    asked = await bench.discord.command(
        bench.hall, boss, "memory add", content="plays the flute", member=ana["id"], importance=8, key="music"
    )
    fact = bench.facts()[-1]
    assert asked.text == f"Kept as #{fact.number}."
    assert (fact.subject_id, fact.importance, fact.key, fact.author) == (ana["id"], 8, "music", "boss")
    asked = await bench.discord.command(bench.hall, boss, "memory type", step="semantic", locale="fr")
    assert "« Sémantique »" in asked.text
    vault = bench.memory.vaults.get(actor=bench.owner, vault=bench.server().vault)
    assert vault.memory_type is MemoryType.SEMANTIC
    await bench.discord.command(bench.hall, boss, "memory add", content="The port is deep")
    asked = await bench.discord.command(bench.hall, boss, "memory erase", sure=True, member=ana["id"])
    assert asked.text.startswith("Done. Facts erased for good: 2.")
    asked = await bench.discord.command(bench.hall, boss, "memory erase", sure=True)
    assert asked.text.startswith("Done. Facts erased for good: 1.")
    assert bench.memory.facts.list(actor=bench.owner, vault=vault.slug, states=list(State)) == []
    said = [(one.verb, one.who) for one in bench.memory.history.audit(actor=bench.owner) if "erase" in one.verb]
    assert {who for _, who in said} == {f"boss (Discord {boss['id']})"}


async def test_f8_a_person_is_warned_of_a_secret(bench: Bench) -> None:
    boss = bench.guild.new_member("boss", manages=True)
    asked = await bench.discord.command(
        bench.hall, boss, "memory add", content="the password is hunter2-Xk29!fh", locale="fr"
    )
    assert "Cela semble contenir un secret" in asked.text


async def test_v8_a_protected_servers_memory_is_not_given_to_discord(bench: Bench) -> None:
    ana = bench.guild.new_member("ana")
    bench.know("plays the harp", about=ana)
    slug = bench.server().vault
    bench.memory.vaults.change(actor=bench.owner, vault=slug, protection=Protection.MAXIMUM)
    for line, options in (("search", {"query": "harp"}), ("about-me", {}), ("my-data", {})):
        asked = await bench.discord.command(bench.hall, ana, f"memory {line}", locale="fr", **options)
        assert asked.text == "La mémoire de ce serveur est protégée : rien n’en part vers Discord.", line
        assert not asked.answers[0].files


async def test_d4_the_notice_says_where_memory_is_read_and_what_anyone_can_do(bench: Bench) -> None:
    ana, boss = bench.guild.new_member("ana"), bench.guild.new_member("boss", manages=True)
    bench.set(read=[bench.hall["id"]], write="none")
    asked = await bench.discord.command(bench.hall, ana, "memory notice", locale="fr")
    assert asked.is_ephemeral
    assert f"lit la mémoire dans <#{bench.hall['id']}> et l’écrit nulle part" in asked.text
    assert "/mémoire oublie-moi" in asked.text
    refused = await bench.discord.command(bench.hall, ana, "memory notice", public=True)
    assert refused.is_ephemeral
    assert refused.text == "This is for those who may manage the server."
    shown = await bench.discord.command(bench.hall, boss, "memory notice", public=True)
    assert not shown.is_ephemeral
    assert "**souvenance remembers.**" in shown.text
    assert shown.answers[0].pings == set()


async def test_two_servers_have_each_their_own(bench: Bench) -> None:
    ana = bench.guild.new_member("ana")
    lagoon, pool = await bench.let_in("Lagoon")
    lagoon.add_member(ana)
    bench.know("plays the harp", about=ana)
    bench.know("plays the lute", about=ana, guild=lagoon)
    here = await bench.discord.command(bench.hall, ana, "memory search", query="plays @lagoon")
    assert "harp" in here.text
    assert "lute" not in here.text
    there = await bench.discord.command(pool, ana, "memory about-me")
    assert "lute" in there.text
    assert "harp" not in there.text
    await bench.discord.command(pool, ana, "memory forget-me", sure=True)
    assert [fact.content for fact in bench.facts()] == ["plays the harp"]


async def test_what_is_asked_wrongly_is_refused_with_the_way_out(bench: Bench) -> None:
    boss = bench.guild.new_member("boss", manages=True)
    asked = await bench.discord.command(bench.hall, boss, "memory add", content="  ")
    assert asked.text.startswith("That was refused: The fact is empty.")
    assert bench.facts() == []
