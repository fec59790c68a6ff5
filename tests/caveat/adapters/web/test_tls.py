"""Pages over TLS: whose certificate is believed, and whose is not."""

import gc
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from caveat.adapters.web.fetching import Limits
from caveat.contracts.envelope import Failure, FailureType
from caveat.failures import PortFailure
from tests.fakes.failures import failure_of
from tests.fakes.patience import PATIENCE_S
from tests.fakes.web import Web, page, serving, status

pytestmark = pytest.mark.xdist_group("tls")  # one process makes its fixtures
URL = "https://moons.test/io"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate that nobody vouches for, and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate")
    folder = tmp_path_factory.mktemp("tls")
    key, certificate = folder / "key.pem", folder / "cert.pem"
    command = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
        f"-subj /CN=caveat.test -addext subjectAltName=DNS:moons.test -keyout {key} "
        f"-out {certificate}"
    )
    subprocess.run(command.split(), check=True, capture_output=True, timeout=PATIENCE_S)
    return certificate, key


@pytest.fixture
def secure(web: Web, certificate: tuple[Path, Path]) -> Iterator[Web]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with serving(web.handler, context) as port:
        web.tls_port = port
        yield web


async def failure(web: Web, trust: ssl.SSLContext | None = None) -> Failure:
    return await failure_of(web.fetcher(trust=trust).fetch(URL))


async def test_certificates_are_of_their_name(secure: Web, certificate: tuple[Path, Path]) -> None:
    trust = ssl.create_default_context(cafile=str(certificate[0]))
    secure.pages["moons.test/io"] = page("<p>Io.</p>")
    found = await secure.fetcher(trust=trust).fetch(URL)
    assert (found.url, found.body) == (URL, b"<p>Io.</p>")
    assert {port for _, port in secure.dialler.dialled} == {443}
    with pytest.raises(PortFailure, match="certificate"):
        await secure.fetcher(trust=trust).fetch("https://other.test/")


async def test_a_certificate_that_nobody_vouches_for_is_not_believed(secure: Web) -> None:
    failed = await failure(secure)
    assert failed.failure_type is FailureType.PERMANENT
    assert "certificate" in failed.message
    assert secure.seen == []


async def test_a_host_without_tls_on_its_port_fails_by_name(web: Web) -> None:
    web.pages["moons.test/*"] = status(200)
    failed = await failure(web)
    assert failed.failure_type in {FailureType.PERMANENT, FailureType.UNAVAILABLE}
    assert web.seen == []


async def test_a_handshake_that_stalls_is_cut_off_and_leaves_nothing_open(web: Web) -> None:
    """An open socket that is forgotten would be a warning, and warnings are errors here."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        web.tls_port = silent.getsockname()[1]
        fetcher = web.fetcher(limits=Limits(total_s=0.3))
        raised = await failure_of(fetcher.fetch(URL))
    assert raised.failure_type is FailureType.TIMEOUT
    gc.collect()
