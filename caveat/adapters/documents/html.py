"""HTML to readable text: marks are put around blocks, and the text is taken out at once.

Taking all text out in one call, and only touching block elements one by one, is what makes a
manual of 5 MB take a fraction of a second. What no page needs takes parsers minutes, and is not
parsed at all.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from caveat.adapters.documents.composer import Composer, readable
from caveat.adapters.documents.loaded import Loaded, Metadata, Unreadable, Why
from caveat.adapters.documents.metadata import date_of, known_kind_of, title_of, url_of
from caveat.contracts.source import SourceKind
from caveat.rules.sources import is_own_report

_UNSEEN = (
    "script, style, noscript, template, svg, iframe, object, button, select, nav, footer, aside, "
    "[role=navigation], [role=banner], [role=contentinfo], [role=search], [hidden], .headerlink, "
    ".toc, .navheader, .navfooter, .docnav, .sphinxsidebar, .breadcrumb, .breadcrumbs, "
    ".mw-editsection, sup.reference, [role=doc-noteref], [role=doc-backlink], .footnote-ref, "
    "sup:has(> a[href^='#']), a[href^='#'] > sup"
)
"""What is not shown, and what navigates rather than says something, as HTML5, DocBook, Publican,
Sphinx and MediaWiki mark it. The number of a footnote would be taken for digits of the text."""
_BLOCKS = """
    h1 h2 h3 h4 h5 h6 pre tr td th p div li dt dd section article main blockquote figcaption caption
    address br hr ul ol dl table figure details summary
"""
_LEADS = frozenset({"strong", "b", "code", "tt", "var"})
"""What items open with that speak of it: parameters as Sphinx writes them, options, names."""
_LAYOUT = "table, h1, h2, h3, h4, h5, h6, p + p, pre, ul, ol"
"""A table row that holds any of these arranges a page rather than data."""
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_CELLS = frozenset({"td", "th"})
_LISTS = frozenset({"dl", "dt", "dd"})
_MARKED = {tag: (f"\x1e{tag}\x1f", f"\x1e/{tag}\x1f") for tag in _BLOCKS.split()}
_SEEN = _LEADS | {"sup"} | set(_MARKED)
_PLAIN = frozenset(_MARKED) - {"pre", "tr", *_LISTS}
"""Those that only end a paragraph where they stand in prose."""
_EVENTS = {
    mark: (mark.startswith("/"), mark.removeprefix("/"))
    for tag in (*_MARKED, "lead")
    for mark in (tag, f"/{tag}")
}
"""What a mark says: whether it closes, and which element."""
_LINE_BREAK = "\x1d"
_BREAKS = re.compile("\x1d(?:\\s*\x1d)+")

_DEPTH = 1_000
"""Blocks inside one another; browsers stop at 512, and generated manuals stay under a hundred."""
_ATTRIBUTES = 1_000
"""Of one element; a table's cell of a spreadsheet has some twenty."""

_BLOCK = re.compile(
    r"<(/?)(?:div|section|article|span|table|ul|ol|dl|blockquote|center)\b", re.IGNORECASE
)
"""Elements that are closed by hand; those that HTML closes by itself do not nest."""
_LONG_TAG = re.compile(r"<[a-z][^<>]{4000,}", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"\s[^\s=<>]+")


def load_html(text: str) -> Loaded:
    """Read a page without its navigation.

    Raises:
        Unreadable: it nests deeper, or an element has more attributes, than is read.
    """
    _check_markup(text)
    tree = _parsed(text)
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
    _add_tree(composer, _parsed(markup))


def _parsed(markup: str) -> LexborHTMLParser:
    """Parse what has none of the characters that mark blocks here."""
    for reserved in "\x1d\x1e\x1f":
        if reserved in markup:  # looked for in a tenth of the time that replacing none takes
            markup = markup.replace(reserved, "")
    return LexborHTMLParser(markup)


def _add_tree(composer: Composer, tree: LexborHTMLParser) -> None:
    body = tree.body
    if body is None:
        return
    for node in reversed(body.css(_UNSEEN)):  # what is inside another one goes first
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


_NOTE = re.compile(r"\s*\d{1,3}(?:\s*[,–-]\s*\d{1,3}){0,9}\s*")
_SENTENCE_PART = re.compile(r"(?:[^\W\d_]{2}|\d{4})[.,;:!?”\"]\Z")


def _drop_note(node: LexborNode) -> None:
    """Drop the number of a footnote behind the end of a sentence or a part of one."""
    before = node.prev
    if before is None or before.tag != "-text" or not _NOTE.fullmatch(node.text()):
        return
    if _SENTENCE_PART.search(before.text()[-40:]):
        node.decompose()


def _mark_blocks(root: LexborNode) -> None:
    # One walk takes half the time of the two queries that would find the same.
    for node in [each for each in root.traverse() if each.tag in _SEEN]:
        tag = node.tag or ""
        if tag == "br":
            node.insert_before(_LINE_BREAK)
        elif tag == "sup":
            _drop_note(node)
        elif tag in _LEADS:
            if _opens_item(node):
                node.insert_after("\x1elead\x1f")
        elif tag != "tr" or node.css_first(_LAYOUT) is None:
            before, behind = _MARKED[tag]
            node.insert_before(before)
            node.insert_after(behind)


def _opens_item(node: LexborNode) -> bool:
    above = node.parent
    if above is not None and above.tag == "p":
        above = above.parent
    return above is not None and above.tag == "li"


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
        text, *rest = marked.split("\x1e")
        for piece in rest:
            mark, _, following = piece.partition("\x1f")
            event = _EVENTS.get(mark)
            if event is None:  # a control character that the page wrote as a reference
                self._pieces.append(text)
                text = piece
                continue
            self._take_in(text, *event)
            text = following
        self._take_in(text, True, "body")  # noqa: FBT003  # it closes

    def _take_in(self, text: str, closing: bool, tag: str) -> None:  # noqa: FBT001  # of every block
        """Add a stretch of text with the mark that ends it."""
        if not text or text.isspace():
            is_prose = self._cells is None and not self._in_term and not self._verbatim
            if is_prose and tag in _PLAIN and not self._pieces:  # as at three of four marks
                self._lead = ""
                return
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
        if not text or text.isspace():
            return
        if level is not None:
            self.composer.heading(level, text.replace(_LINE_BREAK, " "))
        elif _LINE_BREAK not in text:
            self.composer.item(lead, text)
        else:
            for paragraph in _BREAKS.split(text):
                self.composer.item(lead, paragraph.replace(_LINE_BREAK, " "))

    def _take(self) -> str:
        if not self._pieces:
            return ""
        text = self._pieces[0] if len(self._pieces) == 1 else "".join(self._pieces)
        self._pieces.clear()
        return text


def _check_markup(text: str) -> None:
    """Let markup through that a person's page could have.

    Raises:
        Unreadable: it nests deeper, or an element has more attributes, than is read.
    """
    depth = 0
    tags = _BLOCK.findall(text)
    for slash in tags if len(tags) > _DEPTH else ():
        depth = max(0, depth + (-1 if slash else 1))
        if depth > _DEPTH:
            raise Unreadable(f"nests more than {_DEPTH:,} elements in one another", Why.TOO_LARGE)
    check_attributes(text)


def check_attributes(text: str) -> None:
    """Let through what has no element with thousands of attributes.

    Raises:
        Unreadable: one has.
    """
    for tag in _LONG_TAG.finditer(text):
        if sum(1 for _ in _ATTRIBUTE.finditer(tag.group())) > _ATTRIBUTES:
            said = f"has an element with more than {_ATTRIBUTES:,} attributes"
            raise Unreadable(said, Why.TOO_LARGE)


_TITLES = ("citation_title", "og:title", "dc.title", "dcterms.title")
_URLS = ("citation_doi", "dc.identifier", "dcterms.identifier", "prism.doi")
_DATES = (
    "citation_publication_date", "citation_date", "citation_online_date", "citation_year",
    "article:published_time", "datepublished", "dc.date.issued", "dcterms.issued", "dc.date",
    "dcterms.date", "dcterms.created", "og:published_time", "date",
)  # fmt: skip
_KINDS = ("dc.type", "dcterms.type", "citation_type", "kind")
_GENERATORS = re.compile(
    r"docutils|sphinx|docbook|publican|mkdocs|doxygen|docusaurus|antora|texinfo|makeinfo|javadoc|"
    r"asciidoctor|mdbook",
    re.IGNORECASE,
)
"""Programs that make manuals and nothing else."""
_PREPRINT_SERVERS = frozenset(
    {"arxiv", "biorxiv", "medrxiv", "chemrxiv", "ssrn", "research square"}
)
_DEPTH_LIMIT = 6
"""Levels of JSON-LD that are looked at; real pages use two or three."""


def html_metadata(tree: LexborHTMLParser) -> Metadata:
    """Read `<title>`, `meta` elements (Highwire, Dublin Core, Open Graph), canonical, JSON-LD."""
    meta = _meta(tree)
    linked = list(_linked_data(tree))
    return Metadata(
        title=_title(tree, meta),
        url=_url(tree, meta),
        published=next(
            (day for day in map(date_of, _dates(meta, linked)) if day is not None), None
        ),
        kind=_kind(meta, linked),
    )


def _meta(tree: LexborHTMLParser) -> dict[str, str]:
    """Map names (in lower case) to contents; the first of a name wins."""
    found: dict[str, str] = {}
    for node in tree.css("meta[content]"):
        values = node.attributes
        name = values.get("name") or values.get("property") or values.get("itemprop") or ""
        content = (values.get("content") or "").strip()
        if content:
            found.setdefault(name.strip().lower(), content)
    return found


def _title(tree: LexborHTMLParser, meta: dict[str, str]) -> str | None:
    node = tree.css_first("head > title") or tree.css_first("title")
    heading = tree.css_first("h1")
    candidates = [
        *(meta[name] for name in _TITLES if name in meta),
        node.text() if node is not None else "",
        heading.text() if heading is not None else "",
    ]
    return next((title for title in map(title_of, candidates) if title), None)


def _url(tree: LexborHTMLParser, meta: dict[str, str]) -> str | None:
    canonical = tree.css_first("link[rel=canonical]")
    candidates = [
        *(meta[name] for name in _URLS if name in meta),
        (canonical.attributes.get("href") or "") if canonical is not None else "",
        meta.get("og:url", ""),
        meta.get("citation_public_url", ""),
    ]
    return next((url for url in map(url_of, candidates) if url), None)


def _dates(meta: dict[str, str], linked: list[dict[str, object]]) -> Iterator[str]:
    yield from (meta[name] for name in _DATES if name in meta)
    stated = (thing.get("datePublished") for thing in linked)
    yield from (date for date in stated if isinstance(date, str))


def _kind(meta: dict[str, str], linked: list[dict[str, object]]) -> SourceKind:
    journal = meta.get("citation_journal_title", "").lower()
    if "citation_arxiv_id" in meta or journal in _PREPRINT_SERVERS:
        return SourceKind.PREPRINT
    if journal or "citation_conference_title" in meta:
        return SourceKind.PEER_REVIEWED
    types = [meta[name] for name in _KINDS if name in meta]
    # Schema.org's plain "Article" may be anything, where "article" in front matter is a paper.
    types += [t for t in _types(linked) if t != "Article"]
    stated = next((kind for kind in map(known_kind_of, types) if kind is not None), None)
    if stated is not None:
        return stated
    is_manual = _GENERATORS.search(meta.get("generator", "")) is not None
    return SourceKind.DOCUMENTATION if is_manual else SourceKind.UNKNOWN


def _types(linked: list[dict[str, object]]) -> Iterator[str]:
    for thing in linked:
        stated = thing.get("@type")
        for name in stated if isinstance(stated, list) else [stated]:
            if isinstance(name, str):
                yield name


def _linked_data(tree: LexborHTMLParser) -> Iterator[dict[str, object]]:
    for node in tree.css("script[type='application/ld+json']"):
        try:
            found = json.loads(node.text())
        except (ValueError, RecursionError):
            continue
        yield from _things(found, _DEPTH_LIMIT)


def _things(found: object, depth: int) -> Iterator[dict[str, object]]:
    """Yield the objects that describe the page itself: top level, lists and `@graph`."""
    if isinstance(found, list) and depth:
        for item in found:
            yield from _things(item, depth - 1)
    elif isinstance(found, dict):
        yield found
        yield from _things(found.get("@graph"), depth - 1) if depth else ()
