"""`caveat open`, and a run from `--detach` to `caveat delete`."""

import socket
from pathlib import Path

import pytest

from caveat.clients.cli.boundary import run_app
from caveat.problem import ExitCode
from caveat.workers.settings import Settings, load
from tests.fakes.home import IN_A_SECOND, TOPIC, Home


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses that a browser was given."""
    addresses: list[str] = []

    def open_address(address: str) -> bool:
        addresses.append(address)
        return True

    monkeypatch.setattr("webbrowser.open", open_address)
    return addresses


def test_a_browser_is_led_to_the_page_by_a_file_of_this_user_alone(
    no_server: Settings,
    opened: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert no_server
    with socket.create_server(("127.0.0.1", load().web_port)):
        assert run_app(["open"]) == ExitCode.DONE
    settings = load()
    token = settings.web_token.read_text(encoding="ascii").strip()
    (address,) = opened
    assert token not in address  # everybody on the machine sees how a browser was called
    way_in = Path(address.removeprefix("file://"))
    assert f"url={settings.web_address}/?token={token}" in way_in.read_text(encoding="utf-8")
    assert way_in.stat().st_mode & 0o077 == 0
    assert capsys.readouterr().out == f"{settings.web_address}/\n"


@pytest.mark.system
def test_a_second_page_on_one_port_ends_at_once_and_names_the_first(home: Home) -> None:
    with home.serving():
        second = home.caveat("up")
    assert second.returncode == ExitCode.OUT_OF_REACH
    assert "if another `caveat up` runs, `caveat open` opens its page" in second.stderr
    assert "Serving" not in second.stderr


@pytest.mark.system
def test_a_run_is_started_left_resumed_and_deleted(home: Home) -> None:
    with home.keeping_server():
        asked = ("research", TOPIC, "--corpus", "papers", *IN_A_SECOND, "--detach")
        started = home.json(*asked)
        run_id = started["run_id"]
        assert started["status"] == "running"
        goes_on = home.caveat("delete", run_id)
        assert (goes_on.returncode, "cancel it first" in goes_on.stderr) == (2, True)
        home.caveat("resume", run_id, "--wait")
        assert home.json("status", run_id)["status"] == "completed"
        removed = {"run_id": run_id, "deleted": True, "files_held": 0}
        assert home.json("delete", run_id) == removed
        assert home.json("runs") == []
    assert not (home.folder / "state" / "reports" / run_id).exists()
