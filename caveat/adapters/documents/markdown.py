"""Markdown, written as HTML so that no markup is left inside sentences; and Jupyter notebooks."""

import json
import re
from functools import lru_cache
from typing import Any

from pyromark import Markdown, Options

from caveat.adapters.documents.composer import Composer
from caveat.adapters.documents.html import add_fragment
from caveat.adapters.documents.loaded import Metadata, Unreadable
from caveat.adapters.documents.metadata import parse_title, split_front_matter

_PARSER = Markdown(
    options=Options.ENABLE_TABLES | Options.ENABLE_STRIKETHROUGH | Options.ENABLE_FOOTNOTES
)


def load_markdown(composer: Composer, text: str) -> Metadata:
    """Read CommonMark with tables."""
    metadata, fields, body = split_front_matter(text)
    composer.add_fields(fields)
    add_markdown(composer, body)
    return metadata


@lru_cache(1)  # what is read is accounted for next
def render_markdown(text: str) -> str:
    return _PARSER.html(_ENDED.sub(r"\n\1\\.", text))


def add_markdown(composer: Composer, text: str) -> None:
    """Add a piece of Markdown, which may stand inside another format; its footnotes come last."""
    markup = render_markdown(text)
    add_fragment(composer, _FOOTNOTE.sub("", markup))
    if notes := _FOOTNOTE.findall(markup):
        composer.leave_headings()
        add_fragment(composer, "".join(notes))


_FOOTNOTE = re.compile(r'<div class="footnote-definition".*?</div>\n?', re.DOTALL)


_ENDED = re.compile(r"\n(?<=\S\n)([ \t]*\d+)\.[ \t]*$", re.MULTILINE)
"""A number that ends a sentence on a line of its own, and begins no item: "31 July⏎2012."."""


def load_notebook(composer: Composer, text: str) -> Metadata:
    try:
        book = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable from error
    for number, cell in enumerate(list_cells(book), start=1):
        if not isinstance(cell, dict):
            composer.losses.append(f"cell {number}: no cell")
            continue
        source = _join_lines(cell.get("source"))
        if cell.get("cell_type") == "markdown":
            add_markdown(composer, source)
            continue
        composer.add_verbatim(source)
        for output in cell.get("outputs") or ():
            if isinstance(output, dict) and (kind := _add_output(composer, output)):
                composer.losses.append(f"cell {number}: an output of the type {kind}")
    stated = book.get("metadata")
    facts = stated if isinstance(stated, dict) else {}
    title, authors = facts.get("title"), facts.get("authors")
    named = [each.get("name") for each in authors or () if isinstance(each, dict)]
    return Metadata(
        title=parse_title(title) if isinstance(title, str) else None,
        authors=tuple(name for name in named if isinstance(name, str)),
    )


def list_cells(book: Any) -> list[Any]:
    """Return the cells of a notebook; those of before 2015 had sheets, and are not read."""
    cells = book.get("cells") if isinstance(book, dict) else None
    if not isinstance(cells, list):
        raise Unreadable
    return cells


def _add_output(composer: Composer, output: dict[str, Any]) -> str:
    """Add what a cell showed, as text where it says so; return the type of what has no words."""
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
    else:
        return min(data, default="")
    return ""


_PLAIN = {"text/plain"}


def _join_lines(value: Any) -> str:
    """Return multi-line text, which the format keeps as one string or as a list of lines."""
    lines = value if isinstance(value, list) else [value]
    return "".join(line for line in lines if isinstance(line, str))
