"""A whole run with Claude, wired as production wires it, against a stand-in over real HTTP."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from temporalio.testing import WorkflowEnvironment

from caveat.adapters.claude.messages.capabilities import LOCAL
from caveat.adapters.claude.reasoner import ClaudeReasoner
from caveat.contracts.contradiction import ContradictionState
from caveat.contracts.envelope import AgentType, FailureCategory, FailureType
from caveat.contracts.outcome import NamedEnd
from caveat.contracts.report import Report, ReportStatus
from caveat.contracts.synthesis import Participant
from caveat.problem import ExitCode
from caveat.roles.analyst import ANALYSE
from caveat.roles.role import Bounds
from caveat.rules.audit.checks import audit
from caveat.workers.settings import Settings
from caveat.workers.wiring import build_registry, choose_ports
from caveat.workers.worker import serve_runs
from tests.fakes.claude_cast import Cast
from tests.fakes.claude_corpus import GUIDE, SURVEY
from tests.fakes.claude_history import Work, works
from tests.fakes.claude_house import ClaudeHouse, Handle, claude_house
from tests.fakes.claude_worker import debating_teams
from tests.fakes.kept import kept_texts
from tests.fakes.messages_api import KEY, Breaks, Fails, Recorded, Says, Scripted, Stalls
from tests.fakes.patience import PATIENCE_S
from tests.fakes.runs import end_of

SOURCE_S = 1.5
"""For one source: an answer of the stand-in takes milliseconds, and a stall all of it."""

RETRY_AFTER_S = 240  # minutes, as a provider may ask for; the server's clock skips them
PROMPT_S = 60  # within which an attempt begins that nothing holds up, on a busy machine


@dataclass(frozen=True)
class House(ClaudeHouse):
    def serving(self, **changes: Any) -> AbstractAsyncContextManager[None]:
        """Serve what production wires, but for how long an analyst may take."""
        return _serving(self, self.settings.model_copy(update=changes))

    async def end(self, handle: Handle) -> NamedEnd:
        return await asyncio.wait_for(end_of(handle), PATIENCE_S)


@asynccontextmanager
async def _serving(house: House, settings: Settings) -> AsyncIterator[None]:
    wired = choose_ports(settings)
    reasoner = wired.reasoner
    assert isinstance(reasoner, ClaudeReasoner)
    connection = reasoner.dialogue.connection
    bounds = Bounds(deadline_s=SOURCE_S, room=8_000)
    patient = replace(ANALYSE, settings=replace(ANALYSE.settings, bounds=bounds))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("caveat.activities.reasoning.ANALYSE", patient)
        async with (
            connection.client,
            serve_runs(house.environment.client, build_registry(wired), house.queue),
        ):
            yield


@pytest.fixture
async def house(
    environment: WorkflowEnvironment, task_queue: str, settings: Settings, tmp_path: Path
) -> AsyncIterator[House]:
    teams = debating_teams(tmp_path)
    async with claude_house(environment, task_queue, settings, tmp_path, config_dir=teams) as made:
        yield House(**vars(made))


async def history(handle: Handle) -> dict[str, Work]:
    """A run's activities, by the source or the task that they are about."""
    return {_about(work): work for work in await works(handle)}


def _about(work: Work) -> str:
    if work.type == "analyse":
        return f"analyse {work.summary.partition('“')[2].partition('”')[0]}"
    return work.summary


async def test_a_run_with_every_fault_ends_in_an_audited_report(house: House) -> None:
    cast = house.cast
    cast.will("analyst Footpaths", Says('{"claims": [{"text": "Half an ans'))
    cast.will("analyst Cycle lanes", Says("", stop_reason="refusal"))
    limited = Fails(429, "rate_limit_error", headers={"retry-after": str(RETRY_AFTER_S)})
    cast.will("analyst Drainage", limited)
    cast.will("analyst Toll records", Stalls(after=3))
    cast.will("analyst Bus timetable", Breaks(after=3))
    async with house.serving():
        handle = await house.start()
        # Asked for once more: now and then the test server forgets the minutes of a retry.
        await asyncio.wait_for(house.environment.fast_forward(handle), PATIENCE_S)
        outcome = await asyncio.wait_for(handle.result(), PATIENCE_S)
    report = outcome.report

    assert report.status is ReportStatus.FINAL
    assert audit(report, await kept_texts(report, house.settings)).passed
    (as_json,) = [each.path for each in outcome.artifacts if each.format == "json"]
    audited = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "caveat.clients.cli.main", "audit", as_json),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "CAVEAT_STATE_DIR": str(house.settings.state_dir)},
    )
    said, _ = await audited.communicate()
    assert audited.returncode == ExitCode.DONE
    assert b"Audit: passed" in said
    await _faults_are_handled(handle, cast)
    _the_report_says_what_happened(report)
    _every_answer_is_paid_for(report, cast)
    assert not any("PROVIDER TEXT" in event for event in await raw(handle))
    assert not any(KEY in event for event in await raw(handle))


async def raw(handle: Handle) -> list[str]:
    return [str(event) async for event in handle.fetch_history_events()]


async def _faults_are_handled(handle: Handle, cast: Cast) -> None:
    """The history shows the retries that workflows/options.py promises, and the stand-in too."""
    asked, done = cast.asked(), await history(handle)

    mended = done["analyse Footpaths"]
    assert (mended.completed, mended.attempt) == (True, 1)
    assert (asked["analyst Footpaths"], asked["analyst Footpaths again"]) == (1, 1)

    refused = done["analyse Cycle lanes"]
    assert (refused.completed, refused.attempt, refused.failed) == (False, 1, "permanent")
    assert asked["analyst Cycle lanes"] == 1
    assert refused.closed > 0

    limited = done["analyse Drainage"]
    assert (limited.completed, limited.attempt) == (True, 2)
    assert (limited.last_failure, limited.delay_s) == ("rate_limited", RETRY_AFTER_S)
    assert RETRY_AFTER_S <= limited.waited_s < RETRY_AFTER_S + PROMPT_S
    assert asked["analyst Drainage"] == 2

    stalled = done["analyse Toll records"]
    assert (stalled.completed, stalled.attempt) == (True, 2)
    assert (stalled.last_failure, stalled.delay_s) == ("timeout", None)
    assert SOURCE_S + 1 <= stalled.waited_s < SOURCE_S + 1 + PROMPT_S

    dropped = done["analyse Bus timetable"]
    assert (dropped.completed, dropped.attempt) == (True, 2)
    assert (dropped.last_failure, dropped.delay_s) == ("unavailable", None)
    assert 1 <= dropped.waited_s < 1 + PROMPT_S

    assert {name for name, work in done.items() if work.attempt != 1} == {
        "analyse Drainage",
        "analyse Toll records",
        "analyse Bus timetable",
    }


def _the_report_says_what_happened(report: Report) -> None:
    assert report.reasoner.uses_language_model
    assert "claude-opus-5-5, claude-sonnet-5-5" in report.reasoner.disclosure
    (failed,) = report.failures
    assert failed.agent_type == AgentType.ANALYST
    assert "Cycle lanes" in failed.task_description
    assert (failed.failure.category, failed.failure.failure_type) == (
        FailureCategory.BUSINESS,
        FailureType.PERMANENT,
    )
    assert "refuses" in failed.failure.message
    assert not failed.recovered
    (limitation,) = report.limitations
    assert limitation.task_ids == (failed.task_id,)
    cited = {claim.source_id for claim in report.claims if claim.state == "accepted"}
    titles = {source.id: source.title for source in report.sources}
    assert {titles[each] for each in cited} == {
        *("Footpaths", "Drainage", "Railings", "Noise map"),
        *("Toll records", "Bus timetable", "Freight study", "Winter service", "School count"),
    }
    (contradiction,) = report.contradictions
    assert contradiction.state is ContradictionState.PROVISIONAL  # nobody came
    sides = {titles[claim.source_id] for claim in report.claims if claim.state == "uncertain"}
    assert sides == {SURVEY, GUIDE}
    assert report.debate is not None
    assert {each.raised_by for each in report.debate.challenges} == set(Participant)


def _every_answer_is_paid_for(report: Report, cast: Cast) -> None:
    charged, metrics = cast.charged(), report.metrics
    assert metrics.model_calls == charged.model_calls
    assert metrics.tokens == charged.input_tokens + charged.output_tokens
    assert metrics.cost_usd == pytest.approx(charged.cost_usd)
    # All but the 429 began an answer, the stalled and the broken one too.
    assert charged.model_calls == len(cast.exchanges) - 1


async def test_a_server_with_little_carries_a_run_out(house: House, tmp_path: Path) -> None:
    """It does not say why it ends, and a run without its flag fails."""

    def silent(request: Recorded) -> Scripted:
        said = house.cast(request)
        return replace(said, stop_reason=None) if isinstance(said, Says) else said

    house.api.model = silent
    file = tmp_path / "models.json"
    # A flag of earlier versions is ignored.
    known = asdict(LOCAL) | {"stop_reasons": False, "streaming": False, "longest": 30_000}
    file.write_text(json.dumps({house.api.url: known}), encoding="utf-8")
    async with house.serving(config_dir=tmp_path):
        report = await house.report(await house.start())
    assert report.reasoner.uses_language_model
    assert report.failures == ()
