"""What Caveat keeps is its user's alone: secrets, texts of documents, reports, what people ruled.

Every process of ours that keeps something sets its umask first thing, and its children inherit it.
"""

import errno
import os
import secrets
from pathlib import Path

from caveat import atomic
from caveat.problem import OutOfReach
from caveat.workers.settings import Settings, SettingsProblem

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
        raise OutOfReach(
            f"{file}, {name}, cannot be used ({error.strerror}): make it readable for you, and its "
            "disk writable, or set CAVEAT_STATE_DIR to another folder."
        ) from None
    if len(secret) < _SECRET_BYTES or len(set(secret)) < _DIFFERENT_BYTES:
        raise SettingsProblem(
            f"{file}, {name}, is empty or too short to be a secret: delete it, and a new one is "
            "made."
        )
    return secret


def load_token(settings: Settings) -> str:
    """Read the token of the page, which stands in addresses."""
    return load_secret(settings.web_token, "the page's token").decode(errors="replace").strip()


def make_private_folder(folder: Path, setting: str = "CAVEAT_STATE_DIR") -> None:
    """Make a folder of the state or the cache, closed to others whatever the umask of a host is."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise OutOfReach(
            f"The folder {folder} cannot be written ({error.strerror}): set {setting} to a folder "
            "that you may write."
        ) from None
