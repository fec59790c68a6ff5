"""Everything that a soak runs on: its services, and workers of two versions as processes."""

import asyncio
import itertools
import os
import signal
import subprocess
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from temporalio.api.workflowservice.v1 import SetWorkerDeploymentCurrentVersionRequest
from temporalio.client import Client
from temporalio.service import RPCError

from benchmarks.chaotic.machine import answering
from caveat.adapters.buckets import open_bucket
from caveat.workers.data import build_data_converter
from caveat.workers.guard import die_with_parent
from caveat.workers.launching import build_server_command, find_temporal_binary
from standins.buckets import Bucket, BucketServer
from standins.free_ports import free_port
from standins.line import Line
from standins.wheels import Wheel

DEPLOYMENT = "caveat"

_SCRIPT = (
    "import datetime as dt, sys\n"
    "from caveat.adapters import buckets\n"
    "buckets.RENEWED = dt.timedelta(seconds=float(sys.argv[1]))\n"
    "from caveat.workers.__main__ import main\n"
    "sys.exit(main())\n"
)
"""A worker of production, but for the age from which it writes objects again that it still needs:
no soak takes a day."""


@dataclass(frozen=True)
class Services:
    """What workers share beside the Temporal server."""

    bucket: Bucket
    store: BucketServer
    memory: str  # the URL of a PostgreSQL database
    broker: Line  # a line to a RabbitMQ


@dataclass
class Worker:
    """One worker process, started again when it ends unasked, as process managers do."""

    build: str  # what its version is called
    wheel: Wheel
    machine: int  # a number; a machine has folders of its own
    process: subprocess.Popen[bytes]


class Site:
    """The server, the bucket and the workers; what is done to them is counted in `done`."""

    def __init__(self, folder: Path, services: Services, corpus: Path, renewed_s: float) -> None:
        self.folder = folder
        self.services = services
        self.bucket = services.bucket
        self.workers: list[Worker] = []
        self.ended_unasked = 0
        self.current: tuple[str, Wheel] | None = None
        self.server: subprocess.Popen[bytes] | None = None
        self._corpus = corpus
        self._renewed_s = renewed_s
        self._ports = (free_port(), free_port())
        self._builds = itertools.count(1)

    @property
    def address(self) -> str:
        """Where the server answers."""
        return f"127.0.0.1:{self._ports[0]}"

    @property
    def database(self) -> Path:
        """Of the server."""
        return self.folder / "temporal.db"

    @property
    def build(self) -> str | None:
        """Which version new runs begin with."""
        return self.current[0] if self.current else None

    async def start_server(self) -> Client:
        """Start the server on what it knows, and wait until it answers."""
        self.server = self._started()
        converter = build_data_converter(open_bucket(f"{self.bucket.url}/payloads"))
        return await answering(self.address, converter)

    def _started(self) -> subprocess.Popen[bytes]:
        port, ui_port = self._ports
        command = build_server_command(
            find_temporal_binary(), self.database, port=port, ui_port=ui_port
        )
        with (self.folder / "server.log").open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, preexec_fn=_mortal())  # noqa: PLW1509  # it only asks the kernel

    def kill_server(self) -> None:
        """Kill it with signal 9."""
        if self.server is not None:
            self.server.kill()
            self.server.wait()

    def start_worker(self) -> Worker:
        """Start a worker of the current version."""
        if self.current is None:
            raise RuntimeError("no version is current")
        build, wheel = self.current
        worker = self._began(build, wheel, self._free_machine())
        self.workers.append(worker)
        return worker

    def kill(self, worker: Worker) -> None:
        """Kill a worker with signal 9, and start it again."""
        worker.process.kill()
        worker.process.wait()
        self._replace(worker)

    def stop(self, worker: Worker) -> None:
        """Tell a worker to end, as process managers do."""
        self.workers.remove(worker)
        worker.process.terminate()
        try:
            worker.process.wait(60)
        except subprocess.TimeoutExpired:
            worker.process.kill()
            worker.process.wait()

    async def upgrade(self, client: Client, wheel: Wheel) -> None:
        """Have new runs begin with another version; workers of the one before stay for theirs."""
        self.current = (f"soak-{next(self._builds)}", wheel)
        self.start_worker()
        request = SetWorkerDeploymentCurrentVersionRequest(
            namespace=client.namespace, deployment_name=DEPLOYMENT, build_id=self.current[0]
        )
        for _ in range(300):  # until the server has heard of all queues of its workers
            with suppress(RPCError):
                await client.workflow_service.set_worker_deployment_current_version(request)
                return
            await asyncio.sleep(1)
        raise TimeoutError(f"{self.current[0]} could not be made current")

    def supervise(self) -> None:
        """Start again what ended unasked."""
        for worker in list(self.workers):
            if worker.process.poll() is not None:
                self.ended_unasked += 1
                self._replace(worker)

    async def retire(self, client: Client) -> None:
        """Stop workers of versions that no open run is pinned to any more."""
        if self.current is None:
            return
        for build in {each.build for each in self.workers} - {self.current[0]}:
            pinned = (
                f"TemporalWorkerDeploymentVersion = '{DEPLOYMENT}:{build}' AND "
                "ExecutionStatus = 'Running'"
            )
            if (await client.count_workflows(pinned)).count == 0:
                for worker in [each for each in self.workers if each.build == build]:
                    await asyncio.to_thread(self.stop, worker)

    def end(self) -> None:
        """Kill everything."""
        for worker in self.workers:
            worker.process.kill()
            worker.process.wait()
        self.kill_server()

    def _free_machine(self) -> int:
        """Choose of two machines the one with fewer workers: three of them share two folders."""
        taken = Counter(each.machine for each in self.workers)
        return min(range(1, 3), key=lambda machine: taken[machine])

    def _replace(self, worker: Worker) -> None:
        again = self._began(worker.build, worker.wheel, worker.machine)
        self.workers[self.workers.index(worker)] = again

    def _began(self, build: str, wheel: Wheel, machine: int) -> Worker:
        home = self.folder / "machines" / str(machine)
        home.mkdir(parents=True, exist_ok=True)
        variables = {
            **{name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ},
            **self.bucket.environment,
            "CAVEAT_STATE_DIR": str(home / "state"),
            "CAVEAT_CACHE_DIR": str(home / "cache"),
            "CAVEAT_BLOBS": self.bucket.url,
            "CAVEAT_MEMORY_URL": self.services.memory,
            "CAVEAT_MESSAGES": self.services.broker.url,
            "CAVEAT_CORPUS": str(self._corpus),
            "TEMPORAL_ADDRESS": self.address,
            "TEMPORAL_DEPLOYMENT_NAME": DEPLOYMENT,
            "TEMPORAL_WORKER_BUILD_ID": build,
        }
        with (self.folder / "workers.log").open("ab") as log:
            process = subprocess.Popen(
                [wheel.python, "-c", _SCRIPT, str(self._renewed_s)],
                cwd=home,
                env=variables,
                stdout=log,
                stderr=log,
                preexec_fn=_mortal(),  # noqa: PLW1509  # it only asks the kernel
            )
        return Worker(build, wheel, machine, process)


def _mortal() -> Callable[[], None]:
    parent = os.getpid()
    return lambda: die_with_parent(parent, signal.SIGKILL)
