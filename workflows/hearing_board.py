"""The Web UI's face of an arbitration: both sides, and how to answer, as Markdown."""

from collections.abc import Iterator, Sequence

from temporalio import workflow

from workflows.commands import INPUT, rule, update
from workflows.spans import in_words
from workflows.tables import cell, table

with workflow.unsafe.imports_passed_through():
    from caveat.contracts.contradiction import (
        Contradiction,
        ContradictionState,
        Hearing,
        LadderStep,
        Rejection,
        RulingChoice,
        Side,
        TrackRecord,
    )
    from caveat.contracts.report import ReportedFailure

MEANING: dict[RulingChoice, str] = {
    RulingChoice.A: "the first claim holds",
    RulingChoice.B: "the second claim holds",
    RulingChoice.BOTH: "both hold, they differ in scope or date",
    RulingChoice.NEITHER: "neither holds",
}

HERE = (
    "Or here, in the Web UI: *Send an Update* in the menu beside *Request Cancellation*, with the "
    "name `rule` and this input; its ruling is `a`, `b`, `both` or `neither`."
)


def hearing_board(
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
    lines += ["", *(_how(arbitration, namespace) if asked.is_open else _settled(asked))]
    if hearing.rejected:
        lines += ["", *_rejections(hearing.rejections, hearing.rejected)]
    if failures:
        lines += ["", "**Failures**", "", *map(_failure, failures)]
    return "\n".join(lines) + "\n"


def _headline(hearing: Hearing) -> str:
    state = hearing.contradiction.state
    until = f"{hearing.deadline:%Y-%m-%d %H:%M:%S} UTC"
    waits = f"waits until {until} for a person to rule ({in_words(hearing.case.timeout)} in all)"
    parts = [f"**{state}**"]
    if state is ContradictionState.OPEN:
        parts.append(waits)
    return " · ".join((*parts, f"{cell(hearing.case.topic)} ({cell(hearing.case.run_id)})"))


def _sides(sides: tuple[Side, Side]) -> list[str]:
    columns = [_column(side) for side in sides]
    names = columns[0].keys()
    rows = [(name, *(column[name] for column in columns)) for name in names]
    lines = table(("", "a", "b"), *(row for row in rows if any(row[1:])))
    # An address does not wrap: in the table it would push the second side out of sight.
    places = [
        (name, side.source.url or side.source.path) for name, side in zip("ab", sides, strict=True)
    ]
    return [*lines, "", *(f"- {name}: {cell(place)}" for name, place in places if place)]


def _column(side: Side) -> dict[str, str]:
    claim, source = side.claim, side.source
    return {
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


def _how(arbitration: str, namespace: str) -> Iterator[str]:
    width = max(len(choice) for choice in RulingChoice)
    yield from ("**How to answer**, in a terminal, with your reason instead of `why`:", "")
    yield from _code(
        *(
            f"{rule(arbitration, choice)}{' ' * (width - len(choice))}  # {MEANING[choice]}"
            for choice in RulingChoice
        )
    )
    yield from ("", "Or with the Temporal CLI:", "")
    yield from _code(update(arbitration, namespace))
    yield from ("", HERE, "")
    yield from _code(INPUT)


def _code(*lines: str) -> Iterator[str]:
    # Indented, not fenced: no text can end the block from within. One command stays one line.
    yield from ("    " + " ".join(line.splitlines()) for line in lines)


def _settled(settled: Contradiction) -> Iterator[str]:
    who = "nobody" if settled.decided_by is None else cell(settled.decided_by)
    meaning = MEANING[settled.ruling] if settled.ruling else "both claims stay uncertain"
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
