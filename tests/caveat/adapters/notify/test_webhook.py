"""Deliveries to real servers on the loopback address."""

import asyncio
import base64
import hmac
import logging
import ssl
import threading
import time
import traceback
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from httpcore2 import AnyIOBackend

from caveat.adapters.http.client import Client
from caveat.adapters.http.target import Target
from caveat.adapters.notify.posting import Webhook
from caveat.adapters.notify.signing import SigningKeys, parse_secret
from caveat.contracts.failure import FailureType
from caveat.contracts.notice import Notice
from caveat.failures import PortFailure
from tests.caveat.adapters.notify.conftest import Receiver, Request, answer
from tests.fakes.certificates import certificate_of
from tests.fakes.failures import failure_of
from tests.fakes.web import serving

SECRET = "whsec_" + base64.b64encode(b"planted-secret-of-24-bytes").decode()


def to(url: str, keys: SigningKeys | None = None) -> Webhook:
    client = Client(user_agent="Caveat/test", backend=AnyIOBackend(), connect_s=5.0)
    return Webhook(Target.from_url(url), client, keys or SigningKeys(), 10.0)


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
    await to(receiver.url, SigningKeys((parse_secret(SECRET),))).notify(notice)
    (request,) = receiver.requests
    expected = signatures(request, b"planted-secret-of-24-bytes")
    assert request.headers["Webhook-Signature"] == expected


async def test_a_rotated_secret_works_at_once(
    receiver: Receiver, notice: Notice, tmp_path: Path
) -> None:
    file = tmp_path / "secret"
    webhook = to(receiver.url, SigningKeys(file=file))
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
    await to(receiver.url, SigningKeys((b"k",))).notify(odd)
    (request,) = receiver.requests
    assert request.headers["Webhook-Id"] == "a%2E1%0D%0AEvil:%20yes%20%E2%80%93%20%C3%BC/1"
    assert request.headers["Webhook-Signature"] == signatures(request, b"k")
    assert "Evil" not in request.headers


async def test_a_redirect_is_not_followed(receiver: Receiver, notice: Notice) -> None:
    receiver.reply = lambda handler: answer(handler, 307, Location="/elsewhere")
    failure = await failure_of(to(receiver.url).notify(notice))
    assert failure.failure_type is FailureType.PERMANENT
    assert "redirects are not followed" in failure.message
    assert len(receiver.requests) == 1


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
    failure = await failure_of(to(receiver.url).notify(notice))
    assert failure.failure_type is FailureType.UNAVAILABLE
    assert await asyncio.to_thread(hung_up.wait, 5)
    assert written < 20_000_000  # socket buffers; all of it would be 197 MB
    assert "planted" not in repr(failure)


@pytest.fixture
def encrypted(receiver: Receiver, tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """The receiver behind TLS: its URL, and a certificate that nobody vouches for."""
    certificate, key = certificate_of(tmp_path, "IP:127.0.0.1")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    with serving(receiver.handler, context) as port:
        yield f"https://127.0.0.1:{port}/", certificate


async def test_a_certificate_that_nobody_vouches_for_is_refused(
    encrypted: tuple[str, Path], receiver: Receiver, notice: Notice
) -> None:
    url, _ = encrypted
    failure = await failure_of(to(url).notify(notice))
    assert failure.failure_type is FailureType.PERMANENT
    assert "certificate" in failure.message
    assert receiver.requests == []


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
    failure = await failure_of(to(receiver.url, SigningKeys(file=file)).notify(notice))
    assert failure.failure_type is FailureType.AUTH_ERROR
    assert failure.provider == "webhook"
    assert failure.resource == str(file)
    assert "planted" not in repr(failure)
    assert receiver.requests == []


async def test_nothing_shows_the_secret_or_the_token(
    receiver: Receiver, notice: Notice, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    webhook = to(receiver.url, SigningKeys((b"planted-key",)))
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
