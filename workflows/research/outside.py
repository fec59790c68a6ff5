"""One assignment that an agent elsewhere takes: it is asked, told more, and what it brings kept."""

import asyncio
from dataclasses import dataclass, replace
from datetime import timedelta

from temporalio.exceptions import ActivityError

from caveat.contracts.claim import Claim
from caveat.contracts.investigation import OpenWork, Work
from caveat.contracts.message import Order, SteeringBody
from caveat.contracts.outside import Brought
from caveat.contracts.plan import Assignment
from caveat.contracts.tasks import OutsideTask
from caveat.workflows.options import ASK
from caveat.workflows.research.documents import Documents
from caveat.workflows.research.tasks import Changes
from caveat.workflows.research.work_log import WorkLog

ASKED = Changes[OutsideTask, Brought](
    remaining=lambda task, part: task.model_copy(update={"done": part.done}),
    merged=lambda part, rest: rest.model_copy(
        update={
            "readings": tuple(
                {each.source.id: each for each in (*part.readings, *rest.readings)}.values()
            ),
            "claims": (*part.claims, *rest.claims),
            "done": tuple(dict.fromkeys((*part.done, *rest.done))),
            "rejected_quotes": part.rejected_quotes + rest.rejected_quotes,
        }
    ),
)


@dataclass
class Outside:
    """The agent elsewhere that has an assignment."""

    assignment: Assignment
    topic: str
    documents: Documents  # where what it read and found is kept
    log: WorkLog  # of the angle, in which to ask it is one piece
    # how much of its work it says that it has done; None before it says so
    share: float | None = None
    has_brought: bool = False  # whether anything came of it, if only that it found nothing

    async def ask(self, done: tuple[str, ...]) -> bool:
        """Have the agent do it, or what is left of it; say whether it answered as a whole."""
        agent = self.assignment.agent or ""
        task = OutsideTask(
            task_id=self.log.run.create_id(f"{self.assignment.id}-ask-{agent}"),
            description=f"Have {agent} look into “{self.assignment.title[:120]}”",
            agent=agent,
            run_id=self.log.run.state.run_id,
            topic=self.topic,
            assignment=self.assignment,
            done=done,
        )
        piece = OpenWork(work=Work.ASK, task_id=task.task_id, done=done)
        self.log.begin(piece, task)
        try:
            policy = replace(ASK, heartbeat=timedelta(seconds=self.assignment.patience_s))
            envelope = await self.log.tasks.do(policy, task, ASKED, address=agent)
        # Not whatever ends it: a worker that forgets the run closes this from outside of it.
        except (asyncio.CancelledError, ActivityError):
            why = "Its run was cancelled or had its deadline."
            body = SteeringBody(order=Order.CANCEL, task_id=task.task_id, text=why)
            self.log.run.post(agent, body)
            raise
        if (brought := envelope.value) is not None:
            self._take_in(brought)
            piece = piece.model_copy(update={"done": brought.done})
        if envelope.left_out is None:
            self.share = envelope.completeness
        self.log.record(envelope, piece)
        return envelope.failure is None

    def _take_in(self, brought: Brought) -> None:
        """Put what the agent read on the shelf, and keep what it found there."""
        self.has_brought = True
        said: dict[str, list[Claim]] = {}
        plan = self.log.run.state.plan
        words = plan is not None and plan.reasoner.uses_language_model
        for claim in brought.claims:
            # Without a language model a report says what its sources say, and nothing besides.
            facts = {
                "assignment_id": self.assignment.id,
                "text": claim.text if words else claim.quote,
                "figures": tuple(
                    each for each in claim.figures if each.kind in self.assignment.figures
                ),
            }
            own = claim.model_copy(update=facts)
            said.setdefault(claim.source_id, []).append(own)
        for reading in brought.readings:
            found = said.get(reading.source.id, [])
            self.documents.add_external_findings(reading, self.assignment.id, found)
        self.documents.claims[self.assignment.id].rejected += brought.rejected_quotes
