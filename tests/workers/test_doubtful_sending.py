"""What is sent after a message that may have been accepted is not taken for that message."""

from dataclasses import dataclass, field

import pytest

from caveat.clients.agents import Agent
from caveat.contracts.message import Message, MessageKind, RemarkBody
from caveat.contracts.outside import OutsideFindings
from caveat.failures import PortFailure, unavailable
from caveat.intake import Fate, Intake, now
from caveat.rules.messages import MasterKey, Numbering


@dataclass
class Doubtful:
    """Takes every message, and does not say so of the second."""

    taken: list[Message] = field(default_factory=list)

    async def send(self, message: Message) -> None:
        self.taken.append(message)
        if len(self.taken) == 2:
            raise unavailable("The server did not answer.", resource="temporal")


async def no_work(_: object) -> OutsideFindings:
    raise AssertionError


async def test_every_message_is_taken_also_after_one_in_doubt() -> None:
    carrier = Doubtful()
    agent = Agent("news", carrier, MasterKey(b"a key"), no_work)  # type: ignore[arg-type]  # no more of it is called
    about = Numbering("coordinator", "series-1").message(
        MessageKind.REMARK, RemarkBody(text="?"), now=now(), recipient="news"
    )
    for text in ("first", "second", "third", "fourth"):
        if text == "second":
            with pytest.raises(PortFailure):
                await agent.send(MessageKind.REMARK, RemarkBody(text=text), about)
        else:
            await agent.send(MessageKind.REMARK, RemarkBody(text=text), about)
    assert len({message.id for message in carrier.taken}) == 4
    intake = Intake("coordinator")
    for message in carrier.taken:
        admission = intake.at_once(message)
        assert admission is not None
        assert admission.verdict is Fate.TAKE
        intake.took(message)
    intake.close()
