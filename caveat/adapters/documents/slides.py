"""PowerPoint's .pptx, written as HTML: slides with tables, charts, notes and comments."""

import posixpath
from collections.abc import Iterator
from html import escape

from lxml.etree import _Element  # type: ignore[import-untyped]  # it ships no types

from caveat.adapters.documents.archives import (
    Archive,
    read_alternative,
    read_facts,
    render_aside,
    render_drawn,
    render_line,
    render_row,
    strip_namespace,
)
from caveat.adapters.documents.composer import Composer
from caveat.adapters.documents.html import add_fragment
from caveat.adapters.documents.loaded import Metadata
from caveat.adapters.documents.word import read_attribute

_MAIN = "ppt/presentation.xml"
_TITLES = frozenset({"title", "ctrTitle"})
_FURNITURE = frozenset({"sldNum", "dt", "ftr"})
"""What stands at the foot of each slide: its number, and what is said once."""
_BESIDE = {"notesSlide": "notes", "comments": "comment", "chart": "", "diagramData": ""}


def load_slides(composer: Composer, data: bytes) -> Metadata:
    archive = Archive(data, composer.losses)
    related = dict(_list_relations(archive, _MAIN))
    footers = {""}
    shown = archive.parse_member(_MAIN).iterfind(".//{*}sldIdLst/{*}sldId")
    for number, slide in enumerate(shown, start=1):
        kind, place = related.get(read_attribute(slide, "id"), ("", ""))
        if kind != "slide":
            composer.losses.append(f"slide {number}: missing")
            continue
        part = archive.parse_part(place)
        is_hidden = part.get("show") in {"0", "false"}
        composer.leave_headings()
        composer.begin_page(f"slide {number} (hidden)" if is_hidden else f"slide {number}")
        add_fragment(composer, "".join(_render_shapes(part)))
        for shape in part.iter("{*}sp"):
            lines = ("".join(p.itertext("{*}t")) for p in shape.iterfind("{*}txBody/{*}p"))
            footer = " ".join(lines) if _find_kind(shape) in {"dt", "ftr"} else ""
            if footer not in footers:
                footers.add(footer)
                composer.add_paragraph(footer, name="footer")
        for beside, there in dict(_list_relations(archive, place)).values():
            if beside in _BESIDE:
                aside, label = archive.parse_part(there), _BESIDE[beside]
                is_slide = label == "notes"  # as it is built
                text = "".join(_render_shapes(aside)) if is_slide else render_drawn(aside)
                add_fragment(composer, render_aside(label, text) if label else text)
    return read_facts(archive)


def _list_relations(archive: Archive, place: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield what a part refers to: its id there, its kind and its name."""
    folder, name = posixpath.split(place)
    listed = f"{folder}/_rels/{name}.rels"
    for each in archive.parse_part(listed).iterchildren("*"):
        target = posixpath.normpath(posixpath.join(folder, each.get("Target", ""))).lstrip("/")
        kind = each.get("Type", "").rpartition("/")[2]
        if target in archive.names:
            yield each.get("Id", ""), (kind, target)


def _render_shapes(element: _Element) -> Iterator[str]:
    for child in element.iterchildren("*"):
        match strip_namespace(child):
            case "sp" | "cxnSp":
                yield from _render_shape(child)
            case "cNvPr" if words := read_alternative(child):
                yield f"<p>[picture: {escape(words)}]</p>"
            case "tbl":
                yield f"<table>{''.join(_render_rows(child))}</table>"
            case "Fallback":
                pass
            case _:
                yield from _render_shapes(child)


def _find_kind(shape: _Element) -> str:
    holder = shape.find(".//{*}nvPr/{*}ph")
    return "" if holder is None else str(holder.get("type", ""))


def _render_shape(shape: _Element) -> Iterator[str]:
    kind = _find_kind(shape)
    if kind in _FURNITURE:
        return
    for facts in shape.iterfind("*/{*}cNvPr"):
        if words := read_alternative(facts):
            yield f"<p>[picture: {escape(words)}]</p>"
    for paragraph in shape.iterfind("{*}txBody/{*}p"):
        text = render_line(paragraph)
        yield f"<h1>{text}</h1>" if kind in _TITLES else f"<p>{text}</p>"


def _render_rows(table: _Element) -> Iterator[str]:
    facts = table.find("{*}tblPr")
    has_head = facts is not None and facts.get("firstRow") in {"1", "true"}
    for number, row in enumerate(table.iterfind("{*}tr")):
        cells = (
            ("<br>".join(map(render_line, cell.iterfind("{*}txBody/{*}p"))), *spans)
            for cell in row.iterfind("{*}tc")
            if not {"hMerge", "vMerge"} & set(cell.keys())
            for spans in [(cell.get("gridSpan", 1), cell.get("rowSpan", 1))]
        )
        yield render_row(cells, is_head=has_head and not number)
