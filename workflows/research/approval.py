"""Approval: a plan waits for a person before anything is looked for or paid for."""

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError
from temporalio import workflow

from caveat.contracts.notice import NoticeKind
from caveat.contracts.outcome import Ending
from caveat.contracts.phase import Phase
from caveat.contracts.plan import Approval, Plan, Proposal, ResearchRequest
from caveat.rendering.amounts import format_count, format_span
from caveat.rendering.commands import format_command
from caveat.rendering.mistakes import describe_first_mistake
from caveat.rules.run.approval import NotApplicableError, apply_approval
from caveat.workflows.answers import Refused
from caveat.workflows.research.run import Run
from caveat.workflows.research.views import RunEnded

EXAMPLE = '{"drop": ["a2"], "edit": {"a1": "How wide is it?"}, "add": ["Who says so?"]}'


async def obtain_approval(run: Run, request: ResearchRequest, plan: Plan) -> Plan:
    """Wait for a person's decision on a new plan, where the request wants one."""
    # Without a decision the run ends by name: nobody agreed to what it would cost.
    if not request.approve_plan or run.earlier is not None:
        return plan
    began = workflow.now()
    deadline = began + request.approval_timeout
    run.proposal = Proposal(plan=plan, deadline=deadline)
    run.enter_phase(Phase.AWAITING_APPROVAL)
    how = format_command("resume", run.run_id, options="--approve")
    run.notify(
        NoticeKind.PERSON_NEEDED,
        f"A plan of {format_count(len(plan.assignments), 'angle')} waits for approval until "
        f"{deadline:%Y-%m-%d %H:%M} UTC: {how}",
    )
    span = format_span(request.approval_timeout)
    try:
        await workflow.wait_condition(
            lambda: run.proposal is None,
            timeout=request.approval_timeout,
            timeout_summary=f"{span} for a person to approve the plan",
        )
    except TimeoutError:
        raise RunEnded(
            Ending.PLAN_NOT_APPROVED,
            f"Nobody approved the plan within {span}, and nothing was spent on it.",
        ) from None
    run.waited += workflow.now() - began
    return run.plan or plan


def check_approval(run: Run, args: Sequence[Any]) -> Plan:
    """Read a decision, and say what it makes of the plan."""
    proposal = run.proposal
    if proposal is None:
        raise Refused(f"No plan of {run.run_id} waits for approval.")
    fields = args[0] if len(args) == 1 and isinstance(args[0], dict) else None
    try:
        decision = Approval.parse_sent({} if not args else fields)
        return apply_approval(proposal.plan, decision)
    except ValidationError as error:
        wrong = describe_first_mistake(error, "decision")
        raise Refused(f"The decision is not valid: {wrong}. For example {EXAMPLE}.") from None
    except NotApplicableError as refused:
        raise Refused(str(refused)) from None


def accept_approval(run: Run, args: Sequence[Any]) -> str:
    """Take a decision: the first one counts."""
    run.start_plan(check_approval(run, args))
    run.proposal = None
    return "The plan is approved, and the run goes on."
