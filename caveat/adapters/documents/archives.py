"""Documents that are archives, ZIP files with XML inside; and books."""

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterable
from html import escape
from urllib.parse import unquote

import lxml.etree  # type: ignore[import-untyped]  # it ships no types
from lxml.etree import _Element

from caveat.adapters.documents.composer import Composer
from caveat.adapters.documents.encoding import decode_text, find_declared_encoding
from caveat.adapters.documents.html import ASIDE, add_fragment
from caveat.adapters.documents.loaded import Metadata, Unreadable
from caveat.adapters.documents.metadata import parse_metadata, parse_title
from caveat.rules.lines import build_word_list

_LOCKED = "is locked with a password"
_OLD = "is in an old format of Office under a new name; saving it in the new one makes it readable"
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How files of the Office of before 2007 begin, and those that Office locks."""

LEFT_OUT = frozenset(
    build_word_list(
        "del moveFrom delText instrText pPr tracked-changes note-citation annotation-end",
        "table-of-content creator date",
    )
)
"""Elements of Word and OpenDocument that hold no text: what was taken out, contents, numbers."""
_FILE_NAME = re.compile(r"\S+\.\w{2,5}")
_CONTAINER = "META-INF/container.xml"
_DUBLIN_CORE = "http://purl.org/dc/elements/1.1/"
_FACTS = {"url": "identifier", **{each: each for each in ("title", "date", "type", "creator")}}


DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, KeyError),
    NotImplementedError,  # a version or a compression that zipfile does not know
)
"""What comes of reading a damaged archive."""


class Archive:
    """The members of a ZIP file, by name.

    Args:
        losses: takes the names of members of which something is not read.
    """

    def __init__(self, data: bytes, losses: list[str]) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except DAMAGE as error:
            if data.startswith(_OLD_OFFICE):
                is_locked = "EncryptedPackage".encode("utf-16-le") in data
                raise Unreadable(_LOCKED if is_locked else _OLD) from error
            raise Unreadable from error
        parts = self._zip.filelist  # some programs of Windows write their own strokes
        self.names = self._zip.NameToInfo = {p.filename.replace("\\", "/"): p for p in parts}
        self._losses = losses

    def read_member(self, name: str) -> bytes:
        """Return one member; a name that is none is damage."""
        try:
            return self._zip.read(name)
        except DAMAGE as error:
            raise Unreadable from error
        except RuntimeError as error:  # zipfile's word for what is encrypted
            raise Unreadable(_LOCKED) from error

    def parse_member(self, name: str) -> _Element:
        """Return one member, which is XML; no entity is resolved and nothing else is opened."""
        parser = lxml.etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, recover=True
        )
        try:
            root = lxml.etree.fromstring(self.read_member(name), parser)
        except lxml.etree.XMLSyntaxError as error:
            if error.code == lxml.etree.ErrorTypes.ERR_DOCUMENT_EMPTY:
                raise Unreadable from error
            raise
        if root is None:
            manifest = self.read_member("META-INF/manifest.xml")
            raise Unreadable(_LOCKED) if b"encryption-data" in manifest else Unreadable
        if any(error.level >= lxml.etree.ErrorLevels.FATAL for error in parser.error_log):
            self._losses.append(f"{name}: damaged, so that a part of it may be missing")
        return root

    def parse_part(self, name: str) -> _Element:
        """Return one member, which costs no other: empty where it is damaged, or not there."""
        try:
            return self.parse_member(name) if name in self.names else lxml.etree.Element("nothing")
        except Unreadable:
            self._losses.append(f"{name}: damaged")
            return lxml.etree.Element("nothing")

    def find_main(self, usual: str) -> str:
        """Return the name of what a document of Office begins with; on the web it has others."""
        stated = self.parse_part("_rels/.rels").iterchildren("*")
        main = [each for each in stated if each.get("Type", "").endswith("/officeDocument")]
        return next((each.get("Target", "").lstrip("/") for each in main), usual)


def read_alternative(element: _Element) -> str:
    """Return the title of a picture and what it is said to show, but for the name of its file."""
    texts = dict.fromkeys(str(element.get(name) or "") for name in ("title", "descr", "alt"))
    return " ".join(each for each in texts if each and not _FILE_NAME.fullmatch(each))


def strip_namespace(element: _Element) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def read_facts(archive: Archive, facts: str = "docProps/core.xml") -> Metadata:
    """Read the title that a document's part of facts states; the days there are its file's."""
    stated = archive.parse_part(facts).iter("{*}title")
    return Metadata(title=next((parse_title(each.text or "") for each in stated), None))


def render_row(cells: Iterable[tuple[str, object, object]], *, is_head: bool) -> str:
    """Write the row of a table: its cells, each with the columns and rows that it spans."""
    tag = "th" if is_head else "td"
    written = (
        f'<{tag} colspan="{across}" rowspan="{down}">{text}</{tag}>' for text, across, down in cells
    )
    return f"<tr>{''.join(written)}</tr>"


def render_aside(label: str, text: str) -> str:
    """Write what stands beside the text, such as a note, under what it is."""
    return f'<section {ASIDE}="{escape(label)}">{text}</section>'


def render_drawn(part: _Element) -> str:
    """Write a chart, a diagram, or a comment on a slide."""
    lines = [*part.iter("{*}p"), *part.iter("{*}text")]
    text = "".join(f"<p>{render_line(each) or escape(each.text or '')}</p>" for each in lines)
    series = list(part.iter("{*}ser"))
    return text + _render_chart(series) if series else text


def render_line(paragraph: _Element) -> str:
    line = ""
    for child in paragraph.iter("{*}r", "{*}fld", "{*}br"):
        facts = child.find("{*}rPr")
        rise = facts.get("baseline", "0") if facts is not None else "0"
        text = escape("".join(each.text or "" for each in child.iter("{*}t")))
        tag = "" if rise in {"0", "0%"} else "sub" if rise.startswith("-") else "sup"
        line += f"<{tag}>{text}</{tag}>" if tag and text else text or "<br>"
    return line


def _render_chart(series: list[_Element]) -> str:
    names = [_read_points(series[0], "cat") or _read_points(series[0], "xVal")]
    columns = names + [_read_points(each, "val") or _read_points(each, "yVal") for each in series]
    heads = ["", *(" ".join(_read_points(each, "tx").values()) for each in series)]
    rows = ["".join(f"<th>{escape(head)}</th>" for head in heads)]
    rows += [
        "".join(f"<td>{escape(column.get(place, ''))}</td>" for column in columns)
        for place in sorted({place for column in columns for place in column})
    ]
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def _read_points(series: _Element, name: str) -> dict[int, str]:
    points: dict[int, str] = {}
    for point in series.iterfind(f"{{*}}{name}//{{*}}pt"):
        place, value = int(point.get("idx", 0)), point.findtext("{*}v") or ""
        points[place] = f"{points[place]}, {value}" if place in points else value
    return points


def load_epub(composer: Composer, data: bytes) -> Metadata:
    archive = Archive(data, composer.losses)
    root = archive.parse_member(_CONTAINER).find(".//{*}rootfile")
    place = root.get("full-path", "") if root is not None else ""
    package = archive.parse_member(place)
    files = {item.get("id"): item.get("href", "") for item in package.iterfind(".//{*}item")}
    chapters = (files.get(each.get("idref"), "") for each in package.iterfind(".//{*}itemref"))
    for chapter in filter(None, chapters):
        name = posixpath.normpath(posixpath.join(posixpath.dirname(place), unquote(chapter)))
        try:
            markup = archive.read_member(name) if name in archive.names else b""
            text = decode_text(markup, declared=find_declared_encoding(markup), forgiving=True)
            add_fragment(composer, text)
        except Unreadable as error:
            composer.losses.append(f"{name}, which {error}")
        else:
            if not markup:
                composer.losses.append(f"{name}, which the book lists and does not hold")
    stated = {n: package.findtext(f".//{{{_DUBLIN_CORE}}}{name}") for n, name in _FACTS.items()}
    return parse_metadata({n: text for n, text in stated.items() if text} | {"genre": "book"})
