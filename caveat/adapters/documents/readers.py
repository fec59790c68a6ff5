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
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from caveat.adapters.documents.formats import DocumentFormat
from caveat.adapters.documents.loaded import Loaded, Unreadable, Why
from caveat.adapters.documents.wire import (
    LARGEST,
    REPLIES,
    REQUESTS,
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
PATIENCE = 15
"""How many times the processor time may pass by the clock, on a machine that has other work. What
hangs is ended by the kernel long before."""

_TOGETHER = 64_000
"""Bytes of documents that go to a reader at once: some 10 ms of work, where handing one over and
back takes 0.2 ms of two processes."""
_PIPE = 1024 * 1024  # bytes, what Linux lets anybody have; it gives 64 KB

_TOO_LONG = "takes longer to read than one document may"
_LATE = "could not be read in time, for the machine has too much to do"
_TOO_LARGE = "takes more memory than one document may"
_STOPPED = "stops its reader, as damaged and hostile files do"

# The reader names each exception but that of memory which leaves no room to handle it: then Python
# ends by 1, or aborts where it cannot even make the exception.
_OUT_OF_MEMORY = {1, -signal.SIGABRT}


@dataclass(frozen=True)
class _Job:
    """A document that waits for a reader, and who waits for it."""

    request: ReadRequest
    data: bytes
    future: Future[Any] = field(default_factory=Future)

    def settle(self, reply: ReadReply) -> None:
        """Hand on what a reader said."""
        found = reply.picture if self.request.drawn else reply.text
        if reply.said or found is None:  # a reader that is whole says why
            self.future.set_exception(Unreadable(reply.said or _STOPPED, reply.why))
        else:
            self.future.set_result(found)


@dataclass
class _Reader:
    """One process, started when it is first asked."""

    _process: subprocess.Popen[bytes] | None = None

    def answer(self, jobs: Sequence[_Job]) -> list[ReadReply]:
        """Have documents read together; where one ends the reader, each is read by itself."""
        found: tuple[ReadReply, ...] = ()
        if len(jobs) > 1:
            answered = _send_jobs(self._start_process(), jobs, _compute_deadline(jobs))
            if answered is None:
                self.stop()
            else:
                found = _parse_replies(answered)
        return [*found, *map(self._answer_one, jobs[len(found) :])]

    def _answer_one(self, job: _Job) -> ReadReply:
        """Have a document read; what ends its reader is read once more, by another one."""
        # A reader leaves for want of work as the job arrives, the kernel ends the wrong one where
        # memory is short, and a virtual machine that stood still may count that as its time.
        deadline = _compute_deadline([job])
        lost = ReadReply(said=_STOPPED)
        for _ in range(2):
            answered = _send_jobs(self._start_process(), [job], deadline)
            if answered is not None:
                return next(iter(_parse_replies(answered)), lost)
            lost = _describe_exit(self.stop(), is_late=time.monotonic() >= deadline)
            if lost.why is Why.LATE:
                break
        return lost

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


def _compute_deadline(jobs: Sequence[_Job]) -> float:
    return time.monotonic() + sum(job.request.seconds for job in jobs) * PATIENCE


def _send_jobs(
    process: subprocess.Popen[bytes], jobs: Sequence[_Job], deadline: float
) -> bytes | None:
    """Send jobs and wait for the answer; None where the process ends or is late."""
    assert process.stdin is not None  # noqa: S101  # it was started with a pipe
    assert process.stdout is not None  # noqa: S101  # and with another one
    requests = REQUESTS.dump_json(tuple(job.request for job in jobs))
    message = frame_message(requests) + frame_message(b"".join(job.data for job in jobs))
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


def _parse_replies(answered: bytes) -> tuple[ReadReply, ...]:
    try:
        return REPLIES.validate_json(answered)
    except ValidationError:
        return ()


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


@dataclass
class Readers:
    """As many processes as the machine has processors, each with a thread that talks to it."""

    # how many; four at most, since storing what they read is one process's work
    count: int = field(default_factory=lambda: min(4, max(2, os.cpu_count() or 1)))
    _own: threading.local = field(default_factory=threading.local)
    _all: list[_Reader] = field(default_factory=list)
    _waiting: deque[_Job] = field(default_factory=deque)
    _busy: int = 0  # threads that take what waits
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._threads = ThreadPoolExecutor(self.count, thread_name_prefix="reader")

    def submit(
        self, written_in: DocumentFormat, data: bytes, charset: str | None = None
    ) -> Future[Loaded]:
        """Have a document read as soon as a process is free; `Unreadable` says why it cannot be."""
        rate = _SLOW_FORMATS.get(written_in, _BYTES_A_SECOND)
        most = _SLOWEST if written_in in _SLOW_FORMATS else _MOST
        seconds = min(most, _SECONDS + len(data) // rate)
        request = ReadRequest(
            size=len(data), written_in=written_in, charset=charset, seconds=seconds
        )
        return self._submit(_Job(request, data))

    def draw(self, data: bytes, label: str, quote: str) -> Future[bytes]:
        """Have the page of a PDF that is cited as `label` drawn as PNG, with a quote marked."""
        request = ReadRequest(
            size=len(data), written_in=DocumentFormat.PDF, drawn=label, marked=quote, seconds=_MOST
        )
        return self._submit(_Job(request, data))

    def close(self) -> None:
        """End all processes; the next document starts new ones."""
        for reader in self._all:
            reader.kill()
        for reader in self._all:
            reader.stop()

    def _submit(self, job: _Job) -> Future[Any]:
        with self._lock:
            self._waiting.append(job)
            is_idle = self._busy < self.count
            self._busy += is_idle
        if is_idle:
            self._threads.submit(self._work)
        return job.future

    def _work(self) -> None:
        """Have read what waits, until nothing does."""
        if not hasattr(self._own, "reader"):
            self._own.reader = _Reader()
            self._all.append(self._own.reader)
        reader: _Reader = self._own.reader
        while jobs := self._take():
            try:
                replies = reader.answer(jobs)
            except BaseException as error:  # noqa: BLE001  # whoever waits is told
                for job in jobs:
                    job.future.set_exception(error)
            else:
                for job, reply in zip(jobs, replies, strict=True):
                    job.settle(reply)

    def _take(self) -> list[_Job]:
        """Take a document, or this thread's share of small ones."""
        taken, size = list[_Job](), 0
        with self._lock:
            share = -(-len(self._waiting) // self.count)
            while self._waiting and len(taken) < max(1, share):
                size += len(self._waiting[0].data)
                if taken and size > _TOGETHER:
                    break
                job = self._waiting.popleft()
                if job.future.set_running_or_notify_cancel():
                    taken.append(job)
            self._busy -= not taken
        return taken


READERS = Readers()
"""Those of this process: they are its share of the machine, whoever has documents to read."""
atexit.register(READERS.close)
