"""Current details: what the Web UI shows of a run is drawn when somebody looks, and not before."""

from typing import Any, Protocol, runtime_checkable

from temporalio import workflow
from temporalio.api.sdk.v1 import WorkflowMetadata
from temporalio.worker import (
    HandleQueryInput,
    Interceptor,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
)


@runtime_checkable
class Drawn(Protocol):
    """A workflow that draws its details."""

    def details(self) -> str:
        """Draw them, as Markdown."""


class DetailsOnDemand(Interceptor):
    """Answers whoever looks with details of this moment.

    Setting them at every change takes more time than all else that a run decides.
    """

    def workflow_interceptor_class(
        self,
        input: WorkflowInterceptorClassInput,  # noqa: A002  # the SDK's name
    ) -> type[WorkflowInboundInterceptor]:
        """Stand before every workflow's queries."""
        return _Drawing


class _Drawing(WorkflowInboundInterceptor):
    async def handle_query(self, input: HandleQueryInput) -> Any:  # noqa: A002  # the SDK's name
        answer = await super().handle_query(input)
        shown = workflow.instance()
        if isinstance(answer, WorkflowMetadata) and isinstance(shown, Drawn):
            answer.current_details = shown.details()
        return answer
