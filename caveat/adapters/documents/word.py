"""Word's .docx, written as HTML: with the numbers of its clauses, notes, comments and headers."""

import re
from collections.abc import Iterator
from html import escape

from lxml.etree import _Element  # type: ignore[import-untyped]  # it ships no types

from caveat.adapters.documents.archives import (
    LEFT_OUT,
    Archive,
    read_alternative,
    read_facts,
    render_aside,
    render_drawn,
    render_row,
    strip_namespace,
)
from caveat.adapters.documents.composer import Composer, format_inset, name_comment, parenthesise
from caveat.adapters.documents.html import NUMBER, add_fragment, parse_number
from caveat.adapters.documents.loaded import Metadata
from caveat.adapters.documents.numbering import Level, Numbering

_BESIDE = {"header": "page header", "footer": "page footer"}
_DRAWN = re.compile(r"word/(?:charts/chart|diagrams/data)\d*\.xml")
_GONE = LEFT_OUT | {"rPr", "Fallback", "tblPr", "tblGrid", "sdtPr"}
_HEADINGS = {"title": 1, **{f"heading {level}": min(level, 6) for level in range(1, 10)}}
_OUTLINED = frozenset("012345")  # levels of headings; what is below them is text
_ALIGNED = {"superscript": "sup", "subscript": "sub"}
_INSET = 100  # twentieths of a point: a row set in by less stands in line
_SIGNS = {"tab": " ", "br": "<br>", "cr": "<br>", "noBreakHyphen": "-", "p": " "}
_SYMBOL = {
    0xF000 + ord(code): sign
    for code, sign in zip("abdglmpqsDSW\xa3\xa5\xb0\xb1\xb3\xb4\xb9\xbb\xd7",
                          "αβδγλμπθσΔΣΩ≤∞°±≥×≠≈⋅", strict=True)
}  # fmt: skip
"""What Word's Symbol font shows: without it 5 μm would be 5 m."""


def load_word(composer: Composer, data: bytes) -> Metadata:
    archive = Archive(data, composer.losses)
    writer = _Writer(archive)
    body = archive.parse_member(archive.find_main("word/document.xml"))
    markup = [*writer.render_blocks(body), *writer.render_margins()]
    drawn = sorted(filter(_DRAWN.fullmatch, archive.names))
    markup += [render_drawn(archive.parse_part(name)) for name in drawn]
    if any(True for _ in body.iter("{*}OLEObject", "{*}altChunk")):
        composer.losses.append("embedded objects or documents")
    add_fragment(composer, "".join(markup))
    return read_facts(archive)


def read_attribute(element: _Element | None, name: str = "val") -> str:
    """Return an attribute without its namespace; "" where it, or the element, is not there."""
    if element is None:
        return ""
    return next((value for key, value in element.attrib.items() if key.endswith(f"}}{name}")), "")


class _Writer:
    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._styles = {
            read_attribute(style, "styleId"): style
            for style in archive.parse_part("word/styles.xml").iter("{*}style")
        }
        self._numbering = _read_numbering(archive.parse_part("word/numbering.xml"))
        self._notes = {
            (f"{kind}Reference", read_attribute(note, "id")): note
            for kind in ("footnote", "endnote", "comment")
            for note in archive.parse_part(f"word/{kind}s.xml").iter(f"{{*}}{kind}")
        }
        self._noted = 0
        self._waiting: list[str] = []
        self._shown = {""}  # what pictures are said to show, which a drawing says twice

    def render_blocks(self, element: _Element) -> Iterator[str]:
        """Write what stands below one another."""
        for child in element.iterchildren("*"):
            match strip_namespace(child):
                case "p":
                    yield self._render_paragraph(child)
                    yield from self._take_waiting()
                case "tbl":
                    properties = (
                        child.find(f"{{*}}tblPr/{{*}}tbl{n}") for n in ("Caption", "Description")
                    )
                    named = map(escape, filter(None, map(read_attribute, properties)))
                    caption = "".join(f"<caption>{each}</caption>" for each in named)
                    yield f"<table>{caption}{''.join(self._render_rows(child))}</table>"
                    yield from self._take_waiting()
                case name if name not in _GONE:
                    yield from self.render_blocks(child)

    def render_margins(self) -> Iterator[str]:
        """Write what pages are headed and footed by, once."""
        seen = set()
        for name in sorted(self._archive.names):
            kind = next((each for each in _BESIDE if name.startswith(f"word/{each}")), None)
            if kind is None or not name.endswith(".xml"):
                continue
            text = "".join(self._render_inline(self._archive.parse_part(name)))
            # Text boxes of a header are blocks, and so stand behind its line.
            text += "".join(self._take_waiting())
            if text not in seen:
                seen.add(text)
                yield render_aside(_BESIDE[kind], text)

    def _render_paragraph(self, paragraph: _Element) -> str:
        text = "".join(self._render_inline(paragraph))
        style = read_attribute(paragraph.find("{*}pPr/{*}pStyle"))
        name = read_attribute(next(self._find_in_styles(style, "name"), None)).lower()
        if name.startswith("toc ") or name == "table of figures":
            return ""
        number = self._number_item(paragraph, style)
        outlined = paragraph.find("{*}pPr/{*}outlineLvl")
        if outlined is None:
            outlined = next(self._find_in_styles(style, "pPr/{*}outlineLvl"), None)
        stated = read_attribute(outlined)
        level = _HEADINGS.get(name) or (int(stated) + 1 if stated in _OUTLINED else 0)
        if level:
            shown = f"{escape(number)} " if number else ""
            return f"<h{level}>{shown}{text}</h{level}>"
        if number is not None:
            return f'<li {NUMBER}="{escape(number)}">{text}</li>'
        return f"<p>{text}</p>"

    def _find_in_styles(self, style: str, path: str) -> Iterator[_Element]:
        """Find what a style, and those that it rests on, say."""
        for _ in range(20):
            here = self._styles.get(style)
            if here is None:
                return
            if (element := here.find(f"{{*}}{path}")) is not None:
                yield element
            style = read_attribute(here.find("{*}basedOn"))

    def _number_item(self, paragraph: _Element, style: str) -> str | None:
        """Return the number of an item as it is shown, "" for a bullet; None of what is no item."""
        own = paragraph.find("{*}pPr/{*}numPr")
        stated = [own] if own is not None else []
        stated += self._find_in_styles(style, "pPr/{*}numPr")
        listed = next(filter(None, (read_attribute(each.find("{*}numId")) for each in stated)), "")
        level = next(filter(None, (read_attribute(each.find("{*}ilvl")) for each in stated)), None)
        return self._numbering.number_item(
            listed, int(level) if level and level.isdecimal() else style
        )

    def _render_rows(self, table: _Element) -> Iterator[str]:
        own = [row for row in table.iter("{*}tr") if _find_container(row) is table]
        rows = [list(self._read_cells(row)) for row in own]
        kinds = [{(place, merged) for place, _, merged, _ in row} for row in rows]
        for number, row in enumerate(rows):
            cells = []
            for place, across, merged, text in row:
                down = number + 1
                while merged and down < len(rows) and (place, "continue") in kinds[down]:
                    down += 1
                if merged != "continue":
                    cells.append((text, across, down - number))
            head = own[number].find("{*}trPr/{*}tblHeader")
            yield render_row(cells, is_head=head is not None)

    def _read_cells(self, row: _Element) -> Iterator[tuple[int, int, str, str]]:
        place = 0
        for cell in row.iter("{*}tc"):
            if _find_container(cell) is not row:
                continue
            across = parse_number(read_attribute(cell.find("{*}tcPr/{*}gridSpan")))
            merged = cell.find("{*}tcPr/{*}vMerge")
            kind = "" if merged is None else read_attribute(merged) or "continue"
            text = "".join(self._render_inline(cell))
            inset = read_attribute(cell.find("{*}p/{*}pPr/{*}ind"), "left")
            spaces = format_inset(parse_number(inset) // _INSET)
            spaces += "\xa0" * (len(text) - len(text.lstrip(" ")))
            yield place, across, kind, spaces + text
            place += across

    def _render_inline(self, element: _Element) -> Iterator[str]:
        for child in element.iterchildren("*"):
            match strip_namespace(child):
                case "t" | "sym":
                    code = read_attribute(child, "char")  # of one sign by its place in a font
                    is_code = re.fullmatch("[0-9A-Fa-f]{4}", code)
                    text = chr(int(code, 16)) if is_code else child.text or ""
                    yield escape(text.translate(_SYMBOL))
                case "r":
                    yield self._render_run(child)
                case "textpath":
                    yield escape(child.get("string") or "")
                case "docPr" | "cNvPr" | "shape" as name:
                    words = read_alternative(child)
                    yield f" [picture: {escape(words)}] " if words not in self._shown else ""
                    self._shown.add(words)
                    yield from self._render_inline(child)
                case "oMath":
                    yield "".join(_render_formula(child))
                case "txbxContent":
                    waiting, self._waiting = self._waiting, []
                    box = list(self.render_blocks(child))
                    self._waiting = [*waiting, *box, *self._waiting]
                case "footnoteReference" | "endnoteReference" | "commentReference" as kind:
                    note = self._notes.get((kind, read_attribute(child, "id")))
                    if note is None:
                        continue
                    is_comment = kind == "commentReference"
                    self._noted += not is_comment
                    author = read_attribute(note, "author")
                    label = name_comment(author) if is_comment else f"note {self._noted}"
                    text = "".join(self._render_inline(note))
                    self._waiting.append(render_aside(label, text))
                case name if name not in _GONE:
                    yield from self._render_inline(child)
                    yield _SIGNS.get(name, "")

    def _render_run(self, run: _Element) -> str:
        text = "".join(self._render_inline(run))
        facts = run.find("{*}rPr")
        if facts is None or not text:
            return text
        if _is_on(facts.find("{*}vanish")):
            return f"[hidden: {text}]"
        if _is_on(facts.find("{*}strike")):
            return f"<s>{text}</s>"
        if tag := _ALIGNED.get(read_attribute(facts.find("{*}vertAlign"))):
            return f"<{tag}>{text}</{tag}>"
        return text

    def _take_waiting(self) -> list[str]:
        taken, self._waiting = self._waiting, []
        return taken


def _is_on(element: _Element | None) -> bool:
    return element is not None and read_attribute(element) not in {"0", "false", "off"}


def _find_container(part: _Element) -> _Element | None:
    """Return the row or table that a cell or row belongs to."""
    return next(
        (above for above in part.iterancestors("*") if strip_namespace(above) in {"tr", "tbl"}),
        None,
    )


def _read_numbering(part: _Element) -> Numbering:
    kinds = {read_attribute(each, "abstractNumId"): each for each in part.iter("{*}abstractNum")}
    numbering = Numbering()
    for each in part.iter("{*}num"):
        kind = read_attribute(each.find("{*}abstractNumId"))
        levels = {}
        if kind in kinds:
            for level in kinds[kind].iter("{*}lvl"):
                levels[int(read_attribute(level, "ilvl") or 0)] = Level(
                    written=read_attribute(level.find("{*}numFmt")) or "decimal",
                    template=read_attribute(level.find("{*}lvlText")),
                    start=parse_number(read_attribute(level.find("{*}start"))),
                    style=read_attribute(level.find("{*}pStyle")),
                    is_legal=_is_on(level.find("{*}isLgl")),
                )
        anew = {
            int(read_attribute(over, "ilvl") or 0): int(
                read_attribute(over.find("{*}startOverride")) or 1
            )
            for over in each.iter("{*}lvlOverride")
            if over.find("{*}startOverride") is not None
        }
        numbering.add(read_attribute(each, "numId"), kind, levels, anew)
    return numbering


def _render_formula(element: _Element) -> Iterator[str]:
    """Write a formula in a line."""
    for child in element.iterchildren("*"):
        match strip_namespace(child):
            case "t":
                yield escape(child.text or "")
            case "sup" | "sub" as tag:
                yield f"<{tag}>{''.join(_render_formula(child))}</{tag}>"
            case "f":
                parts = [part for part in child if strip_namespace(part) in {"num", "den"}]
                yield "/".join(parenthesise("".join(_render_formula(part))) for part in parts)
            case "rad":
                yield f"√({''.join(_render_formula(child))})"
            case "d":
                yield f"({''.join(_render_formula(child))})"
            case "chr":
                yield read_attribute(child)
            case _:
                yield from _render_formula(child)
