"""A report as HTML shows everything that it says, and obeys nothing that a source says."""

from html.parser import HTMLParser

import pytest

from caveat.contracts.report import Report
from caveat.rendering.html.document import build_excerpt, render_body, render_document
from caveat.rendering.links import Links
from tests.fakes.reports import a_report

HOSTILE = "</mark><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\" onclick='x'"


class Seen(HTMLParser):
    """The elements, attributes and text of a document."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self.feed(document)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def values(self, name: str) -> list[str]:
        return [value or "" for each, value in self.attributes if each == name]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@pytest.fixture
def report() -> Report:
    return a_report()


def test_every_link_inside_the_file_and_every_citation_leads_to_one_place(report: Report) -> None:
    seen = Seen(render_document(report))
    inside = {each[1:] for each in seen.values("href") if each.startswith("#")}
    names = seen.values("id")
    assert any(each.startswith("quote-") for each in inside)
    assert inside <= set(names)
    assert len(names) == len(set(names))


def test_in_the_page_citations_lead_to_the_whole_source(report: Report) -> None:
    shown = str(render_body(report, {}, Links("/runs/r")))
    claim = next(each for each in report.claims if f"#{each.id}" in shown)
    assert f'href="/runs/r/sources/{claim.source_id}#{claim.id}"' in shown
    assert "#quote-" not in shown


def test_it_fetches_nothing_and_runs_nothing(report: Report) -> None:
    seen = Seen(render_document(report))
    assert not {"script", "iframe", "img", "link", "object", "embed", "base"} & set(seen.tags)
    assert not [name for name, _ in seen.attributes if name.startswith("on") or name == "style"]
    assert "default-src 'none'" in " ".join(seen.values("content"))


def test_words_of_a_source_are_words(report: Report) -> None:
    claims = tuple(
        each.model_copy(update={"quote": HOSTILE, "text": HOSTILE, "location": HOSTILE})
        for each in report.claims
    )
    sources = tuple(
        each.model_copy(update={"title": HOSTILE, "url": "javascript:alert(1)", "path": HOSTILE})
        for each in report.sources
    )
    changed = report.model_copy(update={"claims": claims, "sources": sources, "topic": HOSTILE})
    shown = render_document(changed)
    seen = Seen(shown)
    assert "script" not in seen.tags
    assert "img" not in seen.tags
    assert not [name for name, _ in seen.attributes if name.startswith("on")]
    assert not [each for each in seen.values("href") if each.startswith("javascript")]
    assert "\u202e" not in shown
    assert "<script>alert(1)</script>" in seen.text


def test_a_quote_is_shown_in_the_passage_around_it(report: Report) -> None:
    claim = report.claims[0]
    text = "x" * (claim.start - 2) + "\n\n" + claim.quote + " and what follows" * 100
    shown = build_excerpt(claim, text)
    assert shown.is_read
    assert shown.quote == claim.quote
    assert shown.before.endswith("x\n")  # few lines are shown, and none is left blank
    assert shown.after.startswith(" and what follows")
    assert shown.after.endswith("…")
