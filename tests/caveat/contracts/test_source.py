import datetime as dt

import pytest

from caveat.contracts.source import DocumentFacts, Landmark, Precision, Snapshot, SourceRef

SNAPSHOT = Snapshot(
    text="x" * 100, landmarks=(Landmark(offset=10, label="p. 1"), Landmark(offset=50, label="p. 2"))
)


@pytest.mark.parametrize(
    ("offset", "label"), [(0, None), (9, None), (10, "p. 1"), (49, "p. 1"), (99, "p. 2")]
)
def test_an_offset_lies_under_the_landmark_before_it(offset: int, label: str | None) -> None:
    assert SNAPSHOT.find_location(offset) == label


def test_a_text_without_landmarks_has_no_locations() -> None:
    assert Snapshot(text="x").find_location(0) is None


@pytest.mark.parametrize(
    ("known", "day"),
    [
        ({"published": "2022-06-01", "precision": "month"}, "2022-06-30"),
        ({"published": "2022-06-01"}, "2022-06-01"),
        ({}, "2022-06-30"),
        ({"published": "2022-06-01", "corpus": "/notes"}, "2022-06-30"),
    ],
)
def test_a_reader_dates_what_is_not_dated_to_the_day(known: dict[str, str], day: str) -> None:
    source = SourceRef.model_validate({"id": "s-1", "title": "Heft 3", **known})
    told = DocumentFacts(published=dt.date(2022, 6, 30)).apply_to(source)
    assert (str(told.published), told.precision) == (day, Precision.DAY)


def test_a_reader_names_the_institute_of_a_paper_in_a_folder() -> None:
    source = SourceRef(id="s-1", title="Heft 3", authors=("I. Petrow",), corpus="/notes")
    told = DocumentFacts(author="Technische Universität Harsfeld")
    assert told.apply_to(source).authors == ("I. Petrow", "Technische Universität Harsfeld")
    away = source.model_copy(update={"corpus": None})
    assert told.apply_to(away).authors == ("I. Petrow",)


def test_an_author_within_another_is_named_once() -> None:
    source = SourceRef(id="s-1", title="Heft 3", authors=("Universität Sülde",), corpus="/notes")
    told = DocumentFacts(author="Institut für Wärme, Universität Sülde")
    assert told.apply_to(source).authors == ("Universität Sülde",)
