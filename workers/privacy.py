"""What Caveat keeps is its user's alone: secrets, texts of documents, reports, what people ruled.

Every process of ours that keeps something sets its umask first thing, and its children inherit it.
"""

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from caveat import atomic
from caveat.workers.problem import ServerProblem
from caveat.workers.settings import Settings, SettingsProblem

_OTHERS = stat.S_IRWXG | stat.S_IRWXO  # what the group and everybody may do

MOUNTED = Path("/run/secrets")
"""Where Compose, Docker and Podman mount secrets into a container: readable for all of its users,
of which there is one."""


def is_open_to_others(file: Path) -> bool:
    """Say whether a file of secrets may be read or changed by more people than it should."""
    status = file.stat()
    allowed = 0
    if file.is_relative_to(MOUNTED):
        allowed = ~(stat.S_IWGRP | stat.S_IWOTH)
    elif status.st_uid == 0:  # Kubernetes mounts secrets so: a container reads them as the group
        allowed = stat.S_IRGRP
    return bool(status.st_mode & _OTHERS & ~allowed)


_SECRET_BYTES = 32  # 256 bits, as many as the digest has that secrets sign with (RFC 2104, 3)

_DIFFERENT_BYTES = 8  # random 32 have 30; what a crash leaves of a file is zeros


def load_secret(file: Path, name: str) -> bytes:
    """Read a secret that Caveat makes for itself, making it first where there is none."""
    try:
        if not file.exists():
            # Where two processes make one, the first one's stays.
            atomic.create(file, secrets.token_urlsafe(_SECRET_BYTES).encode())
        secret = file.read_bytes()
    except OSError as error:
        raise ServerProblem(
            f"{file}, {name}, cannot be used ({error.strerror}): make it readable for you, and its "
            "disk writable, or set CAVEAT_STATE_DIR to another folder."
        ) from None
    if len(secret) < _SECRET_BYTES or len(set(secret)) < _DIFFERENT_BYTES:
        raise _build_problem(file, name, "is empty or too short to be a secret")
    return secret


def load_token(file: Path, name: str) -> str:
    """Read a secret that stands in addresses and cookies; see `load_secret`."""
    token = load_secret(file, name).decode("ascii", errors="replace").strip()
    if not token.isascii() or not token.isprintable() or " " in token:
        raise _build_problem(file, name, "is not one line of text")
    if len(token) < _SECRET_BYTES:
        raise _build_problem(file, name, "is too short to be a secret")
    return token


def _build_problem(file: Path, name: str, fault: str) -> SettingsProblem:
    return SettingsProblem(f"{file}, {name}, {fault}: delete it, and a new one is made.")


def make_private_folders(settings: Settings) -> None:
    """Make the folders of what is kept, closed to others whatever the umask of a host is."""
    for folder in (settings.state_dir, settings.cache_dir):
        with suppress(OSError):  # of the state it is said where something is kept
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not os.access(settings.cache_dir, os.W_OK):
        raise SettingsProblem(
            f"The folder {settings.cache_dir}, in which documents are indexed, cannot be written: "
            "set CAVEAT_CACHE_DIR to a folder that you may write."
        )
