"""Remembers the answers that were given last, for all threads of a process."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass
class _Slot:
    lock: Lock = field(default_factory=Lock)
    state: Hashable = None
    answer: Any = None


class Recent:
    """Remembers the answers to the questions that were asked last, in any thread."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._slots: OrderedDict[Hashable, _Slot] = OrderedDict()
        self._lock = Lock()

    def answer(self, question: Hashable, state: Callable[[], Hashable], find: Callable[[], T]) -> T:
        """Return what was found before, or find it; who asks the same meanwhile waits for that."""
        with self._lock:
            slot = self._slots.setdefault(question, _Slot())
            self._slots.move_to_end(question)
            if len(self._slots) > self._most:
                self._slots.popitem(last=False)
        with slot.lock:
            now = state()  # before it is looked for: what is written meanwhile makes it old
            if slot.state is None or slot.state != now:
                slot.answer, slot.state = find(), now
            found: T = slot.answer
            return found
