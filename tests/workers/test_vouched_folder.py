"""Who gives a folder says what its documents are, and the better kind settles what they dispute."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.contradiction import SettledBy
from caveat.contracts.report import Report
from caveat.contracts.source import SourceKind
from caveat.rendering.words import describe_factors
from caveat.workers.settings import Settings
from caveat.workers.wiring import build_registry, choose_ports
from caveat.workers.worker import serve_runs
from tests.fakes.runs import report_of, start_run

MANIFEST = """
[[documents]]
match = "papers/*"
kind = "peer-reviewed"
author = "A. Miller"
published = 2024-05-02

[[documents]]
match = "*.txt"
kind = "blog"
"""

Research = Callable[[], Awaitable[Report]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    given = tmp_path / "given"
    (given / "papers").mkdir(parents=True)
    paper = "# A survey\n\nThe Alder bridge has a length of 412 metres between its towers.\n"
    (given / "papers" / "survey.md").write_text(paper)
    (given / "walk.txt").write_text(
        "A walk.\n\nThe Alder bridge has a length of 380 metres between its towers.\n"
    )
    return given


@pytest.fixture
def research(
    environment: WorkflowEnvironment, task_queue: str, settings: Settings, folder: Path
) -> Research:
    async def run() -> Report:
        async with serve_runs(
            environment.client, build_registry(choose_ports(settings)), task_queue
        ):
            topic = "How long is the Alder bridge between its towers?"
            run = await start_run(
                environment.client,
                task_queue,
                arbitration_timeout=1,
                topic=topic,
                corpus=[str(folder)],
            )
            return await report_of(run)

    return run


async def test_a_vouched_kind_settles_by_evidence(research: Research, folder: Path) -> None:
    (folder / "caveat.toml").write_text(MANIFEST)
    report = await research()
    (dispute,) = report.contradictions
    assert dispute.settled_by is SettledBy.EVIDENCE
    claims = {claim.id: claim for claim in report.claims}
    upheld = dispute.sides["ab".index(dispute.ruling or "")]
    assert "412" in claims[upheld.claim].quote
    sources = {source.path: source for source in report.sources}
    paper = sources["papers/survey.md"]
    assert (paper.kind, paper.authors) == (SourceKind.PEER_REVIEWED, ("A. Miller",))
    assert paper.published is not None
    assert "vouched for by the person who gives the folder" in describe_factors(paper.factors)
    assert "kind: peer-reviewed (says" not in describe_factors(paper.factors)
    assert not [each for each in report.unread if ".toml" in each.ending]
