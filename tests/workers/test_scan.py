"""What the texts of a run state of a disputed quantity is in the report."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client, WorkflowFailureError

from caveat.contracts.report import Report
from caveat.rendering import words
from caveat.rendering.markdown import render
from caveat.rules.audit import audit
from caveat.workers.settings import Settings
from tests.fakes.disputes import backing_of
from tests.fakes.kept import kept_texts
from tests.fakes.patience import PATIENCE_S
from tests.fakes.runs import BOTH, Handle, awaiting, start_run

SIX_HOURS_S = 6 * 3600
TOPIC = "How long is the Aldermoor tunnel?"
STATED = {
    "survey": "The Aldermoor tunnel has a length of 3.2 km.",
    "railway": "The length of the Aldermoor tunnel is 4.1 km by the railway's own chains.",
    "gazetteer": "A length of 3.2 km is given for the Aldermoor tunnel by the county.",
    "guide": "Walkers are told that the Aldermoor tunnel has a length of 3.9 km.",
    "letter": "My father measured a length of 3.3 km for the Aldermoor tunnel with a wheel.",
    "painter": "The Aldermoor tunnel has a length of 3.2 km and a painted mouth.",
    "almanac": "The Aldermoor tunnel has a length of 4.1 km.",
}
BESIDE = {
    "diary": "The Aldermoor tunnel was cold, and it took an hour to walk through it.",
    "accounts": "The lamps of the Aldermoor tunnel took 300 kg of oil a year.",
}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder of short notes; one stands there twice, with a footer of its own."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, said in (STATED | BESIDE).items():
        text = f"# The {name}\n\n{said} Much more is written of it elsewhere.\n"
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    weak = "---\nkind: advertising\n---\nThe Aldermoor tunnel has a length of 8.8 km.\n"
    (folder / "leaflet.md").write_text(weak, encoding="utf-8")  # not credible enough to be cited
    again = f"# The letter\n\n{STATED['letter']} Much more is written of it elsewhere. Copied.\n"
    (folder / "letter-copied.md").write_text(again, encoding="utf-8")
    return folder


async def start(client: Client, queue: str, notes: Path, **changes: Any) -> Handle:
    request = {
        "topic": TOPIC,
        "corpus": [str(notes)],
        "depth": "overview",
        "arbitration_timeout": 1,
        **changes,
    }
    number = len(changes)
    return await start_run(client, queue, f"research-{queue}-{number}", **request)


async def report_of(client: Client, queue: str, notes: Path, **changes: Any) -> Report:
    handle = await start(client, queue, notes, **changes)
    async with asyncio.timeout(PATIENCE_S):
        return (await handle.result()).report


def disputed(report: Report) -> list[tuple[str, ...]]:
    """The words that state each of the disputed values."""
    said = {each.id: each.quote for each in report.claims}
    (contradiction,) = report.contradictions
    return [
        tuple(said[name] for name in (claim, *backing))
        for claim, backing in zip(contradiction.claims, backing_of(contradiction), strict=True)
    ]


async def test_every_stated_value_is_compared(client: Client, task_queue: str, notes: Path) -> None:
    report = await report_of(client, task_queue, notes)
    titles = {figure.label for figure in report.stated}
    assert titles == {f"The {name}" for name in STATED}
    (contradiction,) = report.contradictions
    backing = sum(1 + len(each) for each in backing_of(contradiction))
    assert backing > 3
    table = render(report).partition(words.FIGURES[0])[2].partition("##")[0]
    for name in STATED:
        assert f"| The {name} [" in table


@pytest.mark.parametrize("waits", [True, False], ids=["cancelled", "too late"])
async def test_a_ruling_on_what_was_found_so_is_on_the_same_words(
    client: Client, task_queue: str, notes: Path, settings: Settings, waits: bool
) -> None:
    if waits:
        handle = await start(client, task_queue, notes, arbitration_timeout=SIX_HOURS_S)
        await awaiting(handle)
        before = await handle.query("report", result_type=Report)
        await handle.cancel()
        with pytest.raises(WorkflowFailureError):
            await handle.result()
    else:
        handle = await start(client, task_queue, notes)
        before = (await handle.result()).report
    late = [{"contradiction_id": "contradiction-1", "ruling": {**BOTH, "ruling": "a"}}]
    after = await report_of(client, task_queue, notes, follow_up_of=handle.id, rulings=late)
    assert disputed(after) == disputed(before)
    assert after.contradictions[0].decided_by == "Ada"
    assert audit(after, await kept_texts(after, settings)).passed
