"""Requests as people type them, and the names of their runs."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from caveat.clients.problems import BadInput
from caveat.clients.requests import Options, new_run_id, request_of, requested, slug
from caveat.contracts.plan import Budget, Depth, Format
from caveat.teams.catalogue import TeamCatalogue
from caveat.workers.keys import Keyring
from caveat.workers.settings import Settings


def refused(options: Options, *, corpus_is_here: bool = True) -> str:
    with pytest.raises(BadInput) as caught:
        request_of(options, teams=TeamCatalogue(), corpus_is_here=corpus_is_here)
    return str(caught.value)


def test_what_was_typed_becomes_a_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "note.md").write_text("Text.", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    options = Options("  why \n so?", ("papers",), "overview", "general", "json, MD,json", 7)
    request = request_of(options, teams=None, corpus_is_here=True)
    assert request.topic == "why so?"
    assert request.corpus == (str(tmp_path / "papers"),)
    assert request.depth is Depth.OVERVIEW
    assert request.formats == (Format.JSON, Format.MARKDOWN)
    assert request.max_sources == 7


EMPTY = "The topic is empty: ask a question, in quotation marks."
DOLLARS = "--max-cost takes US dollars above 0, for example 2.50."
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"topic": ""}, EMPTY),
    ({"topic": " \n\t"}, EMPTY),
    ({"topic": "x" * 2_001}, "2,001 characters"),
    ({"topic": "bytes \udcff"}, "UTF-8"),
    ({"depth": "bottomless"}, "no depth “bottomless”: choose from overview, deep, exhaustive."),
    ({"priority": "asap"}, "no priority “asap”: choose from critical, high, normal, low."),
    ({"deadline": "soon"}, "“soon” is not a duration for --deadline"),
    ({"team": "../general"}, "no team “../general”; choose one of: general, investment."),
    ({"max_cost": 0.0}, DOLLARS),
    ({"max_cost": -1.0}, DOLLARS),
    ({"max_cost": float("nan")}, DOLLARS),
    ({"max_cost": float("inf")}, DOLLARS),
    ({"max_calls": 0}, "--max-calls takes "),
    ({"max_tokens": -1}, "--max-tokens takes "),
    ({"max_minutes": 0.0}, "--max-minutes takes "),
    ({"max_minutes": float("nan")}, "--max-minutes takes "),
]


@pytest.mark.parametrize(("given", "sentence"), WRONG)
def test_what_cannot_be_asked_is_refused(given: dict[str, Any], sentence: str) -> None:
    assert sentence in refused(Options(**{"topic": "x", **given}))


def test_a_language_is_named_by_its_code_or_in_english() -> None:
    for typed, code in (("de", "de"), (" German ", "de"), ("", None), (None, None)):
        request = request_of(Options("x", language=typed), teams=None, corpus_is_here=True)
        assert request.language == code
    assert "“klingon” is no language that can be written in: name one of ar (Arabic)" in refused(
        Options("x", language="Klingon")
    )


def test_a_language_needs_a_model_to_write_it(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--language needs a language model"):
        requested(Options("x", language="de"), Settings(state_dir=tmp_path), is_here=True)


def test_a_mistake_in_a_team_is_told_before_a_run_starts(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("[quorum]\nminimum_share = 0.5\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"mine\.toml is wrong: quorum\.penalty is missing"):
        request_of(Options("x", team="mine"), teams=TeamCatalogue((tmp_path,)), corpus_is_here=True)


def test_a_corpus_that_is_missing_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "There is no folder" in refused(Options("x", (str(tmp_path / "none"),)))
    assert "is not a folder" in refused(Options("x", (str(tmp_path / "file"),)))
    assert "null" in refused(Options("x", ("a\0b",)))


def test_a_corpus_on_another_machine_is_that_machine_s_to_check() -> None:
    elsewhere = request_of(Options("x", ("/srv/none/..papers",)), teams=None, corpus_is_here=False)
    assert elsewhere.corpus == ("/srv/none/..papers",)
    assert "There is no folder" in refused(Options("x", ("srv/none",)), corpus_is_here=False)


def test_a_run_is_named_after_its_topic() -> None:
    named = {
        new_run_id("How fast is the universe expanding, and why do we disagree?", Keyring())
        for _ in range(2)
    }
    assert len(named) == 2
    expected = r"research-how-fast-is-the-universe-expanding-and-[0-9a-f]{6}"
    assert all(re.fullmatch(expected, each) for each in named)


@given(st.text(max_size=300))
@example("宇宙の膨張")
def test_a_slug_is_short_and_safe_in_addresses_and_folders(topic: str) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug(topic))
    assert len(slug(topic)) <= 40
    assert slug("Énergie électrique à Zürich") == "energie-electrique-a-zurich"


def test_every_bound_of_a_budget_can_be_typed() -> None:
    options = Options("why?", max_cost=2.5, max_calls=40, max_tokens=200_000, max_minutes=0.5)
    budget = request_of(options, teams=None, corpus_is_here=True).budget
    assert budget == Budget(cost_usd=2.5, model_calls=40, tokens=200_000, minutes=0.5)
