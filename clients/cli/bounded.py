"""Bounds on work with a file that anybody may have written."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from caveat.clients.problems import BadInput

_TIMERS = {"clock": signal.ITIMER_REAL, "processor": signal.ITIMER_PROF}
_SIGNALS = {"clock": signal.SIGALRM, "processor": signal.SIGPROF}


@contextmanager
def within(seconds: float, of: str, sentence: str) -> Iterator[None]:
    """Bound what is done inside, in the main thread.

    Args:
        seconds: at most.
        of: the `clock`, or the `processor`, which other work on the machine does not take up.
        sentence: said when they are over.

    Raises:
        BadInput: they are over.
    """

    def stop(_: int, __: FrameType | None) -> None:
        raise BadInput(sentence)

    before = signal.signal(_SIGNALS[of], stop)
    signal.setitimer(_TIMERS[of], seconds)
    try:
        yield
    finally:
        signal.setitimer(_TIMERS[of], 0)
        signal.signal(_SIGNALS[of], before)
