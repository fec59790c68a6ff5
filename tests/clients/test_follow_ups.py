"""A run that the server has forgotten, followed up from the evidence kept here."""

import datetime as dt
from typing import cast

import pytest

from caveat.adapters.files.blobs import FolderBlobs
from caveat.adapters.files.reports import KeptReports
from caveat.clients.run_description import Broken, Closed, RunDescription, RunLine, RunStatus
from caveat.clients.service import Service
from caveat.contracts.contradiction import LateRuling, Ruling
from caveat.contracts.envelope import AgentType
from caveat.contracts.outcome import Ending, NamedEnd, Outcome
from caveat.contracts.plan import Depth, Format, ResearchRequest
from caveat.contracts.report import ReportedFailure
from caveat.failures import not_found, unavailable
from caveat.problem import NoSuchRun
from caveat.workers.connection import Connection
from caveat.workers.settings import Settings
from tests.fakes.kept import an_evidence
from tests.fakes.reports import a_report, reported

RUN = "research-long-ago-000000"
RULING = Ruling(ruling="a", reason="It is newer.")
ASKED = ResearchRequest(
    topic="Long ago",
    corpus=("/srv/papers",),
    depth=Depth.OVERVIEW,
    team="investment",
    formats=(Format.JSON,),
    follow_up_of="research-even-longer-ago",
    deadline=dt.timedelta(minutes=5),
    rulings=(LateRuling(contradiction_id="contradiction-1", ruling=RULING),),
)
BUSY = unavailable("The archive is busy.", resource="page")
GONE = not_found("The page is gone.", resource="page")
WHOLE = a_report().model_copy(update={"failures": ()})
NOW = dt.datetime(2025, 1, 1, tzinfo=dt.UTC)


class Forgetful:
    """A server that knows no run."""

    async def fetch_line(self, run_id: str) -> RunLine:
        raise NoSuchRun(f"There is no run {run_id}.")

    read_request = read_route = fetch_line


def forgetful(settings: Settings) -> Service:
    service = Service(cast("Connection", None), settings)
    vars(service)["runs"] = Forgetful()
    return service


async def keep_evidence(settings: Settings, *failures: ReportedFailure) -> None:
    ending = Ending.INSUFFICIENT_AGENTS
    facts = {"request": ASKED, "ending": ending, "reason": "Too few.", "failures": failures}
    evidence = an_evidence(RUN, "Long ago", **facts)
    await KeptReports(FolderBlobs(settings.reports_folder)).keep(evidence)


async def test_the_request_is_that_of_the_evidence(settings: Settings) -> None:
    await keep_evidence(settings, reported(BUSY))
    taken, scope = await forgetful(settings).prepare_follow_up(RUN)
    # Neither in a hurry again, nor with answers that the earlier run was given.
    anew = {"follow_up_of": RUN, "deadline": None, "rulings": ()}
    own = taken.request.model_copy(update={"reasoner": None, "backend": None})
    assert own == ASKED.model_copy(update=anew)
    assert scope.retried == (reported(BUSY),)


async def test_all_is_wanted_of_a_run_without_hope(settings: Settings) -> None:
    await keep_evidence(settings, reported(GONE))
    taken, scope = await forgetful(settings).prepare_follow_up(RUN, everything=True)
    assert taken.request.retry_all
    assert scope.retried == (reported(GONE),)


async def test_without_the_evidence_there_is_nothing_to_go_on_with(settings: Settings) -> None:
    with pytest.raises(NoSuchRun):
        await forgetful(settings).prepare_follow_up(RUN)


def ended(closed: Closed | None) -> RunDescription:
    status = RunStatus.RUNNING if closed is None else RunStatus.COMPLETED
    return RunDescription(RunLine(run_id=RUN, topic="", status=status, started=NOW), closed=closed)


def named(ending: Ending, *failures: ReportedFailure) -> NamedEnd:
    return NamedEnd(ending=ending, message="It is so.", failures=failures)


@pytest.mark.parametrize(
    ("stands", "invites"),
    [
        (ended(None), False),
        (ended(Broken(message="It was cancelled.")), False),
        (ended(Outcome(report=a_report())), True),
        (ended(Outcome(report=WHOLE)), False),
        (ended(named(Ending.INSUFFICIENT_AGENTS, reported(GONE))), False),
        (ended(named(Ending.INSUFFICIENT_AGENTS, reported(BUSY))), True),
        # What it found is all there; only the report is not.
        (ended(named(Ending.SYNTHESIS_FAILED)), True),
        (ended(named(Ending.PLANNING_FAILED, reported(BUSY, AgentType.PLANNER))), True),
    ],
)
def test_what_invites_a_follow_up(stands: RunDescription, invites: bool) -> None:
    assert stands.find_scope().is_empty is not invites


def test_what_failed_after_the_report_is_a_failure_of_the_run() -> None:
    afterwards = reported(BUSY, AgentType.ARCHIVIST)
    stands = ended(Outcome(report=a_report(), failures=(afterwards,)))
    assert stands.course.failures == (*a_report().failures, afterwards)
    # Every run remembers anew: nobody follows it up for that.
    assert ended(Outcome(report=WHOLE, failures=(afterwards,))).find_scope().is_empty
