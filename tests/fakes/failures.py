"""How a port fails, for tests of adapters."""

from collections.abc import Awaitable

import pytest

from caveat.contracts.envelope import Failure
from caveat.failures import PortFailure


async def failure_of(work: Awaitable[object]) -> Failure:
    with pytest.raises(PortFailure) as raised:
        await work
    return raised.value.failure
