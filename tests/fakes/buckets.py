"""A bucket of S3 over real HTTP: moto's server in a process of its own."""

import os
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import httpx2
from obstore.store import S3Store

from tests.fakes.free_ports import free_port

KEY_ID = "AKIAPLANTEDKEYID"
SECRET = "planted/secret+of+the+bucket"  # noqa: S105  # looked for where it must not be
PATIENCE_S = 120.0  # seconds for an answer, which takes milliseconds on an idle machine
MOTO = Path(sys.prefix) / "moto"
"""Where `make .venv` installs moto: it needs an older package than Caveat has."""

_SIGNED = {
    "Authorization": f"AWS4-HMAC-SHA256 Credential={KEY_ID}/20260101/us-east-1/s3/aws4_request, "
    "SignedHeaders=host, Signature=none"
}

SERVER = """
import os, signal, sys, threading
from caveat.workers.guard import die_with_parent
die_with_parent(int(sys.argv[1]), signal.SIGKILL)
from moto.moto_server.werkzeug_app import (
    DomainDispatcherApplication, MotoRequestHandler, create_backend_app
)
from werkzeug.serving import run_simple

moto = DomainDispatcherApplication(create_backend_app)
# A bucket compares and writes at once; moto does so in two steps, between which another may write.
writing = threading.Lock()
os.environ["MOTO_PORT"] = sys.argv[2]

def application(environ, start):
    if environ["REQUEST_METHOD"] in {"GET", "HEAD"}:
        return moto(environ, start)
    with writing:
        return moto(environ, start)

run_simple(
    "127.0.0.1", int(sys.argv[2]), application, threaded=True, request_handler=MotoRequestHandler
)
"""


@dataclass(frozen=True)
class Bucket:
    """One bucket, and what a process must know to use it."""

    endpoint: str  # of the server
    name: str  # of the bucket

    @property
    def url(self) -> str:
        return f"s3://{self.name}/some/where"

    @property
    def environment(self) -> dict[str, str]:
        """The vendor's variables."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_ACCESS_KEY_ID": KEY_ID,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
        }

    @cached_property
    def store(self) -> S3Store:
        """What is in it, past Caveat."""
        return S3Store(
            self.name,
            prefix="some/where",
            config={
                "endpoint": self.endpoint,
                "access_key_id": KEY_ID,
                "secret_access_key": SECRET,
                "region": "us-east-1",
            },
            client_options={"allow_http": True},
        )

    def names(self) -> list[str]:
        return sorted(each["path"] for part in self.store.list() for each in part)

    def write(self, name: str, content: bytes) -> None:
        self.store.put(name, content)


@contextmanager
def serving() -> Iterator[str]:
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(os.getpid()), str(port)],
        env={**os.environ, "PYTHONPATH": str(MOTO)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    endpoint = f"http://127.0.0.1:{port}"
    try:
        _await(endpoint, process)
        yield endpoint
    finally:
        process.kill()
        process.wait(PATIENCE_S)


def a_bucket(endpoint: str) -> Bucket:
    bucket = Bucket(endpoint, f"caveat-{uuid.uuid4().hex[:12]}")
    # moto looks whether a request is signed, and not how.
    signed = httpx2.put(f"{endpoint}/{bucket.name}", headers=_SIGNED, timeout=PATIENCE_S)
    signed.raise_for_status()
    return bucket


def _await(endpoint: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            httpx2.get(endpoint, timeout=1)
        except httpx2.TransportError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("moto's server does not answer")
