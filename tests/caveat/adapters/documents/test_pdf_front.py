"""The first page says what a paper is called, who wrote it and when; placeholders say nothing."""

import pytest
import typst

from caveat.adapters.documents.formats import DocumentFormat, read
from caveat.adapters.documents.loaded import Metadata
from caveat.adapters.documents.metadata import parse_authors, parse_title
from caveat.adapters.documents.pdf_front import FrontLine, describe_paper

BODY = "*Abstract*\n\n" + "The weir of the town was measured for a year and a day. " * 20


def describe(source: str) -> Metadata:
    return read(DocumentFormat.PDF, typst.compile(source.encode())).metadata


def front(above: str, title: str = "") -> Metadata:
    stated = f'#set document(title: "{title}")\n' if title else ""
    return describe(f"{stated}#set text(10pt)\n{above}\n\n{BODY}")


PAPER = """#align(center)[Journal of Weirs, Vol. 12, 2021

#text(17pt)[On the decay of granite weirs in shallow rivers of the north]

Ann Lee#super[1], Bo van der Berg#super[2] and Mara Soley

#super[1] University of Tarn]"""


@pytest.mark.parametrize(
    "stated", ["", "rackawareness.eps", "Slide 1", "Template for authors of us", "PII: S0378"]
)
def test_a_paper_is_called_by_its_largest_letters(stated: str) -> None:
    facts = front(PAPER, stated)
    assert facts.title == "On the decay of granite weirs in shallow rivers of the north"
    assert facts.authors == ("Ann Lee", "Bo van der Berg", "Mara Soley")
    assert facts.published is not None
    assert facts.published.year == 2021


@pytest.mark.parametrize(
    "above",
    ["1 Introduction", "Ann Lee, Bo Berg February 6, 2023", "The University of New South Tarn",
     "ffl It is easily extensible", "annatarn.example", "+ Introduction",
     "Universidade do Rio de Tarn"],
)  # fmt: skip
def test_headings_and_days_are_no_titles(above: str) -> None:
    assert front(f"#text(17pt)[{above}]\n\nDepartment of Weirs").title is None
    assert front(f"#text(17pt)[{above}]\n\nDepartment of Weirs").authors == ()


def test_a_stated_title_that_is_shown_stays() -> None:
    stated = "On the decay of granite weirs"
    assert front(f"#text(20pt)[RIVERS TODAY]\n\n{stated}", stated).title == stated
    alike = f"#text(17pt)[Rivers Today]\n\nPages\n\n#text(17pt)[{stated}]"
    assert front(alike, stated).title == stated
    assert front(f"Rivers Today 53 (2020) 12\n\n{alike}").title == stated


TITLE = "On the decay of granite weirs"


def test_a_power_in_a_title_is_no_mark_of_a_note() -> None:
    lines = [FrontLine("Weirs on S ^2 in rivers^2", 17.0, 0.9), FrontLine(BODY, 10.0, 0.8)]
    assert describe_paper(Metadata(), lines).title == "Weirs on S ^2 in rivers"


def test_the_text_of_a_short_letter_is_no_title() -> None:
    footer = "#set page(footer: text(8pt)[Tarn Water Board])"
    source = f"#set text(11pt)\n{footer}\nThe pump stands. Please call."
    assert describe(source).title is None


def test_of_two_lines_in_the_same_letters_none_is_the_title() -> None:
    lines = (
        f"#text(20pt)[{each}]\n\n#text(12pt)[of Tarn]\n\n" for each in (TITLE, "Master of Arts")
    )
    assert front("".join(lines)).title is None


@pytest.mark.parametrize(
    "above",
    [
        f"#text(17pt, tracking: -2pt)[{TITLE}]",
        f"#text(17pt)[{TITLE}#text(9pt, baseline: -6pt)[1]]",
        f"#text(17pt)[{TITLE} #super[\\*]]",
        f"#text(17pt)[{TITLE}+]",
        f"#text(17pt)[Research Article \\ {TITLE}]",
        f"#text(17pt)[[inria-00555588, v1] {TITLE}]",
        f"#place(dx: -2cm, rotate(-90deg, reflow: true, text(20pt)[In 2001]))#text(17pt)[{TITLE}]",
    ],
)
def test_a_title_is_read_as_it_is_seen(above: str) -> None:
    assert front(above).title == TITLE


def test_mark_up_in_a_stated_title_is_none_of_it() -> None:
    stated = "On the decay of <Emphasis Type='Italic'>granite</Emphasis> weirs"
    assert front(f"#text(20pt)[RIVERS TODAY]\n\n{TITLE}", stated).title == TITLE


@pytest.mark.parametrize(
    ("below", "authors"),
    [
        ("Ann Lee #h(3cm) Bo Berg", ("Ann Lee", "Bo Berg")),
        ("By Ann Lee", ("Ann Lee",)),
        ("On the Decay\n\nAnn Lee", ("Ann Lee",)),
        ("University of Tarn\n\nTarnbeck Valley", ()),
        ("Ann Lee\n\nTarn Foundation", ("Ann Lee",)),
        ("Chiyan Lee Bo Tarn-Berg", ()),
        ("Ann Lee, Pia Leo2 Bo Berg", ()),
        ("Ann Lee\n\nComputer Science Division\n\nUniversity of Tarn", ("Ann Lee",)),
    ],
)
def test_names_below_a_title_are_told_from_institutes(below: str, authors: tuple[str, ...]) -> None:
    assert front(f"#text(17pt)[{TITLE}]\n\n{below}").authors == authors


@pytest.mark.parametrize(
    ("below", "authors", "published"),
    [
        ("Ann Lee#super[∗]\n\nFebruary 6, 2023", ("Ann Lee",), "2023-02-06"),
        ("a b\n\nAnn Lee and Bo Berg\n\n6 May 2022", ("Ann Lee", "Bo Berg"), "2022-05-06"),
        ("#text(12pt)[by Ann Lee and Bo Berg]\n\nOct 2016", ("Ann Lee", "Bo Berg"), "2016-10-01"),
        ("Ann Lee\n\nMay 6, 2022\n\nw#sub[¨]eir (ˆ x)", ("Ann Lee",), "2022-05-06"),
        ("November 2012, Volume 51, Issue 7", (), "2012-11-01"),
    ],
)
def test_names_and_a_day_below_a_title_are_of_its_paper(
    below: str, authors: tuple[str, ...], published: str
) -> None:
    above = f"#text(17pt)[{TITLE}]\n\n{below}"
    facts = describe(f"#set text(10pt)\n{above}\n\n{BODY[12:]}")
    assert (facts.title, facts.authors) == (TITLE, authors)
    assert str(facts.published) == published


def test_a_sign_within_a_line_divides_no_word() -> None:
    assert front("#text(17pt)[Dealing with quasi- weirs]").title == ("Dealing with quasi- weirs")


@pytest.mark.parametrize(
    "title",
    ["(anonymous)", "PowerPoint Presentation", "Book1", "untitled",
     "R Graphics Output", "Document", "Présentation PowerPoint"],
)  # fmt: skip
def test_placeholders_are_no_titles(title: str) -> None:
    assert parse_title(title) is None


@pytest.mark.parametrize("name", ["https://a.example/ann", "ann@a.example", "Administrator"])
def test_addresses_and_accounts_are_no_authors(name: str) -> None:
    assert parse_authors(name) is None
