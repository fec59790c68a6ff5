"""A whole run of Claude, recorded as the setting says, and replayed with no key and no server."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from caveat.adapters.claude.reasoner import ClaudeReasoner
from caveat.contracts.outcome import Outcome
from caveat.contracts.report import Report
from tests.fakes.messages_api import KEY, Fails, Recorded, Says, Scripted, stand_in
from tests.fakes.scholar import scholar
from workers.settings import Settings
from workers.wiring import crew_of, ports
from workers.worker import workers

EXAMPLES = Path(__file__).parents[2] / "examples" / "hubble-constant"
DOCUMENTS = ("planck-2018", "shoes-2022", "trgb-2021", "gw170817-2017", "h0licow-2020")


def mishaps() -> Iterator[Scripted | None]:
    yield None
    yield Says("This is no JSON.")
    yield Fails(529, "overloaded_error", headers={"retry-after": "1"})
    while True:
        yield None


async def researched(client: Client, folder: Path, queue: str, **settings: Any) -> Report:
    """Run once in a folder of its own, with the documents in it."""
    corpus = folder / "corpus"
    corpus.mkdir(parents=True)
    for name in DOCUMENTS:
        shutil.copy(EXAMPLES / f"{name}.md", corpus)
    chosen = Settings(
        state_dir=folder / "state", cache_dir=folder / "cache", corpus=(corpus,), **settings
    )
    wired = ports(chosen)
    assert isinstance(wired.reasoner, ClaudeReasoner)
    api = wired.reasoner.dialogue.connection.client
    async with api, workers(client, crew_of(wired), queue):
        outcome: Outcome = await client.execute_workflow(
            "Research",
            {"topic": "The Hubble constant of the universe", "formats": ["json"]},
            id=f"research-{queue}",
            task_queue=queue,
            result_type=Outcome,
        )
    return outcome.report


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


async def test_a_whole_run_is_replayed(
    environment: WorkflowEnvironment, task_queue: str, tmp_path: Path
) -> None:
    happens = mishaps()
    tape = tmp_path / "tape"

    def model(request: Recorded) -> Scripted:
        return next(happens) or scholar(request)

    async with stand_in(model=model) as api:
        first = await researched(
            environment.client,
            tmp_path / "live",
            f"{task_queue}-live",
            cassette=f"record:{tape}",
            structured_outputs=True,
            ANTHROPIC_API_KEY=KEY,
            ANTHROPIC_BASE_URL=api.url,
        )
        calls = len(api.requests)
    again = await researched(
        environment.client,
        tmp_path / "elsewhere",
        f"{task_queue}-again",
        cassette=f"replay:{tape}",
    )
    assert len(list(tape.glob("*-*.json"))) == calls
    assert first.metrics.model_calls == calls - 1  # the one that was turned away
    assert all(section.claims for section in first.sections)
    assert again.claims == first.claims
    assert again.sections == first.sections
    assert again.summary == first.summary
    assert again.debate == first.debate
    assert again.failures == first.failures
    # Two angles may ask the same: at once when it was recorded, in turn when answers come at once.
    assert 0 < again.metrics.model_calls <= first.metrics.model_calls
    assert again.metrics.cost_usd
