"""Calls that wait for a batch: the real SDK over HTTP, the stand-in's batches behind it."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from caveat.adapters.claude.messages import batches
from caveat.adapters.claude.messages.answers import KeptAnswers
from caveat.adapters.claude.messages.batches import Batches
from caveat.adapters.claude.messages.connection import ModelConnection
from caveat.adapters.claude.messages.dialogue import Dialogue
from caveat.adapters.claude.messages.problems import Purpose
from caveat.adapters.claude.messages.question import Question
from caveat.adapters.files.blobs import FolderBlobs
from caveat.contracts.base import Contract
from caveat.contracts.failure import FailureCategory, FailureType
from caveat.contracts.tasks import Task
from caveat.failures import InBatch, PortFailure
from caveat.roles.role import Bounds
from standins.messages_api import Breaks, Fails, Says, Scripted, StandIn


class Word(Contract):
    """A word."""

    word: str


def question(content: str) -> Question[Word]:
    return Question(
        task=Task(task_id="t", description="Say it", batch=True),
        purpose=Purpose("speaker", "claude-sonnet-5-5", "a word"),
        system="Speak.",
        content=content,
        answer=Word,
        bounds=Bounds(deadline_s=60, room=100),
    )


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "GATHERED_S", 0.05)
    monkeypatch.setattr(batches, "POLLED_S", (0.01, 0.02))


def dialogue(connection: ModelConnection, folder: Path) -> Dialogue:
    """As a worker makes it when it starts; what is kept is all that it knows."""
    blobs = FolderBlobs(folder)
    kept = KeptAnswers(blobs)
    return Dialogue(connection, kept, Batches(connection, kept, blobs))


async def put(asked: Dialogue, *contents: str) -> list[str]:
    """Ask, and return the batches that the answers will come with."""
    ended = await asyncio.gather(
        *(asked.ask(question(each)) for each in contents), return_exceptions=True
    )
    assert all(isinstance(each, InBatch) for each in ended), ended
    return [each.batch for each in ended if isinstance(each, InBatch)]


def fetcher(asked: Dialogue) -> Batches:
    assert asked.batches is not None
    return asked.batches


async def test_calls_that_come_at_once_are_one_batch_at_half_the_price(
    api: StandIn, connection: ModelConnection, tmp_path: Path
) -> None:
    asked = dialogue(connection, tmp_path)
    api.model = lambda request: Says({"word": request.said[0]})
    (batch, other) = await put(asked, "one", "two")
    assert batch == other
    assert list(api.sent) == [batch]
    assert await fetcher(asked).fetch(batch) == 2
    one, two = [await asked.ask(question(each)) for each in ("one", "two")]
    assert (one.value[-1].word, two.value[-1].word) == ("one", "two"), "matched by their ids"
    assert one.usage.model_calls == 1
    assert one.usage.cost_usd == pytest.approx((100 * 2e-6 + 20 * 10e-6) / 2)
    assert api.requests == [], "nothing was called beside the batch"
    again = await asked.ask(question("one"))
    assert again.usage.model_calls == 0, "what it took was booked once"


async def test_asked_again_while_it_waits_it_stays_in_its_batch(
    api: StandIn, connection: ModelConnection, tmp_path: Path
) -> None:
    (batch,) = await put(dialogue(connection, tmp_path), "one")
    assert await put(dialogue(connection, tmp_path), "one") == [batch]
    assert len(api.sent) == 1


async def test_a_worker_that_is_killed_before_it_hears_of_its_batch_sends_no_second_one(
    api: StandIn, connection: ModelConnection, tmp_path: Path
) -> None:
    api.is_deaf = True
    with pytest.raises(PortFailure) as caught:
        await dialogue(connection, tmp_path).ask(question("one"))
    assert caught.value.failure.category is FailureCategory.TRANSIENT
    api.is_deaf = False
    after = dialogue(connection, tmp_path)
    (batch,) = await put(after, "one")
    assert list(api.sent) == [batch]
    api.will(Says({"word": "yes"}))
    await fetcher(after).fetch(batch)
    assert (await after.ask(question("one"))).value[-1].word == "yes"


async def test_another_s_batch_that_looks_like_it_is_found_out(
    api: StandIn, connection: ModelConnection, tmp_path: Path
) -> None:
    await put(dialogue(connection, tmp_path / "other"), "theirs")
    api.is_deaf = True
    with pytest.raises(PortFailure):
        await dialogue(connection, tmp_path).ask(question("ours"))
    del api.sent["msgbatch_2"]  # it never arrived
    api.is_deaf = False
    after = dialogue(connection, tmp_path)
    (wrong,) = await put(after, "ours")
    api.model = lambda request: Says({"word": request.said[0]})
    await fetcher(after).fetch(wrong)
    (right,) = await put(after, "ours")
    assert right != wrong
    await fetcher(after).fetch(right)
    assert (await after.ask(question("ours"))).value[-1].word == "ours"


@pytest.mark.parametrize(
    ("outcome", "type_", "is_transient"),
    [
        (Fails(529, "overloaded_error"), FailureType.RATE_LIMITED, True),
        (Fails(400, "invalid_request_error"), FailureType.PERMANENT, False),
        (Breaks(), FailureType.TIMEOUT, True),
    ],
)
async def test_what_fails_in_a_batch_fails_by_its_category_and_is_sent_again_when_asked(
    outcome: Scripted,
    type_: FailureType,
    is_transient: bool,
    api: StandIn,
    connection: ModelConnection,
    tmp_path: Path,
) -> None:
    asked = dialogue(connection, tmp_path)
    (batch,) = await put(asked, "one")
    api.will(outcome)
    assert await fetcher(asked).fetch(batch) == 0
    with pytest.raises(PortFailure) as caught:
        await asked.ask(question("one"))
    assert caught.value.failure.failure_type is type_
    assert caught.value.failure.retry_recommended is is_transient
    (second,) = await put(asked, "one")
    assert second != batch


async def test_a_cancelled_batch_leaves_its_calls_undone(
    api: StandIn, connection: ModelConnection, tmp_path: Path
) -> None:
    asked = dialogue(connection, tmp_path)
    (batch,) = await put(asked, "one")
    await fetcher(asked).cancel(batch)
    assert api.sent[batch].cancelled
    await fetcher(asked).fetch(batch)
    with pytest.raises(PortFailure, match="cancelled"):
        await asked.ask(question("one"))


async def test_what_must_be_mended_goes_into_another_batch(
    api: StandIn, connection: ModelConnection, tmp_path: Path
) -> None:
    asked = dialogue(connection, tmp_path)
    (first,) = await put(asked, "one")
    api.will(Says("nonsense"), Says({"word": "yes"}))
    await fetcher(asked).fetch(first)
    with pytest.raises(InBatch) as caught:
        await asked.ask(question("one"))
    assert caught.value.batch != first
    assert caught.value.usage.model_calls == 1, "the first turn was paid for"
    await fetcher(asked).fetch(caught.value.batch)
    answer = await asked.ask(question("one"))
    assert (answer.value[-1].word, answer.usage.model_calls) == ("yes", 1)


async def test_a_task_that_cannot_wait_is_a_call(
    api: StandIn, connection: ModelConnection, tmp_path: Path
) -> None:
    api.will(Says({"word": "now"}))
    asked = question("one")
    hurried = replace(asked, task=asked.task.model_copy(update={"batch": False}))
    answer = await dialogue(connection, tmp_path).ask(hurried)
    assert answer.value[-1].word == "now"
    assert api.sent == {}
