"""Markdown, written as HTML so that no markup is left inside sentences; and Jupyter notebooks."""

import json
import re
from collections.abc import Iterator
from typing import Any

from pyromark import Markdown, Options

from caveat.adapters.documents.composer import Composer
from caveat.adapters.documents.html import add_fragment
from caveat.adapters.documents.loaded import Loaded, Metadata, Unreadable
from caveat.adapters.documents.metadata import parse_title, split_front_matter
from caveat.rules.sources import is_own_report

_PARSER = Markdown(options=Options.ENABLE_TABLES | Options.ENABLE_STRIKETHROUGH)


def load_markdown(text: str) -> Loaded:
    """Read CommonMark with tables."""
    metadata, fields, body = split_front_matter(text)
    composer = Composer()
    composer.add_fields(fields)
    add_markdown(composer, body)
    return Loaded(composer.finish(), metadata)


def add_markdown(composer: Composer, text: str) -> None:
    """Add a piece of Markdown, which may stand inside another format."""
    heads = "" if _HEADING.search(text) else " "
    markup = _PARSER.html(_ODD.sub(lambda odd: _mend(odd, heads), text))
    add_fragment(composer, _SPACED.sub(r"<strong>\1</strong>", markup))


_HEADING = re.compile(r"^#{1,6}[ \t]+\S", re.MULTILINE)
ATTRIBUTES = r"[ \t]*\{:[ \t]*(?:[.#]|[\w-]+=)[^{}\n]*\}[ \t]*$"
_ODD = re.compile(
    r"^ {0,3}(```|~~~).*?(?:^ {0,3}\1|\Z)|^ {0,3}<table\b.*?</table>|"
    r"(?:^[ \t]*<tr\b.*?</tr>\s*)+|^#{2,6}(?=[^\s#])|"
    rf"^ {{0,3}}<(?:span|font|small|strong|em|b|i|u)\b[^<>\n]*>[ \t]*\n(?=\S)|{ATTRIBUTES}",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
"""What CommonMark does not read as it is meant: set in rows of a table, headings without a space in
a file that has no others, a line that only opens an element, attributes; and code, which stays."""
_SPACED = re.compile(r"(?<![^\s>])\*\*(?=\S)([^*<>\n]*[^*<>\s])\s+\*\*(?!\S)")  # "**All ** of it"


def _mend(odd: re.Match[str], heads: str) -> str:
    if odd[1]:
        return odd[0]
    if odd[0].endswith(">\n"):
        return odd[0].rstrip()
    if "<" in odd[0]:
        rows = re.sub(r"^[ \t]+(?=<)", "", odd[0], flags=re.MULTILINE)
        return rows if rows.startswith("<table") else f"\n<table>{rows}</table>\n\n"
    return f"{odd[0]}{heads}" if odd[0].startswith("#") else ""


def load_notebook(text: str) -> Loaded:
    """Read a notebook."""
    try:
        book = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable from error
    composer = Composer()
    losses = [
        f"cell {number}: {loss}"
        for number, cell in enumerate(list_cells(book), start=1)
        for loss in (_add_cell(composer, cell) if isinstance(cell, dict) else ["no cell"])
    ]
    snapshot = composer.finish()
    stated = book.get("metadata")
    facts = stated if isinstance(stated, dict) else {}
    title, authors = facts.get("title"), facts.get("authors")
    named = [each.get("name") for each in authors or () if isinstance(each, dict)]
    metadata = Metadata(
        title=parse_title(title) if isinstance(title, str) else None,
        authors=tuple(name for name in named if isinstance(name, str)),
    )
    return Loaded(snapshot, metadata, is_own_report(snapshot.text), tuple(losses))


def list_cells(book: Any) -> list[Any]:
    """Return the cells of a notebook; those of before 2015 stand on sheets."""
    sheets = book.get("worksheets", [book]) if isinstance(book, dict) else []
    lists = [sheet["cells"] for sheet in sheets if isinstance(sheet, dict) and "cells" in sheet]
    if not lists or not all(isinstance(each, list) for each in lists):
        raise Unreadable
    return [cell for each in lists for cell in each]


def _add_cell(composer: Composer, cell: dict[str, Any]) -> Iterator[str]:
    source = _join_lines(cell.get("source") or cell.get("input"))
    if cell.get("cell_type") == "markdown":
        add_markdown(composer, source)
        return
    composer.add_verbatim(source)
    for output in cell.get("outputs") or ():
        if isinstance(output, dict):
            yield from _add_output(composer, output)


def _add_output(composer: Composer, output: dict[str, Any]) -> Iterator[str]:
    """Add what a cell showed, as text where it says so, and name what has no words."""
    data = output.get("data")
    if not isinstance(data, dict):
        error = ": ".join(
            filter(None, map(_join_lines, (output.get("ename"), output.get("evalue"))))
        )
        composer.add_verbatim(_join_lines(output.get("text")) or error)
    elif (shown := _join_lines(data.get("text/plain"))) and not (
        shown.startswith("<") and any(each.startswith("text/") for each in data.keys() - _PLAIN)
    ):  # it names the object that another form shows
        composer.add_verbatim(shown)
    elif shown := _join_lines(data.get("text/markdown")):
        add_markdown(composer, shown)
    elif shown := _join_lines(data.get("text/html")):
        add_fragment(composer, shown)
    elif shown := _join_lines(data.get("text/latex")):
        composer.add_verbatim(shown)
    elif data:
        yield f"an output of the type {min(data)}"


_PLAIN = {"text/plain"}


def _join_lines(value: Any) -> str:
    """Return multi-line text, which the format keeps as one string or as a list of lines."""
    lines = value if isinstance(value, list) else [value]
    return "".join(line for line in lines if isinstance(line, str))
