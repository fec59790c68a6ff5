"""The chaos benchmark, small."""

from pathlib import Path

import pytest

from benchmarks.chaotic import killing, poison
from benchmarks.chaotic.rows import Log, Row, table

pytestmark = pytest.mark.system


async def test_a_killed_run_completes(tmp_path: Path) -> None:
    row = await killing.batch("killed", tmp_path, runs=1, kills=1, seed=1, with_model=False)
    assert row.is_clean, row
    assert (row.tried, row.survived) == (1, 1)


async def test_poison_wedges_nothing() -> None:
    for row in (await poison.rows(16, 16, seed=1)).values():
        assert row.is_clean, row
        assert row.tried == 16


def test_portions_are_added_up(tmp_path: Path) -> None:
    log = Log(tmp_path / "log.jsonl")
    for wedged in (0, 1):
        log.add(Row("killed", tried=2, survived=2 - wedged, wedged=wedged, slowest=3.0 - wedged))
    assert log.rows() == {"killed": Row("killed", tried=4, survived=3, wedged=1, slowest=3.0)}
    assert not log.rows()["killed"].is_clean
    assert "| killed | 4 | 3 | 0 | 0 | 1 | 0 |" in table(log.rows())
    assert "The slowest: killed 3.0 s" in table(log.rows())
