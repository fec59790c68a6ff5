"""Which sources fill a bound does not depend on which search is faster."""

from dataclasses import replace

import pytest

from caveat.contracts.report import Report
from standins.ports import World
from tests.fakes.runs import Start, report_of

SLOW: tuple[dict[str, float], ...] = (
    {},
    {"search alpha": 0.4},
    {"search beta": 0.4},
    {"read page 1": 0.4},
    {"analyse": 0.2},
)


@pytest.fixture
def world(world: World) -> World:
    """The same pages, in a folder, and half of them found by both angles."""
    world.pages = [replace(page, in_corpus=True) for page in world.pages]
    world.answers["beta"] = (*world.answers["alpha"][:3], *world.answers["beta"])
    return world


def read(report: Report) -> dict[str, str]:
    return {source.title: source.reason for source in report.sources}


@pytest.mark.parametrize("most", [1, 3, 5])
async def test_the_same_sources_fill_a_bound(start: Start, world: World, most: int) -> None:
    found = []
    for slow in SLOW:
        world.delays.clear()
        world.delays.update(slow)
        report = await report_of(await start(max_sources=most))
        assert report.metrics.sources_read == most
        found.append(read(report))
    assert found == [found[0]] * len(SLOW)


async def test_an_angle_without_anything_keeps_nobody_waiting(start: Start, world: World) -> None:
    world.answers["alpha"] = ()
    report = await report_of(await start(max_sources=2))
    assert report.metrics.sources_read == 2
