"""Intake: every message once, each in its turn, the most urgent first (docs/messages.md)."""

import asyncio
import datetime as dt
from pathlib import Path

import pytest

from caveat.contracts.message import Message, Priority, RemarkBody
from caveat.intake import Fate, Intake, now, renew_message
from caveat.rules.messages import Numbering

ORDER = (Priority.LOW, Priority.NORMAL, Priority.HIGH, Priority.CRITICAL)


def remarks(count: int, priority: Priority = Priority.NORMAL) -> list[Message]:
    numbering = Numbering("news", f"series-{priority}")
    sent = []
    for _ in range(count):
        body = RemarkBody(text="…")
        sent.append(numbering.build_message(body, now=now(), recipient="desk", priority=priority))
        numbering.confirm(sent[-1])
    return sent


def fate(intake: Intake, message: Message) -> Fate | None:
    decision = intake.decide_now(message)
    return None if decision is None else decision.verdict


def test_what_was_taken_is_a_duplicate_after_a_restart_too(tmp_path: Path) -> None:
    (message,) = remarks(1)
    intake = Intake("desk", tmp_path / "desk.db")
    assert fate(intake, message) is Fate.TAKE
    assert fate(intake, message) is Fate.TAKE, "it comes again while it is not done"
    intake.record_taken(message)
    assert fate(intake, message) is Fate.DUPLICATE
    intake.close()
    assert fate(Intake("desk", tmp_path / "desk.db"), message) is Fate.DUPLICATE


def test_what_a_person_sends_again_is_taken_once_more_and_once_only() -> None:
    (message,) = remarks(1)
    intake = Intake("desk")
    intake.record_taken(message)
    again = renew_message(message)
    assert fate(intake, again) is Fate.TAKE
    intake.record_taken(again)
    assert fate(intake, again) is Fate.DUPLICATE


def test_what_has_expired_is_dead() -> None:
    (message,) = remarks(1)
    late = message.model_copy(update={"expires": now() - dt.timedelta(seconds=1)})
    assert fate(Intake("desk"), late) is Fate.DEAD


async def test_a_message_waits_for_the_one_before_it() -> None:
    first, second = remarks(2)
    intake = Intake("desk")
    assert fate(intake, second) is None
    waiting = asyncio.create_task(intake.admit(second))
    await asyncio.sleep(0)
    assert fate(intake, first) is Fate.TAKE
    intake.record_taken(first)
    assert (await waiting).verdict is Fate.TAKE


@pytest.mark.parametrize("order", [ORDER, tuple(reversed(ORDER))])
async def test_the_most_urgent_that_waits_is_dealt_with_first(order: tuple[Priority, ...]) -> None:
    intake = Intake("desk")
    dealt: list[Priority] = []

    async def deal(message: Message) -> None:
        async with intake.take_turn(message):
            dealt.append(message.priority)

    (busy,) = remarks(1)
    async with intake.take_turn(busy):
        tasks = [asyncio.create_task(deal(*remarks(1, priority))) for priority in order]
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    assert dealt == [Priority.CRITICAL, Priority.HIGH, Priority.NORMAL, Priority.LOW]
