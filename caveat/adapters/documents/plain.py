"""Text as it is, and tables of values with separators: a row a line, named by its first cell."""

import csv
import itertools
import re

from caveat.adapters.documents.composer import Composer
from caveat.adapters.documents.loaded import Loaded, Metadata, Unreadable
from caveat.adapters.documents.metadata import split_front_matter
from caveat.contracts.source import SourceKind
from caveat.rules.sources import is_own_report

_BULLET = re.compile(r"\s*(?:[-*•‣]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+")
_UNDERLINE = re.compile(r"([=\-~^*#\"'`+])\1{2,}\s*$")
_COLUMNS = re.compile(r"\S(?: {3,}|\t+)\S")


def load_text(text: str) -> Loaded:
    """Read plain text; line wraps inside paragraphs are joined."""
    metadata, body = split_front_matter(text)
    composer = Composer()
    for block in re.split(r"\n[ \t\f]*\n", body):
        add_block(composer, [line for line in block.split("\n") if line.strip()])
    return Loaded(composer.finish(), metadata, is_own_report(text))


def is_underlined(lines: list[str]) -> bool:
    """Whether the first line is a heading: the second is a rule about as long as it."""
    return (
        len(lines) > 1
        and _UNDERLINE.match(lines[1]) is not None
        and _UNDERLINE.match(lines[0]) is None
        and abs(len(lines[1].strip()) - len(lines[0].strip())) <= 2
    )


def add_block(composer: Composer, lines: list[str]) -> None:
    """Add lines without blank ones among them: a heading, a table, or paragraphs."""
    if is_underlined(lines):
        composer.heading(1 if lines[1].startswith(("=", "#", "*")) else 2, lines[0])
        lines = lines[2:]
    if sum(_COLUMNS.search(line) is not None for line in lines) > len(lines) / 2:
        composer.verbatim("\n".join(lines))
        return
    for paragraph in _paragraphs(lines):
        composer.paragraph(" ".join(paragraph))


def _paragraphs(lines: list[str]) -> list[list[str]]:
    """Split a block at its bullets; a list item is a paragraph without its bullet."""
    paragraphs: list[list[str]] = []
    bulleted = bool(lines) and _BULLET.match(lines[0]) is not None
    for line in lines:
        bullet = _BULLET.match(line) if bulleted else None
        if bullet is not None:
            paragraphs.append([line[bullet.end() :]])
        elif paragraphs:
            paragraphs[-1].append(line)
        else:
            paragraphs.append([line])
    return paragraphs


_LOOKED_AT = 10_000
"""Characters by which the separator is told."""

_ROWS_LOOKED_AT = 20
"""Rows by which the names of columns are told from a table of words that has none."""


def load_table(text: str) -> Loaded:
    """Read a table; its first row is taken for the names of its columns where figures are below.

    Raises:
        Unreadable: it is no table.
    """
    try:
        dialect: type[csv.Dialect] = csv.Sniffer().sniff(text[:_LOOKED_AT], delimiters=",;\t|")
    except csv.Error:
        dialect = csv.excel
    composer = Composer()
    try:
        rows = csv.reader(text.splitlines(keepends=True), dialect)
        first = list(itertools.islice(rows, _ROWS_LOOKED_AT))
        for head in first[:1]:
            composer.row(head, is_named=False, names_columns=any(map(_has_figure, first[1:])))
        for row in itertools.chain(first[1:], rows):
            composer.row(row)
    except csv.Error as error:
        raise Unreadable from error
    return Loaded(composer.finish(), Metadata(kind=SourceKind.DATASET), is_own_report(text))


def _has_figure(row: list[str]) -> bool:
    return any(char.isdigit() for cell in row for char in cell)
