"""The texts of a run are looked through for one quantity, as they were when they were read."""

from temporalio.testing import ActivityEnvironment

from caveat.contracts.source import Snapshot
from caveat.contracts.tasks import ScanTask
from caveat.workers.wiring import build_registry
from tests.fakes.ports import World, ports_of


def length(metres: int) -> str:
    return f"The tunnel has a length of {metres} m."


async def test_a_text_that_was_read_is_looked_through_as_it_was_then() -> None:
    ports = ports_of(World(pages=[], angles={}, answers={}))
    methods = build_registry(ports).fetching
    (scan,) = [each for each in methods if getattr(each, "__name__", "") == "scan"]
    snapshot = Snapshot(text=f"{length(3_100)} {length(3_200)}", landmarks=())
    facts = {"about": "tunnel length", "unit": "m", "relevance": 0.5, "corpus": ()}
    task = ScanTask(
        task_id="scan",
        description="Look",
        texts={"s-1": await ports.snapshots.keep(snapshot)},
        **facts,
    )
    found = (await ActivityEnvironment().run(scan, task)).result
    assert [claim.quote for claim in found.claims] == [length(3_100), length(3_200)]
