"""Where runs are started with a model behind them, wired as production wires them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from temporalio.client import Client, WorkflowHandle
from temporalio.testing import WorkflowEnvironment

from caveat.adapters.claude.messages.capabilities import ANTHROPIC
from caveat.adapters.claude.reasoner import ClaudeReasoner
from caveat.contracts.outcome import Outcome
from caveat.contracts.report import Report
from caveat.workers.models import note
from caveat.workers.settings import Settings
from caveat.workers.wiring import build_registry, choose_ports
from caveat.workers.worker import serve_runs
from tests.fakes.claude_cast import Cast
from tests.fakes.claude_corpus import TOPIC, write_corpus
from tests.fakes.messages_api import KEY, StandIn, stand_in
from tests.fakes.patience import PATIENCE_S
from tests.fakes.runs import start_run

Handle = WorkflowHandle[Any, Outcome]


@dataclass(frozen=True)
class ClaudeHouse:
    environment: WorkflowEnvironment
    queue: str
    api: StandIn
    cast: Cast
    corpus: Path
    settings: Settings  # what a user sets who has a key

    async def start(self, follow_up_of: str | None = None, **more: Any) -> Handle:
        return await start_run(
            self.environment.client,
            self.queue,
            f"research-{self.queue}{'-follow-up' if follow_up_of else ''}",
            topic=TOPIC,
            corpus=[str(self.corpus)],
            depth="overview",
            arbitration_timeout=2,
            follow_up_of=follow_up_of,
            **more,
        )

    async def report(self, handle: Handle) -> Report:
        return (await asyncio.wait_for(handle.result(), PATIENCE_S)).report


def keyed(settings: Settings, api: StandIn, **more: Any) -> Settings:
    """Return what a user sets who has a key for a stand-in, with folders of these settings."""
    made = Settings(
        state_dir=settings.state_dir,
        cache_dir=settings.cache_dir,
        ANTHROPIC_BASE_URL=api.url,
        **{"ANTHROPIC_API_KEY": SecretStr(KEY), "config_dir": settings.state_dir, **more},
    )
    note(made, ANTHROPIC)
    return made


@asynccontextmanager
async def wired(client: Client, settings: Settings, queue: str) -> AsyncIterator[None]:
    made = choose_ports(settings)
    async with AsyncExitStack() as stack:
        if isinstance(made.reasoner, ClaudeReasoner):
            await stack.enter_async_context(made.reasoner.dialogue.connection.client)
        await stack.enter_async_context(serve_runs(client, build_registry(made), queue))
        yield


@asynccontextmanager
async def claude_house(
    environment: WorkflowEnvironment, queue: str, settings: Settings, folder: Path, **more: Any
) -> AsyncIterator[ClaudeHouse]:
    cast = Cast()
    async with stand_in(model=cast) as api:
        corpus = write_corpus(folder / "corpus")
        yield ClaudeHouse(environment, queue, api, cast, corpus, keyed(settings, api, **more))
