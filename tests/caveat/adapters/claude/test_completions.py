"""A server of the OpenAI form, for what the Messages API of a server cannot do."""

from dataclasses import replace

import pytest

from caveat.adapters.claude.messages.capabilities import LOCAL
from caveat.adapters.claude.messages.connection import ModelConnection
from caveat.adapters.claude.messages.dialogue import Dialogue, Question
from caveat.adapters.claude.messages.keys import ApiKey
from caveat.adapters.claude.messages.problems import Purpose
from caveat.contracts.base import Contract
from caveat.contracts.failure import FailureType
from caveat.contracts.tasks import Task
from caveat.failures import PortFailure
from caveat.roles.role import Bounds
from tests.fakes.completions import Completions
from tests.fakes.messages_api import KEY, Fails, Model, Recorded, Says, StandIn


class Word(Contract):
    word: str


QUESTION = Question(
    task=Task(task_id="t", description="Say it"),
    purpose=Purpose("speaker", "local", "a word"),
    system="Speak.",
    content="Which word?",
    answer=Word,
    bounds=Bounds(deadline_s=60, room=1_000),
)


ABLE = replace(LOCAL, messages=False, structured_outputs=True)


def connect(
    api: StandIn, connection: ModelConnection, model: Model, key: str = KEY
) -> tuple[Completions, Dialogue]:
    api.beside = beside = Completions(model)
    return beside, Dialogue(replace(connection, key=ApiKey(key), capabilities=ABLE))


async def test_an_answer_is_held_to_its_schema(api: StandIn, connection: ModelConnection) -> None:
    wire, dialogue = connect(api, connection, lambda _: Says({"word": "yes"}))
    answer = await dialogue.ask(QUESTION)
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
    assert (await dialogue.ask(QUESTION)).value == (Word(word="yes"),)
    assert [body["max_tokens"] for body in wire.asked] == [1_000, 2_000]


@pytest.mark.parametrize(
    ("key", "kind"), [(KEY, FailureType.PERMANENT), ("wrong", FailureType.AUTH_ERROR)]
)
async def test_a_refusal_has_the_name_that_it_has_elsewhere(
    key: str, kind: FailureType, api: StandIn, connection: ModelConnection
) -> None:
    _, dialogue = connect(api, connection, lambda _: Fails(400), key)
    with pytest.raises(PortFailure) as caught:
        await dialogue.ask(QUESTION)
    assert caught.value.failure.failure_type is kind
    assert "PROVIDER" not in caught.value.failure.message
