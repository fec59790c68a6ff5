"""A run is one reasoner's: workers of several configurations beside each other on one server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from temporalio.client import Client, WorkflowFailureError, WorkflowHandle
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.backend import Route
from caveat.contracts.outcome import Outcome, Progress
from caveat.contracts.phase import Phase
from caveat.workers.models import build_backend
from caveat.workers.settings import Settings
from caveat.workers.wiring import wire_registry
from caveat.workers.worker import run_activity_workers, run_workflow_worker
from tests.fakes.claude_cast import Cast
from tests.fakes.claude_corpus import TOPIC, write_corpus
from tests.fakes.claude_house import keyed, wired
from tests.fakes.messages_api import KEY, StandIn, stand_in
from tests.fakes.patience import PATIENCE_S, until
from tests.fakes.runs import start_run

pytestmark = pytest.mark.system
Handle = WorkflowHandle[Any, Outcome]
LOOK_S = 1.5  # longer than a worker needs to take up what it may take up
KEYED, RIVAL, THRIFTY, PLAIN = "keyed", "rival", "thrifty", "plain"
CLOUDY, CLOUD_KEY = "cloudy", "foundry-stand-in-key"
CONFIGURATIONS = (KEYED, RIVAL, THRIFTY, CLOUDY, PLAIN)


@dataclass
class House:
    """Workers of five configurations: two keys, other models, a cloud, and no language model."""

    environment: WorkflowEnvironment
    queue: str
    corpus: Path
    settings: dict[str, Settings]
    apis: dict[str, StandIn]
    _begun: list[Handle] = field(default_factory=list)

    async def start(self, configuration: str | None) -> Handle:
        """Start a run; its topic says whose it is."""
        name = configuration or "anybody"
        request: dict[str, Any] = {
            "topic": f"{TOPIC} ({name})",
            "corpus": [str(self.corpus)],
            "depth": "overview",
            "arbitration_timeout": 1,  # nobody comes
        }
        run_id = f"research-{name}-{self.queue}"
        memo: dict[str, Any] = {}
        if configuration is not None:
            chosen = build_backend(self.settings[configuration])
            request |= {"backend": chosen.model_dump()}
            memo["route"] = Route(backend=chosen)
        handle: Handle = await self.environment.client.start_workflow(
            "Research", request, id=run_id, task_queue=self.queue, memo=memo, result_type=Outcome
        )
        self._begun.append(handle)
        return handle

    @asynccontextmanager
    async def serving(self, configuration: str) -> AsyncIterator[None]:
        # With a connection of its own, as a process of its own has.
        shared = self.environment.client
        client = await Client.connect(
            shared.service_client.config.target_host, data_converter=shared.data_converter
        )
        async with wired(client, self.settings[configuration], self.queue):
            yield

    async def close(self) -> None:
        for handle in self._begun:
            try:
                await handle.terminate()
            except Exception:  # noqa: BLE001, S112  # it has ended
                continue

    def asked(self) -> list[tuple[str, str]]:
        """Every request that arrived: at whose stand-in, and its whole text."""
        return [
            (name, str(request.body)) for name, api in self.apis.items() for request in api.requests
        ]


@pytest.fixture
async def house(
    environment: WorkflowEnvironment,
    task_queue: str,
    settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[House]:
    async with AsyncExitStack() as stack:
        keys = {KEYED: KEY, RIVAL: "sk-ant-rival-9876543210"}
        apis = {
            name: await stack.enter_async_context(stand_in(model=Cast(), key=key))
            for name, key in keys.items()
        }
        apis[CLOUDY] = await stack.enter_async_context(stand_in(model=Cast(), key=CLOUD_KEY))
        monkeypatch.setenv("ANTHROPIC_FOUNDRY_API_KEY", CLOUD_KEY)
        monkeypatch.setenv("ANTHROPIC_FOUNDRY_BASE_URL", apis[CLOUDY].url)

        def claude(name: str, **more: Any) -> Settings:
            key = SecretStr(keys[name])
            return keyed(
                settings, apis[name], ANTHROPIC_API_KEY=key, corpus_roots=(tmp_path,), **more
            )

        made = House(
            environment=environment,
            queue=task_queue,
            corpus=write_corpus(tmp_path / "corpus"),
            settings={
                KEYED: claude(KEYED),
                RIVAL: claude(RIVAL),
                THRIFTY: claude(KEYED, models="claude-haiku-5-5"),
                CLOUDY: Settings(
                    state_dir=settings.state_dir,
                    cache_dir=settings.cache_dir,
                    provider="foundry",
                    corpus_roots=(tmp_path,),
                ),
                PLAIN: settings.model_copy(update={"corpus_roots": (tmp_path,)}),
            },
            apis=apis,
        )
        yield made
        await made.close()


async def report_of(handle: Handle) -> Any:
    return (await asyncio.wait_for(handle.result(), PATIENCE_S)).report


async def phase_of(handle: Handle) -> Phase:
    progress: Progress = await handle.query("progress", result_type=Progress)
    return progress.phase


def only_its_own(house: House) -> None:
    """No text of a run is where it does not belong; the topic stands in every planner's request."""
    for name, text in house.asked():
        assert f"({PLAIN})" not in text
        if f"({RIVAL})" in text:
            assert name == RIVAL
        if f"({CLOUDY})" in text:
            assert name == CLOUDY
        if f"({KEYED})" in text or f"({THRIFTY})" in text:
            assert name == KEYED
        if f"({THRIFTY})" in text:
            assert "claude-haiku-5-5" in text
        if f"({KEYED})" in text:
            assert "claude-haiku-5-5" not in text


async def test_runs_of_every_configuration_stay_apart_beside_each_other(house: House) -> None:
    async with AsyncExitStack() as stack:
        for name in CONFIGURATIONS:
            await stack.enter_async_context(house.serving(name))
        begun = {name: await house.start(name) for name in CONFIGURATIONS}
        reports = {name: await report_of(handle) for name, handle in begun.items()}
    only_its_own(house)
    history = await begun[CLOUDY].fetch_history()
    written = b"".join(each.SerializeToString() for each in history.events)
    assert b"claude-" in written
    assert CLOUD_KEY.encode() not in written
    assert CLOUD_KEY not in reports[CLOUDY].model_dump_json()
    assert not reports[PLAIN].reasoner.uses_language_model
    assert reports[PLAIN].metrics.model_calls == 0
    for name in (KEYED, RIVAL, THRIFTY, CLOUDY):
        assert reports[name].reasoner.uses_language_model
        assert reports[name].metrics.model_calls > 0
    assert reports[THRIFTY].reasoner.models == ("claude-haiku-5-5",)
    asked = {str(request.body["model"]) for request in house.apis[RIVAL].requests}
    assert set(reports[RIVAL].reasoner.models) == asked
    assert reports[PLAIN].reasoner.models == ()
    assert reports[CLOUDY].metrics.cost_usd  # by the cloud's own prices
    assert len(house.asked()) == sum(each.metrics.model_calls for each in reports.values())
    assert reports[RIVAL].metrics.model_calls == len(house.apis[RIVAL].requests)


async def test_what_was_begun_with_a_key_goes_on_with_it_after_a_crash(house: House) -> None:
    async with house.serving(KEYED):
        handle = await house.start(KEYED)
        await until(lambda: house.apis[KEYED].requests)
    async with house.serving(PLAIN), house.serving(RIVAL):
        before = len(house.asked())
        await asyncio.sleep(LOOK_S)
        assert len(house.asked()) == before
        assert await phase_of(handle) not in (Phase.DONE, Phase.PUBLISHING)
    async with house.serving(KEYED):
        report = await report_of(handle)
    assert report.reasoner.name == "claude"
    only_its_own(house)


async def test_a_command_works_on_runs_of_its_backend_and_on_no_other(house: House) -> None:
    """The first command was left; the second one, of the same account, finishes its run too."""
    client, chosen = house.environment.client, wire_registry(house.settings[PLAIN])
    others = [await house.start(RIVAL), await house.start(None)]
    left = await house.start(PLAIN)
    async with (
        run_workflow_worker(client, chosen, house.queue),
        run_activity_workers(client, replace(chosen, begins=False), house.queue),
    ):
        report = await report_of(left)
        await asyncio.sleep(LOOK_S)
        for other in others:
            assert await phase_of(other) is Phase.TAKING_STOCK
    assert report.reasoner.name == "extractive"
    assert house.asked() == []


async def test_what_two_reasoners_made_is_disclosed_as_a_mixture(house: House) -> None:
    """A run of Claude's is cancelled, and followed up without a language model."""
    async with house.serving(KEYED):
        handle = await house.start(KEYED)
        await until(lambda: len(house.apis[KEYED].requests) >= 8)
        await handle.cancel()
        with pytest.raises(WorkflowFailureError):
            await asyncio.wait_for(handle.result(), PATIENCE_S)
    before = len(house.asked())
    async with house.serving(PLAIN):
        chosen = build_backend(house.settings[PLAIN])
        follow_up: Handle = await start_run(
            house.environment.client,
            house.queue,
            f"research-follow-up-{house.queue}",
            topic=TOPIC,
            corpus=[str(house.corpus)],
            arbitration_timeout=1,
            follow_up_of=handle.id,
            backend=chosen.model_dump(),
        )
        report = await report_of(follow_up)
    assert len(house.asked()) == before
    assert report.reasoner.name == "claude and extractive"
    assert report.reasoner.disclosure.startswith("A mixture")
    assert set(report.reasoner.models) == {
        str(request.body["model"]) for request in house.apis[KEYED].requests
    }
