"""What is used of the Messages API where a server has it: thinking, caches, counts, a catalogue."""

from dataclasses import replace

import pytest

from caveat.adapters.claude.messages.capabilities import ANTHROPIC
from caveat.adapters.claude.messages.connection import ModelConnection
from caveat.adapters.claude.messages.dialogue import Dialogue
from caveat.adapters.claude.messages.problems import Purpose
from caveat.adapters.claude.messages.question import Question
from caveat.contracts.base import Contract
from caveat.contracts.spending import Allowance
from caveat.contracts.tasks import Task
from caveat.failures import NotAllowed
from caveat.roles.role import Bounds, Effort, compute_least_room
from caveat.spending import Meter
from standins.messages_api import Says, StandIn

MODEL = "claude-sonnet-5-5"


class Word(Contract):
    """A word."""

    word: str


def question(
    effort: Effort | None = None, shared: str = "", allowance: Allowance | None = None
) -> Question[Word]:
    return Question(
        task=Task(task_id="t", description="Say it"),
        purpose=Purpose("speaker", MODEL, "a word", Meter(allowance)),
        system="Speak.",
        content="Which word?",
        answer=Word,
        bounds=Bounds(deadline_s=60, room=1_000, effort=effort),
        shared=shared,
    )


YES = Says({"word": "yes"})


async def test_an_effort_lets_the_model_think_and_gives_room_for_it(
    api: StandIn, connection: ModelConnection
) -> None:
    api.will(YES)
    answer = await Dialogue(connection).ask(question(Effort.HIGH))
    assert answer.value == (Word(word="yes"),), "what was thought is no part of the answer"
    body = api.requests[0].body
    assert body["thinking"]["type"] == "adaptive"
    assert body["output_config"]["effort"] == "high"
    assert body["max_tokens"] == 1_000 + Effort.HIGH.room


async def test_a_second_turn_has_more_room_for_words_and_the_same_for_thinking(
    api: StandIn, connection: ModelConnection
) -> None:
    api.will(Says("{", "max_tokens"), YES)
    await Dialogue(connection).ask(question(Effort.LOW))
    rooms = [request.body["max_tokens"] for request in api.requests]
    assert rooms == [1_000 + Effort.LOW.room, 2_000 + Effort.LOW.room]


async def test_what_is_shared_stands_first_with_a_mark(
    api: StandIn, connection: ModelConnection
) -> None:
    api.will(Says("nonsense"), YES)
    await Dialogue(connection).ask(question(shared="A long source."))
    for request in api.requests:
        source, asked = request.body["messages"][0]["content"]
        assert source == {
            "type": "text", "text": "A long source.", "cache_control": {"type": "ephemeral"},
        }  # fmt: skip
        assert asked == {"type": "text", "text": "\n\nWhich word?"}


async def test_a_server_without_caches_gets_one_text(api: StandIn, local: ModelConnection) -> None:
    api.will(Says('{"word": "yes"}'))
    await Dialogue(local).ask(question(shared="A long source."))
    assert api.requests[0].body["messages"][0]["content"] == "A long source.\n\nWhich word?"


@pytest.mark.parametrize("feature", ["structured_outputs", "thinking"])
async def test_the_catalogue_says_what_a_model_cannot_do(
    feature: str, api: StandIn, connection: ModelConnection
) -> None:
    setattr(api, feature, False)
    api.will(YES, YES)
    for _ in range(2):
        assert (await Dialogue(connection).ask(question(Effort.HIGH))).value[-1].word == "yes"
    body = api.requests[0].body
    if feature == "structured_outputs":
        assert "format" not in body["output_config"]
        assert "JSON Schema" in api.requests[0].system
    else:
        assert "thinking" not in body
        assert body["max_tokens"] == 1_000


async def test_a_server_without_a_catalogue_does_what_it_is_taken_to_do(
    api: StandIn, connection: ModelConnection
) -> None:
    api.catalogue = False
    api.will(YES)
    await Dialogue(connection).ask(question(Effort.LOW))
    assert api.requests[0].schema is not None
    assert "thinking" in api.requests[0].body


LONG = "word " * 300

SHORT = Allowance(tokens=1_560)
"""Room for the answer and for the prompt as it is counted, less than for the bound on that."""


async def test_a_prompt_is_counted_where_its_bound_is_too_dear(
    api: StandIn, connection: ModelConnection
) -> None:
    """The stand-in counts four characters as a token, the bound three bytes."""
    api.will(YES)
    padded = replace(question(allowance=SHORT), content=LONG)
    await Dialogue(connection).ask(padded)
    assert len(api.counted) == 1
    assert "max_tokens" not in api.counted[0].body
    assert api.requests[0].body["max_tokens"] == 1_000


async def test_without_counting_the_bound_decides(
    api: StandIn, connection: ModelConnection
) -> None:
    api.will(YES)
    bounded = replace(connection, capabilities=replace(ANTHROPIC, counting=False))
    await Dialogue(bounded).ask(replace(question(allowance=SHORT), content=LONG))
    assert api.requests[0].body["max_tokens"] == compute_least_room(1_000)
    assert api.counted == []


async def test_little_room_is_for_words_alone(api: StandIn, connection: ModelConnection) -> None:
    api.will(YES)
    await Dialogue(connection).ask(question(Effort.HIGH, allowance=Allowance(tokens=900)))
    body = api.requests[0].body
    assert "thinking" not in body
    assert "effort" not in body["output_config"]
    assert body["max_tokens"] == compute_least_room(1_000)


async def test_what_nothing_pays_for_is_asked_for(
    api: StandIn, connection: ModelConnection
) -> None:
    with pytest.raises(NotAllowed) as caught:
        await Dialogue(connection).ask(question(Effort.HIGH, allowance=Allowance(tokens=10)))
    assert caught.value.whole.output_tokens == 1_000 + Effort.HIGH.room
    assert caught.value.least.output_tokens == compute_least_room(1_000)
    assert api.requests == []
