"""Keys that payloads are encrypted with in tests."""

import base64
from pathlib import Path

from caveat.workers.codec import EncryptionKey, parse_encryption_key


def key_text(seed: int = 0) -> str:
    return base64.b64encode(bytes((seed + each) % 256 for each in range(64))).decode()


def a_key(seed: int = 0) -> EncryptionKey:
    return parse_encryption_key(key_text(seed))


def write_key(file: Path, seed: int = 0) -> Path:
    file.write_text(f"{key_text(seed)}\n", encoding="ascii")
    file.chmod(0o600)
    return file
