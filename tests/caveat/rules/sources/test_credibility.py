import datetime as dt

import pytest

from caveat.contracts.source import SourceRef
from caveat.rules.sources.credibility import (
    BAR,
    LOWERED_BAR,
    compute_checked_score,
    score_credibility,
    select_bar,
)

TODAY = dt.date(2026, 1, 1)


def source(**changes: object) -> SourceRef:
    return SourceRef.model_validate({"id": "s-1", "title": "t", **changes})


@pytest.mark.parametrize(
    ("changes", "score"),
    [
        ({}, 0.35),
        ({"kind": "peer-reviewed", "url": "https://doi.org/10.1/x"}, 0.70),
        ({"kind": "peer-reviewed", "published": "2024-01-01"}, 0.65),
        ({"kind": "peer-reviewed", "published": "2019-01-01"}, 0.60),
        ({"kind": "peer-reviewed", "published": "1999-01-01"}, 0.55),
        ({"kind": "preprint", "citations": 10}, 0.45),
        ({"kind": "preprint", "citations": 100}, 0.50),
        ({"kind": "preprint", "citations": 9}, 0.40),
        ({"kind": "blog", "url": "https://someone.medium.com/x"}, 0.15),
        ({"kind": "report", "url": "https://www.census.gov/x"}, 0.60),
        ({"kind": "report", "url": "https://gov.example.com/x"}, 0.45),
        ({"kind": "report", "url": "https://notdoi.org/x"}, 0.45),
        ({"kind": "report", "url": "https://[broken"}, 0.45),
        ({"kind": "report", "url": "https://www.census.gov:port/x"}, 0.45),
        *(  # publishers that answer for what they publish
            ({"url": f"https://{host}/x"}, 0.5)
            for host in ("www.data.go.jp", "www.legislation.gov.au", "www.ptb.de", "www.who.int")
        ),
        *(  # anybody may register the last
            ({"url": f"https://{host}/x"}, 0.35)
            for host in ("gov.example.org", "notgov.au", "anything.edu.pl")
        ),
        ({"kind": "documentation", "corpus": "/notes"}, 0.6),
        ({"kind": "forum", "corpus": "/notes"}, 0.25),
        ({"kind": "advertising", "url": "https://x.com/a"}, 0.0),
    ],
)
def test_visible_factors_add_up(changes: dict[str, object], score: float) -> None:
    assert score_credibility(source(**changes), TODAY).score == score


LIES = {
    "kind": "peer-reviewed", "url": "https://doi.org/10.1/x", "published": "2025-06-01",
    "citations": 5_000,
}  # fmt: skip
"""Three lines in the head of a saved page."""


def test_what_a_document_says_for_itself_is_shown_as_that() -> None:
    told = score_credibility(source(**LIES, corpus="/notes", path="a.html"), TODAY)
    assert told.score == 1.0
    assert [factor.self_stated for factor in told.factors] == [True, True, True, True, False]
    assert not any(
        factor.self_stated for factor in score_credibility(source(**LIES), TODAY).factors
    )


def test_a_kind_that_a_person_vouches_for_counts() -> None:
    vouched = source(kind="peer-reviewed", kind_by="person", corpus="/notes", path="a.html")
    told = score_credibility(vouched, TODAY)
    assert [factor.self_stated for factor in told.factors] == [False, False, False]
    assert "vouched for by the person who gives the folder" in told.factors[-1].reason
    assert compute_checked_score(vouched, told.score) == told.score == 0.65


@pytest.mark.parametrize(
    ("changes", "counted"),
    [
        (LIES, 0.45),
        ({}, 0.45),
        ({"kind": "blog"}, 0.35),
        ({"kind": "advertising", "url": "https://x.com/a"}, 0.05),
    ],
)
def test_self_praise_overrules_nobody(changes: dict[str, object], counted: float) -> None:
    saved = source(**changes, corpus="/notes", path="a.html")
    assert compute_checked_score(saved, score_credibility(saved, TODAY).score) == counted
    found = source(**changes)
    score = score_credibility(found, TODAY).score
    assert compute_checked_score(found, score) == score


def test_a_plain_file_of_the_persons_own_passes_the_bar() -> None:
    assert score_credibility(source(corpus="/notes", path="a.txt"), TODAY).score >= BAR


def test_the_bar_falls_under_ten_sources() -> None:
    assert (select_bar(9), select_bar(10)) == (LOWERED_BAR, BAR) == (0.2, 0.3)
