"""A real Chromium for tests: what a page did in it, and pictures of it for a person to look at."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "build" / "pictures"
"""Where the tests leave their pictures."""
AXE = ROOT / "otel_footprint" / "report" / "web" / "node_modules" / "axe-core" / "axe.min.js"
SERIOUS = {"serious", "critical"}

Scheme = Literal["light", "dark"]


def binary() -> Path:
    """The Chromium to start.

    Raises:
        LookupError: ``CHROMIUM_BINARY`` does not name one.
    """
    path = Path(os.environ.get("CHROMIUM_BINARY", ""))
    if not path.is_file():
        raise LookupError("CHROMIUM_BINARY names no file: run these tests by `make integration`, which installs it")
    return path


@contextlib.contextmanager
def running_browser() -> Iterator[Browser]:
    """Start Chromium without a window, and end it at the end of the block.

    Raises:
        LookupError: There is no binary.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        # A container's root user has no sandbox to start it in.
        browser = playwright.chromium.launch(executable_path=binary(), args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


class Opened:
    """A page that is open, and what it did so far."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.console: list[str] = []
        """What the page, or the browser about it, said on the console, and errors that it did not catch."""
        self.requests: list[str] = []
        """What was asked for, the page itself first."""
        page.on("console", lambda message: self.console.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.console.append(f"uncaught: {error}"))
        page.on("request", lambda request: self.requests.append(request.url))

    def texts(self, selector: str) -> list[str]:
        """The text of each element that a selector finds, with its white space as one space."""
        return [" ".join(text.split()) for text in self.page.locator(selector).all_inner_texts()]

    def focused(self) -> str:
        """The text of the element that has the keyboard."""
        text: str = self.page.evaluate("document.activeElement.innerText ?? ''")
        return " ".join(text.split())

    def press_until(self, key: str, words: str, *, limit: int = 60) -> None:
        """Press a key until the element that has the keyboard holds some words."""
        for _ in range(limit):
            self.page.keyboard.press(key)
            if words in self.focused():
                return
        raise AssertionError(f"{limit} times {key} did not reach {words!r}")

    def serious_issues(self) -> list[str]:
        """What axe finds that keeps people out, by rule and element."""
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found: list[dict[str, Any]] = self.page.evaluate("async () => (await axe.run()).violations")
        return [
            f"{issue['id']}: {node['html'][:120]} {node['failureSummary']}"
            for issue in found
            if issue["impact"] in SERIOUS
            for node in issue["nodes"]
        ]

    def picture(self, name: str) -> None:
        """Leave a picture of all that can be scrolled to."""
        PICTURES.mkdir(parents=True, exist_ok=True)
        size = self.page.viewport_size
        assert size is not None
        needed = "Math.max(document.documentElement.scrollHeight, document.querySelector('main').scrollHeight + 60)"
        height = min(max(self.page.evaluate(needed), size["height"]), 3_000)
        self.page.set_viewport_size({"width": size["width"], "height": height})
        self.page.screenshot(path=PICTURES / f"{name}.png")
        self.page.set_viewport_size(size)


@contextlib.contextmanager
def opened(browser: Browser, url: str, *, scheme: Scheme = "light", width: int = 1360) -> Iterator[Opened]:
    """Open a page in a window of its own, and wait until it has drawn itself."""
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})
    try:
        page = context.new_page()
        found = Opened(page)
        page.goto(url)
        page.wait_for_selector("article section, #app > .page p.waiting, #app div.waiting")
        yield found
    finally:
        context.close()
