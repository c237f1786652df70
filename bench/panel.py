"""How quick the panel is: pages on a cold cache, a keystroke in a vault of many facts, news between windows, the map.

    python bench/panel.py --facts 100000 [--data FOLDER] [--chromium PATH]

keeps that many invented facts (as bench/speed.py does), starts `souvenance serve` on them as a process of its own,
drives it with Chromium over loopback, and prints JSON. With --data the store stays there for a second run.

`first_page`: milliseconds from asking for a page to its title being there, each time in a new browser profile that has
cached nothing. `keystroke`: from a key going down in the search of the memory page to the rows being in their place.
`news`: from a click in one window to the change in another. `memory`: what the server holds more for each open browser.
`map`: frames a second while a map of 5,000 nodes is dragged; without a graphics card they are drawn by the processor.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

from measuring import machine, percentiles
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from speed import VAULT, facts, vocabulary

from souvenance import Souvenance

QUIET = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")
PAGES = ("/vaults", f"/memory/{VAULT}", "/notes", "/settings", "/map")
BROWSERS = 10
LISTENING = """() => {
  window.settled = 0;
  document.addEventListener("keydown", () => { window.pressed = performance.now(); }, true);
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.target.id === "facts") window.settled = performance.now();
  });
}"""
WEIGHING = """(weight) => {
  const slider = document.querySelector("input[type=range]");
  slider.value = weight;
  slider.dispatchEvent(new Event("change", { bubbles: true }));
  return Date.now();
}"""
COUNTING = """() => {
  window.frames = [];
  const tick = (at) => { window.frames.push(at); requestAnimationFrame(tick); };
  requestAnimationFrame(tick);
}"""


def fill(folder: Path, count: int) -> None:
    """Keep the facts, unless they are there."""
    with Souvenance(folder, background=False) as memory:
        if any(vault.slug == VAULT for vault in memory.vaults):
            return
        for batch in facts(count, vocabulary()):
            memory.remember_many(batch, vault=VAULT)


def serve(folder: Path) -> tuple[subprocess.Popen[str], str]:
    """A server on a free port, and the link that lets in."""
    server = subprocess.Popen(
        [sys.executable, "-m", "souvenance", "--data", str(folder), "serve", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(folder),
            "PYTHONPATH": str(Path(__file__).resolve().parent.parent / "src"),
            "SOUVENANCE_EMBEDDER": "none",
            "SOUVENANCE_LOG_LEVEL": "warning",
        },
    )
    assert server.stdout is not None
    for line in server.stdout:
        if found := re.search(r"http://\S+/enter/\S+", line):
            return server, found[0]
    raise SystemExit("The server did not start.")


def held(pid: int) -> float:
    """Megabytes of a process that are in memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 / 2**20


def first_page(browser: Browser, state: Any, home: str, address: str, times: int) -> dict[str, Any]:
    """A page in profiles that have cached nothing."""
    shown, sent = [], 0
    for _ in range(times):
        context = browser.new_context(storage_state=state, viewport={"width": 1280, "height": 800})
        page = context.new_page()
        started = time.perf_counter()
        page.goto(home + address, wait_until="commit")
        page.wait_for_selector("h1")
        shown.append((time.perf_counter() - started) * 1000)
        page.wait_for_load_state("load")
        sent = page.evaluate(
            "performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))"
            ".reduce((sum, one) => sum + one.transferSize, 0)"
        )
        context.close()
    return {"milliseconds": percentiles(shown), "kilobytes": round(sent / 1024)}


def keystrokes(page: Page, home: str, words: list[str]) -> dict[str, Any]:
    """Words typed letter by letter into the search of the memory page."""
    page.goto(f"{home}/memory/{VAULT}")
    page.evaluate(LISTENING)
    times = []
    for word in words:
        page.fill("#q", "")
        page.wait_for_timeout(800)
        page.focus("#q")
        for letter in word:
            page.evaluate("window.settled = 0")
            page.keyboard.press(letter)
            page.wait_for_function("window.settled > window.pressed", timeout=15_000)
            times.append(page.evaluate("window.settled - window.pressed"))
    return percentiles(times) | {"most": round(max(times), 1), "keys": len(times)}


def news(context: BrowserContext, home: str, times: int) -> dict[str, Any]:
    """A gesture in one window, seen in another."""
    here, there = context.new_page(), context.new_page()
    for page in (here, there):
        page.goto(f"{home}/vaults")
        page.wait_for_selector("#vaults-state")
    there.evaluate(
        """() => { window.seen = 0; new MutationObserver(() => { window.seen = Date.now(); })
        .observe(document.body, { childList: true, subtree: true, characterData: true, attributes: true }); }"""
    )
    found = []
    for turn in range(times):
        there.evaluate("window.seen = 0")
        weight = 40 if turn % 2 else 80
        sent = here.evaluate(WEIGHING, weight)
        there.wait_for_function("window.seen > 0", timeout=5000)
        found.append(there.evaluate("window.seen") - sent)
        here.wait_for_timeout(400)
    for page in (here, there):
        page.close()
    return percentiles(found)


def map_frames(page: Page, home: str) -> dict[str, Any]:
    """Frames a second while the map is dragged."""
    started = time.perf_counter()
    page.goto(f"{home}/map")
    page.wait_for_selector("#map-wait", state="hidden", timeout=120_000)
    drawn = time.perf_counter() - started
    page.wait_for_timeout(3000)
    box = page.locator("#map-canvas").bounding_box()
    assert box is not None
    page.evaluate(COUNTING)
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.move(*middle)
    page.mouse.down()
    until, step = time.perf_counter() + 4, 0
    while time.perf_counter() < until:
        step += 1
        page.mouse.move(middle[0] + 90 * ((step % 20) / 10 - 1), middle[1] + 40 * ((step % 14) / 7 - 1))
    page.mouse.up()
    at = page.evaluate("window.frames")
    gaps = [later - earlier for earlier, later in pairwise(at)]
    return {
        "first_drawn_seconds": round(drawn, 2),
        "frames_per_second": round(1000 / statistics.fmean(gaps), 1),
        "slowest_frame_milliseconds": round(max(gaps), 1),
    }


def measured(folder: Path, chromium: str) -> dict[str, Any]:
    """Everything, on a store that is there."""
    server, link = serve(folder)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=list(QUIET))
            home = link.partition("/enter/")[0]
            # What waits for a condition in the page evaluates it, which the panel's own policy forbids.
            context = browser.new_context(viewport={"width": 1280, "height": 800}, bypass_csp=True)
            page = context.new_page()
            page.goto(link)
            state = context.storage_state()
            pages = {address: first_page(browser, state, home, address, 5) for address in PAGES}
            typed = keystrokes(page, home, vocabulary()[200:203])
            told = news(context, home, 10)
            before, opened = held(server.pid), []
            for _ in range(BROWSERS):
                opened.append(browser.new_context(storage_state=state))
                opened[-1].new_page().goto(f"{home}/vaults")
            page.wait_for_timeout(1000)
            each = (held(server.pid) - before) / BROWSERS
            for one in opened:
                one.close()
            drawn = map_frames(page, home)
            browser.close()
            return {
                "first_page": pages,
                "keystroke": typed,
                "news": told,
                "memory": {"server_megabytes": round(before, 1), "megabytes_per_browser": round(each, 2)},
                "map": drawn,
            }
    finally:
        server.terminate()
        server.wait(timeout=30)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--facts", type=int, default=100_000)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--chromium", default=shutil.which("chromium") or shutil.which("chromium-browser"))
    given = parser.parse_args()
    if not given.chromium:
        raise SystemExit("There is no Chromium here: install it, or name one with --chromium.")
    with tempfile.TemporaryDirectory(prefix="souvenance-bench-") as temporary:
        folder = given.data or Path(temporary)
        fill(folder, given.facts)
        result = measured(folder, given.chromium)
    print(json.dumps({"machine": machine(), "facts": given.facts} | result, indent=2))


if __name__ == "__main__":
    main()
