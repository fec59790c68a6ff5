"""What a server can do, as a person waits for it who has a slow one."""

import time

import pytest

from caveat.adapters.claude.checking import LONGEST, Checking
from caveat.adapters.claude.messages.connection import ModelConnection
from tests.fakes.messages_api import Recorded, Scripted, StandIn
from tests.fakes.probed import Probed


async def test_a_prompt_that_would_be_late_is_not_tried(
    api: StandIn, connection: ModelConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("caveat.adapters.claude.checking._PATIENCE_S", 10.0)
    lengths: list[int] = []

    def read_slowly(request: Recorded) -> Scripted:
        lengths.append(len("".join(request.said)))
        if lengths[-1] == LONGEST // 16:
            time.sleep(1)
        return Probed()(request)

    api.model = read_slowly
    *_, longest = (await Checking(connection, "some-model").check()).findings
    assert max(lengths) < LONGEST
    assert longest.said == f"reads {max(lengths):,} characters, and no more within 10 s"


async def test_a_weak_model_that_heeds_instructions_once_has_them(
    api: StandIn, connection: ModelConnection
) -> None:
    asked: list[str] = []

    def forget_once(request: Recorded) -> Scripted:
        asked.append("".join(request.said))
        is_first = asked.count("What is the code word? Say it and nothing else.") == 1
        return Probed(heeds_system=not is_first)(request)

    api.model = forget_once
    assert (await Checking(connection, "some-model").check()).capabilities.system
