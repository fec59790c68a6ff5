"""Receivers on the loopback address, and a notice to send them."""

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler

import pytest

from caveat.contracts.notice import Notice, NoticeKind
from tests.fakes.web import serving


@dataclass
class Receiver:
    """A real HTTP server; `reply` writes its answers."""

    reply: Callable[[BaseHTTPRequestHandler], None] = lambda handler: answer(handler, 204)
    requests: list[bytes] = field(default_factory=list)
    port: int = 0

    @property
    def handler(self) -> type[BaseHTTPRequestHandler]:
        state = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                state.requests.append(body)
                state.reply(self)

            def log_message(self, *args: object) -> None:
                pass

        return Handler


def answer(handler: BaseHTTPRequestHandler, status: int) -> None:
    handler.send_response(status)
    handler.send_header("Content-Length", "0")
    handler.end_headers()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A receiver that answers 204 unless the test says otherwise."""
    state = Receiver()
    with serving(state.handler) as state.port:
        yield state


@pytest.fixture
def notice() -> Notice:
    return Notice(
        id="research-moons-abc123-1",
        kind=NoticeKind.PERSON_NEEDED,
        run_id="research-moons-abc123",
        topic="How many moons?",
        message="Somebody must decide between “two” and “three”.",
        created=dt.datetime(2026, 5, 4, 3, 2, 1, tzinfo=dt.UTC),
    )
