"""A contradiction on the terminal: every value with its quote and with what speaks for it."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from caveat.contracts.contradiction import Hearing, Side, TrackRecord
from caveat.rules.choices import letters
from caveat.rules.ladder import PAIR
from clients.cli.console import visible
from clients.progress import counted


def hearing_table(hearing: Hearing) -> RenderableType:
    """Draw what a person should know before they rule."""
    contradiction, sides = hearing.contradiction, hearing.case.sides
    table = _beside(sides) if len(sides) == PAIR else _below(sides)
    until = f"{hearing.deadline.astimezone():%Y-%m-%d %H:%M}"
    return Group(
        Text(f"\n{contradiction.id}: {visible(contradiction.about)}", style="bold"),
        table,
        *(
            Text(f"{step.rung.replace('_', ' ')}: {visible(step.reason)}", style="dim")
            for step in contradiction.steps
        ),
        Text(f"A ruling counts until {until}.", style="dim"),
    )


def _beside(sides: Sequence[Side]) -> Table:
    """Two values, each in a column of its own."""
    table = Table(expand=True, padding=(0, 1), show_lines=True)
    table.add_column("")
    for name in letters(len(sides)):
        table.add_column(name, ratio=1, overflow="fold")
    table.add_row("quote", *(_text(f"“{side.claim.quote}”") for side in sides))
    table.add_row("source", *(_text(_source(side)) for side in sides))
    table.add_row("credibility", *(f"{side.claim.credibility:.2f}" for side in sides))
    table.add_row("stated by", *map(_voices, sides))
    table.add_row("track record", *(_record(side.track_record) for side in sides))
    return table


def _below(sides: Sequence[Side]) -> Table:
    """More values than fit beside each other, each in a row of its own."""
    table = Table(expand=True, padding=(0, 1), show_lines=True, show_header=False)
    table.add_column(style="bold")
    table.add_column(ratio=1, overflow="fold")
    for name, side in zip(letters(len(sides)), sides, strict=True):
        table.add_row(name, Group(*_row(side)))
    return table


def _row(side: Side) -> Iterator[Text]:
    if side.value is not None:
        scope = f" ({side.value.scope})" if side.value.scope else ""
        yield Text(visible(f"{side.value.written}{scope}"), style="bold")
    yield _text(f"“{side.claim.quote}”")
    facts = (
        f"credibility {side.claim.credibility:.2f}",
        _voices(side),
        _record(side.track_record),
    )
    source = " · ".join(visible(line) for line in _source(side).splitlines())
    yield Text(source, style="dim")
    yield Text(" · ".join(facts), style="dim")


def _source(side: Side) -> str:
    source = side.source
    parts = [source.title, str(source.published or ""), source.url or source.path or ""]
    return "\n".join(part for part in parts if part)


def _voices(side: Side) -> str:
    return counted(side.corroboration, "independent source")


def _record(record: TrackRecord) -> str:
    return f"upheld {record.upheld} of {record.ruled} times" if record.ruled else "never ruled on"


def _text(text: str) -> Text:
    return Text("\n".join(visible(line) for line in text.splitlines()))
