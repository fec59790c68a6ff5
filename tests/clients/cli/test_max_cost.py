"""`caveat research --max-cost` and `--estimate`, up to where a server is needed."""

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from caveat.clients.cli import order
from caveat.clients.cli.boundary import run_app
from caveat.clients.cli.order import RunOrder
from caveat.contracts.plan import Depth
from caveat.problem import ExitCode
from caveat.workers.settings import Settings

RESEARCH = ["research", "why?", "--corpus", "papers"]


@pytest.fixture(autouse=True)
def _own_folders(no_server: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert no_server
    for name in ("ANTHROPIC_BASE_URL", "CAVEAT_MODELS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key")
    (tmp_path / "papers").mkdir()
    for number in range(40):  # as many as a deep run reads
        (tmp_path / "papers" / f"{number}.md").write_text("Why? Because.", encoding="utf-8")


@pytest.fixture
def orders(monkeypatch: pytest.MonkeyPatch) -> list[RunOrder]:
    started: list[RunOrder] = []

    def carry_out(settled: Any, *_: object, **__: object) -> int:
        started.append(asyncio.run(settled(SimpleNamespace())))
        return ExitCode.DONE

    monkeypatch.setattr(order, "carry_out", carry_out)
    return started


def test_bounds_are_run_budgets(orders: list[RunOrder], capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app([*RESEARCH, "--max-cost", "0.90"]) == ExitCode.DONE
    (order,) = orders
    assert (order.request.depth, order.request.budget.cost_usd) == (Depth.DEEP, 0.9)
    said = capsys.readouterr().err
    assert said.startswith("Expected of a deep run")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("models", "bound", "sentence"),
    [("mine", "100", "The price of mine is not known"), ("", "nan", "--max-cost must be a number")],
)
def test_what_cannot_be_kept_is_refused_before_anything_starts(
    models: str, bound: str, sentence: str, orders: list[RunOrder],
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("CAVEAT_MODELS", models)
    assert run_app([*RESEARCH, "--max-cost", bound]) == ExitCode.WRONG_INPUT
    said = capsys.readouterr()
    assert sentence in said.err
    assert (said.err.count("\n"), said.out, orders) == (1, "", [])
    assert not Path("state").exists()


def test_an_estimate_starts_nothing(
    orders: list[RunOrder], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run_app([*RESEARCH, "--estimate"]) == ExitCode.DONE
    assert capsys.readouterr().out.startswith("Expected of a deep run")
    assert run_app([*RESEARCH, "--estimate", "--json"]) == ExitCode.DONE
    said = json.loads(capsys.readouterr().out)
    assert (said["depth"], len(said["cost_usd"])) == ("deep", 2)
    assert orders == []
    assert not (tmp_path / "state").exists()
