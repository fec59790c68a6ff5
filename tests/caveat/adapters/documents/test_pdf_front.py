"""The first page says what a paper is called, who wrote it and when; placeholders say nothing."""

import pytest
import typst

from caveat.adapters.documents.loaded import DocumentFormat, Metadata
from caveat.adapters.documents.metadata import parse_authors, parse_title
from caveat.adapters.documents.pdf_front import FrontLine, describe_paper
from caveat.adapters.documents.reader import read

BODY = "*Abstract*\n\n" + "The weir of the town was measured for a year and a day. " * 20
TITLE = "On the decay of granite weirs"
LARGE = f"#text(17pt)[{TITLE}]"
PAPER = f"""#align(center)[Journal of Weirs, Vol. 12, © 2021

{LARGE}

Ann Lee#super[1], Bo van der Berg#super[2] and Mara Soley

#super[1] University of Tarn]"""
ALIKE = f"#text(17pt)[Rivers Today]\n\nPages\n\n{LARGE}"


def front(above: str, stated: str = "", body: str = BODY) -> Metadata:
    title = f'#set document(title: "{stated}")\n' if stated else ""
    source = f"{title}#set text(10pt)\n{above}\n\n{body}"
    return read(DocumentFormat.PDF, typst.compile(source.encode())).metadata


@pytest.mark.parametrize(
    "stated", ["", "rackawareness.eps", "Slide 1", "Template for authors of us", "PII: S0378"]
)
def test_a_paper_is_called_by_its_largest_letters(stated: str) -> None:
    facts = front(PAPER, stated)
    assert facts.title == TITLE
    assert facts.authors == ("Ann Lee", "Bo van der Berg", "Mara Soley")
    assert facts.published is not None
    assert facts.published.year == 2021


@pytest.mark.parametrize(
    ("above", "stated", "title"),
    [
        # Headings and days are no titles.
        *((f"#text(17pt)[{large}]\n\nDepartment of Weirs", "", None) for large in (
            "1 Introduction", "Ann Lee, Bo Berg February 6, 2023",
            "annatarn.example", "+ Introduction",
        )),
        # A stated title that is shown stays, without its mark-up.
        (f"#text(20pt)[RIVERS TODAY]\n\n{TITLE}", TITLE, TITLE),
        (f"#text(20pt)[RIVERS TODAY]\n\n{TITLE}",
         "On the decay of <Emphasis Type='Italic'>granite</Emphasis> weirs", TITLE),
        (ALIKE, TITLE, TITLE),
        (f"Rivers Today 53 (2020) 12\n\n{ALIKE}", "", TITLE),
        # Of two lines in the same letters none is the title.
        ("".join(f"#text(20pt)[{each}]\n\n#text(12pt)[of Tarn]\n\n"
                 for each in (TITLE, "Master of Arts")), "", None),
        # It is read as it is seen.
        (f"#text(17pt, tracking: -2pt)[{TITLE}]", "", TITLE),
        (f"#text(17pt)[{TITLE}#text(9pt, baseline: -6pt)[1]]", "", TITLE),
        (f"#text(17pt)[{TITLE} #super[\\*]]", "", TITLE),
        (f"#text(17pt)[{TITLE}+]", "", TITLE),
        (f"#text(17pt)[Research Article \\ {TITLE}]", "", TITLE),
        (f"#text(17pt)[[inria-00555588, v1] {TITLE}]", "", TITLE),
        (f"#text(17pt)[{TITLE} [v2; indexed, https://a.example/2]]", "", TITLE),
        # Where it appeared is no title, nor is a part of one, nor what a program took for letters.
        (f"{LARGE}#place(bottom)[Proceedings of the Weirs, pages 9–16]",
         "Proceedings of the Weirs", TITLE),
        (f"#text(8pt)[Annals of River Engineering] #parbreak() {LARGE}",
         f"{TITLE} - Annals of River Engineering", TITLE),
        (LARGE, "On the decay", TITLE),
        ("#text(17pt)[Weirs – old]", "Weirs â€“ old", "Weirs – old"),
        # In journals of mathematics capitals tell it from the text.
        (f"*{TITLE.upper()}*\n\n#text(8pt)[ANN LEE]", "", TITLE.upper()),
        (f"#place(dx: -2cm, rotate(-90deg, reflow: true, text(20pt)[In 2001])){LARGE}", "", TITLE),
        ("#text(17pt)[Dealing with quasi- weirs]", "", "Dealing with quasi- weirs"),
    ],
)  # fmt: skip
def test_a_title_is_told_from_what_is_none(above: str, stated: str, title: str | None) -> None:
    facts = front(above, stated)
    assert facts.title == title
    assert facts.authors == () or title


def test_a_power_in_a_title_is_no_mark_of_a_note() -> None:
    lines = [FrontLine("Weirs on S ^2 in rivers^2", 17.0, 0.9), FrontLine(BODY, 10.0, 0.8)]
    assert describe_paper(Metadata(), lines).title == "Weirs on S ^2 in rivers"


def test_the_text_of_a_short_letter_is_no_title() -> None:
    footer = "#set page(footer: text(8pt)[Tarn Water Board])"
    assert front(footer, body="#text(11pt)[The pump stands. Please call.]").title is None


@pytest.mark.parametrize(
    ("below", "authors", "published"),
    [
        ("Ann Lee #h(3cm) Bo Berg", ("Ann Lee", "Bo Berg"), None),
        ("By Ann Lee", ("Ann Lee",), None),
        ("On the Decay\n\nAnn Lee", ("Ann Lee",), None),
        ("University of Tarn\n\nTarnbeck Valley", (), None),
        ("Ann Lee, Pia Leo2 Bo Berg", (), None),
        ("Ann Lee Bo Berg #h(0.8em) Mara Soley", ("Ann Lee Bo Berg", "Mara Soley"), None),
        ("A Year in Tarn\n\nAnn Lee\n\nUniversity of Tarn", ("Ann Lee",), None),
        ("A Year in Tarn\n\nTarnbeck Valley\n\nof 2020", (), None),
        (
            "Ann Lee (ann\\@a.example)\n\nBo Berg (bo\\@a.example)\n\nThe Weir Project",
            ("Ann Lee", "Bo Berg"),
            None,
        ),
        (
            "#columns(2)[Ann Lee \\ Weir Science \\ a\\@b.example #colbreak() Bo Berg \\ Works]",
            ("Ann Lee", "Bo Berg"),
            None,
        ),
        (
            "Ann Lee\n\nAccepted: 4 May 2021 / Published online: 6 June 2021, doi 1",
            ("Ann Lee",),
            "2021-06-06",
        ),
        ("Ann Lee#super[∗]\n\nFebruary 6, 2023", ("Ann Lee",), "2023-02-06"),
        ("#text(12pt)[by Ann Lee and Bo Berg]\n\nOct 2016", ("Ann Lee", "Bo Berg"), "2016-10-01"),
        ("Ann Lee\n\nMay 6, 2022\n\nw#sub[¨]eir (ˆ x)", ("Ann Lee",), "2022-05-06"),
        ("November 2012, Volume 51, Issue 7", (), "2012-11-01"),
    ],
)
def test_names_and_a_day_below_a_title_are_of_its_paper(
    below: str, authors: tuple[str, ...], published: str | None
) -> None:
    facts = front(f"{LARGE}\n\n{below}", body=BODY[12:] if published else BODY)
    assert (facts.title, facts.authors) == (TITLE, authors)
    assert published in {None, str(facts.published)}


@pytest.mark.parametrize(
    "title",
    ["(anonymous)", "PowerPoint Presentation", "Book1", "Sheet", "untitled",
     "R Graphics Output", "Document", "Présentation PowerPoint"],
)  # fmt: skip
def test_placeholders_are_no_titles(title: str) -> None:
    assert parse_title(title) is None


@pytest.mark.parametrize("name", ["https://a.example/ann", "ann@a.example", "Administrator"])
def test_addresses_and_accounts_are_no_authors(name: str) -> None:
    assert parse_authors(name) is None
