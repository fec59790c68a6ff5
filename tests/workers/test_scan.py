"""What the texts of a run state of a disputed quantity is in the report."""

import asyncio
from pathlib import Path

from temporalio.client import Client

from caveat.rendering import words
from caveat.rendering.markdown import render
from tests.fakes.disputes import backing_of
from tests.fakes.patience import PATIENCE_S
from tests.fakes.runs import start_run

STATED = {
    "survey": "The Aldermoor tunnel has a length of 3.2 km.",
    "railway": "The length of the Aldermoor tunnel is 4.1 km by the railway's own chains.",
    "gazetteer": "A length of 3.2 km is given for the Aldermoor tunnel by the county.",
    "guide": "Walkers are told that the Aldermoor tunnel has a length of 3.9 km.",
    "letter": "My father measured a length of 3.3 km for the Aldermoor tunnel with a wheel.",
    "painter": "The Aldermoor tunnel has a length of 3.2 km and a painted mouth.",
    "almanac": "The Aldermoor tunnel has a length of 4.1 km.",
}
BESIDE = {"diary": "The Aldermoor tunnel was cold, and it took an hour to walk through it."}


async def test_every_stated_value_is_compared(
    client: Client, task_queue: str, tmp_path: Path
) -> None:
    """One note stands there twice, with a footer of its own, and one is not credible enough."""
    for name, said in (STATED | BESIDE).items():
        text = f"# The {name}\n\n{said} Much more is written of it elsewhere."
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
    (tmp_path / "letter-copied.md").write_text(
        f"# The letter\n\n{STATED['letter']} Much more is written of it elsewhere. Copied.\n"
    )
    weak = "---\nkind: advertising\n---\nThe Aldermoor tunnel has a length of 8.8 km.\n"
    (tmp_path / "leaflet.md").write_text(weak)
    handle = await start_run(
        client,
        task_queue,
        f"research-{task_queue}",
        topic="How long is the Aldermoor tunnel?",
        corpus=[str(tmp_path)],
        depth="overview",
        arbitration_timeout=1,
    )
    async with asyncio.timeout(PATIENCE_S):
        report = (await handle.result()).report
    assert {figure.label for figure in report.stated} == {f"The {name}" for name in STATED}
    (contradiction,) = report.contradictions
    assert sum(1 + len(each) for each in backing_of(contradiction)) > 3
    table = render(report).partition(words.FIGURES[0])[2].partition("##")[0]
    for name in STATED:
        assert f"| The {name} [" in table
