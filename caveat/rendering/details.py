"""The Web UI's faces of a run and of an arbitration: `current_details` as Markdown tables."""

from collections.abc import Iterator, Sequence

from caveat.contracts.contradiction import (
    Case,
    Contradiction,
    ContradictionState,
    Hearing,
    Rejection,
    SideEvidence,
    TrackRecord,
)
from caveat.contracts.outcome import AssignmentProgress, AssignmentState, Progress
from caveat.contracts.phase import Phase
from caveat.contracts.report import ReportedFailure
from caveat.rendering.amounts import format_span, format_spending, format_step_spending
from caveat.rendering.backends import describe_backend, describe_provider_wait
from caveat.rendering.commands import (
    format_code,
    format_command,
    format_ruling_command,
    format_ruling_input,
    format_update_command,
    list_choices,
)
from caveat.rendering.visible import escape_links, sanitize_text
from caveat.rules.contradictions.choices import PAIR, describe_outcome, format_options, list_letters
from caveat.rules.lines import shorten
from caveat.rules.sources import list_unread_sentences

GAP = "\u2003"
"""An em space behind every cell: the Web UI draws tables without any space between columns."""

MARKUP = "\\|`*_[]<>"


def render_table(head: tuple[str, ...], *rows: tuple[str, ...]) -> list[str]:
    return [_render_row(head), "|---" * len(head) + "|", *map(_render_row, rows)]


def render_cell(text: str) -> str:
    """Sanitise a text for a table cell: one line without bars, markup, links or hidden signs."""
    text = sanitize_text(text)
    for sign in MARKUP:
        text = text.replace(sign, f"\\{sign}")
    return escape_links(" ".join(text.split()))


def _render_row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(each + GAP for each in cells) + " |"


SHOWN = 10  # the newest failures and rejections; all that are kept are in the `progress` query

STATES: dict[AssignmentState, str] = {
    AssignmentState.WAITING: "waiting",
    AssignmentState.SEARCHING: "searching",
    AssignmentState.READING: "reading",
    AssignmentState.DONE: "done",
    AssignmentState.NOTHING_FOUND: "nothing found",
    AssignmentState.FAILED: "failed",
}


def render_run_details(progress: Progress) -> str:
    parts = (
        [f"### {render_cell(progress.topic) or 'Research'}"],
        [_render_headline(progress)],
        _render_backend(progress),
        [render_cell(left) for left in list_unread_sentences(progress.unread)],
        _render_proposal(progress),
        _render_assignments(progress.assignments),
        _render_contradictions(progress.contradictions),
        _list_rejections(progress.rejections, progress.rejected),
        [f"- {line}" for line in format_step_spending(progress.usage_by_step)],
        _list_failures(progress.failures[-SHOWN:]),
    )
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


def _render_headline(progress: Progress) -> str:
    parts = [f"**{progress.phase.replace('_', ' ')}**"]
    if progress.provider_wait is not None:
        parts.append(render_cell(describe_provider_wait(progress.provider_wait)))
    if progress.documents is not None:
        parts.append(f"{progress.documents} documents")
    if progress.confidence is not None:
        parts.append(f"confidence {progress.confidence:.2f}")
    if progress.model_calls:
        parts.append(format_spending(progress))
    if progress.provisional_problem is not None and progress.phase is Phase.AWAITING_RULINGS:
        parts.append(render_cell(progress.provisional_problem))
    if progress.problem is not None:
        parts.append(render_cell(progress.problem))
    return " · ".join(parts)


def _render_backend(progress: Progress) -> list[str]:
    """Name the only workers of the run, which cannot see whether one is there."""
    if progress.backend is None:
        return ["Taken up by the first worker for all runs: `caveat up`, or `caveat worker`."]
    words = render_cell(describe_backend(progress.backend))
    return [f"Worked on by {words} alone; without such a worker it waits for one."]


def _render_proposal(progress: Progress) -> list[str]:
    """Render a plan that waits for approval, with the commands."""
    if progress.proposal is None:
        return []
    plan, until = progress.proposal.plan, progress.proposal.deadline
    rows = (
        (each.id, render_cell(each.title), render_cell(each.question)) for each in plan.assignments
    )
    return [
        (
            f"**A person approves the plan** until {until:%Y-%m-%d %H:%M} UTC: "
            f"{format_code(format_command('resume', progress.run_id, options='--approve'))}, or "
            "update `approve` with `{}`"
        ),
        "",
        *render_table(("id", "angle", "question"), *rows),
        *(f"- The planner asks: {render_cell(each)}" for each in plan.questions),
    ]


def _render_assignments(lines: Sequence[AssignmentProgress]) -> list[str]:
    if not lines:
        return []
    head = ("angle", "state", "found", "read", "claims", "failures", "note")
    return render_table(head, *map(_build_assignment_row, lines))


def _build_assignment_row(line: AssignmentProgress) -> tuple[str, ...]:
    read = f"{line.read}/{line.to_read}" if line.to_read else ""
    counts = (str(line.found), read, str(line.claims), str(line.failures))
    return (render_cell(line.title), STATES[line.state], *counts, render_cell(line.note))


def _render_contradictions(found: Sequence[Contradiction]) -> list[str]:
    if not found:
        return []
    lines = render_table(
        ("contradiction", "what differs", "state"), *map(_build_contradiction_row, found)
    )
    asked = [each for each in found if each.is_open and each.arbitration is not None]
    if asked:
        lines += ["", "**A person is asked**", ""]
        lines += [
            f"- {_format_deadline(each)}: "
            + format_code(
                format_ruling_command(each.arbitration or "", format_options(len(each.sides)))
            )
            for each in asked
        ]
    return lines


def _build_contradiction_row(each: Contradiction) -> tuple[str, ...]:
    state = each.state.value
    if each.settled_by is not None:
        state += f" by {each.settled_by.replace('_', ' ')}"
    if each.ruling is not None:
        state += f": {each.ruling}"
    return each.id, render_cell(each.about), state


def _format_deadline(each: Contradiction) -> str:
    deadline = f" until {each.deadline:%Y-%m-%d %H:%M} UTC" if each.deadline else ""
    return f"{each.id}{deadline}"


def _list_rejections(latest: Sequence[Rejection], count: int) -> list[str]:
    if not count:
        return []
    lines = [f"**Answers that were not accepted: {count}**", ""]
    return lines + [
        f"- {render_cell(each.reason)} ({render_cell(each.given)})" for each in latest[-SHOWN:]
    ]


def _list_failures(failures: Sequence[ReportedFailure]) -> list[str]:
    if not failures:
        return []
    return [
        "**Failures**",
        "",
        *(
            f"- {render_cell(failed.task_description)}: {render_cell(failed.failure.message)}"
            for failed in failures
        ),
    ]


MEANING = {
    "a": "the first claim holds",
    "b": "the second claim holds",
    "both": "both hold, they differ in scope or date",
    "neither": "neither holds",
}
"""Of two values."""

HERE = (
    "Or here, in the Web UI: *Send an Update* in the menu beside *Request Cancellation*, with the "
    "name `rule` and this input; its ruling is {choices}."
)


def render_arbitration_details(
    hearing: Hearing, arbitration: str, namespace: str, failures: Sequence[ReportedFailure] = ()
) -> str:
    """Render an arbitration as Markdown.

    Args:
        namespace: of the workflow.
        failures: of notices and records.
    """
    asked = hearing.contradiction
    lines = [f"### {render_cell(asked.about)}", "", _render_state(hearing), ""]
    lines += _render_sides(hearing.case.sides)
    lines += [
        "",
        "**Why a person is asked**",
        "",
        *(
            f"- {step.rung.replace('_', ' ')}: {render_cell(step.reason)}"
            for step in hearing.case.contradiction.steps
        ),
    ]
    lines += [
        "",
        *(
            _render_how_to_answer(hearing.case, arbitration, namespace)
            if asked.is_open
            else _render_settlement(asked)
        ),
    ]
    if hearing.rejected:
        lines += ["", *_render_rejections(hearing.rejections, hearing.rejected)]
    if failures:
        lines += ["", *_list_failures(failures)]
    return "\n".join(lines) + "\n"


def _render_state(hearing: Hearing) -> str:
    state = hearing.contradiction.state
    until = f"{hearing.deadline:%Y-%m-%d %H:%M:%S} UTC"
    waits = f"waits until {until} for a person to rule ({format_span(hearing.case.timeout)} in all)"
    parts = [f"**{state}**"]
    if state is ContradictionState.OPEN:
        parts.append(waits)
    return " · ".join(
        (*parts, f"{render_cell(hearing.case.topic)} ({render_cell(hearing.case.run_id)})")
    )


def _render_sides(sides: Sequence[SideEvidence]) -> list[str]:
    """Two values side by side, more below each other."""
    letter = list_letters(len(sides))
    columns = [_build_column(side) for side in sides]
    names = [name for name in columns[0] if any(column[name] for column in columns)]
    if len(sides) == PAIR:
        lines = render_table(
            ("", *letter), *((name, *(column[name] for column in columns)) for name in names)
        )
    else:
        rows = zip(letter, columns, strict=True)
        lines = render_table(
            ("", *names), *((each, *(column[name] for name in names)) for each, column in rows)
        )
    # An address does not wrap: in the table it would push the other values out of sight.
    places = [
        (name, side.source.url or side.source.path)
        for name, side in zip(letter, sides, strict=True)
    ]
    return [*lines, "", *(f"- {name}: {render_cell(place)}" for name, place in places if place)]


_TITLE = 80  # characters of a title: five whole ones would push the quotes out of sight


def _build_column(side: SideEvidence) -> dict[str, str]:
    claim, source = side.claim, side.source
    return {
        "value": render_cell(side.value),
        "scope": render_cell(side.scope),
        "quote": f"“{render_cell(claim.quote)}”",
        "claim": render_cell(claim.text) if claim.text != claim.quote else "",
        "source": render_cell(source.title),
        "where": render_cell(claim.location or ""),
        "published": f"{source.published:%Y-%m-%d}" if source.published else "",
        "kind": render_cell(source.kind),
        "credibility": f"{claim.credibility:.2f}",
        "corroboration": "this source alone"
        if side.corroboration == 1
        else f"{side.corroboration} independent sources",
        "also said by": render_cell(
            " · ".join(shorten(each.source, _TITLE) for each in side.backing)
        ),
        "track record": _format_track_record(side.track_record),
    }


def _format_track_record(record: TrackRecord) -> str:
    if not record.ruled:
        return "nobody ruled on it yet"
    return f"upheld in {record.upheld} of {record.ruled} ({record.low:.0%} to {record.high:.0%})"


def _render_how_to_answer(case: Case, arbitration: str, namespace: str) -> Iterator[str]:
    values = len(case.sides)
    meaning = MEANING if values == PAIR else _list_meanings(values)
    width = max(map(len, meaning))
    yield from ("**How to answer**, in a terminal, with your reason instead of `why`:", "")
    yield from _render_code(
        *(
            f"{format_ruling_command(arbitration, choice)}{' ' * (width - len(choice))}  # {means}"
            for choice, means in meaning.items()
        )
    )
    yield from ("", "Or with the Temporal CLI:", "")
    yield from _render_code(format_update_command(arbitration, values, namespace))
    yield from ("", HERE.format(choices=list_choices(values)), "")
    yield from _render_code(format_ruling_input(values))


def _list_meanings(values: int) -> dict[str, str]:
    """Explain the choices among more than two values by an example of each kind."""
    names = list_letters(values)
    first, last = names[0], names[-1]
    return {
        first: f"this value holds; so with each letter to {last}",
        f"{first},{last}": "these hold, they differ in scope or date; any letters, with commas",
        "all": "all of them hold, they differ in scope or date",
        "none": "none of them holds",
    }


def _render_code(*lines: str) -> Iterator[str]:
    # Indented, not fenced: no text can end the block from within. One command stays one line.
    yield from ("    " + " ".join(line.splitlines()) for line in lines)


def _render_settlement(settled: Contradiction) -> Iterator[str]:
    who = "nobody" if settled.decided_by is None else render_cell(settled.decided_by)
    values = len(settled.sides)
    meaning = "both claims stay uncertain" if values == PAIR else "every value stays uncertain"
    if settled.ruling is not None:
        meaning = MEANING[settled.ruling] if values == PAIR else describe_outcome(settled)
    when = f", {settled.decided:%Y-%m-%d %H:%M:%S} UTC" if settled.decided else ""
    yield f"**Settled** by {who}{when}: {meaning}. {render_cell(settled.reason)}"


def _render_rejections(latest: Sequence[Rejection], count: int) -> list[str]:
    shown = "" if count == len(latest) else f", the latest {len(latest)} of which are"
    rows = [
        (f"{each.received:%Y-%m-%d %H:%M:%S}", render_cell(each.given), render_cell(each.reason))
        for each in reversed(latest)
    ]
    return [
        f"**Answers that were not accepted**: {count:,}{shown}",
        "",
        *render_table(("received, UTC", "what was sent", "why not"), *rows),
    ]
