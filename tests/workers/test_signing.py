"""What is kept is its user's alone."""

import errno
import os
import stat
from pathlib import Path

import pytest

from caveat.clients.web.access import build_gate
from caveat.problem import OutOfReach
from caveat.workers.settings import Settings, SettingsProblem
from caveat.workers.signing import load_signer, make_private_folder


def test_a_folder_is_made_for_this_user_alone(settings: Settings) -> None:
    before = os.umask(0)
    try:
        make_private_folder(settings.state_dir)
    finally:
        os.umask(before)
    assert stat.S_IMODE(settings.state_dir.stat().st_mode) == 0o700


def read_signing_key(settings: Settings) -> bytes:
    return load_signer(settings).key


def read_page_token(settings: Settings) -> bytes:
    return build_gate(settings).token.encode()


SECRETS = {"signing_key": read_signing_key, "web_token": read_page_token}


def place(settings: Settings, name: str) -> Path:
    path: Path = getattr(settings, name)
    return path


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_made_once_and_for_this_user_alone(name: str, settings: Settings) -> None:
    first = SECRETS[name](settings)
    assert len(first) >= 32
    assert SECRETS[name](settings) == first
    assert stat.S_IMODE(place(settings, name).stat().st_mode) == 0o600


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("content", [b"", b"\n", b"a" * 100, b"short", bytes(64), b" \n" * 40])
def test_a_file_without_secret_is_named(name: str, content: bytes, settings: Settings) -> None:
    file = place(settings, name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    with pytest.raises(SettingsProblem, match="delete it, and a new one is made") as refused:
        SECRETS[name](settings)
    assert str(file) in str(refused.value)
    file.unlink()
    assert SECRETS[name](settings)


@pytest.mark.parametrize("name", SECRETS)
def test_a_full_disk_leaves_no_half_of_a_secret(
    name: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_space(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(os, "fsync", no_space)
        with pytest.raises(OutOfReach, match="No space left"):
            SECRETS[name](settings)
    assert not place(settings, name).exists()
    assert SECRETS[name](settings)
