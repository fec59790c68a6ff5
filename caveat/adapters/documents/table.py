"""Tables of comma- or tab-separated values: a row for each line, named by its first cell."""

import csv
import itertools

from caveat.adapters.documents.composer import Composer
from caveat.adapters.documents.loaded import Loaded, Metadata, Unreadable
from caveat.contracts.source import SourceKind
from caveat.rules.sources import is_own_report

_LOOKED_AT = 10_000
"""Characters by which the separator is told."""


def load_table(text: str) -> Loaded:
    """Read a table; its first row is taken for the names of its columns.

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
        for head in itertools.islice(rows, 1):
            composer.row(head, is_named=False)
        for row in rows:
            composer.row(row)
    except csv.Error as error:
        raise Unreadable from error
    return Loaded(composer.finish(), Metadata(kind=SourceKind.DATASET), is_own_report(text))
