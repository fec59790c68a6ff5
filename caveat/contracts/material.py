"""What a report is assembled from."""

import datetime as dt

from caveat.contracts.envelope import Usage
from caveat.contracts.outcome import Collected
from caveat.contracts.plan import Plan
from caveat.contracts.report import LeftOut, Methods, Report
from caveat.contracts.source import Unread


class Material(Collected):
    """The input of a report."""

    plan: Plan  # the assignments
    methods: Methods = Methods()  # what was done by rules in place of a model, or could not be done
    documents: int  # documents of the corpus that could be searched and, as far as they were, read
    unread: tuple[Unread, ...] = ()  # files of the corpus that were not looked at
    usage: Usage  # of all answered tasks
    tasks: int  # tasks of the whole run
    left_out: tuple[LeftOut, ...] = ()  # what bounds of the budget left out
    unwritten_for: str | None = None  # the one of them for which there is no synthesis, if any
    # the run that this one follows up, if any, and its report, if it had one
    earlier: tuple[str, Report | None] | None = None
    since: Report | None = None  # the report of the schedule's run before, if there was one
    # of the time since the run began, how long it did nothing but wait for people
    waiting_seconds: float = 0.0
    now: dt.datetime  # when the report is assembled, UTC
