"""Deliveries to real servers on the loopback address."""

import asyncio
import base64
import datetime as dt
import hmac
import logging
import shutil
import socket
import ssl
import subprocess
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from httpcore2 import AnyIOBackend

from caveat.adapters.http.client import Client
from caveat.adapters.http.target import Target
from caveat.adapters.notify.posting import Webhook
from caveat.adapters.notify.signing import FixedKeys, SigningKeyFile, SigningKeys, key_of
from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.contracts.notice import Notice
from caveat.failures import PortFailure
from standins.free_ports import free_port
from tests.caveat.adapters.notify.conftest import Receiver, Request, answer, serving

SECRET = "whsec_" + base64.b64encode(b"planted-secret-of-24-bytes").decode()

Reply = Callable[[BaseHTTPRequestHandler], None]


def to(
    url: str, keys: SigningKeys | None = None, *, connect_s: float = 0.3, total_s: float = 0.5
) -> Webhook:
    client = Client(user_agent="Caveat/test", backend=AnyIOBackend(), connect_s=connect_s)
    return Webhook(Target.of(url), client, keys or FixedKeys(), total_s)


async def failure_of(webhook: Webhook, notice: Notice) -> Failure:
    with pytest.raises(PortFailure) as raised:
        await webhook.notify(notice)
    return raised.value.failure


def signatures(request: Request, *secrets: bytes) -> str:
    """As the specification says it, worked out apart from the code under test."""
    content = b".".join(
        (
            request.headers["Webhook-Id"].encode(),
            request.headers["Webhook-Timestamp"].encode(),
            request.body,
        )
    )
    digests = (hmac.digest(secret, content, "sha256") for secret in secrets)
    return " ".join("v1," + base64.standard_b64encode(digest).decode() for digest in digests)


async def test_a_notice_is_posted_as_json(receiver: Receiver, notice: Notice) -> None:
    await to(receiver.url).notify(notice)
    (request,) = receiver.requests
    assert Notice.model_validate_json(request.body) == notice
    assert request.path == "/hook?token=planted-token"
    assert request.headers["Content-Type"] == "application/json"
    assert request.headers["Host"] == f"127.0.0.1:{receiver.port}"
    assert request.headers["Webhook-Id"] == notice.id
    assert abs(int(request.headers["Webhook-Timestamp"]) - time.time()) < 5
    assert "Webhook-Signature" not in request.headers


async def test_a_secret_signs_id_time_and_body(receiver: Receiver, notice: Notice) -> None:
    await to(receiver.url, FixedKeys((key_of(SECRET),))).notify(notice)
    (request,) = receiver.requests
    expected = signatures(request, b"planted-secret-of-24-bytes")
    assert request.headers["Webhook-Signature"] == expected


async def test_a_rotated_secret_works_at_once(
    receiver: Receiver, notice: Notice, tmp_path: Path
) -> None:
    file = tmp_path / "secret"
    webhook = to(receiver.url, SigningKeyFile(file))
    for lines in ("old\n", "new\nold\n", "new\n"):
        file.write_text(lines)
        await webhook.notify(notice)
        request = receiver.requests[-1]
        secrets = [line.encode() for line in lines.split()]
        assert request.headers["Webhook-Signature"] == signatures(request, *secrets)


async def test_no_full_stop_of_an_id_can_shift_what_is_signed(
    receiver: Receiver, notice: Notice
) -> None:
    odd = notice.model_copy(update={"id": "a.1\r\nEvil: yes – ü/1"})
    await to(receiver.url, FixedKeys((b"k",))).notify(odd)
    (request,) = receiver.requests
    assert request.headers["Webhook-Id"] == "a%2E1%0D%0AEvil:%20yes%20%E2%80%93%20%C3%BC/1"
    assert request.headers["Webhook-Signature"] == signatures(request, b"k")
    assert "Evil" not in request.headers


STATUSES = [
    (300, FailureType.PERMANENT, FailureCategory.VALIDATION),
    (304, FailureType.PERMANENT, FailureCategory.VALIDATION),
    (400, FailureType.PERMANENT, FailureCategory.VALIDATION),
    (401, FailureType.AUTH_ERROR, FailureCategory.PERMISSION),
    (403, FailureType.AUTH_ERROR, FailureCategory.PERMISSION),
    (404, FailureType.NOT_FOUND, FailureCategory.BUSINESS),
    (408, FailureType.TIMEOUT, FailureCategory.TRANSIENT),
    (410, FailureType.NOT_FOUND, FailureCategory.BUSINESS),
    (413, FailureType.PERMANENT, FailureCategory.VALIDATION),
    (429, FailureType.RATE_LIMITED, FailureCategory.TRANSIENT),
    (500, FailureType.UNAVAILABLE, FailureCategory.TRANSIENT),
    (503, FailureType.UNAVAILABLE, FailureCategory.TRANSIENT),
]


@pytest.mark.parametrize(("status", "failure_type", "category"), STATUSES)
async def test_each_status_has_its_name(
    receiver: Receiver,
    notice: Notice,
    status: int,
    failure_type: FailureType,
    category: FailureCategory,
) -> None:
    receiver.reply = lambda handler: answer(handler, status)
    failure = await failure_of(to(receiver.url), notice)
    assert (failure.failure_type, failure.category) == (failure_type, category)
    assert failure.retry_recommended == (category is FailureCategory.TRANSIENT)
    assert failure.provider == "webhook"
    assert failure.resource == f"127.0.0.1:{receiver.port}"
    assert str(status) in failure.message
    assert failure.retry_after_s is None


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
async def test_each_status_of_success_is_one(
    receiver: Receiver, notice: Notice, status: int
) -> None:
    receiver.reply = lambda handler: answer(handler, status)
    await to(receiver.url).notify(notice)
    assert len(receiver.requests) == 1


async def test_a_redirect_is_not_followed(receiver: Receiver, notice: Notice) -> None:
    receiver.reply = lambda handler: answer(handler, 307, Location="/elsewhere")
    failure = await failure_of(to(receiver.url), notice)
    assert failure.failure_type is FailureType.PERMANENT
    assert "redirects are not followed" in failure.message
    assert len(receiver.requests) == 1


IN_90_S = "in 90 seconds"


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("header", "least", "most"),
    [
        ("7", 7, 7),
        ("0", 0, 0),
        (IN_90_S, 30, 90),
        ("Sun Nov  6 08:49:37 1994", 0, 0),
        ("9" * 30, 3600, 3600),
    ],
)
async def test_retry_after_is_obeyed_within_reason(
    receiver: Receiver, notice: Notice, status: int, header: str, least: float, most: float
) -> None:
    if header == IN_90_S:  # a date, counted from when the test runs and not from its collection
        then = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=90)
        header = format_datetime(then, usegmt=True)
    receiver.reply = lambda handler: answer(handler, status, Retry_After=header)
    failure = await failure_of(to(receiver.url), notice)
    assert failure.retry_after_s is not None
    assert least <= failure.retry_after_s <= most


@pytest.mark.parametrize("header", ["soon", "-1", "nan", "Sun, 99 Foo 1994 99:99:99 GMT"])
async def test_a_retry_after_that_says_nothing_is_ignored(
    receiver: Receiver, notice: Notice, header: str
) -> None:
    receiver.reply = lambda handler: answer(handler, 429, Retry_After=header)
    assert (await failure_of(to(receiver.url), notice)).retry_after_s is None


async def test_a_permanent_failure_asks_for_no_retry(receiver: Receiver, notice: Notice) -> None:
    receiver.reply = lambda handler: answer(handler, 404, Retry_After="7")
    assert (await failure_of(to(receiver.url), notice)).retry_after_s is None


def saying(words: bytes) -> Reply:
    """Write the bytes as they are, and hang up."""

    def say(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(words)

    return say


def dripping(prefix: bytes) -> Reply:
    """Write something, then a byte every 20 ms: each read is quick, the whole is not."""

    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(prefix)
        for _ in range(1_500):
            handler.wfile.write(b"x")
            time.sleep(0.02)

    return drip


async def test_a_head_that_drips_is_cut(receiver: Receiver, notice: Notice) -> None:
    receiver.reply = dripping(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    begun = time.monotonic()
    failure = await failure_of(to(receiver.url), notice)
    assert time.monotonic() - begun < 15
    assert failure.failure_type is FailureType.TIMEOUT
    assert failure.category is FailureCategory.TRANSIENT


async def test_a_slow_body_is_not_waited_for(receiver: Receiver, notice: Notice) -> None:
    receiver.reply = dripping(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    begun = time.monotonic()
    await to(receiver.url).notify(notice)
    assert time.monotonic() - begun < 15


async def test_a_huge_body_is_not_read(receiver: Receiver, notice: Notice) -> None:
    written = 0
    hung_up = threading.Event()

    def flood(handler: BaseHTTPRequestHandler) -> None:
        nonlocal written
        handler.wfile.write(b"HTTP/1.1 500 Oh\r\n\r\n")
        try:
            for _ in range(4_000):
                written += handler.wfile.write(b"planted-body" * 4_096)
        except OSError:
            hung_up.set()

    receiver.reply = flood
    failure = await failure_of(to(receiver.url), notice)
    assert failure.failure_type is FailureType.UNAVAILABLE
    assert await asyncio.to_thread(hung_up.wait, 5)
    assert written < 20_000_000  # socket buffers; all of it would be 197 MB
    assert "planted" not in repr(failure)


async def test_an_announcement_is_not_the_answer(receiver: Receiver, notice: Notice) -> None:
    early = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
    receiver.reply = saying(early + b"HTTP/1.1 503 No\r\n\r\n")
    assert (await failure_of(to(receiver.url), notice)).failure_type is FailureType.UNAVAILABLE


async def test_a_status_that_http_does_not_know_is_permanent(
    receiver: Receiver, notice: Notice
) -> None:
    receiver.reply = saying(b"HTTP/1.1 999 No\r\n\r\n")
    failure = await failure_of(to(receiver.url), notice)
    assert failure.failure_type is FailureType.PERMANENT
    assert failure.category is FailureCategory.VALIDATION


@pytest.mark.parametrize(
    "words",
    [
        b"",
        b"HTTP/1.1 200 OK\r\n",
        b"SSH-2.0-OpenSSH\r\n\r\n",
        b"HTTP/2 200\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200_000 + b"\r\n\r\n",
    ],
    ids=["nothing", "half", "ssh", "http2", "long"],
)
async def test_an_answer_that_breaks_off_or_is_no_http_may_come_later(
    receiver: Receiver, notice: Notice, words: bytes
) -> None:
    receiver.reply = saying(words)
    failure = await failure_of(to(receiver.url), notice)
    assert failure.failure_type is FailureType.UNAVAILABLE
    assert "breaks off its answers" in failure.message


async def test_nobody_listening_may_change(notice: Notice) -> None:
    failure = await failure_of(to(f"http://127.0.0.1:{free_port()}/"), notice)
    assert failure.failure_type is FailureType.UNAVAILABLE
    assert "refuses connections" in failure.message


async def test_a_name_that_nobody_knows_may_be_known_later(
    notice: Notice, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(*args: object, **options: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "planted resolver text")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    failure = await failure_of(to("http://receiver.invalid/"), notice)
    assert failure.failure_type is FailureType.UNAVAILABLE
    assert failure.message == (
        "The webhook at receiver.invalid has a host name that cannot be resolved now."
    )


async def test_a_receiver_without_tls_will_never_have_it(
    receiver: Receiver, notice: Notice
) -> None:
    failure = await failure_of(to(f"https://127.0.0.1:{receiver.port}/"), notice)
    assert failure.failure_type is FailureType.PERMANENT
    assert "TLS" in failure.message
    assert receiver.requests == []


async def test_connecting_has_a_limit_of_its_own(notice: Notice) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:  # accepts, and greets nobody
        url = f"https://127.0.0.1:{mute.getsockname()[1]}/"
        begun = time.monotonic()
        failure = await failure_of(to(url, connect_s=0.1, total_s=30.0), notice)
    assert time.monotonic() - begun < 15
    assert failure.failure_type is FailureType.TIMEOUT


@pytest.fixture
def encrypted(receiver: Receiver, tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """The receiver behind TLS: its URL, and a certificate that nobody vouches for."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate")
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
         "-keyout", str(key), "-out", str(certificate)],
        capture_output=True, check=True,
    )  # fmt: skip
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    with serving(receiver.handler, context) as server:
        yield f"https://127.0.0.1:{server.server_port}/", certificate


async def test_a_certificate_that_nobody_vouches_for_is_refused(
    encrypted: tuple[str, Path], receiver: Receiver, notice: Notice
) -> None:
    url, _ = encrypted
    failure = await failure_of(to(url, connect_s=5.0, total_s=10.0), notice)
    assert failure.failure_type is FailureType.PERMANENT
    assert "certificate" in failure.message
    assert receiver.requests == []


async def test_a_certificate_that_is_trusted_is_good(
    encrypted: tuple[str, Path],
    receiver: Receiver,
    notice: Notice,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url, certificate = encrypted
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    await to(url, connect_s=5.0, total_s=10.0).notify(notice)
    assert len(receiver.requests) == 1


@pytest.mark.parametrize(
    "data",
    [None, b"", b" \n\n", b"\xff\xfe planted", b"whsec_planted!", b"planted" * 1_000],
    ids=["missing", "empty", "blank", "binary", "not-base64", "long"],
)
async def test_without_a_key_nothing_is_sent(
    receiver: Receiver, notice: Notice, tmp_path: Path, data: bytes | None
) -> None:
    file = tmp_path / "secret"
    if data is not None:
        file.write_bytes(data)
    failure = await failure_of(to(receiver.url, SigningKeyFile(file)), notice)
    assert failure.failure_type is FailureType.AUTH_ERROR
    assert failure.provider == "webhook"
    assert failure.resource == str(file)
    assert "planted" not in repr(failure)
    assert receiver.requests == []


async def test_nothing_shows_the_secret_or_the_token(
    receiver: Receiver, notice: Notice, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    webhook = to(receiver.url, FixedKeys((b"planted-key",)))
    shown = [repr(webhook), str(webhook)]
    for status in (204, 307, 401, 404, 429, 500):
        receiver.reply = lambda handler, status=status: answer(  # type: ignore[misc]  # bound to the status
            handler, status, X_Echo="planted-echo"
        )
        try:
            await webhook.notify(notice)
        except PortFailure as raised:
            shown += [
                repr(raised),
                raised.failure.model_dump_json(),
                "".join(traceback.format_exception(raised)),
            ]
    assert len(shown) == 2 + 5 * 3
    assert "planted" not in "".join(shown)
    assert "planted-token" not in caplog.text
    assert "planted-key" not in caplog.text
