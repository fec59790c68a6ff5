"""Whoever serves sets the bound on requests that the settings name: the last that asks sets it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest

from caveat.workers import serving
from caveat.workers.connection import Connection
from caveat.workers.settings import Settings

CONNECTION = Connection(cast("Any", None), None)


async def bound_of_all(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> list[float | None]:
    heard: list[float | None] = []

    async def run_workers(_: object, __: object, ___: object, bound: float | None) -> None:
        heard.append(bound)

    monkeypatch.setattr(serving, "run_workers", run_workers)
    await serving.serve(CONNECTION, settings, asyncio.Event())
    return heard


async def bound_of_one(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> list[float | None]:
    heard: list[float | None] = []

    @asynccontextmanager
    async def beside(*_: object, requests_per_second: float | None) -> AsyncIterator[None]:
        heard.append(requests_per_second)
        yield

    monkeypatch.setattr(serving, "beside", beside)
    async with serving.serving_backend(CONNECTION, settings):
        pass
    return heard


@pytest.mark.parametrize("serve", [bound_of_all, bound_of_one])
@pytest.mark.parametrize(("per_minute", "per_second"), [(90, 1.5), (None, None)])
async def test_the_bound_of_the_settings_is_kept(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, serve: Any, per_minute: int | None,
    per_second: float | None,
) -> None:  # fmt: skip
    bounded = settings.model_copy(update={"requests_per_minute": per_minute})
    assert await serve(monkeypatch, bounded) == [per_second]
