"""Temporal's own Web UI in a real browser: whoever opened the page reads what is encrypted."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.fakes.browsing import PATIENT_MS, Serving, in_a_browser, page_of, started
from tests.fakes.encryption import key_text
from tests.fakes.home import TOPIC, Home

pytestmark = in_a_browser()


@pytest.fixture
def home(home: Home) -> Home:
    home.environment["CAVEAT_ENCRYPTION_KEY"] = key_text()
    return home


@pytest.fixture
def serving(home: Home) -> Iterator[Serving]:
    with page_of(home) as made:
        yield made


@pytest.fixture
def browser() -> Iterator[Browser]:
    with started() as made:
        yield made


def test_who_opened_the_page_reads_web_ui(home: Home, serving: Serving, browser: Browser) -> None:
    run = home.json("research", TOPIC, "--corpus", "papers")["run_id"]
    page = browser.new_context().new_page()
    page.set_default_timeout(PATIENT_MS)

    shown = f"{serving.link.partition('?')[0]}temporal/namespaces/default/workflows/{run}"
    page.goto(shown)
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()

    page.goto(serving.link)
    page.goto(shown)
    expect(page.get_by_text(f'"{TOPIC}"').first).to_be_visible(timeout=PATIENT_MS)
    expect(page.get_by_text("Write the synthesis from the claims").first).to_be_visible(
        timeout=PATIENT_MS
    )
    page.goto(f"{shown.partition('/temporal')[0]}/runs/{run}?show=run")
    page.get_by_role("link", name="Open in Temporal's Web UI").click()
    expect(page.get_by_text(f'"{TOPIC}"').first).to_be_visible(timeout=PATIENT_MS)
