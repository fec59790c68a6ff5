"""Tables of comma- or tab-separated values: a row for each line, named by its first cell."""

import csv
import itertools

from caveat.adapters.documents.composer import Composer
from caveat.adapters.documents.loaded import Loaded, Metadata, Unreadable
from caveat.contracts.source import SourceKind
from caveat.rules.sources import is_own_report

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
