"""What one assignment finds in sources: each is analysed once, and in parts where it is long."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from caveat.contracts.claim import Analysis, Claim
from caveat.contracts.envelope import SubagentResult
from caveat.contracts.investigation import Findings, Unfinished, Work
from caveat.contracts.plan import Assignment
from caveat.contracts.source import Reading, SourceRef
from caveat.contracts.tasks import AnalysisTask
from caveat.rules.evidence import as_counted, merged
from caveat.rules.sources import NEAREST, RELEVANT
from caveat.workflows.options import ANALYSE
from caveat.workflows.research.advising import following, minding
from caveat.workflows.research.sources import Sources
from caveat.workflows.research.state import State
from caveat.workflows.research.tasks import Changes, Subject
from caveat.workflows.research.workload import Workload

_UNNAMED = ""
"""Stands for the sources of an earlier run and of agents elsewhere, of which sums are known."""


@dataclass
class Claims:
    """What an assignment found.

    Attributes:
        at_most: claims that are kept of one analysis.
        heard: the sources that say something on it.
    """

    at_most: int
    heard: set[str] = field(default_factory=set)
    _kept: list[Claim] = field(default_factory=list)
    _ranked: tuple[Claim, ...] | None = None
    _stated: set[tuple[str, int, int]] = field(default_factory=set)
    _beside: Counter[str] = field(default_factory=Counter)
    _touching: list[Claim] = field(default_factory=list)
    _rejected: Counter[str] = field(default_factory=Counter)

    def __len__(self) -> int:
        """Count what is kept."""
        return len(self._kept)

    def of(self, source_id: str) -> Iterator[Claim]:
        """Yield what is kept of a source."""
        return (claim for claim in self._kept if claim.source_id == source_id)

    @property
    def beside(self) -> int:
        """Claims that only touch on the question, and were counted and not kept."""
        return self._beside.total()

    @property
    def rejected(self) -> int:
        """Claims thrown away because their quote was not in the snapshot."""
        return self._rejected.total()

    def keep(self, source_id: str, found: Analysis, trust: float) -> None:
        """Keep the best of what an analysis of a source found.

        Args:
            source_id: the source.
            found: what it says.
            trust: its credibility.
        """
        new = [each for each in found.claims if _place(each) not in self._stated]
        answers = [claim for claim in new if claim.relevance >= RELEVANT]
        best = sorted(answers, key=lambda claim: -claim.relevance)[: self.at_most]
        self._kept += [claim.model_copy(update={"credibility": trust}) for claim in best]
        self._ranked = None
        self._stated.update(map(_place, best))
        self.heard.update(claim.source_id for claim in best)
        touching = [claim for claim in new if NEAREST <= claim.relevance < RELEVANT]
        self._touching += [claim.model_copy(update={"credibility": trust}) for claim in touching]
        self._beside[source_id] += len(new) - len(answers)
        self._rejected[source_id] += found.rejected_quotes

    def nearest(self) -> tuple[Claim, ...]:
        """Choose the best of what only touches on the question."""
        return tuple(sorted(self._touching, key=self._rank)[: self.at_most])

    def reject(self, quotes: int) -> None:
        """Count claims that were thrown away before anybody said of which source they are."""
        self._rejected[_UNNAMED] += quotes

    def forget(self, source_id: str) -> None:
        """Drop what a source says."""
        self._kept = [claim for claim in self._kept if claim.source_id != source_id]
        self._touching = [claim for claim in self._touching if claim.source_id != source_id]
        self._ranked = None
        self._stated = {place for place in self._stated if place[0] != source_id}
        self.heard.discard(source_id)
        del self._beside[source_id]
        del self._rejected[source_id]

    def restore(self, found: Findings) -> None:
        """Begin with what an earlier run found, in the order in which that run has named it.

        In another one a model would be asked, and paid, for what it has answered.
        """
        self._kept = list(found.claims)
        self._ranked = None
        self._stated = set(map(_place, found.claims))
        self.heard = {claim.source_id for claim in found.claims}
        self._beside = Counter({_UNNAMED: found.beside})
        self._rejected = Counter({_UNNAMED: found.rejected_quotes})

    def best_first(self) -> tuple[Claim, ...]:
        """Its claims in order; of thousands that is not done anew each time that it is asked."""
        if self._ranked is None:
            self._ranked = tuple(sorted(self._kept, key=self._rank))
        return self._ranked

    def _rank(self, claim: Claim) -> tuple[float, tuple[int, str]]:
        return -claim.relevance * claim.credibility, as_counted(claim.id)


def _place(claim: Claim) -> tuple[str, int, int]:
    """Where the words of a claim stand."""
    return claim.source_id, claim.start, claim.end


PARTS = 4
"""Analyses of one source, each going on where a reasoner that cannot take all of it had to stop:
about a million characters at 240,000 each, which is a thick book."""

WINDOW = 240_000
"""Characters of a source that one analysis is taken to read at most; see `PARTS`."""

ANALYSED = Changes[AnalysisTask, Analysis](
    remaining=lambda task, part: task.model_copy(update={"start_at": part.read_to}), merged=merged
)


@dataclass
class Analyses:
    """The analyses of one assignment.

    Attributes:
        assignment: for which they are.
        topic: what was asked.
        corpus: folders that are searched.
        wanted: claims that one of them may bring.
        sources: where texts are.
        work: of the assignment, in which each is a piece.
        claims: what they brought.
        gaps: what of a source was not read.
        of: the sources that were analysed, or are.
    """

    assignment: Assignment
    topic: str
    corpus: tuple[str, ...]
    wanted: int
    sources: Sources
    work: Workload
    claims: Claims = field(init=False)
    gaps: list[str] = field(default_factory=list)
    of: set[str] = field(default_factory=set)
    _of_copies: dict[str, Analysis] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.claims = Claims(self.wanted)

    def restore(self, found: Findings) -> None:
        """Begin with what an earlier run found."""
        self.claims.restore(found)
        self.of = set(self.claims.heard)
        self._show()

    def sought(
        self, source: SourceRef, start_at: int = 0, advice: str | None = None
    ) -> AnalysisTask:
        """Return what is looked for in a source, whose text is not named yet.

        Args:
            source: which.
            start_at: character to begin at.
            advice: of a person, for which it is looked through; None for the assignment's question.
        """
        asked = minding(self.assignment, self.work.run.state.advice)
        if advice is not None:
            asked = following(self.assignment, advice)
        return AnalysisTask(
            task_id=self.work.run.new_id(f"{self.assignment.id}-analyse-{source.id}"),
            description=self._seeking(source),
            topic=self.topic,
            assignment=asked,
            source=source,
            snapshot_sha256="",
            corpus=self.corpus,
            wanted=self.wanted,
            start_at=start_at,
        )

    async def analyse(
        self,
        reading: Reading,
        sought: AnalysisTask | None = None,
        brought: SubagentResult[Analysis] | None = None,
    ) -> bool:
        """Analyse a text, unless that was done; say whether it gave anything, if only nothing.

        Args:
            reading: the text.
            sought: what was looked for when it was read.
            brought: what that gave.
        """
        is_new = reading.source.id not in self.of
        if brought is not None and not (
            is_new and sought and sought.source.id == reading.source.id
        ):
            self.work.tasks.was_in_vain(ANALYSE, brought)  # it is a copy of another source
            if sought is not None and brought.result is not None:
                self._of_copies[sought.source.id] = brought.result
            brought = None
        if not is_new:
            return True
        self.of.add(reading.source.id)
        start_at, gave = 0, False
        for _ in range(PARTS):
            envelope = await self.part(reading, start_at, sought if brought else None, brought)
            brought = None
            if envelope is None:
                return True
            gave = gave or envelope.value is not None
            read_to = envelope.result.read_to if envelope.result else reading.characters
            if not start_at < read_to < reading.characters:
                return gave
            start_at = read_to
        self.gaps.append(
            f"Only the first {start_at:,} of {reading.characters:,} characters of "
            f"“{reading.source.title}” were read."
        )
        return gave

    async def part(
        self,
        reading: Reading,
        start_at: int,
        sought: AnalysisTask | None = None,
        brought: SubagentResult[Analysis] | None = None,
    ) -> SubagentResult[Analysis] | None:
        """Analyse a text as far as one task goes; None when the budget leaves it out.

        Args:
            reading: the text.
            start_at: character to begin at.
            sought: the task, where it was done already.
            brought: how it ended.
        """
        source = reading.source
        if (bound := self.work.cap()) is not None:
            name = self.work.run.new_id(f"{self.assignment.id}-analyse-left-out")
            piece = Unfinished(
                work=Work.ANALYSE, task_id=name, source_id=source.id, start_at=start_at
            )
            self.work.leave_out(bound, piece, self._seeking(source))
            return None
        placed = {"source": source, "snapshot_sha256": reading.snapshot_sha256}
        task = (sought or self.sought(source, start_at)).model_copy(update=placed)
        piece = Unfinished(
            work=Work.ANALYSE, task_id=task.task_id, source_id=source.id, start_at=start_at
        )
        if brought is not None:
            taken = await self.work.take_over(ANALYSE, task, piece, ANALYSED, brought)
            return self._take(taken, piece)
        subject = Subject(material=min(reading.characters, WINDOW), angle=self.assignment.id)
        envelope = await self.work.do(ANALYSE, task, piece, ANALYSED, subject=subject)
        return None if envelope is None else self._take(envelope, piece)

    def keep(self, source_id: str, found: Analysis) -> None:
        """Keep what was found in a source."""
        trust = self.work.run.state.shelf[source_id].credibility.score
        self.claims.keep(source_id, found, trust)
        self._show()

    async def cite_copies(self, replaced: Mapping[str, Reading]) -> bool:
        """Take from the copies that are cited now what was found in other sources.

        Args:
            replaced: the sources that are cited no longer, each with the reading of its copy.

        Returns:
            Whether any of them had been analysed.
        """
        mine = [old for old in sorted(replaced) if old in self.of]
        for old in mine:
            self.of.discard(old)
            self.claims.forget(old)
        await asyncio.gather(*(self._take_from(replaced[old]) for old in mine))
        return bool(mine)

    async def _take_from(self, copy: Reading) -> None:
        """Keep what a copy says, which was found when it was read or is found now."""
        source_id = copy.source.id
        found = self._of_copies.pop(source_id, None)
        if found is None or found.read_to < copy.characters:
            self.work.attempted -= 1  # which is counted again
            await self.analyse(copy)
            return
        self.of.add(source_id)
        self.keep(source_id, found)

    def _take(
        self, envelope: SubagentResult[Analysis], piece: Unfinished
    ) -> SubagentResult[Analysis]:
        """Keep what an analysis found, and tally how it ended."""
        found = envelope.value
        if found is not None:
            piece = piece.model_copy(update={"start_at": found.read_to})
            self.keep(piece.source_id or "", found)
        self.work.tally(envelope, piece)
        return envelope

    def _seeking(self, source: SourceRef) -> str:
        return f"Find “{self.assignment.title[:100]}” in “{source.title[:100]}”"

    def _show(self) -> None:
        self.work.run.apply(State.line, self.assignment.id, claims=len(self.claims))
