"""Runs that another version began: they stay with it, or stand still and say what to do."""

import asyncio
import datetime as dt
import os
import re
import subprocess
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from temporalio import workflow
from temporalio.api.workflowservice.v1 import SetWorkerDeploymentCurrentVersionRequest
from temporalio.client import Client
from temporalio.service import RPCError
from temporalio.testing import WorkflowEnvironment

from caveat.clients.arbitrations import Arbitrations
from caveat.clients.following import Follower
from caveat.clients.run_description import Cause, format_reset
from caveat.clients.runs import Runs
from caveat.contracts.contradiction import Case, Contradiction, Ruling, SettledBy
from caveat.contracts.outcome import Outcome, Settlement
from caveat.problem import OutOfReach
from caveat.workers.version import choose_deployment
from caveat.workers.wiring import build_registry
from caveat.workers.worker import serve_runs
from caveat.workflows.arbitration import Arbitration
from caveat.workflows.names import ARBITRATION, QUEUE, RESEARCH
from caveat.workflows.research.workflow import Research
from tests.fakes.commands import reset_as_told
from tests.fakes.home import PROGRAM, TOPIC, Home
from tests.fakes.patience import PATIENCE_S, until
from tests.fakes.ports import World, ports_of
from tests.fakes.runs import BOTH, Handle, Heard, awaiting, report_of, rule, start_run
from tests.fakes.server import OwnServer
from tests.fakes.wheels import NoCommit, NoEnvironment, Wheel, install
from tests.fakes.widening import LaterPayloadConverter
from tests.fakes.worlds import disagreeing

pytestmark = [pytest.mark.system, pytest.mark.filterwarnings("ignore:.*Workflow class.*")]


@workflow.defn(name=RESEARCH)
class Earlier(Research):
    """The version before: it slept before it wrote the provisional report."""

    @workflow.run
    async def run(self, *given: Any) -> Outcome:
        await workflow.sleep(0.01)
        return await super().run(*given)


def version(
    client: Client, world: World, queue: str, research: type, arbitration: type = Arbitration
) -> AbstractAsyncContextManager[None]:
    registry = replace(build_registry(ports_of(world)), workflows=(research, arbitration))
    return serve_runs(client, registry, queue)


async def test_a_run_of_an_earlier_version_says_what_lets_it_go_on_and_goes_on(
    environment: WorkflowEnvironment, world: World, task_queue: str
) -> None:
    disagreeing(world, (1, 2))
    client, heard = environment.client, Heard()
    run_id = f"research-upgraded-{task_queue}"
    with environment.with_time_skipping_disabled():
        async with version(client, world, task_queue, Earlier):
            handle = await start_run(client, task_queue, run_id)
            await awaiting(handle)
        async with version(client, world, task_queue, Research):
            # Only something new makes the run look at what it has done so far.
            await handle.signal("resolve_contradiction", {"nonsense": True})
            runs, leaves = Runs(client), {Cause.STOPPED}
            follower = Follower(runs, run_id, heard.show, heard.remark, leaves=leaves)
            assert await follower.follow() is None
            assert f"`{format_reset(run_id)}` lets it go on" in heard.remarks[0]
            await until(lambda: listed_as_wedged(client, run_id))
            await reset_as_told(client, run_id)
            anew = client.get_workflow_handle(run_id, result_type=Outcome)
            await awaiting(anew)
            await rule(client, anew, 1, BOTH)
            report = await report_of(anew)
    assert report.contradictions[0].settled_by is SettledBy.PERSON


async def connect_later(client: Client) -> Client:
    """Connect as a later version does, whose results have a field more."""
    converter = replace(client.data_converter, payload_converter_class=LaterPayloadConverter)
    return await Client.connect(
        client.service_client.config.target_host,
        namespace=client.namespace,
        data_converter=converter,
    )


@pytest.mark.parametrize("upgrades", [True, False], ids=["upgrade", "rollback"])
async def test_two_versions_share_a_queue_and_finish_each_other_s_runs(
    environment: WorkflowEnvironment, world: World, task_queue: str, *, upgrades: bool
) -> None:
    """The other version is this one, with a field more in all that it writes."""
    disagreeing(world, (1, 2))
    client = environment.client
    later = await connect_later(client)
    first, second = (client, later) if upgrades else (later, client)
    with environment.with_time_skipping_disabled():
        async with version(first, world, task_queue, Research):
            handle = await start_run(client, task_queue, f"research-shared-{task_queue}")
            await awaiting(handle)
            async with version(second, world, task_queue, Research):
                other = await start_run(client, task_queue, f"research-beside-{task_queue}")
                await awaiting(other)
        async with version(second, world, task_queue, Research):
            for run in (handle, other):
                await rule(client, run, 1, BOTH)
                report = await report_of(run)
                assert report.contradictions[0].settled_by is SettledBy.PERSON
                assert report.failures == ()


@pytest.fixture(scope="module")
def last_commit(tmp_path_factory: pytest.TempPathFactory) -> Wheel:
    """What is installed of the commit before this one."""
    try:
        return install(tmp_path_factory.mktemp("last") / "caveat", commit="HEAD~1")
    except (NoEnvironment, NoCommit) as error:
        pytest.skip(f"The commit before this one cannot be installed here: {error!r}")


@pytest.mark.xdist_group("two-versions")
@pytest.mark.parametrize("upgrades", [True, False], ids=["upgrade", "rollback"])
async def test_this_commit_and_the_last_share_a_queue_and_finish_each_other_s_runs(
    home: Home, last_commit: Wheel, *, upgrades: bool
) -> None:
    for name in ("lensing.md", "trgb.md", "broken.pdf"):
        (home.corpus / name).unlink()
    server = OwnServer(home.folder, Path(home.environment["CAVEAT_STATE_DIR"]) / "payloads")
    handles: list[Handle] = []
    try:
        client = await server.start()
        home.environment |= {
            "TEMPORAL_ADDRESS": server.address,
            "CAVEAT_CORPUS_ROOTS": str(home.corpus),
        }

        async def work(*, is_last: bool) -> subprocess.Popen[str]:
            last = ("env", "-u", "PYTHONPATH", str(last_commit.folder / "bin" / "caveat"))
            worker = home.begin("worker", program=last if is_last else PROGRAM)
            assert worker.stderr is not None
            while "Serving" not in (line := await asyncio.to_thread(worker.stderr.readline)):
                assert line, "it ended"
            return worker

        async def begin(name: str) -> None:
            request = {"topic": TOPIC, "corpus": [str(home.corpus)], "depth": "overview"}
            handles.append(await start_run(client, QUEUE, f"research-{name}", **request))
            await awaiting(handles[-1])

        first = await work(is_last=upgrades)
        try:
            await begin("alone")
            second = await work(is_last=not upgrades)
            await begin("shared")
        finally:
            first.kill()
            first.communicate()
        try:
            for run in handles:
                for each in await list_contradictions(run):
                    await rule(client, run, int(each.id.rpartition("-")[2]), BOTH)
                report = await report_of(run)
                assert report.contradictions[0].settled_by is SettledBy.PERSON
                assert report.failures == ()
        finally:
            second.kill()
            second.communicate()
    finally:
        server.kill()


async def list_contradictions(run: Handle) -> list[Contradiction]:
    """Ask again while the server keeps the question for the worker that was killed."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            with suppress(RPCError):
                found: list[Contradiction] = await run.query(
                    "contradictions", result_type=list[Contradiction]
                )
                return found


async def listed_as_wedged(client: Client, run_id: str) -> bool:
    return any(
        each.wedged for each in await Runs(client).list_latest(1000) if each.run_id == run_id
    )


@workflow.defn(name=ARBITRATION)
class EarlierArbitration(Arbitration):
    """The version before."""

    @workflow.init
    def __init__(self, case: Case) -> None:
        super().__init__(case)

    @workflow.run
    async def run(self, case: Case) -> Settlement:
        await workflow.sleep(0.01)
        return await super().run(case)


async def test_whoever_rules_on_what_an_earlier_version_asks_hears_what_to_do(
    environment: WorkflowEnvironment, world: World, task_queue: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("caveat.clients.translation.ACCEPTANCE", dt.timedelta(seconds=5))
    disagreeing(world, (1, 2))
    client = environment.client
    run_id = f"research-asked-{task_queue}"
    arbitration = f"{run_id}/contradiction-1"
    ruling = Ruling.model_validate(BOTH)
    with environment.with_time_skipping_disabled():
        async with version(client, world, task_queue, Research, EarlierArbitration):
            handle = await start_run(client, task_queue, run_id)
            await awaiting(handle)
        async with version(client, world, task_queue, Research):
            with pytest.raises(OutOfReach, match=re.escape(format_reset(arbitration))):
                await Arbitrations(client).rule(arbitration, ruling)
            await reset_as_told(client, arbitration)
            while await Arbitrations(client).query_hearing(arbitration) is None:  # noqa: ASYNC110  # see above
                await asyncio.sleep(0.05)
            await handle.terminate()


def build(
    client: Client, world: World, queue: str, name: str, *research: type
) -> AbstractAsyncContextManager[None]:
    """The workers of one build of the deployment that is called as the queue."""
    named = {"TEMPORAL_DEPLOYMENT_NAME": queue, "TEMPORAL_WORKER_BUILD_ID": name}
    with patch.dict(os.environ, named):
        deployment = choose_deployment()
    registry = replace(build_registry(ports_of(world)), deployment=deployment)
    if research:
        registry = replace(registry, workflows=(*research, *registry.workflows[1:]))
    return serve_runs(client, registry, queue)


async def current(client: Client, deployment: str, name: str) -> None:
    """Let new runs begin with a build, and wait until they do: the server takes a moment."""
    request = SetWorkerDeploymentCurrentVersionRequest(
        namespace=client.namespace, deployment_name=deployment, build_id=name
    )
    while True:
        try:
            await client.workflow_service.set_worker_deployment_current_version(request)
        except RPCError:  # it has not heard of all queues yet
            await asyncio.sleep(0.2)
        else:
            break
    await asyncio.sleep(1)


async def test_each_build_finishes_what_it_began(
    environment: WorkflowEnvironment,
    world: World,
    task_queue: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A rainbow upgrade: the earlier build decides differently, and nothing stands still.

    The first build of a deployment makes itself the current one, and no later one does.
    """
    disagreeing(world, (1, 2))
    client = environment.client
    with environment.with_time_skipping_disabled():
        async with build(client, world, task_queue, "1", Earlier):
            first = await start_run(client, task_queue, f"research-first-{task_queue}")
            await awaiting(first)
            async with build(client, world, task_queue, "2"):
                await until(lambda: "with build 1, and not" in caplog.text)
                await current(client, task_queue, "2")
                second = await start_run(client, task_queue, f"research-second-{task_queue}")
                await awaiting(second)
                for handle in (first, second):
                    await rule(client, handle, 1, BOTH)
                    assert (await report_of(handle)).failures == ()
    assert await decided_by(first) == {f"{task_queue}:1"}
    assert await decided_by(second) == {f"{task_queue}:2"}


async def decided_by(handle: Handle) -> set[str]:
    """The versions of the workers that decided a run and did its tasks."""
    versions = set()
    async for event in handle.fetch_history_events():
        if event.HasField("workflow_task_completed_event_attributes"):
            by = event.workflow_task_completed_event_attributes.deployment_version
            versions.add(f"{by.deployment_name}:{by.build_id}")
    return versions
