"""Who is let into the Web UI: the proxy's decisions, and the real one before the real Web UI."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from http import HTTPStatus

import h11
import httpx2
import pytest

from caveat.workers import ui_proxy
from caveat.workers.embedded import EmbeddedServer, open_embedded_server
from caveat.workers.settings import Settings
from caveat.workers.ui_proxy import Access, Proxy
from tests.fakes.patience import PATIENCE_S
from tests.workers.processes import environment_of, listening_addresses, record

TOKEN = "of-this-user"  # noqa: S105  # of no server
ACCESS = Access(TOKEN, 8233)
COOKIE = f"caveat-ui-8233={TOKEN}"
HERE = "127.0.0.1:8233"


def request(method: str = "GET", target: str = "/", **headers: str) -> h11.Request:
    given = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return h11.Request(method=method, target=target, headers=given)


HOSTS = (HERE, "localhost:8233", "[::1]:8233", "127.0.0.1")
OTHERS = (
    "attacker.example:8233",  # a name that leads here: DNS rebinding
    *("127.0.0.1.attacker.example", "localhost.attacker.example:8233"),
    *("127.0.0.1@attacker.example", "attacker.example#127.0.0.1"),
    *("169.254.1.1:8233", "[::ffff:10.0.0.1]:8233", "[broken", ""),
)
COOKIES = ("", "caveat-ui-8233=", f"caveat-ui-1={TOKEN}", "caveat-ui-8233=guess", "=;;\x7f")
CHANGES = ("POST", "PUT", "PATCH", "DELETE")
ORIGINS = ("http://attacker.example", "null", "https://127.0.0.1:8233", "http://127.0.0.1:1")


@pytest.mark.parametrize(
    ("asked", "passes"),
    [
        *((request(host=host, cookie=COOKIE), True) for host in HOSTS),
        *((request(host=host, cookie=COOKIE), False) for host in OTHERS),
        *((request(target=f"/?token={TOKEN}", host=host), False) for host in OTHERS),
        *((request(host=HERE, cookie=cookie), False) for cookie in COOKIES),
        *((request(m, host=HERE, cookie=COOKIE, origin=f"http://{HERE}"), True) for m in CHANGES),
        *((request(method, host=HERE, cookie=COOKIE), False) for method in CHANGES),
        *((request("POST", host=HERE, cookie=COOKIE, origin=each), False) for each in ORIGINS),
    ],
)
def test_its_own_pages_with_token_pass_alone(asked: h11.Request, *, passes: bool) -> None:
    reply = ACCESS.reply(asked)
    assert (reply is None) is passes
    if reply is not None:
        assert reply.status is HTTPStatus.FORBIDDEN
        assert not any(name == "Set-Cookie" for name, _ in reply.headers)
        assert TOKEN not in reply.text


@pytest.mark.parametrize(
    ("target", "leads_to"),
    [
        (f"/?token={TOKEN}", "/"),
        (
            f"/namespaces/default/workflows/x%2Fy?token={TOKEN}",
            "/namespaces/default/workflows/x%2Fy",
        ),
        (f"/workflows?query=a+b&token={TOKEN}", "/workflows?query=a+b"),
        (f"//attacker.example/?token={TOKEN}", "/"),
        (f"/\\attacker.example/?token={TOKEN}", "/attacker.example/"),
    ],
)
def test_the_token_lets_a_browser_in_and_leaves_the_address(target: str, leads_to: str) -> None:
    reply = ACCESS.reply(request(target=target, host=HERE))
    assert reply is not None
    headers = dict(reply.headers)
    assert reply.status is HTTPStatus.SEE_OTHER
    assert headers["Location"] == leads_to
    assert "HttpOnly" in headers["Set-Cookie"]
    assert "SameSite=Lax" in headers["Set-Cookie"]


async def _statuses(
    server: EmbeddedServer, *requests: tuple[str, str, dict[str, str]]
) -> list[int]:
    async with httpx2.AsyncClient(base_url=server.ui_url, timeout=10) as client:
        return [
            (await client.request(method, path, headers=headers)).status_code
            for method, path, headers in requests
        ]


async def test_the_real_web_ui_opens_with_the_token_alone(settings: Settings) -> None:
    async with open_embedded_server(settings) as server:
        assert server.ui_token is not None
        async with httpx2.AsyncClient(base_url=server.ui_url, follow_redirects=True) as browser:
            assert (await browser.get("/api/v1/namespaces")).status_code == HTTPStatus.FORBIDDEN
            opened = await browser.get("/", params={"token": server.ui_token})
            assert opened.status_code == HTTPStatus.OK
            assert server.ui_token not in str(opened.url)
            # The Web UI begins to look for its server anew a second after it found none.
            async with asyncio.timeout(PATIENCE_S):
                listed = await browser.get("/api/v1/namespaces")
                while "default" not in listed.text:
                    await asyncio.sleep(0.2)
                    listed = await browser.get("/api/v1/namespaces")
        cookie = {"cookie": f"caveat-ui-{settings.ui_port}={server.ui_token}"}
        start = "/api/v1/namespaces/default/workflows/forged"
        assert (
            await _statuses(
                server,
                ("GET", "/", {**cookie, "host": f"attacker.example:{settings.ui_port}"}),
                ("POST", start, {**cookie, "content-type": "text/plain"}),
                ("POST", start, {**cookie, "origin": "http://attacker.example"}),
            )
            == [HTTPStatus.FORBIDDEN] * 3
        )


async def test_the_http_api_answers_nobody(settings: Settings) -> None:
    async with open_embedded_server(settings):
        listening = listening_addresses(record(settings)["server"])
        sockets = [address for address in listening if address.startswith("127.0.0.1:")]
        answers = []
        for address in sockets:
            async with httpx2.AsyncClient(base_url=f"http://{address}", timeout=5) as page:
                try:
                    sent = await page.post(
                        "/api/v1/namespaces/default/workflows/forged",
                        content='{"workflowType": {"name": "Research"}}',
                        headers={"content-type": "text/plain", "origin": "http://attacker.example"},
                    )
                except httpx2.HTTPError:  # it speaks gRPC alone
                    continue
                answers.append((address, sent.status_code))
        assert all(status in {403, 404, 405} for _, status in answers), answers


async def test_no_key_gets_to_servers(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "CAVEAT_ENCRYPTION_KEY", "TEMPORAL_API_KEY", "MY_TOKEN"):
        monkeypatch.setenv(name, "planted-secret")
    async with open_embedded_server(settings):
        running = record(settings)
        for process in ("guard", "server"):
            known = environment_of(running[process])
            assert "planted-secret" not in known
            assert "PATH=" in known


@pytest.fixture
async def proxy() -> AsyncIterator[int]:
    served = Proxy(ACCESS, "127.0.0.1", 1)
    async with await asyncio.start_server(served.serve, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]


async def read(reader: asyncio.StreamReader) -> bytes:
    """What comes until the other side closes; one that does not close is a failure."""
    async with asyncio.timeout(PATIENCE_S):
        with suppress(ConnectionResetError):
            return await reader.read()
    return b""


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n"])
@pytest.mark.parametrize("drip", [b"", b"x-drip: 1\r\n"])
async def test_a_head_that_does_not_come_is_not_waited_for(
    proxy: int, monkeypatch: pytest.MonkeyPatch, sent: bytes, drip: bytes
) -> None:
    monkeypatch.setattr(ui_proxy, "_HEAD_S", 0.3)
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy)
    writer.write(sent)
    closed = asyncio.create_task(read(reader))
    while not closed.done():
        writer.write(drip)
        await asyncio.sleep(0.05)
    assert closed.result() == b""
    writer.close()
