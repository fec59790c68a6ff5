"""The Web UI's faces of a run and of an arbitration: `current_details` as Markdown tables."""

from collections.abc import Iterator, Sequence

from caveat.contracts.contradiction import Contradiction, Hearing, Rejection
from caveat.contracts.outcome import AssignmentProgress, Progress
from caveat.contracts.phase import Phase
from caveat.contracts.report import ReportedFailure
from caveat.rendering import commands, words
from caveat.rendering.amounts import format_span, format_spending
from caveat.rendering.backends import describe_backend
from caveat.rendering.progress import describe_progress
from caveat.rendering.visible import escape_markdown, render_table
from caveat.rules.contradictions.choices import list_letters
from caveat.rules.sources.unread import list_unread_sentences

GAP = "\u2003"
"""An em space behind every cell: the Web UI draws tables without any space between columns."""

SHOWN = 10  # the newest failures and rejections; all that are kept are in the `progress` query


def render_run_details(progress: Progress) -> str:
    return _join(
        [f"### {escape_markdown(progress.topic) or 'Research'}"],
        [_render_headline(progress)],
        _render_backend(progress),
        [escape_markdown(left) for left in list_unread_sentences(progress.unread)],
        _render_proposal(progress),
        _render_assignments(progress.assignments),
        _render_contradictions(progress.contradictions),
        _list_rejections(progress.rejections, progress.rejected),
        _list_failures(progress.failures[-SHOWN:]),
    )


def _join(*parts: Sequence[str]) -> str:
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


def _render_headline(progress: Progress) -> str:
    parts = [f"**{escape_markdown(describe_progress(progress))}**"]
    if progress.confidence is not None:
        parts.append(f"confidence {progress.confidence:.2f}")
    if progress.model_calls:
        parts.append(format_spending(progress))
    if progress.provisional_problem is not None and progress.phase is Phase.AWAITING_RULINGS:
        parts.append(escape_markdown(progress.provisional_problem))
    if progress.problem is not None:
        parts.append(escape_markdown(progress.problem))
    return " · ".join(parts)


def _render_backend(progress: Progress) -> list[str]:
    """Name the only workers of the run, which cannot see whether one is there."""
    if progress.backend is None:
        return ["Taken up by the first worker for all runs: `caveat up`, or `caveat worker`."]
    words = escape_markdown(describe_backend(progress.backend))
    return [f"Worked on by {words} alone; without such a worker it waits for one."]


def _render_proposal(progress: Progress) -> list[str]:
    if progress.proposal is None:
        return []
    plan, until = progress.proposal.plan, progress.proposal.deadline
    approves = commands.format_command("resume", progress.run_id, options="--approve")
    rows = (
        (each.id, escape_markdown(each.title), escape_markdown(each.question))
        for each in plan.assignments
    )
    return [
        (
            f"**A person approves the plan** until {words.format_datetime(until)}: "
            f"{commands.format_code(approves)}, or update `approve` with `{{}}`"
        ),
        "",
        render_table(("id", "angle", "question"), rows, GAP),
        *(f"- The planner asks: {escape_markdown(each)}" for each in plan.questions),
    ]


def _render_assignments(lines: Sequence[AssignmentProgress]) -> list[str]:
    if not lines:
        return []
    rows = (
        (
            escape_markdown(line.title),
            line.state.replace("_", " "),
            str(line.found),
            f"{line.read}/{line.to_read}" if line.to_read else "",
            str(line.claims),
            str(line.failures),
            escape_markdown(line.note),
        )
        for line in lines
    )
    head = ("angle", "state", "found", "read", "claims", "failures", "note")
    return [render_table(head, rows, GAP)]


def _render_contradictions(contradictions: Sequence[Contradiction]) -> list[str]:
    if not contradictions:
        return []
    rows, asked = [], []
    for each in contradictions:
        by = f" by {each.settled_by.replace('_', ' ')}" if each.settled_by else ""
        ruling = f": {each.ruling}" if each.ruling is not None else ""
        rows.append((each.id, escape_markdown(each.about), f"{each.state.value}{by}{ruling}"))
        if each.is_open and each.arbitration is not None:
            until = f" until {words.format_datetime(each.deadline)}" if each.deadline else ""
            command = commands.format_code(
                commands.format_ruling_command(each.arbitration, len(each.sides))
            )
            asked.append(f"- {each.id}{until}: {command}")
    table = render_table(("contradiction", "what differs", "state"), rows, GAP)
    return [table, *(("", "**A person is asked**", "", *asked) if asked else ())]


def _list_rejections(latest: Sequence[Rejection], count: int) -> list[str]:
    """List the answers that were not accepted, the newest first."""
    if not count:
        return []
    return [
        f"**Answers that were not accepted: {count:,}**",
        "",
        *(
            f"- {each.received:%Y-%m-%d %H:%M:%S} UTC: {escape_markdown(each.reason)} "
            f"({escape_markdown(each.given)})"
            for each in reversed(latest[-SHOWN:])
        ),
    ]


def _list_failures(failures: Sequence[ReportedFailure]) -> list[str]:
    if not failures:
        return []
    return [
        "**Failures**",
        "",
        *(
            f"- {escape_markdown(f'{failed.task_description}: {failed.failure.message}')}"
            for failed in failures
        ),
    ]


def render_arbitration_details(
    hearing: Hearing, arbitration: str, namespace: str, failures: Sequence[ReportedFailure] = ()
) -> str:
    """Render an arbitration, with the failures of its notices and records."""
    contradiction, case = hearing.contradiction, hearing.case
    waits, values = "", len(case.sides)
    if contradiction.is_open:
        until, span = words.format_datetime(hearing.deadline), format_span(case.timeout)
        waits = f" · waits until {until} for a person to rule ({span} in all)"
    sides = []
    for letter, side in zip(list_letters(values), case.sides, strict=True):
        facts, *others = words.describe_side(side)
        sides.append(f"- **{letter}**: {escape_markdown(facts)}")
        sides += [f"  - {escape_markdown(each)}" for each in others]
        sides += [f"  - also {escape_markdown(each)}" for each in words.describe_backing(side)]
    place = f"{escape_markdown(case.topic)} ({escape_markdown(case.run_id)})"
    why = ["**Why a person is asked**", ""]
    return _join(
        [f"### {escape_markdown(contradiction.about)}"],
        [f"**{contradiction.state}**{waits} · {place}"],
        sides,
        why
        + [f"- {escape_markdown(each)}" for each in words.describe_attempts(case.contradiction)],
        list(_render_how_to_answer(values, arbitration, namespace))
        if contradiction.is_open
        else [
            escape_markdown(f"{words.describe_resolution(contradiction)}. {contradiction.reason}")
        ],
        _list_rejections(hearing.rejections, hearing.rejected),
        _list_failures(failures),
    )


def _render_how_to_answer(values: int, arbitration: str, namespace: str) -> Iterator[str]:
    yield from ("**How to answer**, in a terminal, with your reason instead of `TEXT`:", "")
    yield _render_code(commands.format_ruling_command(arbitration, values))
    yield from ("", "Or with the Temporal CLI:", "")
    yield _render_code(commands.format_update_command(arbitration, values, namespace))
    menu = "in the menu beside *Request Cancellation*, with the name `rule` and this input"
    choices = commands.list_choices(values)
    yield from (
        "",
        f"Or here, in the Web UI: *Send an Update* {menu}; its ruling is {choices}.",
        "",
    )
    yield _render_code(commands.format_ruling_input(values))


def _render_code(command: str) -> str:
    # Indented, not fenced: no text can end the block from within. One command stays one line.
    return "    " + " ".join(command.splitlines())
