"""What goes between a process that wants a document read and the one that reads it."""

import struct
from typing import IO

from pydantic import Base64Bytes

from caveat.adapters.documents.formats import DocumentFormat
from caveat.adapters.documents.loaded import Loaded, Why
from caveat.contracts.base import Contract

_LENGTH = struct.Struct(">Q")

LARGEST = 64 * 1024 * 1024
"""Bytes of an answer: three times what the text of the largest document takes, marks and all."""


class ReadRequest(Contract):
    """One document to read, or a page of one to draw; its bytes follow."""

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


def send(file: IO[bytes], *messages: bytes) -> None:
    """Write messages, each behind its length."""
    for message in messages:
        file.write(_LENGTH.pack(len(message)))
        file.write(message)
    file.flush()


def receive(file: IO[bytes]) -> bytes | None:
    """Take one message; None where there is none any more, or it is larger than is taken."""
    head = file.read(_LENGTH.size)
    size = _LENGTH.unpack(head)[0] if len(head) == _LENGTH.size else LARGEST + 1
    message = file.read(size) if size <= LARGEST else b""
    return message if len(message) == size else None
