"""What is done with a task before its activity begins, whoever gave it to the worker."""

from typing import Any

from temporalio.worker import ActivityInboundInterceptor, ExecuteActivityInput, Interceptor

from caveat.activities.subagent import Attempt, role_of
from caveat.contracts.tasks import Task


class TaskInterceptor(Interceptor):
    """Stands before every activity, so that no way to give a worker a task passes it by."""

    async def before(self, attempt: Attempt, task: Task) -> None:
        """Do what comes before a task; its activity does not begin where this raises."""
        raise NotImplementedError

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:  # noqa: A002  # the SDK's name
        """Stand before an activity."""
        return _Intercepted(next, self)


class _Intercepted(ActivityInboundInterceptor):
    def __init__(self, after: ActivityInboundInterceptor, interceptor: TaskInterceptor) -> None:
        super().__init__(after)
        self._interceptor = interceptor

    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # noqa: A002  # the SDK's name
        for task in input.args:
            if isinstance(task, Task):
                await self._interceptor.before(Attempt(role_of(input.fn), task), task)
        return await super().execute_activity(input)
