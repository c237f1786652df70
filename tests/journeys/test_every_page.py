"""Every page of the panel: no serious fault of accessibility, in both languages and themes."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from showcase import furnish
from souvenance.application import Application
from souvenance.domain.access import Actor
from windows import NARROW, WIDE, Open

SERIOUS = {"serious", "critical"}
LOOKS = [("en", "light", WIDE), ("fr", "dark", NARROW)]
BROKEN = """() => {
  const found = [];
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    const within = text.parentElement;
    if (!within.checkVisibility() || within.closest(".sr-only, pre, code, .cm-editor")) continue;
    for (const word of text.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].filter((one) => one.width).map((one) => Math.round(one.top)));
      if (lines.size > 1) found.push(word[0]);
    }
  }
  const scrolling = document.querySelectorAll("main :is(.tabs, .table-box)");
  const hidden = [...scrolling].filter((one) => one.scrollWidth > one.clientWidth + 1);
  return [...found, ...hidden.map((one) => one.className)];
}"""
"""Words that stand on two lines, and rows of tabs or tables of which a part is out of sight."""


def _serious(page: Page) -> list[str]:
    found: list[dict[str, Any]] = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {one['help']}: {[node['html'][:160] for node in one['nodes'][:3]]}"
        for one in found
        if one["impact"] in SERIOUS
    ]


@pytest.mark.parametrize(("language", "scheme", "size"), LOOKS, ids=["english-light-wide", "french-dark-narrow"])
@pytest.mark.timeout(300)
def test_r5_no_page_has_a_serious_fault_of_accessibility(
    open_as_owner: Open, memory: Application, owner: Actor, language: str, scheme: str, size: dict[str, int]
) -> None:
    shown = furnish(memory, owner)
    page = open_as_owner("/vaults", language=language, color_scheme=scheme, viewport=size)
    start = page.url.removesuffix("/vaults")
    faults: dict[str, list[str]] = {}
    for name, address in shown.addresses.items():
        response = page.goto(start + address)
        assert response is not None
        assert response.status == 200, f"{address} answers {response.status}"
        assert page.locator("html").get_attribute("lang") == language
        assert page.locator("h1").count() == 1, f"{address} has {page.locator('h1').count()} titles"
        wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wider <= 1, f"{address} is {wider} px wider than the window"
        assert size is WIDE or page.evaluate(BROKEN) == [], address
        if serious := _serious(page):
            faults[name] = serious
    assert not faults
