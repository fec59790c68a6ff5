"""Processes that read documents: a few, kept for the next document, replaced when one is lost."""

import atexit
import fcntl
import logging
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field

from pydantic import ValidationError

from caveat.adapters.documents.formats import DocumentFormat
from caveat.adapters.documents.loaded import Loaded, Unreadable, Why
from caveat.adapters.documents.wire import (
    LARGEST,
    ReadReply,
    ReadRequest,
    frame_message,
    receive_message,
)

_LOG = logging.getLogger(__name__)

_SECONDS, _MOST = 3, 5
_BYTES_A_SECOND = 4_000_000
"""Processor time of one document: three seconds at most, and one more for each 4 MB, up to five. A
manual of 5 MB in HTML takes a quarter of one."""
_SLOW_FORMATS = {
    DocumentFormat.RESTRUCTURED: 100_000,
    DocumentFormat.SHEETS: 300_000,
    DocumentFormat.PDF: 2_000_000,
}
_SLOWEST = 15  # bytes a second of formats that take longer, and the most that these may take
_IMPORT_S = 10
"""Seconds of processor time more where another package reads, which is imported first."""
PATIENCE = 15
"""How many times the processor time may pass by the clock, on a machine that has other work. What
hangs is ended by the kernel long before."""

_PIPE = 1024 * 1024  # bytes, what Linux lets anybody have; it gives 64 KB

_TOO_LONG = "takes longer to read than one document may"
_LATE = "could not be read in time, for the machine has too much to do"
_TOO_LARGE = "takes more memory than one document may"
_STOPPED = "stops its reader, as damaged and hostile files do"

# The reader names each exception but that of memory which leaves no room to handle it: then Python
# ends by 1, or aborts where it cannot even make the exception.
_OUT_OF_MEMORY = {1, -signal.SIGABRT}


@dataclass
class _Reader:
    """One process, started when it is first asked."""

    _process: subprocess.Popen[bytes] | None = None

    def answer(self, job: ReadRequest, data: bytes) -> ReadReply:
        """Have a document read; what ends its reader is read once more, by another one."""
        # A reader leaves for want of work as the job arrives, the kernel ends the wrong one where
        # memory is short, and a virtual machine that stood still may count that as its time.
        message = frame_message(job.model_dump_json().encode()) + frame_message(data)
        deadline = time.monotonic() + job.seconds * PATIENCE
        lost = ReadReply(said=_STOPPED)
        for _ in range(2):
            answered = _send_job(self._start_process(), message, deadline)
            if answered is not None:
                return _parse_reply(answered)
            lost = _describe_exit(self.stop(), is_late=time.monotonic() >= deadline)
            if lost.why is Why.LATE:
                break
        return _name_loader(job.ending, lost) if job.ending else lost

    def kill(self) -> None:
        """Have the process end, and wait for nothing."""
        if self._process is not None:
            self._process.kill()

    def stop(self) -> int:
        """End the process; return what it ended with, negative where a signal ended it."""
        process, self._process = self._process, None
        if process is None:
            return 0
        # Its output ends with it; `wait` with a timeout would sleep by a clock that may jump.
        assert process.stdout is not None  # noqa: S101  # it was started with a pipe
        _is_ready(process.stdout.fileno(), select.POLLIN, time.monotonic() + 0.05)
        process.kill()  # what ends by itself keeps the code that it ends with
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        return process.wait()

    def _start_process(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            # Isolated, and without the environment: what reads strangers' files holds no key.
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-m", "caveat.adapters.documents.reader"],
                env={},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                process_group=0,  # Ctrl-C is for the command, which knows what to do about it
            )
            _widen(self._process)
        return self._process


def _widen(process: subprocess.Popen[bytes]) -> None:
    """Let a document, and its text, go through a pipe at once where Linux allows as much."""
    # A reader that has written goes on, and this process looks at an answer once.
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError, AttributeError):
                fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, _PIPE)


def _send_job(process: subprocess.Popen[bytes], message: bytes, deadline: float) -> bytes | None:
    """Send a job and wait for its answer; None where the process ends or is late."""
    assert process.stdin is not None  # noqa: S101  # it was started with a pipe
    assert process.stdout is not None  # noqa: S101  # and with another one
    to, back = process.stdin.fileno(), process.stdout.fileno()
    os.set_blocking(to, False)
    try:
        view = memoryview(message)
        while view:
            if not _is_ready(to, select.POLLOUT, deadline):
                return None
            view = view[os.write(to, view[: 1 << 20]) :]
        return receive_message(_build_timed_read(back, deadline), LARGEST)
    except OSError:
        return None


def _build_timed_read(number: int, deadline: float) -> Callable[[int], bytes]:
    def read(size: int) -> bytes:
        return os.read(number, size) if _is_ready(number, select.POLLIN, deadline) else b""

    return read


def _is_ready(number: int, event: int, deadline: float) -> bool:
    left = deadline - time.monotonic()
    waiting = select.poll()  # `select` knows no number from 1,024 on, and a page may hold as many
    waiting.register(number, event)
    return left > 0 and bool(waiting.poll(left * 1_000))


def _parse_reply(answered: bytes) -> ReadReply:
    try:
        return ReadReply.model_validate_json(answered)
    except ValidationError:
        return ReadReply(said=_STOPPED)


def _describe_exit(ended: int, *, is_late: bool) -> ReadReply:
    """Name what ended a process that did not answer; it says nothing itself any more."""
    if ended == -signal.SIGXCPU:
        return ReadReply(said=_TOO_LONG, why=Why.TOO_LARGE)
    if is_late:
        return ReadReply(said=_LATE, why=Why.LATE)
    if ended in _OUT_OF_MEMORY:
        return ReadReply(said=_TOO_LARGE, why=Why.TOO_LARGE)
    _LOG.warning("A reader of documents ended with %s", ended)
    return ReadReply(said=_STOPPED)


def _name_loader(ending: str, lost: ReadReply) -> ReadReply:
    """Name the other package's loader, which may as well be what took so long."""
    said = f"{lost.said}; it is read by the loader “{ending}” of another package"
    return lost.model_copy(update={"said": said})


@dataclass
class Readers:
    """As many processes as the machine has processors, each with a thread that talks to it."""

    # how many; four at most, since storing what they read is one process's work
    count: int = field(default_factory=lambda: min(4, max(2, os.cpu_count() or 1)))
    _own: threading.local = field(default_factory=threading.local)
    _all: list[_Reader] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._threads = ThreadPoolExecutor(self.count, thread_name_prefix="reader")

    def submit(
        self, written_in: DocumentFormat, data: bytes, charset: str | None = None, ending: str = ""
    ) -> Future[Loaded]:
        """Have a document read as soon as a process is free.

        Args:
            charset: the encoding that its server states, if it does.
            ending: of its name, where another package reads what ends so.

        Returns:
            What was read; its exception is `Unreadable` where that cannot be.
        """
        rate, most = (
            _SLOW_FORMATS.get(written_in),
            _SLOWEST if written_in in _SLOW_FORMATS else _MOST,
        )
        seconds = min(most, _SECONDS + len(data) // (rate or _BYTES_A_SECOND))
        if written_in is DocumentFormat.OFFERED:
            seconds += _IMPORT_S
        job = ReadRequest(written_in=written_in, charset=charset, ending=ending, seconds=seconds)
        return self._threads.submit(self._read, job, data)

    def draw(self, data: bytes, label: str, quote: str) -> Future[bytes]:
        """Have the page of a PDF that is cited as `label` drawn as PNG, with a quote marked."""
        job = ReadRequest(written_in=DocumentFormat.PDF, drawn=label, marked=quote, seconds=_MOST)
        return self._threads.submit(lambda: self._answer(job, data).picture)

    def close(self) -> None:
        """End all processes; the next document starts new ones."""
        for reader in self._all:
            reader.kill()
        for reader in self._all:
            reader.stop()

    def _read(self, job: ReadRequest, data: bytes) -> Loaded:
        text = self._answer(job, data).text
        if text is None:  # a reader that is whole says why
            raise Unreadable(_STOPPED)
        return text

    def _answer(self, job: ReadRequest, data: bytes) -> ReadReply:
        if not hasattr(self._own, "reader"):
            self._own.reader = _Reader()
            self._all.append(self._own.reader)
        reader: _Reader = self._own.reader
        answer = reader.answer(job, data)
        if answer.said:
            raise Unreadable(answer.said, answer.why)
        return answer


READERS = Readers()
"""Those of this process: they are its share of the machine, whoever has documents to read."""
atexit.register(READERS.close)
