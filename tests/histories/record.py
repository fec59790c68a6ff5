"""Record the histories of this version, in a folder of its name: `make histories`.

Part of a release (docs/versions.md): what a version that people have wrote stays as it is, so that
a folder is never recorded anew. A change that breaks a replay needs `workflow.patched`.
"""

import asyncio
import json
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from temporalio.client import Client, WorkflowFailureError, WorkflowHandle
from temporalio.testing import WorkflowEnvironment

from caveat.adapters.files.blobs import FolderBlobs
from caveat.contracts.debate import Challenge, Stance
from caveat.contracts.inventory import BrokenDocument
from caveat.failures import invalid, not_found, unavailable
from caveat.workers.data import build_data_converter
from caveat.workers.launching import build_server_flags, find_temporal_binary
from standins.ports import World
from tests.fakes.runs import serving, start_run, there
from tests.fakes.worlds import a_world, disagreeing

HERE = Path(__file__).parent


def whole(world: World) -> None:
    """Everything goes well."""
    world.rewordings["Gamma rays"] = "gamma radiation"


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
    """A language model takes part in the debate; kept of when nobody could answer another yet."""
    world.uses_model = True
    world.remarks = lambda task: tuple(
        Challenge(
            claim_id=claim.id,
            raised_by=task.participant,
            stance=Stance.CHALLENGES,
            text="It rests on one source.",
        )
        for claim in task.claims[:2]
    )


SCENARIOS: dict[str, Callable[[World], None]] = {
    "whole": whole,
    "degraded": degraded,
    "without-evidence": without_evidence,
    "ruled": ruled,
    "spoken": spoken,
}

REQUEST = {"topic": "alpha and beta", "arbitration_timeout": 3}
"""Three seconds to rule are recorded as they pass."""

ANSWER = {"ruling": "both", "reason": "They differ in scope.", "decided_by": "Ada"}


async def record(target: Path) -> None:
    """Run every scenario on a server of its own and keep its history in a folder."""
    with tempfile.TemporaryDirectory() as folder:
        async with await WorkflowEnvironment.start_local(
            data_converter=build_data_converter(FolderBlobs(Path(folder))),
            dev_server_existing_path=str(find_temporal_binary()),
            dev_server_extra_args=list(build_server_flags()),
        ) as environment:
            for name, scenario in SCENARIOS.items():
                world = a_world()
                scenario(world)
                async with serving(environment.client, world, "caveat"):
                    handle = await start_run(
                        environment.client, "caveat", f"research-{name}", **REQUEST
                    )
                    if scenario is ruled:
                        await answer(environment.client, handle.id, target)
                    with suppress(WorkflowFailureError):  # one of them ends by name
                        await handle.result()
                    await keep(handle, target / f"{name}.json")


async def answer(client: Client, run_id: str, target: Path) -> None:
    """Answer the first contradiction, once it is there: nonsense first; keep that history too."""
    arbitration = client.get_workflow_handle(f"{run_id}/contradiction-1")
    await there(arbitration)
    await arbitration.signal("resolve", "maybe")
    await arbitration.execute_update("rule", ANSWER)
    await arbitration.result()
    await keep(arbitration, target / "arbitration.json")


async def keep(handle: WorkflowHandle[Any, Any], file: Path) -> None:
    """Write a history without the names and the paths of the machine that it was recorded on."""
    history = json.loads((await handle.fetch_history()).to_json(), object_hook=_anonymous)
    text = json.dumps(history, indent=1) + "\n"
    file.write_text(text, encoding="utf-8")


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
