import datetime as dt
import re

import pytest

from caveat.contracts.contradiction import (
    Contradiction,
    ContradictionKind,
    ContradictionState,
    Rejection,
    RulingChoice,
    SettledBy,
)
from caveat.contracts.envelope import AgentType
from caveat.contracts.progress import AssignmentProgress, Phase, Progress
from caveat.contracts.report import ReportedFailure
from caveat.contracts.source import Unread, UnreadSort
from caveat.failures import not_found
from caveat.rendering.details import GAP, SHOWN, run_details
from caveat.rendering.visible import is_control

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
HOSTILE = "a | b\n# [c](javascript:x) `d` <script>"


def failed(number: int, message: str = "It is gone.") -> ReportedFailure:
    return ReportedFailure(
        task_id=f"t{number}",
        agent_type=AgentType.READER,
        task_description=f"Read “page {number}”",
        attempts=1,
        failure=not_found(message, resource="x").failure,
    )


def progress(**changes: object) -> Progress:
    return Progress.model_validate(
        {
            "run_id": "research-x",
            "topic": "Topic",
            "phase": Phase.INVESTIGATING,
            "started": NOW,
            **changes,
        }
    )


def contradiction(number: int = 1, **changes: object) -> Contradiction:
    return Contradiction.model_validate(
        {
            "id": f"contradiction-{number}",
            "kind": ContradictionKind.NUMERIC,
            "claims": ("c1", "c2"),
            "about": "67.4 against 73.0 km/s/Mpc.",
            **changes,
        }
    )


def rejection(number: int, reason: str = "It names no contradiction.") -> Rejection:
    return Rejection(received=NOW, reason=reason, given=f"answer {number}")


def row(shown: str, begin: str) -> str:
    (found,) = [line for line in shown.splitlines() if line.startswith(begin)]
    return found


def require_harmless(text: str) -> None:
    """Require that all markup of `HOSTILE` is there, and escaped."""
    assert "\\[c\\](javascript:x) \\`d\\` \\<script\\>" in text
    assert not set("<>[]`*_") & set(re.sub(r"\\.", "", text))


def test_a_page_title_cannot_break_the_table() -> None:
    line = AssignmentProgress(id="a1", title=HOSTILE, note="*n*")
    drawn = row(run_details(progress(assignments=(line,))), "| a ")
    assert drawn.replace("\\|", "").count("|") == 8
    require_harmless(drawn)
    assert GAP in drawn


def test_what_sources_disagree_about_cannot_break_the_table() -> None:
    shown = run_details(progress(contradictions=(contradiction(about=HOSTILE),)))
    drawn = row(shown, "| contradiction-1")
    assert drawn.replace("\\|", "").count("|") == 4
    require_harmless(drawn)
    assert "\n# [c]" not in shown


def test_an_answer_that_was_sent_cannot_break_the_list() -> None:
    sent = rejection(1, reason=HOSTILE).model_copy(update={"given": HOSTILE})
    drawn = row(run_details(progress(rejections=(sent,), rejected=1)), "- ")
    require_harmless(drawn)
    assert drawn.count("javascript") == 2


def test_an_open_contradiction_says_until_when_and_how_it_is_answered() -> None:
    asked = contradiction(
        2, arbitration="research-x/contradiction-2", deadline=NOW + dt.timedelta(hours=6)
    )
    shown = run_details(progress(contradictions=(contradiction(1), asked)))
    assert "67.4 against 73.0 km/s/Mpc." in row(shown, "| contradiction-1")
    assert row(shown, "- ") == (
        "- contradiction-2 until 2026-01-01 06:00 UTC: "
        "`caveat rule research-x/contradiction-2 a|b|both|neither --because 'why'`"
    )


def test_a_run_id_cannot_break_out_of_the_command_that_names_it() -> None:
    name = "x`<img src=y>`\x1b[2J\u202e/contradiction-1"
    shown = row(run_details(progress(contradictions=(contradiction(arbitration=name),))), "- ")
    assert not any(map(is_control, shown))
    before, command, after = shown.split("``")  # two, since it holds one
    assert "x`<img src=y>`" in command
    assert "<img" not in before + after


@pytest.mark.parametrize(
    ("state", "settled_by", "ruling", "words"),
    [
        (ContradictionState.OPEN, None, None, "open"),
        (ContradictionState.RESOLVED, SettledBy.EVIDENCE, "a", "resolved by evidence: a"),
        (ContradictionState.RESOLVED, SettledBy.TRACK_RECORD, "b", "resolved by track record: b"),
        (ContradictionState.RESOLVED, SettledBy.PERSON, "both", "resolved by person: both"),
        (
            ContradictionState.PROVISIONAL,
            SettledBy.PROVISIONAL_UNCERTAINTY,
            None,
            "provisional by provisional uncertainty",
        ),
    ],
)
def test_a_contradiction_says_how_it_stands(
    state: ContradictionState, settled_by: SettledBy | None, ruling: RulingChoice, words: str
) -> None:
    settled = contradiction(
        state=state,
        settled_by=settled_by,
        ruling=ruling,
        arbitration="research-x/contradiction-1",
        deadline=NOW,
    )
    shown = run_details(progress(contradictions=(settled,)))
    assert f"| {words}{GAP} |" in row(shown, "| contradiction-1")
    assert ("caveat rule" in shown) is (state is ContradictionState.OPEN)


def test_the_newest_rejections_are_shown_and_all_are_counted() -> None:
    kept = tuple(rejection(number) for number in range(20))
    shown = run_details(progress(rejections=kept, rejected=9_000))
    assert "**Answers that were not accepted: 9000**" in shown
    assert shown.count("It names no contradiction.") == SHOWN
    assert "(answer 19)" in shown
    assert "(answer 9)" not in shown


def test_the_newest_failures_are_shown() -> None:
    shown = run_details(progress(failures=tuple(failed(number) for number in range(15))))
    assert shown.count("It is gone.") == SHOWN
    assert "page 14" in shown
    assert "page 4”" not in shown


def test_a_named_end_is_said() -> None:
    shown = run_details(progress(phase=Phase.FAILED, problem="No passage was found.", documents=3))
    assert "**failed** · 3 documents · No passage was found." in shown


def test_a_file_that_was_not_looked_at_cannot_break_the_page() -> None:
    left = Unread(sort=UnreadSort.HIDDEN_FOLDER, count=1, examples=(HOSTILE,))
    drawn = row(run_details(progress(unread=(left,))), "Not looked at: 1 hidden folder")
    require_harmless(drawn)
