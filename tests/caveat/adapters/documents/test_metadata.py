import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.adapters.documents.loaded import Metadata
from caveat.adapters.documents.metadata import (
    complete_metadata,
    parse_authors,
    parse_count,
    parse_date,
    parse_kind,
    parse_title,
    parse_url,
    split_front_matter,
)
from caveat.contracts.source import SourceKind


@pytest.mark.parametrize(
    ("stated", "day"),
    [
        ("2022-07-18", dt.date(2022, 7, 18)),
        ("2022-07-18T23:59:59+02:00", dt.date(2022, 7, 18)),
        ("2022/7/8", dt.date(2022, 7, 8)),
        ("20220718", dt.date(2022, 7, 18)),
        ("2022-07", dt.date(2022, 7, 1)),
        ("2022", dt.date(2022, 1, 1)),
        ("D:20230306180657Z", dt.date(2023, 3, 6)),
        ("18 July 2022", dt.date(2022, 7, 18)),
        ("Mon, 18 Jul 2022 10:00:00 GMT", dt.date(2022, 7, 18)),
        ("July 18th, 2022", dt.date(2022, 7, 18)),
        ("July 2022", dt.date(2022, 7, 1)),
        ("2022-13-45", None),
        ("0001-01-01", None),
        ("last week", None),
        ("123456", None),
        ("", None),
    ],
)
def test_dates(stated: str, day: dt.date | None) -> None:
    assert parse_date(stated) == day


@given(st.text())
def test_nothing_that_is_stated_raises(stated: str) -> None:
    parse_date(stated)
    parse_kind(stated)
    parse_count(stated)
    parse_title(stated)
    parse_url(stated)


@pytest.mark.parametrize(
    ("stated", "kind"),
    [
        ("journal-article", SourceKind.PEER_REVIEWED),
        ("Peer Reviewed", SourceKind.PEER_REVIEWED),
        ("paper", SourceKind.PEER_REVIEWED),
        ("ScholarlyArticle", SourceKind.PEER_REVIEWED),
        ("pre-print", SourceKind.PREPRINT),
        ("Data Sets", SourceKind.DATASET),
        ("https://schema.org/BlogPosting", SourceKind.BLOG),
        ("press_release", SourceKind.REPORT),
        ("gossip", None),
        ("", None),
        *((kind.value, kind) for kind in SourceKind if kind is not SourceKind.UNKNOWN),
    ],
)
def test_kinds(stated: str, kind: SourceKind | None) -> None:
    assert parse_kind(stated) is kind


@pytest.mark.parametrize(
    ("stated", "url"),
    [
        ("10.1234/ABC", "https://doi.org/10.1234/abc"),
        ("https://Example.org/Page#here", "https://Example.org/Page#here"),
        ("javascript:alert(1)", None),
        ("file:///etc/passwd", None),
        ("/relative", None),
        ('https://example.org/"onclick="x', None),
    ],
)
def test_urls(stated: str, url: str | None) -> None:
    assert parse_url(stated) == url


def test_counts_and_titles() -> None:
    assert (
        parse_count("1,024"),
        parse_count("-3"),
        parse_count("many"),
        parse_count("9" * 30),
    ) == (1024, None, None, None)
    assert parse_title("  A\n title ") == "A title"
    assert len(parse_title("x" * 1000) or "") == 300


@pytest.mark.parametrize(
    ("head", "day", "author"),
    [
        ("Harbour Office of Lindholm\n3 May 2024", "2024-05-03", None),
        (
            "Report 7 on the fire on board the Tern, 9 May 2024\nPublished 2 June 2025",
            "2025-06-02",
            None,
        ),
        ("Tarn Gazette, 19 September 2024. By Mara Soley", "2024-09-19", "Mara Soley"),
        ("Report for the Trust by Fenland Research, 30 April 2025", "2025-04-30", None),
        (
            "From: S. Whitcombe, engineer To: the board Date: 22 June 2023",
            "2023-06-22",
            "S. Whitcombe",
        ),
        ("Posted 9 June 2024 by Sandpiper", "2024-06-09", None),
        ("Posted by Berit on 2 June 2024", None, "Berit"),
        ("Issued by: Tern Analysts\nDate of issue: 8 November 2023", "2023-11-08", "Tern Analysts"),
        ("Held in the Exchange, Tuesday 14 March 2023, 7.00 pm", "2023-03-14", None),
        ("Leisure Trust, updated 2 October 2024", "2024-10-02", None),
        ("Auditor's report to Tarn Council, 11 February 2025 (extract)", "2025-02-11", None),
        ("To the Secretary, Lune Crossing Trust. 14 June 2023.", "2023-06-14", None),
        ("Hafenblatt, Heft 3/2022, 30. Juni 2022", "2022-06-30", None),
        ("By far the largest weir in the valley", None, None),
        ("2024 was a dry year", None, None),
        ("Room 1203", None, None),
        ("Received 16 May 2019", None, None),
        ("The fund was founded by the trust.", None, None),
    ],
)
def test_a_head_says_who_wrote_it_and_when(head: str, day: str | None, author: str | None) -> None:
    facts = complete_metadata(Metadata(), f"{head}\nThe weir was repaired.")
    assert facts.published == (day and dt.date.fromisoformat(day))
    assert facts.authors == ((author,) if author else ())


def test_a_title_may_hold_a_colon_without_quotation_marks() -> None:
    facts, _, text = split_front_matter("---\ntitle: Weirs: a study\nby: Ada Byron\n---\nText")
    assert (facts.title, facts.authors, text) == ("Weirs: a study", ("Ada Byron",), "Text")


def test_what_fields_state_is_not_replaced() -> None:
    stated = Metadata(published=dt.date(2020, 1, 2), authors=("Ada Byron",))
    assert complete_metadata(stated, "By Mara Soley\n3 May 2024") == stated


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("Ada Byron, Max Born, Lise Meitner et al.", ("Ada Byron", "Max Born", "Lise Meitner")),
        ("Planck Collaboration (N. Aghanim et al.)", ("Planck Collaboration (N. Aghanim)",)),
        ("Byron, A. G. and Born, M.", ("Byron, A. G.", "Born, M.")),
    ],
)
def test_authors_are_told_apart(written: str, names: tuple[str, ...]) -> None:
    assert parse_authors(written) == names


def test_markup_in_a_title_is_no_part_of_it() -> None:
    assert parse_title("<strong>socat</strong> and Vec<T>") == "socat and Vec<T>"
