"""A workflow of your own that has questions researched, on a worker of your own.

temporal server start-dev                        # or any server
python examples/plugin/briefing.py "How fast does the universe expand?" examples/hubble-constant
"""

import asyncio
import datetime as dt
import os
import sys
import uuid
from pathlib import Path

from temporalio import workflow
from temporalio.client import Client
from temporalio.worker import Worker

with workflow.unsafe.imports_passed_through():
    from caveat.contracts.outcome import Outcome
    from caveat.contracts.plan import ResearchRequest
    from caveat.workers.plugin import CaveatPlugin
    from caveat.workers.settings import Settings

QUEUE = "briefings"


@workflow.defn
class Briefing:
    """Says in a line what research found."""

    @workflow.run
    async def run(self, question: str, folder: str) -> str:
        """Have a question researched by a child workflow, and sum its report up."""
        report = (
            await workflow.execute_child_workflow(
                "Research",
                ResearchRequest(
                    topic=question,
                    corpus=(folder,),
                    # Nobody is asked here for long; `caveat inbox` would show what is open.
                    arbitration_timeout=dt.timedelta(seconds=5),
                ),
                id=f"{workflow.info().workflow_id}/research",
                result_type=Outcome,
            )
        ).report
        return f"{report.confidence.value:.2f}: {report.answer or report.answered_because}"


async def main(question: str, folder: Path) -> None:
    """Serve briefings, ask for one, and print it."""
    address = os.environ.get("TEMPORAL_ADDRESS", "127.0.0.1:7233")
    # Whoever reaches the server can ask: this worker opens one folder, whatever they name.
    settings = Settings(corpus_roots=(folder,))
    client = await Client.connect(address, plugins=[CaveatPlugin(settings)])
    async with Worker(client, task_queue=QUEUE, workflows=[Briefing]):
        print(
            await client.execute_workflow(
                Briefing.run,
                args=[question, str(folder)],
                id=f"briefing-{uuid.uuid4().hex[:6]}",
                task_queue=QUEUE,
            )
        )


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]).absolute()))
