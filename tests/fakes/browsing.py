"""A person's browser, and the page that `caveat up` serves to it."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.fakes.home import Home

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


@dataclass(frozen=True)
class Serving:
    """The page of `caveat up`."""

    link: str  # with the token that opens it

    @property
    def address(self) -> str:
        return self.link.split("/?")[0]


@contextmanager
def page_of(home: Home) -> Iterator[Serving]:
    with home.serving("up", "--corpus", "papers") as said:
        yield Serving(next(line.split()[1] for line in said if line.startswith("Page ")))


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
