"""Accounts in the browser: an invitation, what a reader may do, a session that is ended elsewhere (A1, A2)."""

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

from souvenance.application import Application
from souvenance.domain.access import Actor
from windows import Open


def _invited(open_as_owner: Open, memory: Application, owner: Actor) -> tuple[Page, str]:
    memory.vaults.create(actor=owner, name="Jardin", colour="#3f8f5b")
    page = open_as_owner("/team")
    page.get_by_role("button", name="Make a team").click()
    page.get_by_role("dialog").get_by_label("Name").fill("Voisins & amis <b>")
    page.get_by_role("dialog").get_by_role("button", name="Make a team").click()
    expect(page.get_by_role("heading", name="Voisins & amis <b>", exact=True)).to_be_visible()
    page.get_by_role("button", name="More for Voisins").click()
    page.get_by_role("button", name="Give it a vault").click()
    page.get_by_role("dialog").get_by_label("Vault").select_option("jardin")
    page.get_by_role("dialog").get_by_role("button", name="Give it").click()
    page.get_by_role("button", name="Invite", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Make the link").click()
    return page, page.locator("#invitation-link").inner_text()


def test_a1_an_invited_reader_sees_the_teams_vault_and_changes_nothing(
    open_as_owner: Open, contexts: Callable[..., BrowserContext], memory: Application, owner: Actor
) -> None:
    page, link = _invited(open_as_owner, memory, owner)
    guest = contexts(locale="fr-FR").new_page()
    guest.goto(link)
    expect(guest.get_by_text("vous invite dans l’équipe Voisins & amis <b>")).to_be_visible()
    guest.get_by_label("Identifiant").fill("zoé")
    guest.get_by_label("Mot de passe").fill("trois mots en rang")
    guest.get_by_role("button", name="Rejoindre").click()
    guest.goto(link.partition("/join/")[0] + "/vaults")
    expect(guest.get_by_role("heading", name="Jardin")).to_be_visible()
    page.reload()
    expect(page.get_by_text("zoé").first).to_be_visible()

    guest.goto(link.partition("/join/")[0] + "/settings/answers/jardin")
    expect(guest.get_by_label("Souvenirs au plus")).to_be_disabled()
    expect(guest.get_by_role("button", name="Enregistrer")).to_have_count(0)


def test_a2_a_password_opens_and_a_session_ended_elsewhere_loses_no_text(
    open_as_owner: Open, contexts: Callable[..., BrowserContext]
) -> None:
    here = open_as_owner("/settings")
    here.get_by_label("New password").fill("a few words in a row")
    here.get_by_role("button", name="Set the password").click()
    expect(here.get_by_text("The password is set.")).to_be_visible()

    there = contexts().new_page()
    there.goto(here.url.removesuffix("/settings") + "/login?next=/team")
    there.get_by_label("Handle").fill("owner")
    there.get_by_label("Password").fill("not this one")
    there.get_by_role("button", name="Sign in").click()
    expect(there.get_by_role("alert")).to_contain_text("The handle or the password is not right.")
    there.get_by_label("Password").fill("a few words in a row")
    there.get_by_role("button", name="Sign in").click()
    there.get_by_role("button", name="Make a team").click()
    there.get_by_role("dialog").get_by_label("Name").fill("Half typed")

    here.reload()
    here.get_by_role("button", name="Sign the others out").click()
    expect(here.get_by_text("All other browsers are signed out.")).to_be_visible()

    there.get_by_role("dialog").get_by_role("button", name="Make a team").click()
    expect(there.get_by_text("You are no longer signed in").first).to_be_visible()
    expect(there.get_by_role("dialog").get_by_label("Name")).to_have_value("Half typed")
    there.goto(there.url.removesuffix("/team") + "/login?next=/team")
    there.get_by_label("Handle").fill("owner")
    there.get_by_label("Password").fill("a few words in a row")
    there.get_by_role("button", name="Sign in").click()
    there.get_by_role("button", name="Make a team").click()
    expect(there.get_by_role("dialog").get_by_label("Name")).to_have_value("Half typed")
