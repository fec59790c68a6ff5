"""EPUB books: the chapters of the spine, in their order, each read as HTML."""

import posixpath
from urllib.parse import unquote

from lxml.etree import _Element  # type: ignore[import-untyped]  # it ships no types

from caveat.adapters.documents.archive import Archive
from caveat.adapters.documents.composer import Composer
from caveat.adapters.documents.encoding import declared_in, decoded
from caveat.adapters.documents.html import add_fragment
from caveat.adapters.documents.loaded import Loaded, Metadata
from caveat.adapters.documents.metadata import date_of, known_kind_of, title_of, url_of
from caveat.contracts.source import SourceKind
from caveat.rules.sources import is_own_report

_CONTAINER = "META-INF/container.xml"


def load_epub(data: bytes) -> Loaded:
    """Read a book.

    Raises:
        Unreadable: it is damaged, locked, or no book.
    """
    archive = Archive(data)
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
    return Loaded(snapshot, _stated(package), is_own_report(snapshot.text))


def _spine(package: _Element, folder: str) -> list[str]:
    files = {item.get("id"): item.get("href", "") for item in package.iterfind(".//{*}item")}
    chapters = (files.get(each.get("idref"), "") for each in package.iterfind(".//{*}itemref"))
    return [posixpath.normpath(posixpath.join(folder, unquote(each))) for each in chapters if each]


def _stated(package: _Element) -> Metadata:
    def first(name: str) -> str:
        found = package.find(f".//{{http://purl.org/dc/elements/1.1/}}{name}")
        return "" if found is None else found.text or ""

    return Metadata(
        title=title_of(first("title")),
        url=url_of(first("identifier")),
        published=date_of(first("date")),
        kind=known_kind_of(first("type")) or SourceKind.BOOK,
    )
