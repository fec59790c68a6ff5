"""What the coordinator does about failures: once, with a changed input, and never silently."""

import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from caveat.contracts.envelope import AgentType, FailureType
from caveat.contracts.outcome import Ending
from caveat.contracts.report import Remedy
from caveat.contracts.source import Analysis, Snapshot
from caveat.contracts.tasks import AnalysisTask, NoticeKind
from caveat.failures import PortFailure, forbidden, invalid, not_found, timed_out
from caveat.ports import Answer
from caveat.rendering.markdown import render
from caveat.rules.audit.checks import audit
from tests.fakes.patience import until
from tests.fakes.ports import FakeReasoner, Page, World
from tests.fakes.runs import PROVIDER, Start, end_of, failing, fault, report_of, texts
from tests.fakes.worlds import ALPHA, BETA, page_text, with_spares


async def test_an_expired_key_is_refreshed_once_a_run(start: Start, world: World) -> None:
    error = fault(FailureType.AUTH_ERROR, provider=PROVIDER)
    failing(world, "analyse", error, until=lambda: world.calls["refresh"] > 0)
    report = await report_of(await start())
    assert world.calls["refresh acme"] == 1
    assert [len(section.claims) for section in report.sections] == [6, 6]
    assert {failed.remedy for failed in report.failures} == {Remedy.REFRESHED_CREDENTIALS}
    assert all(failed.recovered for failed in report.failures)
    # As many as were under way together when the first was refused.
    assert 1 <= report.metrics.failures_recovered == len(report.failures) <= 12
    assert "made good" in report.limitations[0].area


async def test_a_rate_limit_narrows_fan_out_and_waits_as_told(start: Start, world: World) -> None:
    error = fault(FailureType.RATE_LIMITED, retry_after_s=60.0, retry_recommended=True)
    failing(world, "read page 1", error, until=lambda: world.calls["read page 1"] > 4)
    report = await report_of(await start())
    assert world.calls["read page 1"] == 5  # four at Retry-After by Temporal, one by the router
    (failed,) = report.failures
    assert (failed.remedy, failed.recovered) == (Remedy.NARROWED, True)
    assert report.metrics.pipeline_seconds > 4 * 60


async def test_what_may_work_later_is_tried_last(
    start: Start, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = fault(FailureType.UNAVAILABLE, retry_after_s=0.02, retry_recommended=True)
    done = dict[str, float]()

    def faults(kind: str, key: str) -> None:
        done[f"{kind} {key}"] = time.monotonic()
        if (kind, key) == ("read", "page 1") and world.calls["read page 1"] <= 4:
            raise error

    async def work(kind: str, key: str) -> None:
        if (kind, key) == ("read", "page 2"):  # however busy the machine is, it fails before
            await until(lambda: world.calls["read page 1"] >= 4)
        await World.work(world, kind, key)

    monkeypatch.setattr(world, "work", work)
    world.faults = faults
    world.delays["read page 2"] = 1.5
    report = await report_of(await start())
    assert done["read page 1"] > done["read page 2"]
    (failed,) = report.failures
    assert (failed.remedy, failed.recovered) == (Remedy.LATER, True)


async def test_a_source_that_moved_is_read_where_it_lies(start: Start, world: World) -> None:
    world.pages.append(Page("elsewhere", world.page("page 1").text))
    gone = not_found("Gone.", resource="page 1").failure
    moved = PortFailure(gone.model_copy(update={"alternatives": ("elsewhere.md",)}))
    failing(world, "read page 1", moved, until=lambda: world.calls["read page 1"] > 1)
    report = await report_of(await start())
    (failed,) = report.failures
    assert (failed.remedy, failed.recovered) == (Remedy.ALTERNATIVE, True)
    # It is cited where it was found, and said to be read at another place.
    assert {each.path: each.read_at for each in report.sources if each.read_at} == {
        "page 1.md": "elsewhere.md"
    }
    assert "Read at elsewhere.md instead" in render(report).replace("\\", "")
    assert audit(report, texts(world)).passed


async def test_another_source_stands_in_for_an_unreadable_one(start: Start, world: World) -> None:
    with_spares(world, 5)

    failing(
        world,
        ("analyse page 2", "analyse page 15"),
        invalid("The model declines it.", resource="page 2"),
    )
    report = await report_of(await start())
    assert world.calls["analyse page 15"] == 1  # read in its place
    assert world.calls["read page 16"] == 0
    assert len(report.sections[0].claims) == 7


async def test_an_angle_that_lost_most_sources_searches_again(start: Start, world: World) -> None:
    world.rewordings["Alpha width"] = "alpha, again"
    with_spares(world, 2)
    world.answers["alpha, again"] = world.answers["alpha"][-2:]
    world.answers["alpha"] = world.answers["alpha"][:-2]

    failing(
        world, ("read page 1", "read page 2", "read page 3"), not_found("Gone.", resource="page 1")
    )
    report = await report_of(await start())
    assert world.calls["search alpha, again"] == 1
    assert len(report.sections[0].claims) == 3 + 2


async def test_a_forbidden_file_is_replaced_without_a_refresh(start: Start, world: World) -> None:
    with_spares(world, 4)

    def faults(kind: str, key: str) -> None:
        if kind == "read" and key in {"page 1", "page 2", "page 3"}:
            raise forbidden(f"{key} may not be read.", resource=key)

    world.faults = faults
    report = await report_of(await start())
    assert world.calls["refresh"] == 0
    assert [world.calls[f"read page {number}"] for number in (1, 2, 3)] == [1, 1, 1]
    # The first three fail alike, and yet the rest is read: a file says nothing of the next one.
    assert len(report.sections[0].claims) == 7
    (lost,) = [limit for limit in report.limitations if "Sources that were found" in limit.area]
    assert lost.why.startswith("Permission failure (auth error), tried once.")
    assert "page 2 may not be read." in lost.why


async def test_a_fan_out_stops_when_its_first_fail_alike(start: Start, world: World) -> None:
    failing(world, "read", fault(FailureType.UNAVAILABLE))
    end = await end_of(await start())
    assert end.ending is Ending.INSUFFICIENT_AGENTS
    # Three probes of four attempts each: not twelve times four.
    assert world.calls["read"] == 3 * 4
    assert any("Not started" in failed.failure.message for failed in end.failures)


async def test_below_quorum_what_is_missing_is_retried_and_told(start: Start, world: World) -> None:
    for name in ("gamma", "delta"):
        world.angles[f"{name.title()} rays"] = (name,)
        world.answers[name] = ()

    def faults(kind: str, key: str) -> None:
        if (
            kind == "search"
            and key in {"beta", "gamma", "delta"}
            and world.calls[f"search {key}"] <= 8
        ):
            raise fault(FailureType.UNAVAILABLE, retry_recommended=True)

    world.faults, world.uses_model = faults, True
    report = await report_of(await start())
    first, *last = [notice.kind for notice in world.notices]
    assert first is NoticeKind.QUORUM_LOST
    # Two angles are without an answer. Both of the end are delivered at once, in either order.
    assert sorted(last) == [NoticeKind.DEGRADED, NoticeKind.DONE]
    assert "1 of 4" in world.notices[0].message
    assert len(report.sections[1].claims) == 6
    assert all(failed.recovered for failed in report.failures)


async def test_a_run_without_a_critical_assignment_says_so(start: Start, world: World) -> None:
    world.angles["Gamma rays"] = ("gamma",)
    failing(world, "search beta", invalid("The engine refuses the query.", resource="beta"))
    world.critical = {"Beta cases"}
    handle = await start()
    end = await end_of(handle, name="critical_agent_failed: Beta cases")
    assert end.ending is Ending.CRITICAL_AGENT_FAILED
    assert [notice.kind for notice in world.notices] == [
        NoticeKind.CRITICAL_AGENT_FAILED,
        NoticeKind.FAILED,
    ]
    assert "/out/report.json" in world.notices[-1].message
    assert world.calls["search beta"] == 1  # what can never work is not tried again
    assert len(world.evidence[0].findings[0].claims) == 6


async def test_a_run_that_reaches_its_budget_still_reports(start: Start, world: World) -> None:
    world.uses_model = world.debates = True
    report = await report_of(await start(budget={"model_calls": 10}))
    assert world.calls["analyse"] == 7  # with the plan 8, and 2 of 10 are kept for the synthesis
    limited = [limit for limit in report.limitations if limit.area.startswith("Budget")]
    assert [limit.area for limit in limited] == ["Budget of 10 model calls"]
    (limitation,) = limited
    # Five analyses, the follow-up search, and the debate.
    assert "6 tasks were left out" in limitation.why
    left = [failed for failed in report.failures if failed.left_out == "10 model calls"]
    assert len(left) == len(report.failures) == 6  # other words are no piece of work by themselves
    agents = sorted(failed.agent_type for failed in left)
    assert agents == [*(AgentType.ANALYST,) * 5, AgentType.DEBATER]
    assert {(failed.attempts, failed.failure.message) for failed in left} == {
        (0, "Left out: the budget of 10 model calls was reached.")
    }
    assert audit(report, texts(world)).passed


async def test_a_follow_up_takes_up_what_a_budget_left_out(start: Start, world: World) -> None:
    world.uses_model = world.debates = True
    whole = await report_of(await start(id="whole"))
    assert world.calls["revise"] == 0, "what holds is not written anew"
    before = world.calls.copy()
    bounded = await report_of(await start(id="bounded", budget={"model_calls": 10}))
    assert any(failed.left_out for failed in bounded.failures)
    world.uses_model = False  # what calls no model is not bounded
    report = await report_of(await start(follow_up_of=bounded.run_id, id="follow-up"))
    assert [len(each.claims) for each in report.sections] == [
        len(each.claims) for each in whole.sections
    ]
    assert all(failed.recovered for failed in report.failures)
    assert [limit for limit in report.limitations if limit.area.startswith("Budget")] == []
    # Nothing is done twice that the bounded run has done.
    assert world.calls["analyse"] - before["analyse"] == before["analyse"]
    assert audit(report, texts(world)).passed


async def test_a_run_without_plan_is_followed_up_from_its_start(start: Start, world: World) -> None:
    failing(world, "plan", fault(FailureType.AUTH_ERROR))
    handle = await start()
    assert (await end_of(handle)).ending is Ending.PLANNING_FAILED
    world.faults = lambda kind, key: None
    report = await report_of(await start(follow_up_of=handle.id, id="follow-up"))
    assert [len(section.claims) for section in report.sections] == [6, 6]
    assert (report.failures, report.revision) == ((), None)


async def test_a_bad_answer_of_the_synthesiser_costs_its_prose(start: Start, world: World) -> None:
    world.uses_model = True
    failing(world, "synthesise", invalid("The answer is no JSON.", resource="synthesis"))
    report = await report_of(await start())
    assert world.calls["excerpts"] == 1
    assert (report.verdict, world.calls["verify"]) == (None, 0)
    assert all(section.summary for section in report.sections)
    assert {failed.agent_type for failed in report.failures} == {AgentType.SYNTHESISER}


async def test_of_unverified_prose_quotes_alone_are_published(start: Start, world: World) -> None:
    world.uses_model = True
    whole = await report_of(await start(id="whole"))
    failing(world, "verify", invalid("The model refuses.", resource="form"))
    report = await report_of(await start())
    assert report.sections == whole.sections
    for failed in report.failures:
        assert failed.agent_type == AgentType.VERIFIER
        assert failed.failure.message == "The model refuses."
    assert "nobody verified the sentences" in str(report.confidence)
    assert (whole.metrics.citations_supported, report.metrics.citations_supported) == (1.0, None)


REFUSED = fault(FailureType.AUTH_ERROR, provider=PROVIDER)


def refusing(world: World, *works: str) -> None:
    """Let some work be refused, and the refresh of the credentials with it."""

    def faults(kind: str, key: str) -> None:
        if kind == "refresh" or kind in works or f"{kind} {key}" in works:
            raise REFUSED

    world.faults = faults


def published(world: World, *hosts: str) -> None:
    """Let the pages be on the web, on each host in turn; the first half speaks of alpha."""
    world.pages = [
        Page(
            f"page {number}",
            page_text(number, ALPHA if number <= 6 else BETA),
            url=f"https://{hosts[number % len(hosts)]}/{number}",
        )
        for number in range(1, 13)
    ]


async def test_a_key_refused_late_stops_all_who_reason(start: Start, world: World) -> None:
    # The last analysis of all: the others worked, and so did the planner.
    refusing(world, "analyse page 12")
    world.delays["analyse page 12"] = 0.5
    report = await report_of(await start())
    assert report.claims, "what was found is shown in quotes"
    assert report.answered is None
    assert world.calls["analyse"] == 12
    assert world.calls["synthesise"] == 0
    assert world.calls["compare_by_rules"] == 1  # code needs no key
    reasons = [failed.failure.message for failed in report.failures if failed.attempts == 0]
    assert reasons
    assert all(reason.startswith("Not started, because others failed alike") for reason in reasons)


async def test_one_publishers_refusal_leaves_others_alone(start: Start, world: World) -> None:
    published(world, "alpha.org", "beta.org", "gamma.org")
    # All of the first publisher's, and nothing else has worked when the first of them comes back.
    refusing(world, *(f"read page {number}" for number in (3, 6, 9, 12)))
    world.delays["read"] = 1.0
    world.delays |= {f"read page {number}": 0.01 for number in (3, 6, 9, 12)}
    report = await report_of(await start())
    assert world.calls["refresh"] == 1
    assert [len(section.claims) for section in report.sections] == [4, 4]
    tried = sum(world.calls[f"read page {number}"] for number in (3, 6, 9, 12))
    assert tried < 4  # its others are not started
    started = {failed.attempts for failed in report.failures if "Read" in failed.task_description}
    assert started == {0, 1}


KEY = "page 1"


@pytest.fixture
def begun_at(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Where each attempt at one analysis begins."""
    whole = FakeReasoner.analyse
    starts: list[int] = []

    async def analyse(
        self: FakeReasoner,
        task: AnalysisTask,
        snapshot: Snapshot,
        on_partial: Callable[[Analysis, float], None],
    ) -> Answer[Analysis]:
        if task.source.title == KEY:
            starts.append(task.start_at)
        return await whole(self, task, snapshot, on_partial)

    monkeypatch.setattr(FakeReasoner, "analyse", analyse)
    return starts


async def test_a_second_attempt_resumes(start: Start, world: World, begun_at: list[int]) -> None:
    half = len(world.page("page 1").text) // 2
    world.partial[KEY] = 0.5
    report = await report_of(await start())
    assert begun_at == [0, half]
    assert report.failures == ()
    # What the first attempt found is in the report, once, and where it says.
    (found,) = [claim for claim in report.claims if claim.quote == "Alpha is 1 units wide"]
    assert found.end < half
    assert [len(section.claims) for section in report.sections] == [6, 6]
    assert audit(report, texts(world)).passed


async def test_stuck_attempts_keep_all(start: Start, world: World, begun_at: list[int]) -> None:
    half = len(world.page("page 1").text) // 2
    world.partial[KEY] = 0.5

    def faults(kind: str, key: str) -> None:
        if (kind, key) == ("analyse", KEY) and 2 <= world.calls[f"analyse {KEY}"] <= 4:
            raise timed_out("It is slow.", resource=key)

    world.faults = faults
    report = await report_of(await start())
    assert begun_at == [0, half, half, half, half]  # the fifth is the coordinator's
    (failed,) = report.failures
    assert (failed.remedy, failed.recovered) == (Remedy.REMAINING_WORK, True)
    assert (failed.attempts, failed.completeness) == (4, 0.5)
    assert [len(section.claims) for section in report.sections] == [6, 6]
    assert audit(report, texts(world)).passed


async def test_of_documents_read_together_a_failed_one_is_alone(start: Start, world: World) -> None:
    world.pages = [replace(page, in_corpus=True) for page in world.pages]
    failing(world, "read page 2", fault(FailureType.NOT_FOUND))
    report = await report_of(await start())
    (failed,) = report.failures
    assert (failed.agent_type, failed.attempts) == (AgentType.READER, 1)
    assert "page 2" in failed.task_description
    assert (world.calls["read page 1"], world.calls["read page 2"]) == (1, 2)
