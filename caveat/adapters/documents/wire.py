"""What goes between a process that wants a document read and the one that reads it."""

from caveat.adapters.documents.formats import DocumentFormat
from caveat.adapters.documents.loaded import Loaded, Why
from caveat.contracts.base import Contract

LARGEST = 64 * 1024 * 1024
"""Bytes of a message: three times what the text of the largest document takes, marks and all."""


class ReadRequest(Contract):
    """One document to read; its bytes follow."""

    written_in: DocumentFormat
    charset: str | None = None  # the encoding that its server states, if it does
    ending: str = ""  # of its name, where another package reads what ends so
    seconds: int  # of processor time that it may take


class ReadReply(Contract, revalidate_instances="always"):
    """What came of a job: a text, or why there is none."""

    text: Loaded | None = None
    said: str = ""
    why: Why = Why.DAMAGED
