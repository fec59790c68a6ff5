"""Whatever comes as HTML, reading it ends in text or in a refusal."""

import contextlib
import time

import pytest
from hypothesis import example, given, settings
from hypothesis.strategies import lists, sampled_from, text

from caveat.adapters.documents.html import load_html
from caveat.adapters.documents.loaded import Unreadable
from caveat.adapters.documents.page import load_page

PIECES = [
    "<p>", "</p>", "<div", ">", "<table><tr><td>", "</table>", "<li>", "<h2>", "<pre><code>",
    "<script type='application/ld+json'>", "</script>", "{", "}", "[", '"', "<!--", "-->",
    "<?xml version='1.0' encoding='utf-8'?>", "<![CDATA[", "<!DOCTYPE html>", "&#0;", "&nbsp;",
    "&#xD800;", "\x00", "\x0c", "\ufeff", "\ufffe", "<svg><title>", "<template>", "style='", "'",
    "hidden", "<br>", "<body>", "</body>", "<frameset>", "<a href='x'>", "words of a page. ",
]  # fmt: skip


@settings(max_examples=60)
@given(lists(sampled_from(PIECES) | text(max_size=5), max_size=40).map("".join))
@example("<pre><code><div<p>words of a page. ")
def test_reading_ends_in_text_or_a_refusal(markup: str) -> None:
    """Any other exception fails it, and text that UTF-8 cannot write."""
    with contextlib.suppress(Unreadable):
        load_page(markup).snapshot.text.encode()


@pytest.mark.parametrize(
    "style", ["display:none", "DISPLAY : NONE", "top:0;visibility: hidden", "opacity:0"]
)
def test_what_people_do_not_see_is_not_read(style: str) -> None:
    page = f"<p>Seen.</p><p style='{style}'>Unseen <b>words</b>.</p> and <p>seen again.</p>"
    text = load_page(page).snapshot.text
    assert "Unseen" not in text
    assert "seen again" in text


@pytest.mark.parametrize("style", ["font-size:0.9em", "opacity:0.5", "font-size:10px"])
def test_what_people_see_is_read(style: str) -> None:
    assert "words" in load_page(f"<p style='{style}'>The words.</p>").snapshot.text


@pytest.mark.parametrize(
    "note",
    [
        "<sup>1</sup>",
        "<sup>1, 2</sup>",
        "<sup><a href='#fn1'>1</a></sup>",
        "<a href='#fn1'><sup>1</sup></a>",
        "<a class='footnote-reference' role='doc-noteref' href='#id1'>[<span>1</span>]</a>",
    ],
)
def test_the_number_of_a_footnote_is_no_part_of_the_text(note: str) -> None:
    text = load_page(f"<p>It was 5 kroner until 1993.{note} No ship passes.</p>").snapshot.text
    assert text == "It was 5 kroner until 1993. No ship passes."


def test_an_exponent_is_no_footnote() -> None:
    text = load_page("<p>Some 3 × 10<sup>5</sup> km<sup>2</sup>, f(x)<sup>2</sup>.</p>")
    assert text.snapshot.text == "Some 3 × 10^5 km^2, f(x)^2."


DEEP = "<div>" * 300_000 + "deep"
WIDE = f"<p {' '.join(f'a{number}=1' for number in range(150_000))}>wide</p>"
LONG_DATA = f"<p><img src='data:image/png;base64,{'iVBO' * 50_000}'>words</p>"


def test_what_no_page_needs_is_refused_before_it_is_looked_at() -> None:
    started = time.process_time()
    for load, markup, said in (
        (load_html, DEEP, "nests more than 1,000"),
        (load_html, WIDE, "attributes"),
        (load_page, WIDE, "attributes"),
    ):
        with pytest.raises(Unreadable, match=said):
            load(markup)
    assert time.process_time() - started < 3
    assert load_html(LONG_DATA).snapshot.text == "words"
    assert load_html("<p>unclosed" * 3_000 + "<div>x</div>" * 3_000).snapshot.text.endswith("x")
