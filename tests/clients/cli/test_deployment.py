"""`caveat worker` in a deployment: new runs begin with its version, and stay with it."""

import asyncio
from pathlib import Path

import pytest
from temporalio.client import Client
from temporalio.common import SearchAttributeKey

from caveat.workers.version import build_id
from tests.fakes.home import RESEARCH, Home
from tests.fakes.template import Template

pytestmark = pytest.mark.system

VERSION = SearchAttributeKey.for_keyword("TemporalWorkerDeploymentVersion")


async def version_of(address: str, run_id: str) -> str | None:
    client = await Client.connect(address)
    described = await client.get_workflow_handle(run_id).describe()
    return described.typed_search_attributes.get(VERSION)


def test_a_worker_lets_new_runs_begin_with_its_version(tmp_path: Path, template: Template) -> None:
    home = Home(tmp_path, template)
    address = f"127.0.0.1:{home.environment['CAVEAT_PORT']}"
    version = f"caveat-test:{build_id()}"
    with home.serving(), home.own_server(address):  # whose own worker is in no deployment
        home.environment["TEMPORAL_DEPLOYMENT_NAME"] = "caveat-test"
        others = f"Version {version}; new runs begin with workers in no deployment"
        with home.serving("worker", until=others):
            before = home.json(*RESEARCH, "--format", "json")
        current = f"Version {version}, with which new runs begin."
        with home.serving("worker", "--current", until=current):
            after = home.json(*RESEARCH, "--format", "json")
        decided = [asyncio.run(version_of(address, each["run_id"])) for each in (before, after)]
    assert (before["status"], after["status"]) == ("completed", "completed")
    assert decided == [None, version]
