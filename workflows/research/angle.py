"""One assignment: search, admit, read, analyse, each source as soon as it is found."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from temporalio.exceptions import ActivityError

from caveat.contracts.claim import Claim
from caveat.contracts.envelope import SubagentResult
from caveat.contracts.investigation import Findings, Unfinished, Work
from caveat.contracts.plan import MOST_SOURCES, Assignment
from caveat.contracts.progress import AssignmentState
from caveat.contracts.source import Hit, Reading, SourceRef
from caveat.contracts.tasks import AnalysisTask, ReformulationReason, ReformulationTask
from caveat.rules.report import DIRECT, angle_named
from caveat.rules.run.extent import Size
from caveat.rules.sources import BAR, FEW_FOR_ANGLE, SMALL
from caveat.workflows.options import ANALYSE, REFORMULATE
from caveat.workflows.research.analyses import Analyses, Claims
from caveat.workflows.research.budget import NoRoom
from caveat.workflows.research.outside import Outside
from caveat.workflows.research.run import Run
from caveat.workflows.research.searches import Searches
from caveat.workflows.research.sources import Sources, reading_task
from caveat.workflows.research.state import State
from caveat.workflows.research.tasks import Tasks
from caveat.workflows.research.turns import Round, Turns
from caveat.workflows.research.workload import CUT_SHORT, TOO_LATE, Workload, by_name, counts

SPARES = 4
"""Sources that a search returns beyond those that are read at first: one of them is read in place
of a source that cannot be."""

ABREAST = 200
"""Sources of an angle under way at once: a search that finds a thousand would otherwise have all of
them begun in one workflow task, which takes seconds on a loaded machine, and may not."""

LOOKED_INTO = 3
"""Sources that are read for what a person says, beside an angle's own."""


@dataclass
class Angle:
    """One assignment on its way.

    Attributes:
        assignment: the angle.
        topic: what was asked.
        corpus: folders to search.
        size: how much to read.
        sources: where they are read.
        tasks: where tasks are given out.
        run: where everything is booked.
    """

    assignment: Assignment
    topic: str
    corpus: tuple[str, ...]
    size: Size
    sources: Sources
    tasks: Tasks
    run: Run
    _work: Workload = field(init=False)
    _searches: Searches = field(init=False)
    _analyses: Analyses = field(init=False)
    _outside: Outside = field(init=False)
    _abreast: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(ABREAST))
    _studied: set[str] = field(default_factory=set)
    _lost: set[str] = field(default_factory=set)
    _gaps: list[str] = field(default_factory=list)
    _silent: set[str] = field(default_factory=set)
    _could_look: bool = False
    _late: bool = False
    _was_late: bool = False

    def __post_init__(self) -> None:
        self._work = Workload(self.assignment.id, self.tasks, self.run)
        own = self.assignment
        self.size = replace(
            self.size,
            sources=max(own.sources or 0, self.size.sources),
            claims=own.claims or self.size.claims,
        )
        limit = min(self.size.sources + SPARES, MOST_SOURCES)
        self._searches = Searches(self.corpus, limit, self._work)
        self._analyses = Analyses(
            self.assignment, self.topic, self.corpus, self.size.claims, self.sources, self._work
        )
        self._outside = Outside(
            self.assignment, self.topic, self.sources, self._work, self._analyses
        )

    async def investigate(self, number: int = 0, turns: Turns | None = None) -> None:
        """Search with every query at once, then once in other words if that gave too little.

        Args:
            number: of the angle, from 0 in the order of the plan.
            turns: in which it takes sources; None where it takes them as it finds them.
        """
        self._show(state=AssignmentState.SEARCHING)
        if self.assignment.is_elsewhere:
            await self._elsewhere()
            return
        try:
            if turns is None:
                await asyncio.gather(*(self._pursue(*each) for each in self._shares()))
                await self.heed()
                await self._complete()
            else:
                await self._pursue_in_turn(turns, number)
            await self.heed()
        # Not whatever ends it: a worker that forgets the run closes this from outside of it.
        except (asyncio.CancelledError, ActivityError):
            self._need_no_analysis()
            raise
        self._need_no_analysis()
        self._close()

    async def _elsewhere(self) -> None:
        """Have an agent that lives elsewhere do all of it."""
        try:
            await self._outside.ask(())
        finally:
            self._need_no_analysis()
        self._close()

    def pass_on(self, advice: str) -> None:
        """Tell the agent what a person says, where it works elsewhere just now."""
        self._outside.pass_on(advice)

    @property
    def _claims(self) -> Claims:
        return self._analyses.claims

    @property
    def can_go_on(self) -> bool:
        """Whether it can look further: it was not left behind, nor is it elsewhere."""
        return not self._late and not self.assignment.is_elsewhere

    async def heed(self) -> None:
        """Look into what people have said and no other angle has taken up, at its turn."""
        while self.run.state.heeded < len(self.run.state.advice):
            advice = self.run.state.advice[self.run.state.heeded]
            self.run.apply(State.heeding)
            found = (await self._search(advice.text))[:LOOKED_INTO]
            kept = [self.sources.shelve(hit, BAR, wanted=True) for hit in found]
            await asyncio.gather(
                *(self._look_into(each.source, advice.text) for each in kept if each.admitted)
            )

    async def heed_at_last(self) -> None:
        """Look into what was said when it had ended already."""
        await self.heed()
        self._close()

    async def _look_into(self, source: SourceRef, advice: str) -> None:
        """Read a source for what a person says, also where it was read for the angle before."""
        self._studied.add(source.id)
        task = reading_task(source)
        piece = Unfinished(work=Work.READ, task_id=task.task_id, source_id=source.id)
        self._work.begin(piece, task)
        envelope = await self._read(source, None)
        self._work.end(task.task_id)
        if envelope is None:
            return
        if envelope.result is None:
            self._work.tally(envelope, piece)
        else:
            self._work.attempted += 1
            await self._analyses.part(
                envelope.result, 0, self._analyses.sought(source, advice=advice)
            )

    def _need_no_analysis(self) -> None:
        """Keep nothing of the budget any longer for its first analysis."""
        self.run.apply(State.analysed, self.assignment.id)

    async def look_again(self, bar: float) -> None:
        """Read also the sources that pass a lowered bar, unless it was left behind."""
        if not self._late:
            await self._study(self._searches.hits(), bar, settled=True)
            self._close()

    async def take_up(self, pieces: Sequence[Unfinished]) -> None:
        """Try these failed pieces of work again, and do what follows of them."""
        work = self._work
        left_out = work.retake(pieces)
        await asyncio.gather(
            *(work.again(piece, self._redo, was_left_out=piece in left_out) for piece in pieces)
        )
        if (self._was_late or left_out) and self._has_few():
            await self._search_again()
        self._close()

    async def cite_copies(self, replaced: Mapping[str, Reading]) -> None:
        """Take from the copies that are cited now what it had found in other sources.

        Args:
            replaced: the sources that are cited no longer, each with the reading of its copy.
        """
        if await self._analyses.cite_copies(replaced):
            self._close()

    def resume(self, found: Findings) -> None:
        """Begin where an earlier run ended."""
        self._analyses.restore(found)
        self._gaps = list(found.gaps)
        self._work.unfinished = list(found.unfinished)
        self._work.left_out = list(found.left_out)
        self._work.attempted = found.attempted
        self._outside.share = found.share
        self._could_look = bool(found.claims) or self._nothing() in found.gaps
        open_ = (*found.unfinished, *found.left_out)
        left = {piece.source_id for piece in open_ if piece.source_id is not None}
        self._studied = self._analyses.of | left
        unsearched = {piece.query for piece in open_ if not piece.others_answered}
        self._searches.tried = [
            query for query in self.assignment.queries if query not in unsearched
        ]
        self._was_late = found.late
        self._close()

    def leave_behind(self) -> None:
        """Stop here: the deadline has passed, and what was under way is left to a follow-up."""
        self._late = self._work.leave(TOO_LATE, "late")
        if not self._late:  # it looked for other words only, and is whole without them
            self._gaps.append("No further source was looked for: the deadline had passed.")
            self._show(note="late")
        self._close()

    def cut_short(self) -> None:
        """Stop here: the run was cancelled, and what was under way is left to a follow-up."""
        self._work.leave(CUT_SHORT, "cancelled")
        self._close()

    def findings(self) -> Findings:
        """What the assignment brought so far."""
        best = self._claims.best_first() or self._nearest()
        told = (*self._gaps, *self._analyses.gaps)
        gaps = sorted(gap for gap in told if gap != self._nothing())
        if self._has_looked() and not best:
            gaps.append(self._nothing())
        if best and self.assignment.needs_figure and not any(claim.figures for claim in best):
            gaps.append(self._without_figure(len(best)))
        # By name: the order in which they failed is one of chance.
        unfinished = sorted(map(self._as_it_stands, self._work.unfinished), key=by_name)
        return Findings(
            assignment=self.assignment,
            claims=best,
            attempted=self._work.attempted,
            failed=sum(counts(piece) and not piece.others_answered for piece in unfinished),
            unfinished=tuple(unfinished),
            left_out=tuple(sorted(self._work.left_out, key=by_name)),
            late=self._late,
            gaps=tuple(dict.fromkeys(gaps)),
            rejected_quotes=self._claims.rejected,
            beside=self._claims.beside,
            share=self._outside.share,
        )

    def _nearest(self) -> tuple[Claim, ...]:
        """Choose what comes nearest to the question where nothing in a small folder answers it.

        The report says that it is no answer; whoever knows the documents sees whether it is one.
        """
        inventory = self.run.state.inventory
        if self.assignment.title != DIRECT or inventory is None or inventory.documents > SMALL:
            return ()
        return self._claims.nearest()

    def _has_few(self) -> bool:
        return len(self._claims.heard) < FEW_FOR_ANGLE

    async def _pursue(self, query: str, share: int, engine: str | None = None) -> None:
        # Only its share, so that which sources are read does not depend on which search is faster.
        await self._study((await self._search(query, engine))[:share], BAR)

    def _shares(self) -> list[tuple[str, int]]:
        """Say how many sources each query may bring, which is as many as there is room for."""
        queries = self.assignment.queries
        each, rest = divmod(self.size.sources, len(queries))
        return [(query, each + (number < rest)) for number, query in enumerate(queries)]

    async def _pursue_in_turn(self, turns: Turns, number: int) -> None:
        """Take sources in the order of the plan and of the queries, and not of the searches."""
        shares = self._shares()
        found = await asyncio.gather(*(self._search(query) for query, _ in shares))
        async with turns.turn(number, Round.CHOOSE):
            chosen = [
                each
                for hits, (_, share) in zip(found, shares, strict=True)
                for each in self._chosen(hits[:share], BAR)
            ]
        await self._read_all(chosen)
        await self.heed()
        turns.end(number, Round.READ)
        async with turns.turn(number, Round.COMPLETE):
            await self._complete()

    async def _complete(self) -> None:
        """Read what stands in for silent sources, and search in other words for too few."""
        await self._study(self._searches.hits(), BAR, settled=True)
        if self._has_few():
            await self._search_again()

    async def _search_again(self) -> bool:
        """Search in other words, where there are any; say whether the budget allowed to look."""
        try:
            query = await self._reword()
        except NoRoom:
            return False
        if query is None:
            return True
        found, speaking = len(self._searches.hits()), len(self._claims.heard)
        again = await self._search(query)
        await self._study(again[: self.size.sources], BAR, settled=True)
        if len(self._claims.heard) == speaking:
            queries = dict.fromkeys(self._searches.tried)
            tried = ", ".join(f"“{each}”" for each in queries)
            is_new = len(self._searches.hits()) > found
            none = "source that says something on it" if is_new else "source"
            self._gaps.append(f"No further {none} after {len(queries)} queries: {tried}.")
        return True

    async def _search(self, query: str, engine: str | None = None) -> Sequence[Hit]:
        if (bound := self._work.cap()) is not None:
            name = self.run.new_id(f"{self.assignment.id}-search-left-out")
            piece = Unfinished(work=Work.SEARCH, task_id=name, query=query, engine=engine)
            self._work.leave_out(bound, piece, f"Search “{query[:120]}”")
            return ()
        found = await self._searches.put(query, engine)
        self._could_look = self._could_look or self._searches.has_answer(query)
        self._show(found=len(self._searches.hits()))
        return found

    async def _reword(self) -> str | None:
        if self._work.cap() is not None:
            return None
        reason = (
            ReformulationReason.TOO_FEW
            if self._searches.hits()
            else ReformulationReason.NOTHING_FOUND
        )
        task = ReformulationTask(
            task_id=self.run.new_id(f"{self.assignment.id}-reformulate"),
            description=f"Find other words for “{self.assignment.title[:120]}”",
            topic=self.topic,
            assignment=self.assignment,
            tried=tuple(self._searches.tried),
            reason=reason,
            corpus=self.corpus,
        )
        # Not part of the assignment's own work: without other words it is as complete as before.
        envelope = await self.tasks.do(REFORMULATE, task)
        if envelope.failure is not None:
            again = envelope.failure.retry_recommended
            left = Unfinished(work=Work.REWORD, task_id=envelope.task_id, retry_recommended=again)
            self._work.unfinished.append(left)
        return envelope.result.query if envelope.result else None

    async def _study(self, hits: Iterable[Hit], bar: float, *, settled: bool = False) -> None:
        await self._read_all(self._chosen(hits, bar, settled=settled))

    def _chosen(self, hits: Iterable[Hit], bar: float, *, settled: bool = False) -> list[SourceRef]:
        """Take sources, as many as there is room for."""
        found = (self._choose(hit, bar, settled=settled) for hit in hits)
        return [source for source in found if source is not None]

    async def _read_all(self, chosen: Sequence[SourceRef]) -> None:
        self._show(state=AssignmentState.READING, to_read=len(self._studied))
        await asyncio.gather(*(self._in_turn(source) for source in chosen))

    async def _in_turn(self, source: SourceRef) -> None:
        async with self._abreast:
            await self._study_one(source)

    def _choose(self, hit: Hit, bar: float, *, settled: bool = False) -> SourceRef | None:
        has_room = self._has_room(settled=settled)
        kept = self.sources.shelve(hit, bar, wanted=has_room)
        if not kept.admitted or not has_room or kept.source.id in self._studied:
            return None
        if hit.source.id in self._studied:  # as what turned out to be a copy
            can_be_another = hit.copies and hit.source.id in self._lost
            if not can_be_another:
                return None
        self._studied.add(kept.source.id)
        task = reading_task(kept.source)
        piece = Unfinished(work=Work.READ, task_id=task.task_id, source_id=kept.source.id)
        self._work.begin(piece, task)
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
        sought = self._analyses.sought(source) if self.sources.may_study(source) else None
        envelope = await self._read(source, sought)
        brought = self.sources.brought(sought)
        self._work.end(reading_task(source).task_id)
        if envelope is None:
            return
        if envelope.result is None:
            piece = Unfinished(work=Work.READ, task_id=envelope.task_id, source_id=source.id)
            self._work.tally(envelope, piece)
            await self._study_spare(source, replaced=replaced)
        else:
            self._work.attempted += 1
            gave = await self._analyses.analyse(envelope.result, sought, brought)
            if gave and envelope.result.source.id not in self._claims.heard:
                self._silent.add(source.id)
            if not gave and not replaced and self.tasks.gives_out(ANALYSE):
                await self._study_spare(source, replaced=True)
        self._show(read=self.run.state.lines[self.assignment.id].read + 1)

    async def _read(
        self, source: SourceRef, sought: AnalysisTask | None
    ) -> SubagentResult[Reading] | None:
        """Read a source; None when the budget leaves it out."""
        bound = self._work.cap()
        if bound is None:
            try:
                return await self.sources.read(source, sought)
            except NoRoom as left:
                bound = left.bound
        # Read once, whichever angles want it: its name is that of the source.
        task = reading_task(source)
        name = f"{task.task_id}-left-out"
        piece = Unfinished(work=Work.READ, task_id=name, source_id=source.id)
        self._work.leave_out(bound, piece, task.description)
        return None

    async def _study_spare(self, source: SourceRef, *, replaced: bool) -> None:
        """Read the next best source in place of one that gives nothing."""
        self._lost.add(source.id)
        spare = next(
            (found for hit in self._searches.hits() if (found := self._choose(hit, BAR))), None
        )
        if spare is not None:
            await self._study_one(spare, replaced=replaced)

    async def _redo(self, piece: Unfinished) -> bool:
        """Do it again, and say whether what it was to bring is there; if it failed, it is not."""
        kept = self.run.state.shelf.get(piece.source_id or "")
        match piece.work:
            case Work.SEARCH if piece.query is not None:
                await self._pursue(piece.query, self.size.sources, piece.engine)
                return self._searches.has_answer(piece.query, piece.engine)
            case Work.READ if kept is not None:
                self.sources.forget(kept.source.id)
                await self._study_one(kept.source)
                kept = self.run.state.shelf.get(kept.source.id)
                return kept is None or kept.reading is not None  # none: it is a copy of another
            case Work.ANALYSE if kept is not None and kept.reading is not None:
                return await self._analyses.part(kept.reading, piece.start_at) is not None
            case Work.ASK:
                return await self._outside.ask(piece.done)
            case Work.REWORD:
                return await self._search_again()
        return False

    def _as_it_stands(self, piece: Unfinished) -> Unfinished:
        """Note of a search whether another engine has answered its query by now."""
        if piece.others_answered or not self._searches.has_answer(piece.query):
            return piece
        return piece.model_copy(update={"others_answered": True})

    def _without_figure(self, passages: int) -> str:
        kinds = " or ".join(self.assignment.figures)
        found = (
            "The passage that was found states"
            if passages == 1
            else (f"None of the {passages} passages that were found states")
        )
        return f"{found} {'no' if passages == 1 else 'a'} {kinds}, so the seat is not filled."

    def _nothing(self) -> str:
        return f"No passage found on {angle_named(self.assignment.title)}."

    def _has_looked(self) -> bool:
        return self._could_look or self._outside.has_brought

    def _close(self) -> None:
        """Show how it ended; only what has ended can have failed."""
        nothing = AssignmentState.NOTHING_FOUND if self._has_looked() else AssignmentState.FAILED
        self._show(state=AssignmentState.DONE if self._claims else nothing)

    def _show(self, **changes: object) -> None:
        self.run.apply(State.line, self.assignment.id, **changes)
