"""Which version of a deployment takes up new runs on a server of one's own."""

import asyncio
import time

from temporalio.api.workflowservice.v1 import SetWorkerDeploymentCurrentVersionRequest
from temporalio.client import Client
from temporalio.common import WorkerDeploymentVersion
from temporalio.service import RPCError, RPCStatusCode

from caveat.clients.pollers import ANY, serving
from caveat.clients.problems import OutOfReach
from caveat.clients.translation import sentence, translated
from caveat.workflows.names import QUEUE

_REGISTERED_S = 30.0
"""Seconds until the server knows all queues of a version that has just begun: it takes one."""

_PAUSE_S = 0.2

_NOT_YET = frozenset({RPCStatusCode.NOT_FOUND, RPCStatusCode.FAILED_PRECONDITION})
"""How the server answers that knows nothing of a version yet, or not all of its queues."""


async def make_current(client: Client, version: WorkerDeploymentVersion) -> None:
    """Have new runs begin with a version whose workers are there.

    Raises:
        OutOfReach: the server refuses, or does not hear of the workers.
    """
    deadline = time.monotonic() + _REGISTERED_S
    while (refused := await _refusal(client, version)) is not None:
        if time.monotonic() > deadline:
            raise OutOfReach(
                f"New runs cannot begin with version {named(version)}: {sentence(refused)}"
            )
        await asyncio.sleep(_PAUSE_S)


async def _refusal(client: Client, version: WorkerDeploymentVersion) -> str | None:
    with translated():
        try:
            await client.workflow_service.set_worker_deployment_current_version(
                SetWorkerDeploymentCurrentVersionRequest(
                    namespace=client.namespace,
                    deployment_name=version.deployment_name,
                    build_id=version.build_id,
                )
            )
        except RPCError as error:
            if error.status not in _NOT_YET:
                raise
            return error.message
    return None


async def standing_of(client: Client, version: WorkerDeploymentVersion) -> str:
    """Say whose runs a worker of a version takes up, and how it takes up new ones."""
    current = (await serving(client, QUEUE)).current
    if current == named(version):
        return f"Version {current}, with which new runs begin."
    others = "workers in no deployment" if current == ANY else f"version {current}"
    return (
        f"Version {named(version)}; new runs begin with {others}: `caveat worker --current` lets "
        "them begin with this one."
    )


def named(version: WorkerDeploymentVersion) -> str:
    """Name a version as the server does."""
    return f"{version.deployment_name}:{version.build_id}"
