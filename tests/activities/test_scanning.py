"""Documents are looked through for one quantity; one that cannot be read costs no other."""

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from caveat.activities.sources import SCANNED, SILENT
from caveat.contracts.envelope import Status, SubagentResult
from caveat.contracts.failure import FailureType
from caveat.contracts.investigation import Scanned
from caveat.contracts.source import Snapshot
from caveat.contracts.tasks import ScanTask
from caveat.failures import invalid
from caveat.workers.wiring import build_registry
from tests.fakes.ports import Page, World, ports_of
from tests.fakes.runs import failing


def world_of(*said: str) -> World:
    """A folder in which each page says one thing of the tunnel."""
    pages = [
        Page(f"page {number}", f"Of the tunnel. {each} The rest is about it.", in_corpus=True)
        for number, each in enumerate(said)
    ]
    world = World(pages=pages, angles={}, answers={})
    world.answers["tunnel length"] = tuple(page.name for page in pages)
    return world


async def scan(world: World, *read: str, texts: dict[str, str] | None = None) -> Scanned:
    (method,) = [
        each
        for each in build_registry(ports_of(world)).fetching
        if getattr(each, "__name__", "") == "scan"
    ]
    task = ScanTask(
        task_id="scan",
        description="Look",
        corpus=("/library",),
        about="tunnel length",
        unit="m",
        relevance=0.5,
        read=tuple(world.page(name).source.id for name in read),
        texts=texts or {},
    )
    envelope = await ActivityEnvironment().run(method, task)
    assert isinstance(envelope, SubagentResult)
    assert isinstance(envelope.result, Scanned)
    return envelope.result


def length(metres: int) -> str:
    return f"The tunnel has a length of {metres} m."


async def test_what_documents_state_is_found_and_what_was_read_is_passed_by() -> None:
    world = world_of(length(3_200), "It is dark.", length(4_100))
    found = await scan(world, "page 0")
    assert [claim.quote for claim in found.claims] == [length(4_100)]
    assert [reading.source.title for reading in found.readings] == ["page 2"]
    assert world.calls["read page 0"] == 0


async def test_a_text_that_was_read_is_looked_through_as_it_was_then() -> None:
    world = world_of(length(3_200), "It is dark.")
    (page,) = [world.page("page 0")]
    snapshot = Snapshot(text=f"{length(3_100)} {length(3_200)}", landmarks=())
    kept = {page.source.id: await ports_of(world).snapshots.keep(snapshot)}
    found = await scan(world, "page 0", texts=kept)
    assert [claim.quote for claim in found.claims] == [length(3_100), length(3_200)]
    assert found.readings == ()
    assert world.calls["read page 0"] == 0


async def test_it_ends_where_many_in_a_row_say_nothing() -> None:
    silent = ["It is dark."] * SILENT
    world = world_of(length(3_200), *silent, length(4_100))
    assert len((await scan(world)).claims) == 1
    assert world.calls["read"] == 1 + SILENT


async def test_no_more_are_looked_through_than_a_table_can_show() -> None:
    world = world_of(*(length(3_000 + number) for number in range(SCANNED + 5)))
    assert len((await scan(world)).claims) == SCANNED


async def test_a_document_that_cannot_be_read_is_told_with_what_the_others_say() -> None:
    world = world_of(length(3_200), length(3_900), length(4_100))

    failing(world, "read page 1", invalid("It is broken.", resource="page 1"))
    with pytest.raises(ApplicationError) as raised:
        await scan(world)
    (envelope,) = raised.value.details
    assert envelope.status is Status.PARTIAL
    assert envelope.failure.failure_type is FailureType.PERMANENT
    assert [claim.quote for claim in envelope.value.claims] == [length(3_200), length(4_100)]
