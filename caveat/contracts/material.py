"""What a report is assembled from."""

import datetime as dt

from caveat.contracts.base import Contract
from caveat.contracts.contradiction import Contradiction
from caveat.contracts.debate import Debate
from caveat.contracts.envelope import Usage
from caveat.contracts.investigation import Findings, Shelved
from caveat.contracts.plan import Answerers, GivenAdvice, Plan, ResearchRequest
from caveat.contracts.report import LeftOut, Methods, Report, ReportedFailure
from caveat.contracts.source import Unread
from caveat.contracts.spending import StepUsage


class Material(Contract):
    """Everything that a report is assembled from.

    Attributes:
        run_id: workflow id.
        request: what was asked.
        plan: the assignments.
        findings: what each assignment brought, in plan order.
        shelf: every source found, in order of finding.
        contradictions: all of the run, as they stand.
        debate: what was said of the claims; None without a debate.
        methods: what was done by rules in place of a model, or could not be done.
        advice: what people told the run while it looked for evidence.
        failures: every failure envelope.
        documents: documents of the corpus that could be searched and, as far as they were, read.
        unread: files of the corpus that were not looked at.
        usage: of all answered tasks.
        usage_by_step: the same by what it was spent on.
        answered: who answered them, and in a run that is followed up.
        tasks: tasks of the whole run.
        left_out: what bounds of the budget left out.
        unwritten_for: the one of them for which there is no synthesis, if any.
        earlier: the run that this one follows up, if any, and its report, if it had one.
        since: the report of the schedule's run before, if there was one.
        waiting_seconds: of the time since the run began, how long it did nothing but wait for
            people.
        started: when the run began, UTC.
        now: when the report is assembled, UTC.
    """

    run_id: str
    request: ResearchRequest
    plan: Plan
    findings: tuple[Findings, ...]
    shelf: tuple[Shelved, ...]
    contradictions: tuple[Contradiction, ...] = ()
    debate: Debate | None = None
    methods: Methods = Methods()
    advice: tuple[GivenAdvice, ...] = ()
    failures: tuple[ReportedFailure, ...]
    documents: int
    unread: tuple[Unread, ...] = ()
    usage: Usage
    usage_by_step: tuple[StepUsage, ...] = ()
    answered: Answerers = Answerers()
    tasks: int
    left_out: tuple[LeftOut, ...] = ()
    unwritten_for: str | None = None
    earlier: tuple[str, Report | None] | None = None
    since: Report | None = None
    waiting_seconds: float = 0.0
    started: dt.datetime
    now: dt.datetime
