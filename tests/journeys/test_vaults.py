"""The Vaults page: who answers, live in every window (V2 to V6)."""

from playwright.sync_api import expect

from souvenance.application import Application
from souvenance.domain.access import Actor


def test_v4_solo_in_one_window_is_seen_in_another_within_a_second(
    open_as_owner, memory: Application, owner: Actor
) -> None:
    memory.vaults.create(actor=owner, name="Voyages", colour="#c06020")
    memory.vaults.create(actor=owner, name="Cuisine")
    here, there = open_as_owner("/vaults"), open_as_owner("/vaults", language="fr")
    expect(there.locator("#vaults-state")).to_have_text("tous")
    here.locator(".vault", has_text="Voyages").get_by_role("button", name="Solo").click()
    expect(here.locator("#vaults-state")).to_have_text("Voyages")
    expect(there.locator("#vaults-state")).to_have_text("Voyages", timeout=1000)
    here.get_by_role("button", name="Undo").click()
    expect(there.locator("#vaults-state")).to_have_text("tous", timeout=1000)
