"""Word's .docx, written as HTML: with the numbers of its clauses, notes, comments and headers."""

import re
from collections.abc import Iterable, Iterator
from html import escape

from lxml.etree import _Element  # type: ignore[import-untyped]  # it ships no types

from caveat.adapters.documents.archives import Archive, aside, loaded_from, local_name, title_in
from caveat.adapters.documents.html import NUMBER
from caveat.adapters.documents.loaded import Loaded
from caveat.adapters.documents.numbering import Level, Numbering

_MAIN = "word/document.xml"
_BESIDE = {"header": "page header", "footer": "page footer"}
_GONE = frozenset(
    {
        "del", "moveFrom", "delText", "instrText", "pPr", "rPr", "Fallback", "tblPr", "tblGrid",
        "sdtPr",
    }
)  # fmt: skip
"""What says how things look, or was taken out."""
_HEADINGS = {"title": 1, **{f"heading {level}": min(level, 6) for level in range(1, 10)}}
_ALIGNED = {"superscript": "sup", "subscript": "sub"}
_SIGNS = {"tab": " ", "br": "<br>", "cr": "<br>", "noBreakHyphen": "-", "p": " "}
_SYMBOL = {
    0xF000 + ord(code): sign
    for code, sign in zip("abdglmpqsDSW\xa3\xa5\xb0\xb1\xb3\xb4\xb9\xbb\xd7",
                          "αβδγλμπθσΔΣΩ≤∞°±≥×≠≈⋅", strict=True)
}  # fmt: skip
"""What Word's Symbol font shows: without it 5 μm would be 5 m."""


def load_word(data: bytes) -> Loaded:
    """Read a .docx."""
    archive = Archive(data)
    names = archive.names(_MAIN)
    writer = _Writer(archive, names)
    body = archive.tree(_MAIN)
    markup = [*writer.blocks(body), *writer.beside()]
    losses = ("embedded objects",) if any(True for _ in body.iter("{*}OLEObject")) else ()
    return loaded_from("".join(markup), title_in(archive, names), losses)


def value(element: _Element | None, name: str = "val") -> str:
    """Return an attribute without its namespace; "" where it, or the element, is not there."""
    if element is None:
        return ""
    return next((said for key, said in element.attrib.items() if key.endswith(f"}}{name}")), "")


class _Writer:
    """Writes the parts of one document."""

    def __init__(self, archive: Archive, names: frozenset[str]) -> None:
        self._archive = archive
        self._names = sorted(names)
        self._styles = {
            value(style, "styleId"): style for style in self._part("styles").iter("{*}style")
        }
        self._numbering = _numbering(self._part("numbering"))
        self._notes = {
            (f"{kind}Reference", value(note, "id")): note
            for kind in ("footnote", "endnote", "comment")
            for note in self._part(f"{kind}s").iter(f"{{*}}{kind}")
        }
        self._noted = 0
        self._waiting: list[str] = []

    def blocks(self, element: _Element) -> Iterator[str]:
        """Write what stands below one another."""
        for child in element.iterchildren("*"):
            match local_name(child):
                case "p":
                    yield self._paragraph(child)
                    yield from self._take_waiting()
                case "tbl":
                    yield f"<table>{''.join(self._rows(child))}</table>"
                    yield from self._take_waiting()
                case name if name not in _GONE:
                    yield from self.blocks(child)

    def beside(self) -> Iterator[str]:
        """Write what pages are headed and footed by, once."""
        said = set()
        for name in self._names:
            kind = next((each for each in _BESIDE if name.startswith(f"word/{each}")), None)
            if kind is None or not name.endswith(".xml"):
                continue
            text = "".join(self._inline(self._archive.tree(name)))
            if text not in said:
                said.add(text)
                yield aside(_BESIDE[kind], text)

    def _part(self, name: str) -> _Element:
        path = f"word/{name}.xml"
        return self._archive.tree(path if path in self._names else _MAIN)

    def _paragraph(self, paragraph: _Element) -> str:
        text = "".join(self._inline(paragraph))
        style = value(paragraph.find("{*}pPr/{*}pStyle"))
        name = value(next(iter(self._found(style, "name")), None)).lower()
        if name.startswith("toc ") or name == "table of figures":
            return ""
        number = self._number(paragraph, style)
        level = _HEADINGS.get(name) or self._outline(paragraph, style)
        if level:
            shown = f"{escape(number)} " if number else ""
            return f"<h{level}>{shown}{text}</h{level}>"
        if number is not None:
            return f'<li {NUMBER}="{escape(number)}">{text}</li>'
        return f"<p>{text}</p>"

    def _outline(self, paragraph: _Element, style: str) -> int:
        stated = paragraph.find("{*}pPr/{*}outlineLvl")
        found = [stated] if stated is not None else self._found(style, "pPr/{*}outlineLvl")
        level = value(next(iter(found), None))
        return int(level) + 1 if level in {"0", "1", "2", "3", "4", "5"} else 0

    def _found(self, style: str, path: str) -> Iterator[_Element]:
        """Find what a style, and those that it rests on, say."""
        for _ in range(20):
            here = self._styles.get(style)
            if here is None:
                return
            if (found := here.find(f"{{*}}{path}")) is not None:
                yield found
            style = value(here.find("{*}basedOn"))

    def _number(self, paragraph: _Element, style: str) -> str | None:
        """Return the number of an item as it is shown, "" for a bullet; None of what is no item."""
        own = paragraph.find("{*}pPr/{*}numPr")
        stated = [own] if own is not None else []
        stated += self._found(style, "pPr/{*}numPr")
        listed = next(filter(None, (value(each.find("{*}numId")) for each in stated)), "")
        level = next(filter(None, (value(each.find("{*}ilvl")) for each in stated)), None)
        return self._numbering.next(listed, int(level) if level and level.isdecimal() else style)

    def _rows(self, table: _Element) -> Iterator[str]:
        rows = [list(self._cells(row)) for row in table.iter("{*}tr") if _holder(row) is table]
        heads = [row.find("{*}trPr/{*}tblHeader") is not None for row in table.iter("{*}tr")]
        for number, row in enumerate(rows):
            tag = "th" if heads[number] else "td"
            written = []
            for place, across, merged, text in row:
                if merged != "continue":
                    down = _span(rows[number + 1 :], place) if merged else 1
                    written.append(f'<{tag} colspan="{across}" rowspan="{down}">{text}</{tag}>')
            yield f"<tr>{''.join(written)}</tr>"

    def _cells(self, row: _Element) -> Iterator[tuple[int, int, str, str]]:
        place = 0
        for cell in row.iter("{*}tc"):
            if _holder(cell) is not row:
                continue
            stated = value(cell.find("{*}tcPr/{*}gridSpan"))
            across = int(stated) if stated.isdecimal() and len(stated) < 4 else 1
            merged = cell.find("{*}tcPr/{*}vMerge")
            kind = "" if merged is None else value(merged) or "continue"
            yield place, across, kind, "".join(self._inline(cell))
            place += across

    def _inline(self, element: _Element) -> Iterator[str]:
        for child in element.iterchildren("*"):
            match local_name(child):
                case "t" | "sym":
                    yield escape(_sign(child))
                case "r":
                    yield self._run(child)
                case "oMath":
                    yield "".join(_formula(child))
                case "txbxContent":
                    self._waiting += self.blocks(child)
                case "footnoteReference" | "endnoteReference" | "commentReference" as kind:
                    self._note(kind, value(child, "id"))
                case name if name not in _GONE:
                    yield from self._inline(child)
                    yield _SIGNS.get(name, "")

    def _run(self, run: _Element) -> str:
        text = "".join(self._inline(run))
        facts = run.find("{*}rPr")
        if facts is None or not text:
            return text
        if _is_on(facts.find("{*}vanish")):
            return ""
        if _is_on(facts.find("{*}strike")):
            return f"<s>{text}</s>"
        if tag := _ALIGNED.get(value(facts.find("{*}vertAlign"))):
            return f"<{tag}>{text}</{tag}>"
        return f"<b>{text}</b>" if _is_on(facts.find("{*}b")) else text

    def _note(self, kind: str, name: str) -> None:
        note = self._notes.get((kind, name))
        if note is None:
            return
        self._noted += kind != "commentReference"
        author = value(note, "author")
        comment = f"comment by {author}" if author else "comment"
        label = comment if kind == "commentReference" else f"note {self._noted}"
        self._waiting.append(aside(label, "".join(self._inline(note))))

    def _take_waiting(self) -> list[str]:
        taken, self._waiting = self._waiting, []
        return taken


def _sign(element: _Element) -> str:
    """Return the text of a run, or the one sign that it names by its place in a font."""
    code = value(element, "char")
    text = chr(int(code, 16)) if re.fullmatch("[0-9A-Fa-f]{4}", code) else element.text or ""
    return str(text.translate(_SYMBOL))


def _is_on(element: _Element | None) -> bool:
    return element is not None and value(element) not in {"0", "false", "off"}


def _holder(part: _Element) -> _Element | None:
    """Return the row or table that a cell or row belongs to."""
    return next(
        (above for above in part.iterancestors("*") if local_name(above) in {"tr", "tbl"}), None
    )


def _span(below: Iterable[list[tuple[int, int, str, str]]], place: int) -> int:
    """Count the rows that a cell spans: those below go on with it."""
    rows = 1
    for row in below:
        if not any(at == place and merged == "continue" for at, _, merged, _ in row):
            break
        rows += 1
    return rows


def _numbering(part: _Element) -> Numbering:
    kinds = {value(each, "abstractNumId"): each for each in part.iter("{*}abstractNum")}
    numbering = Numbering()
    for each in part.iter("{*}num"):
        kind = value(each.find("{*}abstractNumId"))
        levels = {}
        if kind in kinds:
            for level in kinds[kind].iter("{*}lvl"):
                start = value(level.find("{*}start"))
                levels[int(value(level, "ilvl") or 0)] = Level(
                    written=value(level.find("{*}numFmt")) or "decimal",
                    template=value(level.find("{*}lvlText")),
                    start=int(start) if start.isdecimal() else 1,
                    style=value(level.find("{*}pStyle")),
                    is_legal=_is_on(level.find("{*}isLgl")),
                )
        anew = {
            int(value(over, "ilvl") or 0): int(value(over.find("{*}startOverride")) or 1)
            for over in each.iter("{*}lvlOverride")
            if over.find("{*}startOverride") is not None
        }
        numbering.add(value(each, "numId"), kind, levels, anew)
    return numbering


def _formula(element: _Element) -> Iterator[str]:
    """Write a formula in a line."""
    for child in element.iterchildren("*"):
        match local_name(child):
            case "t":
                yield escape(child.text or "")
            case "sup" | "sub" as tag:
                yield f"<{tag}>{''.join(_formula(child))}</{tag}>"
            case "f":
                over, under = ("".join(_formula(part)) for part in _parts(child, "num", "den"))
                yield f"{_whole(over)}/{_whole(under)}"
            case "rad":
                yield f"√({''.join(_formula(child))})"
            case "d":
                yield f"({''.join(_formula(child))})"
            case "chr":
                yield value(child)
            case _:
                yield from _formula(child)


def _parts(element: _Element, *names: str) -> Iterator[_Element]:
    for name in names:
        found = element.find(f"{{*}}{name}")
        yield element if found is None else found


def _whole(words: str) -> str:
    return words if words.isalnum() else f"({words})"
