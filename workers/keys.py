"""The key that everything on the server is encrypted with.

AES-SIV (RFC 5297): its ciphertext depends on nothing but key and plaintext, so that a replay which
stores a payload again stores the same.
"""

import base64
import binascii
import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from caveat.problem import ExitCode, InternalError, Problem
from caveat.workers.privacy import is_open_to_others
from caveat.workers.settings import Settings, SettingsProblem

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV

ALGORITHM = "AEAD_AES_SIV_CMAC_512"  # IANA's name

_BYTES = 64  # two keys of AES-256, one for the tag and one for the text

_VARIABLE = "CAVEAT_ENCRYPTION_KEY"
_REMEDY = "`openssl rand -base64 64 | tr -d '\\n'` makes one."


class MissingKey(Problem):
    """Something is encrypted with a key that this process does not have."""

    exit_code: ClassVar[ExitCode] = ExitCode.WRONG_INPUT

    def __init__(self, key: str, run_id: str | None = None) -> None:
        self.key = key[:64]
        what = "What is on the server" if run_id is None else f"The open run {run_id}"
        without = (
            ""
            if run_id is None
            else f" Without it, `temporal workflow terminate --workflow-id {run_id}` ends that run."
        )
        super().__init__(
            f"{what} is encrypted with the key {self.key!r}: set {_VARIABLE} or {_VARIABLE}_FILE "
            f"to that key.{without}"
        )


class DamagedError(InternalError):
    """Ciphertext was changed, or made with another key of the same id."""


@dataclass(frozen=True)
class EncryptionKey:
    """A key and the id by which payloads name it."""

    id: str  # a digest of the key, so that no two keys have one id
    _cipher: "AESSIV" = field(repr=False)

    def seal(self, plain: bytes, about: bytes) -> bytes:
        """Encrypt.

        Args:
            about: must be known to decrypt it again, and is no secret.
        """
        return self._cipher.encrypt(plain, [about])

    def open(self, sealed: bytes, about: bytes) -> bytes:
        """Decrypt; raises `DamagedError`."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415  # of an extra

        try:
            return self._cipher.decrypt(sealed, [about])
        except (InvalidTag, ValueError):
            raise DamagedError from None


def load_encryption_key(settings: Settings) -> EncryptionKey | None:
    """Read the key of these settings; None where nothing is encrypted."""
    if settings.encryption_key is not None:
        return parse_encryption_key(settings.encryption_key.get_secret_value())
    file = settings.encryption_key_file
    if file is None:
        return None
    try:
        is_open, text = is_open_to_others(file), file.read_text(encoding="ascii")
    except (OSError, ValueError):
        raise SettingsProblem(f"The key file {file} cannot be read: {_REMEDY}") from None
    if is_open:
        raise SettingsProblem(f"The key file {file} is open to others: `chmod 600 {file}`.")
    return parse_encryption_key(text)


def parse_encryption_key(text: str) -> EncryptionKey:
    try:
        material = base64.b64decode("".join(text.split()), validate=True)
    except (ValueError, binascii.Error):
        material = b""
    if len(material) != _BYTES:
        raise SettingsProblem(f"{_VARIABLE} must be {_BYTES} bytes in base64: {_REMEDY}")
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESSIV  # noqa: PLC0415  # of an extra
    except ImportError:
        raise SettingsProblem(
            f"{_VARIABLE} needs the package cryptography: install Caveat with the extra "
            "`caveat[confidential]`."
        ) from None
    digest = hashlib.sha256(b"caveat key id" + material).hexdigest()
    return EncryptionKey(digest[:8], AESSIV(material))
