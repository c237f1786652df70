"""The bot in conversation: what it answers from, what it learns, and where it does neither (D1 to D3)."""

import asyncio

import pytest

from discord_bench import Bench
from discord_server.payloads import ChannelType
from souvenance.domain.fact import SubjectKind
from souvenance.domain.vault import MemoryType, Protection

pytestmark = pytest.mark.anyio


async def test_d1_a_mention_is_answered_from_memory(bench: Bench) -> None:
    ana = bench.guild.new_member("ana", nick="Ana")
    fact = bench.know("The ferry leaves at nine from the north quay")
    known = f"At nine [#{fact.number}]."
    bench.model.does(lambda prompt, _: known if "leaves at nine" in prompt else "No idea.")
    question = await bench.discord.tell_bot(bench.hall, ana, "when does the ferry leave?")
    answer = await bench.discord.answer(bench.hall)
    assert answer.text == f"At nine [#{fact.number}]."
    assert answer.payload["message_reference"]["message_id"] == question.id
    assert answer.pings == set()
    assert bench.discord.rest.typing == [bench.hall["id"]]
    assert "when does the ferry leave?" in bench.model.prompts[0]
    assert "souvenance when" not in bench.model.prompts[0]


async def test_d1_a_reply_to_the_bot_is_answered_and_knows_what_it_follows(bench: Bench) -> None:
    ana = bench.guild.new_member("ana", nick="Ana")
    await bench.discord.say(bench.hall, ana, "The ferry was late today")
    bench.model.says("Which one?")
    await bench.discord.tell_bot(bench.hall, ana, "what do you say to that?")
    answer = await bench.discord.answer(bench.hall)
    assert "The ferry was late today" in bench.model.prompts[-1]
    await bench.discord.say(bench.hall, ana, "the blue one", reply_to=answer.id)
    await bench.discord.answer(bench.hall, number=2)
    assert "Which one?" in bench.model.prompts[-1]


async def test_d1_the_role_that_the_bot_was_invited_with_stands_for_it(bench: Bench) -> None:
    lagoon, pool = await bench.let_in("Lagoon", with_role=True)
    ana = lagoon.new_member("ana")
    await bench.discord.say(pool, ana, f"<@&{lagoon.payload['roles'][-1]['id']}> hello")
    await bench.discord.answer(pool)
    assert bench.model.prompts[-1].endswith("ana: hello")


async def test_d1_what_is_not_for_the_bot_is_not_answered(bench: Bench) -> None:
    ana, bo = bench.guild.new_member("ana"), bench.guild.new_member("bo")
    other = bench.guild.add_member({**bench.guild.new_member("robot"), "bot": True})
    await bench.discord.say(bench.hall, ana, f"hello <@{bo['id']}> and @everyone")
    await bench.discord.tell_bot(bench.hall, other, "answer me, fellow bot")
    await bench.settled()
    assert bench.discord.said_by_bot(bench.hall) == []
    assert bench.model.prompts == []


async def test_d1_in_answer_channels_every_message_is_answered(bench: Bench) -> None:
    ana = bench.guild.new_member("ana")
    bench.set(answer_channels=[bench.hall["id"]])
    await bench.discord.say(bench.hall, ana, "hello there")
    assert (await bench.discord.answer(bench.hall)).text == "Understood."


async def test_d1_a_member_is_known_by_id_whatever_they_are_called(bench: Bench) -> None:
    ana = bench.guild.new_member("ana", nick="Ana")
    bench.model.says("Good for you!\n<<remember music | plays the harp | Ana>>")
    await bench.discord.tell_bot(bench.hall, ana, "I play the harp")
    answer = await bench.discord.answer(bench.hall)
    await bench.settled()
    (fact,) = bench.facts()
    assert (fact.subject_kind, fact.subject_id) == (SubjectKind.MEMBER, ana["id"])
    assert (fact.content, fact.channel, fact.author) == ("plays the harp", bench.hall["id"], "Ana")
    assert answer.text == f"Good for you!\n-# Memory: kept #{fact.number}"
    bench.guild.members[ana["id"]]["nick"] = "The harpist"
    bench.model.says("Noted.")
    await bench.discord.tell_bot(bench.hall, ana, "hello again")
    await bench.discord.answer(bench.hall, number=2)
    met = bench.memory.servers.meet(server=bench.server(), members=[], others=[ana["id"]])
    assert met.names == {ana["id"]: "The harpist"}
    assert "plays the harp" in bench.model.prompts[-1]


async def test_d1_two_members_of_one_name_are_told_apart(bench: Bench) -> None:
    first, second = bench.guild.new_member("ana.1", nick="Ana"), bench.guild.new_member("ana.2", nick="Ana")
    await bench.discord.say(bench.hall, first, "I like tea")
    bench.model.says(f"<<remember taste | likes rum | Ana ({second['id'][-4:]})>> Cheers.")
    await bench.discord.tell_bot(bench.hall, second, "I like rum")
    await bench.discord.answer(bench.hall)
    await bench.settled()
    assert [(fact.content, fact.subject_id) for fact in bench.facts()] == [("likes rum", second["id"])]


async def test_d1_it_learns_from_what_is_said_without_it(bench: Bench) -> None:
    ana, bo = bench.guild.new_member("ana", nick="Ana"), bench.guild.new_member("bo", nick="Bo")
    bench.model.says("<<remember boat | has a red boat | Ana>>")
    await bench.discord.say(bench.hall, ana, "I bought a boat")
    await bench.discord.say(bench.hall, bo, "what colour?")
    await bench.discord.say(bench.hall, ana, "red")
    await bench.settled()
    await bench.bot.rest()
    assert [(fact.content, fact.subject_id) for fact in bench.facts()] == [("has a red boat", ana["id"])]
    (prompt,) = bench.model.prompts
    assert all(text in prompt for text in ("I bought a boat", "what colour?", "red"))
    assert bench.discord.said_by_bot(bench.hall) == []


async def test_c2_what_a_model_that_failed_was_not_asked_is_learnt_with_what_is_said_next(bench: Bench) -> None:
    ana = bench.guild.new_member("ana", nick="Ana")
    bench.model.says("<<remember boat | has a red boat | Ana>>")
    bench.model.status = 400
    await bench.discord.say(bench.hall, ana, "I bought a boat")
    gone = await bench.discord.say(bench.hall, ana, "with stolen money")
    await bench.settled()
    await bench.bot.rest()
    assert bench.facts() == []
    bench.model.status = 200
    await bench.discord.delete(gone)
    await bench.discord.say(bench.hall, ana, "it is red")
    await bench.settled()
    await bench.bot.rest()
    assert [fact.content for fact in bench.facts()] == ["has a red boat"]
    assert "I bought a boat" in bench.model.prompts[-1]
    assert "stolen" not in bench.model.prompts[-1]


async def test_c6_what_a_cap_kept_from_being_learnt_is_learnt_once_there_is_room(bench: Bench) -> None:
    ana, slug = bench.guild.new_member("ana", nick="Ana"), bench.server().vault
    bench.model.says("Hello.")
    bench.memory.vaults.change_settings(actor=bench.owner, vault=slug, changes={"daily_tokens": 1})
    bench.know("The port is deep")
    await bench.discord.tell_bot(bench.hall, ana, "hello")  # which uses up what there is
    await bench.discord.answer(bench.hall)
    kept = len(bench.facts())
    await bench.discord.say(bench.hall, ana, "I bought a boat")
    await bench.settled()
    await bench.bot.rest()
    assert len(bench.facts()) == kept
    bench.memory.vaults.change_settings(actor=bench.owner, vault=slug, changes={"daily_tokens": 0})
    bench.model.says("<<remember ship | sails to the islands | Ana>>")
    await bench.discord.say(bench.hall, ana, "it is red")
    await bench.settled()
    await bench.bot.rest()
    assert "I bought a boat" in bench.model.prompts[-1]
    assert "sails to the islands" in [fact.content for fact in bench.facts()]


async def test_d1_what_was_corrected_or_deleted_is_learnt_so(bench: Bench) -> None:
    ana = bench.guild.new_member("ana", nick="Ana")
    slip = await bench.discord.say(bench.hall, ana, "my boat is red")
    wrong = await bench.discord.say(bench.hall, ana, "and my house on fire")
    await bench.settled()
    await bench.discord.edit(slip, "my boat is green")
    await bench.discord.delete(wrong)
    await bench.settled()
    await bench.bot.rest()
    (prompt,) = bench.model.prompts
    assert "my boat is green" in prompt
    assert "is red" not in prompt
    assert "fire" not in prompt


async def test_c3_without_a_model_it_answers_with_what_memory_holds_and_says_so(bench: Bench) -> None:
    ana = bench.guild.new_member("ana", nick="Ana")
    bench.know("The ferry leaves at nine from the north quay")
    bench.memory.endpoints.remove(actor=bench.owner, name="scripted")
    await bench.discord.tell_bot(bench.hall, ana, "when does the ferry leave?")
    answer = await bench.discord.answer(bench.hall)
    assert "The ferry leaves at nine" in answer.text
    assert "model" in answer.text
    await bench.discord.say(bench.hall, ana, "thank you")
    await bench.settled()
    await bench.bot.rest()
    assert len(bench.facts()) == 1


async def test_c6_a_member_over_the_rate_is_told_and_others_are_not_held(bench: Bench) -> None:
    ana, bo = bench.guild.new_member("ana", nick="Ana"), bench.guild.new_member("bo", nick="Bo")
    slug = bench.server().vault
    bench.memory.vaults.change_settings(actor=bench.owner, vault=slug, changes={"member_rate": 1})
    for number, (person, told) in enumerate([(ana, "Understood."), (ana, "That is enough"), (bo, "Understood.")], 1):
        await bench.discord.tell_bot(bench.hall, person, "hello")
        assert (await bench.discord.answer(bench.hall, number=number)).text.startswith(told)


async def test_c6_a_channel_without_memory_is_no_way_around_the_rate(bench: Bench) -> None:
    ana = bench.guild.new_member("ana", nick="Ana")
    slug = bench.server().vault
    bench.memory.servers.change_settings(actor=bench.owner, vault=slug, changes={"read": "none", "write": "none"})
    bench.memory.vaults.change_settings(actor=bench.owner, vault=slug, changes={"member_rate": 1})
    for number, told in enumerate(["Understood.", "That is enough"], 1):
        await bench.discord.tell_bot(bench.hall, ana, "hello")
        assert (await bench.discord.answer(bench.hall, number=number)).text.startswith(told)


async def test_v11_only_the_bot_says_what_memory_did(bench: Bench) -> None:
    ana = bench.guild.new_member("ana", nick="Ana")
    bench.model.says("Of course.\n-# Memory: kept #99\n<<remember boat | has a red boat | Ana>>")
    await bench.discord.tell_bot(bench.hall, ana, "my boat is red")
    answer = await bench.discord.answer(bench.hall)
    (fact,) = bench.facts()
    assert answer.text == f"Of course.\n-# Memory: kept #{fact.number}"
    bench.model.says("Yes.")
    await bench.discord.tell_bot(bench.hall, ana, "is it?")
    await bench.discord.answer(bench.hall, number=2)
    assert "Of course." in bench.model.prompts[-1]
    assert "-#" not in bench.model.prompts[-1]


async def test_c5_what_an_answer_wrote_can_be_taken_back_by_who_asked_and_by_managers(bench: Bench) -> None:
    ana, bo = bench.guild.new_member("ana", nick="Ana"), bench.guild.new_member("bo", nick="Bo")
    boss = bench.guild.new_member("boss", manages=True)
    bench.model.says("Good. <<remember boat | has a red boat | Ana>>\n<<remember ferry | the ferry is blue>>")
    await bench.discord.tell_bot(bench.hall, ana, "my boat is red and the ferry blue")
    answer = await bench.discord.answer(bench.hall)
    first, second = [fact.number for fact in bench.facts()]
    refused = await bench.discord.press(answer, bo, f"Undo #{first}", locale="fr")
    assert refused.text == "C’est réservé à qui peut gérer le serveur."
    asked = await bench.discord.press(answer, ana, f"Undo #{first}", locale="fr")
    assert (asked.text, asked.is_ephemeral) == (f"#{first} est annulé.", True)
    assert [fact.number for fact in bench.facts()] == [second]
    bench.set(write="none")
    refused = await bench.discord.press(answer, boss, f"Undo #{second}")
    assert refused.text == "Memory is not written in this channel."
    bench.set(write="all")
    assert (await bench.discord.press(answer, boss, f"Undo #{second}")).text == f"#{second} is undone."
    assert bench.facts() == []
    again = await bench.discord.press(answer, boss, f"Undo #{second}")
    assert again.text.startswith("That was refused")


async def test_d2_it_learns_nothing_where_memory_is_not_written(bench: Bench) -> None:
    ana = bench.guild.new_member("ana", nick="Ana")
    bench.set(write="none")
    bench.model.says("Nice. <<remember boat | has a red boat | Ana>>")
    await bench.discord.say(bench.hall, ana, "I bought a red boat")
    await bench.settled()
    await bench.bot.rest()
    assert bench.model.prompts == []
    await bench.discord.tell_bot(bench.hall, ana, "I bought a red boat")
    assert (await bench.discord.answer(bench.hall)).text == "Nice."
    assert bench.facts() == []
    bench.set(write="all", listens=False)
    await bench.discord.say(bench.hall, ana, "and a green one")
    await bench.settled()
    await bench.bot.rest()
    assert len(bench.model.prompts) == 1
    assert bench.facts() == []


async def test_d2_nothing_is_read_where_memory_may_not_be(bench: Bench) -> None:
    ana = bench.guild.new_member("ana", nick="Ana")
    den = bench.guild.new_channel("den")
    await bench.discord.gateway.dispatch("CHANNEL_CREATE", den, ~0)
    bench.know("The password of the club is swordfish river")
    bench.set(read=[bench.hall["id"]], write=[bench.hall["id"]])
    bench.model.does(lambda prompt, _: f"{'swordfish' in prompt} <<remember x | secret meeting>>")
    await bench.discord.tell_bot(den, ana, "what is the word of the club?")
    assert (await bench.discord.answer(den)).text == "False"
    assert len(bench.facts()) == 1
    await bench.discord.tell_bot(bench.hall, ana, "what is the word of the club?")
    assert (await bench.discord.answer(bench.hall)).text.startswith("True")
    assert len(bench.facts()) == 2


async def test_t3_d2_the_model_looks_up_only_where_memory_may_be_read(bench: Bench) -> None:
    ana = bench.guild.new_member("ana", nick="Ana")
    den = bench.guild.new_channel("den")
    await bench.discord.gateway.dispatch("CHANNEL_CREATE", den, ~0)
    bench.know("The ferry leaves at nine")
    bench.know("The harbour is deep")
    slug = bench.server().vault
    bench.memory.vaults.change_type(actor=bench.owner, vault=slug, memory_type=MemoryType.ARCHIVE)
    bench.memory.vaults.change_settings(actor=bench.owner, vault=slug, changes={"max_injected": 1})
    bench.set(read=[bench.hall["id"]])
    bench.model.does(lambda prompt, _: "At nine." if "leaves at nine" in prompt else "<<lookup ferry>>")
    await bench.discord.tell_bot(bench.hall, ana, "when may I go?")
    assert (await bench.discord.answer(bench.hall)).text == "At nine."
    assert len(bench.model.prompts) == 2
    await bench.discord.tell_bot(den, ana, "when may I go?")
    assert "nine" not in (await bench.discord.answer(den)).text
    assert all("leaves at nine" not in prompt for prompt in bench.model.prompts[2:])


async def test_d3_threads_are_shut_until_they_follow_their_channel(bench: Bench) -> None:
    ana = bench.guild.new_member("ana", nick="Ana")
    bench.know("The ferry leaves at nine")
    bench.model.does(lambda prompt, _: f"{'leaves at nine' in prompt} <<remember x | was asked in a thread>>")
    thread = await bench.discord.start_thread(bench.guild, "ferry", bench.hall)
    forum = bench.guild.new_channel("questions", ChannelType.FORUM)
    await bench.discord.gateway.dispatch("CHANNEL_CREATE", forum, ~0)
    post = await bench.discord.start_thread(bench.guild, "How do I leave?", forum)
    for place in (thread, post):
        await bench.discord.tell_bot(place, ana, "when does the ferry leave?")
        assert (await bench.discord.answer(place)).text == "False"
    assert len(bench.facts()) == 1
    bench.set(include_threads=True)
    for place in (thread, post):
        await bench.discord.tell_bot(place, ana, "when does the ferry leave?")
        assert (await bench.discord.answer(place, number=2)).text.startswith("True")
    assert {fact.content for fact in bench.facts()} == {"The ferry leaves at nine", "was asked in a thread"}
    bench.set(read=[bench.hall["id"]], write=[bench.hall["id"]])
    await bench.discord.tell_bot(post, ana, "when does the ferry leave?")
    assert (await bench.discord.answer(post, number=3)).text == "False"


async def test_d3_an_unknown_parent_denies(bench: Bench) -> None:
    ana = bench.guild.new_member("ana", nick="Ana")
    bench.know("The ferry leaves at nine")
    bench.set(include_threads=True)
    bench.model.does(lambda prompt, _: f"{'leaves at nine' in prompt} <<remember x | was asked in a thread>>")
    unseen = bench.guild.new_channel("unseen")  # the bot is not told of it, as of a channel it may not see
    thread = await bench.discord.start_thread(bench.guild, "in the dark", unseen)
    untold = bench.guild.new_thread("not told of", bench.hall["id"])
    for place in (thread, untold):
        await bench.discord.tell_bot(place, ana, "when does the ferry leave?")
        assert (await bench.discord.answer(place)).text == "False"
    assert len(bench.facts()) == 1


async def test_d1_two_servers_never_see_each_others_facts(bench: Bench) -> None:
    ana = bench.guild.new_member("ana", nick="Ana")
    lagoon, pool = await bench.let_in("Lagoon")
    lagoon.add_member(ana, nick="Ana")
    bench.know("The word of Harbour is plover")
    bench.know("The word of Lagoon is heron", guild=lagoon)
    bench.memory.attention.solo(actor=bench.owner, vault=bench.server().vault)
    bench.model.does(lambda prompt, _: f"{'plover' in prompt} {'heron' in prompt} <<remember x | said hello>>")
    await bench.discord.tell_bot(bench.hall, ana, "what are the words of Harbour and of @lagoon?")
    assert (await bench.discord.answer(bench.hall)).text.startswith("True False")
    await bench.discord.tell_bot(pool, ana, "what are the words of @harbour and of Lagoon?")
    assert (await bench.discord.answer(pool)).text.startswith("False True")
    assert [fact.content for fact in bench.facts(lagoon)] == ["The word of Lagoon is heron", "said hello"]


async def test_v8_a_protected_servers_memory_stays_out_of_answers(bench: Bench) -> None:
    ana = bench.guild.new_member("ana", nick="Ana")
    bench.know("The word of Harbour is plover")
    bench.memory.vaults.change(actor=bench.owner, vault=bench.server().vault, protection=Protection.MAXIMUM)
    bench.model.does(lambda prompt, _: f"{'plover' in prompt} <<remember x | said hello>>")
    await bench.discord.tell_bot(bench.hall, ana, "what is the word of Harbour?")
    answer = await bench.discord.answer(bench.hall)
    assert "True" not in answer.text
    assert "protected" in answer.text
    assert len(bench.facts()) == 1


async def test_d4_who_opted_out_is_answered_and_not_remembered(bench: Bench) -> None:
    ana, bo = bench.guild.new_member("ana", nick="Ana"), bench.guild.new_member("bo", nick="Bo")
    await bench.discord.command(bench.hall, ana, "memory opt-out")
    bench.model.says("Hello. <<remember boat | has a red boat | Ana>>")
    await bench.discord.say(bench.hall, ana, "I bought a red boat")
    await bench.discord.tell_bot(bench.hall, ana, "hello, it is red")
    answer = await bench.discord.answer(bench.hall)
    assert answer.text == "Hello."
    await bench.settled()
    await bench.bot.rest()
    assert bench.facts() == []
    bench.model.does(lambda prompt, _: f"{'boat' in prompt} {'it is red' in prompt} {'Hello.' in prompt}")
    await bench.discord.tell_bot(bench.hall, bo, "what was said?")
    assert (await bench.discord.answer(bench.hall, number=2)).text == "False False False"
    bench.model.says("Ah. <<remember boat | has a red boat | Ana>>")
    await bench.discord.tell_bot(bench.hall, bo, f"<@{ana['id']}> has a red boat")
    assert (await bench.discord.answer(bench.hall, number=3)).text == "Ah."
    assert bench.facts() == []
    await bench.discord.command(bench.hall, ana, "memory opt-out", undo=True)
    bench.model.says("Hello. <<remember boat | has a red boat | Ana>>")
    await bench.discord.tell_bot(bench.hall, ana, "I bought a red boat")
    await bench.discord.answer(bench.hall, number=4)
    assert [fact.subject_id for fact in bench.facts()] == [ana["id"]]


async def test_f7_what_was_forgotten_is_not_learnt_again_from_old_messages(bench: Bench) -> None:
    ana, bo = bench.guild.new_member("ana", nick="Ana"), bench.guild.new_member("bo", nick="Bo")
    await bench.discord.say(bench.hall, ana, "I bought a red boat")
    await bench.settled()
    await bench.discord.command(bench.hall, ana, "memory forget-me", sure=True)
    await bench.bot.rest()
    assert bench.model.prompts == []
    bench.model.does(lambda prompt, _: str("boat" in prompt))
    await bench.discord.tell_bot(bench.hall, bo, "what did Ana say?")
    assert (await bench.discord.answer(bench.hall)).text == "False"


async def test_f7_an_erasure_waits_for_the_answer_under_way(bench: Bench) -> None:
    ana = bench.guild.new_member("ana", nick="Ana")
    bench.model.says("Nice. <<remember boat | has a red boat | Ana>>")
    bench.model.hold.clear()
    await bench.discord.tell_bot(bench.hall, ana, "I bought a red boat")
    await bench.discord.wait_for(lambda: bool(bench.model.prompts))
    asked = asyncio.create_task(bench.discord.command(bench.hall, ana, "memory forget-me", sure=True))
    await asyncio.sleep(0.1)
    assert not asked.done()
    bench.model.hold.set()
    assert "good: 1." in (await asked).text
    assert bench.facts() == []


async def test_long_replies_come_in_parts_with_their_code_whole(bench: Bench) -> None:
    ana = bench.guild.new_member("ana")
    code = "\n".join(f"value_{number} = {number}" for number in range(330))
    bench.model.says(f"Here it is:\n```python\n{code}\n```\nThat is all.")
    await bench.discord.tell_bot(bench.hall, ana, "write me a long program")
    await bench.settled()
    parts = bench.discord.said_by_bot(bench.hall)
    assert len(parts) == 3
    assert all(len(part.text) <= 2000 and part.text.count("```") == 2 for part in parts)
    assert parts[1].text.startswith("```python\nvalue_")
    assert parts[2].text.endswith("That is all.")
    assert [part.payload.get("message_reference") is not None for part in parts] == [True, False, False]


async def test_a_reply_pings_nobody_whatever_it_says(bench: Bench) -> None:
    ana, bo = bench.guild.new_member("ana"), bench.guild.new_member("bo")
    role = bench.guild.new_role("sailors")
    bench.model.says(f"@everyone @here <@&{role['id']}> <@{bo['id']}> <@{ana['id']}> wake up!")
    bench.guild.permissions[bench.discord.world.bot["id"]] |= 1 << 3  # even where it is an administrator
    await bench.discord.tell_bot(bench.hall, ana, "wake them all")
    answer = await bench.discord.answer(bench.hall)
    assert "wake up!" in answer.text
    assert answer.pings == set()
    bench.know(f"@everyone <@&{role['id']}> <@{bo['id']}> come aboard")
    asked = await bench.discord.command(bench.hall, ana, "memory search", query="come aboard")
    assert asked.answers[0].pings == set()


async def test_c2_a_model_that_fails_is_told_in_the_servers_language_and_without_its_address(bench: Bench) -> None:
    ana = bench.guild.new_member("ana")
    bench.model.status = 401
    await bench.discord.tell_bot(bench.hall, ana, "hello?")
    answer = await bench.discord.answer(bench.hall)
    assert "I cannot answer now" in answer.text
    assert "127.0.0.1" not in answer.text


async def test_direct_messages_are_off(bench: Bench) -> None:
    ana = bench.guild.new_member("ana")
    await bench.discord.write_directly(ana, "hello?")
    await bench.settled()
    assert bench.discord.said_by_bot(bench.discord.world.dm_with(ana)) == []
    assert bench.discord.gateway.identified[0]["intents"] & (1 << 12) == 0


@pytest.mark.parametrize("bot_options", [{"direct_messages": True}])
async def test_direct_messages_that_are_on_have_no_memory(bench: Bench) -> None:
    ana = bench.guild.new_member("ana")
    bench.know("The word of Harbour is plover")
    bench.model.does(lambda prompt, _: f"{'plover' in prompt} <<remember x | said hello>>")
    await bench.discord.write_directly(ana, "what is the word of Harbour?")
    assert (await bench.discord.answer(bench.discord.world.dm_with(ana))).text == "False"
    assert len(bench.facts()) == 1
