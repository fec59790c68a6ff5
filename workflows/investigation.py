"""One assignment: search, admit, read, analyse, each source as soon as it is found."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import TypeVar

from temporalio import workflow

from workflows.desk import Changes, Desk, Funded
from workflows.funds import LeftOut
from workflows.options import ANALYSE, REFORMULATE
from workflows.reading_room import ReadingRoom, reading_task
from workflows.record import Record
from workflows.searching import Searches
from workflows.under_way import AGENTS, CUT_SHORT, TOO_LATE, UnderWay

with workflow.unsafe.imports_passed_through():
    from activities.analysis import Analyst
    from activities.planning import Planner
    from caveat.contracts.claim import Analysis, Claim
    from caveat.contracts.envelope import SubagentResult
    from caveat.contracts.failure import Failure
    from caveat.contracts.investigation import Findings, Unfinished, Work
    from caveat.contracts.plan import Assignment
    from caveat.contracts.progress import AssignmentState
    from caveat.contracts.source import Hit, Reading, SourceRef
    from caveat.contracts.tasks import (
        AnalysisTask,
        ReformulationReason,
        ReformulationTask,
    )
    from caveat.rules.admission import BAR, FEW_FOR_ANGLE, RELEVANT
    from caveat.rules.merging import merged
    from caveat.rules.ordering import as_counted
    from caveat.rules.sizes import Size

R = TypeVar("R")

SPARES = 4
"""Sources that a search returns beyond those that are read at first: one of them is read in place
of a source that cannot be."""

PARTS = 4
"""Analyses of one source, each going on where a reasoner that cannot take all of it had to stop:
about a million characters at 240,000 each, which is a thick book."""

WINDOW = 240_000
"""Characters of a source that one analysis is taken to read at most; see `PARTS`."""

ANALYSED = Changes[AnalysisTask, Analysis](
    remaining=lambda task, part: task.model_copy(update={"start_at": part.read_to}),
    merged=merged,
)


@dataclass
class Investigation:
    """One assignment on its way.

    Attributes:
        assignment: the angle.
        topic: what was asked.
        corpus: folders to search.
        size: how much to read.
        room: where sources are read.
        desk: where tasks are given out.
        record: where everything is booked.
    """

    assignment: Assignment
    topic: str
    corpus: tuple[str, ...]
    size: Size
    room: ReadingRoom
    desk: Desk
    record: Record
    _under_way: UnderWay = field(init=False)
    _searches: Searches = field(init=False)
    _studied: set[str] = field(default_factory=set)
    _lost: set[str] = field(default_factory=set)
    _analysed: set[str] = field(default_factory=set)
    _claims: list[Claim] = field(default_factory=list)
    _gaps: list[str] = field(default_factory=list)
    _unfinished: list[Unfinished] = field(default_factory=list)
    _left_out: list[Unfinished] = field(default_factory=list)
    _not_started: set[str] = field(default_factory=set)
    _silent: set[str] = field(default_factory=set)
    _beside: int = 0
    _attempted: int = 0
    _rejected: int = 0
    _could_look: bool = False
    _late: bool = False
    _was_late: bool = False

    def __post_init__(self) -> None:
        self._under_way = UnderWay(self.desk, self.record)
        self._searches = Searches(
            assignment_id=self.assignment.id,
            corpus=self.corpus,
            limit=self.size.sources + SPARES,
            desk=self.desk,
            record=self.record,
            under_way=self._under_way,
            tally=self._tallied,
            leave_out=self._leave_out,
        )

    async def investigate(self) -> None:
        """Search with every query at once, then once in other words if that gave too little."""
        self._show(state=AssignmentState.SEARCHING)
        share = ceil(self.size.sources / len(self.assignment.queries))
        try:
            await asyncio.gather(*(self._pursue(query, share) for query in self.assignment.queries))
            await self._study(self._searches.hits(), BAR, settled=True)
            if self._has_few():
                await self._search_again()
        finally:  # nothing is kept any longer for its first analysis
            self.record.unanalysed.discard(self.assignment.id)

    async def look_again(self, bar: float) -> None:
        """Read also the sources that pass a lowered bar, unless it was left behind."""
        if not self._late:
            await self._study(self._searches.hits(), bar, settled=True)

    async def take_up(self, pieces: Sequence[Unfinished]) -> None:
        """Try these failed pieces of work again, and do what follows of them."""
        self._attempted -= sum(piece in self._unfinished and _counts(piece) for piece in pieces)
        self._unfinished = [piece for piece in self._unfinished if piece not in pieces]
        left_out = [piece for piece in pieces if piece in self._left_out]
        self._left_out = [piece for piece in self._left_out if piece not in pieces]
        await asyncio.gather(*(self._again(piece, left_out=piece in left_out) for piece in pieces))
        if (self._was_late or left_out) and self._has_few():
            await self._search_again()

    def resume(self, found: Findings) -> None:
        """Begin where an earlier run ended."""
        self._claims = list(found.claims)
        self._gaps = list(found.gaps)
        self._unfinished = list(found.unfinished)
        self._attempted = found.attempted
        self._rejected = found.rejected_quotes
        self._beside = found.beside
        self._could_look = bool(found.claims) or self._nothing() in found.gaps
        self._analysed = {claim.source_id for claim in found.claims}
        self._left_out = list(found.left_out)
        open_ = (*found.unfinished, *found.left_out)
        left = {piece.source_id for piece in open_ if piece.source_id is not None}
        self._studied = self._analysed | left
        unsearched = {piece.query for piece in open_ if not piece.others_answered}
        self._searches.tried = [
            query for query in self.assignment.queries if query not in unsearched
        ]
        self._was_late = found.late
        self._show(claims=len(self._claims), state=self._final_state())

    def leave_behind(self) -> None:
        """Stop here: the deadline has passed, and what was under way is left to a follow-up."""
        left = self._leave(TOO_LATE)
        self._late = bool(left)
        if not left:  # it looked for other words only, and is whole without them
            self._gaps.append("No further source was looked for: the deadline had passed.")
        self._show(failures=len(self._unfinished), note="late")

    def cut_short(self) -> None:
        """Stop here: the run was cancelled, and what was under way is left to a follow-up."""
        if not self._under_way.is_empty:
            self._leave(CUT_SHORT)
            self._show(failures=len(self._unfinished), note="cancelled")

    def _leave(self, why: Failure) -> list[Unfinished]:
        left = self._under_way.leave(why)
        self._attempted += len(left)
        self._unfinished += left
        return left

    def findings(self) -> Findings:
        """What the assignment brought, and close its line."""
        best = sorted(
            self._claims, key=lambda claim: (-claim.relevance * claim.credibility, claim.id)
        )
        gaps = sorted(gap for gap in self._gaps if gap != self._nothing())
        if self._could_look and not best:
            gaps.append(self._nothing())
        self._show(state=self._final_state())
        # By name: the order in which they failed is one of chance.
        unfinished = sorted(map(self._as_it_stands, self._unfinished), key=_by_name)
        return Findings(
            assignment=self.assignment,
            claims=tuple(best),
            attempted=self._attempted,
            failed=sum(_counts(piece) and not piece.others_answered for piece in unfinished),
            unfinished=tuple(unfinished),
            left_out=tuple(sorted(self._left_out, key=_by_name)),
            late=self._late,
            gaps=tuple(dict.fromkeys(gaps)),
            rejected_quotes=self._rejected,
            beside=self._beside,
        )

    def _has_few(self) -> bool:
        return len(self._speaking()) < FEW_FOR_ANGLE

    def _speaking(self) -> set[str]:
        """The sources that say something on the angle."""
        return {claim.source_id for claim in self._claims}

    async def _pursue(self, query: str, share: int, engine: str | None = None) -> None:
        # Only its share, so that which sources are read does not depend on which search is faster.
        await self._study((await self._search(query, engine))[:share], BAR)

    async def _search_again(self) -> bool:
        """Search in other words, where there are any; say whether the budget allowed to look."""
        try:
            query = await self._reworded()
        except LeftOut:
            return False
        if query is None:
            return True
        found, speaking = len(self._searches.hits()), len(self._speaking())
        again = await self._search(query)
        await self._study(again[: self.size.sources], BAR, settled=True)
        if len(self._speaking()) == speaking:
            queries = dict.fromkeys(self._searches.tried)
            tried = ", ".join(f"“{each}”" for each in queries)
            is_new = len(self._searches.hits()) > found
            none = "source that says something on it" if is_new else "source"
            self._gaps.append(f"No further {none} after {len(queries)} queries: {tried}.")
        return True

    async def _search(self, query: str, engine: str | None = None) -> Sequence[Hit]:
        if (bound := self._capped()) is not None:
            name = self.record.new_id(f"{self.assignment.id}-search-left-out")
            piece = Unfinished(work=Work.SEARCH, task_id=name, query=query, engine=engine)
            self._leave_out(bound, piece, f"Search “{query[:120]}”")
            return ()
        found = await self._searches.put(query, engine)
        self._could_look = self._could_look or self._searches.has_answer(query)
        self._show(found=len(self._searches.hits()))
        return found

    async def _reworded(self) -> str | None:
        if self._capped() is not None:
            return None
        reason = (
            ReformulationReason.TOO_FEW
            if self._searches.hits()
            else ReformulationReason.NOTHING_FOUND
        )
        task = ReformulationTask(
            task_id=self.record.new_id(f"{self.assignment.id}-reformulate"),
            description=f"Find other words for “{self.assignment.title[:120]}”",
            topic=self.topic,
            assignment=self.assignment,
            tried=tuple(self._searches.tried),
            reason=reason,
            corpus=self.corpus,
        )
        # Not part of the assignment's own work: without other words it is as complete as before.
        envelope = await self.desk.attend(Planner.reformulate, task, REFORMULATE)
        if envelope.failure is not None:
            again = envelope.failure.retry_recommended
            left = Unfinished(work=Work.REWORD, task_id=envelope.task_id, retry_recommended=again)
            self._unfinished.append(left)
        return envelope.result.query if envelope.result else None

    async def _study(self, hits: Iterable[Hit], bar: float, *, settled: bool = False) -> None:
        chosen = [
            source
            for hit in hits
            if (source := self._chosen(hit, bar, settled=settled)) is not None
        ]
        self._show(state=AssignmentState.READING, to_read=len(self._studied))
        await asyncio.gather(*(self._study_one(source) for source in chosen))

    def _chosen(self, hit: Hit, bar: float, *, settled: bool = False) -> SourceRef | None:
        has_room = self._has_room(settled=settled)
        kept = self.room.shelve(hit, bar, wanted=has_room)
        if not kept.admitted or not has_room or kept.source.id in self._studied:
            return None
        self._studied.add(kept.source.id)
        task = reading_task(kept.source)
        piece = Unfinished(work=Work.READ, task_id=task.task_id, source_id=kept.source.id)
        self._under_way.begin(piece, task)
        return kept.source

    def _has_room(self, *, settled: bool) -> bool:
        """Whether it may read on: past its size only in place of what said nothing, and not far.

        Args:
            settled: whether all that was begun is done; before, who spoke is a matter of chance.
        """
        taken = self._studied - self._lost
        if len(taken) < self.size.sources or not settled:
            return len(taken) < self.size.sources
        counted = len(taken - self._silent)
        spares = len(taken) < self.size.sources + SPARES
        return spares and counted < self.size.sources and self._has_few()

    async def _study_one(self, source: SourceRef, *, replaced: bool = False) -> None:
        """Read and analyse a source, or the next best one where nothing is to be had of it.

        Args:
            source: the source.
            replaced: whether it stands in for one that could not be analysed; then another such
                failure says more of the analyst than of its source.
        """
        envelope = await self._read(source)
        self._under_way.end(reading_task(source).task_id)
        if envelope is None:
            return
        if envelope.result is None:
            piece = Unfinished(work=Work.READ, task_id=envelope.task_id, source_id=source.id)
            self._tallied(envelope, piece)
            await self._study_spare(source, replaced=replaced)
        else:
            self._attempted += 1
            gave = await self._analyse_once(envelope.result)
            if gave and envelope.result.source.id not in self._speaking():
                self._silent.add(source.id)
            if not gave and not replaced and self.desk.gives_out(ANALYSE):
                await self._study_spare(source, replaced=True)
        self._show(read=self.record.lines[self.assignment.id].read + 1)

    async def _read(self, source: SourceRef) -> SubagentResult[Reading] | None:
        """Read a source; None when the budget leaves it out."""
        bound = self._capped()
        if bound is None:
            try:
                return await self.room.read(source)
            except LeftOut as left:
                bound = left.bound
        # Read once, whichever angles want it: its name is that of the source.
        task = reading_task(source)
        name = f"{task.task_id}-left-out"
        piece = Unfinished(work=Work.READ, task_id=name, source_id=source.id)
        self._leave_out(bound, piece, task.description)
        return None

    async def _study_spare(self, source: SourceRef, *, replaced: bool) -> None:
        """Read the next best source in place of one that gives nothing."""
        self._lost.add(source.id)
        spare = next(
            (found for hit in self._searches.hits() if (found := self._chosen(hit, BAR))), None
        )
        if spare is not None:
            await self._study_one(spare, replaced=replaced)

    async def _analyse_once(self, reading: Reading) -> bool:
        """Say whether it gave anything, if only that nothing is in it."""
        if reading.source.id in self._analysed:
            return True
        self._analysed.add(reading.source.id)
        start_at, gave = 0, False
        for _ in range(PARTS):
            envelope = await self._analyse(reading, start_at)
            if envelope is None:
                return True
            gave = gave or envelope.value is not None
            read_to = envelope.result.read_to if envelope.result else reading.characters
            if not start_at < read_to < reading.characters:
                return gave
            start_at = read_to
        self._gaps.append(
            f"Only the first {start_at:,} of {reading.characters:,} characters of "
            f"“{reading.source.title}” were read."
        )
        return gave

    async def _analyse(self, reading: Reading, start_at: int) -> SubagentResult[Analysis] | None:
        """Analyse a source; None when the budget leaves it out."""
        source = reading.source
        description = f"Find “{self.assignment.title[:100]}” in “{source.title[:100]}”"
        if (bound := self._capped()) is not None:
            name = self.record.new_id(f"{self.assignment.id}-analyse-left-out")
            piece = Unfinished(
                work=Work.ANALYSE, task_id=name, source_id=source.id, start_at=start_at
            )
            self._leave_out(bound, piece, description)
            return None
        task = AnalysisTask(
            task_id=self.record.new_id(f"{self.assignment.id}-analyse-{source.id}"),
            description=description,
            topic=self.topic,
            assignment=self.assignment,
            source=source,
            snapshot_sha256=reading.snapshot_sha256,
            corpus=self.corpus,
            wanted=self.size.claims,
            start_at=start_at,
        )
        piece = Unfinished(
            work=Work.ANALYSE, task_id=task.task_id, source_id=source.id, start_at=start_at
        )
        self._under_way.begin(piece, task)
        funded = Funded(material=min(reading.characters, WINDOW), angle=self.assignment.id)
        try:
            envelope = await self.desk.attend(
                Analyst.analyse, task, ANALYSE, ANALYSED, funded=funded
            )
        except LeftOut as left:
            self._under_way.end(task.task_id)
            self._leave_out(left.bound, piece, description)
            return None
        found = envelope.value
        if found is not None:
            piece = piece.model_copy(update={"start_at": found.read_to})
            self._keep(found, self.record.shelf[source.id].credibility.score)
        self._tallied(envelope, piece)
        return envelope

    def _keep(self, found: Analysis, trust: float) -> None:
        answers = [claim for claim in found.claims if claim.relevance >= RELEVANT]
        self._beside += len(found.claims) - len(answers)
        best = sorted(answers, key=lambda claim: -claim.relevance)[: self.size.claims]
        self._claims += [claim.model_copy(update={"credibility": trust}) for claim in best]
        self._rejected += found.rejected_quotes
        self._show(claims=len(self._claims))

    async def _again(self, piece: Unfinished, *, left_out: bool) -> None:
        """Do a piece of work at last or once more, and let its entry tell what came of it."""
        before = len(self._unfinished)
        is_done = self._capped() is None and await self._redone(piece)
        left_again = next((one for one in self._left_out if _same(one, piece)), None)
        if left_again is not None:
            if left_again.task_id != piece.task_id:  # the new entry tells of it now
                self.record.drop(piece.task_id)
            return
        # Others are taken up at the same time; only the very same piece says how this one went.
        since = self._unfinished[before:]
        left = next((one for one in since if _same(one, piece)), None)
        if left is None and is_done:
            self.record.make_good(piece.task_id)
        elif left is None and left_out:
            self._left_out.append(piece)
        elif left is None:  # the budget left it out, or there is nothing to do it with
            self._attempted += _counts(piece)
            self._unfinished.append(piece)
        elif left.task_id in self._not_started:
            # Nothing new was learnt: the first failure keeps its facts.
            self.record.drop(left.task_id)
            self._unfinished[self._unfinished.index(left)] = piece
        else:
            self.record.drop(piece.task_id)

    async def _redone(self, piece: Unfinished) -> bool:
        """Do it again, and say whether what it was to bring is there; if it failed, it is not."""
        kept = self.record.shelf.get(piece.source_id or "")
        match piece.work:
            case Work.SEARCH if piece.query is not None:
                await self._pursue(piece.query, self.size.sources, piece.engine)
                return self._searches.has_answer(piece.query, piece.engine)
            case Work.READ if kept is not None:
                self.room.forget(kept.source.id)
                await self._study_one(kept.source)
                kept = self.record.shelf.get(kept.source.id)
                return kept is None or kept.reading is not None  # none: it is a copy of another
            case Work.ANALYSE if kept is not None and kept.reading is not None:
                return await self._analyse(kept.reading, piece.start_at) is not None
            case Work.REWORD:
                return await self._search_again()
        return False

    def _tallied(self, envelope: SubagentResult[R], piece: Unfinished) -> SubagentResult[R]:
        # A search that was made brings nothing by itself; one that failed kept something away.
        self._attempted += piece.work is not Work.SEARCH or envelope.failure is not None
        self._under_way.end(piece.task_id)
        if envelope.failure is not None:
            if envelope.attempts == 0:
                self._not_started.add(envelope.task_id)
            # By the name that its failure is booked under: a changed input has one of its own.
            facts = {
                "task_id": envelope.task_id,
                "retry_recommended": envelope.failure.retry_recommended,
            }
            self._unfinished.append(piece.model_copy(update=facts))
            self._show(failures=len(self._unfinished), note=envelope.failure.message)
        return envelope

    def _as_it_stands(self, piece: Unfinished) -> Unfinished:
        """Note of a search whether another engine has answered its query by now."""
        if piece.others_answered or not self._searches.has_answer(piece.query):
            return piece
        return piece.model_copy(update={"others_answered": True})

    def _capped(self) -> str | None:
        """Count a task that the budget leaves out, and name the bound; None while there is room."""
        bound = self.desk.funds.is_over()
        if bound is not None:
            self.record.leave_out(bound)
        return bound

    def _leave_out(self, bound: str, piece: Unfinished, description: str) -> None:
        """Keep what the budget leaves out for a follow-up: it is neither done nor failed."""
        self._left_out.append(piece.model_copy(update={"retry_recommended": True}))
        self.record.book_left_out(bound, AGENTS[piece.work], piece.task_id, description)

    def _nothing(self) -> str:
        return f"No passage found on “{self.assignment.title}”."

    def _final_state(self) -> AssignmentState:
        if self._claims:
            return AssignmentState.DONE
        return AssignmentState.NOTHING_FOUND if self._could_look else AssignmentState.FAILED

    def _show(self, **changes: object) -> None:
        self.record.line(self.assignment.id, **changes)


def _same(one: Unfinished, other: Unfinished) -> bool:
    """Whether two pieces are the same work, each perhaps under a name of its own."""
    facts = {"work", "query", "engine", "source_id"}
    return one.model_dump(include=facts) == other.model_dump(include=facts)


def _by_name(piece: Unfinished) -> tuple[int, str]:
    """What puts pieces of work in the order of their names."""
    return as_counted(piece.task_id)


def _counts(piece: Unfinished) -> bool:
    """Whether an assignment is less whole without a piece of work."""
    return piece.work is not Work.REWORD
