"""Which build of Caveat decides here, and whether runs stay with the one that began them.

Why so: docs/decisions/0020-versions.md.
"""

import asyncio
import functools
import hashlib
import logging
import os
import re
from importlib.metadata import version
from pathlib import Path

from temporalio.api.workflowservice.v1 import (
    DescribeWorkerDeploymentRequest,
    SetWorkerDeploymentCurrentVersionRequest,
)
from temporalio.client import Client
from temporalio.common import VersioningBehavior, WorkerDeploymentVersion
from temporalio.service import RPCError, RPCStatusCode
from temporalio.worker import WorkerDeploymentConfig

from caveat.workers.settings import SettingsProblem

_LOGGER = logging.getLogger(__name__)

_NAME = "caveat"  # what histories call the deployment of workers that are in none

_DEPLOYMENT, _BUILD = "TEMPORAL_DEPLOYMENT_NAME", "TEMPORAL_WORKER_BUILD_ID"

_DIGITS = 8
"""Of the digest: two builds of one version out of a thousand share them once in 8,600 times."""


@functools.cache
def build_id() -> str:
    """Name this build: its version and a digest of its code, such as `0.1.0-99e7cefc`."""
    # Half of a developer's day goes by with the version of the last release, and whoever patches an
    # installed package changes no version at all.
    root, digest = Path(__file__).parents[1], hashlib.sha256()
    for place, folders, names in os.walk(root, followlinks=True):  # the rooms may be links
        folders.sort()
        for name in sorted(name for name in names if name.endswith(".py")):
            path = Path(place, name)
            digest.update(f"{path.relative_to(root).as_posix()}\0".encode())
            digest.update(path.read_bytes() + b"\0")
    return f"{version('caveat')}-{digest.hexdigest()[:_DIGITS]}"


def accept_any_build() -> WorkerDeploymentConfig:
    """Take up every run, whichever build began it, and note in its history which build decided."""
    return WorkerDeploymentConfig(
        version=WorkerDeploymentVersion(_NAME, build_id()), use_worker_versioning=False
    )


def choose_deployment() -> WorkerDeploymentConfig:
    """Keep every run with the build that began it where Temporal's own variables say so."""
    deployment = os.environ.get(_DEPLOYMENT)
    if not deployment:
        return accept_any_build()
    build = os.environ.get(_BUILD) or build_id()
    known = ((_DEPLOYMENT, deployment, "/", "slashes"), (_BUILD, build, ".+", "dots, plus signs"))
    for variable, value, further, named in known:
        if not re.fullmatch(rf"[A-Za-z0-9][A-Za-z0-9_{further}-]{{0,199}}", value):
            raise SettingsProblem(
                f"{variable} must be letters, digits, {named}, dashes and underscores, 200 at "
                "most: correct or unset it."
            )
    return WorkerDeploymentConfig(
        version=WorkerDeploymentVersion(deployment, build),
        use_worker_versioning=True,
        default_versioning_behavior=VersioningBehavior.PINNED,
    )


_LATER = frozenset({RPCStatusCode.NOT_FOUND, RPCStatusCode.FAILED_PRECONDITION})
"""How a server answers that has not heard of the version yet, or took another one meanwhile."""


async def begin_deployment(client: Client, deployment: WorkerDeploymentConfig) -> None:
    """Let runs begin with this build where they have none to begin with, or say which they have."""
    # Only the first of all builds: which later one runs begin with, an operator says.
    service, build, name = client.workflow_service, deployment.version, client.namespace
    deployment_name = build.deployment_name
    while deployment.use_worker_versioning:
        try:
            known = await service.describe_worker_deployment(
                DescribeWorkerDeploymentRequest(namespace=name, deployment_name=deployment_name)
            )
            current = known.worker_deployment_info.routing_config.current_deployment_version
            if not current.build_id:
                await service.set_worker_deployment_current_version(
                    SetWorkerDeploymentCurrentVersionRequest(
                        namespace=name,
                        deployment_name=deployment_name,
                        build_id=build.build_id,
                        conflict_token=known.conflict_token,
                        identity=client.identity,
                    )
                )
            elif current.build_id != build.build_id:
                _LOGGER.warning(
                    "Runs begin with build %s, and not with this one, until somebody says `temporal"
                    " worker deployment set-current-version --deployment-name %s --build-id %s`.",
                    *(current.build_id, deployment_name, build.build_id),
                )
        except RPCError as error:
            if error.status not in _LATER:
                _LOGGER.warning("The server does not say which build runs begin with: %s", error)
                return
            await asyncio.sleep(1)
        else:
            return
