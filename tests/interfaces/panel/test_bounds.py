"""What is too large, too many, of another script or plain wrong is refused in the right words, and never a failure."""

import re
from typing import Any

import pytest
from starlette.testclient import TestClient

from souvenance.application import Application
from souvenance.domain import errors
from souvenance.domain.access import Actor, Source
from souvenance.domain.errors import SouvenanceError, StoreUnavailable
from souvenance.interfaces.panel import problems as of_panel
from souvenance.interfaces.panel.ways import MOST_OF_STRANGERS, MOST_TEXT
from souvenance.interfaces.rest import problems as of_rest
from souvenance.memory.remember import Observation

PARTIAL = {"hx-request": "true"}


@pytest.fixture
def actor(memory: Application) -> Actor:
    return memory.owner_through(Source.COMMAND_LINE)


def _proven(client: TestClient) -> dict[str, str]:
    found = re.search(r'"x-csrf": "([0-9a-f]{64})"', client.get("/settings").text)
    assert found
    return {**PARTIAL, "x-csrf": found[1]}


def test_every_refusal_has_its_own_status_in_the_panel_as_over_rest() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, SouvenanceError)]
    for kind in kinds:
        if kind is not SouvenanceError:
            refused = kind("no", retry_after=5)
            assert of_panel.status_of(refused) == of_rest.refused(refused).status_code != 500, kind
            assert of_panel.status_of(refused) in of_panel.TITLES


def test_a2_guessing_passwords_is_refused_after_ten_and_says_how_long_to_wait(stranger: TestClient) -> None:
    statuses = [stranger.post("/login", data={"handle": "zoe", "password": "guess"}).status_code for _ in range(11)]
    assert statuses == [401] * 10 + [429]


@pytest.mark.parametrize("files", [False, True])
def test_a_stranger_sends_no_more_than_a_handle_and_a_password(stranger: TestClient, files: bool) -> None:
    large = b"x" * (MOST_OF_STRANGERS + 1)
    given: dict[str, Any] = {"files": {"password": ("a", large)}} if files else {"data": {"password": large.decode()}}
    answer = stranger.post("/login", **given)
    assert answer.status_code == 413
    assert "nothing was written" in answer.text


def test_what_is_too_large_for_a_form_is_told_and_not_written(owner: TestClient, memory: Application) -> None:
    proof = _proven(owner)
    many = owner.post("/vaults/new", data={f"f{n}": "" for n in range(5001)}, headers=proof)
    assert many.status_code == 422
    assert "Too many fields" in many.text
    fields = dict.fromkeys(("name", "description", "colour"), "x" * (MOST_TEXT - 10))
    large = owner.post("/vaults/new", data=fields, headers=proof)
    assert large.status_code == 413


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e999", "1e300", "9" * 400, "一", "1_0x"])
def test_what_is_no_number_is_refused(owner: TestClient, memory: Application, actor: Actor, number: str) -> None:
    memory.vaults.create(actor=actor, name="Voyages")
    proof = _proven(owner)
    for address in ("/vaults/voyages/attention", "/scope/weight/voyages"):
        assert (
            owner.post(address, data={"weight-voyages": number, "weight": number}, headers=proof).status_code == 422
        ), address
    for address, name in (("/agents/context/budget", "tokens"), ("/settings/answers/voyages", "max_injected")):
        assert owner.post(address, data={name: number}, headers=proof).status_code == 422, address
    assert memory.vaults.get(actor=actor, vault="voyages").attention == 100


@pytest.mark.parametrize(
    "name", ["日本の旅", "Ζωή", "Путешествия", "مكتبة", "Été d’ailleurs", "a/b?c#d\"e'f%20&g", "😀 x"]
)
def test_vaults_of_every_script_are_reached_from_scripts_and_pages(
    owner: TestClient, memory: Application, actor: Actor, name: str
) -> None:
    vault = memory.vaults.create(actor=actor, name=name)
    (kept,) = memory.facts.remember(actor=actor, vault=vault.slug, observations=[Observation(content="x")])
    there = owner.get(f"/fact/{kept.fact.number}", headers=PARTIAL).headers["hx-location"]
    assert there.isascii()
    assert owner.get(there).status_code == 200
    found = owner.get("/facts", params={"vault": vault.slug, "q": name, "typed": "1"}, headers=PARTIAL)
    assert owner.get(found.headers["hx-replace-url"]).status_code == 200
    for page in ("/vaults", f"/vaults/{vault.slug}", f"/memory/{vault.slug}", "/notes", "/team"):
        for address in re.findall(r'(?:href|hx-get)="(/[^"{]*)"', owner.get(page).text):
            if address.startswith(("/vaults/", "/memory/")) and "export" not in address:
                assert owner.get(address.replace("&amp;", "&")).status_code == 200, address


def test_a_store_that_is_away_is_a_page_that_says_so(
    owner: TestClient, memory: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any, **__: Any) -> None:
        raise StoreUnavailable("The database is away.", hint="Try again.")

    monkeypatch.setattr(memory.sessions, "authenticate", away)
    for address in ("/vaults", "/nowhere"):
        answer = owner.get(address, headers={"accept": "text/html"})
        assert answer.status_code == 503
        assert "The database is away." in answer.text
        assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_an_unreadable_host_is_refused(stranger: TestClient) -> None:
    assert stranger.get("/login", headers={"host": "[::"}).status_code == 421


@pytest.mark.parametrize(
    "path", ["../panel.js", "..%2f..%2fapp.py", "%2e%2e/%2e%2e/app.py", "pages/../../app.py", "//etc/passwd"]
)
def test_the_panels_files_lead_nowhere_else(stranger: TestClient, path: str) -> None:
    from souvenance import __version__

    assert stranger.get(f"/static/{__version__}/panel.js").status_code == 200
    answer = stranger.get(f"/static/{__version__}/{path}")
    assert answer.status_code == 404
    assert "def " not in answer.text


def test_r5_refusals_are_said_in_the_readers_language(stranger: TestClient, memory: Application, actor: Actor) -> None:
    french = {"accept-language": "fr", "accept": "text/html"}
    memory.users.create(actor=actor, handle="zoe", password="harps have strings")
    told = stranger.post("/login", data={"handle": "zoe", "password": "guess"}, headers=french).text
    assert "L’identifiant ou le mot de passe est inexact." in told
    team = memory.teams.create(actor=actor, name="Harpists")
    _, secret = memory.invitations.invite(actor=actor, team=team.id)
    for given, said in (
        ({"handle": "zoe", "password": "harps have strings"}, "déjà un utilisateur «\u00a0zoe\u00a0»"),
        ({"handle": "<b>%(x)s", "password": "harps have strings"}, "Un identifiant est fait"),
        ({"handle": "ada", "password": "short"}, "Un mot de passe a au moins 10 caractères."),
    ):
        told = stranger.post(f"/join/{secret}", data=given, headers=french).text
        assert said in told
        assert "<b>" not in told
    assert "Il n’y a rien à cette adresse." in stranger.get("/nowhere", headers=french).text


def test_a1_two_vaults_of_one_name_in_two_teams_are_told_apart(
    owner: TestClient, memory: Application, actor: Actor
) -> None:
    memory.vaults.create(actor=actor, name="Harpe")
    team = memory.teams.create(actor=actor, name="Harpists").id
    memory.teams.move_vault(actor=actor, vault="harpe", team=team)
    memory.vaults.create(actor=actor, name="Harpe")
    one, other = memory.vaults.list(actor=actor)
    assert {one.slug, other.slug} == {f"harpe~{one.team_id}", f"harpe~{other.team_id}"}
    proof = _proven(owner)
    for vault in (one, other):
        for page in ("vaults", "memory", "settings/answers"):
            assert owner.get(f"/{page}/{vault.slug}").status_code == 200
        said = Observation(content=f"in {vault.id}")
        (kept,) = memory.facts.remember(actor=actor, vault=vault.slug, observations=[said])
        assert kept.fact.vault_id == vault.id
        weighed = {"weight": "40"}
        assert owner.post(f"/vaults/{vault.slug}/attention", data=weighed, headers=proof).status_code == 200
        assert memory.vaults.get(actor=actor, vault=vault.slug).attention == 40
    taken = next(vault for vault in (one, other) if vault.team_id != team)
    form = {"vault": taken.slug}
    assert owner.post(f"/team/{team}/vault", data=form, headers=proof).status_code == 409
    assert owner.get("/vaults/harpe").status_code == 409
