"""What tests of the panel share: the kind of function that opens a window."""

from collections.abc import Callable

from playwright.sync_api import Page

Open = Callable[..., Page]
WIDE = {"width": 1280, "height": 800}
NARROW = {"width": 390, "height": 844}
