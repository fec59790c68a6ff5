"""Whether a function's time grows faster than the text that strangers give it."""

import gc
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from caveat.adapters.documents.loaded import Unreadable

SMALL, LARGE, WHOLE = 2_000, 20_000, 100_000
"""Characters. What may take 1 s for 100,000 and grows with their square takes 0.4 ms for 2,000 and
40 ms for 20,000: what is faster there is not looked at again, so that almost nothing is."""
QUICK_S, BRIEF_S, BOUND_S = 0.0004, 0.03, 1.0


class Slow(BaseException):
    """Beyond the bound."""


def seconds(function: Callable[[str], object], text: str, most: float) -> float:
    """Processor time of a call, which other work on the machine hardly changes; `most` at most."""
    started = time.process_time()
    try:
        with _stopped_after(most), suppress(Unreadable, RecursionError):
            function(text)
    except Slow:
        return most
    return time.process_time() - started


def is_slow(function: Callable[[str], object], seed: str, ending: str) -> bool:
    """Whether a function takes more than a second for 100 kB of one piece again and again."""

    def takes(size: int, most: float) -> float:
        return seconds(function, seed * (size // len(seed)) + ending, most)

    if takes(SMALL, BOUND_S) < QUICK_S:
        return False
    large = takes(LARGE, BOUND_S)
    if large < BRIEF_S or large == BOUND_S:
        return large == BOUND_S
    # Twice: a machine with other work makes a good one slow once.
    return all(takes(WHOLE, BOUND_S) >= BOUND_S for _ in range(2))


@contextmanager
def _stopped_after(most: float) -> Iterator[None]:
    def bell(_: int, __: FrameType | None) -> None:
        raise Slow

    before = signal.signal(signal.SIGVTALRM, bell)
    gc.disable()  # what is raised in a callback of the collector is lost
    signal.setitimer(signal.ITIMER_VIRTUAL, most)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        gc.enable()
        signal.signal(signal.SIGVTALRM, before)
