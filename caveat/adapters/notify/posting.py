"""How a notice is posted, wherever it goes."""

import asyncio

from caveat.adapters.http.client import Client, Request
from caveat.adapters.http.failures import FAULTS, Asked

TOTAL_S = 10.0
"""Seconds for one delivery, well within the activity's 30."""

_LONGEST_WAIT_S = 3600.0
"""A notice that comes more than an hour late tells nobody anything, and a run may wait for it."""


async def post(
    client: Client, request: Request, subject: str, provider: str, seconds: float = TOTAL_S
) -> None:
    """Post a notice, and wait for no byte of the answer's body: the status says everything.

    Args:
        client: sends it.
        request: the whole of it.
        subject: who is asked, in words. No more of a URL than its host: the rest may hold a token.
        provider: whose service it is, as failures name it.
        seconds: for everything.

    Raises:
        PortFailure: the answer is no status of success, or there is none.
    """
    asked = Asked(
        subject=subject,
        resource=request.target.authority,
        provider=provider,
        longest_wait_s=_LONGEST_WAIT_S,
    )
    try:
        async with asyncio.timeout(seconds):
            answer = await client.send(request, lambda _: 0)
    except FAULTS as fault:
        raise asked.failed(fault) from fault
    if not 200 <= answer.status < 300:
        raise asked.failed(answer)
