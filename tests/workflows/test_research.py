import datetime as dt
from dataclasses import replace

import pytest

from caveat.contracts.envelope import AgentType, FailureCategory
from caveat.contracts.outcome import AssignmentState, Ending, Progress
from caveat.contracts.phase import Phase
from caveat.contracts.plan import BrokenDocument
from caveat.contracts.report import Report
from caveat.contracts.source import Snapshot, SourceKind
from caveat.failures import invalid
from caveat.rules.audit.checks import audit
from tests.fakes.ports import Page, World
from tests.fakes.runs import Start, end_of, report_of, texts


async def test_a_run_ends_in_an_audited_published_report(start: Start, world: World) -> None:
    handle = await start(topic="  alpha \n and beta ")
    outcome = await handle.result()
    report = outcome.report
    assert report.topic == "alpha and beta"
    assert [section.title for section in report.sections] == ["Alpha width", "Beta cases"]
    assert all(len(section.claims) == 6 for section in report.sections)
    assert audit(report, texts(world)).passed
    assert world.reports == [report]
    assert [artifact.format for artifact in outcome.artifacts] == ["md", "pdf", "json"]
    assert report.metrics.model_calls == 1
    assert report.metrics.cost_usd == 0.01
    assert (world.calls["synthesise"], world.calls["verify"]) == (1, 0)
    came = report.metrics.phases
    assert [each.phase for each in came] == [
        Phase.TAKING_STOCK,
        Phase.PLANNING,
        Phase.INVESTIGATING,
        Phase.COMPARING,
        Phase.SETTLING,
        Phase.SYNTHESISING,
        Phase.AUDITING,
        Phase.PUBLISHING,
    ]
    assert [each.at for each in came] == sorted(each.at for each in came)
    progress: Progress = await handle.query("progress", result_type=Progress)
    assert progress.phases[:-1] == came
    assert progress.phases[-1].phase is Phase.DONE


async def test_no_assignment_waits_for_another(start: Start, world: World) -> None:
    world.uses_model = True
    world.delays["search alpha"] = 1.0
    await report_of(await start())
    assert world.order.index("analyse page 7") < world.order.index("read page 1")


async def test_a_source_of_two_angles_is_analysed_once(start: Start, world: World) -> None:
    world.answers["beta"] = world.answers["alpha"]
    report = await report_of(await start())
    assert world.calls["read"] == 6
    assert world.calls["analyse"] == 6
    assert report.metrics.sources_read == 6


async def test_weak_sources_are_set_aside_with_their_score(start: Start, world: World) -> None:
    world.pages.append(Page("forum post", "Alpha is 99 units wide", kind=SourceKind.FORUM))
    world.answers["alpha"] = ("forum post", *world.answers["alpha"])
    report = await report_of(await start())
    (weak,) = [source for source in report.sources if source.title == "forum post"]
    assert (weak.admitted, weak.credibility, weak.snapshot_sha256) == (False, 0.25, None)
    assert weak.reason == "credibility 0.25 is below 0.3"
    assert world.calls["read forum post"] == 0


async def test_a_run_with_few_sources_reads_weak_ones_too(start: Start, world: World) -> None:
    old = (dt.datetime.now(dt.UTC) - dt.timedelta(days=7 * 365)).date()
    world.pages.append(Page("forum post", "Alpha is 99 units wide", SourceKind.FORUM, old))
    world.answers["alpha"] = ("forum post", "page 1", "page 2", "page 3")
    report = await report_of(await start())
    (weak,) = [source for source in report.sources if source.title == "forum post"]
    assert (weak.admitted, weak.reason) == (True, "credibility 0.20 passes 0.2")


async def test_an_empty_search_is_reformulated_once_then_a_gap(start: Start, world: World) -> None:
    world.angles["Gamma rays"] = ("gamma",)
    world.rewordings["Gamma rays"] = "gamma radiation"
    report = await report_of(await start())
    assert world.calls["reformulate Gamma rays"] == 1
    assert world.calls["search gamma radiation"] == 1
    gaps = [gap.reason for gap in report.gaps if gap.area == "Gamma rays"]
    assert gaps == [
        "No further source after 2 queries: “gamma”, “gamma radiation”.",
        "No passage found on “Gamma rays”.",
    ]
    assert report.limitations == ()
    assert ("subtract", 0.1) in [(step.operation, step.amount) for step in report.confidence.ledger]


async def test_max_sources_bounds_the_whole_run(start: Start, world: World) -> None:
    report = await report_of(await start(max_sources=3))
    assert world.calls["read"] == 3
    refused = [source for source in report.sources if not source.admitted]
    assert {source.reason for source in refused} == {"the limit of 3 sources was reached"}


async def test_broken_documents_are_failures_and_limitations(start: Start, world: World) -> None:
    failure = invalid("scan.pdf is encrypted.", resource="scan.pdf").failure
    world.broken = (BrokenDocument(path="scan.pdf", failure=failure),)
    report = await report_of(await start())
    (limitation,) = report.limitations
    assert limitation.task_ids == ("take-stock-1",)
    assert "scan.pdf is encrypted." in limitation.why
    assert report.failures[0].agent_type == AgentType.LIBRARIAN
    assert any("could not be read" in step.reason for step in report.confidence.ledger)


async def test_the_unforeseen_is_unknown_and_carries_no_text(start: Start, world: World) -> None:
    def explode(kind: str, key: str) -> None:
        if (kind, key) == ("read", "page 2"):
            raise KeyError("a secret from a page")

    world.faults = explode
    handle = await start()
    report = await report_of(handle)
    assert world.calls["read page 2"] == 1
    assert report.failures[0].failure.category is FailureCategory.UNKNOWN
    assert report.metrics.unhandled_failure_rate > 0
    history = await handle.fetch_history()
    assert "a secret from a page" not in history.to_json()


async def test_below_quorum_a_run_fails_with_its_evidence(start: Start, world: World) -> None:
    world.angles["Gamma rays"] = ("gamma",)

    def no_search(kind: str, key: str) -> None:
        if kind == "search" and key in {"beta", "gamma"}:
            raise invalid("The engine refuses the query.", resource=key)

    world.faults = no_search
    end = await end_of(await start())
    assert end.ending is Ending.INSUFFICIENT_AGENTS
    assert "1 of 3" in end.message
    assert "2 are needed" in end.message
    (evidence,) = world.evidence
    assert [len(found.claims) for found in evidence.findings] == [6, 0, 0]
    assert len(end.failures) == 2
    assert world.reports == []
    phases = [each.phase for each in end.phases]
    assert phases == [Phase.TAKING_STOCK, Phase.PLANNING, Phase.INVESTIGATING, Phase.FAILED]
    assert evidence.phases == end.phases


async def test_at_quorum_a_run_goes_on_and_says_what_is_missing(start: Start, world: World) -> None:
    def no_search(kind: str, key: str) -> None:
        if (kind, key) == ("search", "beta"):
            raise invalid("The engine refuses the query.", resource=key)

    world.faults = no_search
    handle = await start()
    report = await report_of(handle)
    assert len(report.sections[0].claims) == 6
    assert report.sections[1].claims == ()
    assert "The engine refuses the query." in report.limitations[0].why
    progress = await handle.query("progress", result_type=Progress)
    assert progress.assignments[1].state is AssignmentState.FAILED
    assert progress.assignments[1].note == "The engine refuses the query."


async def test_nothing_found_anywhere_is_insufficient_evidence(start: Start, world: World) -> None:
    world.answers = {}
    handle = await start(topic="How many files are blue?")
    end = await end_of(handle)
    assert end.ending is Ending.INSUFFICIENT_EVIDENCE
    assert "Caveat does not count; 12 documents were searched." in end.message
    assert "The question is in" not in end.message
    assert end.evidence is not None
    assert end.failures == ()
    (evidence,) = world.evidence
    assert all(found.gaps for found in evidence.findings)
    progress = await handle.query("progress", result_type=Progress)
    assert progress.phase is Phase.FAILED
    assert progress.problem == end.message


async def test_an_unusable_corpus_ends_the_run_by_name(start: Start, world: World) -> None:
    end = await end_of(await start(corpus=["/missing"]))
    assert end.ending is Ending.CORPUS_UNUSABLE
    assert end.message == "The corpus folder /missing does not exist."
    assert world.calls["take_stock"] == 1


async def test_what_audits_refuse_costs_sentences_and_is_said(start: Start, world: World) -> None:
    kept: dict[str, Snapshot] = {}

    def tamper(kind: str, key: str) -> None:
        if kind == "synthesise" and not kept:
            kept.update(world.kept)
            for address, snapshot in kept.items():
                changed = snapshot.text.replace("Alpha is", "Alpha was")
                world.kept[address] = snapshot.model_copy(update={"text": changed})

    world.faults = tamper
    report = await report_of(await start())
    assert not [claim for claim in report.claims if "Alpha" in claim.quote]
    assert [claim for claim in report.claims if "Beta" in claim.quote]
    (left,) = [each for each in report.limitations if each.area.startswith("Sentences that were")]
    assert left.area.endswith(str(len(report.verification.left_out) if report.verification else 0))
    assert audit(report, texts(world)).passed


@pytest.mark.parametrize(
    ("step", "agent"), [("keep_evidence", AgentType.PUBLISHER), ("notify", AgentType.HERALD)]
)
async def test_failures_after_reports_are_told(
    start: Start, world: World, step: str, agent: AgentType
) -> None:
    def fail(kind: str, key: str) -> None:
        if kind == step:
            raise invalid("The disk is read-only.", resource=step)

    world.faults = fail
    outcome = await (await start()).result()
    assert world.reports == [outcome.report]
    (failed,) = outcome.failures
    assert (failed.agent_type, failed.failure.message) == (agent, "The disk is read-only.")


# Which of texts that are one is cited does not depend on which was read first.


BODY = "Alpha is 9 units wide, " + " ".join(f"word{number}" for number in range(200))
ENDS = {"wire": "", "paper": " subscribe to the daily paper now", "blog": " share it with friends"}


def levelled(report: Report) -> str:
    """Everything but names of the run and times, and how much work it was."""
    times = {"pipeline_seconds": 0, "waiting_seconds": 0, "phases": ()}
    metrics = report.metrics.model_copy(update=times)
    same = report.model_copy(update={"metrics": metrics})
    return same.model_dump_json(exclude={"created", "run_id", "basis"}).replace(report.run_id, "")


async def test_the_same_copy_is_cited_whichever_was_read_first(start: Start, world: World) -> None:
    # Two copies that one angle found, and a third that the other found, in one folder.
    world.pages = [replace(page, in_corpus=True) for page in world.pages]
    world.pages += [Page(name, BODY + end, in_corpus=True) for name, end in ENDS.items()]
    world.answers["alpha"] = ("wire", "paper", "page 2")
    world.answers["beta"] = ("paper", "blog", "page 7")
    found = []
    for late in (("wire",), ("paper",), ("wire", "blog"), ("paper", "wire"), ("paper", "blog")):
        world.delays.clear()
        world.delays.update({f"read {name}": 0.4 * (1 + n) for n, name in enumerate(late)})
        found.append(await report_of(await start()))
    cited = {source.title: source.copies for source in found[0].sources if source.copies}
    assert cited == {"blog": ("paper.md", "wire.md")}
    assert len(set(map(levelled, found))) == 1
