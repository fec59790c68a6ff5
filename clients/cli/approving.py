"""The plan of a run at the terminal: shown, edited and approved."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console

from caveat.clients.cli.console import say
from caveat.clients.cli.views import View
from caveat.clients.parsing import name_person
from caveat.clients.problems import BadInput
from caveat.clients.runs import Runs
from caveat.contracts.plan import Approval, Plan, Proposal
from caveat.rendering.commands import format_command
from caveat.rendering.words import format_datetime
from caveat.rules.run.approval import NotApplicable, apply_approval

_HOW = "yes, drop a2, edit a2 TEXT, add TEXT, answer 1 TEXT or later"


def tell_plan(console: Console, run_id: str, proposal: Proposal) -> None:
    """Say what a run would look for, what the planner asks, and how to approve it."""
    say(
        console,
        f"The plan waits for your approval until {format_datetime(proposal.deadline)}:",
        "bold",
    )
    show_plan(console, proposal.plan)
    say(
        console,
        f"`{format_command('resume', run_id, options='--approve')}` approves it; --drop, --edit "
        "and --add change it.",
    )


def show_plan(console: Console, plan: Plan, answers: Sequence[str] = ()) -> None:
    """List the angles of a plan, and what the planner asks, with what was answered."""
    for each in plan.assignments:
        say(console, f"  {each.id} {each.title}: {each.question}")
    for number, question in enumerate(plan.questions, start=1):
        answer = "".join(answers[number - 1 : number])
        said = f"  Question {number}: {question} {answer}".rstrip()
        say(console, said, "" if answer else "yellow")


@dataclass(frozen=True)
class PlanPrompt:
    """Question to whoever sits at the terminal, and the decision."""

    runs: Runs
    console: Console  # where it is shown
    view: View  # where the answer is typed

    async def ask(self, run_id: str, proposal: Proposal) -> bool:
        """Show the plan and take decisions until it is approved; False for `later`."""
        decision = Approval(by=name_person())
        say(self.console, f"The plan, until {format_datetime(proposal.deadline)}:", "bold")
        while True:
            asked = {"questions": proposal.plan.questions}
            edited_plan = apply_approval(proposal.plan, decision).model_copy(update=asked)
            show_plan(self.console, edited_plan, decision.answers)
            line = (await self.view.ask(f"Approve? ({_HOW}) ")).strip()
            if line.casefold() in {"later", ""}:
                return False
            try:
                if line.casefold() in {"yes", "y"}:
                    say(self.console, await self.runs.approve(run_id, decision))
                    return True
                changed = edit_decision(decision, line, len(proposal.plan.questions))
                apply_approval(proposal.plan, changed)
                decision = changed
            except (BadInput, NotApplicable) as wrong:
                say(self.console, str(wrong), "yellow")


_LINE = re.compile(r"(?i:(drop|add|edit|answer))\s+(.+)")


def edit_decision(decision: Approval, line: str, questions: int) -> Approval:
    """Add to a decision what somebody typed, such as `drop a2`."""
    found = _LINE.fullmatch(line)
    what, said = (found[1].lower(), found[2].strip()) if found else ("", "")
    name, _, text = said.partition(" ")
    match what:
        case "drop":
            changes: dict[str, object] = {"drop": (*decision.drop, said)}
        case "add":
            changes = {"add": (*decision.add, said)}
        case "edit" if text.strip():
            changes = {"edit": {**decision.edit, name: text.strip()}}
        case "answer" if text.strip() and name.isdigit() and 0 < int(name) <= questions:
            answers = [*decision.answers, *[""] * questions][:questions]
            answers[int(name) - 1] = text.strip()
            changes = {"answers": tuple(answers)}
        case _:
            raise BadInput(f"“{line[:60]}” is no decision: {_HOW}.")
    return decision.model_copy(update=changes)
