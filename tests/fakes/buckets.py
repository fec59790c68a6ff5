"""A bucket of S3 over real HTTP: moto's server in a process of its own."""

import os
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

from tests.fakes.free_ports import free_port

KEY_ID = "AKIAPLANTEDKEYID"
SECRET = "planted/secret+of+the+bucket"  # noqa: S105  # looked for where it must not be
PATIENCE_S = 120.0  # seconds for an answer, which takes milliseconds on an idle machine
MOTO = Path(sys.prefix) / "moto"
"""Where `make .venv` installs moto: it needs an older package than Caveat has."""

_SIGNED = (
    f"AWS4-HMAC-SHA256 Credential={KEY_ID}/20260101/us-east-1/s3/aws4_request, "
    "SignedHeaders=host, Signature=none"
)

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

    def names(self) -> list[str]:
        """Every object, by the name that it has below the prefix."""
        return sorted(each.removeprefix("some/where/") for each in self.sizes())

    def sizes(self) -> dict[str, int]:
        """The bytes of every object, by its key."""
        found: dict[str, int] = {}
        token = ""
        while True:
            listed = self.ask("GET", f"?list-type=2{token}").decode()
            for part in listed.split("<Key>")[1:]:
                key, _, rest = part.partition("</Key>")
                found[key] = int(rest.partition("<Size>")[2].partition("</Size>")[0])
            following = listed.partition("<NextContinuationToken>")[2]
            if not following:
                return found
            token = f"&continuation-token={following.partition('<')[0]}"

    def read(self, name: str) -> bytes:
        return self.ask("GET", f"/some/where/{name}")

    def write(self, name: str, content: bytes, **headers: str) -> None:
        """Put other bytes where an object is, past Caveat."""
        self.ask("PUT", f"/some/where/{name}", content, headers)

    def delete(self, name: str) -> None:
        self.ask("DELETE", f"/some/where/{name}")

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> bytes:
        """Send one request; moto looks whether it is signed, and not how."""
        signed = {"Authorization": _SIGNED, **(headers or {})}
        url = f"{self.endpoint}/{self.name}{path}"
        answer = httpx2.request(method, url, content=body, headers=signed, timeout=PATIENCE_S)
        answer.raise_for_status()
        return answer.content


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
    bucket.ask("PUT", "")
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
