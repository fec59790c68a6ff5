"""Answers that were paid for are not paid for again."""

from dataclasses import replace
from pathlib import Path

import pytest

from caveat.adapters.claude.messages.connection import Call, ModelReply, Turn
from caveat.adapters.claude.messages.dialogue import KeptAnswers, hash_call
from caveat.adapters.files.blobs import FolderBlobs

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
