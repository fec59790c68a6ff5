import asyncio
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

from caveat.adapters.sql.memory import SqlMemory
from caveat.contracts.outcome import RunRecord
from tests.fakes.databases import count, read_record
from tests.fakes.patience import PATIENCE_S

ROOT = Path(__file__).parents[4]


async def test_a_path_may_hold_any_sign(tmp_path: Path, record: RunRecord) -> None:
    folder = tmp_path / "what? 100%20 #ü"
    await asyncio.to_thread(folder.mkdir)
    url = f"sqlite:///{quote(str(folder / 'memory.db'))}"
    await SqlMemory(url).remember(record)
    assert count(url, "runs") == 1
    assert [path.name for path in folder.iterdir() if path.suffix == ".db"] == ["memory.db"]


async def test_remembering_again_replaces_what_was_kept(url: str, record: RunRecord) -> None:
    revised = record.model_copy(update={"ending": None, "claims": 3})
    memory = SqlMemory(url)
    await memory.remember(record)
    await memory.remember(record)
    assert read_record(url, record.run_id) == record.model_dump_json()
    await memory.remember(revised)
    assert read_record(url, record.run_id) == revised.model_dump_json()
    assert count(url, "runs") == 1


WORKER = """
import asyncio, sys
from caveat.adapters.sql.memory import SqlMemory
from caveat.contracts.outcome import RunRecord
record = RunRecord.model_validate_json(sys.argv[2])
memory = SqlMemory(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[3])):
    own = record.model_copy(update={"run_id": f"{record.run_id}-{number}"})
    asyncio.run(memory.remember(own))
"""


def start_worker(url: str, record: RunRecord, runs: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WORKER, url, record.model_dump_json(), str(runs)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def test_workers_that_start_at_once_share_a_new_database(url: str, record: RunRecord) -> None:
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
    assert count(url, "runs") == runs * len(workers)
