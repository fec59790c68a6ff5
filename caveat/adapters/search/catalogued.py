"""An engine's results, with what a catalogue of scholarly works knows of them."""

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from caveat.adapters.search.openalex import MOST, OpenAlex, Work, completed, names
from caveat.contracts.source import SearchResults
from caveat.contracts.tasks import SearchTask
from caveat.failures import PortFailure
from caveat.ports import SearchEngine

_KEPT = 4_096
"""Works that a process remembers, a quarter of a kilobyte each."""

_PATIENCE_S = 3.0
"""Seconds for what is known of the results of one search."""

_REST_S = 300.0
"""Seconds without a question after one that was not answered: kinds and citations are welcome, and
no search waits for them again and again."""

_logger = logging.getLogger(__name__)


@dataclass
class Catalogued:
    """An engine whose results are completed by what the catalogue knows of them.

    Attributes:
        engine: finds them.
        catalogue: knows kinds and citations.
    """

    engine: SearchEngine
    catalogue: OpenAlex
    _known: dict[str, Work | None] = field(default_factory=dict)
    _rests_until: float = 0.0

    async def search(self, task: SearchTask) -> SearchResults:
        """Run one query; see `ports.SearchEngine`."""
        found = await self.engine.search(task)
        await self._learn([name for hit in found.hits for name in names(hit.source)])
        known = {name: work for name, work in self._known.items() if work is not None}
        return completed(found, known)

    async def _learn(self, named: Sequence[str]) -> None:
        """Look up what is not known yet; where nobody answers, results stay as they are."""
        new = [name for name in dict.fromkeys(named) if name not in self._known][:MOST]
        if not new or time.monotonic() < self._rests_until:
            return
        try:
            async with asyncio.timeout(_PATIENCE_S):
                works = await self.catalogue.works(new)
        except (PortFailure, TimeoutError) as failure:
            self._rests_until = time.monotonic() + _REST_S
            _logger.warning("kinds and citations are not known: %s", failure or "no answer")
            return
        for name in list(self._known)[: max(0, len(self._known) + len(new) - _KEPT)]:
            del self._known[name]
        self._known |= {name: works.get(name) for name in new}
