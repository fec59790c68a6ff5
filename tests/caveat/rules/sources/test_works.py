"""Formats, translations and editions of one work are told by where they lie."""

import pytest

from caveat.contracts.source import SourceRef
from caveat.rules.sources import edition, newer, work


def a_file(path: str, corpus: str = "/docs") -> SourceRef:
    return SourceRef(id=f"s-{corpus}{path}", title="A document", corpus=corpus, path=path)


def a_page(url: str) -> SourceRef:
    return SourceRef(id=f"s-{url}", title="A page", url=url)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("guide.html", "guide.pdf"),
        ("guide.txt", "guide.md"),
        ("guide.html.gz", "guide.html"),
        ("en/guide.html", "de/guide.html"),
        ("guide.en.html", "guide.pt-BR.html"),
        ("guide_en.md", "guide_zh-Hans.md"),
        ("guide.md", "guide.fr.md"),
        ("guide.md", "fr/guide.md"),
        ("1.4.9/guide.rst", "2.14.1/guide.rst"),
        ("guide-v1.md", "guide-v2.md"),
    ],
)
def test_one_work_in_another_form_is_one_voice(one: str, other: str) -> None:
    assert work(a_file(one)) == work(a_file(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("guide.html", "manual.html"),
        ("it.md", "de.md"),
        ("countries/it.md", "countries/de.md"),
        ("chapter-1.md", "chapter-2.md"),
        ("2019.md", "2020.md"),
        ("a/index.html", "b/index.html"),
    ],
)
def test_other_works_are_other_voices(one: str, other: str) -> None:
    assert work(a_file(one)) != work(a_file(other))
    assert newer(a_file(one), a_file(other)) is None


def test_a_file_of_another_folder_and_a_page_are_works_of_their_own() -> None:
    assert work(a_file("guide.md", "/one")) != work(a_file("guide.md", "/other"))
    assert work(a_page("https://a.org/x")) == work(a_page("http://www.a.org/x/"))
    assert work(a_page("https://a.org/x")) != work(a_page("https://a.org/y"))
    assert work(SourceRef(id="s-1", title="A")) == "s-1"


@pytest.mark.parametrize(
    ("older", "later"),
    [
        (a_file("1.4.9/docs/guide.rst"), a_file("2.14.1/docs/guide.rst")),
        (a_file("docs/guide.rst", "/m/beets-1.9.0"), a_file("docs/guide.rst", "/m/beets-1.10.0")),
        (a_file("1.4/api-1.4.md"), a_file("2.0/api-2.0.md")),
        (a_file("guide-ed1.md"), a_file("guide-ed2.md")),
        (a_page("https://a.org/docs/9.6/limits"), a_page("https://a.org/docs/12.1/limits")),
    ],
)
def test_the_newer_edition_is_known(older: SourceRef, later: SourceRef) -> None:
    assert newer(older, later) == 1
    assert newer(later, older) == 0
    assert edition(older) != edition(later)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (a_file("1.4/guide.md"), a_file("2.0/manual.md")),
        (a_file("1.4/guide.md"), a_file("1.4/guide.md")),
        (a_file("1.4/api-2.0.md"), a_file("2.0/api-1.4.md")),
        (a_page("https://a.org/docs/9.6/limits"), a_page("https://b.org/docs/12.1/limits")),
        (SourceRef(id="s-1", title="Guide 1.4"), SourceRef(id="s-2", title="Guide 2.0")),
    ],
)
def test_what_lies_elsewhere_is_no_edition(one: SourceRef, other: SourceRef) -> None:
    assert newer(one, other) is None
