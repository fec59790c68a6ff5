"""The system's resolver, and the whole fetcher as production assembles it."""

import asyncio
import socket

import pytest

from caveat.adapters.http.client import is_public, resolve
from caveat.adapters.http.meanings import UnresolvableError
from caveat.adapters.web.library import create_web_library
from caveat.contracts.source import SourceRef
from tests.fakes.failures import failure_of
from tests.fakes.web import Web, page

SPELLINGS = ["127.0.0.1", "localhost", "2130706433", "0x7f000001", "::1"]
"""Of this machine; C libraries read addresses in more ways than one."""


@pytest.mark.parametrize("host", SPELLINGS)
async def test_every_spelling_of_this_machine_is_seen_through(host: str) -> None:
    addresses = await resolve(host)
    assert addresses
    assert not any(map(is_public, addresses))


@pytest.mark.parametrize(
    ("code", "raised"),
    [(socket.EAI_NONAME, UnresolvableError), (socket.EAI_AGAIN, socket.gaierror)],
)
async def test_a_name_that_does_not_exist_is_not_a_server_that_is_down(
    monkeypatch: pytest.MonkeyPatch, code: int, raised: type[Exception]
) -> None:
    async def refuse(*_: object, **__: object) -> None:
        raise socket.gaierror(code, "planted")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", refuse)
    with pytest.raises(raised):
        await resolve("moons.test")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "[::1]", "0.0.0.0"])  # noqa: S104  # not bound to, asked
async def test_production_does_not_reach_this_machine(web: Web, host: str) -> None:
    web.pages[f"{host}/*"] = page()
    library = create_web_library()
    for port in (80, web.port):
        source = SourceRef(id="s-1", title="Inside", url=f"http://{host}:{port}/")
        raised = await failure_of(library.read(source))
        assert "public internet" in raised.message
    assert web.seen == []
