"""Where runs are started with a model behind them, wired as production wires them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from temporalio.client import WorkflowHandle
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.outcome import Outcome
from caveat.contracts.report import Report
from caveat.workers.settings import Settings
from standins.messages_api import KEY, StandIn, stand_in
from tests.fakes.claude_cast import Cast
from tests.fakes.claude_corpus import TOPIC, write_corpus
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


@asynccontextmanager
async def claude_house(
    environment: WorkflowEnvironment, queue: str, settings: Settings, folder: Path, **more: Any
) -> AsyncIterator[ClaudeHouse]:
    cast = Cast()
    async with stand_in(model=cast) as api:
        keyed = Settings(
            state_dir=settings.state_dir,
            cache_dir=settings.cache_dir,
            ANTHROPIC_API_KEY=SecretStr(KEY),
            ANTHROPIC_BASE_URL=api.url,
            structured_outputs=True,
            **more,
        )
        corpus = write_corpus(folder / "corpus")
        yield ClaudeHouse(environment, queue, api, cast, corpus, keyed)
