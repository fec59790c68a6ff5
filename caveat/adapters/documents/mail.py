"""Mail, .eml and .mbox: who wrote when to whom, the text, and the names of what is attached."""

import datetime as dt
import re
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage, MIMEPart
from email.utils import parsedate_to_datetime

from caveat.adapters.documents.composer import Composer
from caveat.adapters.documents.encoding import decode_text
from caveat.adapters.documents.html import add_fragment
from caveat.adapters.documents.loaded import Loaded, Metadata, Unreadable
from caveat.adapters.documents.metadata import parse_title
from caveat.adapters.documents.plain import add_text
from caveat.rules.sources import is_own_report

_SHOWN = ("From", "To", "Cc", "Date")
_FROM = re.compile(rb"(?:\A|(?:\r?\n){2})From .+\n")
"""What stands before each message of a box, behind an empty line."""
_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)


def load_message(data: bytes) -> Loaded:
    """Read one message."""
    return _load_messages([data])


def load_box(data: bytes) -> Loaded:
    """Read the messages of a box."""
    pieces = _FROM.split(data)[1:]
    return _load_messages([_QUOTED.sub(rb"\1", piece) for piece in pieces or [data]])


def _load_messages(messages: list[bytes]) -> Loaded:
    composer = Composer()
    losses: list[str] = []
    parsed = [_parse_message(each) for each in messages]
    for message in parsed:
        _add(composer, message, losses)
    snapshot = composer.finish()
    first = parsed[0] if len(parsed) == 1 else None
    metadata = Metadata(
        title=parse_title(str(first["Subject"] or "")) if first else None,
        published=_parse_day(first) if first else None,
        authors=_list_senders(first) if first else (),
    )
    return Loaded(snapshot, metadata, is_own_report(snapshot.text), tuple(losses))


def _list_senders(message: EmailMessage) -> tuple[str, ...]:
    """Name who wrote a message, without what they are: `"Ada Byron, plant manager" <ada@…>`."""
    header = message["From"]
    named = [each.display_name for each in header.addresses] if header is not None else []
    return tuple(name.split(",")[0].strip() for name in named if name)


def _parse_message(data: bytes) -> EmailMessage:
    message = message_from_bytes(data, policy=policy.default)
    if not isinstance(message, EmailMessage) or not message.keys():
        raise Unreadable
    return message


def _add(composer: Composer, message: EmailMessage, losses: list[str]) -> None:
    composer.add_heading(1, str(message["Subject"] or "No subject"))
    composer.add_verbatim("\n".join(f"{name}: {message[name]}" for name in _SHOWN if message[name]))
    for part in _list_parts(message):
        kind = part.get_content_type()
        if kind in {"text/html", "text/plain"} and not part.is_attachment():
            (add_fragment if kind == "text/html" else add_text)(composer, _decode_part(part))
        else:
            name = part.get_filename() or kind
            composer.add_paragraph(f"Attached: {name}")
            losses.append(f"the attachment {name}")


def _decode_part(part: MIMEPart) -> str:
    data = part.get_payload(decode=True)
    charset = part.get_content_charset()
    return decode_text(data, declared=charset, forgiving=True) if isinstance(data, bytes) else ""


def _list_parts(part: MIMEPart) -> Iterator[MIMEPart]:
    """Yield what a message shows or brings, of alternatives the richest."""
    if part.get_content_maintype() != "multipart":
        yield part
        return
    is_choice = part.get_content_subtype() == "alternative"
    best = part.get_body(("related", "html", "plain")) if is_choice else None
    for each in part.iter_parts() if best is None else [best]:
        yield from _list_parts(each)


def _parse_day(message: EmailMessage) -> dt.date | None:
    try:
        return parsedate_to_datetime(str(message["Date"])).date()
    except (ValueError, TypeError):
        return None
