import asyncio
import datetime as dt

import pytest

from caveat.adapters.sql.memory import SqlMemory
from caveat.contracts.contradiction import Claimant, RulingRecord
from tests.fakes.databases import change, count
from tests.fakes.disputes import a_ruling_record

NOON = dt.datetime(2026, 3, 29, 12, tzinfo=dt.UTC)


def a_ruling(number: int = 1, a: str = "s-planck", b: str = "s-shoes") -> RulingRecord:
    return a_ruling_record(
        "both",
        contradiction_id=f"contradiction-{number}",
        claimants=(Claimant(id=a), Claimant(id=b)),
        reason="They measure “different” epochs.",
        decided=NOON + dt.timedelta(minutes=number),
    )


async def test_a_ruling_is_found_by_either_of_its_claimants(url: str) -> None:
    memory = SqlMemory(url)
    await memory.record_ruling(a_ruling())
    for claimants in (["s-planck"], ["s-shoes"], ["s-none", "s-shoes"], ["s-planck", "s-shoes"]):
        assert await memory.recall_rulings(claimants) == (a_ruling(),)
    for claimants in ([], ["s-none"], ["https://example.org/a"]):
        assert await memory.recall_rulings(claimants) == ()


async def test_the_oldest_ruling_comes_first(url: str) -> None:
    memory = SqlMemory(url)
    for number in (3, 1, 2):
        await memory.record_ruling(a_ruling(number))
    await memory.record_ruling(a_ruling(4, a="s-trgb", b="s-masers"))
    assert await memory.recall_rulings(["s-planck"]) == (a_ruling(1), a_ruling(2), a_ruling(3))


async def test_unreadable_rows_hide_no_other(url: str, caplog: pytest.LogCaptureFixture) -> None:
    memory = SqlMemory(url)
    for number in (1, 2):
        await memory.record_ruling(a_ruling(number))
    change(url, "UPDATE rulings SET record = '{}' WHERE contradiction_id = 'contradiction-1'")
    assert await memory.recall_rulings(["s-planck"]) == (a_ruling(2),)
    (said,) = caplog.messages
    assert "contradiction-1, number 1, in the memory cannot be read" in said


async def test_the_same_ruling_is_kept_once(url: str) -> None:
    memory = SqlMemory(url)
    await asyncio.gather(*(memory.record_ruling(a_ruling()) for _ in range(3)))
    assert count(url, "rulings") == 1


async def test_the_first_ruling_on_a_contradiction_stays(url: str) -> None:
    memory = SqlMemory(url)
    later = a_ruling().model_copy(update={"choice": "a", "decided_by": "bob"})
    assert await memory.record_ruling(a_ruling()) == a_ruling()
    assert await memory.record_ruling(later) == a_ruling()
    assert await memory.recall_rulings(["s-planck"]) == (a_ruling(),)


async def test_the_same_number_in_another_run_is_another_contradiction(url: str) -> None:
    memory = SqlMemory(url)
    other = a_ruling().model_copy(update={"run_id": "research-other-000000"})
    await memory.record_ruling(a_ruling())
    await memory.record_ruling(other)
    assert set(await memory.recall_rulings(["s-shoes"])) == {a_ruling(), other}
