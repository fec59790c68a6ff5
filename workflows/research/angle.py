"""One angle: its searches, the documents that it chooses, and what it has found in all of them."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from temporalio.exceptions import ActivityError

from caveat.contracts.envelope import AgentType, Failure, SubagentResult
from caveat.contracts.message import Brought, Order, SteeringBody
from caveat.contracts.outcome import AssignmentState, Findings, OpenWork, Work
from caveat.contracts.plan import MOST_SOURCES, Assignment
from caveat.contracts.source import Claim, Hit, SearchResults, SourceRef
from caveat.contracts.tasks import (
    OutsideTask,
    ReformulationReason,
    ReformulationTask,
    SearchTask,
    Task,
)
from caveat.failures import timed_out
from caveat.rules.evidence.claims import Claims, build_sort_key
from caveat.rules.report.answering import DIRECT, name_angle
from caveat.rules.run.estimate import Size
from caveat.rules.sources.credibility import BAR, FEW_FOR_ANGLE, SMALL
from caveat.rules.sources.rankings import merge_rankings
from caveat.workflows.options import ASK, REFORMULATE, SEARCH
from caveat.workflows.research.documents import DocumentJob, Documents, build_open_work
from caveat.workflows.research.run import Run
from caveat.workflows.research.tasks import Tasks

SPARES = 4
"""Documents that a search returns beyond those that are read at first: one of them is read in place
of one that cannot be."""

AGENTS = {
    Work.SEARCH: AgentType.SEARCHER,
    Work.READ: AgentType.READER,
    Work.ANALYSE: AgentType.ANALYST,
    Work.ASK: AgentType.OUTSIDE,
}
"""Who does each kind of work."""

OVERDUE = timed_out("It was not done when the deadline passed.").failure

CUT_SHORT = timed_out("It was not done when the run was cancelled.").failure

Engine = str | None  # the name of an engine; None for the one that has no name


@dataclass
class Angle:
    assignment: Assignment
    size: Size
    claims: Claims  # what was found for it
    documents: Documents  # where documents are read and analysed
    tasks: Tasks  # where tasks are given out
    run: Run  # where everything is booked
    _open_work: list[OpenWork] = field(default_factory=list)  # that failed or was left out
    _done: int = 0  # pieces that count for how complete it is
    _under_way: dict[str, tuple[OpenWork, Task]] = field(default_factory=dict)  # by task
    _tried: list[str] = field(default_factory=list)  # queries, in order
    _answers: dict[str, dict[Engine, SearchResults]] = field(default_factory=dict)  # by query
    _wanted: set[str] = field(default_factory=set)  # documents that it chose
    _open: dict[str, DocumentJob] = field(default_factory=dict)  # of these, not done yet
    _lost: set[str] = field(default_factory=set)  # of these, to be replaced by others
    _gaps: list[str] = field(default_factory=list)
    _share: float | None = None  # of its work, as an agent elsewhere says
    _awaits_turn: bool = False  # whether it has searched and not chosen yet
    _could_look: bool = False  # whether a search was answered, or a folder read
    _is_overdue: bool = False  # whether the deadline left something of it behind
    _was_overdue: bool = False  # the same in the run that is followed up

    async def investigate(self) -> None:
        """Search with every query at once, and read each document as soon as it is found.

        Where that gives too little, it searches once more in other words.
        """
        self._show(state=AssignmentState.SEARCHING)
        if self.assignment.is_elsewhere:
            await self._ask_agent(())
        else:
            await asyncio.gather(*(self._pursue(*each) for each in self._compute_shares()))
            await self.complete()
        self.close()

    async def search(self) -> None:
        """Put every query, and read nothing yet."""
        self._show(state=AssignmentState.SEARCHING)
        self._awaits_turn = True
        await asyncio.gather(*(self._search(query) for query in self.assignment.queries))

    def choose(self) -> list[SourceRef]:
        """Take the documents that its searches found, in the order of its queries."""
        self._awaits_turn = False
        return [
            source
            for query, share in self._compute_shares()
            for source in self._choose_all(self._rank_hits(query)[:share], BAR)
        ]

    async def read_all(self, hits: Iterable[Hit]) -> None:
        """Read documents without a search, such as all of a small folder."""
        self._could_look = True
        entries = [self.documents.shelve(hit, BAR, wanted=True) for hit in hits]
        chosen = [entry.source for entry in entries if entry.admitted]
        self._wanted.update(source.id for source in chosen)
        await self.study(chosen)
        self.close()

    async def study(self, chosen: Sequence[SourceRef]) -> None:
        """Have documents read and analysed, or others in the place of those that are lost."""
        self._show(state=AssignmentState.READING, to_read=len(self._wanted))
        await asyncio.gather(*(self._study_one(source) for source in chosen))

    async def complete(self) -> None:
        """Read what stands in for silent documents, and search in other words for too few."""
        await self.study(self._choose_all(self._list_hits(), BAR, is_settled=True))
        if self._has_few():
            await self._search_again()

    async def look_again(self, bar: float) -> None:
        """Read also the documents that pass a lowered bar, unless it was left behind."""
        if not self._is_overdue:
            await self.study(self._choose_all(self._list_hits(), bar, is_settled=True))
            self.close()

    async def retry(self, wants: Callable[[OpenWork], bool]) -> None:
        pieces = list(filter(wants, self.build_findings().open_work))
        self._open_work = [left for left in self._open_work if left not in pieces]
        await asyncio.gather(*map(self._retry, pieces))
        if (self._was_overdue or any(piece.left_out for piece in pieces)) and self._has_few():
            await self._search_again()
        self.close()

    def resume(self, findings: Findings) -> None:
        self.claims.restore(findings)
        self._show(claims=len(self.claims))
        self._gaps = list(findings.gaps)
        self._open_work = list(findings.open_work)
        self._done = findings.attempted - sum(map(_counts, findings.open_work))
        self._share = findings.share
        self._could_look = bool(findings.claims) or self._describe_no_passage() in findings.gaps
        left = {piece.source_id for piece in findings.open_work if piece.source_id is not None}
        self._wanted = left
        self.documents.analysed_before |= self.claims.heard - left
        unsearched = {piece.query for piece in findings.open_work if not piece.others_answered}
        self._tried = [query for query in self.assignment.queries if query not in unsearched]
        self._was_overdue = findings.late
        self.close()

    def stop_at_deadline(self) -> None:
        """Stop here: the deadline has passed, and what was under way is left to a follow-up."""
        self._is_overdue = self._leave(OVERDUE, "late")
        if not self._is_overdue:  # it looked for other words only, and is whole without them
            self._gaps.append("No further source was looked for: the deadline had passed.")
            self._show(note="late")
        self.close()

    def cut_short(self) -> None:
        """Stop here: the run was cancelled, and what was under way is left to a follow-up."""
        self._leave(CUT_SHORT, "cancelled")
        self.close()

    def build_findings(self, *, as_overdue: bool = False) -> Findings:
        """What the angle brought so far; `as_overdue` counts what is under way as failed."""
        best = self.claims.sort_claims() or self._select_nearest()
        nothing = self._describe_no_passage()
        gaps = sorted(gap for gap in self._gaps if gap != nothing)
        if self._could_look and not best:
            gaps.append(nothing)
        self._open_work = [  # a search whose query another engine has answered by now
            piece.model_copy(update={"others_answered": True})
            if self._is_answered(piece.query)
            else piece
            for piece in self._open_work
        ]
        going_on = len(self._under_way) + len(self._open) if as_overdue else 0
        read = sum(job.done for job in self._open.values()) if as_overdue else 0
        counted = [piece for piece in self._open_work if _counts(piece)]
        return Findings(
            assignment=self.assignment,
            claims=best,
            attempted=self._done + len(counted) + going_on + read,
            failed=sum(piece.is_missed for piece in self._open_work) + going_on,
            # By name: the order in which they failed is one of chance.
            open_work=tuple(
                sorted(self._open_work, key=lambda piece: build_sort_key(piece.task_id))
            ),
            late=self._is_overdue,
            gaps=tuple(dict.fromkeys(gaps)),
            rejected_quotes=self.claims.rejected,
            beside=self.claims.beside,
            share=self._share,
        )

    async def _ask_agent(self, done: tuple[str, ...]) -> OpenWork | None:
        """Have an agent elsewhere do it, or what was left; return what is left now."""
        agent = self.assignment.agent or ""
        task = OutsideTask(
            task_id=self.run.create_id(f"{self.assignment.id}-ask-{agent}"),
            description=f"Have {agent} look into “{self.assignment.title[:120]}”",
            agent=agent,
            run_id=self.run.run_id,
            topic=self.run.topic,
            assignment=self.assignment,
            done=done,
        )
        piece = OpenWork(work=Work.ASK, task_id=task.task_id, done=done)
        self._under_way[piece.task_id] = piece, task
        try:
            policy = replace(ASK, heartbeat=timedelta(seconds=self.assignment.patience_s))
            envelope = await self.tasks.do(policy, task, address=agent)
        # Not whatever ends it: a worker that forgets the run closes this from outside of it.
        except (asyncio.CancelledError, ActivityError):
            why = "Its run was cancelled or had its deadline."
            body = SteeringBody(order=Order.CANCEL, task_id=task.task_id, text=why)
            self.run.post_message(agent, body)
            raise
        if (brought := envelope.value) is not None:
            self._take_in(brought)
            piece = piece.model_copy(update={"done": brought.done})
        if envelope.left_out is None:
            self._share = envelope.completeness
        return self._record(envelope, piece)

    def _take_in(self, brought: Brought) -> None:
        """Put what an agent elsewhere read on the shelf, and keep what it found there."""
        self._could_look = True  # also where it found nothing
        own = {"assignment_id": self.assignment.id}
        # Without a language model a report says what its sources say, and nothing besides.
        claims = [
            claim.model_copy(update=own if self.run.has_model else own | {"text": claim.quote})
            for claim in brought.claims
        ]
        for reading in brought.readings:
            self.documents.add_external_findings(reading, self.assignment.id, claims)
        self.claims.rejected += brought.rejected_quotes

    def _compute_shares(self) -> list[tuple[str, int]]:
        """Say how many documents each query may bring."""
        # Only its share, so that which ones are read does not depend on which search is faster.
        queries = self.assignment.queries
        each, rest = divmod(self.size.sources, len(queries))
        return [(query, each + (number < rest)) for number, query in enumerate(queries)]

    async def _pursue(self, query: str, share: int, engine: Engine = None) -> None:
        await self.study(self._choose_all((await self._search(query, engine))[:share], BAR))

    async def _search(self, query: str, engine: Engine = None) -> Sequence[Hit]:
        """Put a query to one engine, or to each that there is, and merge what they find."""
        # Each engine is a task of its own, so that Temporal tries again only the one that failed.
        self._tried.append(query)
        engines = (engine,) if engine is not None else self._list_engines()
        await asyncio.gather(*(self._query_engine(query, name) for name in engines))
        self._could_look = self._could_look or self._is_answered(query)
        self._show(found=len(self._list_hits()))
        return self._rank_hits(query)

    async def _query_engine(self, query: str, engine: Engine) -> None:
        task = SearchTask(
            task_id=self.run.create_id(f"{self.assignment.id}-search"),
            description=f"Search “{query[:120]}”" + (f" with {engine}" if engine else ""),
            query=query,
            corpus=self.documents.corpus,
            limit=min(self.size.sources + SPARES, MOST_SOURCES),
            engine=engine,
        )
        piece = OpenWork(work=Work.SEARCH, task_id=task.task_id, query=query, engine=engine)
        self._under_way[piece.task_id] = piece, task
        envelope = await self.tasks.do(SEARCH, task, address=engine)
        if envelope.result is not None:
            self._answers.setdefault(query, {})[engine] = envelope.result
            if silent := envelope.result.silent:
                self._gaps.append(f"{', '.join(silent)} did not answer {engine or 'the search'}.")
        self._record(envelope, piece)

    def _list_engines(self) -> tuple[Engine, ...]:
        inventory = self.run.inventory
        return (inventory.engines if inventory else ()) or (None,)

    def _is_answered(self, query: str | None, engine: Engine = None) -> bool:
        answers = self._answers.get(query or "", {})
        return bool(answers) if engine is None else engine in answers

    def _rank_hits(self, query: str) -> Sequence[Hit]:
        answers = self._answers.get(query, {})
        # In the engines' own order, so that it does not depend on which of them is faster.
        known = dict.fromkeys((*self._list_engines(), *answers))
        in_order = [answers[name] for name in known if name in answers]
        if len(known) == 1:  # its own scores say more than its ranks
            return in_order[0].hits if in_order else ()
        return merge_rankings(query, in_order, min(self.size.sources + SPARES, MOST_SOURCES)).hits

    def _list_hits(self) -> list[Hit]:
        """Everything found, in the order of the queries and not of their answers."""
        hits = (hit for query in self._tried for hit in self._rank_hits(query))
        return list({hit.source.id: hit for hit in hits}.values())

    async def _search_again(self) -> OpenWork | None:
        """Search in other words, where there are any; return what stopped it, if anything did."""
        is_found = bool(self._list_hits())
        task = ReformulationTask(
            task_id=self.run.create_id(f"{self.assignment.id}-reformulate"),
            description=f"Find other words for “{self.assignment.title[:120]}”",
            topic=self.run.topic,
            assignment=self.assignment,
            tried=tuple(self._tried),
            reason=ReformulationReason.TOO_FEW if is_found else ReformulationReason.NOTHING_FOUND,
            corpus=self.documents.corpus,
        )
        # Not part of the angle's own work: without other words it is as complete as before.
        reworded = await self.tasks.do(REFORMULATE, task, is_named=False)
        left = build_open_work(OpenWork(work=Work.REWORD, task_id=task.task_id), reworded)
        if left is not None and not left.left_out:
            self._open_work.append(left)
        query = reworded.result.query if reworded.result else None
        if query is None:
            return left
        before, speaking = len(self._list_hits()), len(self.claims.heard)
        again = await self._search(query)
        await self.study(self._choose_all(again[: self.size.sources], BAR, is_settled=True))
        if len(self.claims.heard) == speaking:
            queries = dict.fromkeys(self._tried)
            tried = ", ".join(f"“{query}”" for query in queries)
            is_new = len(self._list_hits()) > before
            none = "source that says something on it" if is_new else "source"
            self._gaps.append(f"No further {none} after {len(queries)} queries: {tried}.")
        return None

    def _choose_all(
        self, hits: Iterable[Hit], bar: float, *, is_settled: bool = False
    ) -> list[SourceRef]:
        """Take documents, as many as there is room for."""
        sources = (self._choose(hit, bar, is_settled=is_settled) for hit in hits)
        return [source for source in sources if source is not None]

    def _choose(self, hit: Hit, bar: float, *, is_settled: bool = False) -> SourceRef | None:
        taken = self._wanted - self._lost
        has_room = len(taken) < self.size.sources
        if not has_room and is_settled:  # in place of what said nothing, and not far
            speaking = len(taken & self.claims.heard)
            spares = len(taken) < self.size.sources + SPARES
            has_room = spares and speaking < self.size.sources and self._has_few()
        entry = self.documents.shelve(hit, bar, wanted=has_room)
        names = {entry.source.id, hit.source.id}  # which differ where it turned out to be a copy
        is_new = names.isdisjoint(self._wanted | self.documents.analysed_before)
        if not (entry.admitted and has_room and is_new):
            return None
        self._wanted.add(entry.source.id)
        return entry.source

    def _has_few(self) -> bool:
        return len(self.claims.heard) < FEW_FOR_ANGLE

    async def _study_one(
        self, source: SourceRef, *, start_at: int = 0, is_spare: bool = False
    ) -> OpenWork | None:
        """Wait for a document, and take the next best one where nothing is to be had of it."""
        (job,) = self.documents.study(source, start_at=start_at)
        self._open[job.source.id] = job
        await job.wait()
        del self._open[job.source.id]
        # Which other angles may have wanted too.
        self._done += job.done
        if job.open_work is not None:
            self._open_work.append(job.open_work)
            if job.has_failed:
                self._note("a document is missing")
        self._show(read=len(self._wanted) - len(self._open), to_read=len(self._wanted))
        if job.has_failed and not (is_spare and job.reading is not None):
            self._lost.add(job.source.id)
            spares = (self._choose(hit, BAR) for hit in self._list_hits())
            if (spare := next(filter(None, spares), None)) is not None:
                # Where it was read, its reasoner failed: one other document is tried and no more.
                await self._study_one(spare, is_spare=job.reading is not None)
        return job.open_work

    async def _redo(self, piece: OpenWork) -> OpenWork | None:
        """Do it again, and return what is left; the piece itself where nothing came of that."""
        match piece.work:
            case Work.SEARCH if piece.query is not None:
                await self._pursue(piece.query, self.size.sources, piece.engine)
                if self._is_answered(piece.query, piece.engine):
                    return None
                asked = piece.query, piece.engine
                again = (one for one in self._open_work if (one.query, one.engine) == asked)
                return next(again, piece)
            case Work.READ | Work.ANALYSE if piece.source_id in self.run.shelf:
                source = self.run.shelf[piece.source_id or ""].source
                self.documents.forget(source.id)
                return await self._study_one(source, start_at=piece.start_at)
            case Work.ASK:
                return await self._ask_agent(piece.done)
            case Work.REWORD:
                left = await self._search_again()
                return piece if left is not None and left.left_out else left
        return piece

    def _leave(self, why: Failure, note: str) -> bool:
        """Leave behind whatever is under way, and say whether there was anything."""
        under_way = {piece.query for piece, _ in self._under_way.values()}
        if self._awaits_turn:  # what its searches found was not taken yet: a follow-up asks again
            self._open_work += [
                OpenWork(
                    work=Work.SEARCH,
                    task_id=self.run.create_id(f"{self.assignment.id}-search"),
                    query=query,
                    retry_recommended=True,
                )
                for query in self.assignment.queries
                if query not in under_way
            ]
        going_on = [job.current for job in self._open.values()]
        self._done += sum(job.done for job in self._open.values())
        self._open.clear()
        left = (*self._under_way.values(), *going_on)
        for piece, task in left:
            # One source may be overdue for several angles; a task that failed is booked already.
            if all(failed.task_id != task.task_id for failed in self.run.failures):
                begun, agent = task.task_id in self.tasks.begun, AGENTS[piece.work]
                self.run.record_loss(task.task_id, agent, task.description, why, int(begun))
            self._open_work.append(piece.model_copy(update={"retry_recommended": True}))
        self._under_way.clear()
        if left:
            self._note(note)
        return bool(left)

    def _record(self, envelope: SubagentResult[Any], piece: OpenWork) -> OpenWork | None:
        self._under_way.pop(piece.task_id, None)
        left = build_open_work(piece, envelope)
        if left is None:  # a search that was made brings nothing by itself
            self._done += piece.work is not Work.SEARCH
        else:
            self._open_work.append(left)
            if envelope.failure is not None and not left.left_out:
                self._note(envelope.failure.message)
        return left

    async def _retry(self, piece: OpenWork) -> None:
        """Do a piece of work at last or once more, and let its entry tell what came of it."""
        left = await self._redo(piece)
        if left is None:
            self.run.make_good(piece.task_id)
        elif left is piece:  # the budget left it out, or there is nothing to do it with
            self._open_work.append(piece)
        elif left.task_id == piece.task_id:
            return
        elif left.was_started or left.left_out:  # the new entry tells of it now
            self.run.drop_failure(piece.task_id)
        else:  # nothing new was learnt: the first failure keeps its facts
            self.run.drop_failure(left.task_id)
            self._open_work[self._open_work.index(left)] = piece

    def _select_nearest(self) -> tuple[Claim, ...]:
        """Choose what comes nearest to the question where nothing answers it."""
        # The report says that it is no answer; a reader who knows the documents may see one.
        # A model said how near it comes; words alone say that in a small folder only.
        inventory = self.run.inventory
        is_small = inventory is not None and inventory.documents <= SMALL
        if self.run.has_model or (self.assignment.title == DIRECT and is_small):
            return self.claims.select_nearest()
        return ()

    def _describe_no_passage(self) -> str:
        return f"No passage found on {name_angle(self.assignment.title)}."

    def close(self) -> None:
        """Show how it ended; only what has ended can have failed."""
        nothing = AssignmentState.NOTHING_FOUND if self._could_look else AssignmentState.FAILED
        self._show(state=AssignmentState.DONE if self.claims else nothing)

    def _note(self, note: str) -> None:
        self._show(failures=sum(not piece.left_out for piece in self._open_work), note=note)

    def _show(self, **changes: object) -> None:
        self.run.update_progress(self.assignment.id, **changes)


def _counts(piece: OpenWork) -> bool:
    """Whether an angle is less whole without a piece of work."""
    return piece.work is not Work.REWORD and not piece.left_out
