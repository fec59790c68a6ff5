"""Research as a Nexus operation: workflows of other namespaces call it by an endpoint."""

from typing import Any

import nexusrpc
from nexusrpc.handler import service_handler
from temporalio import nexus

from caveat.contracts.outcome import Outcome
from caveat.workflows.research.workflow import Research


@nexusrpc.service(name="research")
class ResearchService:
    """What Caveat does for others; `research` takes a request as the Temporal CLI does."""

    # Raw, because a run whose request is wrong ends by name and says why.
    research: nexusrpc.Operation[dict[str, Any], Outcome]


@service_handler(service=ResearchService)
class ResearchHandler:
    """Starts a run for each call; a call that is sent twice finds its first run."""

    @nexus.workflow_run_operation
    async def research(
        self, ctx: nexus.WorkflowRunOperationContext, request: dict[str, Any]
    ) -> nexus.WorkflowHandle[Outcome]:
        return await ctx.start_workflow(Research.run, request, id=f"research-{ctx.request_id}")
