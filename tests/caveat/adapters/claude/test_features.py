"""What is used of the Messages API where a server has it: thinking, caches, counts, a catalogue."""

from dataclasses import replace

import pytest

from caveat.adapters.claude.messages.capabilities import LOCAL
from caveat.adapters.claude.messages.connection import ApiKey, ModelConnection
from caveat.adapters.claude.messages.dialogue import Dialogue
from caveat.adapters.claude.messages.problems import Purpose
from caveat.contracts.base import Contract
from caveat.contracts.envelope import FailureType
from caveat.contracts.tasks import Task
from caveat.failures import PortFailure
from caveat.ports import Answer
from caveat.roles.role import Bounds, Effort, Question
from tests.fakes.completions import Completions
from tests.fakes.messages_api import KEY, Fails, Model, Recorded, Says, StandIn

MODEL = "claude-sonnet-5-5"


class Word(Contract):
    word: str


async def ask(
    dialogue: Dialogue, effort: Effort | None = None, shared: str = "", room: int | None = None
) -> Answer[tuple[Word, ...]]:
    task = Task(task_id="t", description="Say it", room=room)
    question = Question(task, "a word", "Which word?", Word, shared=shared)
    bounds = Bounds(deadline_s=60, room=1_000, effort=effort)
    return await dialogue.ask(question, Purpose("speaker", MODEL, "a word"), "Speak.", bounds)


YES = Says({"word": "yes"})


async def test_an_effort_lets_models_think(api: StandIn, connection: ModelConnection) -> None:
    api.will(YES)
    answer = await ask(Dialogue(connection), Effort.HIGH)
    assert answer.value == (Word(word="yes"),), "what was thought is no part of the answer"
    body = api.requests[0].body
    assert body["thinking"]["type"] == "adaptive"
    assert body["output_config"]["effort"] == "high"
    assert body["max_tokens"] == 1_000 + Effort.HIGH.room


async def test_shared_parts_come_first_marked(api: StandIn, connection: ModelConnection) -> None:
    api.will(Says("nonsense"), YES)
    await ask(Dialogue(connection), shared="A long source.")
    for request in api.requests:
        source, asked = request.body["messages"][0]["content"]
        assert source == {
            "type": "text", "text": "A long source.", "cache_control": {"type": "ephemeral"},
        }  # fmt: skip
        assert asked == {"type": "text", "text": "\n\nWhich word?"}


async def test_a_server_without_caches_gets_one_text(api: StandIn, local: ModelConnection) -> None:
    api.will(Says('{"word": "yes"}'))
    await ask(Dialogue(local), shared="A long source.")
    assert api.requests[0].body["messages"][0]["content"] == "A long source.\n\nWhich word?"


@pytest.mark.parametrize("feature", ["structured_outputs", "thinking"])
async def test_the_catalogue_says_what_a_model_cannot_do(
    feature: str, api: StandIn, connection: ModelConnection
) -> None:
    setattr(api, feature, False)
    api.will(YES, YES)
    for _ in range(2):
        assert (await ask(Dialogue(connection), Effort.HIGH)).value[-1].word == "yes"
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
    await ask(Dialogue(connection), Effort.LOW)
    assert api.requests[0].schema is not None
    assert "thinking" in api.requests[0].body


async def test_little_room_is_for_words_alone(api: StandIn, connection: ModelConnection) -> None:
    api.will(YES, YES)
    await ask(Dialogue(connection), Effort.HIGH, room=900)
    body = api.requests[0].body
    assert "thinking" not in body
    assert "effort" not in body["output_config"]
    assert body["max_tokens"] == 900
    await ask(Dialogue(connection), Effort.HIGH, room=30_000)
    assert api.requests[1].body["max_tokens"] == 1_000 + Effort.HIGH.room


ABLE = replace(LOCAL, messages=False, structured_outputs=True)


def connect(
    api: StandIn, connection: ModelConnection, model: Model, key: str = KEY
) -> tuple[Completions, Dialogue]:
    api.beside = beside = Completions(model)
    return beside, Dialogue(replace(connection, key=ApiKey(key), capabilities=ABLE))


async def test_an_answer_is_held_to_its_schema(api: StandIn, connection: ModelConnection) -> None:
    wire, dialogue = connect(api, connection, lambda _: Says({"word": "yes"}))
    answer = await ask(dialogue)
    assert answer.value == (Word(word="yes"),)
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (100, 20)
    (body,) = wire.asked
    assert body["messages"] == [
        {"role": "system", "content": "Speak."},
        {"role": "user", "content": "Which word?"},
    ]
    assert body["response_format"]["json_schema"]["schema"]["required"] == ["word"]
    assert body["max_tokens"] == 1_000
    assert not api.requests


async def test_an_answer_that_is_cut_off_has_a_second_turn_with_more_room(
    api: StandIn, connection: ModelConnection
) -> None:
    def answer(request: Recorded) -> Says:
        is_second = len(request.body["messages"]) > 1 or request.body["max_tokens"] > 1_000
        return Says({"word": "yes"}) if is_second else Says('{"word', "max_tokens")

    wire, dialogue = connect(api, connection, answer)
    assert (await ask(dialogue)).value == (Word(word="yes"),)
    assert [body["max_tokens"] for body in wire.asked] == [1_000, 2_000]


@pytest.mark.parametrize(
    ("key", "kind"), [(KEY, FailureType.PERMANENT), ("wrong", FailureType.AUTH_ERROR)]
)
async def test_a_refusal_has_the_name_that_it_has_elsewhere(
    key: str, kind: FailureType, api: StandIn, connection: ModelConnection
) -> None:
    _, dialogue = connect(api, connection, lambda _: Fails(400), key)
    with pytest.raises(PortFailure) as caught:
        await ask(dialogue)
    assert caught.value.failure.failure_type is kind
    assert "PROVIDER" not in caught.value.failure.message
