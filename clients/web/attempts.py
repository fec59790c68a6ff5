"""Attempts: how often somebody may be wrong about a secret before they have to wait."""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

MOST = 10
"""Wrong attempts of one address a minute: a person mistypes thrice, a program tries thousands."""

WINDOW_S = 60.0
"""Seconds after which a wrong attempt is forgotten."""

_KNOWN = 1_000
"""Addresses that are remembered: a network of attackers must not fill the memory."""


@dataclass
class Attempts:
    """Wrong attempts of the last minute, by address.

    Attributes:
        clock: seconds that only ever grow.
    """

    clock: Callable[[], float] = time.monotonic
    _wrong: OrderedDict[str, list[float]] = field(default_factory=OrderedDict)

    def wait_s(self, address: str) -> int:
        """Say how many seconds an address has to wait; 0 where it may try."""
        recent = self._recent(address)
        if len(recent) < MOST:
            return 0
        return max(1, round(recent[-MOST] + WINDOW_S - self.clock()))

    def note(self, address: str) -> None:
        """Remember that an address was wrong."""
        self._wrong[address] = [*self._recent(address), self.clock()][-MOST:]
        self._wrong.move_to_end(address)
        while len(self._wrong) > _KNOWN:
            self._wrong.popitem(last=False)

    def _recent(self, address: str) -> list[float]:
        oldest = self.clock() - WINDOW_S
        return [each for each in self._wrong.get(address, ()) if each > oldest]
