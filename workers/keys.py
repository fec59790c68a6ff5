"""The keys that payloads are encrypted with: a file of them, of which the first one encrypts.

The file is a JWK Set (RFC 7517). Keys that encrypt are of `AEAD_AES_SIV_CMAC_512` (RFC 5297): its
ciphertext depends on nothing but key and plaintext, so that a replay which stores a payload again
stores the same. One key of `HS256` names what the server has to sort and find without reading it.
"""

import base64
import binascii
import datetime as dt
import hashlib
import hmac
import json
import re
import secrets
import stat
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from caveat import atomic
from caveat.problem import ExitCode, Problem
from caveat.workers.privacy import is_open_to_others
from caveat.workers.settings import SettingsProblem

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV

ENCRYPTS, NAMES = "AEAD_AES_SIV_CMAC_512", "HS256"
"""What a key is for, as its `alg` says: the names of IANA's registries."""

_ENCRYPTING_BYTES, _NAMING_BYTES = 64, 32
"""Of a key: two of AES-256, one for the tag and one for the text; as many as a SHA-256 has."""

_KID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")

_DIGITS = 16
"""Hexadecimal digits of a hidden word, 64 bits: no two words of a lifetime's topics share them."""

_WORDS = 100
"""Hidden words of a topic, the first ones: the server takes 2,048 bytes, and each has 17 and a
space."""

_WORD = re.compile(r"\w+")
_HIDDEN = re.compile(rf"h[0-9a-f]{{{_DIGITS}}}")


class KeysProblem(SettingsProblem):
    """The file of keys cannot be used."""


class MissingKey(Problem):
    """Something is encrypted with a key that this process does not have."""

    exit_code: ClassVar[ExitCode] = ExitCode.WRONG_INPUT

    def __init__(self, key: str, file: Path | None, run_id: str | None = None) -> None:
        what = "What is on the server" if run_id is None else f"The open run {run_id}"
        where = (
            "CAVEAT_KEYS_FILE is not set here: set it to the file that has this key"
            if file is None
            else f"{file} lacks it: add that key behind the first one"
        )
        self.key = key[:64]
        without = (
            ""
            if run_id is None
            else f" Without it, `temporal workflow terminate --workflow-id {run_id}` ends that run."
        )
        super().__init__(f"{what} is encrypted with the key {key[:64]!r}. {where}.{without}")


class Damaged(Exception):
    """Something was changed since it was encrypted, or encrypted with another key of that name."""


@dataclass(frozen=True)
class KeySet:
    """What a file of keys holds."""

    # by the key's id; the first encrypts
    ciphers: Mapping[str, "AESSIV"] = field(default_factory=dict, repr=False)
    naming: bytes = field(default=b"", repr=False)


@dataclass
class Keyring:
    """The keys of one process, read anew when their file changes; without one nothing is hidden."""

    file: Path | None = None
    _keys: KeySet = field(default_factory=KeySet, init=False, repr=False)
    _stamp: tuple[int, ...] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.file is not None:
            self._stamp = _stamp(self.file)
            self._keys = read(self.file)

    @property
    def encrypts(self) -> bool:
        """Whether anything is hidden at all."""
        return self.file is not None

    def has(self, key: str) -> bool:
        """Say whether what was encrypted with a key can be read."""
        return key in self._load_current().ciphers

    def seal(self, plain: bytes, about: bytes) -> tuple[str, bytes]:
        """Encrypt with the first key.

        Args:
            plain: at least one byte.
            about: what must be known to decrypt it again, and is no secret.
        """
        key, cipher = next(iter(self._load_current().ciphers.items()))
        return key, cipher.encrypt(plain, [about])

    def open(self, key: str, sealed: bytes, about: bytes) -> bytes:
        """Decrypt."""
        cipher = self._load_current().ciphers.get(key)
        if cipher is None:
            raise MissingKey(key, self.file)
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415  # of an extra

        try:
            return cipher.decrypt(sealed, [about])
        except (InvalidTag, ValueError):
            raise Damaged from None

    def hide_words(self, text: str) -> list[str]:
        """Return the words of a text as the server may know them: hidden ones, without an order."""
        found = _WORD.findall(text)
        if not self.encrypts:
            return found
        return sorted(dict.fromkeys(self.hide(word) for word in found[:_WORDS]))

    def hide_topic(self, topic: str) -> str:
        """Return a topic as the server's list may show it."""
        return (" ".join(self.hide_words(topic)) or self.hide(topic)) if self.encrypts else topic

    def hide(self, text: str) -> str:
        """Name a text so that only who has the keys can tell which it is; spelling apart."""
        plain = unicodedata.normalize("NFKC", text).casefold().encode("utf-8", "surrogatepass")
        return (
            "h" + hmac.new(self._load_current().naming, plain, hashlib.sha256).hexdigest()[:_DIGITS]
        )

    def _load_current(self) -> KeySet:
        if self.file is not None and (stamp := _stamp(self.file)) not in (self._stamp, None):
            try:
                self._keys = read(self.file)
            except KeysProblem:
                return self._keys  # it is being changed by hand: what was known is still true
            self._stamp = stamp
        return self._keys


def is_hidden(listed: str) -> bool:
    """Say whether a topic in the server's list is one that a keyring has hidden."""
    words = listed.split()
    return bool(words) and all(_HIDDEN.fullmatch(word) for word in words)


@cache
def open_keyring(file: Path | None) -> Keyring:
    """Return the keys of this process."""
    return Keyring(file)


def read(file: Path) -> KeySet:
    """Read a file of keys."""
    ciphers: dict[str, AESSIV] = {}
    naming = b""
    for each in read_entries(file):
        match each["alg"]:
            case "AEAD_AES_SIV_CMAC_512":
                ciphers[each["kid"]] = _create_cipher(
                    _decode_material(each, _ENCRYPTING_BYTES, file)
                )
            case _:
                naming = naming or _decode_material(each, _NAMING_BYTES, file)
    if not ciphers or not naming:
        raise KeysProblem(
            f"The file of keys {file} must have a key of {ENCRYPTS} and one of {NAMES}: "
            "`caveat keys new FILE` makes one that does."
        )
    return KeySet(ciphers, naming)


def read_entries(file: Path) -> list[dict[str, Any]]:
    """Return the keys of a file as they stand in it, those of other uses included."""
    _require_private(file)
    try:
        said = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise KeysProblem(
            f"The file of keys {file} cannot be read ({(error.strerror or 'unknown').lower()})."
        ) from None
    except ValueError:
        said = None
    found = said.get("keys") if isinstance(said, dict) else None
    if not isinstance(found, list) or not all(_is_key(each) for each in found):
        raise KeysProblem(
            f"{file} is no JWK Set of keys with `kty`, `kid`, `alg` ({ENCRYPTS} or {NAMES}) and "
            "`k`: `caveat keys new FILE` makes one."
        )
    names = [each["kid"] for each in found]
    if len(set(names)) < len(names):
        raise KeysProblem(f"Two keys in {file} have the same `kid`: name each differently.")
    return found


def create_key_file(file: Path) -> str:
    """Make a file of keys, and return the id of the key that encrypts."""
    first = _generate_key(ENCRYPTS, _ENCRYPTING_BYTES)
    content = _format_keys([first, _generate_key(NAMES, _NAMING_BYTES)])
    try:
        made = atomic.create(file, content)
    except OSError as error:
        raise KeysProblem(f"{file} cannot be written ({error.strerror}).") from None
    if not made:
        raise KeysProblem(
            f"{file} is there already, and whatever it encrypted would be lost without it: "
            "`caveat keys rotate` adds a key to it."
        )
    return str(first["kid"])


def rotate_key(file: Path) -> str:
    """Add a new key to a file, which encrypts from now on, and return its id."""
    read(file)
    with atomic.lock_path(file.parent):  # not the file itself, which is replaced
        added = _generate_key(ENCRYPTS, _ENCRYPTING_BYTES)
        _put(file, [added, *read_entries(file)])
    return str(added["kid"])


def _put(file: Path, keys: list[dict[str, Any]]) -> None:
    try:
        # Where a link names it, as in a mounted secret, what it leads to is replaced.
        atomic.write(file.resolve(), _format_keys(keys), stat.S_IMODE(file.stat().st_mode))
    except OSError as error:
        raise KeysProblem(f"{file} cannot be written ({error.strerror}).") from None


def _generate_key(alg: str, size: int) -> dict[str, Any]:
    material = secrets.token_bytes(size)
    # Of the key itself, so that two of one day differ and no two keys have one name.
    mark = hashlib.sha256(b"caveat key id" + material).hexdigest()[:8]
    return {
        "kty": "oct",
        "kid": f"{dt.datetime.now(dt.UTC):%Y-%m-%d}-{mark}",
        "use": "enc" if alg == ENCRYPTS else "sig",
        "alg": alg,
        "k": base64.urlsafe_b64encode(material).decode().rstrip("="),
    }


def _format_keys(keys: list[dict[str, Any]]) -> bytes:
    return json.dumps({"keys": keys}, indent=2).encode() + b"\n"


def _is_key(each: object) -> bool:
    return (
        isinstance(each, dict)
        and each.get("kty") == "oct"
        and each.get("alg") in (ENCRYPTS, NAMES)
        and isinstance(each.get("k"), str)
        and isinstance(each.get("kid"), str)
        and bool(_KID.fullmatch(each["kid"]))
    )


def _decode_material(each: Mapping[str, Any], size: int, file: Path) -> bytes:
    try:
        material = base64.urlsafe_b64decode(each["k"] + "=" * (-len(each["k"]) % 4))
    except (ValueError, binascii.Error):
        material = b""
    if len(material) != size:
        raise KeysProblem(
            f"The key {each['kid']} in {file} is not {size} bytes in base64url: restore it, or "
            "make a new one with `caveat keys rotate`."
        )
    return material


def _create_cipher(material: bytes) -> "AESSIV":
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESSIV  # noqa: PLC0415  # of an extra
    except ImportError:
        raise KeysProblem(
            "CAVEAT_KEYS_FILE needs the package cryptography: install Caveat with the extra "
            "`caveat[confidential]`."
        ) from None
    return AESSIV(material)


def _require_private(file: Path) -> None:
    try:
        is_open = is_open_to_others(file)
    except OSError as error:
        raise KeysProblem(
            f"The file of keys {file} cannot be read ({(error.strerror or 'unknown').lower()}): "
            "`caveat keys new FILE` makes one."
        ) from None
    if is_open:
        raise KeysProblem(f"The file of keys {file} is open to others: `chmod 600 {file}`.")


def _stamp(file: Path) -> tuple[int, ...] | None:
    try:
        found = file.stat()
    except OSError:  # it is being replaced, or was taken away: what was known is still true
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
