"""Passages: what a search looks at and what is quoted from, cut out of a document."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from caveat.adapters.documents.composer import PARAGRAPH_BREAK, PATH_SEPARATOR
from caveat.contracts.source import Snapshot

ENOUGH = 700
FULL = 1_200
"""Characters, 120 to 200 words of English: long enough to hold an answer with its context, short
enough that two query words in one passage have to do with each other."""

_NUMBER = 12  # characters that the number of an item takes before its head

_SENTENCE_END = re.compile(r"(?<=[.!?…。！？])[\"”’)\]]*\s+")


class HeadedText(NamedTuple):
    """One passage: the heading or page above it ("" before the first), its text and its roots."""

    heading: str
    text: str
    held: str = ""


def split_passages(snapshot: Snapshot) -> Iterator[HeadedText]:
    """Split by landmark, then into groups of whole paragraphs; only huge paragraphs are cut."""
    group: list[str] = []
    heading, size = "", 0
    for label, paragraph in _split_paragraphs(snapshot):
        if group and (label != heading or size >= ENOUGH or size + len(paragraph) > FULL):
            yield HeadedText(heading, PARAGRAPH_BREAK.join(group))
            group, size = [], 0
        heading = label
        group.append(paragraph)
        size += len(paragraph)
    if group:
        yield HeadedText(heading, PARAGRAPH_BREAK.join(group))


def _split_paragraphs(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Yield paragraphs with their landmark's label; headings are in the labels already."""
    marks = snapshot.landmarks
    label, following, offset, barren = "", 0, 0, ""
    for paragraph in snapshot.text.split(PARAGRAPH_BREAK):
        opens = False
        while following < len(marks) and marks[following].offset <= offset:
            opens = marks[following].offset == offset
            label = marks[following].label
            following += 1
        is_heading, shared = False, label
        if opens:
            above, _, last = label.rpartition(PATH_SEPARATOR)
            is_heading = last == paragraph
            # Rows and items hold their own heads; one passage for each would part table and list.
            first, tab, _ = paragraph.partition("\t")
            holds_head = last in paragraph[: len(last) + _NUMBER] or (tab and last.endswith(first))
            shared = above if holds_head else label
        if not is_heading:
            if len(paragraph) <= 2 * FULL:
                yield shared, paragraph
            else:
                yield from ((shared, piece) for piece in _cut_paragraph(paragraph))
        barren = label if is_heading else ""
        offset += len(paragraph) + len(PARAGRAPH_BREAK)
    if barren:
        yield barren, barren.split(PATH_SEPARATOR)[-1]


def _cut_paragraph(paragraph: str) -> Iterator[str]:
    """Cut a paragraph of more than two passages between sentences, else between words."""
    piece = ""
    for sentence in _split_sentences(paragraph):
        if piece and len(piece) + len(sentence) > FULL:
            yield piece.strip()
            piece = ""
        piece += sentence
    if piece.strip():
        yield piece.strip()


def _split_sentences(paragraph: str) -> Iterator[str]:
    """Yield sentences with the space behind them; endless ones are cut at white space or hard."""
    start = 0
    ends = [match.end() for match in _SENTENCE_END.finditer(paragraph)]
    for end in [*ends, len(paragraph)]:
        while end - start > FULL:
            cut = paragraph.rfind(" ", start + 1, start + FULL)
            stop = cut + 1 if cut > start else start + FULL
            yield paragraph[start:stop]
            start = stop
        if end > start:
            yield paragraph[start:end]
        start = end
