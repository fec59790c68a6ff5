"""The page in a real browser: as four people use it, and as those who would misuse it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.fakes.browsing import (
    PATIENT_MS,
    Serving,
    in_a_browser,
    page_of,
    started,
    violations,
    visitor,
)
from tests.fakes.home import TOPIC, Home

pytestmark = in_a_browser()
NOTES = {
    "planck.md": "The Planck Collaboration measured a Hubble constant of 67.4 ± 0.5 km/s/Mpc from "
    "the cosmic microwave background. The result rests on a model of the early universe. "
    "The satellite mapped the whole sky in nine bands of frequency, and the team removed the light "
    "of dust and of electrons in our own galaxy before the spectrum was fitted.",
    "shoes.md": "The SH0ES team measured a Hubble constant of 73.0 ± 1.0 km/s/Mpc from Cepheid "
    "variable stars and supernovae. The distance ladder has three rungs.",
    "hostile.txt": "</mark><script>document.title='obeyed'</script><img src=x onerror=\"document."
    "title='obeyed'\"> The Hubble constant is measured with red giants too.\u202e\n",
    "hostile.md": "---\ntitle: \"<script>document.title='obeyed'</script>\"\n"
    "url: javascript:document.title='obeyed'\n---\n"
    "Lensed quasars measure a Hubble constant without a distance ladder.\n",
}

expect.set_options(timeout=PATIENT_MS)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started() as made:
        yield made


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    home = Home(tmp_path_factory.mktemp("home"))
    for document in home.corpus.iterdir():
        document.unlink()
    for name, text in NOTES.items():
        (home.corpus / name).write_text(text, encoding="utf-8")
    with page_of(home) as made:
        yield made


@dataclass(frozen=True)
class Asked:
    """A run that somebody asked for on the page and that waits for a person."""

    page: Page
    run: str

    @property
    def question(self) -> str:
        return f"{self.run}/contradictions/contradiction-1"


def ask(browser: Browser, serving: Serving) -> Asked:
    page = visitor(browser, serving)
    page.get_by_role("link", name="Ask", exact=True).click()
    page.get_by_label("Question").fill(TOPIC)
    page.get_by_role("button", name="Start it").click()
    page.wait_for_url(re.compile("/runs/research-"))
    return Asked(page, page.url)


@pytest.fixture(scope="module")
def asked(browser: Browser, serving: Serving) -> Asked:
    made = ask(browser, serving)
    # Nobody reloads anything: the page is told, and opens the first report.
    made.page.wait_for_url(re.compile("/report$"))
    made.page.get_by_role("link", name="The run").click()
    expect(made.page.get_by_text("A person is needed.")).to_be_visible()
    expect(made.page.get_by_role("heading", name=TOPIC)).to_be_visible()
    expect(made.page.get_by_text(re.compile(r"\d claims? found$")).first).to_be_visible()
    expect(made.page.get_by_text(re.compile(r"^Running for \d"))).to_be_visible()
    waiting = made.page.get_by_role("listitem").filter(has_text="Waiting for a ruling")
    expect(waiting).to_contain_text(re.compile(r"for \d+ "))
    assert "UTC" not in made.page.inner_text("main")  # the reader's own time
    return made


def ended(page: Page) -> None:
    """Wait for the final report; the page that watches a run opens the first one by itself."""
    left = page.get_by_role("link", name="Ask it anew")  # where it had ended before it was watched
    expect(left.or_(page.get_by_role("textbox", name="Another question"))).to_be_visible()
    if not page.url.endswith("/report"):
        page.get_by_role("link", name=re.compile("^Read the")).click()
        page.wait_for_url(re.compile("/report$"))
    while page.locator(".kind.provisional").is_visible():
        page.wait_for_timeout(500)
        page.reload()


def tabbed(page: Page, to: str) -> None:
    """Press the tab key until what is wanted has the focus, and somebody can see that it has."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("(to) => document.activeElement.matches(to)", to):
            shown = "getComputedStyle(document.activeElement).outlineStyle"
            assert page.evaluate(shown) != "none", to
            return
    raise AssertionError(f"The tab key does not lead to {to}.")


def rule(page: Page, choice: str, why: str, button: str = "Give this ruling") -> None:
    page.get_by_role("radio", name=re.compile(rf"^{choice}\b")).check()
    page.get_by_label("Why?").fill(why)
    page.get_by_role("button", name=button).click()


def rule_by_keyboard(page: Page, why: str) -> None:
    """Rule for the first value, without a pointer, from where a page begins."""
    page.reload()
    tabbed(page, ".skip")
    expect(page.locator(".skip")).to_be_in_viewport()
    page.keyboard.press("Enter")
    tabbed(page, "input[name=choice]")
    page.keyboard.press("Space")
    tabbed(page, "textarea[name=reason]")
    page.keyboard.type(why)
    tabbed(page, "main form button")
    page.keyboard.press("Enter")


def read_on_paper(page: Page) -> None:
    """Look at what is printed: all that is to be read, and nothing that wants to be pressed."""
    page.emulate_media(media="print", color_scheme="dark")
    expect(page.get_by_role("heading", name="Answer", exact=True)).to_be_visible()
    for pressed in (page.get_by_role("navigation", name="Main"), page.get_by_text("Download")):
        expect(pressed).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"


_ON_TOP = """(button) => {
  const {x, y, width, height} = button.getBoundingClientRect();
  return button.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}"""
"""Says whether what is pressed is seen, and lies not beyond the edge of what holds it."""

SIZES: tuple[tuple[int, Literal["light", "dark"]], ...] = ((390, "light"), (1440, "dark"))


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_every_page_can_be_read_by_everybody(
    browser: Browser, serving: Serving, asked: Asked, width: int, scheme: Literal["light", "dark"]
) -> None:
    page = visitor(browser, serving, color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{asked.run}/report")
    sources = page.locator("a.cite").evaluate_all(
        "(all) => [...new Set(all.map((a) => a.pathname))]"
    )
    own = [
        f"{serving.address}{path}" for path in ("/", "/inbox", "/runs", "/ask", "/signin", *sources)
    ]
    places = ("?show=run", "/report", "/audit", "/table")
    for address in (*own, asked.question, *(f"{asked.run}{place}" for place in places)):
        page.goto(address)
        assert violations(page) == [], address
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address
        assert page.title() != "obeyed"
    page.goto(f"{asked.run}/report")
    expect(page.locator("#answer li, #answer p").first).to_be_in_viewport(ratio=1)
    page.locator("a.cite").first.click()
    shown = page.get_by_role("dialog", name="Quote in its source")
    for pressed in ("Previous", "Next", "Copy", "Close"):
        button = shown.get_by_role("button", name=pressed)
        expect(button).to_be_in_viewport(ratio=1)
        assert button.evaluate(_ON_TOP), pressed
    assert violations(page) == []
    page.context.close()


def test_another_site_changes_nothing(browser: Browser, serving: Serving, asked: Asked) -> None:
    """A page of somebody else sends the form of a ruling, from a browser that is let in."""
    page = visitor(browser, serving)
    form = (
        f"<form method=post action='{asked.question}'><input name=choice value=a>"
        "<input name=reason value=because><input name=name value=Eve></form>"
    )
    page.route(
        "http://evil.example/", lambda route: route.fulfill(content_type="text/html", body=form)
    )
    page.goto("http://evil.example/")
    with page.expect_response(asked.question) as answered:
        page.evaluate("document.forms[0].submit()")
    assert answered.value.status in {401, 403}
    # The browser withheld the pass with the form, and shows it to who follows a link.
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.goto(asked.question)
    expect(page.get_by_text("open", exact=True)).to_be_visible()
    page.context.close()


def test_the_second_tab_hears_of_first(browser: Browser, serving: Serving, asked: Asked) -> None:
    first = asked.page
    second = visitor(browser, serving)
    for page in (first, second):
        page.goto(f"{serving.address}/inbox")
        page.get_by_role("listitem").filter(has_text="67.4").get_by_role("link").first.click()
        expect(page.locator("mark", has_text="67.4 ± 0.5 km/s/Mpc")).to_be_visible()
        expect(page.locator("mark", has_text="73.0 ± 1.0 km/s/Mpc")).to_be_visible()
    expect(first.get_by_text("What you uphold is used")).to_be_visible()

    rule_by_keyboard(first, "It needs no ladder.")
    first.wait_for_url(re.compile(r"/report$"))

    rule(second, "B", "I know better.")
    expect(second.get_by_role("alert")).to_contain_text("ruled")
    expect(second.get_by_role("button", name="Withdraw it")).to_be_visible()
    second.context.close()

    # The last ruling: the final report follows, and the page says what it changed.
    first.goto(asked.run)
    ended(first)
    first.goto(asked.question)
    expect(first.get_by_role("heading", name="The ruling", exact=True)).to_be_visible()
    first.get_by_role("link", name="Read the report").first.click()
    expect(first.get_by_text("Final report")).to_be_visible()
    expect(first.get_by_text("Audit passed")).to_be_visible()
    quotes_in_place(first)

    ask_on(first)
    read_on_paper(first)


def ask_on(page: Page) -> None:
    """Ask one more question under a report, and find its answer in the thread."""
    report = page.url
    page.get_by_label("Another question").fill("What does the ladder say of the Hubble constant?")
    page.get_by_role("button", name="Ask", exact=True).click()
    ended(page)
    page.goto(report)
    thread = page.get_by_role("region", name="Further questions")
    expect(thread.get_by_role("link", name="What does the ladder say")).to_be_visible()
    thread.locator("a.cite").first.click()
    quote = page.get_by_role("dialog", name="Quote in its source")
    expect(quote.locator("mark")).not_to_be_empty()
    assert violations(page) == []


def quotes_in_place(page: Page) -> None:
    """Open a citation where it stands, go to the next one, and close it by the keyboard."""
    page.locator("[data-quotes] a.cite").first.click()
    quote = page.get_by_role("dialog", name="Quote in its source")
    expect(quote.locator("mark")).to_contain_text("Hubble constant")
    assert violations(page) == []
    first = quote.locator("strong").inner_text()
    quote.get_by_role("button", name="Next").click()
    expect(quote.locator("strong")).not_to_have_text(first)
    # Closed while the next one is on its way, it stays closed.
    with page.expect_response(re.compile("/sources/")):
        quote.get_by_role("button", name="Next").click()
        page.keyboard.press("Escape")
    page.wait_for_timeout(200)
    expect(quote).to_have_count(0)


def test_it_is_read_and_ruled_scriptless(browser: Browser, serving: Serving, asked: Asked) -> None:
    page = visitor(browser, serving, java_script_enabled=False)
    page.goto(f"{serving.address}/runs")
    expect(page.get_by_role("link", name=TOPIC).first).to_be_visible()
    page.goto(f"{asked.run}/report")
    expect(page.get_by_role("heading", name="Answer", exact=True)).to_be_visible()
    page.goto(f"{asked.run}?show=run")
    page.get_by_role("button", name=re.compile("^(Cancel|Delete) this run")).click()
    expect(page.get_by_role("heading", name="Are you sure?")).to_be_visible()
    page.get_by_role("link", name="No, go back").click()
    expect(page.get_by_role("heading", name=TOPIC)).to_be_visible()
    page.goto(f"{serving.address}/ask")
    page.get_by_label("Question").fill("x")
    page.get_by_text("Depth, team, time and budget").click()
    page.get_by_label("Leave stragglers after").fill("soon")
    page.get_by_role("button", name="Start it").click()
    expect(page.get_by_role("alert")).to_contain_text("“Leave stragglers after” must be a duration")
    expect(page.get_by_label("Question")).to_have_value("x")
    page.context.close()
