"""The same question of the same documents gives the same report, whatever else goes on."""

import asyncio
import re
from pathlib import Path

import pytest
from temporalio.client import Client

from caveat.contracts.report import Report
from caveat.rendering.markdown import render
from tests.fakes.patience import PATIENCE_S
from tests.fakes.runs import report_of, start_run

TOPIC = "Why was the Aldermoor tunnel closed in winter?"
TIMES = 6
"""Runs, all at once: each is the load of the others, and their activities end in any order."""

SAID = (
    "The Aldermoor tunnel was closed in winter because ice fell from its roof.",
    "Engineers closed the Aldermoor tunnel every winter, since water froze in its drains.",
    "The winter closure of the Aldermoor tunnel was announced by the county.",
    "Nobody used the Aldermoor tunnel in winter, because its lamps were out.",
    "A tunnel that is closed in winter needs guards at both of its ends.",
)
TIMING = re.compile(r"^(?:\| Time.*|\*\*(?:Final|Provisional) report\*\*.*)$", re.MULTILINE)


def notes(folder: Path) -> Path:
    """Write documents, and of one of them two copies with a footer of their own."""
    folder.mkdir()
    for number, said in enumerate(SAID):
        text = f"# Diary {number}\n\n{said} It was cold.\n"
        (folder / f"note-{number}.md").write_text(text, encoding="utf-8")
    for name in ("cutting", "reprint"):
        text = f"# Diary 0\n\n{SAID[0]} It was cold.\n\nFrom a {name}.\n"
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder


def levelled(report: Report) -> tuple[str, str]:
    """A report and its Markdown, without its run's name and its times."""
    times = {"pipeline_seconds": 0, "waiting_seconds": 0, "phases": ()}
    metrics = report.metrics.model_copy(update=times)
    same = report.model_copy(update={"metrics": metrics})
    data = same.model_dump_json(exclude={"created"}).replace(report.run_id, "RUN")
    return data, TIMING.sub("", render(same)).replace(report.run_id, "RUN")


@pytest.mark.parametrize("bound", [{}, {"depth": "deep", "max_sources": 4}], ids=["", "bounded"])
async def test_runs_at_once_give_one_report(
    client: Client, task_queue: str, tmp_path: Path, bound: dict[str, object]
) -> None:
    corpus = [str(notes(tmp_path / "notes"))]
    request = {"topic": TOPIC, "corpus": corpus, "depth": "overview", **bound}

    async def told(number: int) -> tuple[str, str]:
        run = await start_run(client, task_queue, f"research-{task_queue}-{number}", **request)
        return levelled(await report_of(run))

    async with asyncio.timeout(PATIENCE_S):
        found = await asyncio.gather(*map(told, range(TIMES)))
    assert SAID[0] in found[0][1]
    assert "note-0.md" in found[0][1]
    assert len(set(found)) == 1
