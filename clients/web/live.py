"""Live views of runs: what one says is asked once, however many watch it."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from caveat.clients.problems import NoSuchRun
from caveat.clients.web.pages import fragment, sentence_of
from caveat.clients.web.runs import seen
from caveat.clients.web.service import Service, service_of
from caveat.contracts.progress import Phase
from caveat.problem import Problem

_LOOK_S = 1.0
"""Between two looks at a run: one changes no faster in a way that matters to whoever watches."""

_CALM_LOOK_S = 3.0
"""The same of a run that waits for a person, perhaps for hours."""

_PULSE_S = 15.0
"""Between two signs of life where nothing changes: what stands between gives up after a minute."""


@dataclass
class _View:
    """One run as all see it who watch it.

    Attributes:
        event: the newest, as it is sent.
        watchers: how many watch.
        is_done: whether no other event will come.
    """

    event: bytes = b""
    watchers: int = 0
    is_done: bool = False
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    looking: asyncio.Task[None] | None = None


@dataclass
class Live:
    """The runs that somebody watches.

    Attributes:
        service: what is asked.
    """

    service: Service
    _views: dict[str, _View] = field(default_factory=dict)

    async def events(self, run_id: str) -> AsyncIterator[bytes]:
        """Send what a run shows whenever it changes, until it has ended."""
        view = self._views.setdefault(run_id, _View())
        view.watchers += 1
        if view.looking is None:
            view.looking = asyncio.create_task(self._look(run_id, view))
        sent = b""
        try:
            while True:
                event = await _next(view, sent)
                yield event
                sent = event if event != _PULSE else sent
                if view.is_done and sent == view.event:
                    yield _event("done", "")
                    return
        finally:
            self._leave(run_id, view)

    def _leave(self, run_id: str, view: _View) -> None:
        view.watchers -= 1
        if not view.watchers and view.looking is not None:
            view.looking.cancel()
            self._views.pop(run_id, None)

    async def _look(self, run_id: str, view: _View) -> None:
        while not view.is_done:
            event, pause = await self._event(run_id, view)
            if event != view.event or view.is_done:
                async with view.changed:
                    view.event = event
                    view.changed.notify_all()
            await asyncio.sleep(pause)

    async def _event(self, run_id: str, view: _View) -> tuple[bytes, float]:
        try:
            given = await seen(self.service, run_id)
        except NoSuchRun as gone:
            view.is_done = True
            return _event("progress", fragment("lost.html", {"sentence": sentence_of(gone)})), 0.0
        except Problem as problem:
            return _event("progress", fragment("lost.html", {"sentence": str(problem)})), _LOOK_S
        view.is_done = not given["is_running"]
        progress = given["progress"]
        waits = progress is not None and progress.phase is Phase.AWAITING_RULINGS
        return (
            _event("progress", fragment("run_live.html", given)),
            _CALM_LOOK_S if waits else _LOOK_S,
        )


_PULSE = b": still here\n\n"


async def _next(view: _View, sent: bytes) -> bytes:
    """Wait for an event that was not sent yet, or for the next sign of life."""
    async with view.changed:
        try:
            async with asyncio.timeout(_PULSE_S):
                await view.changed.wait_for(lambda: bool(view.event) and view.event != sent)
        except TimeoutError:
            return _PULSE
        return view.event


def _event(name: str, content: str) -> bytes:
    lines = "".join(f"data: {line}\n" for line in content.splitlines()) or "data: \n"
    return f"event: {name}\n{lines}\n".encode()


async def live(request: Request) -> Response:
    """Send how a run goes, as server-sent events."""
    run_id = request.path_params["run_id"]
    events = service_of(request).live.events(run_id)
    return StreamingResponse(events, media_type="text/event-stream")
