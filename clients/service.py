"""The client service: what commands, the page and assistants ask of one server and its files."""

# ruff: noqa: PLC0415  # lists of runs need none of it, and it takes a tenth to load

import asyncio
import datetime as dt
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

from markupsafe import Markup
from temporalio.client import WorkflowExecution

from caveat.clients import run_description, translation
from caveat.clients.arbitrations import IS_ARBITRATION, IS_OPEN, Arbitrations
from caveat.clients.parsing import LATEST, parse_prefix, parse_question, parse_ruling, require_one
from caveat.clients.publishing import read_kept_evidence
from caveat.clients.run_description import Broken, RunDescription, RunLine, RunStatus
from caveat.clients.runs import Runs
from caveat.clients.translation import translate_errors
from caveat.contracts.contradiction import (
    Contradiction,
    ContradictionState,
    Hearing,
    LateRuling,
    Ruling,
    Withdrawal,
)
from caveat.contracts.outcome import Ending, Evidence, NamedEnd, Outcome
from caveat.contracts.phase import Phase
from caveat.contracts.plan import ResearchRequest
from caveat.contracts.report import Report, ReportedSource
from caveat.failures import PortFailure
from caveat.ports import Memory, Snapshots
from caveat.problem import BadInput, NoResult, NoSuchArbitration, NoSuchRun, OutOfReach, Problem
from caveat.rendering.commands import format_command
from caveat.rendering.links import Links, build_run_path
from caveat.rendering.words import format_datetime
from caveat.rules.contradictions.choices import describe_choice, describe_settlement
from caveat.rules.run.recovery import Scope
from caveat.workers.blobs import open_snapshots
from caveat.workers.connection import Connection
from caveat.workers.settings import Settings
from caveat.workflows.names import IS_RUN

_HEARS_S = 10.0  # takes a second, also where a worker that was killed had the run
_LOOKS_S = 0.2

_PLAIN = re.compile(r"[A-Za-z0-9./-]+")
"""What needs no quoting in the server's query language; its rules for the rest differ from one
database to another, so that the rest is compared here."""

_CONTRADICTION = re.compile(r"contradiction-\d+")
_OF_RUN = re.compile(rf"/{_CONTRADICTION.pattern}\Z")

_LOOKED_AT = 1_000  # candidates that are fetched, the most that the server gives in one answer

_CUT_OFF = {RunStatus.TERMINATED, RunStatus.TIMED_OUT}
"""Ends of which a run learns nothing, so that it cannot keep its evidence."""


@dataclass(frozen=True)
class TakenUp:
    """A run that takes up an earlier one, and is to be started."""

    run_id: str
    request: ResearchRequest
    remark: str | None = None  # who works on it, where that is not what a new run would have


@dataclass(frozen=True)
class RulingOutcome:
    follows: str  # one sentence for people
    # as its arbitration has it; None of a late one
    contradiction: Contradiction | None = None
    others: tuple[str, ...] = ()  # the same dispute in other runs, ruled on so too
    revisions: tuple[TakenUp, ...] = ()  # runs that were started, the one of this report first


@dataclass
class Service:
    connection: Connection
    settings: Settings

    @cached_property
    def runs(self) -> Runs:
        """The server's runs; what is started here is signed as this user's."""
        return Runs(self.connection.client, self.settings)

    @cached_property
    def arbitrations(self) -> Arbitrations:
        return Arbitrations(self.connection.client, self.settings)

    @cached_property
    def memory(self) -> Memory:
        from caveat.workers.wiring import open_memory

        return open_memory(self.settings)

    @cached_property
    def snapshots(self) -> Snapshots:
        return open_snapshots(self.settings)

    async def find_run(self, typed: str) -> str:
        """Find the run that is meant: a whole id, the beginning of just one, or `latest`.

        That of one of its arbitrations means the run.
        """
        beginning = _OF_RUN.sub("", parse_prefix(typed))
        with suppress(NoSuchRun):
            return (await self.runs.fetch_line(beginning)).run_id
        if beginning == LATEST:
            return await self._find_latest()
        names = set(await self._list_by_prefix(beginning, IS_RUN))
        names.update(run_description.list_kept_runs(self.settings, beginning))
        if not names:
            raise translation.build_unknown_run(beginning)
        if beginning in names:  # the server has forgotten it, and its files are here
            return beginning
        return require_one(beginning, sorted(names), "runs")

    async def find_arbitration(self, typed: str) -> str:
        """Find the arbitration that is meant: `RUN/CONTRADICTION`, or a run with one alone."""
        # The run may be the beginning that just one has. Of its arbitrations the open ones are
        # meant, and where none is, those that have ended.
        whole = parse_prefix(typed, "an arbitration", "caveat inbox")
        run_part, _, contradiction = whole.rpartition("/")
        try:
            run_id = await self.find_run(run_part or whole)
        except NoSuchRun:
            raise translation.build_unknown_arbitration(whole) from None
        run_id = run_id.partition(run_description.ASKED)[0]  # a question's disputes are its run's
        if run_part and _CONTRADICTION.fullmatch(contradiction):
            return f"{run_id}/{contradiction}"  # also where nobody was asked: a person may rule
        if run_part and contradiction:
            raise translation.build_unknown_arbitration(whole)
        for query, what in ((IS_OPEN, "open arbitrations"), (IS_ARBITRATION, "arbitrations")):
            if names := set(await self._list_by_prefix(f"{run_id}/", query)):
                return require_one(whole, sorted(names), what)
        raise NoSuchArbitration(
            f"{run_id} asked nobody: `{format_command('report', run_id)}` shows its "
            "contradictions, and RUN/contradiction-1 names the first."
        )

    async def is_latest(self, run_id: str) -> bool:
        """Say whether `latest` means this run, as far as the server knows by now."""
        with suppress(Problem):
            return await self._find_latest() == run_id
        return False

    async def _find_latest(self) -> str:
        latest: WorkflowExecution | None = None
        # The server lists by the time of ending, so the newest start is found by asking for a
        # newer one until there is none.
        query = IS_RUN
        while newer := await self._list_executions(query, 100):
            latest = max(newer, key=lambda each: each.start_time)
            query = f"{IS_RUN} AND StartTime > '{latest.start_time.astimezone(dt.UTC).isoformat()}'"
        if latest is None:
            raise NoSuchRun("There are no runs yet: `caveat research` starts one.")
        return latest.id

    async def _list_by_prefix(self, beginning: str, query: str) -> list[str]:
        plain = _PLAIN.match(beginning)
        if plain:
            query += f" AND WorkflowId STARTS_WITH '{plain[0]}'"
        listed = await self._list_executions(query, _LOOKED_AT)
        return [each.id for each in listed if each.id.startswith(beginning)]

    async def _list_executions(self, query: str, limit: int) -> list[WorkflowExecution]:
        with translate_errors():
            listed = self.connection.client.list_workflows(query, limit=limit)
            return [each async for each in listed]

    async def find_state(self, run_id: str) -> RunDescription:
        """Find out where a run stands; from its files when the server has forgotten it."""
        try:
            line = await self.runs.fetch_line(run_id)
        except NoSuchRun:
            if state := run_description.read_kept_state(self.settings, run_id):
                return state
            raise
        if line.is_running:
            return RunDescription(line)
        closed = await self.runs.wait_for_end(run_id)
        if isinstance(closed, NamedEnd) and closed.ending is Ending.CANCELLED:
            with suppress(PortFailure):  # what only its evidence says, where that is at hand
                end = run_description.build_end(
                    await read_kept_evidence(self.settings, run_id), closed.ending
                )
                closed = end.model_copy(update={"evidence": closed.evidence})
        return RunDescription(line, closed=closed)

    async def find_detailed_state(self, run_id: str) -> RunDescription:
        """As `find_state`, with what revised it; ask one that goes on where it is: 2 s at most."""
        stands = await self.find_state(run_id)
        if isinstance(stands.closed, Outcome) and not stands.revised_by:
            revisions = await self.list_revisions(stands.closed.report)
            done = tuple(one.run_id for one in revisions if one.status is RunStatus.COMPLETED)
            left = 0 if done else stands.line.needs_review
            line = stands.line.model_copy(update={"needs_review": left})
            return replace(stands, line=line, revised_by=done)
        if stands.closed is not None:
            return stands
        progress, standstill = await self.runs.examine(stands.line)
        if progress is not None:  # what was sent to an arbitration itself, only that one knows
            waiting = [one.arbitration for one in progress.contradictions if one.is_awaited]
            hearings = await asyncio.gather(
                *(self.arbitrations.query_hearing(where) for where in waiting if where)
            )
            refused = (each for one in hearings if one for each in one.rejections)
            rejections = (*progress.rejections, *refused)
            progress = progress.model_copy(update={"rejections": rejections})
        report = run_description.read_kept_report(self.settings, run_id)
        if report is None and progress is not None and progress.provisional:
            report = await self.runs.query_report(run_id)
        waits = standstill.sentence if standstill else None
        return replace(stands, progress=progress, report=report, waits=waits)

    async def list_unsettled(
        self,
    ) -> tuple[list[run_description.Waiting], list[run_description.Unsettled]]:
        asked = self.arbitrations
        return await asyncio.gather(asked.list_waiting(), asked.list_for_review())

    async def find_report(self, run_id: str) -> Report | None:
        """Return the newest report of a run, provisional or final; None where there is none."""
        report = await asyncio.to_thread(run_description.read_kept_report, self.settings, run_id)
        if report is None:
            with suppress(NoSuchRun):
                stands = await self.find_state(run_id)
                if stands.closed is None:
                    report = await self.runs.query_report(run_id)
                elif isinstance(stands.closed, Outcome):
                    report = stands.closed.report
        return report

    async def require_report(self, run_id: str) -> Report:
        """As `find_report`, and say why there is none."""
        report = await self.find_report(run_id)
        if report is not None:
            return report
        match (await self.find_state(run_id)).closed:
            case NamedEnd() | Broken() as end:
                why = f"This run has no report. {end.message}"
            case _:
                why = "This run has no report yet: its page shows where it is."
        raise NoResult(why)

    async def render_report(self, run_id: str) -> tuple[Report, Markup]:
        """Return the newest report of a run, and the same as part of a page."""
        from caveat.rendering.html.document import render_body

        report, links = await self.require_report(run_id), Links(build_run_path(run_id))
        return report, await asyncio.to_thread(render_body, report, links)

    async def list_revisions(self, report: Report) -> list[RunLine]:
        """List the runs that revise a report; none where the server does not say so at once."""
        try:
            return await self.runs.list_revisions(report.run_id, report.topic)
        except OutOfReach:
            return []

    async def read_text(self, source: ReportedSource | None) -> str | None:
        """Return the text of a source as it was read; None where it was not, or is gone."""
        if source is None or source.snapshot_sha256 is None:
            return None
        try:
            return (await self.snapshots.open(source.snapshot_sha256)).text
        except PortFailure:
            return None

    async def start(self, request: ResearchRequest, order: str = "") -> str:
        """Start a run, and return its id; of two with the same order one is started."""
        return await self.start_taken(
            TakenUp(run_description.create_run_id(request.topic, order), request)
        )

    async def start_taken(self, taken: "TakenUp") -> str:
        await self.runs.start(taken.run_id, taken.request)
        return taken.run_id

    async def prepare_follow_up(
        self, run_id: str, *, everything: bool = False, order: str = ""
    ) -> tuple[TakenUp, Scope]:
        """Ask for what an earlier run was asked, with its failures tried again."""
        stands = await self.find_state(run_id)
        _require_ended(stands)
        if getattr(stands.closed, "ending", None) is Ending.CORPUS_UNUSABLE:
            raise NoResult(
                f"{run_id} had nothing yet to follow up: "
                f"`{format_command('status', run_id)}` says what stopped it; mend that, and "
                "research its topic again."
            )
        chosen = stands.find_scope(everything=everything)
        if chosen.is_empty and not chosen.left:
            raise NoResult(f"Nothing failed in {run_id} that a follow-up could try again.")
        if chosen.is_empty:
            again = format_command("follow-up", run_id, options="--all")
            remedy = "" if everything else f", and `{again}` tries it all the same"
            raise NoResult(
                f"Nothing that failed in {run_id} is worth trying again: "
                f"`{format_command('status', run_id)}` says what failed and why{remedy}."
            )
        anew = {"follow_up_of": run_id, "retry_all": everything}
        return await self._take_up(run_id, anew, order), chosen

    async def _take_up(
        self, run_id: str, changes: Mapping[str, object], order: str = ""
    ) -> TakenUp:
        """Repeat a run's request with changes, over its folders and worked on as it was."""
        from caveat.clients.requests import route_like_earlier

        evidence: Evidence | None = None
        with suppress(PortFailure):
            evidence = await read_kept_evidence(self.settings, run_id)
        try:
            request = await self.runs.read_request(run_id)
            earlier = (await self.runs.read_route(run_id)).backend
        except NoSuchRun:  # the server has forgotten it
            if evidence is None:
                raise
            request, earlier = evidence.request, None
        corpus = request.corpus
        if evidence is not None:
            earlier = earlier or evidence.backend
            if evidence.inventory is not None:  # the default may be another one now
                corpus = corpus or evidence.inventory.corpus
        # It waits for all that it takes up; answers that the earlier run was given are settled
        # there.
        anew = {"corpus": corpus, "deadline": None, "rulings": (), **changes}
        request = request.model_copy(update=anew)
        request, remark = route_like_earlier(request, earlier, self.settings)
        return TakenUp(run_description.create_run_id(request.topic, order), request, remark)

    async def prepare_question(self, run_id: str, question: str, *, searches: bool) -> TakenUp:
        stands = await self.find_state(run_id)
        if stands.line.phase != Phase.AWAITING_RULINGS:  # then it has kept what it found
            _require_ended(stands)
        anew = {
            "topic": parse_question(question),
            "asked_of": run_id,
            "searches": searches,
            "follow_up_of": None,
            "schedule": None,
            "approve_plan": False,
        }
        taken = await self._take_up(run_id, anew)
        return replace(
            taken, run_id=f"{run_id}{run_description.ASKED}{taken.run_id.rpartition('-')[2]}"
        )

    async def list_questions(self, run_id: str) -> list[tuple[RunLine, Report | None]]:
        """List what was asked on, with what came of it; None while nothing did."""
        try:
            lines = await self.runs.list_questions(run_id)
        except OutOfReach:
            return []
        reports = await asyncio.gather(*(self.find_report(line.run_id) for line in lines))
        return list(zip(lines, reports, strict=True))

    async def delete(self, run_id: str, patience_s: float = 2.0) -> tuple[bool, int]:
        """Delete an ended run, its questions and what no other cites.

        Returns:
            Whether the server's list has lost it, and how many of its files stay for now.
        """
        from caveat.clients.pruning import needs, prune

        now = dt.datetime.now(dt.UTC)
        with suppress(NoSuchRun):
            if (await self.runs.fetch_line(run_id)).is_running:
                raise BadInput(f"{run_id} is still running: cancel it first, then delete it.")
        for question in await self.runs.list_questions(run_id):
            await self.delete(question.run_id, patience_s=0)
        needed = await needs(self.connection.client, now)
        pruned = await asyncio.to_thread(prune, self.settings, now, needed, dry=False, only=run_id)
        return await self.runs.delete(run_id, patience_s), pruned.held

    async def give_ruling(
        self, arbitration: str, answer: Withdrawal, *, replaces: bool, everywhere: bool = True
    ) -> RulingOutcome:
        """Rule, or change or withdraw a ruling; everywhere in other runs with the same dispute."""
        # Those are runs that wait and, of a late ruling, those that ended.
        if replaces or not isinstance(answer, Ruling):
            hearing = await self.arbitrations.query_hearing(arbitration)
            if hearing is not None and hearing.contradiction.is_open:
                raise BadInput(f"Nobody has ruled on {arbitration} yet: rule without replacing.")
            return await self._give_late(arbitration, answer, replaces=True)
        waiting = await self.arbitrations.list_waiting() if everywhere else ()
        outcome = await self.rule(arbitration, answer)
        if outcome.contradiction is not None:
            others = []
            for other in run_description.list_same(waiting, arbitration):
                with suppress(Problem):  # somebody was faster, or it stays in the inbox
                    await self.arbitrations.rule(other, answer)
                    others.append(other)
            return replace(outcome, others=tuple(others))
        revisions = [*outcome.revisions]
        if revisions and everywhere:
            for other in run_description.list_same(
                await self.arbitrations.list_for_review(), arbitration
            ):
                with suppress(Problem):
                    revisions += (await self._give_late(other, answer)).revisions
        return replace(outcome, revisions=tuple(revisions))

    async def rule(self, arbitration: str, ruling: Ruling) -> RulingOutcome:
        """Answer an arbitration; after its deadline the ruling is kept for a revision."""
        try:
            waits = await self.arbitrations.is_open(arbitration)
        except NoSuchArbitration:  # the run asked nobody: its answer does not depend on it
            return await self._give_late(arbitration, ruling)
        if waits:
            try:
                settled = await self.arbitrations.rule(arbitration, ruling)
            except BadInput:
                if await self.arbitrations.is_open(arbitration):
                    await self._parse_ruling(arbitration, ruling)
                    raise
                # It ended between the two questions: somebody was first, or its time was over.
            else:
                choice = describe_choice(settled.ruling or "none", len(settled.sides))
                return RulingOutcome(f"Accepted: {choice}.", settled)
        require_unsettled(await self.arbitrations.wait_for_outcome(arbitration))
        return await self._give_late(arbitration, await self._parse_ruling(arbitration, ruling))

    async def find_contradiction(
        self, arbitration: str
    ) -> tuple[Contradiction, Hearing | None, Report | None]:
        run_id, _, contradiction_id = arbitration.rpartition("/")
        hearing, report = await asyncio.gather(
            self.arbitrations.query_hearing(arbitration), self.find_report(run_id)
        )
        known = {one.id: one for one in report.contradictions} if report else {}
        reported = known.get(contradiction_id)
        # A ruling stands in its arbitration first, and one that came late in a report alone.
        is_late = reported is not None and not reported.is_open
        contradiction = reported if hearing is None or is_late else hearing.contradiction
        if contradiction is None:
            raise BadInput(
                f"{run_id} has no {contradiction_id} that can be shown now: its worker must "
                "run, or its report must be on this machine."
            )
        return contradiction, hearing, report

    async def _parse_ruling(self, arbitration: str, ruling: Ruling) -> Ruling:
        """Read a ruling by how many values its arbitration has, as far as that can be asked."""
        hearing = await self.arbitrations.query_hearing(arbitration)
        known = len(hearing.case.sides) if hearing else None
        return parse_ruling(ruling.ruling, ruling.reason, ruling.decided_by, known)

    async def list_remaining(self, arbitration: str) -> list[Contradiction]:
        """Wait until a run has heard of a ruling, and return what else it waits for."""
        # The arbitration keeps the ruling before it ends, and the run hears of it by its end. Who
        # left before that would leave both to the next command.
        run_id, _, ruled_on = arbitration.rpartition("/")
        progress = None
        with suppress(TimeoutError):
            async with asyncio.timeout(_HEARS_S):
                await self.arbitrations.wait_for_outcome(arbitration)
                progress = await self.runs.query_progress(run_id)
                while progress is None or any(
                    each.id == ruled_on and each.is_open for each in progress.contradictions
                ):
                    await asyncio.sleep(_LOOKS_S)
                    progress = await self.runs.query_progress(run_id)
        progress = progress or await self.runs.query_progress(run_id)
        contradictions = progress.contradictions if progress else ()
        return [each for each in contradictions if each.is_awaited and each.id != ruled_on]

    async def _give_late(
        self, arbitration: str, answer: Withdrawal, *, replaces: bool = False
    ) -> RulingOutcome:
        """Have a report revised: by its run, where that still goes on, else by a new one."""
        run_id, _, contradiction_id = arbitration.rpartition("/")
        line = await self.runs.fetch_line(run_id)
        known: Sequence[Contradiction] = ()
        if line.is_running:
            progress = await self.runs.query_progress(run_id)
            known = progress.contradictions if progress else ()
        elif isinstance(ended := await self.runs.wait_for_end(run_id), Outcome):
            known = ended.report.contradictions
            if contradiction_id not in {dispute.id for dispute in known}:
                raise translation.build_unknown_arbitration(arbitration)
        contradiction = next((each for each in known if each.id == contradiction_id), None)
        if contradiction is not None and isinstance(answer, Ruling):
            values = len(contradiction.sides)
            answer = parse_ruling(answer.ruling, answer.reason, answer.decided_by, values)
        # In which run it first was.
        first = (contradiction.arbitration if contradiction else None) or arbitration
        signed = self.arbitrations.sign_answer(first, answer)
        late = LateRuling(contradiction_id=contradiction_id, ruling=signed, replaces=replaces)
        if line.is_running:
            return RulingOutcome(await self.arbitrations.rule_late(run_id, late))
        if line.status in _CUT_OFF:
            raise BadInput(
                f"{run_id} was ended from outside and kept nothing that a ruling could be on: "
                f"`{run_description.format_reset(run_id)}` lets it go on, and it asks again."
            )
        if contradiction is not None:
            _require_rulable(contradiction, late)
        revision = await self._take_up(run_id, {"follow_up_of": run_id, "rulings": (late,)})
        await self.start_taken(revision)
        follows = "The run has ended, so this ruling starts a revision of its report."
        if replaces:
            follows = (
                "The earlier ruling stays on record. The change starts a revision of the report."
            )
        return RulingOutcome(follows, revisions=(revision,))


def _require_ended(stands: RunDescription) -> None:
    run_id = stands.run_id
    if stands.closed is None:
        raise NoResult(
            f"{run_id} is still running: follow it up once it has ended; "
            f"`{format_command('status', run_id)}` shows where it is."
        )
    if isinstance(stands.closed, Broken):
        raise NoResult(
            f"{run_id} left no evidence to go on with. {stands.closed.message} Or research its "
            "topic again."
        )


def _require_rulable(contradiction: Contradiction, late: LateRuling) -> None:
    """Refuse a ruling on what a report does not leave to a person, and one that chooses nothing."""
    if not late.replaces:
        require_unsettled(contradiction)
    elif contradiction.decided_by is None and not contradiction.rulings:
        fate = describe_settlement(contradiction)
        raise BadInput(f"No person has ruled on {contradiction.id}: it {fate}.")
    if isinstance(ruling := late.ruling, Ruling):
        same = (ruling.ruling, ruling.reason, ruling.decided_by)
        if any(
            same == (one.choice, one.reason, one.decided_by) for one in contradiction.rulings[-1:]
        ):
            raise BadInput(
                f"{contradiction.id} was ruled on that way already: say again why it holds."
            )


def require_unsettled(contradiction: Contradiction | None) -> None:
    """Refuse what somebody has answered already; what was ended from outside is unsettled."""
    if contradiction is None or contradiction.state is not ContradictionState.RESOLVED:
        return
    what = (
        describe_choice(contradiction.ruling, len(contradiction.sides))
        if contradiction.ruling
        else "settled"
    )
    when = f" on {format_datetime(contradiction.decided)}" if contradiction.decided else ""
    change = " `caveat rule … --replace` changes that." if contradiction.decided_by else ""
    raise BadInput(
        f"{contradiction.id} was ruled on by {contradiction.decided_by}{when}: {what}.{change}"
    )
