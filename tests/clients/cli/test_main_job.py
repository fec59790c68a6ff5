"""The command as people use it: real processes, the real embedded server, real documents."""

import asyncio
import re
import stat
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import suppress
from copy import copy
from pathlib import Path
from urllib.request import urlopen

import pytest
from temporalio.client import Client, WorkflowFailureError

from caveat.workflows.names import QUEUE
from tests.fakes.free_ports import free_port
from tests.fakes.home import DEADLINE_S, RESEARCH, TOPIC, Home

pytestmark = [
    pytest.mark.system,
    pytest.mark.xdist_group("main-job"),  # one process makes its fixtures
]

OPEN = ("sh", "-c", 'umask 000 && exec "$@"', "sh")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return Home(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def done(home: Home) -> subprocess.CompletedProcess[str]:
    """One whole run, on a machine where nothing of Caveat was ever started, and all may read."""
    return home.done(home.begin(*RESEARCH, within=OPEN))


@pytest.fixture(scope="module")
def run_id(done: subprocess.CompletedProcess[str]) -> str:
    return run_of(done.stderr)


@pytest.fixture(scope="module")
def serving(home: Home, run_id: str) -> Iterator[Home]:
    """The same machine with `caveat up` in another window, which Prometheus watches."""
    watched = copy(home)
    metrics = f"127.0.0.1:{free_port()}"
    watched.environment = {**home.environment, "CAVEAT_METRICS": metrics}
    with watched.serving():
        home.metrics = metrics
        yield home


def test_prometheus_finds_what_happened_to_runs(serving: Home) -> None:
    asyncio.run(ended_by_name(f"127.0.0.1:{serving.environment['CAVEAT_PORT']}"))
    with urlopen(f"http://{serving.metrics}/metrics", timeout=DEADLINE_S) as answer:
        text = answer.read().decode()
    assert "temporal_workflow_completed{" not in text
    assert "temporal_workflow_failed{" not in text  # a corpus that is none is its owner's matter
    assert re.search(r'caveat_events\{[^}]*ending="corpus_unusable"[^}]*\} 1', text), text
    assert "Metrics of" not in text


async def ended_by_name(address: str) -> None:
    """Have `caveat up` work on a run that finds nothing."""
    client = await Client.connect(address)
    request = {"topic": "Metrics of what nobody wrote about"}
    handle = await client.start_workflow("Research", request, id="measured", task_queue=QUEUE)
    with pytest.raises(WorkflowFailureError):
        await handle.result()


def test_a_topic_is_told(done: subprocess.CompletedProcess[str], home: Home, run_id: str) -> None:
    assert done.returncode == 0
    *_, amounts = (line for line in done.stdout.splitlines() if "sources read" in line)
    assert "72" in done.stdout or "67" in done.stdout
    assert done.stdout.startswith("Sources disagree")
    assert "\nConfidence " not in done.stdout
    assert amounts.startswith("4 sources read · ")
    assert "1 limitation" in amounts
    files = done.stdout.splitlines()[-3:]
    assert files == [f"reports/{run_id}/report.{each}" for each in ("md", "pdf", "json")]
    assert all((home.folder / file).stat().st_size for file in files)


def is_open(path: Path) -> bool:
    """Whether others may do something with a file."""
    with suppress(FileNotFoundError):  # the server that ends takes its files with it
        return bool(stat.S_IMODE(path.lstat().st_mode) & (stat.S_IRWXG | stat.S_IRWXO))
    return False


@pytest.mark.usefixtures("done")
def test_a_run_leaves_nothing_that_others_can_read(home: Home) -> None:
    for folder in (home.folder / "state", home.folder / "cache"):
        assert not [path for path in (folder, *folder.rglob("*")) if is_open(path)]


def test_the_way_to_the_report_is_told_line_by_line(
    done: subprocess.CompletedProcess[str], home: Home, run_id: str
) -> None:
    said = done.stderr.splitlines()
    first, *lines = said[said.index(f"Run {run_id}") :]
    assert first.startswith("Run research-how-large-is-the-hubble-constant-")
    # That the report is degraded is told when its notice arrives, sometimes after everything else.
    *_, rules = (at for at, line in enumerate(lines) if line.startswith(f"  caveat rule {run_id}/"))
    said = [line.split(" ", 1)[1] for line in lines[:rules] if ", notice " not in line]
    assert any(line.startswith("a1 ") and line.endswith(" claims found") for line in said)
    assert f"  caveat report {run_id}  reads it here" in lines[:rules]
    assert "\x1b" not in done.stderr


def test_a_report_passes_its_audit_anywhere(home: Home, run_id: str) -> None:
    passed = home.caveat("audit", f"reports/{run_id}/report.json")
    assert passed.returncode == 0
    assert passed.stdout.startswith("Audit: passed · checked ")
    assert passed.stdout.endswith("Seal: it is as its run published it.\n")


def test_a_run_that_finds_nothing_fails_by_name(serving: Home) -> None:
    failed = serving.caveat("research", "Zzyzx plugh?", "--corpus", "papers", "--out", "nothing")
    assert failed.returncode == 1
    assert failed.stdout.startswith("Insufficient evidence: ")
    (kept,) = [line for line in failed.stdout.splitlines() if line.startswith("The evidence")]
    assert Path(kept.removeprefix("The evidence is kept in ")).is_file()
    assert "broken.pdf" in failed.stdout
    assert not (serving.folder / "nothing").exists()
    run_id = run_of(failed.stderr)
    assert serving.json("report", run_id, code=1)["ending"] == "insufficient_evidence"
    assert "Insufficient evidence" in serving.caveat("status", run_id).stdout
    assert "broken.pdf" in serving.caveat("status", run_id).stdout


def test_on_a_server_of_your_own_the_work_is_done_elsewhere(serving: Home) -> None:
    with serving.own_server(f"127.0.0.1:{serving.environment['CAVEAT_PORT']}"):
        with serving.serving("worker"):
            facts = serving.json(*RESEARCH, "--format", "md")
        # What lies on the machine of a worker is that worker's to check.
        failed = serving.caveat("research", TOPIC, "--corpus", "/srv/none", "--format", "md")
    assert facts["status"] == "completed"
    assert [Path(file["path"]).name for file in facts["files"]] == ["report.md"]
    assert failed.returncode == 1
    assert failed.stdout.startswith("Corpus unusable: ")


def run_of(said: str | Iterable[str]) -> str:
    """Find the run that a command announced; on a slow machine it said before that it waits."""
    lines = said.splitlines() if isinstance(said, str) else said
    return next(line for line in lines if line.startswith("Run ")).strip().removeprefix("Run ")
