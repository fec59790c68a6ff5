"""What became of what was tried, and the file that a benchmark in portions goes on from."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str  # was tried
    tried: int = 0  # how often
    survived: int = 0  # ended as it should: with an audited report, or by name
    lost: int = 0  # runs or answers that nobody knows any more, or whose evidence is gone
    repeated: int = 0  # completed activities that were scheduled again
    wedged: int = 0  # still open, or a workflow task that fails for ever
    # ended without a name, without a sentence, or with a report that no audit passes
    unclear: int = 0
    model_calls: int = 0  # made, where that is counted; else 0
    asked_again: int = 0  # of these, whose whole answer had been sent before
    seconds: float = 0.0  # of the clock, all together
    slowest: float = 0.0  # seconds of the clock that the slowest took, where each is timed; else 0

    def __add__(self, other: "Row") -> "Row":
        """Put two portions of one line together."""
        counts = [field.name for field in fields(self) if field.name not in {"what", "slowest"}]
        sums = {name: getattr(self, name) + getattr(other, name) for name in counts}
        return Row(self.what, **sums, slowest=max(self.slowest, other.slowest))

    @property
    def is_clean(self) -> bool:
        """Whether nothing went wrong."""
        wrong = self.lost + self.repeated + self.wedged + self.unclear + self.asked_again
        return wrong == 0 and self.survived == self.tried


@dataclass(frozen=True)
class Log:
    """A file of portions, one JSON object a line."""

    path: Path

    def add(self, row: Row) -> None:
        """Keep a portion."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(row)) + "\n")

    def rows(self) -> dict[str, Row]:
        """Add the portions up, by line."""
        summed: dict[str, Row] = {}
        for portion in self._portions():
            summed[portion.what] = summed.get(portion.what, Row(portion.what)) + portion
        return summed

    def _portions(self) -> Iterator[Row]:
        if not self.path.exists():
            return
        for line in self.path.read_text(encoding="utf-8").splitlines():
            yield Row(**json.loads(line))


def table(rows: dict[str, Row]) -> str:
    """Print for people, as Markdown."""
    names = ("tried", "survived", "lost", "repeated", "wedged", "unclear")
    lines = [f"| | {' | '.join(names)} |", f"|---|{'---:|' * len(names)}"]
    lines += [
        f"| {row.what} | {' | '.join(str(getattr(row, name)) for name in names)} |"
        for row in rows.values()
    ]
    calls, again = (
        sum(getattr(row, name) for row in rows.values()) for name in ("model_calls", "asked_again")
    )
    if calls:
        lines += ["", f"{calls:,} model calls; asked again although answered: {again}"]
    timed = [f"{row.what} {row.slowest:.1f} s" for row in rows.values() if row.slowest]
    if timed:
        lines += ["", f"The slowest: {', '.join(timed)}"]
    return "\n".join(lines)
