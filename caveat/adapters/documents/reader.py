"""A process that reads what strangers wrote: `python -I -m caveat.adapters.documents.reader`.

It takes documents from its standard input, one by one, and answers with their texts. It knows
none of the worker's secrets and is bounded by the kernel: a document that makes it hang, swell or
crash costs that document and this process, where in the worker it would cost every task.
"""

import base64
import gc
import os
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pkgutil import resolve_name
from typing import Any

from pydantic import Base64Bytes

from caveat.adapters.documents.composer import Composer, clean_text
from caveat.adapters.documents.encoding import MARKS, decode_text, find_declared_encoding
from caveat.adapters.documents.loaded import (
    OWN_REPORT,
    DocumentFormat,
    Loaded,
    Metadata,
    Unreadable,
    Why,
)
from caveat.adapters.documents.metadata import complete_metadata
from caveat.contracts.base import Contract
from caveat.rules.lines import build_word_list
from caveat.rules.sources.own_reports import is_own_report

_IDLE_S = 60  # seconds without work after which it leaves; starting another takes half a second
_MEMORY = 450 * 1000 * 1000  # bytes of its own; documents of 20 MB take two thirds of it
_ROOM = 30 * 1000 * 1000  # bytes beyond that, to say that they were not enough
_SWOLLEN = 256 * 1024
"""Kilobytes of memory once used after which it makes room for another; it starts with 60 MB."""

_LXML_NO_MEMORY = 2  # the code by which its syntax errors say so, `ERR_NO_MEMORY`

_GARBAGE = 50_000
"""New objects after which those that hold each other are looked for, some 10 MB. With Python's 700
a sixth of the time of docutils goes into looking through trees that are still being built."""


LARGEST = 64 * 1024 * 1024
"""Bytes of an answer: three times what the text of the largest document takes, marks and all."""


_TEXTS = build_word_list("html page markdown plain restructured notebook table data")
"""Formats of text; the loaders of others take bytes."""

_EMPTY: Mapping[DocumentFormat, str] = {
    DocumentFormat.PDF: "holds no text, perhaps only scans or drawings",
    DocumentFormat.PAGE: "holds no text that is there without running its scripts",
}


class ReadRequest(Contract):
    """One document to read, or a page of one to draw: a line, behind which stand its bytes."""

    size: int  # of the document
    written_in: DocumentFormat
    charset: str | None = None  # the encoding that its server states, if it does
    drawn: str = ""  # the label of the page that is drawn
    marked: str = ""  # the quote that is marked on it
    seconds: int  # of processor time that it may take


class ReadReply(Contract, revalidate_instances="always"):
    """What came of a job, in a line: a text or a picture, or why there is none."""

    text: Loaded | None = None
    picture: Base64Bytes = b""  # PNG
    said: str = ""
    why: Why = Why.DAMAGED


def main() -> None:
    """Read until nobody asks any more."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not look like an answer
    _limit_resources()
    gc.set_threshold(_GARBAGE)
    # Linux counts what the process was forked from: a worker of 300 MB, in whose place it stands.
    most = max(_SWOLLEN, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    while True:
        signal.alarm(_IDLE_S)  # which ends it
        asked = sys.stdin.buffer.readline()
        job = ReadRequest.model_validate_json(asked) if asked else None
        data = sys.stdin.buffer.read(job.size) if job else b""
        signal.alarm(0)
        if job is None or len(data) < job.size:
            return
        used = resource.getrusage(resource.RUSAGE_SELF)
        # The kernel ends this process when a job takes longer; it counts whole seconds.
        ends = int(used.ru_utime + used.ru_stime) + job.seconds
        resource.setrlimit(resource.RLIMIT_CPU, (ends, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        reply, is_well = _answer(job, data)
        answers.write(reply.model_dump_json().encode() + b"\n")
        answers.flush()
        if not is_well or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > most:
            return


def _answer(job: ReadRequest, data: bytes) -> tuple[ReadReply, bool]:
    """Return what came of a job, and whether this process is as good as before."""
    try:
        if not job.drawn:
            return ReadReply(text=read(job.written_in, data, job.charset)), True
        from caveat.adapters.documents.pdf_picture import draw_page  # noqa: PLC0415  # few draw

        return ReadReply(picture=base64.b64encode(draw_page(data, job.drawn, job.marked))), True
    except Unreadable as refusal:
        return ReadReply(said=str(refusal), why=refusal.why), True
    except RecursionError:
        return ReadReply(said="is nested deeper than is read", why=Why.TOO_LARGE), True
    except Exception as error:  # noqa: BLE001  # one document of a stranger ends no other one
        # What is held until here leaves no room to say so.
        resource.setrlimit(resource.RLIMIT_DATA, resource.getrlimit(resource.RLIMIT_DATA)[1:] * 2)
        if isinstance(error, MemoryError) or getattr(error, "code", None) == _LXML_NO_MEMORY:
            problem = "takes more memory than one document may"
            return ReadReply(said=problem, why=Why.TOO_LARGE), False
        traceback.print_exc()
        problem = f"stops its reader in a way that nobody foresaw ({type(error).__name__})"
        return ReadReply(said=problem), False


def read(written_in: DocumentFormat, data: bytes, charset: str | None = None) -> Loaded:
    """Take the text out of a document.

    Args:
        charset: the encoding that its server states, if it does.
    """
    composer, text = Composer(), ""
    is_wide = data.startswith(MARKS) or b"\0" in data[:2]
    if written_in in {DocumentFormat.MESSAGE, DocumentFormat.BOX} and is_wide:
        data = decode_text(data).encode()  # as Windows saves mail
    if written_in in _TEXTS:
        is_page = written_in is DocumentFormat.PAGE
        declared = (
            find_declared_encoding(data) if is_page or written_in is DocumentFormat.HTML else None
        )
        text = decode_text(data, declared=charset or declared, forgiving=bool(charset) or is_page)
    facts = _resolve_loader(written_in.loader)(composer, text if written_in in _TEXTS else data)
    snapshot = composer.finish()
    if written_in not in {DocumentFormat.HTML, DocumentFormat.PAGE}:  # which may quote one
        written = "" if written_in is DocumentFormat.NOTEBOOK else text  # it is written as JSON
        if is_own_report(written or snapshot.text):
            raise Unreadable(OWN_REPORT, Why.OWN_REPORT)
    from caveat.adapters.documents import accounting  # noqa: PLC0415  # commands need it not

    source = accounting.list_source(written_in, data, text)
    lost = list(accounting.list_losses(source, snapshot.text))
    if not snapshot.text:
        raise Unreadable(
            f"is not read: {lost[0]}" if lost else _EMPTY.get(written_in, "holds no text")
        )
    # The first message of a box is no other one's.
    if written_in is not DocumentFormat.BOX:
        facts = complete_metadata(facts, composer.front or snapshot.text)
    composer.losses += lost
    # Half a sign, as escapes of JSON and YAML may write, cannot be handed on.
    facts = replace(facts, authors=tuple(map(clean_text, facts.authors)))
    return Loaded(snapshot, facts, tuple(map(clean_text, composer.losses)))


@cache
def _resolve_loader(name: str) -> Callable[[Composer, Any], Metadata]:
    loader: Callable[[Composer, Any], Metadata] = resolve_name(f"{__package__}.{name}")
    return loader


def _limit_resources() -> None:
    """Give up what reading takes none of; systems that do not know a bound go without."""
    # Where readers together use up a container, the kernel is to end one of them and not the
    # worker.
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as first:  # noqa: PTH123  # no pathlib here
        first.write("1000")
    for bound, most in (
        (resource.RLIMIT_DATA, (_MEMORY, _MEMORY + _ROOM)),
        (resource.RLIMIT_CORE, (0, 0)),
        (resource.RLIMIT_FSIZE, (0, 0)),
    ):
        with suppress(ValueError, OSError):
            resource.setrlimit(bound, most)


if __name__ == "__main__":
    sys.setrecursionlimit(4_000)  # four times the elements that may nest in one another
    main()
