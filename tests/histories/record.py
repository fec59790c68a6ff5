"""Record the histories of this version, in a folder of its name: `make histories`.

Part of a release (docs/versions.md): what a version that people have wrote stays as it is, so that
a folder is never recorded anew. A change that breaks a replay needs `workflow.patched`.
"""

import asyncio
import gzip
import json
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from temporalio.client import Client, WorkflowFailureError, WorkflowHandle
from temporalio.testing import WorkflowEnvironment

from caveat.adapters.files.blobs import FolderBlobs
from caveat.contracts.plan import BrokenDocument
from caveat.contracts.synthesis import Challenge, Stance
from caveat.failures import invalid, not_found, unavailable
from caveat.workers.data import build_data_converter
from caveat.workers.embedded import build_server_flags, find_temporal_binary
from tests.fakes.ports import World
from tests.fakes.runs import serving, start_run, there
from tests.fakes.worlds import a_world, disagreeing

HERE = Path(__file__).parent


def whole(world: World) -> None:
    """Everything goes well."""
    world.rewordings["Gamma rays"] = "gamma radiation"


def foldered(world: World) -> None:
    world.pages = [replace(page, in_corpus=True) for page in world.pages]


def degraded(world: World) -> None:
    """Broken documents, a vanished source, a retried search, an angle without evidence."""
    failure = invalid("scan.pdf is encrypted.", resource="scan.pdf").failure
    world.broken = (BrokenDocument(path="scan.pdf", failure=failure),)
    world.angles["Gamma rays"] = ("gamma",)
    world.rewordings["Gamma rays"] = "gamma radiation"

    def faults(kind: str, key: str) -> None:
        if (kind, key) == ("read", "page 2"):
            raise not_found("“page 2” is gone.", resource="page 2")
        if (kind, key) == ("search", "beta") and world.calls["search beta"] == 1:
            raise unavailable("The engine is restarting.", resource="engine")

    world.faults = faults


def without_evidence(world: World) -> None:
    """Nothing is found anywhere."""
    world.answers = {}


def ruled(world: World) -> None:
    """Two contradictions: a person rules on one, and nobody comes for the other."""
    disagreeing(world, (1, 2), (3, 4))


def spoken(world: World) -> None:
    """A language model takes part, and its three participants debate."""
    world.uses_model = world.debates = True
    world.remarks = lambda task: tuple(
        Challenge(
            claim_id=claim.id,
            raised_by=task.participant,
            stance=Stance.CHALLENGES,
            text="It rests on one source.",
        )
        for claim in task.claims[:2]
    )


REQUEST = {"topic": "alpha and beta", "arbitration_timeout": 3}
"""Three seconds to rule are recorded as they pass."""

ANSWER = {"ruling": "both", "reason": "They differ in scope.", "decided_by": "Ada"}
LATE = {"contradiction_id": "contradiction-1", **ANSWER}
WITHDRAWN = {**LATE, "replaces": True, "ruling": None, "reason": "Nobody is sure."}


def below_quorum(world: World) -> None:
    """One angle cannot be searched at all, and the other finds nothing."""
    world.answers = {}

    def faults(kind: str, key: str) -> None:
        if (kind, key) == ("search", "beta"):
            raise invalid("The engine refuses it.", resource="engine")

    world.faults = faults


def slow(world: World) -> None:
    """One page is not analysed in time."""
    world.delays["analyse page 9"] = 60


@dataclass
class Recorder:
    """Runs scenarios on one server, and keeps their histories."""

    client: Client
    target: Path

    async def run(
        self, world: World, name: str, act: Callable[[str], Awaitable[None]], **request: object
    ) -> None:
        """Run a scenario to its end; one that ends by name does so."""
        handle = await start_run(
            self.client, "caveat", f"research-{name}", **{**REQUEST, **request}
        )
        await act(handle.id)
        with suppress(WorkflowFailureError):
            await handle.result()
        await keep(handle, self.target / f"{name}.json.gz")

    async def leave(self, run_id: str) -> None:
        """Leave a run to itself."""

    async def rule(self, run_id: str) -> None:
        """Answer the first contradiction, nonsense first; keep that history too."""
        arbitration = self.client.get_workflow_handle(f"{run_id}/contradiction-1")
        await there(arbitration)
        await arbitration.signal("resolve", "maybe")
        await arbitration.execute_update("rule", ANSWER)
        await arbitration.result()
        await keep(
            arbitration, self.target / f"{run_id.removeprefix('research-')}.arbitration.json.gz"
        )

    async def signal(self, run_id: str) -> None:
        """Rule before there is anything to rule on, as after a reset."""
        await self.client.get_workflow_handle(run_id).signal("resolve_contradiction", LATE)

    async def withdraw(self, run_id: str) -> None:
        """Rule, and withdraw that while the run waits for another ruling."""
        await self.rule(run_id)
        handle = self.client.get_workflow_handle(run_id)
        while (await handle.query("contradictions"))[0]["ruling"] is None:  # noqa: ASYNC110  # a query is all
            await asyncio.sleep(0.05)
        await handle.execute_update("rule_late", WITHDRAWN)

    async def approve(self, run_id: str) -> None:
        """Approve the plan without its second angle."""
        handle = self.client.get_workflow_handle(run_id)
        while (await handle.query("progress"))["proposal"] is None:  # noqa: ASYNC110  # a query is all
            await asyncio.sleep(0.05)
        await handle.execute_update("approve", {"drop": ["a2"]})

    async def record_all(self) -> None:
        for name, prepare, act, request in self._list_scenarios():
            world = a_world()
            prepare(world)
            async with serving(self.client, world, "caveat"):
                await self.run(world, name, act, **request)
                world.delays.clear()
                world.faults = lambda kind, key: None
                first = f"research-{name}"
                if name == "whole":
                    question = {"topic": "Alpha is how wide, and why?", "asked_of": first}
                    await self.run(world, "asked", self.leave, **question)
                if name in {"degraded", "deadline"}:
                    await self.run(world, f"{name}-followed", self.leave, follow_up_of=first)
                if name == "ruled":
                    late = {"contradiction_id": "contradiction-2", "ruling": ANSWER}
                    revised = {"follow_up_of": first, "rulings": [late]}
                    await self.run(world, "late", self.leave, **revised)

    def _list_scenarios(
        self,
    ) -> Iterator[
        tuple[str, Callable[[World], None], Callable[[str], Awaitable[None]], dict[str, object]]
    ]:
        yield "whole", whole, self.leave, {}
        yield "foldered", foldered, self.leave, {}
        yield "degraded", degraded, self.leave, {}
        yield "without-evidence", without_evidence, self.leave, {}
        yield "quorum-failed", below_quorum, self.leave, {}
        yield "ruled", ruled, self.rule, {}
        yield "signalled", ruled, self.signal, {}
        yield "withdrawn", ruled, self.withdraw, {}
        yield "spoken", spoken, self.leave, {}
        yield "approved", whole, self.approve, {"approve_plan": True}
        yield "deadline", slow, self.leave, {"deadline": "PT2S"}


async def record(target: Path) -> None:
    """Run every scenario on a server of its own and keep its history in a folder."""
    with tempfile.TemporaryDirectory() as folder:
        async with await WorkflowEnvironment.start_local(
            data_converter=build_data_converter(FolderBlobs(Path(folder))),
            dev_server_existing_path=str(find_temporal_binary()),
            dev_server_extra_args=list(build_server_flags()),
        ) as environment:
            await Recorder(environment.client, target).record_all()


async def keep(handle: WorkflowHandle[Any, Any], file: Path) -> None:
    """Write a history without the names and the paths of the machine that it was recorded on."""
    history = json.loads((await handle.fetch_history()).to_json(), object_hook=_anonymous)
    file.write_bytes(gzip.compress(json.dumps(history).encode(), mtime=0))


def read_history(file: Path) -> dict[str, Any]:
    history: dict[str, Any] = json.loads(gzip.decompress(file.read_bytes()))
    return history


def name_run(file: Path) -> str:
    """Name the workflow whose history a file holds."""
    name, _, arbitration = file.name.removesuffix(".json.gz").partition(".")
    return f"research-{name}" + ("/contradiction-1" if arbitration else "")


def _anonymous(fields: dict[str, Any]) -> dict[str, Any]:
    scrubbed = {"identity": "worker", "stackTrace": ""}
    return {name: scrubbed.get(name, value) for name, value in fields.items()}


def main() -> None:
    """Record the histories of the installed version, once."""
    target = HERE / version("caveat")
    if target.exists():
        sys.exit(f"{target} is there already: what a released version wrote is not made anew.")
    target.mkdir()
    asyncio.run(record(target))


if __name__ == "__main__":
    main()
