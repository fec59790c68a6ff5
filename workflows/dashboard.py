"""The Web UI's face of a run: `current_details` as a Markdown table."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from caveat.contracts.contradiction import Contradiction
    from caveat.contracts.progress import AssignmentProgress, AssignmentState, Progress

SHOWN_FAILURES = 10
"""The newest; all of them are in the `progress` query."""

GAP = "\u2003"
"""An em space behind every cell: the Web UI draws tables without any space between columns."""

STATES: dict[AssignmentState, str] = {
    AssignmentState.WAITING: "waiting",
    AssignmentState.SEARCHING: "searching",
    AssignmentState.READING: "reading",
    AssignmentState.DONE: "done",
    AssignmentState.NOTHING_FOUND: "nothing found",
    AssignmentState.FAILED: "failed",
}


def dashboard(progress: Progress) -> str:
    """Draw a run as Markdown."""
    lines = [f"### {_cell(progress.topic) or 'Research'}", "", _headline(progress), ""]
    if progress.assignments:
        lines += [
            _row("angle", "state", "found", "read", "claims", "failures", "note"),
            "|---|---|---|---|---|---|---|",
            *(_row(*_cells(line)) for line in progress.assignments),
            "",
        ]
    if progress.contradictions:
        lines += [
            _row("contradiction", "what differs", "state", "answer until", "how to answer"),
            "|---|---|---|---|---|",
            *(_row(*_dispute(each)) for each in progress.contradictions),
            "",
        ]
    if progress.rejected:
        lines += [f"**{progress.rejected} answers were not accepted**, the latest of them:", ""]
        lines += [
            f"- {_cell(each.reason)} (sent: {_cell(each.given)})"
            for each in list(progress.rejections)[-SHOWN_FAILURES:]
        ]
        lines.append("")
    if progress.failures:
        lines += ["**Failures**", ""]
        lines += [
            f"- {_cell(failed.task_description)}: {_cell(failed.failure.message)}"
            for failed in progress.failures[-SHOWN_FAILURES:]
        ]
    return "\n".join(lines).rstrip() + "\n"


def _headline(progress: Progress) -> str:
    parts = [f"**{progress.phase.replace('_', ' ')}**"]
    if progress.documents is not None:
        parts.append(f"{progress.documents} documents")
    if progress.confidence is not None:
        parts.append(f"confidence {progress.confidence:.2f}")
    if progress.problem is not None:
        parts.append(_cell(progress.problem))
    return " · ".join(parts)


def _cells(line: AssignmentProgress) -> tuple[str, ...]:
    read = f"{line.read}/{line.to_read}" if line.to_read else ""
    counts = (str(line.found), read, str(line.claims), str(line.failures))
    return (_cell(line.title), STATES[line.state], *counts, _cell(line.note))


def _dispute(contradiction: Contradiction) -> tuple[str, ...]:
    state = contradiction.state.value
    if contradiction.settled_by is not None:
        state += f" by {contradiction.settled_by.replace('_', ' ')}"
    if contradiction.ruling is not None:
        state += f": {contradiction.ruling}"
    deadline, command = "", ""
    if contradiction.is_open and contradiction.deadline is not None:
        deadline = f"{contradiction.deadline:%Y-%m-%d %H:%M} UTC"
        command = f"`caveat rule {contradiction.arbitration} a|b|both|neither --because '...'`"
    return (
        contradiction.id,
        _cell(contradiction.about),
        _cell(state),
        deadline,
        command.replace("|", "\\|"),
    )


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell + GAP for cell in cells) + " |"


def _cell(text: str) -> str:
    """Source text in a table: no bars, no line breaks, no markup."""
    for sign in "\\|`*_[]<>":
        text = text.replace(sign, f"\\{sign}" if sign != "|" else "\\|")
    return " ".join(text.split())
