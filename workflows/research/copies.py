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
        kept = self.run.state.shelf[source.id].model_copy(update={"reading": reading})
        # What may be the same text, or gives the same address.
        for name in self._index_readings().find_candidates(source.id, reading):
            original = self.run.state.shelf.get(name)
            if original is None or original.reading is None:
                continue
            how = compare_readings(original.reading, reading)
            if how is Relation.COPY:
                self._originals[source.id] = name
                self.run.state.shelve(name, add_copy(original, source))
                self.run.state.unshelve(source.id)
                return original.reading
            self._alike.add((name, source.id, how))
        self.run.state.shelve(source.id, kept)
        self._index_readings().add(source.id, reading)
        return None

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
            own = kept.source
            if how is Relation.ALTERED:
                noted = f"its text is that of “{like.title[:120]}” with other figures"
            elif identify_author(own.id, own.url) == identify_author(like.id, like.url):
                noted = (
                    f"it gives the same address as “{like.title[:120]}” and has another text:"
                    " they count as one voice"
                )
            else:
                continue
            reason = f"{kept.reason}; {noted}"
            self.run.state.shelve(second, kept.model_copy(update={"reason": reason}))


def build_precedence_key(kept: FoundSource) -> tuple[float, str]:
    """Return what puts texts that are one in order: the most credible, then the first address."""
    return -kept.credibility.score, find_address(kept.source)


def add_copy(kept: FoundSource, source: SourceRef) -> FoundSource:
    """Note where else a source stands: the same page under another address, or a copy of it."""
    where = find_address(source)
    if where in (find_address(kept.source), *kept.copies):
        return kept
    return kept.model_copy(update={"copies": tuple(sorted((*kept.copies, where)))})


def find_address(source: SourceRef) -> str:
    return source.path or source.url or source.id
