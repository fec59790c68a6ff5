"""Which of texts that are one is cited does not depend on which was read first."""

from dataclasses import replace

import pytest

from caveat.contracts.report import Report
from tests.fakes.ports import Page, World
from tests.fakes.runs import Start, report_of

BODY = "Alpha is 9 units wide, " + " ".join(f"word{number}" for number in range(200))
ENDS = {"wire": "", "paper": " subscribe to the daily paper now", "blog": " share it with friends"}


def levelled(report: Report) -> str:
    """Everything but names of the run and times, and how much work it was."""
    times = {"pipeline_seconds": 0, "waiting_seconds": 0, "phases": ()}
    metrics = report.metrics.model_copy(update=times)
    same = report.model_copy(update={"metrics": metrics})
    return same.model_dump_json(exclude={"created", "run_id", "basis"}).replace(report.run_id, "")


@pytest.fixture
def world(world: World) -> World:
    """One text in three places of a folder, of which each angle finds some."""
    world.pages = [replace(page, in_corpus=True) for page in world.pages]
    world.pages += [Page(name, BODY + end, in_corpus=True) for name, end in ENDS.items()]
    return world


async def test_the_same_copy_is_cited_whichever_was_read_first(start: Start, world: World) -> None:
    # Two copies that one angle found, and a third that the other found.
    world.answers["alpha"] = ("wire", "paper", "page 2")
    world.answers["beta"] = ("paper", "blog", "page 7")
    found = []
    for late in (("wire",), ("paper",), ("wire", "blog"), ("paper", "wire"), ("paper", "blog")):
        world.delays.clear()
        world.delays.update({f"read {name}": 0.4 * (1 + n) for n, name in enumerate(late)})
        found.append(await report_of(await start()))
    cited = {source.title: source.copies for source in found[0].sources if source.copies}
    assert cited == {"blog": ("paper.md", "wire.md")}
    assert len(set(map(levelled, found))) == 1
