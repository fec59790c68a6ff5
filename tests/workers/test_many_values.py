"""However many values sources give a thing, a person is asked once and the ruling holds for all.

The run is the real one, wired as it is without a language model, over notes in ordinary prose.
"""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client, WorkflowHandle, WorkflowUpdateFailedError
from temporalio.exceptions import ApplicationError

from caveat.contracts.claim import ClaimState
from caveat.contracts.contradiction import Contradiction, Hearing
from caveat.contracts.outcome import Outcome
from caveat.contracts.report import ReportStatus
from caveat.rendering.markdown import render
from caveat.rules.audit import audit
from caveat.rules.contradictions.choices import list_letters, parse_choice
from caveat.workers.settings import Settings
from tests.fakes.kept import kept_texts
from tests.fakes.patience import PATIENCE_S
from tests.fakes.runs import start_run

TOPIC = "How deep is the Aldermoor tunnel?"

READ = 15  # sources that are read for an angle, however deep a run goes

FORMS = (
    "The depth of the Aldermoor tunnel was {} metres.",
    "The depth of the Aldermoor tunnel is {} metres.",
    "The Aldermoor tunnel has a depth of {} metres.",
    "We found that the Aldermoor tunnel has a depth of {} metres.",
)
ASIDES = (
    "Members asked whether larger ships could pass above it.",
    "Its lining consists of cast iron rings, and water is pumped out day and night.",
    "Bring a torch, because the lamps are switched off after nine.",
    "Residents gathered at the entrance on Friday and sang.",
    "Tickets are sold at the kiosk beside the old mill.",
)


def written(folder: Path, depths: list[int]) -> Path:
    """Write notes, no two of them alike: of one depth each, or of two where they are too many."""
    folder.mkdir()
    each = 1 if len(depths) <= READ else 2
    for number in range(len(depths) // each):
        told = depths[number * each : (number + 1) * each]
        said = " ".join(
            FORMS[(number + place) % len(FORMS)].format(depth) for place, depth in enumerate(told)
        )
        aside = ASIDES[number % len(ASIDES)]
        text = f"Visitor {number} wrote this down in the year {1980 + number}. {said} {aside}"
        (folder / f"note-{number}.md").write_text(f"# Diary {number}\n\n{text}\n", encoding="utf-8")
    return folder


Handle = WorkflowHandle[Any, Outcome]


async def asked(handle: Handle) -> tuple[Contradiction, ...]:
    """Wait until people are asked, and return everything that contradicts."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            found: tuple[Contradiction, ...] = await handle.query(
                "contradictions", result_type=tuple[Contradiction, ...]
            )
            if found and all(each.arbitration for each in found):
                return found
            await asyncio.sleep(0.1)


# Every number of values, and every sort of ruling, beside each other: what each ruling upholds of
# each number is tested without a run (tests/caveat/rules/contradictions/test_choices.py).
@pytest.mark.parametrize(("values", "ruling"), [(6, "none"), (12, "b,d,l"), (30, "ad")])
async def test_a_person_is_asked_once_and_rules_on_every_value(
    values: int, ruling: str, client: Client, task_queue: str, settings: Settings, tmp_path: Path
) -> None:
    depths = [11 + 7 * number for number in range(values)]
    corpus = written(tmp_path / "notes", depths)
    handle: Handle = await start_run(
        client, task_queue, topic=TOPIC, corpus=[str(corpus)], depth="exhaustive"
    )
    (question,) = await asked(handle)
    assert len(question.claims) == values
    assert {side.value for side in question.sides} == {f"{depth} metres" for depth in depths}

    arbitration = client.get_workflow_handle(question.arbitration or "")
    hearing = await arbitration.query("hearing", result_type=Hearing)
    assert len(hearing.case.sides) == values
    with pytest.raises(WorkflowUpdateFailedError) as refused:
        await arbitration.execute_update("rule", {"ruling": "zz", "reason": "I looked."})
    assert isinstance(refused.value.cause, ApplicationError)
    assert "`ruling` must be" in refused.value.cause.message
    assert list_letters(values)[-1] in refused.value.cause.message

    answer = {"ruling": ruling, "reason": "I looked.", "decided_by": "Ada"}
    await arbitration.execute_update("rule", answer)
    report = (await asyncio.wait_for(handle.result(), PATIENCE_S)).report
    assert report.status is ReportStatus.FINAL
    (settled,) = report.contradictions
    assert (settled.ruling, settled.decided_by) == (ruling, "Ada")

    upheld = dict(zip(settled.claims, parse_choice(ruling, values), strict=True))
    several = sum(upheld.values()) > 1
    for claim in report.claims:
        if claim.id in upheld:
            holds = ClaimState.SCOPED if several else ClaimState.ACCEPTED
            assert claim.state is (holds if upheld[claim.id] else ClaimState.OVERRULED)
            assert len(claim.contested_by) >= values - 1
    shown = render(report)
    for depth in depths:
        assert f"{depth} metres" in shown.partition("## Contradictions")[2]
    assert audit(report, await kept_texts(report, settings)).passed
