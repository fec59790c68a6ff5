"""Markdown by its tokens, so that no markup is left inside sentences; and Jupyter notebooks."""

import json
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from caveat.adapters.documents.composer import Composer
from caveat.adapters.documents.html import add_fragment
from caveat.adapters.documents.loaded import Loaded, Metadata, Unreadable
from caveat.adapters.documents.metadata import split_front_matter, title_of
from caveat.rules.sources import is_own_report

_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def load_markdown(text: str) -> Loaded:
    """Read CommonMark with tables; a table's row is a line of cells, code a block of its own."""
    metadata, body = split_front_matter(text)
    composer = Composer()
    add_markdown(composer, body)
    return Loaded(composer.finish(), metadata, is_own_report(text))


def add_markdown(composer: Composer, text: str) -> None:
    """Add a piece of Markdown that stands inside another format."""
    tokens = iter(_PARSER.parse(text))
    in_head = False
    for token in tokens:
        in_head = token.type == "thead_open" or (in_head and token.type != "thead_close")
        _add(composer, token, tokens, in_head=in_head)


def _add(composer: Composer, token: Token, tokens: Iterator[Token], *, in_head: bool) -> None:
    """Add one block; headings and rows take their inner tokens from the stream."""
    if token.type == "heading_open":
        composer.heading(int(token.tag[1]), _inline(next(tokens)))
    elif token.type == "tr_open":
        composer.row(_cells(tokens), is_named=not in_head)
    elif token.type == "inline":
        composer.item(_lead(token), _inline(token))
    elif token.type in {"fence", "code_block"}:
        composer.verbatim(token.content)
    elif token.type == "html_block":
        add_fragment(composer, token.content)


def _cells(tokens: Iterator[Token]) -> Iterator[str]:
    for token in tokens:
        if token.type == "tr_close":
            return
        if token.type == "inline":
            yield _inline(token)


def _inline(token: Token) -> str:
    return "".join(_pieces(token.children or ()))


def _lead(token: Token) -> str:
    """Return the strong or code words that a paragraph opens with."""
    children = [each for each in token.children or () if each.type != "text" or each.content]
    if children and children[0].type == "code_inline":
        return children[0].content
    if not children or children[0].type != "strong_open":
        return ""
    strong = takewhile(lambda each: each.type != "strong_close", children)
    return "".join(_pieces(strong))


def _pieces(children: Iterable[Token]) -> Iterator[str]:
    for child in children:
        if child.type in {"text", "code_inline", "image"}:
            yield child.content
        elif child.type in {"softbreak", "hardbreak"}:
            yield " "


def load_notebook(text: str) -> Loaded:
    """Read a notebook.

    Raises:
        Unreadable: it is none.
    """
    try:
        book = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable from error
    cells = book.get("cells") if isinstance(book, dict) else None
    if not isinstance(cells, list):
        raise Unreadable
    composer = Composer()
    for cell in cells:
        if isinstance(cell, dict):
            _add_cell(composer, cell)
    snapshot = composer.finish()
    stated = book.get("metadata")
    title = stated.get("title") if isinstance(stated, dict) else None
    metadata = Metadata(title=title_of(title) if isinstance(title, str) else None)
    return Loaded(snapshot, metadata, is_own_report(snapshot.text))


def _add_cell(composer: Composer, cell: dict[str, Any]) -> None:
    source = _lines(cell.get("source"))
    if cell.get("cell_type") == "markdown":
        add_markdown(composer, source)
        return
    composer.verbatim(source)
    for output in cell.get("outputs") or ():
        if isinstance(output, dict):
            data = output.get("data")
            shown = data.get("text/plain") if isinstance(data, dict) else output.get("text")
            composer.verbatim(_lines(shown))


def _lines(value: Any) -> str:
    """Return multi-line text, which the format keeps as one string or as a list of lines."""
    lines = value if isinstance(value, list) else [value]
    return "".join(line for line in lines if isinstance(line, str))
