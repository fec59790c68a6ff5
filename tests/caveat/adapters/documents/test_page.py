"""Whatever comes as HTML, reading it ends in text or in a refusal."""

import contextlib

from hypothesis import example, given, settings
from hypothesis.strategies import lists, sampled_from, text

from caveat.adapters.documents.loaded import DocumentFormat, Unreadable
from caveat.adapters.documents.reader import read

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
        read(DocumentFormat.PAGE, markup.encode()).snapshot.text.encode()


LONG_DATA = f"<p><img src='data:image/png;base64,{'iVBO' * 50_000}'>words</p>"


def test_what_is_long_and_flat_is_read() -> None:
    assert read(DocumentFormat.HTML, LONG_DATA.encode()).snapshot.text == "words"
    unclosed = b"<p>unclosed" * 3_000 + b"<div>x</div>" * 3_000
    assert read(DocumentFormat.HTML, unclosed).snapshot.text.endswith("x")
