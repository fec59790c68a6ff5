"""Processes that read documents: a few, kept for the next document, replaced when one is lost."""

import atexit
import logging
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from caveat.adapters.documents.loaded import DocumentFormat, Loaded, Unreadable, Why
from caveat.adapters.documents.reader import LARGEST, ReadReply, ReadRequest

_LOG = logging.getLogger(__name__)

_SECONDS, _MOST = 3, 5
_BYTES_A_SECOND = 4_000_000
"""Processor time of one document: three seconds at most, and one more for each 4 MB, up to five. A
manual of 5 MB in HTML takes a quarter of one."""
_SLOW_FORMATS = {
    DocumentFormat.RESTRUCTURED: 100_000,
    DocumentFormat.SHEETS: 300_000,
    DocumentFormat.PDF: 100_000,
}
_SLOWEST = 30  # bytes a second of formats that take longer, and the most that these may take
"""An annual report of 420 pages has 3 MB and takes 8 seconds, on a busy machine 16."""
PATIENCE = 15
"""How many times the processor time may pass by the clock, on a machine that has other work. What
hangs is ended by the kernel long before."""

_TOGETHER = 32_000
"""Bytes of documents that go to a reader at once: 5 ms of work, where handing one over and back
takes 0.3 ms, and half of what a pipe holds, so that both sides never wait to write."""
_STOPPED = ReadReply(said="stops its reader, as damaged and hostile files do")

# The reader names each exception but that of memory which leaves no room to handle it: then Python
# ends by 1, or aborts where it cannot even make the exception.
_ENDINGS = {
    -signal.SIGXCPU: "takes longer to read than one document may",
    1: "takes more memory than one document may",
    -signal.SIGABRT: "takes more memory than one document may",
}


@dataclass(frozen=True)
class _Job:
    """A document that waits for a reader, and who waits for it."""

    request: ReadRequest
    data: bytes
    future: Future[Any] = field(default_factory=Future)

    def settle(self, reply: ReadReply) -> None:
        """Hand on what a reader said."""
        document = reply.picture if self.request.drawn else reply.text
        if reply.said or document is None:  # a reader that is whole says why
            self.future.set_exception(Unreadable(reply.said or _STOPPED.said, reply.why))
        else:
            self.future.set_result(document)


class _Reader:
    """One process, started when it is first asked."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def answer(self, jobs: Sequence[_Job]) -> None:
        """Have documents read; what is left when the process ends is read once more, by another."""
        # A reader leaves for want of work as the job arrives, the kernel ends the wrong one where
        # memory is short, and a virtual machine that stood still may count that as its time.
        left, lost = self._ask(jobs)
        for job in left:
            if len(jobs) > 1 or lost.why is not Why.LATE:
                again, lost = self._ask([job])
                if not again:
                    continue
            job.settle(lost)

    def kill(self) -> None:
        """Have the process end, and wait for nothing."""
        if self._process is not None:
            self._process.kill()

    def stop(self) -> int:
        """End the process; return what it ended with, negative where a signal ended it."""
        process, self._process = self._process, None
        if process is None:
            return 0
        with suppress(subprocess.TimeoutExpired):  # what ends by itself keeps its code
            process.wait(0.05)
        process.kill()
        with suppress(OSError), process:  # which closes its pipes
            pass
        return process.returncode

    def _ask(self, jobs: Sequence[_Job]) -> tuple[Sequence[_Job], ReadReply]:
        """Send jobs and settle those that are answered; return the others, and why they are not."""
        if self._process is None:
            # Isolated, and without the environment: what reads strangers' files holds no key.
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-m", "caveat.adapters.documents.reader"],
                env={},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                process_group=0,  # Ctrl-C is for the command, which knows what to do about it
            )
        assert self._process.stdin is not None  # noqa: S101  # it was started with a pipe
        assert self._process.stdout is not None  # noqa: S101  # and with another one
        patience = sum(job.request.seconds for job in jobs) * PATIENCE
        late = threading.Timer(patience, self._process.kill)
        late.start()
        left = [*jobs]
        try:
            for job in jobs:
                self._process.stdin.write(job.request.model_dump_json().encode() + b"\n" + job.data)
            self._process.stdin.flush()
            while left and (answered := self._process.stdout.readline(LARGEST)).endswith(b"\n"):
                left[0].settle(ReadReply.model_validate_json(answered))
                del left[0]
            if not left:
                return (), _STOPPED
        except (OSError, ValidationError):
            pass
        finally:
            is_late = not late.is_alive()
            late.cancel()
        ended = self.stop()
        if ended in _ENDINGS:
            return left, ReadReply(said=_ENDINGS[ended], why=Why.TOO_LARGE)
        if is_late:
            problem = "could not be read in time, for the machine has too much to do"
            return left, ReadReply(said=problem, why=Why.LATE)
        _LOG.warning("A reader of documents ended with %s", ended)
        return left, _STOPPED


class Readers:
    """As many processes as the machine has processors, each with a thread that talks to it."""

    def __init__(self, count: int = min(4, max(2, os.cpu_count() or 1))) -> None:
        # Four at most, since storing what they read is one process's work.
        self._own = threading.local()
        self._all: list[_Reader] = []
        self._waiting: deque[_Job] = deque()
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(count, "reader", self._begin)

    def submit(
        self, written_in: DocumentFormat, data: bytes, charset: str | None = None
    ) -> Future[Loaded]:
        """Have a document read as soon as a process is free; `Unreadable` says why it cannot be."""
        rate = _SLOW_FORMATS.get(written_in, _BYTES_A_SECOND)
        most = _SLOWEST if written_in in _SLOW_FORMATS else _MOST
        seconds = min(most, _SECONDS + len(data) // rate)
        return self._submit(data, written_in=written_in, charset=charset, seconds=seconds)

    def draw(self, data: bytes, label: str, quote: str) -> Future[bytes]:
        """Have the page of a PDF that is cited as `label` drawn as PNG, with a quote marked."""
        facts = {"written_in": DocumentFormat.PDF, "drawn": label, "marked": quote}
        return self._submit(data, **facts, seconds=_MOST)

    def close(self) -> None:
        """End all processes; the next document starts new ones."""
        for reader in self._all:
            reader.kill()
        for reader in self._all:
            reader.stop()

    def _begin(self) -> None:
        self._own.reader = _Reader()
        self._all.append(self._own.reader)

    def _submit(self, data: bytes, **facts: Any) -> Future[Any]:
        job = _Job(ReadRequest(size=len(data), **facts), data)
        self._waiting.append(job)
        self._threads.submit(self._work)
        return job.future

    def _work(self) -> None:
        """Have a document read, or small ones together; others may have taken what was waiting."""
        jobs, size = list[_Job](), 0
        with self._lock:
            while self._waiting and (not jobs or size + len(self._waiting[0].data) < _TOGETHER):
                job = self._waiting.popleft()
                size += len(job.data)
                jobs += [job] if job.future.set_running_or_notify_cancel() else []
        try:
            if jobs:
                self._own.reader.answer(jobs)
        except BaseException as error:  # noqa: BLE001  # whoever waits is told
            for job in jobs:
                if not job.future.done():
                    job.future.set_exception(error)


READERS = Readers()
"""Those of this process: they are its share of the machine, whoever has documents to read."""
atexit.register(READERS.close)
