"""How far a run is, in words, and how long it is expected to take."""

import datetime as dt

from caveat.contracts.outcome import Progress
from caveat.contracts.phase import Entered, Phase
from caveat.rendering.progress import describe_progress, list_phase_times


def test_a_run_in_words() -> None:
    progress = Progress(
        run_id="r", topic="t", phase=Phase.TAKING_STOCK, started=dt.datetime.now(dt.UTC)
    )
    assert describe_progress(progress) == "step 1 of 8: taking stock"
    known = progress.model_copy(update={"phase": Phase.INVESTIGATING, "documents": 1})
    assert describe_progress(known) == "step 3 of 8: searching and reading · 1 document"


def test_a_time_line_says_how_long_each_phase_took_but_of_the_last_one_that_goes_on() -> None:
    began = dt.datetime(2026, 3, 14, 9, 0, tzinfo=dt.UTC)
    steps = (Phase.PLANNING, 0), (Phase.INVESTIGATING, 2), (Phase.AWAITING_RULINGS, 90)
    phases = [Entered(phase=each, at=began + dt.timedelta(seconds=at)) for each, at in steps]
    first = [("planning", "2.0 s"), ("searching and reading", "1 min 28 s")]
    waiting = "waiting for a ruling"
    assert list(list_phase_times(phases, None)) == [*first, (waiting, None)]
    over = began + dt.timedelta(hours=1, seconds=90)
    assert list(list_phase_times(phases, over)) == [*first, (waiting, "1 h")]
    phases.append(Entered(phase=Phase.CANCELLED, at=over))
    assert list(list_phase_times(phases, over)) == [*first, (waiting, "1 h")]
    assert list(list_phase_times((), None)) == []
