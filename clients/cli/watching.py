"""One line when a server of one's own goes, and one when it is back."""

import asyncio

from rich.console import Console
from temporalio.client import Client
from temporalio.service import RPCError

from caveat.clients.cli.console import say

_LOOK_S = 2.0
"""Seconds between two looks: nobody is told later that the work stands still."""

_ANSWER_S = 5.0
"""Seconds for an answer, which takes milliseconds."""


async def tell_of_server(client: Client, console: Console) -> None:
    """Look for ever; the SDK itself says it for each of its calls, again and again."""
    address = client.service_client.config.target_host
    was_there = True
    while True:
        await asyncio.sleep(_LOOK_S)
        is_there = await _answers(client)
        if was_there and not is_there:
            say(console, f"The Temporal server at {address} is gone: waiting for it.", "yellow")
        if is_there and not was_there:
            say(console, f"The Temporal server at {address} is back: the work goes on.")
        was_there = is_there


async def _answers(client: Client) -> bool:
    try:
        async with asyncio.timeout(_ANSWER_S):
            return await client.service_client.check_health()
    except (RPCError, RuntimeError, TimeoutError):
        return False
