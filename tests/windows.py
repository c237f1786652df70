"""What tests of the panel share: the kind of function that opens a window, and going elsewhere in one."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, Response

Open = Callable[..., Page]
WIDE = {"width": 1280, "height": 800}
NARROW = {"width": 390, "height": 844}


def go(page: Page, address: str) -> Response | None:
    """Go to another page of the same server."""
    return page.goto(re.sub(r"(//[^/]+)/.*", r"\1", page.url) + address)
