"""Providers that refuse their credentials: each is stopped, and no other with it."""

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
