"""A cloud's own chain of credentials, which finds out by itself who calls."""

import asyncio
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

from caveat.adapters.claude.messages.keys import Secret


@dataclass
class Chain(ABC):
    """Keeps what a chain has found, until it is refused.

    To find it reads files and may ask a server, so that it is done in a thread.
    """

    _found: Any = field(default=None, repr=False)

    async def current(self) -> Secret:
        """Return the credentials of this moment."""
        return await asyncio.to_thread(self._current)

    async def renewed(self) -> Secret:
        """Look for the credentials anew."""
        self._found = None
        return await self.current()

    @abstractmethod
    def _current(self) -> Secret:
        """Return what was found, or find it, and keep it in `_found`.

        Raises:
            PortFailure: there is none, or nobody gives any.
        """
