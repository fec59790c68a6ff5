"""OpenDocument's .odt, written as HTML: with numbers, notes, comments, headers and footers."""

from collections.abc import Iterator
from html import escape

from lxml.etree import _Element  # type: ignore[import-untyped]  # it ships no types

from caveat.adapters.documents.archives import Archive, aside, loaded_from, local_name
from caveat.adapters.documents.html import NUMBER
from caveat.adapters.documents.loaded import Loaded, Metadata
from caveat.adapters.documents.metadata import title_of
from caveat.adapters.documents.numbering import Level, Numbering
from caveat.adapters.documents.word import value

_SPACES = {"s": " ", "tab": " ", "line-break": "<br>"}
_UNSEEN = frozenset(
    {
        "tracked-changes",
        "note-citation",
        "annotation-end",
        "forms",
        "table-of-content",
        "creator",
        "date",
    }
)
_BESIDE = {"header": "page header", "footer": "page footer"}


def load_open_document(data: bytes) -> Loaded:
    """Read an .odt."""
    archive = Archive(data)
    names = archive.names("content.xml")
    content = archive.tree("content.xml")
    styles = archive.tree("styles.xml") if "styles.xml" in names else content
    writer = _Writer([content, styles])
    markup = [piece for body in content.iter("{*}body") for piece in writer.blocks(body)]
    for kind, label in _BESIDE.items():
        for part in styles.iterfind(f".//{{*}}master-page/{{*}}{kind}"):
            markup += [aside(label, "".join(writer.inline(part)))]
    return loaded_from("".join(markup), _metadata(archive) if "meta.xml" in names else Metadata())


def _metadata(archive: Archive) -> Metadata:
    titles = [each.text or "" for each in archive.tree("meta.xml").iter("{*}title")]
    return Metadata(title=title_of(titles[0]) if titles else None)


class _Writer:
    def __init__(self, parts: list[_Element]) -> None:
        self._tags = {
            value(style, "name"): tag
            for part in parts
            for style in part.iter("{*}style")
            for facts in style.iter("{*}text-properties")
            if (tag := _tag(facts))
        }
        self._numbering = Numbering()
        for part in parts:
            for style in part.iter("{*}list-style"):
                name = value(style, "name")
                self._numbering.add(name, name, dict(map(_level, style.iterchildren("*"))))
        self._list, self._depth = "", 0
        self._noted = 0
        self._waiting: list[str] = []

    def blocks(self, element: _Element) -> Iterator[str]:
        """Write what stands below one another."""
        for child in element.iterchildren("*"):
            match local_name(child):
                case "h":
                    level = value(child, "outline-level")
                    tag = f"h{min(6, int(level)) if level.isdecimal() else 1}"
                    yield f"<{tag}>{''.join(self.inline(child))}</{tag}>"
                case "p":
                    yield f"<p>{''.join(self.inline(child))}</p>"
                case "list":
                    yield from self._items(child)
                case "table":
                    yield f"<table>{''.join(self._rows(child))}</table>"
                case name if name not in _UNSEEN:
                    yield from self.blocks(child)
            taken, self._waiting = self._waiting, []
            yield from taken

    def _items(self, items: _Element) -> Iterator[str]:
        before = self._list, self._depth
        named = value(items, "style-name")
        if not self._depth and named != self._list and value(items, "continue-numbering") != "true":
            self._numbering.restart(named)
        self._list, self._depth = named or self._list, self._depth + 1
        for item in items.iterchildren("*"):
            is_numbered = local_name(item) == "list-item"
            number = self._numbering.next(self._list, self._depth - 1) if is_numbered else ""
            yield f'<li {NUMBER}="{escape(number or "")}">{"".join(self.blocks(item))}</li>'
        self._list, self._depth = before if before[1] else (self._list, 0)

    def _rows(self, table: _Element) -> Iterator[str]:
        for row in table.iter("{*}table-row"):
            tag = "th" if local_name(row.getparent()) == "table-header-rows" else "td"
            cells = [
                f'<{tag} colspan="{value(cell, "number-columns-spanned") or 1}" '
                f'rowspan="{value(cell, "number-rows-spanned") or 1}">'
                f"{''.join(self.inline(cell))}</{tag}>"
                for cell in row.iterchildren("*")
                if local_name(cell) != "covered-table-cell"
            ]
            yield f"<tr>{''.join(cells)}</tr>"

    def inline(self, element: _Element) -> Iterator[str]:
        """Write what stands in a line."""
        yield escape(element.text or "")
        for child in element.iterchildren("*"):
            name = local_name(child)
            if name in _SPACES:
                yield _SPACES[name]
            elif name in {"note", "annotation"}:
                self._wait(child)
            elif name not in _UNSEEN:
                yield " " if name in {"p", "h"} else ""
                text = "".join(self.inline(child))
                tag = self._tags.get(value(child, "style-name")) if name == "span" else None
                yield f"<{tag}>{text}</{tag}>" if tag else text
            yield escape(child.tail or "")

    def _wait(self, note: _Element) -> None:
        by = next((each.text or "" for each in note.iter("{*}creator")), "")
        self._noted += local_name(note) == "note"
        comment = f"comment by {by}" if by else "comment"
        label = comment if local_name(note) == "annotation" else f"note {self._noted}"
        self._waiting.append(aside(label, "".join(self.inline(note))))


def _tag(facts: _Element) -> str:
    """Name the element of HTML for text that is struck out, lowered or raised."""
    if value(facts, "text-line-through-style") not in {"", "none"}:
        return "s"
    place = value(facts, "text-position")
    if not place or place.startswith("0%"):
        return ""
    return "sub" if place.startswith(("sub", "-")) else "sup"


def _level(stated: _Element) -> tuple[int, Level]:
    place = int(value(stated, "level") or 1)
    shown = int(value(stated, "display-levels") or 1)
    template = ".".join(f"%{each}" for each in range(place - shown + 1, place + 1))
    start = value(stated, "start-value")
    return place - 1, Level(
        written=value(stated, "num-format"),
        template=f"{value(stated, 'num-prefix')}{template}{value(stated, 'num-suffix')}",
        start=int(start) if start.isdecimal() else 1,
    )
