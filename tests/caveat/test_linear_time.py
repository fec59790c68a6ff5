"""Whatever a stranger repeats, reading it takes time in proportion.

Functions that take text of documents, pages or models apart are given one short piece again and
again. What reads documents is not among them: the reader's process bounds it.
"""

import gc
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import pytest

from caveat.adapters.documents import metadata
from caveat.adapters.documents.passages import split_passages
from caveat.adapters.http.failures import parse_retry_after
from caveat.adapters.text.question import list_terms, parse_question
from caveat.contracts.source import Snapshot
from caveat.quantities.dates import find_dates
from caveat.quantities.numerals import find_numerals
from caveat.quantities.reading import find_quantities, find_values
from caveat.rendering.visible import escape_markdown, sanitize_line, sanitize_text
from caveat.roles.data import find_addresses
from caveat.rules.evidence.copies import sketch
from caveat.rules.lines import collapse_spaces
from caveat.rules.sources.elsewhere import find_arxiv_id, find_doi, suggest_query
from caveat.rules.sources.identity import normalise_url, parse_host
from caveat.rules.sources.own_reports import is_own_report
from caveat.rules.text import prose
from caveat.rules.text.sentences import split_sentences
from caveat.rules.text.wording import normalise_typography, normalise_wording, tokenise
from caveat.rules.text.words import list_content_words

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


FUNCTIONS: dict[str, Callable[[str], object]] = {
    "passages": lambda text: list(split_passages(Snapshot(text=text))),
    "day": metadata.parse_date,
    "title": metadata.parse_title,
    "url": metadata.parse_url,
    "kind": metadata.parse_kind,
    "citations": metadata.parse_count,
    "own report": is_own_report,
    "own report, as a page": lambda text: is_own_report("\n\n".join(text.split("\n"))),
    "address": normalise_url,
    "host": parse_host,
    "sentences": split_sentences,
    "tokens": lambda text: list(tokenise(text)),
    "wording": normalise_wording,
    "verbatim": normalise_typography,
    "collapsed": collapse_spaces,
    "blocks": lambda text: [prose.build_plain_block(block) for block in prose.split_blocks(text)],
    "markers": prose.find_markers,
    "quantities": find_quantities,
    "query": list_terms,
    "content": list_content_words,
    "addresses": find_addresses,
    "question": lambda text: parse_question(text, {}, 9),
    "values": find_values,
    "sketch": sketch,
    "other words": suggest_query,
    "other addresses": lambda text: (find_doi(text), find_arxiv_id(text)),
    "shown": lambda text: (sanitize_text(text), sanitize_line(text), escape_markdown(text)),
    "retry-after": parse_retry_after,
    "dates": lambda text: list(find_dates(text, "ru")),
    "numerals": lambda text: find_numerals(text, "de"),
}


class Slow(BaseException):
    """Beyond the bound."""


def seconds(function: Callable[[str], object], text: str, most: float) -> float:
    """Processor time of a call, which other work on the machine hardly changes; `most` at most."""
    started = time.process_time()
    try:
        with _stopped_after(most), suppress(RecursionError):
            function(text)
    except Slow:
        return most
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # `Slow`, raised in what Rust calls back
            raise
        return most
    return time.process_time() - started


@contextmanager
def _stopped_after(most: float) -> Iterator[None]:
    def bell(_: int, __: FrameType | None) -> None:
        raise Slow

    before = signal.signal(signal.SIGVTALRM, bell)
    gc.disable()  # what is raised in a callback of the collector is lost
    signal.setitimer(signal.ITIMER_VIRTUAL, most)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        gc.enable()
        signal.signal(signal.SIGVTALRM, before)


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
