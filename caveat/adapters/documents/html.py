"""HTML to readable text: marks are put around blocks, and the text is taken out at once.

Taking all text out in one call, and only touching block elements one by one, is what makes a
manual of 5 MB take a fraction of a second. Most other formats are written as HTML first, so that
they are read the same way.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from caveat.adapters.documents.composer import (
    HEADING_LIMIT,
    SUBSCRIPT,
    SUPERSCRIPT,
    Composer,
    Covered,
    clean_text,
    format_inset,
    format_scripts,
)
from caveat.adapters.documents.loaded import OWN_REPORT, Metadata, Unreadable, Why
from caveat.adapters.documents.metadata import FieldNames, parse_date, parse_kind, parse_metadata
from caveat.contracts.source import SourceKind
from caveat.rules.lines import build_word_list
from caveat.rules.sources.own_reports import is_own_report

NUMBER, ASIDE = "data-caveat-number", "data-caveat-aside"
"""Attributes by which loaders that write HTML say the number of an item, and what a section is that
stands beside the text."""

_UNSEEN = (
    "script, style, template, iframe, nav, "
    "[role=navigation], [role=search], [hidden], annotation, annotation-xml, .headerlink, "
    ".toc, .navheader, .navfooter, .docnav, .sphinxsidebar, .breadcrumb, .breadcrumbs, "
    ".field-list .colon, .footnote > .label, .citation > .label, .mw-editsection, sup.reference, "
    ".footnote-definition-label, "
    "[role=doc-noteref], [role=doc-backlink]:not(.toc-backref), .footnote-ref, "
    "sup:has(> a[href^='#']), a[href^='#'] > sup"
)
"""What is not shown, and what navigates rather than says something, as HTML5, DocBook, Publican,
Sphinx and MediaWiki mark it. The number of a footnote would be taken for digits of the text."""
_FURNITURE = (
    "header, footer, aside:not(.admonition, .footnote-list, [role^=doc-]), [role=banner], "
    "[role=contentinfo]"
)
"""What stands around the text of a page: a manual's leads to its other pages, a shop's says where
it is and who runs it."""
_BLOCKS = frozenset(
    build_word_list(
        "h1 h2 h3 h4 h5 h6 pre tr td th p div li dt dd section article main blockquote figcaption",
        "caption address hr ul ol dl table figure details summary header footer aside svg select",
    )
)
_STRUCTURE = "table, h1, h2, h3, h4, h5, h6, pre"
_LAYOUT = f"{_STRUCTURE}, p + p, ul, ol"
"""A table row that holds any of these arranges a page rather than data."""
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_BESIDE = frozenset({"section", "blockquote"})
"""What may say that it stands beside the text, and as what."""
_CELLS = frozenset({"td", "th"})
_LINE_BREAK = "\x1d"
_BREAKS = re.compile("\x1d(?:\\s*\x1d)+")
_WIDEST, _LONGEST = 100, 1_000
"""Columns and rows that a cell spans at most, as HTML bounds them to some thousands."""


def load_html(composer: Composer, text: str, *, has_furniture: bool = True) -> Metadata:
    """Read a page without its navigation.

    Args:
        has_furniture: whether what stands around its text is read too, where that is no manual's.
    """
    tree = _parse_html(text)
    metadata = read_html_metadata(tree)
    has_furniture = has_furniture and metadata.kind is not SourceKind.DOCUMENTATION
    _add_tree(composer, tree, has_furniture=has_furniture)
    if _is_own_report(text, composer.finish().text):
        raise Unreadable(OWN_REPORT, Why.OWN_REPORT)
    return metadata


def _is_own_report(markup: str, text: str) -> bool:
    """Whether a page is a report of Caveat's own; one that quotes a report, or shows it, is not."""
    if not is_own_report(text):
        return is_own_report(markup)  # a report that only bears the name of a page
    tree = LexborHTMLParser(markup)
    for quotation in tree.css("blockquote, pre"):
        quotation.decompose()
    return tree.body is not None and is_own_report(tree.body.text(separator="\n"))


def list_shown_words(markup: str) -> Iterator[tuple[str, str]]:
    """Yield all text of a page but what is not shown or navigates, its main part first."""
    body = LexborHTMLParser(markup).body
    if body is None:  # of a page of frames
        return
    hidden = [node.text(separator=" ") for node in body.css("[hidden]:not(script, style, nav)")]
    frames = [node.attributes["srcdoc"] or "" for node in body.css("iframe[srcdoc]")]
    yield "what it hides", " ".join(hidden)
    yield "a frame", re.sub(r"<[^<>]*>", " ", " ".join(frames))
    _leave_out(body, has_furniture=True)
    yield "its pictures", " ".join(map(_show_alternative, body.css("img, area")))
    roots = _find_roots(body)
    yield "", " ".join(root.text(separator=" ") for root in roots)
    if roots[0].mem_id != body.mem_id:
        for root in roots:
            root.decompose()
        for node in reversed(body.css("a[href], [role=menu]")):
            node.decompose()
        yield "beside its main part", body.text(separator=" ")


def add_fragment(composer: Composer, markup: str) -> None:
    """Add a piece of HTML that stands inside another format, or that another one was written as."""
    _add_tree(composer, _parse_html(markup), has_furniture=True)


def _parse_html(markup: str) -> LexborHTMLParser:
    """Parse a page without the characters that mark blocks here."""
    for reserved in "\x11\x12\x13\x14\x1d":
        if reserved in markup:  # looked for in a tenth of the time that replacing none takes
            markup = markup.replace(reserved, "")
    try:
        return LexborHTMLParser(markup)
    except SelectolaxError as error:  # its word for memory that it is not given
        raise MemoryError from error


def _add_tree(composer: Composer, tree: LexborHTMLParser, *, has_furniture: bool) -> None:
    body = tree.body
    if body is None:
        return
    _leave_out(body, has_furniture=has_furniture)
    roots = _find_roots(body)
    for root in roots:
        if len(roots) > 1:
            composer.leave_headings()
        _Reader(composer).read(root)


def _leave_out(body: LexborNode, *, has_furniture: bool) -> None:
    for node in reversed(body.css(_UNSEEN)):  # what is inside another one goes first
        node.decompose()
    for node in reversed(body.css("button, [role=button]")):
        if not _says_something(node):
            node.decompose()
    for node in reversed(body.css("noscript")):  # a notice that a page needs its scripts
        words = node.text()
        if "javascript" in words.lower() and len(words) < HEADING_LIMIT:
            node.decompose()
    for drawing in reversed(body.css("svg:not(:has(text))")):  # a sign in a line
        drawing.replace_with(" ".join(each.text() for each in drawing.css("title, desc")))
    for node in reversed(body.css(_FURNITURE)):
        if not has_furniture or _leads_elsewhere(node):
            _drop_furniture(node)


def _says_something(button: LexborNode) -> bool:
    """Whether a button is a heading or a question that opens its answer, rather than a command."""
    if "aria-expanded" in button.attributes:
        return True
    is_heading = any(above.tag in HEADINGS | {"dt", "summary"} for above in _list_ancestors(button))
    return is_heading or button.text(strip=True).endswith(("?", "？"))


def _find_roots(body: LexborNode) -> list[LexborNode]:
    """Return what is read: all, or a main part with the furniture around it."""
    if len(body.css("main, [role=main]")) != 1:
        return [body]
    candidates = body.css(f"main, [role=main], {_FURNITURE}")
    roots = {node.mem_id for node in candidates}
    return [
        node for node in candidates if not any(up.mem_id in roots for up in _list_ancestors(node))
    ]


def _list_ancestors(node: LexborNode) -> Iterator[LexborNode]:
    while (above := node.parent) is not None:
        yield above
        node = above


def _leads_elsewhere(node: LexborNode) -> bool:
    """Whether half of the words of a page's furniture are links."""
    linked = sum(len(link.text()) for link in node.css("a[href]"))
    return linked * 2 > len(node.text(strip=True))


def _drop_furniture(node: LexborNode) -> None:
    """Drop what stands around a text, but keep the headings of a header that opens an article."""
    is_in_article = any(up.tag in {"article", "main", "section"} for up in _list_ancestors(node))
    if node.tag != "header" or node.css_first("h1, h2") is None or not is_in_article:
        node.decompose()
        return
    for child in node.css("p, div, ul, time, span"):
        if child.css_first("h1, h2") is None:
            child.decompose()


_NOTE = re.compile(r"\s*\d{1,3}(?:\s*[,–-]\s*\d{1,3}){0,9}\s*")
_SENTENCE_PART = re.compile(r"(?:[^\W\d_]{2}|\d{4})[.,;:!?”\"]\Z")


def is_note(number: str, before: str) -> bool:
    """Whether a raised number marks a footnote: behind the end of a sentence or a part of one."""
    return bool(_NOTE.fullmatch(number) and _SENTENCE_PART.search(before[-40:]))


def _is_layout_row(row: LexborNode) -> bool:
    """Whether a row arranges a page: a table with named columns may hold lists as well."""
    if row.css_first(_LAYOUT) is None:
        return False
    table = next((above for above in _list_ancestors(row) if above.tag == "table"), row)
    return table.css_first("th") is None or row.css_first(_STRUCTURE) is not None


_INSET = re.compile(r"(?:padding-left|text-indent|margin-left)\s*:\s*(\d{1,4})")


def parse_number(value: str | None) -> int:
    """Read a count that an attribute states; 1 where it states none."""
    text = (value or "").strip()
    return int(text) if text.isdecimal() and 0 < len(text) < 7 else 1


WRITTEN = {
    "loweralpha": "a", "upperalpha": "A", "lowerroman": "i", "upperroman": "I",
    "lowerLetter": "a", "upperLetter": "A", "lowerRoman": "i", "upperRoman": "I",
    "a": "a", "A": "A", "i": "i", "I": "I",
}  # fmt: skip
"""HTML's `type` by the names of docutils, of Word and of OpenDocument."""
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
    (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


def format_numeral(number: int, written: str) -> str:
    """Write the number of an item as HTML's `type` says: 1, a, A, i or I."""
    if written.lower() == "a" and number > 0:
        letters = ""
        while number:
            number, rest = divmod(number - 1, 26)
            letters = chr(ord("a") + rest) + letters
        return letters.upper() if written == "A" else letters
    if written.lower() == "i" and 0 < number < 4000:
        letters = ""
        for value, sign in _ROMAN:
            letters += sign * (number // value)
            number %= value
        return letters.upper() if written == "I" else letters
    return str(number)


def _show_alternative(node: LexborNode) -> str:
    """Return what a picture is said to show, but for the name of its file."""
    facts = node.attributes
    every = dict.fromkeys(clean_text(facts.get(name) or "") for name in ("alt", "title"))
    return " ".join(each for each in every if each and each != facts.get("src"))


_AROUND: Mapping[str, tuple[str, str]] = {
    "br": (_LINE_BREAK, ""),
    "sup": SUPERSCRIPT,
    "sub": SUBSCRIPT,
    "option": ("", "; "),
    **dict.fromkeys(("text", "title", "desc", "button"), (" ", " ")),
    **dict.fromkeys(("del", "s", "strike"), ("[struck out: ", "]")),
}
"""What is written around the text of an element."""
_BEHIND: Mapping[str, Callable[[LexborNode], str]] = {
    **dict.fromkeys(("img", "area"), _show_alternative),
    "abbr": lambda node: f" ({node.attributes['title']})" if node.attributes.get("title") else "",
}
"""What is written behind it, of its attributes."""
_FORMULAS = {
    "msup": (SUPERSCRIPT,), "msub": (SUBSCRIPT,), "msubsup": (SUBSCRIPT, SUPERSCRIPT),
    "mfrac": (("/", ""),),
}  # fmt: skip
"""What is written around the second and third part of a formula, as MathML nests them."""


_Cell = tuple[str, int, int]


def _fill_grid(rows: Iterable[list[_Cell]]) -> Iterator[list[str]]:
    """Give every cell its column; those that others span into hold the text of these."""
    above: dict[int, tuple[str, int]] = {}
    for cells in rows:
        row: list[str] = []
        waiting = iter(cells)
        while True:
            if len(row) in above:
                text, left = above.pop(len(row))
                if left > 1:
                    above[len(row)] = (text, left - 1)
                row.append(Covered(text.strip()))
                continue
            cell = next(waiting, None)
            if cell is None:
                break
            text, across, down = cell
            for place in range(across):
                if down > 1:
                    above[len(row)] = (text, down - 1)
                row.append(Covered(text.strip()) if place else text)
        yield row


@dataclass
class _Reader:
    """Turns elements into blocks."""

    composer: Composer
    _pieces: list[str] = field(default_factory=list)
    # what divides blocks within a cell, a term or code; None where they stand by themselves
    _joint: str | None = None
    _rows: list[list[_Cell]] = field(default_factory=list)
    _heads: int = 0
    _depth: int = 0
    _numbers: dict[int, int] = field(default_factory=dict)  # of the last items of lists
    _number: str | None = None  # of the item that it is in
    _aside: str = ""

    def read(self, root: LexborNode) -> None:
        self._read_all(root)
        self._flush()
        self._end_table()

    def _read_all(self, element: LexborNode) -> None:
        node = element.child
        while node is not None:  # in three quarters of the time that `iter` takes
            self._read_node(node)
            node = node.next

    def _read_node(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag == "-text":
            self._pieces.append(node.text_content or "")
        elif tag in _BLOCKS and (tag != "tr" or not _is_layout_row(node)):
            if self._joint is None:
                self._read_block(node, tag)
            else:
                self._pieces.append(self._joint)
                self._read_all(node)
                self._pieces.append(self._joint)
        elif tag in _FORMULAS:
            marks = ("", ""), *_FORMULAS[tag]
            for part, (before, behind) in zip(node.iter(), marks, strict=False):
                self._pieces.append(before)
                self._read_node(part)
                self._pieces.append(behind)
        elif tag in _AROUND:
            if tag == "sup" and is_note(node.text(), "".join(self._pieces[-3:])):
                return
            before, behind = _AROUND[tag]
            self._pieces.append(before)
            self._read_all(node)
            self._pieces.append(behind)
        else:
            self._read_all(node)
            if tag in _BEHIND:
                self._pieces.append(_BEHIND[tag](node))

    def _read_block(self, node: LexborNode, tag: str) -> None:
        self._flush()
        if tag == "tr":
            self._read_row(node)
        elif tag == "pre":
            self._end_table()
            self.composer.add_verbatim(self._read_whole(node, "").replace(_LINE_BREAK, "\n"))
        elif tag == "dt":
            self._end_table()
            self.composer.add_term(self._read_whole(node, " "), self._depth)
        elif tag == "caption":  # it names the rows of its table
            self._end_table()
            self.composer.add_term(self._read_whole(node, " "), self._depth + 1)
        elif tag == "dl":
            self._depth += 1
            self._read_all(node)
            self._flush()
            self.composer.end_terms(self._depth)
            self._depth -= 1
        else:
            around = self._aside
            if tag == "table":
                self._end_table()
            elif tag in _BESIDE:
                self._aside = node.attributes.get(ASIDE) or around
            elif tag == "li":
                self._number = self._number_item(node)
            self._read_all(node)
            self._flush(int(tag[1]) if tag in HEADINGS else None)
            self._aside = around
            if tag == "table":
                self._end_table()
            elif tag == "li":
                self._number = None

    def _number_item(self, item: LexborNode) -> str:
        above, stated = item.parent, item.attributes.get("value")
        if NUMBER in item.attributes or above is None or above.tag != "ol":
            return item.attributes.get(NUMBER) or ""
        start = parse_number(above.attributes.get("start")) - 1
        place = parse_number(stated) if stated else self._numbers.get(above.mem_id, start) + 1
        self._numbers[above.mem_id] = place
        classes = (above.attributes.get("class") or "").split()
        written = next((WRITTEN[each] for each in classes if each in WRITTEN), "1")
        return f"{format_numeral(place, above.attributes.get('type') or written)}."

    def _read_row(self, row: LexborNode) -> None:
        """Take a row that names columns for the head of what follows; a lone title is none."""
        cells: list[_Cell] = []
        nodes = [node for node in row.iter() if node.tag in _CELLS]
        for node in nodes:
            text = self._read_whole(node, " ").lstrip(" \t\n\r\f")
            inset = _INSET.search(node.attributes.get("style") or "")
            shown = format_inset(int(inset[1]) if inset else 0)
            shown += text[: len(text) - len(text.lstrip())] + clean_text(text)
            across, down = (parse_number(node.attributes.get(n)) for n in ("colspan", "rowspan"))
            cells.append((shown, min(across, _WIDEST), min(down, _LONGEST)))
        is_in_head = row.parent is not None and row.parent.tag == "thead"
        is_head = is_in_head or (len(cells) > 1 and all(node.tag == "th" for node in nodes))
        if is_head and len(self._rows) > self._heads:
            self._end_table()
        self._heads += is_head
        self._rows.append(cells)

    def _read_whole(self, node: LexborNode, joint: str) -> str:
        """Return the text of an element, whatever blocks it holds."""
        self._joint = joint
        self._read_all(node)
        self._joint = None
        text = self._take()
        return text.replace(_LINE_BREAK, " ") if joint else text

    def _end_table(self) -> None:
        if self._rows:
            self.composer.add_table(_fill_grid(self._rows), self._heads)
            self.composer.end_terms(self._depth + 1)
            self._rows, self._heads = [], 0

    def _flush(self, level: int | None = None) -> None:
        if not self._pieces or not (text := self._take()) or text.isspace():
            return
        self._end_table()
        number, self._number = self._number, None if self._number is None else ""
        shown = f"{number} {text}" if number else text
        if self._aside:
            self.composer.add_paragraph(shown.replace(_LINE_BREAK, " "), name=self._aside)
        elif level is not None:
            self.composer.add_heading(level, shown.replace(_LINE_BREAK, " "))
        else:
            for paragraph in _BREAKS.split(text):
                self.composer.add_paragraph(paragraph.replace(_LINE_BREAK, " "), number)
                number = number and ""

    def _take(self) -> str:
        text = format_scripts("".join(self._pieces))
        self._pieces.clear()
        return text


_FIELDS = FieldNames(
    titles=("citation_title", "og:title", "dc.title", "dcterms.title", "<title>", "<h1>"),
    urls=build_word_list(
        "citation_doi dc.identifier dcterms.identifier prism.doi <link> og:url citation_public_url"
    ),
    dates=build_word_list(
        "citation_publication_date citation_date citation_online_date citation_year",
        "article:published_time datepublished dc.date.issued dcterms.issued dc.date dcterms.date",
        "dcterms.created og:published_time date <published>",
    ),
    authors=("author", "dc.creator", "dcterms.creator", "article:author"),
    kinds=("dc.type", "dcterms.type", "citation_type", "kind"),
)
_GENERATORS = re.compile(
    r"docutils|sphinx|docbook|publican|mkdocs|doxygen|docusaurus|antora|texinfo|makeinfo|javadoc|"
    r"asciidoctor|mdbook",
    re.IGNORECASE,
)
"""Programs that make manuals and nothing else."""
_PREPRINT_SERVERS = frozenset(
    {"arxiv", "biorxiv", "medrxiv", "chemrxiv", "ssrn", "research square"}
)
_DEPTH_LIMIT = 8  # levels of JSON-LD that are looked at; real pages use two or three


def read_html_metadata(tree: LexborHTMLParser) -> Metadata:
    """Read `<title>`, `meta` elements (Highwire, Dublin Core, Open Graph), canonical, JSON-LD."""
    meta, linked = _read_meta(tree), list(find_linked_data(tree))
    days = (str(thing.get("datePublished") or "") for thing in linked)
    meta["<published>"] = next(filter(parse_date, days), "")
    facts = parse_metadata(meta, _FIELDS)
    cited = [
        node.attributes["content"] or "" for node in tree.css("meta[name=citation_author][content]")
    ]
    authors = tuple(clean_text(name) for name in cited if name.strip())
    authors = authors or facts.authors or tuple(_list_linked_authors(linked))
    return replace(facts, authors=authors, kind=_find_kind(meta, linked, facts.kind))


def _read_meta(tree: LexborHTMLParser) -> dict[str, str]:
    """Map names (in lower case) to contents; the first of a name wins."""
    fields: dict[str, str] = {}
    for node in tree.css("meta[content]"):
        values = node.attributes
        name = values.get("name") or values.get("property") or values.get("itemprop") or ""
        content = (values.get("content") or "").strip()
        if content:
            fields.setdefault(name.strip().lower(), content)
    for tag in ("title", "h1"):
        fields |= {f"<{tag}>": each.text() for each in tree.css(tag)[:1]}
    for canonical in tree.css("link[rel=canonical]")[:1]:
        fields["<link>"] = canonical.attributes.get("href") or ""
    return fields


def _list_linked_authors(linked: list[dict[str, object]]) -> list[str]:
    named = (thing.get("author") for thing in linked)
    people = [each for entry in named for each in (entry if isinstance(entry, list) else [entry])]
    names = (each.get("name") if isinstance(each, dict) else each for each in people)
    return [clean_text(name) for name in names if isinstance(name, str) and name.strip()]


def _find_kind(
    meta: dict[str, str], linked: list[dict[str, object]], stated: SourceKind
) -> SourceKind:
    journal = meta.get("citation_journal_title", "").lower()
    if "citation_arxiv_id" in meta or journal in _PREPRINT_SERVERS:
        return SourceKind.PREPRINT
    if journal or "citation_conference_title" in meta:
        return SourceKind.PEER_REVIEWED
    if stated is not SourceKind.UNKNOWN:
        return stated
    # Schema.org's plain "Article" may be anything, where "article" in front matter is a paper.
    for thing in linked:
        named = thing.get("@type")
        names = named if isinstance(named, list) else [named]
        for name in names:
            if isinstance(name, str) and name != "Article" and (kind := parse_kind(name)):
                return kind
    is_manual = _GENERATORS.search(meta.get("generator", "")) is not None
    return SourceKind.DOCUMENTATION if is_manual else SourceKind.UNKNOWN


def find_linked_data(
    tree: LexborHTMLParser, parts: tuple[str, ...] = ("@graph",)
) -> Iterator[dict[str, object]]:
    """Yield the objects of JSON-LD that describe the page itself: top level, lists and parts."""
    waiting: list[tuple[object, int]] = []
    for node in tree.css("script[type='application/ld+json']"):
        with suppress(ValueError, RecursionError):
            waiting.append((json.loads(node.text()), _DEPTH_LIMIT))
    while waiting:
        thing, depth = waiting.pop(0)
        below = thing if isinstance(thing, list) else []
        if isinstance(thing, dict):
            yield thing
            below = [thing.get(name) for name in parts]
        waiting[:0] = [(each, depth - 1) for each in below if depth > 1]
