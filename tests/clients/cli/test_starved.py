"""What is short for two seconds under runs: descriptors, disk, connections, memory."""

import asyncio
import resource
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client, WorkflowExecutionStatus, WorkflowHandle

from caveat.workflows.names import QUEUE
from tests.fakes.control_group import NoControlGroups, bounded, join, mounting
from tests.fakes.home import DEADLINE_S, TOPIC, Home

pytestmark = pytest.mark.system

STARVED_S = 2.0

RUNS = 3

MEGABYTES = 600  # of the group: `caveat up` with its server takes 300

COMPLETED = WorkflowExecutionStatus.COMPLETED

Handle = WorkflowHandle[Any, Any]


@contextmanager
def no_descriptors(home: Home, up: subprocess.Popen[str]) -> Iterator[None]:
    """Let the process open nothing more."""
    before = resource.prlimit(up.pid, resource.RLIMIT_NOFILE)
    held = len(list(Path(f"/proc/{up.pid}/fd").iterdir()))
    resource.prlimit(up.pid, resource.RLIMIT_NOFILE, (held, before[1]))
    try:
        yield
    finally:
        resource.prlimit(up.pid, resource.RLIMIT_NOFILE, before)


@contextmanager
def full_disk(home: Home, up: subprocess.Popen[str]) -> Iterator[None]:
    """Fill the disk of the state folder, which only the process and its children see."""
    filling = Path(f"/proc/{up.pid}/root{home.folder}/state/filling")
    try:
        with filling.open("wb", buffering=0) as file, suppress(OSError):
            while file.write(bytes(64 * 1024)):
                pass
        yield
    finally:
        filling.unlink()


@contextmanager
def a_thousand_strangers(home: Home, up: subprocess.Popen[str]) -> Iterator[None]:
    """Connect to the page, and to the Web UI's proxy, and say nothing."""
    with ExitStack() as stack:
        for above in (1000, 1001):
            address = ("127.0.0.1", int(home.environment["CAVEAT_PORT"]) + above)
            for _ in range(500):
                with suppress(OSError):
                    stack.enter_context(socket.create_connection(address, timeout=5))
        yield


HOG = """
import pathlib, sys
pathlib.Path("/proc/self/oom_score_adj").write_text("1000")
pathlib.Path(sys.argv[1]).write_text(str(__import__("os").getpid()))
held = []
while True:
    held.append(bytearray(1024 * 1024))
"""
"""Takes all the memory of its group, and is the first that the kernel ends."""


@contextmanager
def no_memory(home: Home, up: subprocess.Popen[str]) -> Iterator[None]:
    """Have another process of the same machine take whatever memory there is, again and again."""
    (members,) = Path("/sys/fs/cgroup").glob(f"**/{group_of(up.pid)}/cgroup.procs")
    stopped = threading.Event()

    def hog() -> None:
        while not stopped.is_set():
            subprocess.run([sys.executable, "-c", HOG, str(members)], check=False)

    hogging = threading.Thread(target=hog)
    hogging.start()
    try:
        yield
    finally:
        stopped.set()
        hogging.join()


def group_of(pid: int) -> str:
    lines = Path(f"/proc/{pid}/cgroup").read_text(encoding="ascii").splitlines()
    return next(line.rpartition("/")[2] for line in lines if "caveat-test" in line)


Starving = Callable[[Home, "subprocess.Popen[str]"], AbstractContextManager[None]]


@pytest.mark.parametrize("starving", [no_descriptors, full_disk, a_thousand_strangers, no_memory])
async def test_runs_complete_that_are_under_way_when_something_is_short(
    home: Home, starving: Starving
) -> None:
    """`complete` fails where the process ends, or a run ends in any other way or not in time."""
    within: tuple[str, ...] = ()
    if starving is full_disk:
        (home.folder / "state").mkdir(mode=0o700)
        within = mounting("state", "size=64m,mode=700")
    with ExitStack() as stack:
        before: Callable[[], object] = int
        if starving is no_memory:
            try:
                group = stack.enter_context(bounded(MEGABYTES))
            except NoControlGroups:
                pytest.skip("this user may make no control group")
            before = partial(join, group)
        up = home.begin("up", "--corpus", "papers", within=within, before=before)
        await complete(home, up, starving)


async def complete(home: Home, up: "subprocess.Popen[str]", starving: Starving) -> None:
    try:
        said, listening = read_until(up, "Serving")
        client = await Client.connect(f"127.0.0.1:{home.environment['CAVEAT_PORT']}")
        await (await start(client, RUNS + 1)).result()  # what is loaded at the first run is there
        runs = [await start(client, number) for number in range(RUNS)]
        with starving(home, up):
            await asyncio.sleep(STARVED_S)
        assert up.poll() is None, "".join(said)
        runs.append(await start(client, RUNS))
        async with asyncio.timeout(DEADLINE_S):
            while (now := [await find_status(run) for run in runs]) != [COMPLETED] * len(runs):
                assert up.poll() is None, "".join(said)
                assert set(now) <= {COMPLETED, WorkflowExecutionStatus.RUNNING}, "".join(said)
                await asyncio.sleep(0.5)
    finally:
        up.send_signal(signal.SIGTERM)
        up.wait(DEADLINE_S)
        listening.join()
        for stream in (up.stdout, up.stderr):
            assert stream is not None
            stream.close()
    assert up.returncode == 0
    assert "Traceback" not in "".join(said)


def read_until(up: "subprocess.Popen[str]", wanted: str) -> tuple[list[str], threading.Thread]:
    """Read what it says until something, and the rest in a thread, so that it never waits."""
    assert up.stderr is not None
    said: list[str] = []
    while wanted not in (line := up.stderr.readline()):
        assert line, "".join(said)
        said.append(line)
    listening = threading.Thread(target=lambda: said.extend(up.stderr or ()), daemon=True)
    listening.start()
    return said, listening


async def start(client: Client, number: int) -> Handle:
    request = {"topic": f"{TOPIC} ({number})", "arbitration_timeout": "PT1S"}
    return await client.start_workflow(
        "Research", request, id=f"research-starved-{number}", task_queue=QUEUE
    )


async def find_status(run: Handle) -> WorkflowExecutionStatus | None:
    return (await run.describe()).status
