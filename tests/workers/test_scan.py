"""What documents state of a disputed quantity is in the report, also where nobody read them."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.outcome import Outcome
from caveat.contracts.report import Report
from caveat.rendering.markdown import render
from caveat.workers.settings import Settings
from caveat.workers.wiring import ports, registry_of
from caveat.workers.worker import workers
from tests.fakes.patience import PATIENCE_S

TOPIC = "How long is the Aldermoor tunnel?"
STATED = {
    "survey": "The Aldermoor tunnel has a length of 3.2 km.",
    "railway": "The length of the Aldermoor tunnel is 4.1 km by the railway's own chains.",
    "gazetteer": "A length of 3.2 km is given for the Aldermoor tunnel by the county.",
    "guide": "Walkers are told that the Aldermoor tunnel has a length of 3.9 km.",
    "letter": "My father measured a length of 3.3 km for the Aldermoor tunnel with a wheel.",
    "painter": "The Aldermoor tunnel has a length of 3.2 km and a painted mouth.",
    "almanac": "The Aldermoor tunnel has a length of 4.1 km.",
}
BESIDE = {
    "diary": "The Aldermoor tunnel was cold, and it took an hour to walk through it.",
    "accounts": "The lamps of the Aldermoor tunnel took 300 kg of oil a year.",
}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder of short notes; one stands there twice, with a footer of its own."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, said in (STATED | BESIDE).items():
        text = f"# The {name}\n\n{said} Much more is written of it elsewhere.\n"
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    again = f"# The letter\n\n{STATED['letter']} Much more is written of it elsewhere. Copied.\n"
    (folder / "letter-copied.md").write_text(again, encoding="utf-8")
    return folder


@pytest.fixture
async def client(
    environment: WorkflowEnvironment, task_queue: str, settings: Settings
) -> AsyncIterator[Client]:
    async with workers(environment.client, registry_of(ports(settings)), task_queue):
        with environment.with_time_skipping_disabled():
            yield environment.client


async def report_of(client: Client, queue: str, notes: Path) -> Report:
    request = {
        "topic": TOPIC,
        "corpus": [str(notes)],
        "depth": "overview",
        "max_sources": 3,
        "arbitration_timeout": 1,
    }
    async with asyncio.timeout(PATIENCE_S):
        outcome: Outcome = await client.execute_workflow(
            "Research", request, id=f"research-{queue}", task_queue=queue, result_type=Outcome
        )
    return outcome.report


async def test_values_that_nobody_read_stand_beside_those_that_were(
    client: Client, task_queue: str, notes: Path
) -> None:
    report = await report_of(client, task_queue, notes)
    titles = {figure.label for figure in report.stated}
    assert titles == {f"The {name}" for name in STATED}
    looked = [each for each in report.sources if each.scanned]
    assert (report.metrics.sources_read, report.metrics.sources_scanned) == (3, len(looked))
    assert len(looked) == len(STATED) - 3
    assert all(each.snapshot_sha256 and each.number for each in looked)
    (contradiction,) = report.contradictions
    backing = sum(1 + len(each) for each in contradiction.backing)
    assert backing > 3  # what nobody had read is compared as well
    table = render(report).partition("Every value that was found")[2].partition("##")[0]
    for name in STATED:
        assert f"| The {name} |" in table


async def test_what_says_nothing_of_it_is_not_cited(
    client: Client, task_queue: str, notes: Path
) -> None:
    report = await report_of(client, task_queue, notes)
    cited = {each.title for each in report.sources if each.number}
    assert not cited & {f"The {name}" for name in BESIDE}
