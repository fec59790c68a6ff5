import asyncio
import datetime as dt
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest
from sqlalchemy import inspect, make_url

from caveat.adapters.sql.memory import SqlMemory, make_engine, make_tables, name_database
from caveat.contracts.contradiction import Claimant, RulingRecord
from caveat.failures import PortFailure
from tests.fakes.databases import change, count
from tests.fakes.disputes import a_ruling_record
from tests.fakes.patience import PATIENCE_S

ROOT = Path(__file__).parents[4]


async def test_a_path_may_hold_any_sign(tmp_path: Path, record: RulingRecord) -> None:
    folder = tmp_path / "what? 100%20 #ü"
    await asyncio.to_thread(folder.mkdir)
    url = f"sqlite:///{quote(str(folder / 'memory.db'))}"
    await SqlMemory(url).record_ruling(record)
    assert count(url, "rulings") == 1
    assert [path.name for path in folder.iterdir() if path.suffix == ".db"] == ["memory.db"]


WORKER = """
import asyncio, sys
from caveat.adapters.sql.memory import SqlMemory
from caveat.contracts.contradiction import RulingRecord
record = RulingRecord.model_validate_json(sys.argv[2])
memory = SqlMemory(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[3])):
    own = record.model_copy(update={"run_id": f"{record.run_id}-{number}"})
    asyncio.run(memory.record_ruling(own))
"""


def start_worker(url: str, record: RulingRecord, runs: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WORKER, url, record.model_dump_json(), str(runs)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def test_workers_that_start_at_once_share_a_new_database(url: str, record: RulingRecord) -> None:
    runs, workers = 5, []
    for name in "abc":
        own = record.model_copy(update={"run_id": f"research-{name}"})
        workers.append(start_worker(url, own, runs))
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    for worker in workers:
        _, errors = worker.communicate(timeout=PATIENCE_S)
        assert worker.returncode == 0, errors
    assert count(url, "rulings") == runs * len(workers)


def test_half_of_the_tables_are_none(url: str) -> None:
    engine = make_engine(make_url(url))

    def make_and_crash() -> None:
        with engine.begin() as connection:
            make_tables(connection)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_and_crash()
    assert inspect(engine).get_table_names() == []


async def test_other_versions_are_left_alone(url: str, record: RulingRecord) -> None:
    memory = SqlMemory(url)
    await memory.record_ruling(record)
    change(url, "ALTER TABLE rulings RENAME COLUMN record TO note")
    with pytest.raises(PortFailure, match="of another version of Caveat") as caught:
        await memory.record_ruling(record)
    assert caught.value.failure.resource == name_database(make_url(url))


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
