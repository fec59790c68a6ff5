"""What people type: requests, durations, rulings, files, folders, and the names of runs."""

import datetime as dt
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from caveat.clients.options import OPTIONS, build_fields, name_flag
from caveat.clients.parsing import parse_interval, parse_ruling
from caveat.clients.requests import validate_request
from caveat.clients.run_description import create_run_id, slugify_topic
from caveat.contracts.contradiction import Ruling
from caveat.contracts.plan import Budget, Depth, Format
from caveat.problem import BadInput
from caveat.workers.settings import Settings
from tests.fakes.disputes import CHOICES


def refused(given: Mapping[str, Any], settings: Settings) -> str:
    with pytest.raises(BadInput) as caught:
        validate_request(build_fields({"topic": "x", **given}), settings, is_here=True)
    return str(caught.value)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "note.md").write_text("Text.", encoding="utf-8")
    return Settings(
        state_dir=tmp_path / "state", corpus=(tmp_path / "papers",), config_dir=tmp_path / "config"
    )


def test_what_was_typed_becomes_a_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    monkeypatch.chdir(tmp_path)
    typed = {
        "topic": "  why \n so?",
        "corpus": ["papers"],
        "depth": "overview",
        "formats": "json, MD,json",
        "max_cost": 2.5,
        "deadline": " 1.5 H ",
        "approve_plan": True,
        "team": None,
    }
    base = {"depth": "deep", "max_sources": 7, "budget": {"tokens": 10}}
    request = validate_request(build_fields(typed, base), settings, is_here=True)
    assert request.topic == "why so?"
    assert request.corpus == (str(tmp_path / "papers"),)
    assert request.depth is Depth.OVERVIEW
    assert request.formats == (Format.JSON, Format.MARKDOWN)
    assert request.max_sources == 7
    assert request.budget == Budget(cost_usd=2.5, tokens=10)
    assert request.deadline == dt.timedelta(minutes=90)
    assert request.approve_plan
    assert request.team == "general"


def test_every_field_that_people_set_is_an_option_of_every_face() -> None:
    assert set(OPTIONS) == {
        *("topic", "corpus", "depth", "team", "formats", "approve_plan", "max_cost", "deadline"),
        "language",
    }
    assert OPTIONS["depth"].choices == tuple(Depth)
    assert name_flag("formats.0") == "--format"
    assert name_flag("budget.tokens") == "budget.tokens"


EMPTY = "The topic is empty: ask a question, in quotation marks."
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"topic": ""}, EMPTY),
    ({"topic": " \n\t"}, EMPTY),
    ({"topic": "\x01\u200b \x7f\u202e"}, EMPTY),
    ({"topic": "x" * 2_001}, "2,001 characters"),
    ({"topic": "bytes \udcff"}, "UTF-8"),
    ({"depth": "bottomless"}, "--depth must be 'overview', 'deep' or 'exhaustive'."),
    ({"formats": "doc"}, "--format must be 'md', 'pdf', "),
    ({"formats": ""}, "--format must be 'md', 'pdf', "),
    ({"priority": "asap"}, "priority must be 'critical', 'high', 'normal' or 'low'."),
    ({"deadline": "soon"}, "--deadline must be a duration, for example 90s, 10m, 6h or 1d."),
    ({"deadline": "31d"}, "--deadline must be from 1s to 30d."),
    ({"team": "../general"}, "no team “../general”; choose one of: general, investment"),
    ({"max_cost": 0.0}, "--max-cost must be more than 0."),
    ({"max_cost": -1.0}, "--max-cost must be more than 0."),
    ({"max_cost": float("nan")}, "--max-cost must be a number."),
    ({"max_cost": float("inf")}, "--max-cost must be a number."),
    ({"max_cost": "much"}, "--max-cost must be a number."),
    ({"budget": {"tokens": 0}}, "budget.tokens must be 1 or more."),
    ({"budget": 7}, "budget must be an object."),
    ({"corpus": 7}, "--corpus takes names of folders or documents."),
    ({"colour": "red"}, "colour is not known: docs/temporal-cli.md lists the fields."),
    ({"language": "Klingon"}, "“klingon” is not a language of reports: name one of ar"),
    ({"language": "de"}, "--language needs a language model"),
]


@pytest.mark.parametrize(("given", "sentence"), WRONG)
def test_bad_requests_are_refused(given: dict[str, Any], sentence: str, settings: Settings) -> None:
    assert sentence in refused(given, settings)


@pytest.mark.parametrize(("typed", "code"), [("de", "de"), (" German ", "de"), (None, None)])
def test_a_language_is_named_by_its_code_or_in_english(
    typed: str | None, code: str | None, settings: Settings
) -> None:
    fields = build_fields({"topic": "x", "language": typed})
    assert validate_request(fields, settings, is_here=False).language == code


def test_a_mistake_in_a_team_is_told_before_a_run_starts(settings: Settings) -> None:
    settings.teams_dir.mkdir(parents=True)
    mine = settings.teams_dir / "mine.toml"
    mine.write_text("[quorum]\nminimum_share = 0.5\n", encoding="utf-8")
    said = refused({"team": "mine"}, settings)
    assert "mine.toml is wrong: quorum.penalty is missing" in said


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
    assert parse_interval(typed) == span


@pytest.mark.parametrize(
    "typed", ["", "10", "m", "1ſ", "ten minutes", "-1m", "1w", "1h30m", "١m", "1e3s"]
)
def test_anything_else_is_refused_with_an_example(typed: str) -> None:
    with pytest.raises(BadInput, match="must be a duration, for example 90s, 10m, 6h or 1d"):
        parse_interval(typed)


OFFERED = "choose from a|b|both|neither; of more than two values letters such as a,c, all or none."


@pytest.mark.parametrize("choice", CHOICES)
def test_what_is_typed_becomes_a_ruling(choice: str) -> None:
    ruled = parse_ruling(choice, "  They differ\n in date. ", "Ada  Lovelace")
    assert ruled == Ruling(ruling=choice, reason="They differ in date.", decided_by="Ada Lovelace")


@pytest.mark.parametrize(
    ("choice", "reason", "decided_by", "sentence"),
    [
        ("maybe", "x", "Ada", "There is no ruling “maybe”: " + OFFERED),
        ("", "x", "Ada", "There is no ruling “”: " + OFFERED),
        ("a", "", "Ada", "A ruling needs a reason of 1 to 1,000 characters: say why."),
        ("a", " \n\t", "Ada", "A ruling needs a reason of 1 to 1,000 characters: say why."),
        ("a", "x" * 1_001, "Ada", "A ruling needs a reason of 1 to 1,000 characters: say why."),
        ("a", "x", " ", "A name of 1 to 200 characters says who rules."),
    ],
)
def test_bad_rulings_are_refused(choice: str, reason: str, decided_by: str, sentence: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse_ruling(choice, reason, decided_by)
    assert str(refused.value) == sentence


def document(path: Path, text: str = "Text.") -> str:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_files_are_searched_together_beside_folders(tmp_path: Path, settings: Settings) -> None:
    named = [document(tmp_path / "a" / "x.md", "One."), document(tmp_path / "b" / "x.md", "Two.")]
    document(tmp_path / "folder" / "y.md")
    request = validate_request(
        {"topic": "Why?", "corpus": [*named, str(tmp_path / "folder")]}, settings, is_here=True
    )
    folder, gathered = map(Path, request.corpus)
    assert folder == tmp_path / "folder"
    assert gathered.is_relative_to(settings.uploads_folder)
    assert sorted(each.read_text() for each in gathered.iterdir()) == ["One.", "Two."]


def test_a_topic_that_is_refused_copies_nothing(tmp_path: Path, settings: Settings) -> None:
    with pytest.raises(BadInput, match="topic is empty"):
        validate_request(
            {"topic": " ", "corpus": [document(tmp_path / "x.md")]}, settings, is_here=True
        )
    assert not settings.uploads_folder.exists()
