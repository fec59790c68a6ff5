"""What begins with what a run left: a follow-up, and the revision that a late ruling makes."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, replace

from caveat.clients.lookup import find_run_state
from caveat.clients.parsing import parse_question, parse_ruling
from caveat.clients.problems import BadInput, NoResult, NoSuchArbitration, NoSuchRun, OutOfReach
from caveat.clients.publishing import read_kept_evidence
from caveat.clients.requests import route_like_earlier
from caveat.clients.run_description import (
    ASKED,
    Broken,
    RunDescription,
    RunLine,
    create_run_id,
    explain_paused,
    find_scope,
    format_reset,
    list_same,
)
from caveat.clients.runs import Runs, RunStatus
from caveat.clients.translation import build_unknown_arbitration
from caveat.contracts.backend import Backend
from caveat.contracts.contradiction import (
    Contradiction,
    ContradictionState,
    LateRuling,
    Ruling,
    Withdrawal,
)
from caveat.contracts.failure import FailureType
from caveat.contracts.outcome import Ending, Outcome, RunRecord
from caveat.contracts.phase import Phase
from caveat.contracts.plan import ResearchRequest
from caveat.failures import PortFailure
from caveat.problem import Problem
from caveat.rendering.commands import format_command
from caveat.rules.contradictions.choices import describe_choice, describe_settlement
from caveat.rules.run.recovery import Scope
from caveat.workers.settings import Settings

_HEARS_S = 10.0  # takes a second, also where a worker that was killed had the run
_LOOKS_S = 0.2


async def follow_up_request(
    runs: Runs, settings: Settings, run_id: str, *, everything: bool = False
) -> tuple[ResearchRequest, Scope]:
    """Ask for what an earlier run was asked, with its failures tried again.

    Args:
        everything: whether also that is tried which is not likely to work now.
    """
    stands = await find_run_state(runs, settings, run_id)
    _require_ended(stands, run_id)
    if getattr(stands.closed, "ending", None) is Ending.CORPUS_UNUSABLE:
        raise NoResult(
            f"{run_id} had nothing yet that could be followed up: "
            f"`{format_command('status', run_id)}` says what stopped it; mend that, and research "
            "its topic anew."
        )
    chosen = find_scope(stands, everything=everything)
    if chosen.is_empty and not chosen.left_out:
        raise NoResult(
            f"Nothing failed in {run_id} that was not made good: there is nothing to try again."
        )
    if chosen.is_empty:
        again = format_command("follow-up", run_id, options="--all")
        remedy = "" if everything else f", and `{again}` tries it all the same"
        raise NoResult(
            f"Nothing that failed in {run_id} is worth trying again: "
            f"`{format_command('status', run_id)}` says what failed and why{remedy}."
        )
    request = await _read_request(runs, settings, stands)
    # It waits for all that it takes up; answers that the earlier run was given are settled there.
    anew = {
        "follow_up_of": run_id,
        "deadline": None,
        "rulings": (),
        "retry_all": everything,
        "corpus": request.corpus or await _find_searched_folders(settings, run_id),
    }
    return request.model_copy(update=anew), chosen


async def _find_searched_folders(settings: Settings, run_id: str) -> tuple[str, ...]:
    """Name the folders that a run searched which named none; the default may be another one now."""
    with suppress(PortFailure):
        if inventory := (await read_kept_evidence(settings, run_id)).inventory:
            return inventory.corpus
    return ()


@dataclass(frozen=True)
class TakenUp:
    """A run that takes up an earlier one, and is to be started."""

    run_id: str
    request: ResearchRequest
    remark: str | None  # who works on it, where that is not what a new run would have


async def prepare_follow_up(
    runs: Runs, settings: Settings, run_id: str, request: ResearchRequest, order: str = ""
) -> TakenUp:
    """Name a run that takes up an earlier one, and have it worked on as that one was."""
    # Who worked on the earlier one; None where neither the server nor its evidence knows.
    earlier: Backend | None = None
    with suppress(NoSuchRun):
        earlier = (await runs.read_route(run_id)).backend
    if earlier is None:
        with suppress(PortFailure):
            earlier = (await read_kept_evidence(settings, run_id)).backend
    request, remark = route_like_earlier(request, earlier, settings)
    return TakenUp(create_run_id(request.topic, order), request, remark)


async def prepare_question(
    runs: Runs, settings: Settings, run_id: str, question: str, *, searches: bool
) -> TakenUp:
    """Put one more question to what a run has kept.

    Args:
        searches: whether new sources are searched for as well.
    """
    stands = await find_run_state(runs, settings, run_id)
    if stands.line.phase != Phase.AWAITING_RULINGS:  # then it has kept what it found
        _require_ended(stands, run_id)
    request = await _read_request(runs, settings, stands)
    anew = {
        "topic": parse_question(question),
        "asked_of": run_id,
        "searches": searches,
        "follow_up_of": None,
        "rulings": (),
        "deadline": None,
        "schedule": None,
        "approve_plan": False,
        "corpus": request.corpus or await _find_searched_folders(settings, run_id),
    }
    taken = await prepare_follow_up(runs, settings, run_id, request.model_copy(update=anew))
    return replace(taken, run_id=f"{run_id}{ASKED}{taken.run_id.rpartition('-')[2]}")


def _require_ended(stands: RunDescription, run_id: str) -> None:
    if stands.closed is None:
        raise NoResult(
            f"{run_id} still goes on: follow it up once it has ended; "
            f"`{format_command('status', run_id)}` shows where it is."
        )
    if isinstance(stands.closed, Broken):
        raise NoResult(
            f"{run_id} left no evidence to go on with. {stands.closed.message} Or research its "
            "topic anew."
        )


async def _read_request(runs: Runs, settings: Settings, stands: RunDescription) -> ResearchRequest:
    run_id = stands.line.run_id
    if not isinstance(stands.closed, RunRecord):
        return await runs.read_request(run_id)
    try:
        return (await read_kept_evidence(settings, run_id)).request
    except PortFailure as missing:
        if missing.failure.failure_type is not FailureType.NOT_FOUND:
            raise
        raise NoResult(
            f"The server has forgotten {run_id}, and its evidence is not on this machine: "
            "research its topic anew."
        ) from None


_REVISED = "The run has ended, so this ruling starts a revision of its report."
_CHANGED = "The earlier ruling stays on record. The change starts a revision of the report."

_CUT_OFF = {RunStatus.TERMINATED, RunStatus.TIMED_OUT}
"""Ends of which a run learns nothing, so that it cannot keep its evidence."""


@dataclass(frozen=True)
class RulingOutcome:
    """What came of a ruling, or of a withdrawal."""

    follows: str  # one sentence for people
    # as its arbitration has it; None of a late one
    contradiction: Contradiction | None = None
    others: tuple[str, ...] = ()  # the same dispute in other runs, ruled on so too
    revisions: tuple[TakenUp, ...] = ()  # runs to be started, the one of this report first


@dataclass(frozen=True)
class Rulings:
    runs: Runs
    settings: Settings

    async def rule(self, arbitration: str, ruling: Ruling) -> RulingOutcome:
        """Answer an arbitration; after its deadline the ruling is kept for a revision."""
        arbitrations = self.runs.arbitrations
        try:
            waits = await arbitrations.is_open(arbitration)
        except NoSuchArbitration:  # the run asked nobody: its answer does not depend on it
            return await self._give_late(arbitration, ruling)
        if waits:
            try:
                settled = await arbitrations.rule(arbitration, ruling)
            except BadInput:
                if await arbitrations.is_open(arbitration):
                    await self._parse_ruling(arbitration, ruling)
                    raise
                # It ended between the two questions: somebody was first, or its time was over.
            else:
                choice = describe_choice(settled.ruling or "none", len(settled.sides))
                return RulingOutcome(f"Accepted: {choice}.", settled)
        require_unsettled(await arbitrations.wait_for_outcome(arbitration))
        return await self._give_late(arbitration, await self._parse_ruling(arbitration, ruling))

    async def give(
        self, arbitration: str, answer: Withdrawal, *, replaces: bool, everywhere: bool = True
    ) -> RulingOutcome:
        """Rule, or change or withdraw what a person ruled before.

        Args:
            everywhere: whether it also holds for the same dispute of other runs: those that wait,
                of a late ruling those that ended.
        """
        arbitrations = self.runs.arbitrations
        if replaces or not isinstance(answer, Ruling):
            hearing = await arbitrations.query_hearing(arbitration)
            if hearing is not None and hearing.contradiction.is_open:
                raise BadInput(f"Nobody has ruled on {arbitration} yet: rule, and replace nothing.")
            return await self._give_late(arbitration, answer, replaces=True)
        waiting = await arbitrations.list_waiting() if everywhere else ()
        outcome = await self.rule(arbitration, answer)
        if outcome.contradiction is not None:
            others = []
            for other in list_same(waiting, arbitration):
                with suppress(Problem):  # somebody was faster, or it stays in the inbox
                    await arbitrations.rule(other, answer)
                    others.append(other)
            return replace(outcome, others=tuple(others))
        revisions = [*outcome.revisions]
        if revisions and everywhere:
            for other in list_same(await arbitrations.list_for_review(), arbitration):
                with suppress(Problem):
                    revisions += (await self._give_late(other, answer)).revisions
        return replace(outcome, revisions=tuple(revisions))

    async def list_remaining(self, arbitration: str) -> list[Contradiction]:
        """Wait until a run has heard of a ruling, and return what else it waits for."""
        # The arbitration keeps the ruling before it ends, and the run hears of it by its end. Who
        # left before that would leave both to the next command.
        run_id, _, ruled_on = arbitration.rpartition("/")
        progress = None
        with suppress(TimeoutError):
            async with asyncio.timeout(_HEARS_S):
                await self.runs.arbitrations.wait_for_outcome(arbitration)
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
        contradiction = await self._find_contradiction(line, contradiction_id)
        # In which run it first was.
        first = (contradiction.arbitration if contradiction else None) or arbitration
        signed = self.runs.arbitrations.sign_answer(first, answer)
        late = LateRuling(contradiction_id=contradiction_id, ruling=signed, replaces=replaces)
        if line.paused:
            raise OutOfReach(explain_paused(run_id))
        if line.status is RunStatus.RUNNING:
            return RulingOutcome(await self.runs.arbitrations.rule_late(run_id, late))
        if line.status in _CUT_OFF:
            raise BadInput(
                f"{run_id} was ended from outside and kept nothing that a ruling could be on: "
                f"`{format_reset(run_id)}` lets it go on, and it asks again."
            )
        if contradiction is not None:
            _require_rulable(contradiction, late)
        changes = {"follow_up_of": run_id, "rulings": (late,)}
        request = (await self.runs.read_request(run_id)).model_copy(update=changes)
        revision = await prepare_follow_up(self.runs, self.settings, run_id, request)
        return RulingOutcome(_CHANGED if replaces else _REVISED, revisions=(revision,))

    async def _find_contradiction(
        self, line: RunLine, contradiction_id: str
    ) -> Contradiction | None:
        """Find a contradiction in a report, or in what a run says that goes on."""
        if line.status is RunStatus.RUNNING:
            progress = await self.runs.query_progress(line.run_id)
            known = {
                dispute.id: dispute for dispute in (progress.contradictions if progress else ())
            }
            return known.get(contradiction_id)
        ended = await self.runs.wait_for_end(line.run_id)
        if not isinstance(ended, Outcome):
            return None
        reported = {dispute.id: dispute for dispute in ended.report.contradictions}
        if contradiction_id not in reported:
            raise build_unknown_arbitration(f"{line.run_id}/{contradiction_id}")
        return reported[contradiction_id]

    async def _parse_ruling(self, arbitration: str, ruling: Ruling) -> Ruling:
        """Read a ruling by how many values its arbitration has, as far as that can be asked."""
        hearing = await self.runs.arbitrations.query_hearing(arbitration)
        known = len(hearing.case.sides) if hearing else None
        return parse_ruling(ruling.ruling, ruling.reason, ruling.decided_by, known)


def _require_rulable(contradiction: Contradiction, late: LateRuling) -> None:
    """Refuse a ruling on what a report does not leave to a person, and one that chooses nothing."""
    if not late.replaces:
        require_unsettled(contradiction)
    elif contradiction.decided_by is None and not contradiction.rulings:
        raise BadInput(explain_no_change(contradiction))
    if isinstance(late.ruling, Ruling):
        ruling = late.ruling
        wanted = parse_ruling(
            ruling.ruling, ruling.reason, ruling.decided_by, len(contradiction.sides)
        )
        same = (wanted.ruling, wanted.reason, wanted.decided_by)
        if any(
            same == (one.choice, one.reason, one.decided_by) for one in contradiction.rulings[-1:]
        ):
            raise BadInput(f"{contradiction.id} was ruled on so before: say anew why it holds now.")


def explain_no_change(contradiction: Contradiction) -> str:
    return f"No person has ruled on {contradiction.id}: it {describe_settlement(contradiction)}."


def require_unsettled(contradiction: Contradiction | None) -> None:
    """Refuse what somebody has answered already; what was ended from outside is unsettled."""
    if contradiction is None or contradiction.state is not ContradictionState.RESOLVED:
        return
    what = (
        describe_choice(contradiction.ruling, len(contradiction.sides))
        if contradiction.ruling
        else "settled"
    )
    when = f" on {contradiction.decided:%Y-%m-%d %H:%M} UTC" if contradiction.decided else ""
    change = " `caveat rule … --replace` changes that." if contradiction.decided_by else ""
    raise BadInput(
        f"{contradiction.id} was ruled on by {contradiction.decided_by}{when}: {what}.{change}"
    )
