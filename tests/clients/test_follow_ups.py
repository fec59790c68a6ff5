"""A run that the server has forgotten, followed up from memory and the evidence kept here."""

import datetime as dt
from typing import cast

import pytest

from caveat.adapters.press import FilePress
from caveat.contracts.envelope import AgentType
from caveat.contracts.outcome import Evidence, RunRecord
from caveat.contracts.plan import Depth, Format, ResearchRequest
from caveat.contracts.report import ReportedFailure
from caveat.failures import PortFailure, not_found, unavailable
from clients.follow_ups import follow_up_request, is_worth_following_up
from clients.problems import NoResult, NoSuchRun
from clients.runs import RunLine, Runs
from workers.settings import Settings
from workers.wiring import memory

RUN = "research-long-ago-000000"
ASKED = ResearchRequest(
    topic="Long ago",
    corpus=("/srv/papers",),
    depth=Depth.OVERVIEW,
    team="investment",
    formats=(Format.JSON,),
    follow_up_of="research-even-longer-ago",
)
BUSY = unavailable("The archive is busy.", resource="page")
GONE = not_found("The page is gone.", resource="page")
NOW = dt.datetime(2025, 1, 1, tzinfo=dt.UTC)


class Forgetful:
    """A server that knows no run."""

    async def line(self, run_id: str) -> RunLine:
        raise NoSuchRun(f"There is no run {run_id}.")


FORGETFUL = cast("Runs", Forgetful())


def reported(
    error: PortFailure, agent: AgentType = AgentType.READER, *, recovered: bool = False
) -> ReportedFailure:
    return ReportedFailure(
        task_id="read-1",
        agent_type=agent,
        task_description="Read page",
        attempts=4,
        failure=error.failure,
        recovered=recovered,
    )


async def remember(settings: Settings, *failures: ReportedFailure) -> None:
    record = RunRecord(
        run_id=RUN, topic="Long ago", ending=None, started=NOW, finished=NOW, failures=failures
    )
    await memory(settings).remember(record)


async def keep_evidence(settings: Settings) -> None:
    evidence = Evidence(
        run_id=RUN, topic="Long ago", ending=None, reason="", created=NOW, request=ASKED
    )
    await FilePress(settings.reports_folder).keep(evidence)


async def test_the_request_is_that_of_the_evidence(settings: Settings) -> None:
    await remember(settings, reported(BUSY))
    await keep_evidence(settings)
    request = await follow_up_request(FORGETFUL, settings, RUN)
    assert request == ASKED.model_copy(update={"follow_up_of": RUN})


async def test_without_the_evidence_there_is_nothing_to_go_on_with(settings: Settings) -> None:
    await remember(settings, reported(BUSY))
    with pytest.raises(NoResult, match="its evidence is not on this machine"):
        await follow_up_request(FORGETFUL, settings, RUN)


async def test_a_forgotten_run_without_hope(settings: Settings) -> None:
    await remember(settings, reported(GONE))
    await keep_evidence(settings)
    with pytest.raises(NoResult, match="No search, reading or analysis of research-long-ago-"):
        await follow_up_request(FORGETFUL, settings, RUN)


async def test_a_run_that_nobody_knows(settings: Settings) -> None:
    with pytest.raises(NoSuchRun):
        await follow_up_request(FORGETFUL, settings, RUN)


@pytest.mark.parametrize(
    ("failed", "worth"),
    [
        (reported(BUSY), True),
        (reported(GONE), False),
        (reported(BUSY, recovered=True), False),
        (reported(BUSY, AgentType.ANALYST), True),
        (reported(BUSY, AgentType.SEARCHER), True),
        # Every run tells people and remembers anew.
        (reported(BUSY, AgentType.HERALD), False),
        (reported(BUSY, AgentType.ARCHIVIST), False),
    ],
)
def test_what_is_worth_following_up(failed: ReportedFailure, worth: bool) -> None:
    assert is_worth_following_up([failed]) is worth
