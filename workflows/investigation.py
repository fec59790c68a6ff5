"""One assignment: search, admit, read, analyse, each source as soon as it is found."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from temporalio import workflow

from workflows.delegation import delegate
from workflows.options import ANALYSE, REFORMULATE, SEARCH
from workflows.reading_room import ReadingRoom
from workflows.record import Record

with workflow.unsafe.imports_passed_through():
    from activities.analysis import Analyst
    from activities.planning import Planner
    from activities.searching import Searcher
    from caveat.contracts.claim import Claim
    from caveat.contracts.envelope import SubagentResult
    from caveat.contracts.investigation import Findings
    from caveat.contracts.plan import Assignment
    from caveat.contracts.progress import AssignmentState
    from caveat.contracts.source import Hit, Reading, SourceRef
    from caveat.contracts.tasks import (
        AnalysisTask,
        ReformulationReason,
        ReformulationTask,
        SearchTask,
    )
    from caveat.rules.admission import BAR, FEW_FOR_ANGLE
    from caveat.rules.sizes import Size

R = TypeVar("R")


@dataclass
class Investigation:
    """One assignment on its way.

    Attributes:
        assignment: the angle.
        topic: what was asked.
        corpus: folders to search.
        size: how much to read.
        room: where sources are read.
        record: where everything is booked.
    """

    assignment: Assignment
    topic: str
    corpus: tuple[str, ...]
    size: Size
    room: ReadingRoom
    record: Record
    _tried: list[str] = field(default_factory=list)
    _hits: dict[str, Hit] = field(default_factory=dict)
    _studied: set[str] = field(default_factory=set)
    _analysed: set[str] = field(default_factory=set)
    _claims: list[Claim] = field(default_factory=list)
    _gaps: list[str] = field(default_factory=list)
    _attempted: int = 0
    _failed: int = 0
    _rejected: int = 0
    _could_look: bool = False

    async def investigate(self) -> None:
        """Search with every query at once, then once in other words if that gave too little."""
        self._show(state=AssignmentState.SEARCHING)
        await asyncio.gather(*(self._pursue(query) for query in self.assignment.queries))
        if len(self._studied) < FEW_FOR_ANGLE:
            await self._search_again()

    async def look_again(self, bar: float) -> None:
        """Read also the sources that pass a lowered bar."""
        await self._study(self._hits.values(), bar)

    def findings(self) -> Findings:
        """What the assignment brought, and close its line."""
        best = sorted(
            self._claims, key=lambda claim: (-claim.relevance * claim.credibility, claim.id)
        )
        if self._could_look and not best:
            self._gaps.append(f"No passage found on “{self.assignment.title}”.")
        self._show(state=self._final_state())
        return Findings(
            assignment=self.assignment,
            claims=tuple(best),
            attempted=self._attempted,
            failed=self._failed,
            gaps=tuple(dict.fromkeys(self._gaps)),
            rejected_quotes=self._rejected,
        )

    async def _pursue(self, query: str) -> None:
        await self._study(await self._search(query), BAR)

    async def _search_again(self) -> None:
        query = await self._reworded()
        if query is None:
            return
        before = len(self._hits)
        await self._pursue(query)
        if len(self._hits) == before:
            tried = ", ".join(f"“{each}”" for each in self._tried)
            self._gaps.append(f"No further source after {len(self._tried)} queries: {tried}.")

    async def _search(self, query: str) -> list[Hit]:
        self._tried.append(query)
        task = SearchTask(
            task_id=f"{self.assignment.id}-search-{len(self._tried)}",
            description=f"Search “{query[:120]}”",
            query=query,
            corpus=self.corpus,
            limit=self.size.sources,
        )
        envelope = self._book(await delegate(Searcher.search, task, SEARCH))
        if envelope.result is None:
            return []
        self._could_look = True
        hits = list(envelope.result.hits)
        self._hits.update({hit.source.id: hit for hit in hits if hit.source.id not in self._hits})
        self._show(found=len(self._hits))
        return hits

    async def _reworded(self) -> str | None:
        reason = ReformulationReason.TOO_FEW if self._hits else ReformulationReason.NOTHING_FOUND
        task = ReformulationTask(
            task_id=f"{self.assignment.id}-reformulate",
            description=f"Find other words for “{self.assignment.title[:120]}”",
            topic=self.topic,
            assignment=self.assignment,
            tried=tuple(self._tried),
            reason=reason,
            corpus=self.corpus,
        )
        envelope = self._book(await delegate(Planner.reformulate, task, REFORMULATE))
        return envelope.result.query if envelope.result else None

    async def _study(self, hits: Iterable[Hit], bar: float) -> None:
        chosen = [source for hit in hits if (source := self._chosen(hit, bar)) is not None]
        self._show(state=AssignmentState.READING, to_read=len(self._studied))
        await asyncio.gather(*(self._study_one(source) for source in chosen))

    def _chosen(self, hit: Hit, bar: float) -> SourceRef | None:
        kept = self.room.shelve(hit, bar)
        full = len(self._studied) >= self.size.sources
        if not kept.admitted or full or kept.source.id in self._studied:
            return None
        self._studied.add(kept.source.id)
        return kept.source

    async def _study_one(self, source: SourceRef) -> None:
        envelope = await self.room.read(source)
        self._tally(envelope)
        if envelope.result is not None and envelope.result.source.id not in self._analysed:
            self._analysed.add(envelope.result.source.id)
            await self._analyse(envelope.result)
        self._show(read=self.record.lines[self.assignment.id].read + 1)

    async def _analyse(self, reading: Reading) -> None:
        source = reading.source
        task = AnalysisTask(
            task_id=f"{self.assignment.id}-analyse-{source.id}",
            description=f"Find “{self.assignment.title[:100]}” in “{source.title[:100]}”",
            topic=self.topic,
            assignment=self.assignment,
            source=source,
            snapshot_sha256=reading.snapshot_sha256,
            corpus=self.corpus,
            wanted=self.size.claims,
        )
        envelope = self._book(await delegate(Analyst.analyse, task, ANALYSE))
        if envelope.result is None:
            return
        trust = self.record.shelf[source.id].credibility.score
        self._claims += [
            claim.model_copy(update={"credibility": trust}) for claim in envelope.result.claims
        ]
        self._rejected += envelope.result.rejected_quotes
        self._show(claims=len(self._claims))

    def _book(self, envelope: SubagentResult[R]) -> SubagentResult[R]:
        return self._tally(self.record.count(envelope))

    def _tally(self, envelope: SubagentResult[R]) -> SubagentResult[R]:
        self._attempted += 1
        if envelope.failure is not None:
            self._failed += 1
            self._show(failures=self._failed, note=envelope.failure.message)
        return envelope

    def _final_state(self) -> AssignmentState:
        if self._claims:
            return AssignmentState.DONE
        return AssignmentState.NOTHING_FOUND if self._could_look else AssignmentState.FAILED

    def _show(self, **changes: object) -> None:
        self.record.line(self.assignment.id, **changes)
