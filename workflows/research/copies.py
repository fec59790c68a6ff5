"""Copies among what a run reads: of texts that are one, one is cited."""

from dataclasses import dataclass, field

from caveat.contracts.investigation import FoundSource
from caveat.contracts.source import Reading, SourceRef
from caveat.rules.evidence import Known, Relation, compare_readings
from caveat.rules.sources import identify_author
from caveat.workflows.research.run import Run


@dataclass
class Copies:
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
        entry = self.run.shelf[source.id].model_copy(update={"reading": reading})
        # What may be the same text, or gives the same address.
        for name in self._index_readings().find_candidates(source.id, reading):
            original = self.run.shelf.get(name)
            if original is None or original.reading is None:
                continue
            how = compare_readings(original.reading, reading)
            if how is Relation.COPY:
                self._originals[source.id] = name
                self.run.shelf[name] = add_copy(original, source)
                del self.run.shelf[source.id]
                return original.reading
            self._alike.add((name, source.id, how))
        self.run.shelf[source.id] = entry
        self._index_readings().add(source.id, reading)
        return None

    def _index_readings(self) -> Known:
        """What was read, in an earlier run that is followed up too."""
        if self._known is None:
            self._known = Known()
            for name, entry in self.run.shelf.items():
                if entry.reading is not None:
                    self._known.add(name, entry.reading)
        return self._known

    def note(self) -> None:
        """Say of sources that their text is much like another's; both are kept."""
        pairs = set()
        for one, other, how in self._alike:
            shelf = self.run.shelf
            named = {self.find_original(one), self.find_original(other)} & shelf.keys()
            if len(named) > 1:
                first, second = sorted(named, key=lambda name: build_precedence_key(shelf[name]))
                pairs.add((first, second, how))
        self._alike.clear()
        for first, second, how in sorted(pairs):
            entry, like = self.run.shelf[second], self.run.shelf[first].source
            own = entry.source
            if how is Relation.ALTERED:
                noted = f"its text is that of “{like.title[:120]}” with other figures"
            elif identify_author(own.id, own.url) == identify_author(like.id, like.url):
                noted = (
                    f"it gives the same address as “{like.title[:120]}” and has another text:"
                    " they count as one voice"
                )
            else:
                continue
            reason = f"{entry.reason}; {noted}"
            self.run.shelf[second] = entry.model_copy(update={"reason": reason})


def build_precedence_key(entry: FoundSource) -> tuple[float, str]:
    """Return what puts texts that are one in order: the most credible, then the first address."""
    return -entry.credibility.score, find_address(entry.source)


def add_copy(entry: FoundSource, source: SourceRef) -> FoundSource:
    """Note where else a source stands: the same page under another address, or a copy of it."""
    where = find_address(source)
    if where in (find_address(entry.source), *entry.copies):
        return entry
    return entry.model_copy(update={"copies": tuple(sorted((*entry.copies, where)))})


def find_address(source: SourceRef) -> str:
    return source.path or source.url or source.id
