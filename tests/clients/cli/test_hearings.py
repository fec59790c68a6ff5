"""A contradiction on the terminal, and the list of those that wait."""

import datetime as dt
import io

import pytest
from rich.console import Console, RenderableType

from caveat.clients.cli.hearings import hearing_table
from caveat.clients.cli.tables import inbox_table, show
from caveat.clients.standings import Waiting
from caveat.contracts.contradiction import Backing, Hearing
from caveat.rules.contradictions.choices import letters
from tests.fakes.arbitrations import NOON, a_case_of, a_hearing

HOSTILE = "Title\x1b[2J\x9b31m\u202egnp.exe\r\nnext"


def drawn(what: RenderableType, width: int = 160) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width, markup=False, highlight=False).print(what)
    return stream.getvalue()


def test_both_sides_are_shown_with_what_speaks_for_them() -> None:
    shown = drawn(hearing_table(a_hearing()))
    for each in (
        "contradiction-1: 67.4 or 73.0 km/s/Mpc.",
        "“It is 67.4 km/s/Mpc”",
        "“It is 73.0 km/s/Mpc”",
        "The planck paper",
        "https://shoes.org/h0",
        "credibility 0.60 ",
        "0.40 (0.65 by what it says of itself)",
        "one source",
        "2 independent sources",
        "A review (2021)",
        "never ruled on",
        "upheld 3 of 4 times",
        "evidence: credibility is similar (0.60 and 0.65)",
        f"A ruling counts until {NOON.astimezone():%Y-%m-%d %H:%M}.",
    ):
        assert each in shown
    assert shown.index("67.4 km/s/Mpc”") < shown.index("73.0 km/s/Mpc”")


@pytest.mark.parametrize("values", [3, 10, 30])
def test_many_values_stand_below_each_other_in_eighty_columns(values: int) -> None:
    case = a_case_of(values)
    told = {"value": HOSTILE, "backing": (Backing(source=HOSTILE, quote="x"),)}
    hostile = case.sides[1].model_copy(update=told)
    case = case.model_copy(update={"sides": (case.sides[0], hostile, *case.sides[2:])})
    hearing = Hearing(case=case, contradiction=case.contradiction, deadline=NOON)
    shown = drawn(hearing_table(hearing), width=80)
    assert max(map(len, shown.splitlines())) <= 80
    assert "…" not in shown
    sides = shown.splitlines()[1:-2]
    assert [line.split()[0] for line in sides if line[0] != " "] == list(letters(values))
    for side in case.sides:
        assert f"“{side.claim.quote}”" in shown
    assert "11 metres (in winter)" in shown
    assert not {"\x1b", "\x9b", "\u202e"} & set(shown)


def test_what_strangers_write_cannot_move_the_cursor() -> None:
    shown = drawn(hearing_table(a_hearing(about=HOSTILE, quote=HOSTILE)))
    assert not set("\x1b\x9b\u202e\r") & set(shown)
    assert "gnp.exe" in shown


def a_line() -> Waiting:
    return Waiting(
        arbitration="research-how-fast-does-the-universe-expand-a1b2c3/contradiction-1",
        topic=HOSTILE,
        about=f"67.4 or 73.0 {HOSTILE}",
        opened=NOON,
        deadline=NOON + dt.timedelta(hours=6),
    )


def listed(line: Waiting, width: int) -> list[str]:
    """What `caveat inbox` prints of one that waits."""
    stream = io.StringIO()
    show(Console(file=stream, width=width), inbox_table([line]))
    return stream.getvalue().splitlines()


def test_the_inbox_shows_what_can_be_typed_and_until_when() -> None:
    line = a_line()
    shown = "\n".join(listed(line, 220))
    assert line.arbitration in shown
    assert f"{line.deadline.astimezone():%Y-%m-%d %H:%M}" in shown
    assert not set("\x1b\x9b\u202e\r") & set(shown)
