"""What kinds of pages can be read."""

from email.message import Message
from enum import StrEnum

from caveat.adapters.http.refusals import WrongType
from caveat.adapters.web.limits import Limits


class Media(StrEnum):
    """How a page's text is taken out of it."""

    HTML = "html"
    PDF = "pdf"
    PLAIN = "plain"
    MARKDOWN = "markdown"


_TYPES = {
    "text/html": Media.HTML,
    "application/xhtml+xml": Media.HTML,
    "application/pdf": Media.PDF,
    "application/x-pdf": Media.PDF,
    "text/plain": Media.PLAIN,
    "text/markdown": Media.MARKDOWN,
    "text/x-markdown": Media.MARKDOWN,
}
ACCEPT = "text/html, application/xhtml+xml, application/pdf, text/markdown, text/plain;q=0.9"
"""What a request asks for; what comes is checked against the list all the same."""


def media_of(content_type: str) -> Media:
    """Tell how to read a content type.

    Raises:
        WrongType: it is not on the list, or not stated.
    """
    media = _TYPES.get(content_type.partition(";")[0].strip().lower())
    if media is None:
        raise WrongType("is neither HTML nor PDF nor plain text")
    return media


def charset_of(content_type: str) -> str | None:
    """Return the parameter `charset`, None where there is none."""
    message = Message()
    message["Content-Type"] = " ".join(content_type.split())
    charset = message.get_param("charset")
    return charset if isinstance(charset, str) and charset else None


def bound_of(media: Media, limits: Limits) -> int:
    """Return how many bytes of a kind are read."""
    return limits.pdf_bytes if media is Media.PDF else limits.text_bytes
