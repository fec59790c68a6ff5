"""What only buckets have: a date that nobody sets, and vendors who refuse."""

import datetime as dt
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from caveat.adapters import buckets as adapter
from caveat.adapters.buckets import open_bucket
from caveat.contracts.envelope import FailureType
from caveat.failures import PortFailure
from tests.fakes.buckets import KEY_ID, SECRET, Bucket
from tests.fakes.free_ports import free_port

NAME = "ab/abcdef"


def test_kept_again_after_a_day_is_young(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    blobs = open_bucket(bucket.url)
    blobs.keep(NAME, b"first", lambda _: True)
    monkeypatch.setattr(adapter, "RENEWED", dt.timedelta(0))
    blobs.keep(NAME, b"again", lambda _: True)
    assert blobs.get(NAME) == b"again"


def test_a_bucket_that_is_not_there_is_no_missing_blob(bucket: Bucket) -> None:
    blobs = open_bucket("s3://there-is-none-of-this-name/x")
    calls: tuple[Callable[[], object], ...] = (
        blobs.require_usable, lambda: blobs.get(NAME), lambda: blobs.put(NAME, b"x"),
    )  # fmt: skip
    for call in calls:
        with pytest.raises(PortFailure, match="There is no bucket") as raised:
            call()
        assert raised.value.failure.failure_type is FailureType.UNAVAILABLE
    open_bucket(bucket.url).require_usable()


def test_nobody_who_answers_is_unavailable(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{free_port()}")
    with pytest.raises(PortFailure, match="does not answer") as raised:
        open_bucket(bucket.url).get(NAME)
    assert raised.value.failure.failure_type is FailureType.UNAVAILABLE


class Refusing(BaseHTTPRequestHandler):
    """Refuses every request, and repeats its key as S3 does."""

    def do_GET(self) -> None:
        said = f"<Error><Code>InvalidAccessKeyId</Code><AWSAccessKeyId>{KEY_ID}</AWSAccessKeyId>"
        body = f"{said}<Secret>{SECRET}</Secret></Error>".encode()
        self.send_response(403)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def refusing() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Refusing) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_what_a_vendor_says_of_keys_is_not_repeated(
    bucket: Bucket, refusing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", refusing)
    blobs = open_bucket(bucket.url)
    with pytest.raises(PortFailure, match="is refused") as raised:
        blobs.get(NAME)
    assert raised.value.failure.failure_type is FailureType.AUTH_ERROR
    shown = (repr(raised.value), raised.value.failure.model_dump_json(), repr(blobs))
    assert not any(each in part for part in shown for each in (KEY_ID, SECRET))
    # Nor does a traceback show it that somebody logs.
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__
