"""Known texts: which of those that were read a new one may be a copy of, without looking at all."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import chain

from caveat.contracts.source import Reading
from caveat.rules.sources.identity import voice

CROWD = 64
"""Texts that share a hash before it says nothing of copies: they have a menu or a notice in common,
since a text that is a copy is not added. It bounds what one look takes, however many are known."""


SIGNS = 32
"""Of the smallest hashes by which a text is found: of two texts that are copies (`COPIED`,
`COMPARABLE`) a third of all hashes is in both at least: one pair in a million shares none."""


class Known:
    """The readings of a run that are nobody's copy, by what a copy would share with them."""

    def __init__(self) -> None:
        self._order: dict[str, int] = {}
        self._sharing: dict[object, list[str]] = defaultdict(list)

    def add(self, source_id: str, reading: Reading) -> None:
        """Add a reading; to add it again changes nothing."""
        if source_id in self._order:
            return
        self._order[source_id] = len(self._order)
        for sign in _signs(source_id, reading):
            sharing = self._sharing[sign]
            if len(sharing) < CROWD:
                sharing.append(source_id)

    def like(self, source_id: str, reading: Reading) -> list[str]:
        """Name the sources that have a sign of it in common, in the order in which they were added.

        Two texts that share none of so many of their smallest hashes are no copies (`likeness`).
        """
        found = {
            each
            for sign in _signs(source_id, reading)
            if len(sharing := self._sharing.get(sign, ())) < CROWD
            for each in sharing
        }
        return sorted(found - {source_id}, key=self._order.__getitem__)


def _signs(source_id: str, reading: Reading) -> Iterator[object]:
    source = reading.source
    return chain((reading.snapshot_sha256, voice(source_id, source.url)), reading.sketch[:SIGNS])
