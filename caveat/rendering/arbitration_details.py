"""The Web UI's face of an arbitration: both sides, and how to answer, as Markdown."""

from collections.abc import Iterator, Sequence

from caveat.contracts.contradiction import (
    Case,
    Contradiction,
    ContradictionState,
    Hearing,
    LadderStep,
    Rejection,
    Side,
    TrackRecord,
)
from caveat.contracts.report import ReportedFailure
from caveat.rendering.amounts import span_words
from caveat.rendering.commands import choices, given, rule, update
from caveat.rendering.tables import cell, table
from caveat.rules.contradictions.choices import PAIR, letters, outcome

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
    hearing: Hearing,
    arbitration: str,
    namespace: str,
    failures: Sequence[ReportedFailure] = (),
) -> str:
    """Draw an arbitration as Markdown.

    Args:
        hearing: as it stands.
        arbitration: its workflow id, which the commands name.
        namespace: where it runs.
        failures: what could not be delivered or kept.
    """
    asked = hearing.contradiction
    lines = [f"### {cell(asked.about)}", "", _headline(hearing), ""]
    lines += _sides(hearing.case.sides)
    lines += ["", "**Why a person is asked**", "", *map(_step, hearing.case.contradiction.steps)]
    lines += [
        "",
        *(_how(hearing.case, arbitration, namespace) if asked.is_open else _settled(asked)),
    ]
    if hearing.rejected:
        lines += ["", *_rejections(hearing.rejections, hearing.rejected)]
    if failures:
        lines += ["", "**Failures**", "", *map(_failure, failures)]
    return "\n".join(lines) + "\n"


def _headline(hearing: Hearing) -> str:
    state = hearing.contradiction.state
    until = f"{hearing.deadline:%Y-%m-%d %H:%M:%S} UTC"
    waits = f"waits until {until} for a person to rule ({span_words(hearing.case.timeout)} in all)"
    parts = [f"**{state}**"]
    if state is ContradictionState.OPEN:
        parts.append(waits)
    return " · ".join((*parts, f"{cell(hearing.case.topic)} ({cell(hearing.case.run_id)})"))


def _sides(sides: Sequence[Side]) -> list[str]:
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


def _column(side: Side) -> dict[str, str]:
    claim, source = side.claim, side.source
    return {
        "value": cell(side.value.written) if side.value else "",
        "scope": cell(side.value.scope) if side.value else "",
        "quote": f"“{cell(claim.quote)}”",
        "claim": cell(claim.text) if claim.text != claim.quote else "",
        "source": cell(source.title),
        "where": cell(claim.location or ""),
        "published": f"{source.published:%Y-%m-%d}" if source.published else "",
        "kind": cell(source.kind),
        "credibility": f"{claim.credibility:.2f}",
        "corroboration": _corroboration(side.corroboration),
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
    values = len(settled.claims)
    meaning = "both claims stay uncertain" if values == PAIR else "every value stays uncertain"
    if settled.ruling is not None:
        meaning = MEANING[settled.ruling] if values == PAIR else outcome(settled)
    when = f", {settled.decided:%Y-%m-%d %H:%M:%S} UTC" if settled.decided else ""
    yield f"**Settled** by {who}{when}: {meaning}. {cell(settled.reason)}"


def _rejections(latest: Sequence[Rejection], count: int) -> list[str]:
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


def _failure(failed: ReportedFailure) -> str:
    return f"- {cell(failed.task_description)}: {cell(failed.failure.message)}"
