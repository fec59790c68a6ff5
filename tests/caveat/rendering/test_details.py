import datetime as dt
import re
from typing import Any

import pytest

from caveat.contracts.contradiction import Contradiction, Rejection
from caveat.contracts.outcome import AssignmentProgress, Progress
from caveat.contracts.phase import Phase
from caveat.contracts.source import Unread, UnreadSort
from caveat.rendering.details import SHOWN, render_run_details
from caveat.rendering.visible import is_control
from tests.fakes.disputes import a_dispute

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
HOSTILE = "a | b\n# [c](javascript:x) `d` <script>"


def progress(**changes: object) -> Progress:
    known = {"run_id": "research-x", "topic": "Topic", "phase": Phase.INVESTIGATING, "started": NOW}
    return Progress.model_validate(known | changes)


def contradiction(number: int = 1, **changes: Any) -> Contradiction:
    return a_dispute(number=number, **{"about": "67.4 against 73.0 km/s/Mpc."} | changes)


def rejection(
    number: int, reason: str = "It names no contradiction.", given: str = ""
) -> Rejection:
    return Rejection(received=NOW, reason=reason, given=given or f"answer {number}")


def row(shown: str, begin: str) -> str:
    (found,) = [line for line in shown.splitlines() if line.startswith(begin)]
    return found


def require_harmless(text: str) -> None:
    """Require that all markup of `HOSTILE` is there, and escaped."""
    assert "\\[c\\](javascript:x) \\`d\\` \\<script\\>" in text
    assert not set("<>[]`*_") & set(re.sub(r"\\.", "", text))


@pytest.mark.parametrize(
    ("changes", "begin", "cells"),
    [
        ({"assignments": (AssignmentProgress(id="a1", title=HOSTILE, note="*n*"),)}, "| a ", 8),
        ({"contradictions": (contradiction(about=HOSTILE),)}, "| contradiction-1", 4),
        ({"rejections": (rejection(1, HOSTILE, HOSTILE),), "rejected": 1}, "- ", 0),
        (
            {"unread": (Unread(sort=UnreadSort.HIDDEN_FOLDER, count=1, examples=(HOSTILE,)),)},
            "Not looked at: 1 hidden folder",
            0,
        ),
    ],
    ids=["a page's title", "what sources disagree about", "an answer", "the name of a file"],
)
def test_strangers_words_break_no_page(changes: dict[str, object], begin: str, cells: int) -> None:
    shown = render_run_details(progress(**changes))
    drawn = row(shown, begin)
    require_harmless(drawn)
    assert not cells or drawn.replace("\\|", "").count("|") == cells
    assert "\n# [c]" not in shown


def test_a_run_id_cannot_break_out_of_the_command_that_names_it() -> None:
    name = "x`<img src=y>`\x1b[2J\u202e/contradiction-1"
    shown = row(
        render_run_details(progress(contradictions=(contradiction(arbitration=name),))), "- "
    )
    assert not any(map(is_control, shown))
    before, command, after = shown.split("``")  # two, since it holds one
    assert "x`<img src=y>`" in command
    assert "<img" not in before + after


def test_the_newest_rejections_are_shown_and_all_are_counted() -> None:
    kept = tuple(rejection(number) for number in range(20))
    shown = render_run_details(progress(rejections=kept, rejected=9_000))
    assert "**Answers that were not accepted: 9,000**" in shown
    assert shown.count("It names no contradiction.") == SHOWN
    assert "(answer 19)" in shown
    assert "(answer 9)" not in shown
