"""Every page keeps within its window, whatever a vault is called."""

import pytest

from souvenance.application import Application
from souvenance.domain.access import Actor
from souvenance.domain.vault import MemoryType
from souvenance.memory.remember import Observation
from windows import NARROW, WIDE, Open

LONG = "Correspondance" * 8 + " entière"

OVERFLOWING = """() => {
  const seen = [document.documentElement, ...document.querySelectorAll("main :is(.card, td .button, .table-box)")];
  const over = seen.filter((one) => one.scrollWidth > one.clientWidth + 1);
  const tall = [...document.querySelectorAll("main td .button")].filter((one) => one.offsetHeight > 60);
  return [...over, ...tall].map((one) => one.outerHTML.slice(0, 160));
}"""


@pytest.mark.parametrize("window", [NARROW, WIDE], ids=["narrow", "wide"])
def test_r5_a_long_name_breaks_no_page(
    open_as_owner: Open, memory: Application, owner: Actor, window: dict[str, int]
) -> None:
    vault = memory.vaults.create(actor=owner, name=LONG).slug
    memory.vaults.change_type(actor=owner, vault=vault, memory_type=MemoryType.SEMANTIC)
    memory.facts.remember(actor=owner, vault=vault, observations=[Observation(content="Élodie apporte les gâteaux")])
    page = open_as_owner("/map/list", language="fr", viewport=window)
    origin = page.url.removesuffix("/map/list")
    for address in ("/map/list", f"/memory/{vault}", f"/settings/answers/{vault}", "/team", "/vaults", "/audit"):
        page.goto(origin + address)
        assert page.evaluate(OVERFLOWING) == [], address
