"""`make pictures`: every page as a picture, in French and English, light and dark, wide and narrow.

Run by pytest since it needs what the tests need; it asserts that every picture was made.
"""

import os
from pathlib import Path

import pytest

from showcase import furnish
from souvenance.application import Application
from souvenance.domain.access import Actor
from windows import NARROW, WIDE, Open

FOLDER = Path(os.environ.get("SOUVENANCE_PICTURES", "build/pictures"))


@pytest.mark.timeout(900)
def test_pictures(open_as_owner: Open, memory: Application, owner: Actor) -> None:
    shown = furnish(memory, owner)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for language in ("en", "fr"):
        for scheme in ("light", "dark"):
            for width, size in (("wide", WIDE), ("narrow", NARROW)):
                page = open_as_owner("/vaults", language=language, color_scheme=scheme, viewport=size)
                start = page.url.removesuffix("/vaults")
                for name, address in shown.addresses.items():
                    page.goto(start + address)
                    page.wait_for_timeout(600)
                    page.screenshot(path=FOLDER / f"{name}-{language}-{scheme}-{width}.png")
    assert len(list(FOLDER.glob("*.png"))) >= 8 * len(shown.addresses)
