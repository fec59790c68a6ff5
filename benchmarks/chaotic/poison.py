"""Poison: whatever may be sent to a run or an arbitration, in starts, signals and updates."""

import asyncio
import json
import random
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from temporalio.api.common.v1 import Payload
from temporalio.client import (
    Client,
    WorkflowFailureError,
    WorkflowHandle,
    WorkflowUpdateFailedError,
)
from temporalio.common import RawValue
from temporalio.exceptions import ApplicationError
from temporalio.service import RPCError

from benchmarks.chaotic.rows import Row
from benchmarks.server import environment, serving
from caveat.contracts.outcome import Outcome
from caveat.contracts.progress import Progress
from caveat.workers.wiring import Ports
from standins.ports import Page, World, ports_of

STARTS, MESSAGES = "poisoned starts", "poisoned signals and updates"
END_S = 120.0
PLANNED_S = 20.0  # seconds at most in which the run that is told things does nothing else
_HANDLERS = ("resolve_contradiction", "tell", "rule_late", "no_such_handler")


_ENCODINGS = (b"json/plain", b"json/protobuf", b"binary/null", b"binary/secret", b"", b"\xff")
_FORGED = (
    b"{",
    b'{"driver_name": 7}',
    b'{"driver_name": "s3", "driver_claim": {"claim_data": {"key": "x"}}}',
    b'{"driver_name": "caveat-folder", "driver_claim": {"claim_data": {}}}',
    b'{"driver_name": "caveat-folder", "driver_claim": {"claim_data": {"sha256": "../../x"}}}',
    b'{"driver_name": "caveat-folder", "driver_claim": {"claim_data": {"sha256": "%064d"}}}' % 0,
)
"""References to what is kept elsewhere, as anybody can write them who may start a run."""


def payloads(chance: random.Random, count: int) -> list[Payload]:
    """Make payloads: forged references, broken and foreign encodings, and JSON at random."""
    reference = b"json/external-storage-reference"
    fixed = [
        *(Payload(metadata={"encoding": reference}, data=each) for each in _FORGED),
        *(Payload(metadata={"encoding": each}, data=b'{"topic": ') for each in _ENCODINGS),
        Payload(data=b"nothing said"),
    ]
    many = {f"f{number}": 1 for number in range(160_000)}
    fixed.append(_json(many))
    fixed.append(_json({"topic": "x", "corpus": [7] * 600_000}))
    return (fixed + [_json(_value(chance, 0)) for _ in range(count)])[:count]


def _json(value: Any) -> Payload:
    data = json.dumps(value, separators=(",", ":")).encode()
    return Payload(metadata={"encoding": b"json/plain"}, data=data)


def _value(chance: random.Random, depth: int) -> Any:
    kind = chance.choice(["text", "number", "huge"] + ["list", "object"] * (depth < 4))
    if kind == "list":
        return [_value(chance, depth + 1) for _ in range(chance.randrange(5))]
    if kind == "object":
        return {name: _value(chance, depth + 1) for name in chance.sample(_NAMES, 3)}
    if kind == "huge":
        return "x" * chance.choice([2_001, 100_000])
    return chance.choice(_NUMBERS if kind == "number" else _TEXTS)


_NAMES = ("topic", "corpus", "depth", "ruling", "reason", "contradiction_id", "text", "zz")
_NUMBERS: tuple[Any, ...] = (None, True, 0, -1, 1e308, 2**63, -0.5)
_TEXTS = ("", "a", "c1", "../..", "b", "1.5 km", "\u001b[2J", "\u202e`", "\u0000", "\ud83d")


async def rows(starts: int, messages: int, seed: int) -> dict[str, Row]:
    """Send poison, and see whether runs end by name and go on otherwise."""
    chance = random.Random(seed)
    casts: dict[str, Ports] = {}
    with tempfile.TemporaryDirectory(prefix="caveat-poison-") as folder:
        async with environment(Path(folder)) as started, serving(started.client, casts) as queue:
            begun = [
                await _start(started.client, casts, queue, number, payload)
                for number, payload in enumerate(payloads(chance, starts))
            ]
            ended = [await _ended(started.client, handle) for handle in begun]
            told = await _told(started.client, casts, queue, payloads(chance, messages))
    return {STARTS: sum(ended, Row(STARTS)), MESSAGES: told}


def _world() -> World:
    names = [f"page {letter}" for letter in "abcdefgh"]
    pages = [Page(name, f"The alpha of {name} is as wide as was said.") for name in names]
    return World(pages, {"Alpha width": ("alpha",)}, {"alpha": tuple(names)})


async def _start(
    client: Client, casts: dict[str, Ports], queue: str, number: int, payload: Payload
) -> WorkflowHandle[Any, Outcome]:
    name = f"poison-{number}"
    casts[name] = ports_of(_world())
    return await client.start_workflow(
        "Research", RawValue(payload), id=name, task_queue=queue, result_type=Outcome
    )


async def _ended(client: Client, handle: WorkflowHandle[Any, Outcome]) -> Row:
    row = Row(STARTS, tried=1)
    try:
        await asyncio.wait_for(handle.result(), END_S)
    except TimeoutError:
        return row + Row(STARTS, wedged=1)
    except WorkflowFailureError as error:
        is_named = isinstance(error.cause, ApplicationError) and bool(error.cause.type)
        if not is_named:
            return row + Row(STARTS, unclear=1)
    if await _is_wedged(client, handle.id):
        return row + Row(STARTS, wedged=1)
    return row + Row(STARTS, survived=1)


async def _is_wedged(client: Client, name: str) -> bool:
    described = await client.get_workflow_handle(name).describe()
    return "TemporalReportedProblems" in described.search_attributes


def _planning_once(free: asyncio.Event) -> World:
    world = _world()
    carry_out = world.work

    async def work(kind: str, key: str) -> None:
        if kind == "plan":
            with suppress(TimeoutError):
                await asyncio.wait_for(free.wait(), PLANNED_S)
        await carry_out(kind, key)

    world.work = work  # type: ignore[method-assign]  # of this world alone
    return world


async def _told(client: Client, casts: dict[str, Ports], queue: str, poison: list[Payload]) -> Row:
    free = asyncio.Event()
    casts["told"] = ports_of(_planning_once(free))
    handle = await client.start_workflow(
        "Research",
        {"topic": "alpha"},
        id="told",
        task_queue=queue,
        result_type=Outcome,
    )
    row, signals = Row(MESSAGES), 0
    for number, payload in enumerate(poison):
        name = _HANDLERS[number % len(_HANDLERS)]
        row += Row(MESSAGES, tried=1)
        if name in {"tell", "rule_late"}:
            try:
                async with asyncio.timeout(END_S):
                    await handle.execute_update(name, RawValue(payload))
            except (WorkflowUpdateFailedError, RPCError):
                row += Row(MESSAGES, survived=1)
            except TimeoutError:
                row += Row(MESSAGES, wedged=1)
            else:
                row += Row(MESSAGES, survived=1)  # advice in any words is advice
        else:
            with suppress(RPCError):
                await handle.signal(name, RawValue(payload))
            signals += name == "resolve_contradiction"
            row += Row(MESSAGES, survived=1)
    free.set()
    try:
        await asyncio.wait_for(handle.result(), END_S)
    except (TimeoutError, WorkflowFailureError):
        return row + Row(MESSAGES, wedged=1)
    progress: Progress = await handle.query("progress", result_type=Progress)
    # A signal that is neither heeded nor recorded as refused is lost.
    lost = max(0, signals - progress.rejected)
    return row + Row(MESSAGES, lost=lost, wedged=int(await _is_wedged(client, "told")))
