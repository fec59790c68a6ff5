"""What happens in a run is told to webhooks and brokers, and no run waits for one that is away."""

import asyncio
import base64
import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import pytest
from standardwebhooks import Webhook as Verifier
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from caveat.adapters.http.client import create_operator_client
from caveat.adapters.http.target import Target
from caveat.adapters.notify.posting import Webhook
from caveat.adapters.notify.signing import SigningKeys, parse_secret
from caveat.contracts.message import Message
from caveat.contracts.outcome import Outcome
from caveat.workers.wiring import Ports, build_registry
from caveat.workers.worker import serve_runs
from tests.caveat.adapters.notify.conftest import Receiver, answer
from tests.fakes.patience import PATIENCE_S, until
from tests.fakes.ports import World, ports_of
from tests.fakes.runs import start_run
from tests.fakes.web import serving
from tests.fakes.worlds import disagreeing

SECRET = "whsec_" + base64.b64encode(b"a secret of twenty-four b").decode()


def telling(world: World, url: str) -> Ports:
    webhook = Webhook(
        Target.from_url(url), create_operator_client(), SigningKeys((parse_secret(SECRET),))
    )
    return replace(ports_of(world), announcer=webhook)


async def run(client: Client, queue: str, **request: object) -> Outcome:
    handle = await start_run(
        client, queue, f"research-announced-{queue}", arbitration_timeout="PT1S", **request
    )
    return await asyncio.wait_for(handle.result(), PATIENCE_S)


@contextmanager
def listening(receiver: Receiver) -> Iterator[Receiver]:
    with serving(receiver.handler) as receiver.port:
        yield receiver


async def test_a_webhook_hears_a_run_from_its_start_to_its_end(
    environment: WorkflowEnvironment, world: World, task_queue: str
) -> None:
    disagreeing(world, (1, 2))
    with listening(Receiver()) as receiver:
        ports = telling(world, receiver.url)
        async with serve_runs(environment.client, build_registry(ports), task_queue):
            outcome = await run(environment.client, task_queue)
    assert not outcome.failures
    assert not outcome.report.failures
    events: list[dict[str, Any]] = []
    for request in receiver.requests:
        assert request.headers["Content-Type"] == "application/cloudevents+json"
        # The library of Standard Webhooks, as a receiver would use it.
        events.append(Verifier(SECRET).verify(request.body, request.headers))
        Message.model_validate_json(request.body)
    run_id = f"research-announced-{task_queue}"
    for event in events:
        assert event["specversion"] == "1.0"
        assert event["source"] == "/agents/coordinator"
        assert event["type"] == f"caveat.{event['data']['name']}"
        assert event["datacontenttype"] == "application/json"
        assert event["time"] < event["expires"]
        assert event["run"] == run_id
        assert all(name.isalnum() and name.islower() for name in event)  # as CloudEvents want it
    assert len({event["id"] for event in events}) == len(events)
    assert sorted(event["number"] for event in events) == list(range(1, len(events) + 1))
    in_order = sorted(events, key=lambda event: int(event["number"]))
    names = [event["data"]["name"] for event in in_order]
    assert (names[0], names[-1]) == ("run.started", "run.ended")
    assert names.count("contradiction.opened") == names.count("contradiction.settled") == 1
    assert set(names) == {
        *("run.started", "phase.entered", "contradiction.opened", "contradiction.settled"),
        *("report.published", "run.ended"),
    }


@contextmanager
def nobody() -> Iterator[int]:
    """A port that refuses connections."""
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        yield reserved.getsockname()[1]


@contextmanager
def silent() -> Iterator[int]:
    """A port that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=100) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize("away", [nobody, silent])
async def test_no_run_is_held_up_by_a_webhook_that_is_away(
    environment: WorkflowEnvironment,
    world: World,
    task_queue: str,
    away: Callable[[], AbstractContextManager[int]],
) -> None:
    with ExitStack() as receiver, environment.with_time_skipping_disabled():
        ports = telling(world, f"http://127.0.0.1:{receiver.enter_context(away())}/")
        async with serve_runs(environment.client, build_registry(ports), task_queue):
            began = time.monotonic()
            outcome = await run(environment.client, task_queue)
            took = time.monotonic() - began
            receiver.close()  # workers that stop would wait ten seconds for an answer
    assert not outcome.failures
    assert not outcome.report.failures
    assert took < 10, "four attempts at 1, 2 and 4 s, of 10 s each, would take 47"


async def test_what_a_webhook_did_not_take_comes_when_it_is_back(
    environment: WorkflowEnvironment, world: World, task_queue: str
) -> None:
    receiver = Receiver(reply=lambda handler: answer(handler, 503))
    with listening(receiver), environment.with_time_skipping_disabled():
        ports = telling(world, receiver.url)
        async with serve_runs(environment.client, build_registry(ports), task_queue):
            await run(environment.client, task_queue)
            receiver.reply = lambda handler: answer(handler, 204)
            refused = len(receiver.requests)
            await until(lambda: "run.ended" in names_of(receiver, refused))
    assert names_of(receiver, refused).count("run.ended") == 1


def names_of(receiver: Receiver, since: int) -> list[str]:
    return [json.loads(each.body)["data"]["name"] for each in receiver.requests[since:]]
