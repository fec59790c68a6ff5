"""Loaders alter no word: what they return stands in the file, by an extraction of another kind."""

from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from docutils.core import publish_string
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from caveat.adapters.documents.html import load_html
from caveat.adapters.documents.loaded import Loaded
from caveat.adapters.documents.markdown import load_markdown
from caveat.adapters.documents.page import load_page
from caveat.adapters.documents.plain import load_text
from caveat.adapters.documents.restructured import load_restructured

WORDS = [
    "__future__", "a_b_c", "x*y", "C++", "50 %", "[3]", "it's", "“so”", "--all", "5 < 6", "R&D",
    "foo | bar", "naïve", "e.g.", "$HOME", "10^-3", "a::b", "#1", "~2", "1. x", "x_", "`", "Größe",
]  # fmt: skip
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(
    lambda words: f"Here {' and '.join(words)} stand."
)


class _Text(HTMLParser):
    """Every character between tags, with a space for each tag."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.text += "" if tag in {"em", "strong", "code", "tt", "span", "cite", "a"} else " "


def extracted(markup: str) -> str:
    parser = _Text()
    parser.feed(markup)
    return " ".join(parser.text.split())


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def page(one: str, other: str) -> str:
    one, other = escaped(one), escaped(other)
    return (
        f"<html><body><h1>Title</h1><p>{one}</p><ul><li><b>Item</b>: {other}</li></ul>"
        f"<table><tr><th>Name</th><th>Value</th></tr><tr><td>{one}</td><td>{other}</td></tr></table>"
        f"<dl><dt>{one}</dt><dd>{other}</dd></dl></body></html>"
    )


def markdown(one: str, other: str) -> str:
    return f"# Title\n\n{one}\n\n- `code`: {other}\n\n> {one}\n\n```\n{other}\n```\n"


def restructured(one: str, other: str) -> str:
    return f"Title\n=====\n\n{one}\n\n- {other}\n\nTerm\n    {one}\n\n::\n\n    {other}\n"


def plain(one: str, other: str) -> str:
    return f"Title\n=====\n\n{one}\n{other}\n\n- {other}\n- {one}\n"


def rendered(text: str) -> str:
    silent = {"report_level": 5, "halt_level": 5, "smart_quotes": False}
    return str(publish_string(text, writer="html5", settings_overrides=silent), "utf-8")


Extraction = Callable[[str], str]
KINDS: list[tuple[Callable[[str, str], str], Callable[[str], Loaded], Extraction]] = [
    (page, load_html, extracted),
    (page, load_page, extracted),
    (markdown, load_markdown, lambda text: extracted(MarkdownIt().render(text))),
    (restructured, load_restructured, lambda text: extracted(rendered(text))),
    (plain, load_text, lambda text: " ".join(text.split())),
]


@pytest.mark.parametrize("kind", range(len(KINDS)))
@settings(max_examples=25, deadline=None)
@given(one=SENTENCES, other=SENTENCES)
def test_every_block_stands_in_the_file(kind: int, one: str, other: str) -> None:
    written, load, extraction = KINDS[kind]
    source = written(one, other)
    whole = extraction(source)
    for block in load(source).snapshot.text.split("\n\n"):
        words = " ".join(block.split())
        assert words in whole, (words, whole)
