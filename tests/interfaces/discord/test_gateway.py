"""Connections that drop, sessions that are lost: nothing answered twice, nothing lost."""

import asyncio

import pytest

from discord_bench import Bench
from souvenance.interfaces.discord.bot import Bot

pytestmark = pytest.mark.anyio


async def test_the_bot_asks_for_no_more_than_it_needs(bench: Bench) -> None:
    (identified,) = bench.discord.gateway.identified
    guilds, messages, content = 1 << 0, 1 << 9, 1 << 15
    assert identified["intents"] == guilds | messages | content


async def test_what_was_said_while_the_connection_was_down_is_answered_once(bench: Bench) -> None:
    ana = bench.guild.new_member("ana")
    bench.model.does(lambda _, question: f"You said {question.split()[-1]}.")
    await bench.discord.tell_bot(bench.hall, ana, "one")
    await bench.discord.answer(bench.hall)
    await bench.settled()
    await bench.discord.gateway.drop()
    for word in ("two", "three"):
        await bench.discord.tell_bot(bench.hall, ana, word)
    await bench.discord.answer(bench.hall, number=3)
    await bench.settled()
    assert [said.text for said in bench.discord.said_by_bot(bench.hall)] == [
        "You said one.",
        "You said two.",
        "You said three.",
    ]
    assert len(bench.discord.gateway.identified) == 1
    assert len(bench.discord.gateway.resumed) == 1


async def test_events_that_come_again_are_not_answered_again(bench: Bench) -> None:
    ana = bench.guild.new_member("ana")
    bench.discord.gateway.repeats_on_resume = 50
    await bench.discord.tell_bot(bench.hall, ana, "one")
    await bench.discord.answer(bench.hall)
    await bench.settled()
    await bench.discord.gateway.drop()
    await bench.discord.wait_for(lambda: len(bench.discord.gateway.resumed) == 1)
    await bench.settled()
    assert len(bench.discord.said_by_bot(bench.hall)) == 1
    assert len(bench.model.prompts) == 1


async def test_an_answer_under_way_survives_a_dropped_connection(bench: Bench) -> None:
    ana = bench.guild.new_member("ana")
    bench.model.hold.clear()
    await bench.discord.tell_bot(bench.hall, ana, "one")
    await bench.discord.wait_for(lambda: bool(bench.model.prompts))
    await bench.discord.gateway.ask_to_reconnect()
    await bench.discord.wait_for(lambda: len(bench.discord.gateway.resumed) == 1)
    bench.model.hold.set()
    await bench.settled()
    assert len(bench.discord.said_by_bot(bench.hall)) == 1


async def test_a_session_that_is_lost_is_read_up(bench: Bench) -> None:
    """Discord repeats nothing then; the bot reads the channels that have something newer."""
    ana = bench.guild.new_member("ana")
    bench.model.does(lambda _, question: f"You said {question.split()[-1]}.")
    await bench.discord.tell_bot(bench.hall, ana, "one")
    await bench.discord.answer(bench.hall)
    await bench.settled()
    thread = await bench.discord.start_thread(bench.guild, "aside", bench.hall)
    bench.discord.gateway.forget_sessions()
    await bench.discord.gateway.close()
    await bench.discord.tell_bot(bench.hall, ana, "two")
    await bench.discord.tell_bot(thread, ana, "three")
    await bench.discord.answer(bench.hall, number=2)
    await bench.discord.answer(thread)
    await bench.settled()
    said = [one.text for place in (bench.hall, thread) for one in bench.discord.said_by_bot(place)]
    assert said == ["You said one.", "You said two.", "You said three."]
    assert len(bench.discord.gateway.identified) == 2


async def test_answers_of_one_channel_come_in_order_and_channels_do_not_wait_for_each_other(bench: Bench) -> None:
    ana = bench.guild.new_member("ana")
    den = bench.guild.new_channel("den")
    await bench.discord.gateway.dispatch("CHANNEL_CREATE", den, ~0)
    bench.model.does(lambda _, question: f"You said {question.split()[-1]}.")
    bench.model.hold.clear()
    for word in ("one", "two", "three"):
        await bench.discord.tell_bot(bench.hall, ana, word)
    await bench.discord.tell_bot(den, ana, "four")
    await bench.discord.wait_for(lambda: len(bench.model.prompts) == 2)
    await bench.discord.gateway.settle()
    assert len(bench.model.prompts) == 2
    bench.model.hold.set()
    await bench.settled()
    said = [one.text for one in bench.discord.said_by_bot(bench.hall)]
    assert said == ["You said one.", "You said two.", "You said three."]
    assert [one.text for one in bench.discord.said_by_bot(den)] == ["You said four."]


async def test_a_rate_limit_is_waited_out_and_nothing_is_said_twice(bench: Bench) -> None:
    ana = bench.guild.new_member("ana")
    bench.model.says("word " * 900)
    bench.discord.rest.to_limit = 3
    await bench.discord.tell_bot(bench.hall, ana, "talk")
    await bench.settled()
    parts = [one.text for one in bench.discord.said_by_bot(bench.hall)]
    assert len(parts) == 3
    assert " ".join(parts).split() == ["word"] * 900


async def test_a_reply_that_discord_drops_is_posted_again_and_never_twice(bench: Bench) -> None:
    ana = bench.guild.new_member("ana")
    bench.model.does(lambda _, question: f"You said {question.split()[-1]}.")
    bench.discord.rest.to_fail = 1
    await bench.discord.tell_bot(bench.hall, ana, "one")
    await bench.settled()
    bench.discord.rest.to_lose = 1
    await bench.discord.tell_bot(bench.hall, ana, "two")
    await bench.settled()
    assert [one.text for one in bench.discord.said_by_bot(bench.hall)] == ["You said one.", "You said two."]


async def test_two_bots_with_one_token_answer_once(bench: Bench) -> None:
    """Whoever starts a second one by mistake gets no second answer."""
    ana = bench.guild.new_member("ana")
    second = Bot(bench.memory, guild_ready_timeout=0.05)
    running = asyncio.create_task(second.start(bench.discord.token))
    await bench.discord.wait_for(lambda: len(bench.discord.gateway.sessions) == 2)
    await bench.discord.tell_bot(bench.hall, ana, "hello")
    await bench.discord.wait_for(lambda: len(bench.model.prompts) == 2)
    await bench.settled()
    await second.settled()
    assert [one.text for one in bench.discord.said_by_bot(bench.hall)] == ["Understood."]
    await second.close()
    await running


async def test_where_it_may_not_write_the_bot_goes_on(bench: Bench) -> None:
    ana = bench.guild.new_member("ana")
    mine = bench.discord.world.bot["id"]
    held = bench.guild.permissions[mine]
    bench.guild.permissions[mine] = 0
    await bench.discord.tell_bot(bench.hall, ana, "one")
    await bench.settled()
    assert bench.discord.said_by_bot(bench.hall) == []
    bench.guild.permissions[mine] = held
    await bench.discord.tell_bot(bench.hall, ana, "two")
    await bench.discord.answer(bench.hall)


async def test_a_deleted_question_is_answered_all_the_same(bench: Bench) -> None:
    ana = bench.guild.new_member("ana")
    bench.model.hold.clear()
    question = await bench.discord.tell_bot(bench.hall, ana, "one")
    await bench.discord.wait_for(lambda: bool(bench.model.prompts))
    bench.discord.world.posted.remove(question)
    bench.model.hold.set()
    answer = await bench.discord.answer(bench.hall)
    assert "message_reference" not in answer.payload


async def test_a_bot_that_stops_finishes_its_answer_and_learns_what_it_heard(bench: Bench) -> None:
    ana = bench.guild.new_member("ana", nick="Ana")
    den = bench.guild.new_channel("den")
    await bench.discord.gateway.dispatch("CHANNEL_CREATE", den, ~0)
    bench.model.does(lambda prompt, _: "Bye." if "hello" in prompt else "<<remember boat | has a boat | Ana>>")
    await bench.discord.say(den, ana, "I bought a boat")
    bench.model.hold.clear()
    await bench.discord.tell_bot(bench.hall, ana, "hello")
    await bench.discord.wait_for(lambda: bool(bench.model.prompts))
    closing = asyncio.create_task(bench.bot.close())
    await asyncio.sleep(0.05)
    bench.model.hold.set()
    await closing
    assert [one.text for one in bench.discord.said_by_bot(bench.hall)] == ["Bye."]
    assert [fact.content for fact in bench.facts()] == ["has a boat"]


async def test_a_server_joined_and_renamed_while_it_runs(bench: Bench) -> None:
    lagoon, _ = await bench.let_in("Lagoon")
    assert {one.name for one in bench.memory.servers.list(actor=bench.owner)} == {"Harbour", "Lagoon"}
    lagoon.payload["name"] = "Blue Lagoon"
    await bench.discord.gateway.dispatch("GUILD_UPDATE", lagoon.payload, ~0)
    await bench.discord.wait_for(lambda: bench.server(lagoon).name == "Blue Lagoon")
    assert bench.memory.vaults.get(actor=bench.owner, vault="lagoon").name == "Blue Lagoon"
