"""The default namespace of the embedded server: is it served, how long are closed runs kept."""

import asyncio
import datetime as dt

from google.protobuf.duration_pb2 import Duration
from temporalio.api.namespace.v1 import NamespaceConfig
from temporalio.api.workflowservice.v1 import DescribeNamespaceRequest, UpdateNamespaceRequest
from temporalio.client import Client
from temporalio.service import RPCError

RETENTION = dt.timedelta(days=30)
"""How long closed runs stay on the server; its default of one day would lose a weekend's work."""

_ANSWER = dt.timedelta(seconds=2)
"""An answer takes milliseconds; a server that needs longer than this is still starting."""


async def serve_namespace(address: str) -> bool:
    """Make sure that the default namespace keeps closed runs for at least `RETENTION`.

    Returns:
        Whether the server at this address answers; one that is still starting does not.
    """
    try:
        async with asyncio.timeout(_ANSWER.total_seconds()):
            client = await Client.connect(address)
            if await _retention(client) < RETENTION:
                await _raise_retention(client)
    except (RPCError, RuntimeError, TimeoutError):  # the SDK's error for a refused connection
        return False
    return True


async def _retention(client: Client) -> dt.timedelta:
    described = await client.workflow_service.describe_namespace(
        DescribeNamespaceRequest(namespace=client.namespace)
    )
    return described.config.workflow_execution_retention_ttl.ToTimedelta()


async def _raise_retention(client: Client) -> None:
    retention = Duration()
    retention.FromTimedelta(RETENTION)
    await client.workflow_service.update_namespace(
        UpdateNamespaceRequest(
            namespace=client.namespace,
            config=NamespaceConfig(workflow_execution_retention_ttl=retention),
        )
    )
