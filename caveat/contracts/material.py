"""What a report is assembled from."""

import datetime as dt

from caveat.contracts.base import Contract
from caveat.contracts.contradiction import Contradiction
from caveat.contracts.debate import Debate
from caveat.contracts.envelope import Usage
from caveat.contracts.investigation import Findings, FoundSource
from caveat.contracts.plan import Answerers, Plan, ResearchRequest
from caveat.contracts.report import LeftOut, Methods, Report, ReportedFailure
from caveat.contracts.source import Unread
from caveat.contracts.spending import StepUsage


class Material(Contract):
    """Everything that a report is assembled from."""

    run_id: str  # workflow id
    request: ResearchRequest  # what was asked
    plan: Plan  # the assignments
    findings: tuple[Findings, ...]  # what each assignment brought, in plan order
    shelf: tuple[FoundSource, ...]  # every source found, in order of finding
    contradictions: tuple[Contradiction, ...] = ()  # all of the run, as they stand
    debate: Debate | None = None  # what was said of the claims; None without a debate
    methods: Methods = Methods()  # what was done by rules in place of a model, or could not be done
    failures: tuple[ReportedFailure, ...]  # every failure envelope
    documents: int  # documents of the corpus that could be searched and, as far as they were, read
    unread: tuple[Unread, ...] = ()  # files of the corpus that were not looked at
    usage: Usage  # of all answered tasks
    usage_by_step: tuple[StepUsage, ...] = ()  # the same by what it was spent on
    answered: Answerers = Answerers()  # who answered them, and in a run that is followed up
    tasks: int  # tasks of the whole run
    left_out: tuple[LeftOut, ...] = ()  # what bounds of the budget left out
    unwritten_for: str | None = None  # the one of them for which there is no synthesis, if any
    # the run that this one follows up, if any, and its report, if it had one
    earlier: tuple[str, Report | None] | None = None
    since: Report | None = None  # the report of the schedule's run before, if there was one
    # of the time since the run began, how long it did nothing but wait for people
    waiting_seconds: float = 0.0
    started: dt.datetime  # when the run began, UTC
    now: dt.datetime  # when the report is assembled, UTC
