"""The real server with skipped time, and real workers that serve many scripted runs at once."""

import tempfile
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any

from temporalio import activity
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from caveat.adapters.files.blobs import FolderBlobs
from caveat.contracts.backend import Backend
from caveat.workers.data import build_data_converter
from caveat.workers.embedded import build_server_flags, find_temporal_binary
from caveat.workers.wiring import Ports, build_registry
from caveat.workers.worker import serve_runs


@asynccontextmanager
async def environment() -> AsyncIterator[WorkflowEnvironment]:
    """Run the `temporal` program; each run has a clock of its own that skips idle time."""
    flags = ("--dynamic-config-value", "frontend.WorkflowTimeSkippingEnabled=true")
    with tempfile.TemporaryDirectory(prefix="caveat-benchmark-") as payloads:
        async with await WorkflowEnvironment.start_time_skipping_v2(
            data_converter=build_data_converter(FolderBlobs(Path(payloads))),
            dev_server_existing_path=str(find_temporal_binary()),
            dev_server_log_level="error",
            dev_server_extra_args=[*flags, *build_server_flags()],
        ) as started:
            yield started


@asynccontextmanager
async def serving(client: Client, casts: Mapping[str, Ports]) -> AsyncIterator[str]:
    """Serve runs, each with its own ports.

    Args:
        client: of the server.
        casts: ports by workflow id; more may be put in while inside.

    Yields:
        The task queue to start runs on.
    """
    queue = f"benchmark-{uuid.uuid4().hex[:12]}"
    async with serve_runs(client, build_registry(_whoever_calls(casts)), queue):
        yield queue


@dataclass(frozen=True)
class _Port:
    """One port, of whichever run the calling activity works for."""

    casts: Mapping[str, Ports]
    name: str

    def __getattr__(self, method: str) -> Any:
        run_id = activity.info().workflow_id or ""
        return getattr(getattr(self.casts[run_id], self.name), method)


def _whoever_calls(casts: Mapping[str, Ports]) -> Ports:
    # Workers of their own for each of some 300 runs would cost more than the runs.
    # What has a default is no port of a run, or is none that a script stands behind.
    names = [
        port.name
        for port in fields(Ports)
        if port.default is port.default_factory is MISSING and port.name != "backend"
    ]
    ports: dict[str, Any] = {name: _Port(casts, name) for name in names}
    return Ports(backend=Backend(reasoner="scripted"), **ports)
