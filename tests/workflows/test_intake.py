"""Whatever a client sends, through the real `temporal` CLI: a named end, never a wedged run."""

import base64
import json
from typing import Any

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.client import Client, WorkflowFailureError
from temporalio.common import RawValue
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.outcome import Ending, NamedEnd, Progress
from caveat.contracts.plan import (
    MOST_CALLS,
    MOST_SOURCES,
    MOST_TOKENS,
    MOST_TURNS,
    MOST_USD,
    TOPIC_LIMIT,
)
from tests.fakes.commands import temporal
from tests.fakes.ports import World
from tests.fakes.runs import Start, outcome_of


def inputs(*values: object) -> tuple[str, ...]:
    return tuple(word for value in values for word in ("--input", json.dumps(value)))


BYTES = base64.b64encode(b"... --- ...").decode()
BAD: dict[str, tuple[tuple[str, ...], str]] = {
    "no topic": (inputs({}), "topic is missing"),
    "an unknown field": (inputs({"topic": "x", "detph": "deep"}), "detph is not known"),
    "an unknown encoding": (
        ("--input", BYTES, "--input-base64", "--input-meta", "encoding=morse/code"),
        "takes one JSON object",
    ),
}


@pytest.mark.parametrize(("given", "message"), BAD.values(), ids=BAD.keys())
async def test_bad_input_ends_the_run_by_name(
    given: tuple[str, ...],
    message: str,
    start: Start,
    environment: WorkflowEnvironment,
    task_queue: str,
) -> None:
    code, said = await temporal(
        environment.client.service_client.config.target_host,
        "workflow", "execute", "--type", "Research", "--task-queue", task_queue,
        "--workflow-id", f"bad-{task_queue}", *given,
    )  # fmt: skip
    assert code == 1
    assert "FAILED" in said
    assert message in said
    assert "Traceback" not in said
    described = await environment.client.get_workflow_handle(f"bad-{task_queue}").describe()
    assert "TemporalReportedProblems" not in described.search_attributes


def reference(text: str) -> Payload:
    """What the SDK takes for a payload that is kept elsewhere."""
    return Payload(metadata={"encoding": b"json/external-storage-reference"}, data=text.encode())


def to(driver: str, **claim: str) -> Payload:
    return reference(json.dumps({"driver_name": driver, "driver_claim": {"claim_data": claim}}))


FORGED: dict[str, Payload] = {
    "of nobody's driver": to("s3", key="x"),
    "to no address": to("caveat-folder", sha256="../../etc/passwd"),
    "to nothing": to("caveat-folder"),
    "to what is not kept": to("caveat-folder", sha256="0" * 64),
    "that is no JSON": reference("{"),
    "that is another object": reference('{"driver_name": 7}'),
    "in protobuf": Payload(
        metadata={
            "encoding": b"json/protobuf",
            "messageType": b"temporal.api.sdk.v1.ExternalStorageReference",
        },
        data=b'{"driverName": "s3"}',
    ),
}
"""References to stored payloads, as anybody can write them who may start a run."""


async def reported_problems(client: Client, workflow_id: str) -> bool:
    described = await client.get_workflow_handle(workflow_id).describe()
    return "TemporalReportedProblems" in described.search_attributes


async def test_forged_references_end_runs(start: Start, environment: WorkflowEnvironment) -> None:
    handles = [
        await start(RawValue(forged), id=f"forged-{number}")
        for number, forged in enumerate(FORGED.values())
    ]
    for handle in handles:
        with pytest.raises(WorkflowFailureError) as caught:
            await handle.result()
        assert isinstance(caught.value.cause, ApplicationError)
        assert caught.value.cause.type == "invalid_request"
        assert not await reported_problems(environment.client, handle.id)


async def test_a_signal_of_forged_references_is_recorded_as_refused(
    start: Start, world: World, environment: WorkflowEnvironment
) -> None:
    world.delays["plan"] = 3
    with environment.with_time_skipping_disabled():
        handle = await start()
        for forged in FORGED.values():
            await handle.signal("resolve_contradiction", args=[RawValue(forged)])
    assert (await handle.result()).report.claims
    progress: Progress = await handle.query("progress", result_type=Progress)
    assert progress.rejected == len(FORGED)
    assert not await reported_problems(environment.client, handle.id)


LARGE: dict[str, dict[str, Any]] = {
    "fields": {f"f{number}": 1 for number in range(160_000)},
    "letters": {"topic": "x" * 1_900_000},
}


@pytest.mark.parametrize("request_", LARGE.values(), ids=LARGE.keys())
async def test_as_much_as_the_server_takes_is_refused_by_name(
    request_: dict[str, Any], start: Start, environment: WorkflowEnvironment
) -> None:
    data = json.dumps(request_, separators=(",", ":")).encode()
    handle = await start(RawValue(Payload(metadata={"encoding": b"json/plain"}, data=data)))
    with pytest.raises(WorkflowFailureError) as caught:
        await handle.result()
    assert isinstance(caught.value.cause, ApplicationError)
    assert caught.value.cause.type == "invalid_request"
    assert len(str(caught.value.cause)) < 500
    assert not await reported_problems(environment.client, handle.id)


LEAST, SMALLEST = 1, 5e-324
TIMES = ("deadline", "arbitration_timeout", "approval_timeout")
EXTREME: dict[str, dict[str, Any]] = {
    "all times at their least": dict.fromkeys(TIMES, "1s"),
    "all times at their most": dict.fromkeys(TIMES, "30d"),
    "counts at their least": {
        "max_sources": LEAST,
        "budget": dict.fromkeys(("turns", "model_calls", "tokens"), LEAST),
    },
    "amounts at their least": {"budget": {"cost_usd": SMALLEST}},
    "all numbers at their most": {
        "max_sources": MOST_SOURCES,
        "depth": "exhaustive",
        "budget": {
            "turns": MOST_TURNS,
            "model_calls": MOST_CALLS,
            "tokens": MOST_TOKENS,
            "cost_usd": MOST_USD,
        },
    },
    "the longest topic": {"topic": "x" * TOPIC_LIMIT},
    "the topic of the most bytes": {"topic": "\U0001f600" * TOPIC_LIMIT},
}

SMALL = {None, Ending.BUDGET_TOO_SMALL, Ending.INSUFFICIENT_AGENTS}
"""Ends of what is within bounds: a report, or a budget that leaves out what that needs."""

BEYOND: tuple[dict[str, Any], ...] = (
    {"budget": {"cost_usd": 1e15}},
    {"budget": {"tokens": 10**400}},
    {"max_sources": MOST_SOURCES + 1},
    {"deadline": 1e300},
    {"arbitration_timeout": -1},
)


async def test_runs_with_extreme_values_come_to_an_end_and_stand_still_nowhere(
    start: Start, environment: WorkflowEnvironment
) -> None:
    within = [await start(id=name.replace(" ", "-"), **each) for name, each in EXTREME.items()]
    beyond = [await start(id=f"beyond-{number}", **each) for number, each in enumerate(BEYOND)]
    for handle in (*within, *beyond):
        end = await outcome_of(handle)
        ending = end.ending if isinstance(end, NamedEnd) else None
        may = {Ending.INVALID_REQUEST} if handle in beyond else SMALL
        assert ending in may, (handle.id, end)
        assert not await reported_problems(environment.client, handle.id)
