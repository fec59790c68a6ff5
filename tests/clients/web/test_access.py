"""Who is let in to the page, and what nobody may have it do."""

import asyncio
import socket
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from starlette.requests import HTTPConnection

from caveat.clients.service import Service
from caveat.clients.web.access import Gate, build_gate
from caveat.clients.web.admission import MOST_BYTES, parse_local_path
from caveat.clients.web.serving import build_application
from caveat.workers.http_server import build_config, serve_socket
from caveat.workers.settings import Settings
from tests.clients.web.conftest import ORIGIN, TOKEN, Browser, NoServer, let_in


async def test_a_token_becomes_a_cookie_of_no_script_and_no_other_site(browser: Browser) -> None:
    answer = await browser().get("/inbox", params={"token": TOKEN, "topic": "a b"})
    assert answer.status_code == 303
    assert answer.headers["location"] == "/inbox?topic=a+b"
    kept = answer.headers["set-cookie"]
    assert "HttpOnly" in kept
    assert "samesite=lax" in kept.lower()
    assert TOKEN not in kept


@pytest.mark.parametrize("token", [None, "wrong", "", TOKEN + "x", "é"])
async def test_a_stranger_is_asked_who_they_are(browser: Browser, token: str | None) -> None:
    given = {} if token is None else {"token": token}
    answer = await browser().get("/runs/research-x-3fa9c1", params={"a": "b", **given})
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers
    assert ('value="/runs/research-x-3fa9c1?a=b"' in answer.text) is (token is None)
    assert ("not the page" in answer.text) is (token is not None)


async def test_the_token_can_be_pasted(browser: Browser) -> None:
    visitor = browser()
    sent = {"secret": f" {TOKEN}\n", "next": "/runs"}
    answer = await visitor.post("/signin", data=sent, headers={"origin": ORIGIN})
    assert (answer.status_code, answer.headers["location"]) == (303, "/runs")
    assert (await visitor.get("/inbox")).status_code == 200


@pytest.mark.parametrize(
    ("host", "status"),
    [
        *(
            (other, 421)
            for other in ("evil.example", "127.0.0.1.evil.example", "", "[", "10.1.1.1")
        ),
        *((name, 200) for name in ("localhost:9", "127.0.0.1", "[::1]:8234")),
    ],
)
async def test_other_host_names_are_refused(browser: Browser, host: str, status: int) -> None:
    visitor = browser(authorization=f"Bearer {TOKEN}")
    assert (await visitor.get("/inbox", headers={"host": host})).status_code == status


FOREIGN: tuple[dict[str, str], ...] = (
    {"origin": "http://evil.example"},
    {"origin": "null"},
    {"origin": "http://127.0.0.1:1"},
    {"origin": ORIGIN, "sec-fetch-site": "cross-site"},
    {"origin": ORIGIN, "sec-fetch-site": "same-site"},
    {"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors"},
    {},
)


@pytest.mark.parametrize(
    "path", ["/signout", "/ask", "/codec/decode", "/codec/encode", "/temporal/api/v1"]
)
@pytest.mark.parametrize("headers", FOREIGN, ids=str)
async def test_another_page_changes_nothing_and_has_nothing_decoded(
    browser: Browser, gate: Gate, headers: dict[str, str], path: str
) -> None:
    visitor = browser(replace(gate, codec_origins=frozenset({"http://127.0.0.1:8233"})))
    await let_in(visitor)
    answer = await visitor.post(path, headers=headers)
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers
    assert (await visitor.get("/inbox")).status_code == 200


async def test_who_signs_out_is_a_stranger(browser: Browser) -> None:
    visitor = browser()
    await let_in(visitor)
    answer = await visitor.post("/signout", headers={"origin": ORIGIN})
    assert answer.status_code == 303
    assert (await visitor.get("/inbox")).status_code == 401


async def test_another_page_shows_nothing_of_this_one(browser: Browser) -> None:
    visitor = browser()
    await let_in(visitor)
    embedded = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}
    assert (await visitor.get("/static/page.js", headers=embedded)).status_code == 403
    framed = {**embedded, "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"}
    assert (await visitor.get("/inbox", headers=framed)).status_code == 403
    opened = {**framed, "sec-fetch-dest": "document"}
    assert (await visitor.get("/inbox", headers=opened)).status_code == 200


async def test_every_answer_forbids_what_is_not_ours(browser: Browser) -> None:
    visitor = browser()
    for path in ("/", "/signin", "/static/page.css", "/nowhere"):
        policy = (await visitor.get(path)).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy


TARGETS = (
    *("//[", "/%", "/%00", "/%ff%fe", "http://[/", "http://[::1", "/..//../%2e%2e/etc/passwd", "*"),
    *("/inbox?token=%ff", "/inbox?token=%ED%A0%80", "/inbox?page=%F0", "/inbox?" + "&" * 9),
    *("/runs?after=junk", "/runs?after=.", "/runs?after=%ff.%00", "/runs?after=a.é"),
)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("headers", ["", f"authorization: Bearer {TOKEN}\r\n"], ids=["", "known"])
async def test_no_address_is_an_error_of_ours(
    gate: Gate, target: str, headers: str, caplog: pytest.LogCaptureFixture
) -> None:
    app = build_application(cast("Service", NoServer()), gate)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        async with serve_socket(build_config(app), taken):
            reader, writer = await asyncio.open_connection(*taken.getsockname())
            head = f"GET {target} HTTP/1.1\r\nhost: 127.0.0.1\r\n{headers}connection: close"
            writer.write(f"{head}\r\n\r\n".encode())
            answer = await asyncio.wait_for(reader.read(), 30)
            writer.close()
    assert 300 <= int(answer.split()[1]) < 500 or answer.split()[1] == b"200"
    assert not [each for each in caplog.records if each.exc_info]


async def test_a_program_shows_the_token_in_a_header(browser: Browser) -> None:
    assert (await browser(authorization=f"Bearer {TOKEN}").get("/inbox")).status_code == 200
    assert (await browser(authorization="Bearer wrong").get("/inbox")).status_code == 401


@pytest.mark.parametrize("length", [str(MOST_BYTES + 1), "-1", "many"])
async def test_what_is_too_long_is_not_read(browser: Browser, length: str) -> None:
    visitor = browser()
    await let_in(visitor)
    answer = await visitor.post("/signout", headers={"content-length": length, "origin": ORIGIN})
    assert answer.status_code == 413


async def test_unsaid_lengths_count(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor = browser()
    await let_in(visitor)
    monkeypatch.setattr("caveat.clients.web.admission.MOST_BYTES", 1_000)

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b"x" * 100

    headers = {"origin": ORIGIN, "content-type": "application/x-www-form-urlencoded"}
    answer = await visitor.post("/ask", content=endless(), headers=headers)
    assert answer.status_code == 413


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("/runs?q=a", "/runs?q=a"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("/\t/evil.example", "/"),
        ("https://evil.example", "/"),
        ("javascript:alert(1)", "/"),
        ("", "/"),
    ],
)
def test_the_way_on_is_a_page_of_ours(given: str, path: str) -> None:
    assert parse_local_path(given) == path


def known(rules: Gate, kept: str) -> bool:
    cookie = f"{rules.cookie}={kept}".encode("latin-1")
    return rules.is_known(HTTPConnection({"type": "http", "headers": [(b"cookie", cookie)]}))


async def test_a_pass_ends_with_its_token_and_its_time() -> None:
    now = [0.0]
    rules = Gate(TOKEN, clock=lambda: now[0])
    kept = rules.create_pass()
    assert known(rules, kept)
    assert not known(Gate("another" * 8, clock=lambda: 0.0), kept)
    for broken in ("", ".", "x.y", kept[:-1], f"x{kept}", "é.é"):
        assert not known(rules, broken)
    now[0] = 31 * 24 * 3600.0
    assert not known(rules, kept)


def test_the_page_is_open_under_the_names_of_the_settings_alone(tmp_path: Path) -> None:
    gate = build_gate(
        Settings(state_dir=tmp_path, cache_dir=tmp_path, web_host="10.1.1.1", web_url="http://box")
    )
    assert gate.is_host("box:8234")
    assert not gate.is_host("evil.example")
