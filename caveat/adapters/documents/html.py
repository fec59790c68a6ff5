"""HTML to readable text: marks are put around blocks, and the text is taken out at once.

Taking all text out in one call, and only touching block elements one by one, is what makes a
manual of 5 MB take a fraction of a second.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from caveat.adapters.documents.composer import Composer, readable
from caveat.adapters.documents.html_metadata import html_metadata
from caveat.adapters.documents.loaded import Loaded
from caveat.adapters.documents.markup import check_markup
from caveat.rules.sources import is_own_report

_UNSEEN = [
    "script", "style", "noscript", "template", "svg", "iframe", "object", "button", "select",
    "nav", "footer", "aside",
]  # fmt: skip
_FURNITURE = (
    "[role=navigation], [role=banner], [role=contentinfo], [role=search], [hidden], .headerlink, "
    ".toc, .navheader, .navfooter, .docnav, .sphinxsidebar, .breadcrumb, .breadcrumbs, "
    ".mw-editsection, sup.reference"
)
"""What navigates rather than says something, as HTML5, DocBook, Publican, Sphinx and MediaWiki
mark it."""
_BLOCKS = (
    "h1, h2, h3, h4, h5, h6, pre, tr, td, th, p, div, li, dt, dd, section, article, main, "
    "blockquote, figcaption, caption, address, br, hr, ul, ol, dl, table, figure, details, summary"
)
_LEADS = ", ".join(f"li > {each}, li > p > {each}" for each in ("strong", "b", "code", "tt", "var"))
"""What items open with that speak of it: parameters as Sphinx writes them, options, names."""
_LAYOUT = "table, h1, h2, h3, h4, h5, h6, p + p, pre, ul, ol"
"""A table row that holds any of these arranges a page rather than data."""
_MARK = re.compile("\x1e(/?)([a-z0-9]+)\x1f")
_RESERVED = re.compile("[\x1d\x1e\x1f]")
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_CELLS = frozenset({"td", "th"})
_LISTS = frozenset({"dl", "dt", "dd"})
_LINE_BREAK = "\x1d"
_BREAKS = re.compile("\x1d(?:\\s*\x1d)+")


def load_html(text: str) -> Loaded:
    """Read a page without its navigation.

    Raises:
        Unreadable: it nests deeper, or an element has more attributes, than is read.
    """
    check_markup(text)
    tree = LexborHTMLParser(_RESERVED.sub("", text))
    metadata = html_metadata(tree)
    composer = Composer()
    _add_tree(composer, tree)
    snapshot = composer.finish()
    return Loaded(snapshot, metadata, _is_own_report(text, snapshot.text))


def _is_own_report(markup: str, text: str) -> bool:
    """Whether a page is a report of Caveat's own; one that quotes a report, or shows it, is not."""
    if not is_own_report(text):
        return is_own_report(markup)  # a report that only bears the name of a page
    tree = LexborHTMLParser(markup)
    for quotation in tree.css("blockquote, pre"):
        quotation.decompose()
    return tree.body is not None and is_own_report(tree.body.text(separator="\n"))


def add_fragment(composer: Composer, markup: str) -> None:
    """Add a piece of HTML that stands inside another format."""
    _add_tree(composer, LexborHTMLParser(_RESERVED.sub("", markup)))


def _add_tree(composer: Composer, tree: LexborHTMLParser) -> None:
    tree.strip_tags(_UNSEEN)
    body = tree.body
    if body is None:
        return
    for node in body.css(_FURNITURE):
        node.decompose()
    for header in body.css("header"):
        _drop_header(header)
    main = body.css("main, [role=main]")
    root = main[0] if len(main) == 1 else body
    _mark_blocks(root)
    _Reader(composer).read(root.text())


def _drop_header(header: LexborNode) -> None:
    """Drop a header, but keep the headings of one that opens an article."""
    if header.css_first("h1, h2") is None or not _inside_article(header):
        header.decompose()
        return
    for child in header.css("p, div, ul, time, span"):
        if child.css_first("h1, h2") is None:
            child.decompose()


def _inside_article(node: LexborNode) -> bool:
    above = node.parent
    while above is not None and above.tag not in {"article", "main", "section"}:
        above = above.parent
    return above is not None


def _mark_blocks(root: LexborNode) -> None:
    for node in root.css(_BLOCKS):
        tag = node.tag or ""
        if tag == "br":
            node.insert_before(_LINE_BREAK)
        elif tag != "tr" or node.css_first(_LAYOUT) is None:
            node.insert_before(f"\x1e{tag}\x1f")
            node.insert_after(f"\x1e/{tag}\x1f")
    for lead in root.css(_LEADS):
        lead.insert_after("\x1elead\x1f")


@dataclass
class _Reader:
    """Turns marked text into blocks."""

    composer: Composer
    _pieces: list[str] = field(default_factory=list)
    _cells: list[str] | None = None
    _headers: int = 0
    _in_term: bool = False
    _depth: int = 0
    _verbatim: int = 0
    _lead: str = ""

    def read(self, marked: str) -> None:
        for text, closing, tag in _events(marked):
            self._pieces.append(text)
            if self._verbatim or tag == "pre":
                self._in_verbatim(tag, closing=closing)
            elif self._cells is not None or tag == "tr":
                self._in_row(tag, closing=closing)
            elif self._in_term or tag in _LISTS:
                self._in_list(tag, closing=closing)
            elif tag == "lead":
                self._lead = self._lead or "".join(self._pieces)
            else:
                self._flush(int(tag[1]) if closing and tag in _HEADINGS else None)

    def _in_verbatim(self, tag: str, *, closing: bool) -> None:
        if tag != "pre":
            return
        if closing:
            self._verbatim = max(0, self._verbatim - 1)
            self.composer.verbatim(self._take().replace(_LINE_BREAK, "\n"))
        else:
            self._flush(None)
            self._verbatim += 1

    def _in_row(self, tag: str, *, closing: bool) -> None:
        if tag == "tr" and not closing:
            self._flush(None)
            self._cells, self._headers = [], 0
        elif self._cells is not None and closing and tag in _CELLS:
            self._cells.append(readable(self._take().replace(_LINE_BREAK, " ")))
            self._headers += tag == "th"
        elif self._cells is not None and closing and tag == "tr":
            self.composer.row(self._cells, is_named=self._headers < len(self._cells))
            self._cells = None
            self._pieces.clear()
        else:
            self._pieces.append(" ")

    def _in_list(self, tag: str, *, closing: bool) -> None:
        """Take a term whole, whatever blocks it holds; a list ends what its last term names."""
        if tag == "dt" and not closing:
            self._flush(None)
            self._in_term = True
        elif self._in_term and tag in _LISTS:
            self.composer.term(self._take().replace(_LINE_BREAK, " "), self._depth)
            self._in_term = False
        elif self._in_term:
            self._pieces.append(" ")
        else:
            self._flush(None)
        if tag == "dl":
            if closing:
                self.composer.end_terms(self._depth)
            self._depth = max(0, self._depth + (-1 if closing else 1))

    def _flush(self, level: int | None) -> None:
        text, lead = self._take(), self._lead
        self._lead = ""
        if level is not None:
            self.composer.heading(level, text.replace(_LINE_BREAK, " "))
            return
        for paragraph in _BREAKS.split(text):
            self.composer.item(lead, paragraph.replace(_LINE_BREAK, " "))

    def _take(self) -> str:
        text = "".join(self._pieces)
        self._pieces.clear()
        return text


def _events(marked: str) -> Iterator[tuple[str, bool, str]]:
    """Yield each stretch of text with the mark that ends it."""
    pieces = _MARK.split(marked)
    for place in range(0, len(pieces) - 1, 3):
        yield pieces[place], pieces[place + 1] == "/", pieces[place + 2]
    yield pieces[-1], True, "body"
