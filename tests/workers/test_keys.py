"""The key of a process: from the environment or a file, and what it encrypts."""

from pathlib import Path

import pytest

from caveat.workers.codec import MissingKey, load_encryption_key, parse_encryption_key
from caveat.workers.settings import Settings, SettingsProblem
from tests.fakes.encryption import a_key, key_text, write_key


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_key(tmp_path / "key")


def test_the_same_text_is_encrypted_to_the_same() -> None:
    sealed = a_key().seal(b"said")
    assert sealed == a_key().seal(b"said")
    assert b"said" not in sealed
    assert a_key().open(sealed) == b"said"
    assert sealed != a_key(1).seal(b"said")
    assert a_key().id != a_key(1).id


def test_what_was_changed_is_refused() -> None:
    sealed = a_key().seal(b"said")
    for forged in (sealed[:-1] + b"\0", b""):
        assert a_key().open(forged) is None


def test_a_key_comes_from_environment_or_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_encryption_key(Settings()) is None
    monkeypatch.setenv("CAVEAT_ENCRYPTION_KEY_FILE", str(file))
    read = load_encryption_key(Settings())
    monkeypatch.delenv("CAVEAT_ENCRYPTION_KEY_FILE")
    monkeypatch.setenv("CAVEAT_ENCRYPTION_KEY", key_text())
    given = load_encryption_key(Settings())
    assert read is not None
    assert given is not None
    assert read.id == given.id == a_key().id
    assert key_text() not in repr(Settings())
    assert repr(given) == f"EncryptionKey(id='{a_key().id}')"


@pytest.mark.parametrize("text", ["", "short", key_text()[:-4], "ü" * 88, key_text() * 2])
def test_what_is_no_key_is_refused_without_showing_it(text: str) -> None:
    with pytest.raises(SettingsProblem, match="64 bytes in base64") as refused:
        parse_encryption_key(text)
    assert not text or text not in str(refused.value)


def test_a_key_that_is_missing_is_named_with_what_to_do() -> None:
    assert str(MissingKey("1a2b3c4d")) == (
        "What is on the server is encrypted with the key '1a2b3c4d': set CAVEAT_ENCRYPTION_KEY or "
        "CAVEAT_ENCRYPTION_KEY_FILE to that key."
    )
    assert "terminate --workflow-id research-x" in str(MissingKey("1a2b3c4d", "research-x"))
