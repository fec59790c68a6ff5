"""What is refused is said as it was: whoever reads it must recognise what they sent."""

import datetime as dt

import pytest

from workflows.late_rulings import Refused, addressed, rejection

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (["garbage"], "`garbage` was sent and no ruling after it"),
        (["contradiction-1"], "`contradiction-1` was sent and no ruling after it"),
        ([""], "`(blank)` was sent and no ruling after it"),
        ([], "It names no contradiction"),
        ([["a", "b"]], "It names no contradiction"),
        ([{"ruling": "a"}], "It names no contradiction"),
        ([b"\xff"], "It names no contradiction"),
        (["contradiction-1", "a"], "is not a JSON object"),
    ],
)
def test_what_was_really_sent_is_recorded(given: list[object], reason: str) -> None:
    with pytest.raises(Refused) as refused:
        addressed(given, {})
    kept = rejection(given, refused.value, NOW)
    assert reason in kept.reason
    assert "Nothing was sent" not in kept.reason
