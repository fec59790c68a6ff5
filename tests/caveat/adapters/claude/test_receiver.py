"""An answer that was sent to a killed process is there for the next one that asks the same."""

import asyncio
import sys
from pathlib import Path

import pytest
from httpx2 import Request

from caveat.adapters.claude.messages.connection import Call, ModelConnection, Turn, create_client
from caveat.adapters.claude.messages.keys import FixedKey
from caveat.adapters.claude.messages.problems import Purpose
from caveat.adapters.claude.messages.receiver import Receiver
from tests.fakes.messages_api import KEY, Fails, Recorded, Says, StandIn, stand_in
from tests.fakes.patience import until

CALL = Call("claude-opus-5-5", "Answer.", None, (Turn("user", "How wide is it?"),), 100)


async def ask(url: str, received: Path) -> str:
    async with create_client(url, received=received) as client:
        connection = ModelConnection(client, FixedKey(KEY))
        deadline = asyncio.get_running_loop().time() + 60
        return (await connection.call(CALL, Purpose("writer", CALL.model, "it"), deadline)).text


ASKING = f"""
import asyncio, pathlib, sys
from {__name__} import ask
asyncio.run(ask(sys.argv[1], pathlib.Path(sys.argv[2])))
"""


async def kill_while(api: StandIn, received: Path, said: asyncio.Event) -> None:
    """Kill a process that asks in the moment in which the stand-in begins to answer."""
    words = ("-c", ASKING, api.url, str(received))
    asking = await asyncio.create_subprocess_exec(sys.executable, *words)
    try:
        await asyncio.wait_for(said.wait(), 60)
    finally:
        asking.kill()
        await asking.wait()


@pytest.mark.parametrize("answer", [Says("14.2 metres"), Fails(529, "overloaded_error")])
async def test_an_answer_that_was_sent_to_a_killed_process_is_not_asked_for_again(
    tmp_path: Path, answer: Says | Fails
) -> None:
    begun = asyncio.Event()

    def note_begin(_: Recorded) -> float:
        begun.set()
        return 0.3

    async with stand_in(latency=note_begin) as api:
        api.will(answer, Says("16.8 metres"))
        await kill_while(api, tmp_path, begun)
        is_kept = isinstance(answer, Says)
        await until(lambda: not is_kept or list(tmp_path.glob("*/*.received")))
        assert await ask(api.url, tmp_path) == ("14.2 metres" if is_kept else "16.8 metres")
        assert len(api.requests) == (1 if is_kept else 2)
    assert not list(tmp_path.glob("*/*")), "it is removed once it is read"


async def test_an_answer_that_was_read_is_not_kept(tmp_path: Path) -> None:
    async with stand_in() as api:
        api.will(Says("14.2 metres"))
        assert await ask(api.url, tmp_path) == "14.2 metres"
    assert not list(tmp_path.iterdir())


async def test_an_answer_that_nobody_wants_any_more_is_not_waited_for(tmp_path: Path) -> None:
    begun = asyncio.Event()

    def note_begin(_: Recorded) -> float:
        begun.set()
        return 3_600

    async with stand_in(latency=note_begin) as api, asyncio.timeout(60):
        asking = asyncio.create_task(ask(api.url, tmp_path))
        await begun.wait()
        asking.cancel()
        await asyncio.wait({asking})
    assert asking.cancelled()


async def test_who_closes_waits_for_no_answer_that_it_left_unread(tmp_path: Path) -> None:
    asked = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "How?"}]}
    headers = {"x-api-key": KEY, "anthropic-version": "2023-06-01"}
    receiver = Receiver(tmp_path)
    async with stand_in() as api, asyncio.timeout(60):
        api.will(Says("14.2 metres"))
        request = Request("POST", f"{api.url}/v1/messages", headers=headers, json=asked)
        left = await receiver.handle_async_request(request)
        await receiver.aclose()
        await left.aclose()
    assert left.status_code == 200
