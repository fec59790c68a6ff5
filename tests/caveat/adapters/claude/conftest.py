"""The real SDK over real HTTP, with a stand-in for the server."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from anthropic import AsyncAnthropic

from caveat.adapters.claude.capabilities import LOCAL
from caveat.adapters.claude.connection import Connection, sdk
from caveat.adapters.claude.keys import FixedKey
from caveat.adapters.claude.limits import Limits
from tests.fakes.messages_api import KEY, StandIn, stand_in

SILENCE_S = 0.1
"""Seconds without a byte that end a call: enough on loopback, and no test waits for long."""


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def served() -> AsyncIterator[StandIn]:
    """One server for all tests."""
    async with stand_in() as api:
        yield api


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def client(served: StandIn) -> AsyncIterator[AsyncAnthropic]:
    """The SDK's client as a worker makes it, with a short silence; one, since it loads its
    certificates for a tenth of a second."""
    async with sdk(served.url, Limits(silence_s=SILENCE_S)) as made:
        yield made


@pytest.fixture
def api(served: StandIn) -> StandIn:
    """A stand-in with every feature that the real API has, which was asked nothing yet."""
    served.reset()
    return served


@pytest.fixture
def connection(api: StandIn, client: AsyncAnthropic) -> Connection:
    """A connection to the stand-in."""
    assert api.url
    return Connection(client, FixedKey(KEY))


@pytest.fixture
def local(api: StandIn, client: AsyncAnthropic) -> Connection:
    """A connection to a server that has neither structured outputs nor prompt caching."""
    api.structured_outputs = api.prompt_caching = False
    return Connection(client, FixedKey(KEY), LOCAL)
