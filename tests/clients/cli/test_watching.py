"""A lost server is one line when it goes and one when it is back."""

import asyncio
import io
import logging
from pathlib import Path

import pytest
from rich.console import Console

from caveat.clients.cli import serving
from caveat.clients.cli.session import _is_no_retry
from tests.fakes.patience import PATIENCE_S
from tests.fakes.server import OwnServer

pytestmark = pytest.mark.system


async def test_a_server_that_goes_and_comes_back_is_two_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "_LOOK_S", 0.05)
    said = io.StringIO()
    server = OwnServer(tmp_path, tmp_path / "payloads")

    async def told(words: str) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while words not in said.getvalue():  # noqa: ASYNC110  # another process is waited for
                await asyncio.sleep(0.05)

    try:
        client = await server.start()
        task = asyncio.create_task(serving.tell_of_server(client, Console(file=said, width=200)))
        server.kill()
        await told("is gone: waiting for it.")
        await server.start()
        await told("is back: the work goes on.")
        await asyncio.sleep(0.3)  # some more looks
        task.cancel()
    finally:
        server.kill()
    assert len(said.getvalue().splitlines()) == 2


@pytest.mark.parametrize(
    ("name", "is_shown"),
    [
        ("temporalio.core-sdk_core::temporalio_client::retry", False),
        ("temporalio.core-sdk_core::temporalio_sdk_core::worker", True),
        ("caveat.adapters", True),
    ],
)
def test_only_tries_are_left_out(name: str, is_shown: bool) -> None:
    record = logging.LogRecord(name, logging.WARNING, "", 0, "gRPC call retried", (), None)
    assert _is_no_retry(record) is is_shown
