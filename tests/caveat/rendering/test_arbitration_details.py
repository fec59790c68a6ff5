import datetime as dt
import shlex

import pytest

from caveat.contracts.contradiction import (
    Contradiction,
    Hearing,
    Rejection,
    Ruling,
    RulingChoice,
    TrackRecord,
)
from caveat.contracts.envelope import AgentType
from caveat.contracts.report import ReportedFailure
from caveat.failures import unavailable
from caveat.rendering.commands import quoted
from caveat.rendering.details import arbitration_details
from caveat.rendering.visible import is_control
from caveat.rules.contradictions.choices import holding, letters
from caveat.rules.contradictions.ladder import provisional, ruled
from tests.fakes.arbitrations import a_case, a_case_of, a_side

NOON = dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC)
NAME = "research-h0/contradiction-1"


def a_hearing(contradiction: Contradiction | None = None, **changes: object) -> Hearing:
    case = a_case()
    asked = contradiction or case.contradiction
    hearing = Hearing(case=case, contradiction=asked, deadline=NOON)
    return hearing.model_copy(update=changes)


def test_both_sides_stand_side_by_side() -> None:
    a, b = a_case().sides
    known = b.model_copy(
        update={"track_record": TrackRecord(upheld=4, ruled=5, low=0.376, high=0.964)}
    )
    case = a_case(sides=(a, known.model_copy(update={"corroboration": 3})))
    board = arbitration_details(a_hearing(case=case), NAME, "default")
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in board.splitlines()
        if line.startswith("| ")
    ]
    assert ["quote", f"“{a.claim.quote}”", f"“{b.claim.quote}”"] in rows
    assert ["source", "The planck paper", "The shoes paper"] in rows
    assert ["credibility", "0.60", "0.65"] in rows
    assert ["corroboration", "this source alone", "3 independent sources"] in rows
    assert ["track record", "nobody ruled on it yet", "upheld in 4 of 5 (38% to 96%)"] in rows
    assert "waits until 2026-01-01 12:00:00 UTC for a person to rule (6 h in all)" in board
    assert "- evidence: credibility is similar (0.60 and 0.65)" in board


@pytest.mark.parametrize("values", [3, 10, 30])
def test_many_values_stand_below_each_other_with_what_can_be_answered(values: int) -> None:
    case = a_case_of(values)
    board = arbitration_details(a_hearing(case.contradiction, case=case), NAME, "default")
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in board.splitlines()
        if line.startswith("| ")
    ]
    head, *stated = [row for row in rows if set(row[1:]) != {"---"}]
    assert head[1:4] == ["value", "scope", "quote"]
    assert [row[:2] for row in stated] == [
        [letter, side.value.written if side.value else ""]
        for letter, side in zip(letters(values), case.sides, strict=True)
    ]
    commands = [line.strip() for line in board.splitlines() if line.startswith("    caveat")]
    choices = [shlex.split(line, comments=True)[3] for line in commands]
    assert [holding(choice, values) for choice in choices]
    assert {"a", "all", "none"} <= set(choices)
    assert f"from `a` to `{letters(values)[-1]}`" in board
    settled = ruled(case.contradiction, Ruling(ruling="a,c", reason="I looked."), NOON)
    assert "A and C hold" in arbitration_details(a_hearing(settled, case=case), NAME, "default")


def test_every_command_is_one_line_of_its_own() -> None:
    name = "what's `this`\n/contradiction-1"
    board = arbitration_details(a_hearing(), name, "my team")
    commands = [line.strip() for line in board.splitlines() if line.startswith("    ")]
    ours = [line.split(quoted(name)) for line in commands if line.startswith("caveat")]
    assert [rest.split()[0] for _, rest in ours] == list(RulingChoice)
    assert {command for command, _ in ours} == {"caveat rule "}
    (theirs,) = [line for line in commands if line.startswith("temporal")]
    assert f"--namespace 'my team' --workflow-id {quoted(name)} --name rule" in theirs


def test_a_command_holds_nothing_that_a_terminal_obeys() -> None:
    board = arbitration_details(a_hearing(), "x\x1b[2J\u202e/contradiction-1", "a\x9bb")
    assert {sign for sign in board if is_control(sign)} == {"\n"}


def test_a_quote_cannot_break_the_table() -> None:
    case = a_case(sides=(a_side("x", "1 | 2\n| [a](javascript:b) <script>"), a_case().sides[1]))
    board = arbitration_details(a_hearing(case=case), NAME, "default")
    (row,) = [line for line in board.splitlines() if line.startswith("| quote")]
    assert row.replace("\\|", "").count("|") == 4
    assert "<script" not in row.replace("\\<", "")


def test_a_ruling_is_shown_and_no_command_any_more() -> None:
    ruling = Ruling(ruling=RulingChoice.BOTH, reason="Early and *late*.", decided_by="Ada")
    board = arbitration_details(
        a_hearing(ruled(a_case().contradiction, ruling, NOON)), NAME, "default"
    )
    assert "**Settled** by Ada, 2026-01-01 12:00:00 UTC: both hold" in board
    assert "Early and \\*late\\*." in board
    assert "caveat rule" not in board


def test_that_nobody_came_is_shown() -> None:
    board = arbitration_details(
        a_hearing(provisional(a_case().contradiction, NOON)), NAME, "default"
    )
    assert "**Settled** by nobody" in board
    assert "both claims stay uncertain" in board


def test_what_was_not_accepted_is_shown_newest_first() -> None:
    rejections = tuple(
        Rejection(received=NOON, reason=f"No {number}.", given="x|y") for number in (8, 9)
    )
    board = arbitration_details(a_hearing(rejections=rejections, rejected=9), NAME, "default")
    assert "**Answers that were not accepted**: 9, the latest 2 of which are" in board
    assert board.index("No 9.") < board.index("No 8.")
    assert "x\\|y" in board


def test_failures_are_shown() -> None:
    failure = ReportedFailure(
        task_id="t",
        agent_type=AgentType.HERALD,
        task_description="Tell people",
        attempts=4,
        failure=unavailable("The webhook is down.", resource="x").failure,
    )
    board = arbitration_details(a_hearing(), NAME, "default", [failure])
    assert "- Tell people: The webhook is down." in board
