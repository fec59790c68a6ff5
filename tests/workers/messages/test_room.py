"""What is sent over Temporal waits for the server's late count near the limit, and nowhere else."""

import time
import uuid

import pytest
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.message import MessageKind, RemarkBody
from caveat.failures import PortFailure
from caveat.intake import now
from caveat.rules.messages import Numbering
from caveat.workers.mailboxes import Mailboxes


async def send(messages: Mailboxes, numbering: Numbering, agent: str) -> None:
    message = numbering.message(
        MessageKind.REMARK, RemarkBody(text="…"), now=now(), recipient=agent
    )
    await messages.send(message)
    numbering.confirmed(message)


async def test_a_count_far_from_the_limit_holds_nobody_up(
    environment: WorkflowEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("caveat.workers.mailboxes._RECOUNT_S", 0.0)  # at each message
    monkeypatch.setattr("caveat.workers.mailboxes._SETTLED_S", 30.0)
    agent = f"agent-{uuid.uuid4().hex[:12]}"
    messages = Mailboxes(environment.client)
    await messages.open(agent)
    numbering = Numbering("news", f"series-{agent}")
    began = time.monotonic()
    for _ in range(5):
        await send(messages, numbering, agent)
    assert time.monotonic() - began < 30


async def test_no_more_than_the_limit_wait_however_late_the_count_is(
    environment: WorkflowEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("caveat.workers.mailboxes._RECOUNT_S", 0.0)
    agent = f"agent-{uuid.uuid4().hex[:12]}"
    messages = Mailboxes(environment.client, most=5)
    await messages.open(agent)
    numbering = Numbering("news", f"series-{agent}")
    for _ in range(5):
        await send(messages, numbering, agent)
    with pytest.raises(PortFailure, match="5 messages wait"):
        await send(messages, numbering, agent)
