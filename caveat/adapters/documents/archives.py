"""Documents that are archives, ZIP files with XML inside: Word, OpenDocument and EPUB."""

import io
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import unquote

import lxml.etree  # type: ignore[import-untyped]  # it ships no types
from lxml.etree import _Element

from caveat.adapters.documents.composer import Composer
from caveat.adapters.documents.encoding import declared_in, decoded
from caveat.adapters.documents.html import add_fragment, load_html
from caveat.adapters.documents.loaded import Loaded, Metadata, Unreadable, Why
from caveat.adapters.documents.metadata import date_of, known_kind_of, title_of, url_of
from caveat.contracts.source import SourceKind
from caveat.rules.sources import is_own_report

_UNPACKED = 100 * 1000 * 1000
"""Bytes that one archive may hold, unpacked; a book with pictures has a third, and pictures are
not unpacked."""

_WORD_STYLES = "p[style-name='Title'] => h1:fresh\np[style-name='Subtitle'] => p:fresh"
_WORD_CORE = "docProps/core.xml"

_SPACES = {"s": " ", "tab": " ", "line-break": " "}
_UNSEEN = frozenset({"tracked-changes", "note-citation", "annotation", "annotation-end", "forms"})

_CONTAINER = "META-INF/container.xml"


class _Archive:
    """The members of a ZIP file, by name.

    Raises:
        Unreadable: it is no archive, damaged, encrypted, or holds more than is unpacked.
    """

    def __init__(self, data: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OSError) as error:
            raise Unreadable from error
        self._left = _UNPACKED

    def names(self, wanted: str) -> frozenset[str]:
        """Return the names of the members; without the one that is wanted, it is damaged."""
        names = frozenset(self._zip.namelist())
        if wanted not in names:
            raise Unreadable
        return names

    def content(self, name: str) -> bytes:
        """Return one member; a name that is none is damage."""
        try:
            with self._zip.open(name) as member:
                data = member.read(self._left + 1)
        except RuntimeError as error:  # zipfile's word for what is encrypted
            raise Unreadable("is locked with a password") from error
        except (KeyError, zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError) as error:
            raise Unreadable from error
        self._left -= len(data)
        if self._left < 0:
            raise Unreadable("unpacks to more than is read of one document", Why.TOO_LARGE)
        return data

    def tree(self, name: str) -> _Element:
        """Return one member, which is XML; no entity is resolved and nothing else is opened."""
        parser = lxml.etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, recover=True
        )
        root = lxml.etree.fromstring(self.content(name), parser)
        if root is None:
            raise Unreadable
        return root


def _local_name(element: _Element) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def load_word(data: bytes) -> Loaded:
    """Read a .docx by mammoth, whose HTML is read as any other; pictures are left out.

    Raises:
        Unreadable: it is damaged, locked, or no such document.
    """
    import mammoth  # noqa: PLC0415  # the others take none of it

    archive = _Archive(data)
    names = archive.names("word/document.xml")
    for name in names:  # bounds what mammoth unpacks after this
        if name.endswith((".xml", ".rels")):
            archive.content(name)
    metadata = _word_metadata(archive) if _WORD_CORE in names else Metadata()
    drawn = mammoth.images.img_element(lambda _: {"src": ""})
    markup = mammoth.convert_to_html(
        io.BytesIO(data), style_map=_WORD_STYLES, convert_image=drawn, external_file_access=False
    ).value
    return replace(load_html(markup), metadata=metadata)


def _word_metadata(archive: _Archive) -> Metadata:
    facts = {
        _local_name(each): each.text or "" for each in archive.tree(_WORD_CORE).iterchildren("*")
    }
    day = facts.get("modified") or facts.get("created") or ""
    return Metadata(title=title_of(facts.get("title", "")), published=date_of(day))


def load_open_document(data: bytes) -> Loaded:
    """Read an .odt.

    Raises:
        Unreadable: it is damaged, locked, or no such document.
    """
    archive = _Archive(data)
    names = archive.names("content.xml")
    composer = Composer()
    for text in archive.tree("content.xml").iter("{*}body"):
        _add_blocks(composer, text)
    snapshot = composer.finish()
    metadata = _open_document_metadata(archive) if "meta.xml" in names else Metadata()
    return Loaded(snapshot, metadata, is_own_report(snapshot.text))


def _add_blocks(composer: Composer, element: _Element) -> None:
    for child in element.iterchildren("*"):
        match _local_name(child):
            case "h":
                level = child.get(f"{{{child.nsmap[child.prefix]}}}outline-level", "1")
                composer.heading(min(6, int(level)) if level.isdecimal() else 1, _words(child))
            case "p":
                composer.paragraph(_words(child))
            case "table-row":
                in_head = _local_name(child.getparent()) == "table-header-rows"
                composer.row(map(_words, child.iterchildren("*")), is_named=not in_head)
            case name if name not in _UNSEEN:
                _add_blocks(composer, child)


def _words(element: _Element) -> str:
    return "".join(_pieces(element))


def _pieces(element: _Element) -> Iterator[str]:
    yield element.text or ""
    for child in element.iterchildren("*"):
        name = _local_name(child)
        if name in _SPACES:
            yield _SPACES[name]
        elif name not in _UNSEEN:
            yield " " if name in {"p", "h", "note"} else ""
            yield from _pieces(child)
        yield child.tail or ""


def _open_document_metadata(archive: _Archive) -> Metadata:
    facts = {_local_name(each): each.text or "" for each in archive.tree("meta.xml").iter("*")}
    day = facts.get("date") or facts.get("creation-date") or ""
    return Metadata(title=title_of(facts.get("title", "")), published=date_of(day))


def load_epub(data: bytes) -> Loaded:
    """Read a book.

    Raises:
        Unreadable: it is damaged, locked, or no book.
    """
    archive = _Archive(data)
    names = archive.names(_CONTAINER)
    root = archive.tree(_CONTAINER).find(".//{*}rootfile")
    place = root.get("full-path", "") if root is not None else ""
    package = archive.tree(place)
    composer = Composer()
    for name in _spine(package, posixpath.dirname(place)):
        if name in names:
            markup = archive.content(name)
            add_fragment(composer, decoded(markup, declared=declared_in(markup), forgiving=True))
    snapshot = composer.finish()
    return Loaded(snapshot, _package_metadata(package), is_own_report(snapshot.text))


def _spine(package: _Element, folder: str) -> list[str]:
    files = {item.get("id"): item.get("href", "") for item in package.iterfind(".//{*}item")}
    chapters = (files.get(each.get("idref"), "") for each in package.iterfind(".//{*}itemref"))
    return [posixpath.normpath(posixpath.join(folder, unquote(each))) for each in chapters if each]


def _package_metadata(package: _Element) -> Metadata:
    def first(name: str) -> str:
        found = package.find(f".//{{http://purl.org/dc/elements/1.1/}}{name}")
        return "" if found is None else found.text or ""

    return Metadata(
        title=title_of(first("title")),
        url=url_of(first("identifier")),
        published=date_of(first("date")),
        kind=known_kind_of(first("type")) or SourceKind.BOOK,
    )
