"""A worker of production that a benchmark kills: python -m benchmarks.chaotic.worker SETTINGS."""

import asyncio
import sys

from temporalio.client import Client

from caveat.adapters.files.blobs import FolderBlobs
from caveat.workers.data import build_data_converter
from caveat.workers.settings import Settings
from caveat.workers.wiring import wire_registry
from caveat.workers.worker import serve_runs


async def serve(address: str, settings: Settings) -> None:
    """Work until killed."""
    client = await Client.connect(
        address, data_converter=build_data_converter(FolderBlobs(settings.payloads_folder))
    )
    async with serve_runs(client, wire_registry(settings)):
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], Settings.model_validate_json(sys.stdin.read())))
