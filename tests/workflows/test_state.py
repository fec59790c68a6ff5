"""What is kept of answers that were not accepted, and what a server lists of a topic."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from temporalio import workflow

from caveat.workflows.answers import LATEST, Refused, Rejections
from caveat.workflows.names import MOST_BYTES, cut_topic

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_of_many_rejected_answers_the_latest_are_kept_and_all_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workflow, "now", lambda: NOON)
    rejections = Rejections()
    for number in range(LATEST + 5):
        rejections.add([number], Refused("No."))
    assert rejections.number == LATEST + 5
    assert [each.given for each in rejections.latest] == [
        str(number) for number in range(5, LATEST + 5)
    ]


@given(st.text(alphabet='x"ж\U0001f600', min_size=150, max_size=2_500))
def test_a_topic_is_listed_as_far_as_a_server_takes_it(topic: str) -> None:
    cut = cut_topic(topic)
    assert topic.startswith(cut)
    assert len(json.dumps(cut)) <= MOST_BYTES
    assert cut == topic or len(json.dumps(topic[: len(cut) + 1])) > MOST_BYTES
