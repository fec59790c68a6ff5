"""Mail, .eml and .mbox: who wrote when to whom, the text, and what is attached."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from email import message_from_bytes, policy
from email.message import EmailMessage, MIMEPart
from email.utils import parsedate_to_datetime
from itertools import groupby

from selectolax.lexbor import LexborHTMLParser

from caveat.adapters.documents.composer import Composer
from caveat.adapters.documents.encoding import decode_or_replace
from caveat.adapters.documents.html import ASIDE, add_fragment
from caveat.adapters.documents.loaded import Metadata, Unreadable
from caveat.adapters.documents.markdown import add_markdown
from caveat.adapters.documents.metadata import parse_title
from caveat.adapters.documents.plain import add_text, load_table

_SHOWN = ("From", "To", "Cc", "Date")
_FROM = re.compile(rb"(?:\A|(?:\r?\n){2})From .+\n")
"""What stands before each message of a box, behind an empty line."""
_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)
_LINES = re.compile(r"^((?:> ?)*)(.*)$", re.MULTILINE)
_WRITER = re.compile(r"^[^\n]*[\d@][^\n]*(?:\n[^\n]+){0,2}:\Z", re.MULTILINE)
"""What stands above a quote: `On 9 March, Ines Prado wrote:`. A salutation has no day."""


def _add_letter(composer: Composer, text: str) -> None:
    """Add the text of a mail; what it quotes stands under who wrote that, without its marks."""
    writers: dict[int, str] = {}
    last, before = 0, ""
    for depth, lines in groupby(_LINES.findall(text), lambda line: line[0].count(">")):
        blocks = "\n".join(words for _, words in lines).strip().split("\n\n")
        if depth > last and (writer := _WRITER.search(before)):
            writers[last + 1] = writer[0]
        elif writer := _WRITER.search(blocks[0]):
            writers[depth] = writer[0]
        composer.end_terms(depth)
        if depth:
            composer.begin_quote(writers.get(depth, "quoted").rstrip(":"), depth)
        add_text(composer, "\n\n".join(blocks))
        last, before = depth, blocks[-1]
    composer.end_terms()


def _add_page(composer: Composer, markup: str) -> None:
    """Add a mail's page; what it quotes stands under who wrote that."""
    tree = LexborHTMLParser(markup)
    for quote in tree.css("blockquote"):
        above = quote.prev
        while above is not None and not above.text(strip=True):
            above = above.prev
        lines = quote.text(separator="\n", strip=True).split("\n")
        places = ("" if above is None else above.text().strip(), lines[0])
        writers = (writer[0].rstrip(":") for place in places if (writer := _WRITER.search(place)))
        quote.attrs[ASIDE] = " ".join(next(writers, "quoted").split())
    add_fragment(composer, tree.html or "")


_TEXTS: Mapping[str, Callable[[Composer, str], object]] = {
    "text/plain": _add_letter,
    "text/html": _add_page,
    "text/markdown": add_markdown,
    "text/csv": load_table,
    "text/tab-separated-values": load_table,
}
_ENDINGS = {".html": "text/html", ".htm": "text/html", ".md": "text/markdown", ".csv": "text/csv"}
_READ = {*_ENDINGS, ".txt", ".text", ".tsv", ".log", ".rst", ".json", ".xml", ".yaml", ".ics"}
_SAME = {"text/plain", "text/html", "multipart/related"}  # alternatives of one text
_ESCAPED = re.compile("[\udc80-\udcff]")
_DEEPEST = 5  # messages inside one another


def load_message(composer: Composer, data: bytes) -> Metadata:
    message = _parse_message(data)
    if message is None and b"\0" in data:
        raise Unreadable
    if message is None:
        _add_bare(composer, data)
        return Metadata()
    _add_message(composer, message, 1)
    senders = message["From"].addresses if message["From"] is not None else ()
    # Without what they are: `"Ada Byron, plant manager" <ada@…>`.
    authors = (_decode_raw(each.display_name).split(",")[0].strip() for each in senders)
    day = None
    with suppress(ValueError, TypeError):
        day = parsedate_to_datetime(_read_header(message, "Date")).date()
    title = parse_title(_read_header(message, "Subject"))
    return Metadata(title=title, published=day, authors=tuple(filter(None, authors)))


def load_box(composer: Composer, data: bytes) -> Metadata:
    """Read the messages of a box; one that is odd costs no other one."""
    before, *rest = _FROM.split(data)
    pieces = [_QUOTED.sub(rb"\1", piece) for piece in rest or [data]]
    if len(pieces) == 1:
        return load_message(composer, pieces[0])
    if before.strip():
        composer.losses.append("what stands before its first message")
    for number, piece in enumerate(pieces, start=1):
        message, place = _parse_message(piece), f"message {number}: "
        if message is None:
            composer.add_heading(1, f"Message {number}")
            _add_bare(composer, piece, place)
        else:
            _add_message(composer, message, 1, place)
    return Metadata()


def _add_bare(composer: Composer, data: bytes, place: str = "") -> None:
    """Add a message without header lines as a text."""
    add_text(composer, decode_or_replace(data, None)[0])
    composer.losses.append(f"{place}no header lines, and so neither sender nor date")


def _decode_raw(text: str) -> str:
    """Decode what stands in a header as bytes beyond ASCII, which the parser escapes."""
    return decode_or_replace(text.encode("utf-8", "surrogateescape"), None)[0]


def _parse_message(data: bytes) -> EmailMessage | None:
    message = message_from_bytes(data, policy=policy.default)
    return message if isinstance(message, EmailMessage) and message.keys() else None


def _read_header(message: EmailMessage, name: str) -> str:
    """Return a header as it is shown; a malformed one, or one of raw bytes, as it stands."""
    raw = next((value for key, value in message.raw_items() if key.lower() == name.lower()), "")
    with suppress(ValueError, IndexError, AttributeError, LookupError):  # the parser's faults
        if _ESCAPED.search(str(raw)) is None:
            return str(message[name] or "")
    return _decode_raw(str(raw))


def _add_message(composer: Composer, message: EmailMessage, level: int, place: str = "") -> None:
    """Add a message; what of it is not read is lost at a place of its box."""
    composer.add_heading(level, _read_header(message, "Subject") or "No subject")
    shown = [(name, _read_header(message, name)) for name in _SHOWN]
    composer.add_verbatim("\n".join(f"{name}: {value}" for name, value in shown if value))
    for part in _list_parts(message):
        kind = part.get_content_type()
        name = _decode_raw(part.get_filename() or kind)
        ending = name[name.rfind(".") :].lower()
        if kind == "message/rfc822" and level < _DEEPEST:
            for inner in part.iter_parts():
                if isinstance(inner, EmailMessage):
                    _add_message(composer, inner, level + 1, place)
        elif (
            kind.startswith(("text/", "multipart/")) and not part.is_attachment()
        ) or ending in _READ:
            if part.is_attachment():
                composer.add_heading(level + 1, f"Attached: {name}")
            data = part.get_payload(decode=True)
            data = data if isinstance(data, bytes) else b""
            text, loss = decode_or_replace(data, part.get_content_charset())
            _TEXTS.get(_ENDINGS.get(ending, kind), add_text)(composer, text)
            if loss:
                composer.losses.append(f"{place}{name}, {loss}")
        else:
            composer.add_paragraph(f"Attached: {name}")
            composer.losses.append(f"{place}the attachment {name}")


def _list_parts(part: MIMEPart) -> Iterator[MIMEPart]:
    """Yield what a message shows or brings, of alternatives the richest."""
    if not part.is_multipart() or part.get_content_maintype() == "message":
        yield part
        return
    is_choice = part.get_content_subtype() == "alternative"
    best = part.get_body(("related", "html", "plain")) if is_choice else None
    for each in part.iter_parts():
        if best is None or each is best or each.get_content_type() not in _SAME:
            yield from _list_parts(each)
