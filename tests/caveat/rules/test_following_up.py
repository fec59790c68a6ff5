"""What is worth a follow-up: what may work now, and reports that only had to be written."""

import pytest

from caveat.contracts.envelope import AgentType
from caveat.contracts.outcome import Ending
from caveat.contracts.report import ReportedFailure
from caveat.failures import PortFailure, not_found, unavailable
from caveat.rules.following_up import COMPARERS, FIELDWORKERS, GATHERED, is_worth_following_up

BUSY = unavailable("The archive is busy.", resource="page")
GONE = not_found("The page is gone.", resource="page")


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


@pytest.mark.parametrize("agent", AgentType)
def test_only_work_that_a_follow_up_does_again_counts(agent: AgentType) -> None:
    again = agent in FIELDWORKERS | COMPARERS
    assert is_worth_following_up(None, [reported(BUSY, agent)]) is again


@pytest.mark.parametrize("ending", [None, *Ending])
def test_a_run_that_only_lacks_its_report_is_followed_up(ending: Ending | None) -> None:
    assert is_worth_following_up(ending, [reported(GONE)]) is (ending in GATHERED)


def test_what_is_hopeless_or_made_good_is_not_worth_it() -> None:
    assert not is_worth_following_up(None, [])
    assert not is_worth_following_up(None, [reported(GONE), reported(BUSY, recovered=True)])
    assert is_worth_following_up(None, [reported(GONE), reported(BUSY)])
