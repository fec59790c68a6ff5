"""A person's browser, and the page that `caveat up` serves to it."""

import json
import shutil
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.fakes.home import DEADLINE_S, Home

PATIENT_MS = 90_000
"""Within which something is to be seen: it takes seconds, and a minute beside ten other jobs."""

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
AXE = (Path(__file__).parent / "axe" / "axe.min.js").read_text(encoding="utf-8")
PROGRAM = next((found for name in _NAMES if (found := shutil.which(name))), None)
"""The system's browser, where there is one."""


def in_a_browser(group: str = "browser") -> list[pytest.MarkDecorator]:
    """Mark what needs a browser; each group of tests has one process."""
    missing = "Chromium is not here (apt-get install chromium)"
    skips = pytest.mark.skipif(PROGRAM is None, reason=missing)
    return [pytest.mark.system, skips, pytest.mark.xdist_group(group)]


@contextmanager
def started() -> Iterator[Browser]:
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=PROGRAM, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


class Serving:
    """`caveat up`, which can be ended and begun again."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self.link = ""
        self.begin()

    @property
    def address(self) -> str:
        return self.link.split("/?")[0]

    def begin(self) -> None:
        self._process = self._home.forked("up", "--corpus", "papers")
        stderr = self._process.stderr
        for line in stderr:
            if line.startswith("Page "):
                self.link = line.split()[1]
            if "Serving" in line:
                break
        else:
            raise AssertionError("it ended")
        self._draining = threading.Thread(target=stderr.read, daemon=True)
        self._draining.start()

    def end(self, number: signal.Signals = signal.SIGTERM) -> None:
        self._process.send_signal(number)
        try:
            self._process.wait(timeout=DEADLINE_S)
        finally:
            self._process.kill()
            self._draining.join(timeout=DEADLINE_S)
            for stream in (self._process.stdout, self._process.stderr):
                stream.close()


@contextmanager
def page_of(home: Home) -> Iterator[Serving]:
    made = Serving(home)
    try:
        yield made
    finally:
        made.end()


def visitor(browser: Browser, serving: Serving, **options: Any) -> Page:
    """Somebody who opens the page with its token, and is told of no script that failed."""
    page = browser.new_context(**options).new_page()
    page.set_default_timeout(PATIENT_MS)
    page.goto(serving.link)
    return page


def violations(page: Page) -> list[str]:
    """What axe has to say against a page, a line each."""
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{each['id']}: {each['help']}: {json.dumps(each['nodes'][0]['target'])}"
        for each in found["violations"]
    ]
