import datetime as dt
from pathlib import Path

import pytest

from caveat.contracts.plan import Depth, Format
from caveat.teams.catalogue import TeamCatalogue
from clients.problems import BadInput
from clients.requests import Wish, formats_of, request_of


def refused(wish: Wish, *, corpus_is_here: bool = True) -> str:
    with pytest.raises(BadInput) as caught:
        request_of(wish, teams=TeamCatalogue(), corpus_is_here=corpus_is_here)
    return str(caught.value)


def test_what_was_typed_becomes_a_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "papers").mkdir()
    monkeypatch.chdir(tmp_path)
    wish = Wish("  why \n so?", ("papers",), "overview", "general", "json, MD,json", 7)
    request = request_of(wish, teams=None, corpus_is_here=True)
    assert request.topic == "why so?"
    assert request.corpus == (str(tmp_path / "papers"),)
    assert request.depth is Depth.OVERVIEW
    assert request.formats == (Format.JSON, Format.MARKDOWN)
    assert request.max_sources == 7


def test_the_wish_that_nobody_changed_is_valid() -> None:
    request_of(Wish("why?"), teams=TeamCatalogue(), corpus_is_here=True)


@pytest.mark.parametrize("topic", ["", "   ", "\n\t"])
def test_an_empty_topic(topic: str) -> None:
    assert refused(Wish(topic)) == "The topic is empty: ask a question, in quotation marks."


def test_an_enormous_topic() -> None:
    assert "2,001 characters" in refused(Wish("x" * 2_001))
    request_of(Wish("x" * 2_000), teams=None, corpus_is_here=True)


def test_a_topic_that_is_not_text() -> None:
    assert "UTF-8" in refused(Wish("bytes \udcff"))


@pytest.mark.parametrize("formats", ["docx", "md,docx", "md,pdf;json"])
def test_an_unknown_format(formats: str) -> None:
    with pytest.raises(BadInput, match="choose from md, pdf, json"):
        formats_of(formats)


def test_no_format() -> None:
    with pytest.raises(BadInput, match="No format was named"):
        formats_of(" , ")


def test_an_unknown_depth() -> None:
    assert refused(Wish("x", depth="bottomless")) == (
        "There is no depth “bottomless”: choose from overview, deep, exhaustive."
    )


def test_a_deadline_and_what_must_not_be_missing() -> None:
    wish = Wish("x", critical=("Valuation", "News"), deadline="10m")
    request = request_of(wish, teams=None, corpus_is_here=True)
    assert request.deadline == dt.timedelta(minutes=10)
    assert request.critical == ("Valuation", "News")


def test_what_a_run_may_spend() -> None:
    spending = request_of(Wish("x", max_cost=2.5), teams=None, corpus_is_here=True)
    assert spending.budget.cost_usd == 2.5
    assert request_of(Wish("x"), teams=None, corpus_is_here=True).budget.cost_usd is None


@pytest.mark.parametrize("max_cost", [0.0, -1.0, float("nan"), float("inf")])
def test_what_no_run_can_spend(max_cost: float) -> None:
    said = refused(Wish("x", max_cost=max_cost))
    assert said == "--max-cost takes US dollars above 0, for example 2.50."


def test_a_deadline_that_is_none() -> None:
    assert "“soon” is not a duration for --deadline" in refused(Wish("x", deadline="soon"))


def test_an_unknown_team_is_told_with_those_that_there_are() -> None:
    said = refused(Wish("x", team="../general"))
    assert said == "There is no team “../general”; choose one of: general, investment."


def test_a_mistake_in_a_team_is_told_before_a_run_starts(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("[quorum]\nminimum_share = 0.5\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"mine\.toml is wrong: quorum\.penalty is missing"):
        request_of(Wish("x", team="mine"), teams=TeamCatalogue((tmp_path,)), corpus_is_here=True)


def test_a_team_of_another_machine_is_that_machine_s_to_check() -> None:
    assert request_of(Wish("x", team="theirs"), teams=None, corpus_is_here=False).team == "theirs"


def test_a_corpus_that_is_missing_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "There is no folder" in refused(Wish("x", (str(tmp_path / "none"),)))
    assert "is not a folder" in refused(Wish("x", (str(tmp_path / "file"),)))
    assert "null" in refused(Wish("x", ("a\0b",)))


def test_a_corpus_on_another_machine_is_that_machine_s_to_check() -> None:
    elsewhere = request_of(Wish("x", ("/srv/none/..papers",)), teams=None, corpus_is_here=False)
    assert elsewhere.corpus == ("/srv/none/..papers",)
    assert "There is no folder" in refused(Wish("x", ("srv/none",)), corpus_is_here=False)
