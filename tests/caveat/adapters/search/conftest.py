"""Search engines on the loopback address.

What they answer is written from the vendors' public documentation: nothing here was recorded.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from httpcore2 import AnyIOBackend

from caveat.adapters.http.client import Client
from caveat.contracts.tasks import SearchTask
from tests.fakes.web import AGENT, TRUST, Web, the_web

HOST = "127.0.0.1"


@dataclass
class Engines:
    """A local server that plays every engine, and what engines are made with."""

    web: Web
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def base(self) -> str:
        return f"http://{HOST}:{self.web.port}"

    @property
    def client(self) -> Client:
        return Client(user_agent=AGENT, backend=AnyIOBackend(), trust=TRUST)


@pytest.fixture
def engines() -> Iterator[Engines]:
    with the_web() as web:
        yield Engines(web)


def a_task(query: str = "moons of Jupiter", limit: int = 10) -> SearchTask:
    return SearchTask(task_id="search-1", description="Search", query=query, corpus=(), limit=limit)
