"""A workflow of another namespace has a question researched by a Nexus endpoint."""

from datetime import timedelta
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from temporalio import workflow
from temporalio.api.nexus.v1 import EndpointSpec, EndpointTarget
from temporalio.api.operatorservice.v1 import CreateNexusEndpointRequest
from temporalio.api.workflowservice.v1 import RegisterNamespaceRequest
from temporalio.client import Client, WorkflowFailureError
from temporalio.service import RPCError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from caveat.contracts.outcome import Outcome
from tests.fakes.patience import until
from tests.fakes.runs import Start

pytestmark = pytest.mark.system


@workflow.defn(sandboxed=False)
class Briefing:
    """A workflow of another team, which has nothing of Caveat but the operation's name."""

    @workflow.run
    async def run(self, endpoint: str, request: dict[str, Any]) -> Any:
        client = workflow.create_nexus_client(service="research", endpoint=endpoint)
        return await client.execute_operation("research", request)


async def test_a_workflow_of_another_namespace_calls_research(
    environment: WorkflowEnvironment, start: Start, task_queue: str
) -> None:
    here = environment.client
    await here.workflow_service.register_namespace(
        RegisterNamespaceRequest(
            namespace=task_queue, workflow_execution_retention_period=Duration(seconds=86_400)
        )
    )
    target = EndpointTarget(
        worker=EndpointTarget.Worker(namespace=here.namespace, task_queue=task_queue)
    )
    await here.operator_service.create_nexus_endpoint(
        CreateNexusEndpointRequest(spec=EndpointSpec(name=task_queue, target=target))
    )
    config = here.config()
    config["namespace"] = task_queue
    there = Client(**config)

    async def brief(request: dict[str, Any]) -> Any:
        return await there.execute_workflow(
            Briefing.run,
            args=[task_queue, request],
            id=f"briefing-{len(request)}",
            task_queue=task_queue,
            execution_timeout=timedelta(minutes=1),
        )

    async def is_known() -> bool:
        try:
            await there.count_workflows()
        except RPCError:
            return False
        return True

    with environment.with_time_skipping_disabled():
        await until(is_known)  # a new namespace is read from the store once in some seconds
        async with Worker(there, task_queue=task_queue, workflows=[Briefing]):
            outcome = Outcome.model_validate(await brief({"topic": "alpha and beta"}))
            assert outcome.report.topic == "alpha and beta"
            assert outcome.report.run_id.startswith("research-")
            with pytest.raises(WorkflowFailureError) as caught:
                await brief({})
    assert "topic is missing" in str(caught.value.cause.__cause__)
