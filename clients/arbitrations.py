"""Arbitrations on a Temporal server: what waits for a person, and the person's answer."""

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from temporalio.client import Client, WorkflowFailureError, WorkflowHandle

from caveat.clients import translation
from caveat.clients.run_description import Unsettled, Waiting
from caveat.clients.translation import STILL_OPEN, read_memo, translate_errors
from caveat.contracts.contradiction import Contradiction, Hearing, LateRuling, Ruling
from caveat.contracts.outcome import Settlement
from caveat.workers.settings import Settings
from caveat.workers.signing import Answer, load_signer
from caveat.workflows.names import ARBITRATION, GOES_ON, IS_RUN, REVIEW, REVISES, SHOWN, Handler

IS_ARBITRATION = f"WorkflowType = '{ARBITRATION}'"  # what the server lists of arbitrations
IS_OPEN = f"{IS_ARBITRATION} AND {GOES_ON}"  # what the server lists of arbitrations that wait
_LOOKED_THROUGH = 1_000  # runs, the newest: what is older was looked at often enough


@dataclass(frozen=True)
class Arbitrations:
    """The arbitrations of one server; every method raises `OutOfReach` when it does not answer."""

    client: Client
    settings: Settings | None = None  # of the user who answers; None of nobody in particular

    async def list_waiting(self) -> list[Waiting]:
        """List what waits for a person across all runs, the nearest deadline first."""
        with translate_errors():
            open_ones = [
                Waiting(
                    arbitration=execution.id,
                    topic=(memo := await read_memo(execution)).get(SHOWN, ""),
                    about=memo.get("about", ""),
                    values=memo.get("values", ""),
                    statements=memo.get("statements", ()),
                    opened=execution.start_time,
                    deadline=memo.get("deadline") or execution.start_time,
                )
                async for execution in self.client.list_workflows(IS_OPEN)
            ]
        return sorted(open_ones, key=lambda each: each.deadline)

    async def list_for_review(self) -> list[Unsettled]:
        """List what nobody settled in the newest runs that have ended and were not revised."""
        query = f"{IS_RUN} AND ExecutionStatus = 'Completed'"
        left: dict[str, list[Unsettled]] = {}
        revised: set[str | None] = set()
        with translate_errors():
            async for run in self.client.list_workflows(query, limit=_LOOKED_THROUGH):
                memo = await read_memo(run)
                revised.add(memo.get(REVISES))
                shown = {"topic": memo.get(SHOWN, "")}
                left[run.id] = [
                    Unsettled.model_validate({"arbitration": f"{run.id}/{name}", **shown, **note})
                    for name, note in memo.get(REVIEW, {}).items()
                ]
        return [
            one for run_id, disputes in left.items() if run_id not in revised for one in disputes
        ]

    async def query_hearing(self, arbitration: str) -> Hearing | None:
        """Ask an arbitration for everything that a person should know; None without a worker."""
        handle = self.client.get_workflow_handle(arbitration)
        return await translation.query_workflow(handle, Handler.HEARING, Hearing)

    async def is_open(self, arbitration: str) -> bool:
        with translate_errors(translation.build_unknown_arbitration(arbitration)):
            described = await self.client.get_workflow_handle(arbitration).describe()
        if described.workflow_type != ARBITRATION:
            raise translation.build_unknown_arbitration(arbitration)
        return described.status in STILL_OPEN

    async def rule(self, arbitration: str, ruling: Ruling) -> Contradiction:
        sent = self.sign_answer(arbitration, ruling).write_sent()
        unknown = translation.build_unknown_arbitration(arbitration)
        return await translation.update_workflow(
            self.client, arbitration, Handler.RULE, sent, Contradiction, unknown
        )

    def sign_answer(self, arbitration: str, answer: Answer) -> Answer:
        if self.settings is None:
            return answer
        return load_signer(self.settings).sign_answer(arbitration, answer)

    async def wait_for_outcome(self, arbitration: str) -> Contradiction | None:
        """Wait until an arbitration has ended and say how; None when it was ended from outside."""
        handle: WorkflowHandle[Any, Settlement] = self.client.get_workflow_handle(
            arbitration, result_type=Settlement
        )
        with translate_errors(translation.build_unknown_arbitration(arbitration)):
            try:
                return (await handle.result()).contradiction
            except (WorkflowFailureError, ValidationError):
                return None

    async def rule_late(self, run_id: str, late: LateRuling) -> str:
        answer = late.ruling.model_dump(mode="json", exclude_none=True)
        if late.replaces:
            answer |= {"replaces": True, "ruling": late.choice}
        body = {"contradiction_id": late.contradiction_id, **answer}
        unknown = translation.build_unknown_run(run_id)
        return await translation.update_workflow(
            self.client, run_id, Handler.RULE_LATE, body, str, unknown
        )
