"""A question, and one turn to mend its answer."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import Field

from caveat.adapters.claude.messages.connection import Call, ModelConnection, ModelReply, Turn
from caveat.adapters.claude.messages.dialogue import Dialogue, KeptAnswers, hash_call
from caveat.adapters.claude.messages.problems import Purpose
from caveat.adapters.files.blobs import FolderBlobs
from caveat.contracts.base import Contract
from caveat.contracts.envelope import FailureCategory, FailureType
from caveat.contracts.tasks import MAX_TURNS, Task
from caveat.failures import PortFailure
from caveat.ports import Answer
from caveat.roles.role import Bounds, M, Question
from tests.fakes.messages_api import Breaks, Fails, Says, Scripted, StandIn


class Sum(Contract):
    """A sum and how it was found."""

    value: int = Field(ge=0)
    steps: tuple[str, ...] = ()


class Step(Contract):
    number: int = Field(ge=0)
    how: str


def not_four(said: Sum) -> str | None:
    return None if said.value == 4 else f"{said.value} is wrong."


QUESTION = Question(Task(task_id="add", description="Add"), "2 + 2", "2 + 2?", Sum, not_four)
FOUR = {"value": 4, "steps": ["count"]}


async def ask(dialogue: Dialogue, question: Question[M]) -> Answer[tuple[M, ...]]:
    purpose = Purpose("adder", "claude-sonnet-5-5", question.about)
    return await dialogue.ask(question, purpose, "Add.", Bounds(deadline_s=60, room=100))


@pytest.fixture
def keeping(connection: ModelConnection, tmp_path: Path) -> Dialogue:
    """One that pays for no answer twice."""
    return Dialogue(connection, KeptAnswers(FolderBlobs(tmp_path)))


async def failed(dialogue: Dialogue) -> PortFailure:
    with pytest.raises(PortFailure) as caught:
        await ask(dialogue, QUESTION)
    return caught.value


async def test_a_right_answer_is_one_call(api: StandIn, connection: ModelConnection) -> None:
    api.will(Says(FOUR))
    answer = await ask(Dialogue(connection), QUESTION)
    assert answer.value == (Sum(value=4, steps=("count",)),)
    assert (answer.usage.model_calls, answer.usage.input_tokens) == (1, 100)
    assert answer.usage.cost_usd == pytest.approx(100 * 2e-6 + 20 * 10e-6)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ("not JSON", "Invalid JSON"),
        ("", "Invalid JSON"),
        ('{"value": 4', "breaks off"),
        ({"steps": []}, "value: Field required"),
        ({"value": -4}, "value: Input should be greater than or equal to 0"),
        ('{"value": 4, "steps": ["\\ud800"]}', "Invalid JSON"),
        ('{"value": ' + "9" * 5_000 + "}", "number out of range"),
        ('{"value": ' + "[" * 2_000, "Invalid JSON"),
        ('{"value": ' + "[" * 30_000, "too long"),
        ('{"steps": [' + '{"a": 1},' * 5_000, "too long"),
    ],
)
async def test_drift_is_returned_once_by_name(
    wrong: Any, named: str, api: StandIn, connection: ModelConnection
) -> None:
    api.will(Says(wrong), Says(FOUR))
    answer = await ask(Dialogue(connection), QUESTION)
    assert answer.value[-1].value == 4
    assert answer.usage.model_calls == 2
    assert named in api.requests[1].said[2]
    assert api.requests[1].body["messages"][1]["role"] == "assistant"


class Steps(Contract):
    steps: tuple[Step, ...]
    remark: str = ""
    rounds: int = 0


STEPS = Question(QUESTION.task, "2 + 2", "2 + 2?", Steps)
ONE, TWO = {"number": 1, "how": "count"}, {"number": 2, "how": "add"}


async def test_keys_that_nobody_asked_for_are_ignored(
    api: StandIn, connection: ModelConnection
) -> None:
    api.will(Says({"steps": [{**ONE, "why": "because"}], "confidence": 0.9}))
    answer = await ask(Dialogue(connection), STEPS)
    assert answer.value == (Steps(steps=(Step(**ONE),)),)


@pytest.mark.parametrize(
    ("cut", "kept"),
    [
        ('{"remark": "Two.", "steps": [' + json.dumps(ONE) + ', {"number": 2, "how": "a', 1),
        ('{"steps": [' + json.dumps(ONE) + ", " + json.dumps(TWO), 2),
        ('{"steps": [' + json.dumps(ONE) + ", " + json.dumps(TWO) + '], "remark": "so', 2),
        ("```json\n" + '{"steps": [' + json.dumps(ONE) + ', {"number": 12', 1),
    ],
)
async def test_of_a_list_that_is_cut_off_the_whole_items_are_kept(
    cut: str, kept: int, api: StandIn, connection: ModelConnection
) -> None:
    api.will(Says(cut, "max_tokens"), Says("", "max_tokens"))
    answer = await ask(Dialogue(connection), STEPS)
    assert answer.value[-1].steps == (Step(**ONE), Step(**TWO))[:kept]
    assert len(api.requests) == 2, "more room was asked for first"


async def test_an_item_that_does_not_fit_costs_itself(
    api: StandIn, connection: ModelConnection
) -> None:
    mixed = {"steps": [ONE, {"number": -1, "how": "guess"}, TWO]}
    api.will(Says(mixed), Says(mixed))
    answer = await ask(Dialogue(connection), STEPS)
    assert answer.value[-1].steps == (Step(**ONE), Step(**TWO))
    assert "steps.1.number" in api.requests[1].said[2], "it was returned first"


async def test_a_field_that_does_not_fit_costs_itself_where_another_value_stands_in(
    api: StandIn, connection: ModelConnection
) -> None:
    # 7 is the same object in both fields, and fits one of them.
    api.will(*2 * [Says({"remark": 7, "rounds": 7, "steps": [ONE, {"number": -1}, {}, TWO]})])
    answer = await ask(Dialogue(connection), STEPS)
    assert answer.value[-1] == Steps(steps=(Step(**ONE), Step(**TWO)), rounds=7)


async def test_drift_twice_is_a_validation_failure(
    api: StandIn, connection: ModelConnection
) -> None:
    api.will(Says("SECRET page text"), Says({"value": "SECRET"}))
    error = await failed(Dialogue(connection))
    assert error.failure.category is FailureCategory.VALIDATION
    assert error.failure.failure_type is FailureType.PERMANENT
    assert error.failure.provider is None
    assert "int_parsing" in error.failure.message
    assert "SECRET" not in error.failure.model_dump_json()
    assert error.usage.model_calls == MAX_TURNS == len(api.requests)


@pytest.mark.parametrize(
    ("second", "values"),
    [
        (Says(FOUR), [5, 4]),
        (Says({"value": 6}), [5, 6]),
        (Says("nonsense"), [5]),
        (Says("No.", "refusal"), [5]),
        (Fails(400), [5]),
    ],
    ids=["a right one", "a wrong one", "none", "a refusal", "a failure"],
)
async def test_a_wrong_answer_is_returned_once_and_outlives_a_second_turn(
    second: Scripted, values: list[int], api: StandIn, connection: ModelConnection
) -> None:
    api.will(Says({"value": 5}), second)
    answer = await ask(Dialogue(connection), QUESTION)
    assert [each.value for each in answer.value] == values
    assert api.requests[1].said == ["2 + 2?", '{"value": 5}', "5 is wrong."]


@pytest.mark.parametrize("second", [Fails(429), Fails(529), Breaks()])
async def test_what_time_can_mend_is_left_to_temporal(
    second: Scripted, api: StandIn, connection: ModelConnection
) -> None:
    api.will(Says({"value": 5}), second)
    error = await failed(Dialogue(connection))
    assert error.failure.retry_recommended
    assert error.usage.model_calls == 1


async def test_more_room_once(api: StandIn, connection: ModelConnection) -> None:
    api.will(Says('{"value"', "max_tokens"), Says(FOUR))
    answer = await ask(Dialogue(connection), replace(QUESTION, find_objection=lambda _: None))
    assert answer.value[-1].value == 4
    assert [request.body["max_tokens"] for request in api.requests] == [100, 200]
    assert api.requests[1].said == ["2 + 2?"]
    assert answer.usage.model_calls == 2


async def test_the_deadline_holds_for_both_turns(
    api: StandIn, connection: ModelConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    deadlines: list[float] = []
    call = ModelConnection.call

    async def noted(
        self: ModelConnection, asked: Call, purpose: Purpose, deadline: float, *given: Any
    ) -> ModelReply:
        deadlines.append(deadline)
        return await call(self, asked, purpose, deadline, *given)

    monkeypatch.setattr(ModelConnection, "call", noted)
    api.will(Says({"value": 5}), Says(FOUR))
    await ask(Dialogue(connection), QUESTION)
    first, second = deadlines
    assert first == second


async def test_a_question_asked_again_is_free(api: StandIn, keeping: Dialogue) -> None:
    api.will(Says({"value": 5}), Says(FOUR))
    first = await ask(keeping, QUESTION)
    again = await ask(keeping, QUESTION)
    assert again.value == first.value
    assert (again.usage.model_calls, again.usage.cost_usd) == (0, 0)
    assert len(api.requests) == 2


async def test_after_a_break_only_the_unanswered_turn_is_paid(
    api: StandIn, keeping: Dialogue
) -> None:
    api.will(Says("nonsense"), Fails(529), Says(FOUR))
    await failed(keeping)
    answer = await ask(keeping, QUESTION)
    assert answer.value[-1].value == 4
    assert answer.usage.model_calls == 1
    assert len(api.requests) == 3


async def test_useless_answers_are_not_kept(api: StandIn, keeping: Dialogue) -> None:
    api.will(Says("nonsense"), Says("nonsense again"), Says(FOUR))
    await failed(keeping)
    assert (await ask(keeping, QUESTION)).value[-1].value == 4


@pytest.mark.parametrize(
    "words",
    [
        '{"value": 4}',
        'Sure! Here it is:\n```json\n{"value": 4}\n```\nAnything else?',
        '```\n{"value": 4}\n```',
        '<think>{"value": 3} or {"value": 5, "steps": ["long"]}?</think>{"value": 4}',
        'I add {two and two} and get {"value": 4}.',
    ],
)
async def test_a_local_model(words: str, api: StandIn, local: ModelConnection) -> None:
    api.will(Says(words))
    answer = await ask(Dialogue(local), QUESTION)
    assert answer.value[-1].value == 4
    request = api.requests[0]
    assert set(request.body) == {"model", "max_tokens", "system", "messages", "stream"}
    assert '"required": ["value"]' in request.system
    assert request.system.startswith("Add.")


# Answers that were paid for are not paid for again.


ROOT = Path(__file__).parents[4]

CALL = Call("model", "system", {"type": "object"}, (Turn("user", "Hello"),), 100)
NAME = hash_call(CALL)


async def test_an_answer_is_kept(tmp_path: Path) -> None:
    answers = KeptAnswers(FolderBlobs(tmp_path / "answers"))
    assert await answers.recall(NAME) is None
    await answers.keep(NAME, ModelReply(text="Grüße", truncated=True))
    assert await KeptAnswers(FolderBlobs(tmp_path / "answers")).recall(NAME) == ModelReply(
        text="Grüße", truncated=True
    )
    assert [file.name for file in tmp_path.rglob("*.json")] == [f"{NAME}.json"]
    assert not list(tmp_path.rglob(".*.new"))


async def test_a_damaged_answer_is_none(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    answers = KeptAnswers(FolderBlobs(tmp_path))
    await answers.keep(NAME, ModelReply(text="secret words"))
    file = next(tmp_path.rglob("*.json"))
    file.write_bytes(file.read_bytes()[:-3])
    assert await answers.recall(NAME) is None
    assert "paid for anew" in caplog.text
    assert "secret words" not in caplog.text


async def test_bad_folders_cost_only_money(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    answers = KeptAnswers(FolderBlobs(tmp_path / "file"))
    await answers.keep(NAME, ModelReply(text="x"))
    assert await answers.recall(NAME) is None
    await answers.forget(NAME)
    assert "cannot be kept" in caplog.text


@pytest.mark.parametrize(
    "other",
    [
        replace(CALL, model="another"),
        replace(CALL, system="another"),
        replace(CALL, schema=None),
        replace(CALL, schema={"type": "array"}),
        replace(CALL, turns=(Turn("assistant", "Hello"),)),
        replace(CALL, turns=(Turn("user", "Hell"), Turn("user", "o"))),
        replace(CALL, room=200),
    ],
)
def test_every_input_makes_another_address(other: Call) -> None:
    assert hash_call(other) != NAME
