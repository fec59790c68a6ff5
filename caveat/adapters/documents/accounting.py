"""Accounting: each word that a document holds is in the text that was read, or named as lost.

The words of the source are found by another and simpler way than the reader's: all text of the
XML, all strings of JSON, all characters of a page. What may be left out without a word of it is
listed here: fields that became metadata, and those of a file's or a mail's own; mark-up with its
comments, templates, names of options, and attributes, such as tooltips; scripts and what navigates
or commands a page, labels of what has words, the notation of a formula; deleted words, tables of
contents and entries of an index, numbers of notes, pages and slides, what sheets print at the edges
of pages and masters on every slide, and what is said again, such as a running title.
"""

import html
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from email import message_from_bytes
from functools import partial

from lxml.etree import _Element, iterwalk  # type: ignore[import-untyped]  # it ships no types

from caveat.adapters.documents.archives import LEFT_OUT, Archive, read_alternative, strip_namespace
from caveat.adapters.documents.encoding import decode_or_replace
from caveat.adapters.documents.html import list_shown_words
from caveat.adapters.documents.loaded import Unreadable
from caveat.adapters.documents.markdown import list_cells, render_markdown
from caveat.adapters.documents.metadata import split_front_matter
from caveat.adapters.documents.plain import parse_json
from caveat.adapters.documents.rich_text import convert_rich_text, strip_deleted
from caveat.rules.lines import cut_words

Source = Iterable[tuple[str, str]]
"""Pieces of a document, each with the name of its place."""

_WORD = re.compile(r"[^\W_]+")
_PARTED = bytes(code if code > 127 or chr(code).isalnum() else 32 for code in range(256))
_NAMED = 5  # places that are named one by one
_NOTE = re.compile(r"\d{1,3}$")  # the number of a footnote behind a word


def list_losses(source: Source, text: str) -> Iterator[str]:
    """Yield how many words of which place are not in a text."""
    tokens = _list_tokens(text)
    known: frozenset[str] = frozenset()
    squeezed = ""
    count = 0
    for place, piece in source:
        # Few words are not written the same way.
        suspects = b" ".join(_list_tokens(piece) - tokens).decode(errors="replace")
        if suspects and not known:
            known = _list_words(text)
            squeezed = "".join(_WORD.findall(_normalise(text)))
        missing = sorted(_list_words(suspects) - known)
        # A word may be written in two, with a raised figure, or with the number of a note.
        lost = [w for w in missing if w not in squeezed and _NOTE.sub("", w) not in known]
        if not lost:
            continue
        count += 1
        if count <= _NAMED:
            shown = f"{len(lost):,} words" if len(lost) > 1 else "a word"
            yield f"{place}{': ' if place else ''}{shown} not read, such as “{max(lost, key=len)}”"
    if count > _NAMED:
        yield f"words of {count - _NAMED:,} more places not read"


def list_source(written_in: str, data: bytes, text: str) -> Source:
    """List what a document holds, by the simplest way; nothing of formats that account themselves.

    Args:
        text: what was decoded of it, "" where it is an archive.
    """
    return _SOURCES[written_in](data, text) if written_in in _SOURCES else ()


def _normalise(text: str) -> str:
    return text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def _list_tokens(text: str) -> frozenset[bytes]:
    """Cut a text at white space and signs of ASCII, in an eighth of the time of words."""
    return frozenset(text.encode(errors="replace").translate(_PARTED).split())


def _list_words(text: str) -> frozenset[str]:
    return frozenset(cut_words(_normalise(text.replace("\u00ad", ""))))


_MARKUP = re.compile(
    r"<(?:!--.*?-->|script\b.*?</script>|sup class=.footnote.*?</sup>|/?[a-z][^<>]*>)",
    re.DOTALL | re.IGNORECASE,
)
_SAID = re.compile(r'="(?:(?<=\balt=")|(?<=\btitle="))([^"]*)"')


def _strip_markdown(text: str) -> str:
    markup = render_markdown(text)
    return html.unescape(" ".join((_MARKUP.sub(" ", markup), *_SAID.findall(markup))))


def _list_strings(value: object) -> Iterator[str]:
    """Yield the values of JSON, and the names of what has one."""
    if isinstance(value, dict):
        for name, each in value.items():
            if strings := list(_list_strings(each)):
                yield from (name, *strings)
    elif isinstance(value, list):
        for each in value:
            yield from _list_strings(each)
    elif value is not None:
        yield str(value)


def _list_notebook(text: str) -> Source:
    for number, cell in enumerate(list_cells(json.loads(text)), start=1):
        source = "".join(cell.get("source") or "")
        is_prose = cell.get("cell_type") == "markdown"
        yield f"cell {number}", _strip_markdown(source) if is_prose else source
        for output in cell.get("outputs") or ():
            shown = output.get("data") or output
            lines = [*shown.get("text", ()), "\n", *output.get("traceback", ())]
            yield f"cell {number}", _COLOURS.sub("", "".join(lines))
            for name in ("text/html", "image/svg+xml"):
                for _, words in list_shown_words("".join(shown.get(name, ()))):
                    yield f"cell {number}", words


_COLOURS = re.compile(r"\x1b\[[\d;]*m")


def _list_messages(data: bytes) -> Source:
    """Yield the subject and the shown texts of each message of a mail or a box."""
    pieces = [piece for piece in re.split(rb"(?:\A|(?:\r?\n){2})From .+\n", data) if piece.strip()]
    for number, piece in enumerate(pieces, start=1):
        message = message_from_bytes(piece)
        place, texts = f"message {number}" if len(pieces) > 1 else "", list[str]()
        for part in message.walk() if message.keys() else ():
            is_text = part.get_content_type() in {"text/plain", "text/html"}
            if not is_text or part.get_content_disposition() == "attachment":
                continue
            body = part.get_payload(decode=True)
            text, loss = decode_or_replace(body or b"", part.get_content_charset())  # type: ignore[arg-type]  # of a decoded part it is bytes
            is_page = part.get_content_subtype() == "html"
            pieces_shown = list_shown_words(text) if is_page else [("", text)]
            texts += [] if loss else [words for _, words in pieces_shown]
        yield place, " ".join(texts)


def _list_book(data: bytes) -> Source:
    archive = Archive(data, [])
    for name in archive.names:
        if name.endswith((".xhtml", ".html", ".htm")):
            with suppress(Unreadable):  # which its reader has named
                shown = list_shown_words(archive.read_member(name).decode(errors="replace"))
                yield name, " ".join(words for _, words in shown)


_MEMBERS: Mapping[str, re.Pattern[str]] = {
    "word": re.compile(
        r"word/(?:document\d*|header\d*|footer\d*|footnotes|endnotes|comments|"
        r"(?:charts/chart|diagrams/data)\d*)\.xml"
    ),
    "slides": re.compile(
        r"ppt/(?:slides|notesSlides|comments|charts|diagrams)/"
        r"(?:slide|notesSlide|comment|modernComment|chart|data)[\w-]*\.xml"
    ),
    "sheets": re.compile(
        r"xl/(?:sharedStrings|comments\d*|worksheets/sheet\d+|(chart|drawing|comment|threadedComment)s/"
        r"\1\d+)\.xml"
    ),
    "open-document": re.compile(r"(?:[^/]+/)?content\.xml|styles\.xml"),
}
"""The members of archives that hold what people wrote."""
_TEXT, _PICTURES = frozenset({"t", "v", "text"}), frozenset({"docPr", "cNvPr", "shape"})
_DELETED = LEFT_OUT | {"rPh", "f", "sldNum", "phoneticPr", "extLst", "scripts", "styles"}


def _list_members(names: re.Pattern[str], data: bytes, _: str) -> Source:
    archive = Archive(data, [])
    for name in sorted(archive.names):
        if not names.fullmatch(name):
            continue
        try:
            root = archive.parse_member(name)
        except Unreadable:  # which its reader has named
            continue
        is_open = name.rpartition("/")[2] in {"content.xml", "styles.xml"}
        pieces = _list_text(root, is_open=is_open)
        place = name if name.endswith("/content.xml") else name.rpartition("/")[2]
        yield place.removesuffix(".xml"), " ".join(pieces)


def _list_text(root: _Element, *, is_open: bool) -> Iterator[str]:
    """Yield the texts of an XML file, in pieces as small as its runs."""
    walk = iterwalk(root, events=("start",), tag="{*}*")
    for _, element in walk:
        name = strip_namespace(element)
        if name in _DELETED or _is_furniture(element, name):
            walk.skip_subtree()
        else:
            yield read_alternative(element) if name in _PICTURES else ""
            yield element.text or "" if is_open or name in _TEXT else ""
        yield element.tail or "" if is_open else ""


def _is_furniture(element: _Element, name: str) -> bool:
    """Whether an element is a line of contents, a cell that refers to a string, or a number."""
    if name == "p":
        style = element.find("{*}pPr/{*}pStyle")
        return style is not None and any("TOC" in value.upper() for value in style.attrib.values())
    if name == "c":
        return element.get("t") not in {"str", "inlineStr"}
    holder = element.find("{*}nvSpPr/{*}nvPr/{*}ph") if name == "sp" else None
    return holder is not None and holder.get("type") == "sldNum"


_SOURCES: Mapping[str, Callable[[bytes, str], Source]] = {
    "plain": lambda _, text: [("", split_front_matter(text)[2])],
    "markdown": lambda _, text: [("", _strip_markdown(split_front_matter(text)[2]))],
    "html": lambda _, text: list_shown_words(text),
    "table": lambda _, text: [("", split_front_matter(text)[2])],
    "data": lambda _, text: [("", " ".join(_list_strings(parse_json(text))))],
    "notebook": lambda _, text: _list_notebook(text),
    "message": lambda data, _: _list_messages(data),
    "box": lambda data, _: _list_messages(data),
    "epub": lambda data, _: _list_book(data),
    "rich-text": lambda data, _: [("", convert_rich_text(strip_deleted(data)))],
    **{name: partial(_list_members, members) for name, members in _MEMBERS.items()},
}
