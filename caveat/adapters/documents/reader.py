"""A process that reads what strangers wrote: `python -I -m caveat.adapters.documents.reader`.

It takes documents from its standard input, a few at once, and answers with their texts. It knows
none of the worker's secrets and is bounded by the kernel: a document that makes it hang, swell or
crash costs that document and this process, where in the worker it would cost every task.
"""

import base64
import gc
import os
import resource
import select
import sys
import traceback
from contextlib import suppress

from caveat.adapters.documents.formats import read
from caveat.adapters.documents.loaded import Unreadable, Why
from caveat.adapters.documents.wire import (
    LARGEST,
    REQUESTS,
    ReadReply,
    ReadRequest,
    frame_message,
    receive_message,
)

_IDLE_S = 60.0  # seconds without work after which it leaves; starting another takes half a second
_MEMORY = 450 * 1000 * 1000  # bytes of its own; documents of 20 MB take two thirds of it
_ROOM = 30 * 1000 * 1000  # bytes beyond that, to say that they were not enough
_SWOLLEN = 256 * 1024
"""Kilobytes of memory once used after which it makes room for another; it starts with 60 MB."""

_LXML_NO_MEMORY = 2  # the code by which its syntax errors say so, `ERR_NO_MEMORY`

_GARBAGE = 50_000
"""New objects after which those that hold each other are looked for, some 10 MB. With Python's 700
a sixth of the time of docutils goes into looking through trees that are still being built."""


def main() -> None:
    """Read until nobody asks any more."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not look like an answer
    _limit_resources()
    gc.set_threshold(_GARBAGE)
    while select.select([0], [], [], _IDLE_S)[0]:
        asked = receive_message(_read_standard_input, LARGEST)
        data = receive_message(_read_standard_input, LARGEST)
        if asked is None or data is None:
            return
        replies, start, stays = list[bytes](), 0, True
        for job in REQUESTS.validate_json(asked):
            if not stays:
                break
            _grant(job.seconds)
            reply, is_well = _answer(job, data[start : start + job.size])
            replies.append(reply)
            start += job.size
            stays = is_well and _measure_peak_memory() <= _SWOLLEN
        answers.write(frame_message(b"[%s]" % b",".join(replies)))
        answers.flush()
        if not stays:
            return


def _answer(job: ReadRequest, data: bytes) -> tuple[bytes, bool]:
    """Return what came of a job, written, and whether this process is as good as before."""
    stays = True
    try:
        return _encode_reply(_do(job, data)), stays
    except Unreadable as refusal:
        reply = ReadReply(said=str(refusal), why=refusal.why)
    except RecursionError:
        reply = ReadReply(said="is nested deeper than is read", why=Why.TOO_LARGE)
    except Exception as error:  # noqa: BLE001  # one document of a stranger ends no other one
        # What is held until here leaves no room to say so.
        resource.setrlimit(resource.RLIMIT_DATA, resource.getrlimit(resource.RLIMIT_DATA)[1:] * 2)
        stays = False
        if isinstance(error, MemoryError) or getattr(error, "code", None) == _LXML_NO_MEMORY:
            reply = ReadReply(said="takes more memory than one document may", why=Why.TOO_LARGE)
        else:
            traceback.print_exc()
            said = f"stops its reader in a way that nobody foresaw ({type(error).__name__})"
            reply = ReadReply(said=said)
    return _encode_reply(reply), stays


def _do(job: ReadRequest, data: bytes) -> ReadReply:
    if not job.drawn:
        return ReadReply(text=read(job.written_in, data, job.charset))
    from caveat.adapters.documents.pdf_picture import draw_page  # noqa: PLC0415  # few jobs draw

    return ReadReply(picture=base64.b64encode(draw_page(data, job.drawn, job.marked)))


def _encode_reply(reply: ReadReply) -> bytes:
    return reply.model_dump_json().encode()


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


def _measure_peak_memory() -> int:
    """Return the kilobytes of memory once used."""
    # Linux counts into `ru_maxrss` what the process was forked from: a worker of 300 MB would start
    # a reader for every document. Where even that is little, nothing is opened to know more.
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if most <= _SWOLLEN:
        return most
    with suppress(OSError), open("/proc/self/status") as file:  # noqa: PTH123  # no pathlib here
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return most


def _grant(seconds: int) -> None:
    """Let the kernel end this process when a job takes longer, whatever it is doing then."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime) + seconds  # the kernel counts whole seconds
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (most, hard))


def _read_standard_input(size: int) -> bytes:
    return os.read(0, size)


if __name__ == "__main__":
    sys.setrecursionlimit(1_000)
    main()
