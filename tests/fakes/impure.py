"""A workflow that asks the clock, which the sandbox must notice."""

import time
from typing import Any

from temporalio import workflow


@workflow.defn(name="Research")
class Impure:
    @workflow.run
    async def run(self, *given: Any) -> float:
        return time.time()
