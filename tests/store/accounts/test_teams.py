"""A1: who shares vaults with whom."""

from pathlib import Path
from typing import Any

import pytest

from arriving import at_once
from souvenance.application import Application
from souvenance.domain.access import Actor, Route, Source
from souvenance.domain.endpoint import Use
from souvenance.domain.errors import Conflict, NotAllowed, NotFound, SouvenanceError
from souvenance.domain.vault import Protection
from souvenance.exchange.spending import member_of
from souvenance.store.spending import NO_VAULT, Spending, add_spending


def test_a1_members_read_and_only_who_configures_changes(app: Application, harps: dict[str, Any]) -> None:
    for name, may in (("zoe", True), ("ivan", False)):
        assert app.vaults.get(actor=harps[name], vault="strings").can_configure is may
    with pytest.raises(NotFound):
        app.vaults.get(actor=harps["eve"], vault="strings")
    with pytest.raises(NotAllowed):
        app.vaults.change(actor=harps["ivan"], vault="strings", name="Mine")
    with pytest.raises(NotAllowed):
        app.vaults.create(actor=harps["ivan"], name="More", team=harps["team"])
    with pytest.raises(NotFound):
        app.vaults.create(actor=harps["eve"], name="More", team=harps["team"])


def test_a1_a_team_is_changed_by_who_configures_it_and_unknown_to_others(
    app: Application, harps: dict[str, Any]
) -> None:
    attempts_of = {
        "rename": lambda who: app.teams.rename(actor=who, team=harps["team"], name="Lyres"),
        "invite": lambda who: app.invitations.invite(actor=who, team=harps["team"]),
        "list invitations": lambda who: app.invitations.list(actor=who, team=harps["team"]),
        "withdraw": lambda who: app.invitations.withdraw(actor=who, team=harps["team"], invitation=1),
        "configure": lambda who: app.teams.set_configure(
            actor=who, team=harps["team"], member="ivan", can_configure=True
        ),
        "remove": lambda who: app.teams.remove_member(actor=who, team=harps["team"], member="zoe"),
    }
    token = app.tokens.authenticate(app.tokens.create(actor=harps["zoe"], name="agent")[1], source=Source.REST)
    for attempt in attempts_of.values():
        for visitor, refusal in (("ivan", NotAllowed), ("eve", NotFound)):
            with pytest.raises(refusal):
                attempt(harps[visitor])
        with pytest.raises(NotAllowed):
            attempt(token)
    with pytest.raises(NotFound):
        app.teams.get(actor=harps["eve"], team=harps["team"])
    assert app.teams.get(actor=harps["zoe"], team=harps["team"]).name == "Harps"


def test_a1_the_last_who_configures_can_neither_go_nor_be_put_down(
    app: Application, owner: Actor, harps: dict[str, Any]
) -> None:
    zoe, team = harps["zoe"], harps["team"]
    for attempt in (
        lambda: app.teams.leave(actor=zoe, team=team),
        lambda: app.teams.set_configure(actor=zoe, team=team, member="zoe", can_configure=False),
        lambda: app.users.remove(actor=owner, handle="zoe"),
    ):
        with pytest.raises(Conflict, match="nobody else"):
            attempt()
    app.teams.set_configure(actor=zoe, team=team, member="ivan", can_configure=True)
    app.teams.leave(actor=zoe, team=team)
    with pytest.raises(NotFound):
        app.vaults.get(actor=zoe, vault="strings")
    assert app.vaults.get(actor=harps["ivan"], vault="strings").can_configure


def test_a1_two_who_put_each_other_down_at_once_leave_one(app: Application, harps: dict[str, Any]) -> None:
    zoe, ivan, team = harps["zoe"], harps["ivan"], harps["team"]
    app.teams.set_configure(actor=zoe, team=team, member="ivan", can_configure=True)
    at_once(lambda: app.teams.leave(actor=zoe, team=team), lambda: app.teams.leave(actor=ivan, team=team))
    left = [one for who in (zoe, ivan) for one in app.teams.list(actor=who) if one.id == team]
    assert [one.can_configure for one in left] == [True]


def test_a1_the_owner_gives_a_permission_at_the_command_line_and_sees_nothing(
    app: Application, owner: Actor, harps: dict[str, Any]
) -> None:
    assert app.teams.set_configure(actor=owner, team=harps["team"], member="ivan", can_configure=True) is None
    assert app.users.remove(actor=owner, handle="zoe")
    with pytest.raises(NotFound):
        app.vaults.get(actor=owner, vault="strings")
    panel = Actor(user_id=owner.user_id, source=Source.PANEL, route=Route.LOCAL)
    with pytest.raises(NotFound):
        app.teams.set_configure(actor=panel, team=harps["team"], member="ivan", can_configure=False)


def test_a1_a_vault_given_to_a_team_is_its_members_at_once(app: Application, harps: dict[str, Any]) -> None:
    zoe, ivan, team = harps["zoe"], harps["ivan"], harps["team"]
    app.vaults.create(actor=zoe, name="Lyres")
    with pytest.raises(NotFound):
        app.vaults.get(actor=ivan, vault="lyres")
    assert app.teams.move_vault(actor=zoe, vault="lyres", team=team).team_id == team
    assert app.vaults.get(actor=ivan, vault="lyres").slug == "lyres"
    with pytest.raises(NotAllowed):
        app.teams.move_vault(actor=ivan, vault="lyres", team=app.teams.list(actor=ivan)[0].id)
    app.vaults.create(actor=zoe, name="Lyres")
    with pytest.raises(Conflict, match="already"):
        app.teams.move_vault(actor=zoe, vault=f"lyres~{app.teams.list(actor=zoe)[0].id}", team=team)
    own = app.teams.list(actor=zoe)[0].id
    app.teams.move_vault(actor=zoe, vault="strings", team=own)
    with pytest.raises(NotFound):
        app.vaults.get(actor=ivan, vault="strings")


def test_a1_two_vaults_of_one_slug_are_told_apart_by_their_team(app: Application, harps: dict[str, Any]) -> None:
    ivan, own = harps["ivan"], app.teams.list(actor=harps["ivan"])[0].id
    app.vaults.create(actor=ivan, name="Strings")
    with pytest.raises(Conflict) as refused:
        app.vaults.get(actor=ivan, vault="strings")
    for team in (own, harps["team"]):
        assert f"strings~{team}" in refused.value.hint
        assert app.vaults.get(actor=ivan, vault=f"strings~{team}").team_id == team
    with pytest.raises(NotFound):
        app.vaults.get(actor=harps["eve"], vault=f"strings~{harps['team']}")


def test_v8_a_protected_vault_is_given_over_a_local_route_only(app: Application, harps: dict[str, Any]) -> None:
    zoe = harps["zoe"]
    app.vaults.create(actor=zoe, name="Secret", protection=Protection.MAXIMUM)
    cloud = Actor(user_id=zoe.user_id, source=Source.REST, route=Route.CLOUD)
    with pytest.raises(SouvenanceError) as refused:
        app.teams.move_vault(actor=cloud, vault="secret", team=harps["team"])
    assert refused.value.code == "withheld"


def test_a1_what_others_spend_outside_any_vault_is_told_to_the_owner_of_the_memory_only(
    app: Application, owner: Actor, person: Any, clock: Any
) -> None:
    zoe, ivan = person("zoe"), person("ivan")
    hour = clock().replace(minute=0, second=0, microsecond=0)
    with app.database.write() as tx:
        for who, sent in ((zoe, 5), (ivan, 7)):
            spent = Spending(vault_id=NO_VAULT, use=Use.ANSWERS, calls=1, sent=sent)
            add_spending(tx, spent=spent, member=member_of(who, None), hour=hour)
    assert [[one.sent for _, one in app.spending.list(actor=who)] for who in (zoe, ivan, owner)] == [[5], [7], [12]]


def test_v13_who_configures_a_vault_reads_no_file_of_the_machine(
    app: Application, harps: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "secret.md").write_text("nothing for others")
    for attempt in (
        lambda: app.folders.watch(actor=harps["zoe"], vault="strings", path=tmp_path),
        lambda: app.folders.census(actor=harps["zoe"], path=tmp_path),
        lambda: app.imports.markdown(actor=harps["zoe"], path=tmp_path, vault="strings"),
    ):
        with pytest.raises(NotAllowed, match="Only the owner of this memory"):
            attempt()
