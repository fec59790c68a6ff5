"""Whatever a stranger repeats, reading it takes time in proportion.

Functions that take text of documents, pages or models apart are given one short piece again and
again. docutils is not among them: its own patterns are not linear, and the reader's process bounds
it.
"""

from collections.abc import Callable

import pytest

from caveat.adapters.corpus.catalogue import passages
from caveat.adapters.documents import metadata
from caveat.adapters.documents.html import load_html
from caveat.adapters.documents.markdown import load_markdown
from caveat.adapters.documents.page import load_page
from caveat.adapters.documents.plain import load_table, load_text
from caveat.adapters.extractive.attributes import scoped
from caveat.adapters.extractive.categories import named
from caveat.adapters.extractive.contrasts import contrasts
from caveat.adapters.extractive.entities import reference
from caveat.adapters.extractive.events import event
from caveat.adapters.extractive.forms import stated
from caveat.adapters.extractive.names import names
from caveat.adapters.http.failures import seconds_of
from caveat.adapters.text.query import terms_of
from caveat.adapters.text.question import question
from caveat.contracts.source import Snapshot
from caveat.quantities.reading import quantities, values
from caveat.rendering.visible import unlinked, visible, visible_line
from caveat.roles.data import addresses
from caveat.rules.evidence.copies import sketch
from caveat.rules.sources import canonical_url, is_own_report, web_host
from caveat.rules.sources.elsewhere import arxiv_number, corrected, doi_of, plain
from caveat.rules.text import collapsed, prose, sentences, tokens, verbatim, wording
from caveat.rules.text.contrast import frames
from caveat.rules.text.words import content
from tests.fakes.timing import seconds

SIZE = 10_000
BOUND_S, MOST_S = 0.3, 3.0
"""Processor time: 1 s for 100 kB is allowed. What is beyond the first is looked at again, and what
takes more than the other is slow."""

SEEDS = [
    " ", "\n", "\t", "a", "A", "0", "-", "_", ".", ",", "'", "(", "[", "<", "*", "`", "|", "=",
    "#", "\\", ":", "é", "。", " \n", "a ", "a-\n", "a.", "A. ", "0 ", "0.", "0,", "a0", "::\n\n ",
    "[a](", "[a]", "<a ", "<!--", "**a", "| a ", "- ", "10^", "of the ", "a-b ", "1-2", "https://a",
    "%20",
    "&amp;", "\n---\n", "> ", "<p>", "<b>", "<table>", "<dl><dt>", "`a`_ ", ":a:`", ".. a::\n\n   ",
    "+-", "...", "? ", "(1) ", "Mon, ", "2020-", "D:", "[c1]", "A.B.", "one to ", "\u00ad", "\x1f",
]  # fmt: skip


KNOWN = names([], ["the width of the deck"])

FUNCTIONS: dict[str, Callable[[str], object]] = {
    "plain": load_text,
    "markdown": load_markdown,
    "html": load_html,
    "page": load_page,
    "table": load_table,
    "passages": lambda text: list(passages(Snapshot(text=text))),
    "day": metadata.date_of,
    "title": metadata.title_of,
    "url": metadata.url_of,
    "kind": metadata.known_kind_of,
    "citations": metadata.count_of,
    "own report": is_own_report,
    "own report, as a page": lambda text: is_own_report("\n\n".join(text.split("\n"))),
    "address": canonical_url,
    "host": web_host,
    "sentences": sentences,
    "tokens": lambda text: list(tokens(text)),
    "wording": wording,
    "verbatim": verbatim,
    "collapsed": collapsed,
    "blocks": lambda text: [prose.passage(block) for block in prose.blocks(text)],
    "markers": prose.markers,
    "quantities": quantities,
    "query": terms_of,
    "content": content,
    "addresses": addresses,
    "stated": lambda text: list(stated(text, KNOWN)),
    "named": lambda text: list(named(text, KNOWN)),
    "reference": lambda text: reference(text, KNOWN),
    "scoped": lambda text: scoped(text, text),
    "event": event,
    "contrasts": lambda text: contrasts(text, frozenset({"deck"})),
    "question": lambda text: question(text, {}, 9),
    "values": values,
    "frames": lambda text: list(frames(text)),
    "sketch": sketch,
    "other words": lambda text: (plain(text), corrected(text)),
    "other addresses": lambda text: (doi_of(text), arxiv_number(text)),
    "shown": lambda text: (visible(text), visible_line(text), unlinked(text)),
    "retry-after": seconds_of,
}


def is_slow(function: Callable[[str], object], seed: str) -> bool:
    """Whether it takes long, and eight times as long for four times the text, twice."""

    def takes(size: int, most: float) -> float:
        return seconds(function, seed * (size // len(seed)) + "!\n", most)

    if takes(SIZE, BOUND_S) < BOUND_S:
        return False
    # Other work makes the machine slow for both: their proportion, and not the time, tells.
    return all(takes(SIZE, MOST_S) >= min(8 * takes(SIZE // 4, MOST_S), MOST_S) for _ in range(2))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_time_is_linear(name: str) -> None:
    function = FUNCTIONS[name]
    function("Some words. ")  # what is loaded once is no part of it
    slow = [seed for seed in SEEDS if is_slow(function, seed)]
    assert not slow
