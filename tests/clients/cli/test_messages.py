"""`caveat admin dead-letters|resend`: what could not be delivered, on a real broker."""

import asyncio
import datetime as dt
import json
import re
import sys
import uuid
from pathlib import Path

import pytest

from caveat.clients.cli.admin import agent_key
from caveat.contracts.message import Message, RemarkBody
from caveat.intake import now
from caveat.ports import Messages
from caveat.problem import BadInput
from caveat.rules.messages import Numbering
from caveat.workers.messages import create_messages
from caveat.workers.settings import Settings, load
from tests.fakes.brokers import URL, delete_agent, is_there
from tests.fakes.patience import PATIENCE_S, until

pytestmark = pytest.mark.system


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A person's own, on the broker of this machine."""
    if not is_there():
        pytest.skip("no RabbitMQ on 127.0.0.1:5672")
    monkeypatch.setenv("CAVEAT_MESSAGES", URL)
    monkeypatch.setenv("CAVEAT_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("CAVEAT_CACHE_DIR", str(tmp_path / "cache"))
    return load()


async def caveat(*arguments: str) -> tuple[int | None, str, str]:
    """Run the command as a shell does; return its exit code and what it printed."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "caveat.clients.cli.main", "admin", *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, said = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    return process.returncode, out.decode(), said.decode()


async def taken(carrier: Messages, agent: str) -> Message:
    arrived: asyncio.Future[Message] = asyncio.get_running_loop().create_future()

    async def handle(message: Message) -> None:
        if not arrived.done():
            arrived.set_result(message)

    receiving = asyncio.create_task(carrier.serve(agent, handle))
    try:
        return await asyncio.wait_for(arrived, PATIENCE_S)
    finally:
        receiving.cancel()
        await asyncio.gather(receiving, return_exceptions=True)


async def test_a_dead_message_is_listed_read_and_sent_again(settings: Settings) -> None:
    carrier = create_messages(settings)
    agent = f"agent-{uuid.uuid4().hex[:12]}"
    await carrier.open(agent)
    sent = Numbering("coordinator", f"series-{agent}").build_message(
        RemarkBody(text="Look at the cash flow."), recipient=agent, now=now()
    )
    await carrier.send(sent.model_copy(update={"expires": now() + dt.timedelta(seconds=1)}))
    await asyncio.sleep(1.5)  # its time is over, and nobody has taken it

    await until(lambda: carrier.list_dead_letters(agent))
    code, out, _ = await caveat("dead-letters", "--json")
    (listed,) = [each for each in json.loads(out) if each["agent"] == agent]
    assert (code, listed["id"]) == (0, sent.id)
    assert "expired" in listed["reason"]
    assert listed["message"]["data"]["text"] == "Look at the cash flow."

    _, out, said = await caveat("dead-letters")
    assert "remark from" in out
    assert "`caveat admin resend ID` sends one again." in said

    code, out, _ = await caveat("resend", sent.id)
    assert (code, out) == (0, f"{sent.id} is sent to {agent} again.\n")
    again = await taken(carrier, agent)
    assert (again.data, again.resent) == (sent.data, 1)
    await carrier.close()
    await delete_agent(agent)


async def test_without_a_broker_the_commands_say_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("CAVEAT_MESSAGES", raising=False)
    monkeypatch.setenv("CAVEAT_STATE_DIR", str(tmp_path / "state"))
    code, out, said = await caveat("dead-letters")
    assert (code, out) == (2, "")
    assert said == "Messages need a broker: set CAVEAT_MESSAGES to a RabbitMQ.\n"


@pytest.mark.parametrize("name", ["", "*", "a b", "Valuation", "../valuation"])
def test_what_no_agent_can_be_called_has_no_key(name: str) -> None:
    with pytest.raises(BadInput, match=f"^“{re.escape(name)}” is no agent's name: "):
        agent_key(name)
