"""The real SDK over real HTTP, with a stand-in for the server."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from anthropic import AsyncAnthropic

from caveat.adapters.claude.messages.capabilities import LOCAL
from caveat.adapters.claude.messages.connection import ApiKey, ModelConnection, create_client
from caveat.adapters.claude.messages.dialogue import Dialogue
from caveat.adapters.claude.reasoner import ClaudeReasoner
from tests.fakes.messages_api import KEY, StandIn, stand_in

SILENCE_S = 0.1
"""Seconds without a byte that end a call where nothing else will, so that no test waits long."""


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def served() -> AsyncIterator[StandIn]:
    async with stand_in() as api:
        yield api


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def client(served: StandIn) -> AsyncIterator[AsyncAnthropic]:
    """The SDK's client as a worker makes it; one, since it takes a tenth of a second to make."""
    async with create_client(served.url) as made:
        yield made


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def impatient_client(served: StandIn) -> AsyncIterator[AsyncAnthropic]:
    """The same, for servers that say nothing: anything else may take longer on a busy machine."""
    async with create_client(served.url, SILENCE_S) as made:
        yield made


@pytest.fixture
def api(served: StandIn) -> StandIn:
    """A stand-in with every feature that the real API has, which was asked nothing yet."""
    served.reset()
    return served


@pytest.fixture
def connection(api: StandIn, client: AsyncAnthropic) -> ModelConnection:
    assert api.url
    return ModelConnection(client, ApiKey(KEY))


@pytest.fixture
def reasoner(connection: ModelConnection) -> ClaudeReasoner:
    return ClaudeReasoner(Dialogue(connection))


@pytest.fixture
def local(api: StandIn, client: AsyncAnthropic) -> ModelConnection:
    """A connection to a server that has neither structured outputs nor prompt caching."""
    api.structured_outputs = api.prompt_caching = False
    return ModelConnection(client, ApiKey(KEY), LOCAL)


@pytest.fixture
def impatient(api: StandIn, impatient_client: AsyncAnthropic) -> ModelConnection:
    """A connection that soon takes silence for an answer."""
    assert api.url
    return ModelConnection(impatient_client, ApiKey(KEY))
