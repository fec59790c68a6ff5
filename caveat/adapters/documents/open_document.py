"""OpenDocument's .odt, written as HTML: with numbers, notes, comments, headers and footers."""

from collections.abc import Iterator
from html import escape

from lxml.etree import _Element  # type: ignore[import-untyped]  # it ships no types

from caveat.adapters.documents.archives import (
    LEFT_OUT,
    Archive,
    read_facts,
    render_aside,
    render_row,
    strip_namespace,
)
from caveat.adapters.documents.composer import Composer, name_comment
from caveat.adapters.documents.html import NUMBER, add_fragment, parse_number
from caveat.adapters.documents.loaded import Metadata
from caveat.adapters.documents.numbering import Level, Numbering
from caveat.adapters.documents.word import read_attribute

_SPACES = {"s": " ", "tab": " ", "line-break": "<br>"}
_UNSEEN = LEFT_OUT | {"forms"}
_HIDDEN = "hidden"
_BESIDE = {
    f"{edge}{pages}": f"page {edge}"
    for edge in ("header", "footer")
    for pages in ("", "-left", "-first")
}


def load_open_document(composer: Composer, data: bytes) -> Metadata:
    archive = Archive(data, composer.losses)
    content = archive.parse_member("content.xml")
    styles = archive.parse_part("styles.xml") if "styles.xml" in archive.names else content
    writer = _Writer([content, styles])
    markup = [piece for body in content.iter("{*}body") for piece in writer.render_blocks(body)]
    for kind, label in _BESIDE.items():
        for part in styles.iterfind(f".//{{*}}master-page/{{*}}{kind}"):
            markup += [render_aside(label, "".join(writer.render_inline(part)))]
    if any(True for _ in content.iter("{*}object-ole", "{*}applet", "{*}plugin")):
        composer.losses.append("embedded objects")
    if any(True for forms in content.iter("{*}forms") for _ in forms.iterdescendants()):
        composer.losses.append("the fields of its forms")
    add_fragment(composer, "".join(markup))
    return read_facts(archive, "meta.xml")


class _Writer:
    def __init__(self, parts: list[_Element]) -> None:
        self._tags = {
            read_attribute(style, "name"): tag
            for part in parts
            for style in part.iter("{*}style")
            for facts in style.iter("{*}text-properties")
            if (tag := _tag(facts))
        }
        self._numbering = Numbering()
        for part in parts:
            for style in part.iter("{*}list-style"):
                name = read_attribute(style, "name")
                self._numbering.add(name, name, dict(map(_parse_level, style.iterchildren("*"))))
        self._list, self._depth = "", 0
        self._noted = 0
        self._waiting: list[str] = []

    def render_blocks(self, element: _Element) -> Iterator[str]:
        """Write what stands below one another."""
        for child in element.iterchildren("*"):
            match strip_namespace(child):
                case "h":
                    level = read_attribute(child, "outline-level")
                    tag = f"h{min(6, int(level)) if level.isdecimal() else 1}"
                    yield f"<{tag}>{''.join(self.render_inline(child))}</{tag}>"
                case "p":
                    yield f"<p>{''.join(self.render_inline(child))}</p>"
                case "section" if read_attribute(child, "display") == "none":
                    yield render_aside("hidden", "".join(self.render_blocks(child)))
                case "list":
                    yield from self._render_items(child)
                case "table":
                    texts = (child.findtext(f"{{*}}{name}") for name in ("title", "desc"))
                    captions = (f"<caption>{escape(each)}</caption>" for each in texts if each)
                    yield f"<table>{''.join((*captions, *self._render_rows(child)))}</table>"
                case name if name not in _UNSEEN:
                    yield from self.render_blocks(child)
            taken, self._waiting = self._waiting, []
            yield from taken

    def _render_items(self, items: _Element) -> Iterator[str]:
        before = self._list, self._depth
        named = read_attribute(items, "style-name")
        if (
            not self._depth
            and named != self._list
            and read_attribute(items, "continue-numbering") != "true"
        ):
            self._numbering.restart(named)
        self._list, self._depth = named or self._list, self._depth + 1
        for item in items.iterchildren("*"):
            is_numbered = strip_namespace(item) == "list-item"
            number = self._numbering.number_item(self._list, self._depth - 1) if is_numbered else ""
            yield f'<li {NUMBER}="{escape(number or "")}">{"".join(self.render_blocks(item))}</li>'
        self._list, self._depth = before if before[1] else (self._list, 0)

    def _render_rows(self, table: _Element) -> Iterator[str]:
        for row in table.iter("{*}table-row"):
            cells = [each for each in row.iterchildren("*") if "covered" not in str(each.tag)]
            spans = (
                tuple(read_attribute(cell, f"number-{each}-spanned") or "1" for cell in cells)
                for each in ("columns", "rows")
            )
            texts = ["".join(self.render_inline(cell)) for cell in cells]
            if texts and read_attribute(row, "visibility") in {"collapse", "filter"}:
                texts[0] += " (hidden row)"
            is_head = strip_namespace(row.getparent()) == "table-header-rows"
            yield render_row(zip(texts, *spans, strict=True), is_head=is_head)

    def render_inline(self, element: _Element) -> Iterator[str]:
        """Write what stands in a line."""
        yield escape(element.text or "")
        for child in element.iterchildren("*"):
            name = strip_namespace(child)
            if name in _SPACES:
                yield _SPACES[name]
            elif name in {"note", "annotation"}:
                by = next((each.text or "" for each in child.iter("{*}creator")), "")
                is_comment = name == "annotation"
                self._noted += not is_comment
                label = name_comment(by) if is_comment else f"note {self._noted}"
                self._waiting.append(render_aside(label, "".join(self.render_inline(child))))
            elif name not in _UNSEEN:
                yield " " if name in {"p", "h", "title", "desc"} else ""
                text = "".join(self.render_inline(child))
                tag = (
                    self._tags.get(read_attribute(child, "style-name")) if name == "span" else None
                )
                is_hidden = tag == _HIDDEN
                text = f"<{tag}>{text}</{tag}>" if tag and not is_hidden else text
                yield f"[hidden: {text}]" if is_hidden else text
            yield escape(child.tail or "")


def _tag(facts: _Element) -> str:
    """Name the element of HTML for text that is struck out, lowered or raised; or it is hidden."""
    if read_attribute(facts, "display") == "none":
        return _HIDDEN
    if read_attribute(facts, "text-line-through-style") not in {"", "none"}:
        return "s"
    place = read_attribute(facts, "text-position")
    if not place or place.startswith("0%"):
        return ""
    return "sub" if place.startswith(("sub", "-")) else "sup"


def _parse_level(stated: _Element) -> tuple[int, Level]:
    place = int(read_attribute(stated, "level") or 1)
    shown = int(read_attribute(stated, "display-levels") or 1)
    template = ".".join(f"%{each}" for each in range(place - shown + 1, place + 1))
    before, after = read_attribute(stated, "num-prefix"), read_attribute(stated, "num-suffix")
    return place - 1, Level(
        written=read_attribute(stated, "num-format"),
        template=f"{before}{template}{after}",
        start=parse_number(read_attribute(stated, "start-value")),
    )
