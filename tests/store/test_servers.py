"""Servers and their members, on both engines (D1 to D4)."""

from dataclasses import replace

import pytest

from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound, Withheld
from souvenance.domain.fact import State, SubjectKind
from souvenance.domain.server import Place, PlaceKind, Server, ServerMember
from souvenance.domain.vault import MemoryType, Protection, VaultKind
from souvenance.memory.remember import Observation
from souvenance.servers.members import acting

HALL = Place(PlaceKind.ORDINARY, "7001")
DEN = Place(PlaceKind.ORDINARY, "7002")
ANA = ServerMember(id="501", name="Ana")
BO = ServerMember(id="502", name="Bo", manages=True)


@pytest.fixture
def bot(app: Application) -> Actor:
    return app.owner_through(Source.BOT, route=Route.CLOUD, name="Discord bot")


@pytest.fixture
def harbour(app: Application, bot: Actor) -> Server:
    return app.servers.join(actor=bot, guild_id="900000001", name="Harbour")


def about(member: ServerMember, content: str) -> Observation:
    return Observation(content=content, subject_kind=SubjectKind.MEMBER, subject_id=member.id)


def test_d1_a_server_is_a_vault_made_once(app: Application, bot: Actor, owner: Actor, harbour: Server) -> None:
    again = app.servers.join(actor=bot, guild_id="900000001", name="Harbour")
    assert again == harbour
    vault = app.vaults.get(actor=owner, vault=harbour.vault)
    assert (vault.kind, vault.name, vault.memory_type) == (VaultKind.SERVER, "Harbour", MemoryType.CLASSIC)
    assert [one.guild_id for one in app.servers.list(actor=owner)] == ["900000001"]


def test_d1_servers_of_one_name_have_a_vault_each(app: Application, bot: Actor, harbour: Server) -> None:
    other = app.servers.join(actor=bot, guild_id="900000002", name="Harbour")
    third = app.servers.join(actor=bot, guild_id="800000002", name="harbour!")
    assert len({harbour.vault_id, other.vault_id, third.vault_id}) == 3
    assert other.vault == "harbour-000002"
    assert app.servers.join(actor=bot, guild_id="5", name="🎮🎮").vault == "discord-5"
    assert app.servers.join(actor=bot, guild_id="6", name="\x07").vault == "discord-6"
    assert app.servers.join(actor=bot, guild_id="7", name="n" * 500).name == "n" * 100


def test_a_vault_follows_its_servers_name_until_a_person_names_it(
    app: Application, bot: Actor, owner: Actor, harbour: Server
) -> None:
    app.servers.join(actor=bot, guild_id=harbour.guild_id, name="Quay")
    assert app.vaults.get(actor=owner, vault=harbour.vault).name == "Quay"
    app.vaults.change(actor=owner, vault=harbour.vault, name="Ours")
    renamed = app.servers.join(actor=bot, guild_id=harbour.guild_id, name="Pier")
    assert (renamed.name, app.vaults.get(actor=owner, vault=harbour.vault).name) == ("Pier", "Ours")


def test_a4_settings_are_kept_and_audited_with_their_values(app: Application, owner: Actor, harbour: Server) -> None:
    changes = {"read": ["7001"], "include_threads": True}
    app.servers.change_settings(actor=owner, vault="Harbour", changes=changes)
    found = app.servers.get(actor=owner, vault="harbour")
    assert found.settings.plain()["read"] == ["7001"]
    assert found.settings.include_threads
    assert found.settings.plain()["write"] == "all"
    (entry,) = [one for one in app.history.audit(actor=owner) if one.verb == "server.settings"]
    assert entry.details == {"changed": {"read": ["7001"], "include_threads": True}}
    app.servers.change_settings(actor=owner, vault="harbour", changes={"read": None})
    assert app.servers.get(actor=owner, vault="harbour").settings.plain()["read"] == "all"


def test_settings_are_refused_to_models_readers_and_for_other_vaults(
    app: Application, owner: Actor, harbour: Server
) -> None:
    change = {"listens": False}
    with pytest.raises(NotAllowed):
        app.servers.change_settings(actor=replace(owner, is_model=True), vault="harbour", changes=change)
    with pytest.raises(NotAllowed):
        app.servers.change_settings(actor=replace(owner, can_write=False), vault="harbour", changes=change)
    with pytest.raises(InvalidInput):
        app.servers.change_settings(actor=owner, vault="harbour", changes={"reed": "all"})
    app.vaults.create(actor=owner, name="Lyre")
    with pytest.raises(NotFound):
        app.servers.get(actor=owner, vault="lyre")
    assert app.servers.get(actor=owner, vault="harbour").settings.listens


def test_d1_names_are_kept_by_id_and_refreshed(app: Application, harbour: Server) -> None:
    assert app.servers.meet(server=harbour, members=[ANA, BO]).opted_out == frozenset()
    app.servers.meet(server=harbour, members=[replace(ANA, name="Ana of the sea")])
    met = app.servers.meet(server=harbour, members=[], others=["501", "502", "503"])
    assert met.names == {"501": "Ana of the sea", "502": "Bo"}


def test_d4_who_opted_out_is_told_apart_and_has_no_name_kept(
    app: Application, bot: Actor, owner: Actor, harbour: Server
) -> None:
    app.servers.meet(server=harbour, members=[ANA, BO])
    app.members.opt_out(actor=bot, server=harbour, member=ANA)
    met = app.servers.meet(server=harbour, members=[ANA, BO])
    assert (met.opted_out, met.names) == ({"501"}, {"502": "Bo"})
    with pytest.raises(NotAllowed):
        app.members.add(actor=bot, server=harbour, place=HALL, member=BO, content="Ana is tall", about=ANA)
    app.members.opt_out(actor=bot, server=harbour, member=ANA, out=False)
    assert app.servers.meet(server=harbour, members=[ANA]).opted_out == frozenset()
    verbs = [one.verb for one in app.history.audit(actor=owner)]
    assert verbs.count("member.opt_out") == verbs.count("member.opt_in") == 1


def test_d4_a_member_sees_takes_along_and_erases_what_is_theirs_alone(
    app: Application, bot: Actor, owner: Actor, harbour: Server
) -> None:
    kept = app.facts.remember(
        actor=owner,
        vault="harbour",
        observations=[
            about(ANA, "likes tea"),
            about(ANA, "has a boat"),
            about(BO, "likes rum"),
            Observation(content="x"),
        ],
    )
    app.facts.retire(actor=owner, number=kept[1].fact.number, version=None, reason="sold")
    asked = {"actor": bot, "server": harbour, "member": ANA}
    assert [one.content for one in app.members.about(**asked, place=HALL).facts] == ["likes tea"]
    data = app.members.export(**asked, place=HALL)
    assert {one["content"]: one["state"] for one in data["facts"]} == {"likes tea": "in_force", "has a boat": "retired"}
    assert app.forgetting.forget_me(**asked).facts == 2
    assert app.members.export(**asked, place=HALL)["facts"] == []
    left = app.facts.list(actor=owner, vault="harbour", states=list(State))
    assert {one.content for one in left} == {"likes rum", "x"}
    (entry,) = [one for one in app.history.audit(actor=owner) if one.verb == "erase.member"]
    assert entry.who == "Ana (Discord 501)"
    assert (entry.details["counts"]["facts"], entry.details["counts"]["facts_retired"]) == (1, 1)
    found = app.servers.find(guild_id=harbour.guild_id)
    assert found is not None
    assert found.heard_from > harbour.heard_from


def test_d2_commands_keep_to_the_channels_and_what_takes_away_does_not(
    app: Application, bot: Actor, owner: Actor, harbour: Server
) -> None:
    changes = {"read": ["7001"], "write": ["7001"]}
    server = app.servers.change_settings(actor=owner, vault="harbour", changes=changes)
    for member in (ANA, BO):
        asked = {"actor": bot, "server": server, "member": member}
        for use_case, given in (
            (app.members.search, {"query": "tea"}),
            (app.members.about, {}),
            (app.members.export, {}),
        ):
            use_case(**asked, place=HALL, **given)  # type: ignore[operator]
            with pytest.raises(NotAllowed, match="not read"):
                use_case(**asked, place=DEN, **given)  # type: ignore[operator]
    asked = {"actor": bot, "server": server, "member": BO}
    app.members.add(**asked, place=HALL, content="opens at nine")
    with pytest.raises(NotAllowed, match="not written"):
        app.members.add(**asked, place=DEN, content="opens at ten")
    app.members.opt_out(actor=bot, server=server, member=ANA)
    assert app.forgetting.forget_me(actor=bot, server=server, member=ANA).facts == 0


def test_a1_only_those_who_manage_the_server_add_change_and_erase(
    app: Application, bot: Actor, owner: Actor, harbour: Server
) -> None:
    asked = {"actor": bot, "server": harbour, "member": ANA}
    with pytest.raises(NotAllowed):
        app.members.add(**asked, place=HALL, content="mine")
    with pytest.raises(NotAllowed):
        app.members.change_type(**asked, memory_type="journal")
    with pytest.raises(NotAllowed):
        app.forgetting.erase(**asked)
    with pytest.raises(NotAllowed):
        app.forgetting.erase(**asked, about=BO)
    asked["member"] = BO
    kept = app.members.add(**asked, place=HALL, content="likes tea", about=ANA, importance=7).fact
    assert (kept.subject_id, kept.author, kept.channel, kept.source) == ("501", "Bo", "7001", Source.BOT)
    assert app.members.change_type(**asked, memory_type="journal").memory_type is MemoryType.JOURNAL
    app.members.add(**asked, place=HALL, content="the port is deep")
    assert app.forgetting.erase(**asked, about=ANA).facts == 1
    assert app.forgetting.erase(**asked).facts == 1
    assert app.facts.list(actor=owner, vault="harbour", states=list(State)) == []


def test_d1_the_bot_in_one_server_reaches_no_other_vault(
    app: Application, bot: Actor, owner: Actor, harbour: Server
) -> None:
    other = app.servers.join(actor=bot, guild_id="900000002", name="Lagoon")
    app.vaults.create(actor=owner, name="Private")
    for vault in ("harbour", "lagoon", "private"):
        app.facts.remember(actor=owner, vault=vault, observations=[about(ANA, f"the word of {vault} is plover")])
    here = acting(bot, harbour, ANA)
    assert [vault.slug for vault in app.vaults.list(actor=here)] == ["harbour"]
    for query in ("plover", "@lagoon plover", "what does Private say of plover?"):
        found = app.members.search(actor=bot, server=harbour, place=HALL, member=ANA, query=query)
        assert {hit.vault for hit in found.hits} <= {"harbour"}
    assert (
        "harbour"
        in app.members.search(actor=bot, server=harbour, place=HALL, member=ANA, query="plover").hits[0].excerpt
    )
    (fact,) = app.members.about(actor=bot, server=other, place=HALL, member=ANA).facts
    assert fact.content == "the word of lagoon is plover"
    app.forgetting.forget_me(actor=bot, server=harbour, member=ANA)
    assert len(app.members.about(actor=bot, server=other, place=HALL, member=ANA).facts) == 1


def test_v8_nothing_of_a_protected_server_goes_to_discord(
    app: Application, bot: Actor, owner: Actor, harbour: Server
) -> None:
    app.facts.remember(actor=owner, vault="harbour", observations=[about(ANA, "likes tea")])
    app.vaults.change(actor=owner, vault="harbour", protection=Protection.MAXIMUM)
    asked = {"actor": bot, "server": harbour, "place": HALL, "member": ANA}
    for use_case, given in ((app.members.search, {"query": "tea"}), (app.members.about, {}), (app.members.export, {})):
        with pytest.raises(Withheld):
            use_case(**asked, **given)  # type: ignore[operator]
    assert app.servers.list(actor=bot) == []
    assert app.forgetting.forget_me(actor=bot, server=harbour, member=ANA).facts == 1


def test_forgetting_a_vault_that_was_removed_leaves_no_server(app: Application, bot: Actor) -> None:
    assert app.servers.find(guild_id="404") is None
    with pytest.raises(InvalidInput):
        app.servers.join(actor=bot, guild_id="not an id", name="x")


def test_d4_f7_an_opt_out_outlives_an_erasure_from_anywhere_and_what_was_said_is_not_heard_again(
    app: Application, bot: Actor, owner: Actor, harbour: Server
) -> None:
    app.servers.meet(server=harbour, members=[ANA, BO])
    app.members.opt_out(actor=bot, server=harbour, member=ANA)
    app.facts.remember(actor=owner, vault=harbour.vault, observations=[about(BO, "likes tea")])
    for given in ({"confirm": "harbour"}, {"confirm": "501", "member": "501", "names": ["Ana"]}):
        app.facts.remember(actor=owner, vault=harbour.vault, observations=[about(ANA, f"likes {given['confirm']}")])
        before = app.servers.find(guild_id=harbour.guild_id)
        erased = app.erasures.erase(actor=owner, vault="harbour", **given)  # type: ignore[arg-type]
        assert erased.receipts[0].why == ""
        met = app.servers.meet(server=harbour, members=[ANA])
        assert (met.opted_out, met.names) == ({"501"}, {})
        after = app.servers.find(guild_id=harbour.guild_id)
        assert before is not None
        assert after is not None
        assert after.heard_from > before.heard_from
    assert app.facts.list(actor=owner, vault="harbour", states=list(State)) == []


def test_d4_a_server_whose_members_opted_out_is_erased_and_not_deleted(
    app: Application, bot: Actor, owner: Actor, harbour: Server
) -> None:
    app.members.opt_out(actor=bot, server=harbour, member=ANA)
    with pytest.raises(Conflict, match="asked not to be remembered"):
        app.erasures.delete_vault(actor=owner, vault="harbour", confirm="harbour")
    app.members.opt_out(actor=bot, server=harbour, member=ANA, out=False)
    app.erasures.delete_vault(actor=owner, vault="harbour", confirm="harbour")
    assert app.servers.find(guild_id=harbour.guild_id) is None
