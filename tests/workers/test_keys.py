"""The file of keys: made, rotated, read anew, and refused by name; and what it hides."""

import json
import sys
from pathlib import Path

import pytest

from caveat.workers import keys, privacy
from caveat.workers.keys import Damaged, Keyring, KeysProblem, MissingKey, is_hidden

ABOUT = b"test"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "keys.json"
    keys.create_key_file(made)
    return made


def test_a_new_file_is_private_and_never_replaced(file: Path) -> None:
    assert file.stat().st_mode & 0o777 == 0o600
    before = file.read_bytes()
    with pytest.raises(KeysProblem, match="is there already"):
        keys.create_key_file(file)
    assert file.read_bytes() == before


def test_the_same_text_is_encrypted_to_the_same(file: Path) -> None:
    ring = Keyring(file)
    assert (
        ring.seal(b"said", ABOUT) == ring.seal(b"said", ABOUT) == Keyring(file).seal(b"said", ABOUT)
    )
    key, sealed = ring.seal(b"said", ABOUT)
    assert b"said" not in sealed
    assert ring.open(key, sealed, ABOUT) == b"said"


def test_what_was_changed_is_refused(file: Path) -> None:
    ring = Keyring(file)
    key, sealed = ring.seal(b"said", ABOUT)
    for place in range(len(sealed)):
        changed = bytes(byte ^ (place == at) for at, byte in enumerate(sealed))
        with pytest.raises(Damaged):
            ring.open(key, changed, ABOUT)
    for short in (b"", sealed[:5]):
        with pytest.raises(Damaged):
            ring.open(key, short, ABOUT)
    with pytest.raises(Damaged):
        ring.open(key, sealed, b"another use")


def test_a_rotated_key_encrypts_and_the_old_one_still_decrypts(file: Path) -> None:
    ring = Keyring(file)
    first, sealed = ring.seal(b"said", ABOUT)
    hidden = ring.hide_topic("Hubble constant")
    second = keys.rotate_key(file)
    assert ring.seal(b"said", ABOUT)[0] == second != first
    assert ring.open(first, sealed, ABOUT) == b"said"
    assert ring.hide_topic("constant Hubble hubble") == hidden
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_key_that_is_missing_is_named_with_what_to_do(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    keys.create_key_file(other)
    key, sealed = Keyring(other).seal(b"said", ABOUT)
    with pytest.raises(MissingKey, match=rf"'{key}'. {file} lacks it: add that key"):
        Keyring(file).open(key, sealed, ABOUT)
    with pytest.raises(MissingKey, match=rf"'{key}'. CAVEAT_KEYS_FILE is not set here"):
        Keyring().open(key, sealed, ABOUT)


def test_a_file_that_is_being_written_leaves_the_keys_as_they_were(file: Path) -> None:
    ring = Keyring(file)
    key, sealed = ring.seal(b"said", ABOUT)
    whole = file.read_text()
    for broken in (whole[:40], "", "{}"):
        file.write_text(broken)
        assert ring.open(key, sealed, ABOUT) == b"said"
    file.unlink()
    assert ring.seal(b"said", ABOUT) == (key, sealed)


def test_without_the_extra_it_is_asked_for_and_ciphertext_is_named_all_the_same(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [each for each in sys.modules if each.partition(".")[0] == "cryptography"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(KeysProblem, match=r"caveat\[confidential\]"):
        Keyring(file)
    with pytest.raises(MissingKey, match="'2026-11-23-1'"):
        Keyring().open("2026-11-23-1", b"sealed", ABOUT)


def _changed(file: Path, **fields: object) -> None:
    said = json.loads(file.read_text())
    said["keys"][0] |= fields
    file.write_text(json.dumps(said))


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"k": "c2hvcnQ"}, "is not 64 bytes"),
        ({"k": "ä"}, "is not 64 bytes"),
        ({"alg": "A256GCM"}, "is no JWK Set"),
        ({"kid": "a b"}, "is no JWK Set"),
        ({"kty": "RSA"}, "is no JWK Set"),
        ({"alg": "HS256"}, "is not 32 bytes"),
    ],
)
def test_a_file_that_is_none_is_refused_without_showing_a_key(
    file: Path, fields: dict[str, str], why: str
) -> None:
    secrets = [each["k"] for each in json.loads(file.read_text())["keys"]]
    _changed(file, **fields)
    with pytest.raises(KeysProblem, match=why) as refused:
        Keyring(file)
    assert not any(secret in str(refused.value) for secret in secrets)


@pytest.mark.parametrize("mode", [0o644, 0o604, 0o660])
def test_a_file_that_others_can_read_is_refused(file: Path, mode: int) -> None:
    file.chmod(mode)
    with pytest.raises(KeysProblem, match="chmod 600"):
        Keyring(file)


def test_a_secret_that_compose_mounts_is_readable_and_never_writable_for_others(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(privacy, "MOUNTED", file.parent)
    file.chmod(0o444)
    assert Keyring(file).encrypts
    file.chmod(0o666)
    with pytest.raises(KeysProblem, match="chmod 600"):
        Keyring(file)


def test_a_hidden_topic_says_neither_words_nor_their_order(file: Path, tmp_path: Path) -> None:
    ring = Keyring(file)
    assert ring.hide_topic("The Hubble constant") == ring.hide_topic("constant the hubble")
    assert is_hidden(ring.hide_topic("The Hubble constant"))
    assert not is_hidden("The Hubble constant")
    assert not is_hidden("")
    # As a search for one of the words asks for it, and nobody without the key can.
    assert ring.hide_words("HUBBLE")[0] in ring.hide_topic("The Hubble constant").split()
    other = tmp_path / "other.json"
    keys.create_key_file(other)
    assert Keyring(other).hide_words("hubble") != ring.hide_words("hubble")
    assert is_hidden(ring.hide_topic("???"))
    assert len(ring.hide_topic(" ".join(f"word{n}" for n in range(1_000))).encode()) <= 2_048
