"""Temporal's own Web UI in a real browser: whoever opened the page reads what is encrypted."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

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


def web_ui(page: Page, home: Home, run: str) -> None:
    port = int(home.environment["CAVEAT_PORT"]) + 1000
    token = (home.folder / "state" / "server" / "ui.token").read_text().strip()
    page.goto(f"http://127.0.0.1:{port}/namespaces/default/workflows/{run}?token={token}")


def test_who_opened_the_page_reads_web_ui(home: Home, serving: Serving, browser: Browser) -> None:
    run = home.json("research", TOPIC, "--corpus", "papers")["run_id"]
    page = browser.new_context().new_page()
    page.set_default_timeout(PATIENT_MS)

    web_ui(page, home, run)
    refused = page.locator("#content").get_by_text("Codec Server could not connect")
    expect(refused).to_be_visible(timeout=PATIENT_MS)
    assert "Write the synthesis" not in page.inner_text("body")

    page.goto(serving.link)
    web_ui(page, home, run)
    expect(page.get_by_text(f'"{TOPIC}"').first).to_be_visible(timeout=PATIENT_MS)
    expect(page.get_by_text("Write the synthesis from the claims").first).to_be_visible(
        timeout=PATIENT_MS
    )
    expect(refused).to_be_hidden()
