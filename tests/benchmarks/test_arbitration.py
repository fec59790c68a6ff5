"""A short version of the benchmark of arbitration: nothing that people are asked is lost."""

from benchmarks.arbitration import on_a_server, summary, table


async def test_ten_contradictions_end_and_none_is_lost() -> None:
    tally = await on_a_server(10, seed=3)
    measured = summary(tally, 10, seed=3)
    assert tally.lost == []
    assert len(tally.hours) == 10
    assert sum(measured.by_rung.values()) == 1.0
    assert "seed 3: 0 lost" in table(measured, tally.late)
