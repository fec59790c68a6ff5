"""Messages: the numbers of docs/messages.md, and how a sender numbers what it sends."""

import datetime as dt

import pytest

from caveat.contracts.message import TTL, Message, Priority, RemarkBody
from caveat.rules.messages import (
    ATTEMPTS,
    LADDER_S,
    MasterKey,
    MessageKeys,
    Numbering,
    compute_delay,
    is_signed,
    sign_message,
)

NOON = dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC)
BODY = RemarkBody(text="…")


def remark(numbering: Numbering, **changes: Priority | str) -> Message:
    recipient = str(changes.pop("recipient", "news"))
    priority = Priority(changes.pop("priority", Priority.NORMAL))
    return numbering.build_message(BODY, now=NOON, recipient=recipient, priority=priority)


def test_a_message_that_fails_comes_again_after_1_2_and_4_seconds_and_then_is_dead() -> None:
    assert LADDER_S == (1.0, 2.0, 4.0)
    assert [compute_delay(failures) for failures in range(1, ATTEMPTS + 1)] == [1.0, 2.0, 4.0, None]


def test_a_message_is_of_use_for_an_hour() -> None:
    assert dt.timedelta(hours=1) == TTL
    assert remark(Numbering("a", "s")).expires == NOON + dt.timedelta(hours=1)


def test_the_most_urgent_has_the_first_rank() -> None:
    ordered = sorted(Priority, key=lambda priority: priority.rank)
    assert ordered == [Priority.CRITICAL, Priority.HIGH, Priority.NORMAL, Priority.LOW]
    assert [priority.rank for priority in ordered] == [1, 2, 3, 4]


def test_numbers_go_up_for_each_recipient_and_priority_once_a_message_is_confirmed() -> None:
    numbering = Numbering("a", "s")
    first = remark(numbering)
    assert remark(numbering) == first, "what was not confirmed leaves no gap"
    numbering.confirm(first)
    others = (remark(numbering, recipient="legal"), remark(numbering, priority=Priority.HIGH))
    assert [first.number, remark(numbering).number] == [1, 2]
    assert [each.number for each in others] == [1, 1]


def test_a_doubtful_message_begins_another_series() -> None:
    numbering = Numbering("a", "s")
    doubtful = remark(numbering)
    numbering.begin_series()
    after = remark(numbering)
    assert (after.series, after.number) != (doubtful.series, doubtful.number)
    assert after.id != doubtful.id


COORDINATOR = MasterKey(b"a key of the tests")
NEWS = MessageKeys.read("news", COORDINATOR.format_keys("news"))
LEGAL = MessageKeys.read("legal", COORDINATOR.format_keys("legal"))


def test_a_signature_holds_for_whom_it_is_and_for_no_other_words() -> None:
    message = sign_message(remark(Numbering(COORDINATOR.name, "s")), COORDINATOR)
    assert is_signed(message, NEWS)
    assert not is_signed(message, LEGAL), "whose key it is not"
    assert not is_signed(message.model_copy(update={"data": RemarkBody(text="forged")}), NEWS)
    assert not is_signed(message.model_copy(update={"signature": ""}), NEWS)
    assert is_signed(message.model_copy(update={"resent": 1}), NEWS), "a resend is the same message"


def test_an_agent_signs_to_the_coordinator_and_in_no_other_name() -> None:
    answer = remark(Numbering("news", "s"), recipient=COORDINATOR.name)
    assert is_signed(sign_message(answer, NEWS), COORDINATOR)
    assert not is_signed(sign_message(answer, LEGAL), COORDINATOR)


@pytest.mark.parametrize("text", ["", "00", "xy:00"])
def test_what_is_no_key_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="hexadecimal"):
        MessageKeys.read("news", text)
