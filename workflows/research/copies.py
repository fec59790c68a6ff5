"""Copies among what a run reads: of texts that are one, one is cited."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from caveat.contracts.investigation import FoundSource
from caveat.contracts.source import Reading, SourceRef
from caveat.rules.evidence import Known, Relation, compare_readings
from caveat.rules.sources import identify_author
from caveat.workflows.research.run import Run


@dataclass
class Copies:
    """The copies among what a run reads."""

    # A copy leaves the shelf as soon as it was read, for the text that was there first, so that
    # nothing more is done with it.

    run: Run  # where the shelf is kept
    _originals: dict[str, str] = field(default_factory=dict)
    _alike: set[tuple[str, str, Relation]] = field(default_factory=set)
    _known: Known | None = None

    def find_original(self, source_id: str) -> str:
        """Name the source that is cited for a copy; any other source itself."""
        return self._originals.get(source_id, source_id)

    def keep(self, source: SourceRef, reading: Reading) -> Reading | None:
        """Put a reading on the shelf, unless it is a copy: then return that of its original."""
        kept = self.run.state.shelf[source.id].model_copy(update={"reading": reading})
        for original, had in self._read_before(source.id, reading):
            how = compare_readings(had, reading)
            if how is Relation.COPY:
                self._originals[source.id] = original.source.id
                self.run.state.shelve(original.source.id, add_copy(original, source))
                self.run.state.unshelve(source.id)
                return had
            self._alike.add((original.source.id, source.id, how))
        self.run.state.shelve(source.id, kept)
        self._index_readings().add(source.id, reading)
        return None

    def _read_before(
        self, source_id: str, reading: Reading
    ) -> Iterator[tuple[FoundSource, Reading]]:
        """Yield what was read and may be the same text, or give the same address."""
        for name in self._index_readings().find_candidates(source_id, reading):
            kept = self.run.state.shelf.get(name)
            if kept is not None and kept.reading is not None:
                yield kept, kept.reading

    def _index_readings(self) -> Known:
        """What was read, in an earlier run that is followed up too."""
        if self._known is None:
            self._known = Known()
            for name, kept in self.run.state.shelf.items():
                if kept.reading is not None:
                    self._known.add(name, kept.reading)
        return self._known

    def note(self) -> None:
        """Say of sources that their text is much like another's; both are kept."""
        found = set()
        for one, other, how in self._alike:
            shelf = self.run.state.shelf
            named = {self.find_original(one), self.find_original(other)} & shelf.keys()
            if len(named) > 1:
                first, second = sorted(named, key=lambda name: build_precedence_key(shelf[name]))
                found.add((first, second, how))
        self._alike.clear()
        for first, second, how in sorted(found):
            kept, like = self.run.state.shelf[second], self.run.state.shelf[first].source
            noted = (
                _mark_altered(kept, like) if how is Relation.ALTERED else _mark_namesake(kept, like)
            )
            if noted != kept:
                self.run.state.shelve(second, noted)


def build_precedence_key(kept: FoundSource) -> tuple[float, str]:
    """Return what puts texts that are one in order: the most credible, then the first address."""
    return -kept.credibility.score, find_address(kept.source)


def add_copy(kept: FoundSource, source: SourceRef) -> FoundSource:
    """Note where else a source stands: the same page under another address, or a copy of it."""
    return _add_address(kept, find_address(source))


def _add_address(kept: FoundSource, where: str) -> FoundSource:
    if where in (find_address(kept.source), *kept.copies):
        return kept
    return kept.model_copy(update={"copies": tuple(sorted((*kept.copies, where)))})


def find_address(source: SourceRef) -> str:
    """Return where people find a source."""
    return source.path or source.url or source.id


def _mark_altered(kept: FoundSource, original: SourceRef) -> FoundSource:
    reason = f"{kept.reason}; its text is that of “{original.title[:120]}” with other figures"
    return kept.model_copy(update={"reason": reason})


def _mark_namesake(kept: FoundSource, other: SourceRef) -> FoundSource:
    """Note that a source gives the address of another one, whose text is another."""
    own = kept.source
    if identify_author(own.id, own.url) != identify_author(other.id, other.url):
        return kept
    reason = (
        f"{kept.reason}; it gives the same address as “{other.title[:120]}” and has another text:"
        " they count as one voice"
    )
    return kept.model_copy(update={"reason": reason})
