"""Providers that refuse their credentials: each is stopped, and no other with it."""

import pytest

from caveat.contracts.failure import FailureType
from caveat.contracts.outcome import Ending
from standins.ports import Page, World
from tests.fakes.runs import PROVIDER, Start, end_of, fault, report_of
from tests.fakes.worlds import ALPHA, BETA, page_text

REFUSED = fault(FailureType.AUTH_ERROR, provider=PROVIDER)


def refusing(world: World, *works: str) -> None:
    """Let some work be refused, and the refresh of the credentials with it."""

    def faults(kind: str, key: str) -> None:
        if kind == "refresh" or kind in works or f"{kind} {key}" in works:
            raise REFUSED

    world.faults = faults


def published(world: World, *hosts: str, alpha: int = 6) -> None:
    """Let the pages be on the web, on each host in turn; the first so many speak of alpha."""
    world.pages = [
        Page(
            f"page {number}",
            page_text(number, ALPHA if number <= alpha else BETA),
            url=f"https://{hosts[number % len(hosts)]}/{number}",
        )
        for number in range(1, 13)
    ]


async def test_a_refused_key_stops_every_call_to_its_provider(start: Start, world: World) -> None:
    refusing(world, "analyse")
    end = await end_of(await start())
    assert end.ending is Ending.INSUFFICIENT_AGENTS
    assert world.calls["refresh"] == 1
    assert world.calls["analyse"] == 12  # each once, since all were on their way


async def test_a_key_that_is_refused_late_stops_whoever_else_reasons(
    start: Start, world: World
) -> None:
    # The last analysis of all: the others worked, and so did the planner.
    refusing(world, "analyse page 12")
    world.delays["analyse page 12"] = 0.5
    end = await end_of(await start())
    assert end.ending is Ending.SYNTHESIS_FAILED
    assert world.calls["analyse"] == 12
    assert world.calls["synthesise"] == 0
    assert world.calls["compare_by_rules"] == 1  # code needs no key
    reasons = [failed.failure.message for failed in end.failures if failed.attempts == 0]
    assert reasons
    assert all(reason.startswith("Not started, because others failed alike") for reason in reasons)


async def test_one_publisher_that_refuses_its_key_leaves_the_others_alone(
    start: Start, world: World
) -> None:
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


async def test_publishers_that_refuse_open_no_breaker_for_the_others(
    start: Start, world: World
) -> None:
    published(world, "alpha.org", "beta.org", "gamma.org", "delta.org", alpha=8)
    world.answers = {
        "alpha": tuple(f"page {number}" for number in range(1, 9)),
        "beta": ("page 12",),
    }
    refusing(world, "read page 1", "read page 2", "read page 3")
    world.delays["search beta"] = 1.5  # makes the quorum, and comes too late to prove anything
    report = await report_of(await start())
    # The first three fail alike, each at a publisher of its own; the fourth publisher is asked.
    assert all(world.calls[f"read page {number}"] for number in (4, 8))
    left_out = {failed.task_description for failed in report.failures}
    assert not left_out & {"Read “page 4”", "Read “page 8”", "Read “page 12”"}
    assert [len(section.claims) for section in report.sections] == [5, 1]


async def test_a_host_that_is_down_stops_its_own_pages_alone(start: Start, world: World) -> None:
    published(world, "alpha.org", "beta.org")
    world.angles = {"Alpha width": ("alpha",)}
    # The first of all are of the host that is down, and so are seven of eight.
    world.pages[7] = Page("page 8", page_text(8), url="https://gamma.org/8")
    world.pages[:7] = [
        Page(f"page {number}", page_text(number), url=f"https://beta.org/{number}")
        for number in range(1, 8)
    ]
    world.answers["alpha"] = tuple(f"page {number}" for number in range(1, 9))

    def faults(kind: str, key: str) -> None:
        if kind == "read" and key != "page 8":
            raise fault(FailureType.UNAVAILABLE, provider="beta.org")

    world.faults = faults
    end = await end_of(await start())
    assert world.calls["analyse page 8"] == 1
    # Three of seven scout; the others are not started.
    assert world.calls["read"] == 3 * 4 + 1
    assert {failed.attempts for failed in end.failures} == {0, 4}


@pytest.mark.parametrize("worked", [True, False])
async def test_where_nobody_knows_whose_a_source_is_refusals_are_counted(
    start: Start, world: World, worked: bool
) -> None:
    world.answers["alpha"] = tuple(f"page {number}" for number in range(1, 10))
    world.answers["beta"] = ("page 10", "page 11", "page 12")
    refusing(world, "read page 8" if worked else "read")
    world.delays["read page 8"] = 1.0
    if not worked:
        await end_of(await start())
        assert world.calls["read"] <= 3
        return
    report = await report_of(await start())
    assert world.calls["read page 9"] == 1  # read in its place
    assert len(report.sections[0].claims) == 6
