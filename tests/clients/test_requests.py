"""What people type: requests, durations, rulings, files, folders, and the names of runs."""

import datetime as dt
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from caveat.clients.folders import require_writable
from caveat.clients.parsing import format_duration_option, parse_duration, parse_ruling
from caveat.clients.problems import BadInput
from caveat.clients.requests import (
    Options,
    build_request,
    create_run_id,
    slugify_topic,
    validate_request,
)
from caveat.contracts.contradiction import Ruling, RulingChoice
from caveat.contracts.plan import Budget, Depth, Format
from caveat.teams.catalogue import TeamCatalogue
from caveat.workers.settings import Settings


def refused(options: Options, *, corpus_is_here: bool = True) -> str:
    with pytest.raises(BadInput) as caught:
        build_request(options, teams=TeamCatalogue(), corpus_is_here=corpus_is_here)
    return str(caught.value)


def test_what_was_typed_becomes_a_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "note.md").write_text("Text.", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    options = Options("  why \n so?", ("papers",), "overview", "general", "json, MD,json", 7)
    request = build_request(options, teams=None, corpus_is_here=True)
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
    ({"topic": "\x01\u200b \x7f\u202e"}, EMPTY),
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
        request = build_request(Options("x", language=typed), teams=None, corpus_is_here=True)
        assert request.language == code
    assert "“klingon” is no language that can be written in: name one of ar (Arabic)" in refused(
        Options("x", language="Klingon")
    )


def test_a_language_needs_a_model_to_write_it(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="--language needs a language model"):
        validate_request(Options("x", language="de"), Settings(state_dir=tmp_path), is_here=True)


def test_a_mistake_in_a_team_is_told_before_a_run_starts(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("[quorum]\nminimum_share = 0.5\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"mine\.toml is wrong: quorum\.penalty is missing"):
        build_request(
            Options("x", team="mine"), teams=TeamCatalogue((tmp_path,)), corpus_is_here=True
        )


def test_a_corpus_that_is_missing_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "There is no folder" in refused(Options("x", (str(tmp_path / "none"),)))
    assert "is not a folder" in refused(Options("x", (str(tmp_path / "file"),)))
    assert "null" in refused(Options("x", ("a\0b",)))


def test_a_run_is_named_after_its_topic() -> None:
    named = {
        create_run_id("How fast is the universe expanding, and why do we disagree?")
        for _ in range(2)
    }
    assert len(named) == 2
    expected = r"research-how-fast-is-the-universe-expanding-and-[0-9a-f]{6}"
    assert all(re.fullmatch(expected, each) for each in named)


@given(st.text(max_size=300))
@example("宇宙の膨張")
def test_a_slug_is_short_and_safe_in_addresses_and_folders(topic: str) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slugify_topic(topic))
    assert len(slugify_topic(topic)) <= 40
    assert slugify_topic("Énergie électrique à Zürich") == "energie-electrique-a-zurich"


def test_every_bound_of_a_budget_can_be_typed() -> None:
    options = Options("why?", max_cost=2.5, max_calls=40, max_tokens=200_000, max_minutes=0.5)
    budget = build_request(options, teams=None, corpus_is_here=True).budget
    assert budget == Budget(cost_usd=2.5, model_calls=40, tokens=200_000, minutes=0.5)


@pytest.mark.parametrize(
    ("typed", "seconds"),
    [
        ("90s", 90),
        ("10m", 600),
        ("6h", 21_600),
        (" 1.5 H ", 5_400),
        ("1d", 86_400),
        ("720h", 2_592_000),
    ],
)
def test_a_duration(typed: str, seconds: float) -> None:
    span = dt.timedelta(seconds=seconds)
    assert parse_duration(typed, "--deadline") == span
    assert parse_duration(format_duration_option(span), "--deadline") == span


@pytest.mark.parametrize(
    "typed", ["", "10", "m", "1ſ", "ten minutes", "-1m", "1w", "1h30m", "١m", "1e3s"]
)
def test_anything_else_is_refused_with_an_example(typed: str) -> None:
    with pytest.raises(BadInput, match="for example 90s, 10m, 6h or 1d"):
        parse_duration(typed, "--deadline")


@pytest.mark.parametrize("typed", ["0s", "0.1s", "721h", "9" * 400 + "h"])
def test_a_duration_that_nobody_means(typed: str) -> None:
    with pytest.raises(BadInput, match="--deadline takes from 1s to 720h"):
        parse_duration(typed, "--deadline")


CHOICES = (
    "choose from a, b, both, neither; of more than two values letters such as a,c, all or none."
)


@pytest.mark.parametrize("choice", RulingChoice)
def test_what_is_typed_becomes_a_ruling(choice: RulingChoice) -> None:
    ruled = parse_ruling(choice.value, "  They differ\n in date. ", "Ada  Lovelace")
    assert ruled == Ruling(ruling=choice, reason="They differ in date.", decided_by="Ada Lovelace")


@pytest.mark.parametrize(
    ("choice", "reason", "decided_by", "sentence"),
    [
        ("maybe", "x", "Ada", "There is no ruling “maybe”: " + CHOICES),
        ("", "x", "Ada", "There is no ruling “”: " + CHOICES),
        ("a", "", "Ada", "A ruling needs a reason of 1 to 1,000 characters: say why."),
        ("a", " \n\t", "Ada", "A ruling needs a reason of 1 to 1,000 characters: say why."),
        ("a", "x" * 1_001, "Ada", "A ruling needs a reason of 1 to 1,000 characters: say why."),
        ("a", "x", " ", "A name of 1 to 200 characters says who rules."),
        ("a", "x", "y" * 201, "A name of 1 to 200 characters says who rules."),
        ("maybe", "", "", "There is no ruling “maybe”: " + CHOICES),
        ("a", "", "", "A ruling needs a reason of 1 to 1,000 characters: say why."),
    ],
)
def test_what_is_no_ruling_is_refused_in_one_sentence(
    choice: str, reason: str, decided_by: str, sentence: str
) -> None:
    with pytest.raises(BadInput) as refused:
        parse_ruling(choice, reason, decided_by)
    assert str(refused.value) == sentence


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.delenv("TEMPORAL_ADDRESS", raising=False)
    monkeypatch.setenv("TEMPORAL_CONFIG_FILE", str(tmp_path / "none.toml"))
    return Settings(state_dir=tmp_path / "state")


def document(path: Path, text: str = "Text.") -> str:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_files_are_searched_together_beside_folders(tmp_path: Path, settings: Settings) -> None:
    named = [document(tmp_path / "a" / "x.md", "One."), document(tmp_path / "b" / "x.md", "Two.")]
    document(tmp_path / "folder" / "y.md")
    request = validate_request(Options("Why?", corpus=(*named, str(tmp_path / "folder"))), settings)
    folder, gathered = map(Path, request.corpus)
    assert folder == tmp_path / "folder"
    assert gathered.is_relative_to(settings.uploads_folder)
    assert sorted(each.read_text() for each in gathered.iterdir()) == ["One.", "Two."]


def test_a_topic_that_is_refused_copies_nothing(tmp_path: Path, settings: Settings) -> None:
    with pytest.raises(BadInput, match="topic is empty"):
        validate_request(Options(" ", corpus=(document(tmp_path / "x.md"),)), settings)
    assert not settings.uploads_folder.exists()


def test_trying_a_folder_leaves_nothing_behind(tmp_path: Path) -> None:
    require_writable(tmp_path / "a" / "b")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match=r"Nothing can be written to .*--out"):
        require_writable(tmp_path / "file" / "out")
