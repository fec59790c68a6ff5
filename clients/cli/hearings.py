"""A contradiction on the terminal: both quotes side by side, with what speaks for each."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from caveat.contracts.contradiction import Hearing, Side, TrackRecord
from clients.cli.console import visible
from clients.progress import counted


def hearing_table(hearing: Hearing) -> RenderableType:
    """Draw what a person should know before they rule."""
    contradiction = hearing.contradiction
    table = Table(expand=True, padding=(0, 1), show_lines=True)
    table.add_column("")
    for name in ("a", "b"):
        table.add_column(name, ratio=1, overflow="fold")
    a, b = hearing.case.sides
    table.add_row("quote", _text(f"“{a.claim.quote}”"), _text(f"“{b.claim.quote}”"))
    table.add_row("source", _text(_source(a)), _text(_source(b)))
    table.add_row("credibility", f"{a.claim.credibility:.2f}", f"{b.claim.credibility:.2f}")
    table.add_row("stated by", _voices(a), _voices(b))
    table.add_row("track record", _record(a.track_record), _record(b.track_record))
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
