"""The first time: five tasks of somebody who has never seen the page, with the fewest presses."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.fakes.browsing import PATIENT_MS, in_a_browser, page_of, started, violations, visitor
from tests.fakes.home import TOPIC, Home

pytestmark = in_a_browser("first time")

COUNTS = """addEventListener("pointerdown", () => {
  sessionStorage.setItem("presses", 1 + Number(sessionStorage.getItem("presses")));
}, true)"""
"""Has a page count what is pressed, across pages."""

WIDE = """() => {
  const names = Array.from(document.querySelectorAll(".work .name"))
  return names.length && names.every((name) => name.getBoundingClientRect().width > 150)
}"""
"""Whether names of what is done have room; while the page exchanges what is live, one has none."""

RESTS = "() => !document.querySelector('[data-when-done]')"
"""Whether a page stays: where a run goes on after a ruling, its page opens the report by itself."""

expect.set_options(timeout=PATIENT_MS)


@pytest.fixture
def page(home: Home) -> Iterator[Page]:
    for note in home.corpus.glob("*.md"):  # so long that a quote lies below what a phone shows
        note.write_text(f"{'It was a long way. ' * 30}\n\n{note.read_text()}")
    with page_of(home) as serving, started() as browser:
        page = visitor(browser, serving)
        page.context.add_init_script(COUNTS)
        page.reload()
        yield page


def presses(page: Page) -> int:
    """Say how often something was pressed since this was asked last."""
    count: str | None = page.evaluate("sessionStorage.getItem('presses')")
    page.evaluate("sessionStorage.removeItem('presses')")
    return int(count or 0)


def test_five_tasks_of_a_first_visit_take_the_fewest_presses(page: Page) -> None:
    home = page.url

    # Ask: a question is typed where a visit begins, and starts with one press.
    page.get_by_label("Question").fill(TOPIC)
    page.get_by_role("button", name="Start it").click()
    page.wait_for_url(re.compile("/runs/research-"))
    run = page.url
    assert presses(page) == 1

    # Find the answer: it opens by itself.
    page.wait_for_url(re.compile("/report$"))
    expect(page.locator("main").get_by_text("km/s/Mpc").first).to_be_in_viewport()
    assert presses(page) == 0

    # Open a citation in its place, on a phone.
    page.set_viewport_size({"width": 390, "height": 600})
    page.locator("#answer a.cite").first.click()
    quote = page.get_by_role("dialog", name="Quote in its source")
    expect(quote.locator("mark")).to_be_in_viewport()
    assert presses(page) == 1
    page.keyboard.press("Escape")

    # Decide a contradiction, from where it is read.
    page.get_by_role("link", name="Rule on it", exact=True).first.click()
    page.get_by_role("radio", name=re.compile("^Both")).check()
    page.get_by_label("Why?").fill("They measure at different times of the universe.")
    page.get_by_role("button", name="Give this ruling").click()
    page.wait_for_url(re.compile(r"/report$"))  # which opens by itself
    assert presses(page) == 3

    delete(page)
    assert presses(page) == 2
    while True:  # the server keeps for a second what ended just now
        page.goto(home)
        if page.get_by_role("heading", name="Recent runs").count() == 0:
            break
        page.wait_for_timeout(1_000)
    page.goto(run)
    expect(page.get_by_text("The server has forgotten this run")).to_be_visible()


def delete(page: Page) -> None:
    """Delete a run from the page of its last question, asked once whether that is meant."""
    asked: list[str] = []

    def agree(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.accept()

    page.once("dialog", agree)
    page.wait_for_function(RESTS, timeout=PATIENT_MS)
    page.get_by_role("link", name="The run", exact=True).click()
    button = page.get_by_role("button", name="Delete this run")
    expect(button).to_be_visible()
    page.wait_for_load_state()  # the page's script asks whether that is meant
    page.wait_for_function(WIDE, timeout=PATIENT_MS)
    button.click()
    page.wait_for_url(re.compile("/runs(.deleted=soon)?$"))
    assert violations(page) == []
    (question,) = asked
    assert "for good" in question
