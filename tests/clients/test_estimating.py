"""What people are told a run will cost."""

from pathlib import Path

import pytest

from caveat.clients.requests import Forecast, build_forecast
from caveat.contracts.plan import ResearchRequest
from caveat.workers.settings import Settings

DEEP = ResearchRequest(topic="why?", corpus=("/papers",))


@pytest.fixture(autouse=True)
def _no_key_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY_FILE", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    for name in ("CAVEAT_MODELS", "CAVEAT_CONFIG_DIR", "CAVEAT_SEARCH", "CAVEAT_REASONER"):
        monkeypatch.delenv(name, raising=False)


def expected(
    monkeypatch: pytest.MonkeyPatch, request: ResearchRequest = DEEP, **variables: str
) -> Forecast:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return build_forecast(request, Settings())


def test_without_a_key_a_run_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = expected(monkeypatch)
    assert nothing.describe() == "No language model is called: the run costs nothing."
    assert nothing.build_facts() == {
        "depth": "deep",
        "sources": 40,
        "model_calls": [0, 0],
        "tokens": [0, 0],
        "cost_usd": [0, 0],
    }


def test_with_a_key_it_costs_what_the_table_says(monkeypatch: pytest.MonkeyPatch) -> None:
    run = expected(monkeypatch, ANTHROPIC_API_KEY="a-key")
    cost = run.estimate.cost_usd
    assert cost is not None
    assert (round(cost.low, 2), round(cost.high, 2)) == (0.30, 2.87)  # docs/claude.md
    assert run.describe() == (
        "Expected of a deep run of at most 40 sources: 34 to 92 calls to language models, "
        f"87,000 to 980,000 tokens, ${cost.low:.2f} to ${cost.high:.2f}."
    )


def test_no_more_is_expected_than_there_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("a.md", "b.md", "c.md"):
        (tmp_path / name).touch()
    few = DEEP.model_copy(update={"corpus": (str(tmp_path),)})
    assert "of at most 3 sources: " in expected(monkeypatch, few, ANTHROPIC_API_KEY="k").describe()
    web = expected(monkeypatch, few, ANTHROPIC_API_KEY="k", CAVEAT_SEARCH="corpus,arxiv")
    assert "of at most 40 sources: " in web.describe()


def test_what_has_no_price_is_not_taken_to_cost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    run = expected(monkeypatch, ANTHROPIC_API_KEY="a-key", CAVEAT_MODELS="analysis=mine")
    assert run.build_facts()["cost_usd"] is None
    assert run.describe().endswith("at a cost that is not known, as mine has no price.")
