"""OpenDocument texts (ISO/IEC 26300): the elements that hold words, in reading order."""

from collections.abc import Iterator

from lxml.etree import _Element  # type: ignore[import-untyped]  # it ships no types

from caveat.adapters.documents.archive import Archive, local_name
from caveat.adapters.documents.composer import Composer
from caveat.adapters.documents.loaded import Loaded, Metadata
from caveat.adapters.documents.metadata import date_of, title_of
from caveat.rules.sources import is_own_report

_SPACES = {"s": " ", "tab": " ", "line-break": " "}
_UNSEEN = frozenset({"tracked-changes", "note-citation", "annotation", "annotation-end", "forms"})


def load_open_document(data: bytes) -> Loaded:
    """Read an .odt.

    Raises:
        Unreadable: it is damaged, locked, or no such document.
    """
    archive = Archive(data)
    names = archive.names("content.xml")
    composer = Composer()
    for text in archive.tree("content.xml").iter("{*}body"):
        _add(composer, text)
    snapshot = composer.finish()
    metadata = _stated(archive) if "meta.xml" in names else Metadata()
    return Loaded(snapshot, metadata, is_own_report(snapshot.text))


def _add(composer: Composer, element: _Element) -> None:
    for child in element.iterchildren("*"):
        match local_name(child):
            case "h":
                level = child.get(f"{{{child.nsmap[child.prefix]}}}outline-level", "1")
                composer.heading(min(6, int(level)) if level.isdecimal() else 1, _words(child))
            case "p":
                composer.paragraph(_words(child))
            case "table-row":
                in_head = local_name(child.getparent()) == "table-header-rows"
                composer.row(map(_words, child.iterchildren("*")), is_named=not in_head)
            case name if name not in _UNSEEN:
                _add(composer, child)


def _words(element: _Element) -> str:
    return "".join(_pieces(element))


def _pieces(element: _Element) -> Iterator[str]:
    yield element.text or ""
    for child in element.iterchildren("*"):
        name = local_name(child)
        if name in _SPACES:
            yield _SPACES[name]
        elif name not in _UNSEEN:
            yield " " if name in {"p", "h", "note"} else ""
            yield from _pieces(child)
        yield child.tail or ""


def _stated(archive: Archive) -> Metadata:
    facts = {local_name(each): each.text or "" for each in archive.tree("meta.xml").iter("*")}
    day = facts.get("date") or facts.get("creation-date") or ""
    return Metadata(title=title_of(facts.get("title", "")), published=date_of(day))
