import datetime as dt

import pytest

from caveat.contracts.source import DocumentFacts, Landmark, Snapshot, SourceRef

SNAPSHOT = Snapshot(
    text="x" * 100,
    landmarks=(Landmark(offset=10, label="p. 1"), Landmark(offset=50, label="p. 2")),
)


@pytest.mark.parametrize(
    ("offset", "label"),
    [(0, None), (9, None), (10, "p. 1"), (49, "p. 1"), (50, "p. 2"), (99, "p. 2")],
)
def test_an_offset_lies_under_the_landmark_before_it(offset: int, label: str | None) -> None:
    assert SNAPSHOT.location(offset) == label


def test_a_text_without_landmarks_has_no_locations() -> None:
    assert Snapshot(text="x").location(0) is None


@pytest.mark.parametrize(
    ("known", "day", "authors"),
    [
        ({"corpus": "/notes"}, "2022-06-30", ("J. Harms",)),  # code has but guessed
        ({"corpus": "/notes", "vouched": True}, "2022-06-01", ("Juni",)),
        ({}, "2022-06-01", ("Juni",)),  # an index said so
    ],
)
def test_a_reader_corrects_what_code_guessed_and_nobody_else(
    known: dict[str, object], day: str, authors: tuple[str, ...]
) -> None:
    guessed = SourceRef.model_validate(
        {"id": "s-1", "title": "Heft 3", "published": "2022-06-01", "authors": ["Juni"], **known}
    )
    facts = DocumentFacts(author="J. Harms", published=dt.date(2022, 6, 30))
    told = facts.told_of(guessed)
    assert (str(told.published), told.authors) == (day, authors)
