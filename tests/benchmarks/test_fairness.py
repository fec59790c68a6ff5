"""An urgent run passes those before it, and no run waits for all of somebody else's."""

import pytest

from benchmarks.fairness import WAYS, Way, among
from benchmarks.overhead import fresh_server

pytestmark = pytest.mark.system

RUNS, SOURCES = 5, 6


@pytest.mark.parametrize("way", WAYS[1:], ids=lambda way: way.name)
async def test_one_run_does_not_wait_for_all_that_came_before(way: Way) -> None:
    async with fresh_server() as (connection, _):
        took, others = await among(connection.client, way, RUNS, SOURCES)
    assert took < max(others)
