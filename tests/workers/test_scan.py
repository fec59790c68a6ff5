"""What the texts of a run state of a disputed quantity is in the report."""

import asyncio
from pathlib import Path

from temporalio.client import Client

from caveat.rendering import words
from caveat.rendering.markdown import render
from tests.fakes.patience import PATIENCE_S
from tests.fakes.runs import start_run

STATED = {
    "survey": "The Aldermoor tunnel has a length of 3.2 km.",
    "railway": "The Aldermoor tunnel has a length of 4.1 km by the railway's own chains.",
    "gazetteer": "By the county the Aldermoor tunnel has a length of 3.2 km.",
    "guide": "Walkers are told that the Aldermoor tunnel has a length of 3.9 km.",
    "letter": "My father found that the Aldermoor tunnel has a length of 3.3 km by a wheel.",
    "painter": "The Aldermoor tunnel has a length of 3.2 km and a painted mouth.",
    "almanac": "The Aldermoor tunnel has a length of 4.1 km.",
}
BESIDE = {"diary": "The Aldermoor tunnel was cold, and it took an hour to walk through it."}


async def test_every_stated_value_is_compared(
    client: Client, task_queue: str, tmp_path: Path
) -> None:
    """One note stands there twice, with a footer of its own, and one is not credible enough."""
    for name, said in (STATED | BESIDE).items():
        text = f"# The {name}\n\n{said} So the {name} has it; more is in no {name} of ours."
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
    copied = (tmp_path / "letter.md").read_text()
    (tmp_path / "letter-copied.md").write_text(f"{copied} Copied.\n")
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
    assert len(report.contradictions) == 1
    table = render(report).partition(words.FIGURES[0])[2].partition("##")[0]
    for name in STATED:
        assert f"| The {name} [" in table
