"""The Web UI's faces of a run and of an arbitration: `current_details` as Markdown tables."""

from collections.abc import Iterator, Sequence

from caveat.contracts.contradiction import (
    Case,
    Contradiction,
    ContradictionState,
    Hearing,
    LadderStep,
    Rejection,
    SideEvidence,
    TrackRecord,
)
from caveat.contracts.phase import Phase
from caveat.contracts.progress import AssignmentProgress, AssignmentState, Progress
from caveat.contracts.report import ReportedFailure
from caveat.rendering.amounts import span_words, spent_words, step_words
from caveat.rendering.backends import in_words
from caveat.rendering.commands import choices, code, command, given, rule, update
from caveat.rendering.visible import unlinked, visible
from caveat.rendering.words import shortened
from caveat.rules.contradictions.choices import PAIR, letters, options, outcome
from caveat.rules.sources import unread_sentences

GAP = "\u2003"
"""An em space behind every cell: the Web UI draws tables without any space between columns."""

MARKUP = "\\|`*_[]<>"


def table(head: tuple[str, ...], *rows: tuple[str, ...]) -> list[str]:
    """Draw a table, a line each; its cells are Markdown already."""
    return [_row(head), "|---" * len(head) + "|", *map(_row, rows)]


def cell(text: str) -> str:
    """Make any text one line without bars, breaks, markup or links, and with nothing unseen."""
    text = visible(text)
    for sign in MARKUP:
        text = text.replace(sign, f"\\{sign}")
    return unlinked(" ".join(text.split()))


def _row(cells: tuple[str, ...]) -> str:
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


def run_details(progress: Progress) -> str:
    """Draw a run as Markdown."""
    parts = (
        [f"### {cell(progress.topic) or 'Research'}"],
        [_headline(progress)],
        _backend(progress),
        [cell(left) for left in unread_sentences(progress.unread)],
        _proposal(progress),
        _assignments(progress.assignments),
        _contradictions(progress.contradictions),
        _rejections(progress.rejections, progress.rejected),
        _spent(progress),
        _failures(progress.failures[-SHOWN:]),
    )
    return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"


def _headline(progress: Progress) -> str:
    parts = [f"**{progress.phase.replace('_', ' ')}**"]
    if progress.documents is not None:
        parts.append(f"{progress.documents} documents")
    if progress.confidence is not None:
        parts.append(f"confidence {progress.confidence:.2f}")
    if progress.model_calls:
        parts.append(spent_words(progress))
    if progress.provisional_problem is not None and progress.phase is Phase.AWAITING_RULINGS:
        parts.append(cell(progress.provisional_problem))
    if progress.problem is not None:
        parts.append(cell(progress.problem))
    return " · ".join(parts)


def _spent(progress: Progress) -> list[str]:
    """What model calls took, by step."""
    return [f"- {line}" for line in step_words(progress.usage_by_step)]


def _backend(progress: Progress) -> list[str]:
    """Say who alone works on it; a run cannot see whether such a worker is there."""
    if progress.backend is None:
        return ["Taken up by the first worker for all runs: `caveat up`, or `caveat worker`."]
    words = cell(in_words(progress.backend))
    return [f"Worked on by {words} alone; without such a worker it waits for one."]


def _proposal(progress: Progress) -> list[str]:
    """Show a plan that waits for a person, and what approves it."""
    if progress.proposal is None:
        return []
    plan, until = progress.proposal.plan, progress.proposal.deadline
    rows = ((each.id, cell(each.title), cell(each.question)) for each in plan.assignments)
    return [
        (
            f"**A person approves the plan** until {until:%Y-%m-%d %H:%M} UTC: "
            f"{code(command('approve', progress.run_id))}, or update `approve` with `{{}}`"
        ),
        "",
        *table(("id", "angle", "question"), *rows),
        *(f"- The planner asks: {cell(each)}" for each in plan.questions),
    ]


def _assignments(lines: Sequence[AssignmentProgress]) -> list[str]:
    if not lines:
        return []
    head = ("angle", "state", "found", "read", "claims", "failures", "note")
    return table(head, *map(_assignment, lines))


def _assignment(line: AssignmentProgress) -> tuple[str, ...]:
    read = f"{line.read}/{line.to_read}" if line.to_read else ""
    counts = (str(line.found), read, str(line.claims), str(line.failures))
    return (cell(line.title), STATES[line.state], *counts, cell(line.note))


def _contradictions(found: Sequence[Contradiction]) -> list[str]:
    if not found:
        return []
    lines = table(("contradiction", "what differs", "state"), *map(_contradiction, found))
    asked = [each for each in found if each.is_open and each.arbitration is not None]
    if asked:
        lines += ["", "**A person is asked**", ""]
        lines += [f"- {_until(each)}: {code(_command(each))}" for each in asked]
    return lines


def _contradiction(each: Contradiction) -> tuple[str, ...]:
    state = each.state.value
    if each.settled_by is not None:
        state += f" by {each.settled_by.replace('_', ' ')}"
    if each.ruling is not None:
        state += f": {each.ruling}"
    return each.id, cell(each.about), state


def _command(each: Contradiction) -> str:
    return rule(each.arbitration or "", options(len(each.sides)))


def _until(each: Contradiction) -> str:
    deadline = f" until {each.deadline:%Y-%m-%d %H:%M} UTC" if each.deadline else ""
    return f"{each.id}{deadline}"


def _rejections(latest: Sequence[Rejection], count: int) -> list[str]:
    if not count:
        return []
    lines = [f"**Answers that were not accepted: {count}**", ""]
    return lines + [f"- {cell(each.reason)} ({cell(each.given)})" for each in latest[-SHOWN:]]


def _failures(failures: Sequence[ReportedFailure]) -> list[str]:
    if not failures:
        return []
    return [
        "**Failures**",
        "",
        *(
            f"- {cell(failed.task_description)}: {cell(failed.failure.message)}"
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


def arbitration_details(
    hearing: Hearing, arbitration: str, namespace: str, failures: Sequence[ReportedFailure] = ()
) -> str:
    """Draw an arbitration as Markdown.

    Args:
        namespace: where it runs.
        failures: what could not be delivered or kept.
    """
    asked = hearing.contradiction
    lines = [f"### {cell(asked.about)}", "", _waits(hearing), ""]
    lines += _sides(hearing.case.sides)
    lines += ["", "**Why a person is asked**", "", *map(_step, hearing.case.contradiction.steps)]
    lines += [
        "",
        *(_how(hearing.case, arbitration, namespace) if asked.is_open else _settled(asked)),
    ]
    if hearing.rejected:
        lines += ["", *_unaccepted(hearing.rejections, hearing.rejected)]
    if failures:
        lines += ["", *_failures(failures)]
    return "\n".join(lines) + "\n"


def _waits(hearing: Hearing) -> str:
    state = hearing.contradiction.state
    until = f"{hearing.deadline:%Y-%m-%d %H:%M:%S} UTC"
    waits = f"waits until {until} for a person to rule ({span_words(hearing.case.timeout)} in all)"
    parts = [f"**{state}**"]
    if state is ContradictionState.OPEN:
        parts.append(waits)
    return " · ".join((*parts, f"{cell(hearing.case.topic)} ({cell(hearing.case.run_id)})"))


def _sides(sides: Sequence[SideEvidence]) -> list[str]:
    """Two values beside each other, more below each other."""
    letter = letters(len(sides))
    columns = [_column(side) for side in sides]
    names = [name for name in columns[0] if any(column[name] for column in columns)]
    if len(sides) == PAIR:
        lines = table(
            ("", *letter), *((name, *(column[name] for column in columns)) for name in names)
        )
    else:
        rows = zip(letter, columns, strict=True)
        lines = table(
            ("", *names), *((each, *(column[name] for name in names)) for each, column in rows)
        )
    # An address does not wrap: in the table it would push the other values out of sight.
    places = [
        (name, side.source.url or side.source.path)
        for name, side in zip(letter, sides, strict=True)
    ]
    return [*lines, "", *(f"- {name}: {cell(place)}" for name, place in places if place)]


_TITLE = 80  # characters of a title: five whole ones would push the quotes out of sight


def _column(side: SideEvidence) -> dict[str, str]:
    claim, source = side.claim, side.source
    return {
        "value": cell(side.value),
        "scope": cell(side.scope),
        "quote": f"“{cell(claim.quote)}”",
        "claim": cell(claim.text) if claim.text != claim.quote else "",
        "source": cell(source.title),
        "where": cell(claim.location or ""),
        "published": f"{source.published:%Y-%m-%d}" if source.published else "",
        "kind": cell(source.kind),
        "credibility": f"{claim.credibility:.2f}",
        "corroboration": _corroboration(side.corroboration),
        "also said by": cell(" · ".join(shortened(each.source, _TITLE) for each in side.backing)),
        "track record": _track_record(side.track_record),
    }


def _corroboration(sources: int) -> str:
    return "this source alone" if sources == 1 else f"{sources} independent sources"


def _track_record(record: TrackRecord) -> str:
    if not record.ruled:
        return "nobody ruled on it yet"
    return f"upheld in {record.upheld} of {record.ruled} ({record.low:.0%} to {record.high:.0%})"


def _step(step: LadderStep) -> str:
    return f"- {step.rung.replace('_', ' ')}: {cell(step.reason)}"


def _how(case: Case, arbitration: str, namespace: str) -> Iterator[str]:
    values = len(case.sides)
    meaning = MEANING if values == PAIR else _meanings(values)
    width = max(map(len, meaning))
    yield from ("**How to answer**, in a terminal, with your reason instead of `why`:", "")
    yield from _code(
        *(
            f"{rule(arbitration, choice)}{' ' * (width - len(choice))}  # {means}"
            for choice, means in meaning.items()
        )
    )
    yield from ("", "Or with the Temporal CLI:", "")
    yield from _code(update(arbitration, values, namespace))
    yield from ("", HERE.format(choices=choices(values)), "")
    yield from _code(given(values))


def _meanings(values: int) -> dict[str, str]:
    """Say what can be answered where there are more than two values: an example of each kind."""
    names = letters(values)
    first, last = names[0], names[-1]
    return {
        first: f"this value holds; so with each letter to {last}",
        f"{first},{last}": "these hold, they differ in scope or date; any letters, with commas",
        "all": "all of them hold, they differ in scope or date",
        "none": "none of them holds",
    }


def _code(*lines: str) -> Iterator[str]:
    # Indented, not fenced: no text can end the block from within. One command stays one line.
    yield from ("    " + " ".join(line.splitlines()) for line in lines)


def _settled(settled: Contradiction) -> Iterator[str]:
    who = "nobody" if settled.decided_by is None else cell(settled.decided_by)
    values = len(settled.sides)
    meaning = "both claims stay uncertain" if values == PAIR else "every value stays uncertain"
    if settled.ruling is not None:
        meaning = MEANING[settled.ruling] if values == PAIR else outcome(settled)
    when = f", {settled.decided:%Y-%m-%d %H:%M:%S} UTC" if settled.decided else ""
    yield f"**Settled** by {who}{when}: {meaning}. {cell(settled.reason)}"


def _unaccepted(latest: Sequence[Rejection], count: int) -> list[str]:
    shown = "" if count == len(latest) else f", the latest {len(latest)} of which are"
    rows = [
        (f"{each.received:%Y-%m-%d %H:%M:%S}", cell(each.given), cell(each.reason))
        for each in reversed(latest)
    ]
    return [
        f"**Answers that were not accepted**: {count:,}{shown}",
        "",
        *table(("received, UTC", "what was sent", "why not"), *rows),
    ]
