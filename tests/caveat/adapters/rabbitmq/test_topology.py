"""The queues of docs/messages.md, as they are declared to a broker."""

from collections.abc import Mapping
from typing import Any

import pytest

from caveat.adapters.rabbitmq.topology import Topology, build_routing_key
from caveat.contracts.message import EventBody, RemarkBody
from caveat.intake import now
from caveat.rules.messages import Numbering


class Declared:
    """Stands in for a channel and for what it declares, and notes the calls."""

    def __init__(self) -> None:
        self.queues: dict[str, Mapping[str, Any]] = {}
        self.bindings: list[tuple[str, str]] = []
        self._last = ""

    async def declare_exchange(self, name: str, kind: str, *, durable: bool) -> None:
        assert durable
        assert kind == "topic"
        self.queues[name] = {}

    async def declare_queue(
        self, name: str, *, durable: bool, arguments: Mapping[str, Any] | None = None
    ) -> "Declared":
        assert durable
        self.queues[name] = arguments or {}
        self._last = name
        return self

    async def bind(self, exchange: str, key: str) -> None:
        self.bindings.append((f"{exchange} → {self._last}", key))


@pytest.fixture
async def declared() -> Declared:
    channel = Declared()
    await Topology().declare_agent(channel, "news")  # type: ignore[arg-type]  # as much of one as is used
    return channel


async def test_names_are_those_that_agents_know(declared: Declared) -> None:
    assert list(declared.queues) == [
        "agent_communication",
        "dlx_agent_messages",
        "dead_agent_messages",
        "agent_news",
        "agent_news.again",
        "agent_news.wait.1s",
        "agent_news.wait.2s",
        "agent_news.wait.4s",
    ]
    assert declared.bindings == [
        ("dlx_agent_messages → dead_agent_messages", "#"),
        ("agent_communication → agent_news", "agent.news"),
        ("agent_communication → agent_news", "agents"),
    ]


async def test_what_nobody_takes_dies_after_an_hour_with_its_agent(declared: Declared) -> None:
    dies = {
        "x-dead-letter-exchange": "dlx_agent_messages",
        "x-dead-letter-routing-key": "news",
        "x-message-ttl": 3_600_000,
        "x-max-priority": 4,
    }
    full = {"x-max-length": 1_000, "x-overflow": "reject-publish"}
    assert declared.queues["agent_news"] == {**dies, **full}
    assert declared.queues["agent_news.again"] == dies, "what comes back is never refused"


@pytest.mark.parametrize("seconds", [1, 2, 4])
async def test_what_failed_comes_back_after_its_wait(declared: Declared, seconds: int) -> None:
    assert declared.queues[f"agent_news.wait.{seconds}s"] == {
        "x-message-ttl": seconds * 1000,
        "x-dead-letter-exchange": "",
        "x-dead-letter-routing-key": "agent_news.again",
    }


def test_a_message_goes_to_its_agent_to_everybody_or_to_whoever_listens() -> None:
    numbering = Numbering("coordinator", "s")
    body = RemarkBody(text="…")
    told = numbering.build_message(body, now=now(), recipient="news")
    cried = numbering.build_message(body, now=now())
    event = numbering.build_message(EventBody(name="run.started"), now=now(), run="research-x.1")
    assert build_routing_key(told) == "agent.news"
    assert build_routing_key(told, "other") == "agent.other"
    assert build_routing_key(cried) == "agents"
    assert build_routing_key(event) == "research.research-x_1.run.started"
