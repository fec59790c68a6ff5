"""Whatever is sent becomes a ruling or a sentence that says what to send instead."""

import json
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from temporalio.api.common.v1 import Payload, WorkflowExecution
from temporalio.common import RawValue

from caveat.contracts.contradiction import REASON_LIMIT, Ruling, Signature, Withdrawal
from caveat.workflows.answers import (
    EXAMPLE,
    SHOWN,
    Refused,
    format_given,
    parse_late_ruling,
    read_answer,
)
from tests.fakes.disputes import CHOICES

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(categories=None), max_size=40)
    | st.binary(max_size=40)
)
NAMES = st.sampled_from(["ruling", "reason", "decided_by", "because"]) | st.text(max_size=9)
VALUES = st.recursive(
    SCALARS | st.sampled_from(["a", "both", "BOTH", "because"]),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(NAMES, inner, max_size=6),
    max_leaves=12,
)


@given(st.lists(VALUES, max_size=6))
@example([{"ruling": "both", "reason": "\ud800"}])
@example([{"ruling": "both", "reason": "r", "decided_by": None}])
@example([{7: "both"}])
@example([" "])
@example([10**5_000, [-(10**5_000)]])
@example([WorkflowExecution(workflow_id="x" * 900)])
@example([RawValue(Payload(data=b"\xff" * 900))])
def test_anything_is_a_ruling_or_a_sentence(given: list[Any]) -> None:
    try:
        answer = read_answer(given)
        assert answer.ruling in CHOICES
        assert answer.reason
    except Refused as refused:
        why = refused.message
        assert (EXAMPLE in why, "\n" in why) == (True, False)
    shown = format_given(given)
    assert 0 <= len(shown) <= SHOWN
    assert shown.encode()
    assert not {"\n", "\x00"} & set(shown)


def test_the_example_is_one() -> None:
    assert read_answer([json.loads(EXAMPLE)]).decided_by == "Ada"


def test_nobody_has_to_give_a_name() -> None:
    answer = read_answer([{"ruling": "both", "reason": "They differ in scope."}])
    assert answer.decided_by == "somebody who gave no name"


def test_how_a_choice_is_written_does_not_matter() -> None:
    answer = read_answer([{"ruling": " Neither\n", "reason": "Both\x00are\nold."}])
    assert answer == Ruling(ruling="neither", reason="Both are old.")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ([], "Nothing was sent"),
        (["both"], "not a JSON object"),
        ([["both", "why"]], "not a JSON object"),
        ([b'{"ruling": '], "cannot be read as JSON"),
        ([{}], "`ruling` must be `a`, `b`, `both` or `neither`; `reason` must say why"),
        ([{"ruling": "both", "reason": " \n "}], "`reason` must say why"),
        ([{"ruling": "both", "reason": "x" * (REASON_LIMIT + 1)}], "in 1 to 1,000 characters"),
        ([{"ruling": "maybe", "reason": "why"}], "`ruling` must be"),
        ([{"ruling": "a", "reason": "why", "decided_by": "x" * 201}], "`decided_by` must name"),
        ([{"ruling": "a", "because": "why"}], "no field `because`"),
        (["a", "why", "Ada"], "3 values were sent: send one JSON object"),
    ],
)
def test_what_is_wrong_is_said(given: list[Any], says: str) -> None:
    with pytest.raises(Refused, match=re.escape(says)):
        read_answer(given)


def test_what_was_sent_stays_recognisable() -> None:
    assert format_given([{"ruling": "maybe", "n": [1, None, "x"]}, b"\xff!"]) == (
        '{"ruling": "maybe", "n": [1, null, "x"]}, "\N{REPLACEMENT CHARACTER}!"'
    )
    assert format_given([10**5_000]) == "what cannot be shown"
    assert format_given(["x" * 500]).endswith("…")


@pytest.mark.parametrize("given", [["contradiction-1", "a"], [], [{"ruling": "a"}], [b"\xff"]])
def test_a_late_ruling_names_its_contradiction(given: list[object]) -> None:
    with pytest.raises(Refused, match="It names no contradiction"):
        parse_late_ruling(given, {})


def test_a_signed_withdrawal_is_read_as_it_is_sent() -> None:
    withdrawal = Withdrawal(
        reason="Both are wrong.", signature=Signature(choice=None, mac="a" * 64)
    )
    body = {"contradiction_id": "contradiction-1", "replaces": True, "ruling": None}
    body |= withdrawal.model_dump(mode="json", exclude_none=True)
    assert parse_late_ruling([body], {}).ruling == withdrawal
