"""What goes between a process that wants a document read and the one that reads it."""

import struct
from collections.abc import Callable

from pydantic import Base64Bytes, TypeAdapter

from caveat.adapters.documents.formats import DocumentFormat
from caveat.adapters.documents.loaded import Loaded, Why
from caveat.contracts.base import Contract

_LENGTH = struct.Struct(">Q")

LARGEST = 64 * 1024 * 1024
"""Bytes of an answer: three times what the text of the largest document takes, marks and all."""


class ReadRequest(Contract):
    """One document to read, or a page of one to draw; the bytes follow, those of others too."""

    size: int  # bytes
    written_in: DocumentFormat
    charset: str | None = None  # the encoding that its server states, if it does
    drawn: str = ""  # the label of the page that is drawn
    marked: str = ""  # the quote that is marked on it
    seconds: int  # of processor time that it may take


class ReadReply(Contract, revalidate_instances="always"):
    """What came of a job: a text or a picture, or why there is none."""

    text: Loaded | None = None
    picture: Base64Bytes = b""  # PNG
    said: str = ""
    why: Why = Why.DAMAGED


REQUESTS = TypeAdapter(tuple[ReadRequest, ...])
REPLIES = TypeAdapter(tuple[ReadReply, ...])
"""A message each way; a reader that has to leave answers those alone that it came to."""


def frame_message(data: bytes) -> bytes:
    """Put the length of a message before it."""
    return _LENGTH.pack(len(data)) + data


def receive_message(read: Callable[[int], bytes], largest: int) -> bytes | None:
    """Take one message; None where there is none any more, or it is larger than is taken.

    Args:
        read: returns at most as many bytes as it is asked for, none at the end.
        largest: bytes.
    """
    head = _read_exactly(read, _LENGTH.size)
    if head is None:
        return None
    (size,) = _LENGTH.unpack(head)
    return _read_exactly(read, size) if size <= largest else None


def _read_exactly(read: Callable[[int], bytes], size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        piece = read(min(size - len(data), 1 << 20))
        if not piece:
            return None
        data += piece
    return bytes(data)
