"""Markdown by its tokens, so that no markup is left inside sentences."""

from collections.abc import Iterable, Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from caveat.adapters.corpus.composer import Composer
from caveat.adapters.corpus.front_matter import split_front_matter
from caveat.adapters.corpus.html import add_fragment
from caveat.adapters.corpus.loaded import Loaded
from caveat.rules.own_reports import is_own_report

_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def load_markdown(text: str) -> Loaded:
    """Read CommonMark with tables; a table's row is a line of cells, code a block of its own."""
    metadata, body = split_front_matter(text)
    composer = Composer()
    tokens = iter(_PARSER.parse(body))
    for token in tokens:
        _add(composer, token, tokens)
    return Loaded(composer.finish(), metadata, is_own_report(text))


def _add(composer: Composer, token: Token, tokens: Iterator[Token]) -> None:
    """Add one block; headings and rows take their inner tokens from the stream."""
    if token.type == "heading_open":
        composer.heading(int(token.tag[1]), _inline(next(tokens)))
    elif token.type == "tr_open":
        composer.paragraph(" | ".join(_cells(tokens)))
    elif token.type == "inline":
        composer.paragraph(_inline(token))
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


def _pieces(children: Iterable[Token]) -> Iterator[str]:
    for child in children:
        if child.type in {"text", "code_inline", "image"}:
            yield child.content
        elif child.type in {"softbreak", "hardbreak"}:
            yield " "
