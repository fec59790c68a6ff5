"""Certificates that nobody vouches for, made where a test needs one."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.fakes.patience import PATIENCE_S


def certificate_of(folder: Path, name: str) -> tuple[Path, Path]:
    """Make a certificate and its key, or skip the test where no openssl is there.

    Args:
        folder: where the two files go.
        name: whose it is, as in a certificate: `DNS:moons.test`, `IP:127.0.0.1`.
    """
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate")
    key, certificate = folder / "key.pem", folder / "cert.pem"
    command = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
        f"-subj /CN=caveat.test -addext subjectAltName={name} -keyout {key} -out {certificate}"
    )
    subprocess.run(command.split(), check=True, capture_output=True, timeout=PATIENCE_S)
    return certificate, key
