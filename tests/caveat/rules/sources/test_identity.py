import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from caveat.contracts.envelope import FailureType
from caveat.contracts.source import SourceRef
from caveat.rules.sources.elsewhere import find_doi, list_alternatives, suggest_query
from caveat.rules.sources.identity import (
    are_editions,
    compute_source_id,
    disambiguate_titles,
    find_version,
    index_voices,
    name_work,
    normalise_url,
    parse_host,
)

PAGE = "https://example.org/a/b?x=1&y=2"


DOI = "https://doi.org/10.3847/2041-8213/ac5c5b"


@pytest.mark.parametrize(
    ("spelling", "canonical"),
    [
        ("http://example.org/a/b?x=1&y=2", PAGE),
        ("HTTPS://WWW.Example.ORG/a/b/?y=2&x=1", PAGE),
        ("https://example.org:443/a/b?x=1&y=2#section", PAGE),
        ("http://example.org:80/a/b?x=1&y=2&utm_source=z&fbclid=q&gclid=1", PAGE),
        ("  https://example.org./a/%62?x=1&y=2 ", PAGE),
        ("10.3847/2041-8213/AC5C5B", DOI),
        ("doi:10.3847/2041-8213/ac5c5b", DOI),
        ("doi.org/10.3847/2041-8213/ac5c5b", DOI),
        ("http://dx.doi.org/10.3847/2041-8213/ac5c5b", DOI),
        # Other pages, and what is no address of the web, stay as they are.
        *(
            (each, each)
            for each in (
                "https://example.org/A/b?x=1&y=2",
                "https://example.org:8080/a/b?x=1&y=2",
                "https://sub.example.org/a/b?x=1&y=2",
                "https://example.org/a%2Fb?x=1&y=2",
                "/srv/corpus/10.1234/x.md",
                "mailto:a@b.c",
                "http://[",
                "http://a:b",
                "",
            )
        ),
    ],
)
def test_an_address_has_one_form(spelling: str, canonical: str) -> None:
    assert normalise_url(spelling) == canonical


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://www.NASA.gov/wmap", "www.nasa.gov"),
        ("http://nasa.gov.:8080/", "nasa.gov"),
        (" https://[2001:DB8::1]/ ", "2001:db8::1"),
        ("https://somebody@example.org/", "example.org"),
        ("https://[broken", ""),
        ("https://example.org:port/", ""),
        ("https://ℂ[/", ""),
        ("http://", ""),
        ("notes/planck.md", ""),
        ("", ""),
        (None, ""),
    ],
)
def test_the_host_of_an_address_or_of_none(address: str | None, host: str) -> None:
    assert parse_host(address) == host


@given(
    st.one_of(
        st.text(max_size=60),
        st.text(max_size=40).map(lambda tail: f"http://www.www.example.org/{tail}"),
        st.text(max_size=40).map(lambda tail: f"https://example.org/a?{tail}"),
        st.text(max_size=40).map(lambda host: f"https://www.{host}/x"),
        st.text(min_size=1, max_size=40).map(lambda tail: f"doi:10.1234/{tail}"),
    )
)
@example("HTTP:// :")
@example("https://a.b/ /")
@example("https://www./")
def test_canonical_form_is_a_fixed_point(address: str) -> None:
    once = normalise_url(address)
    assert normalise_url(once) == once
    assert compute_source_id(address) == compute_source_id(once)


def a_file(path: str, corpus: str = "/docs", title: str = "A document") -> SourceRef:
    return SourceRef(id=f"s-{corpus}{path}", title=title, corpus=corpus, path=path)


def a_page(url: str, *authors: str) -> SourceRef:
    return SourceRef(id=f"s-{url}", title="A page", url=url, authors=authors)


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        ("guide.html", "guide.pdf", True),
        ("guide.html.gz", "guide.html", True),
        ("en/guide.html", "de/guide.html", True),
        ("guide.en.html", "guide.pt-BR.html", True),
        ("guide.md", "fr/guide.md", True),
        ("1.4.9/guide.rst", "2.14.1/guide.rst", True),
        ("03-data-sheet-2.4.html", "04-data-sheet-1.3.txt", True),
        ("guide.html", "manual.html", False),
        ("it.md", "de.md", False),
        ("chapter-1.md", "chapter-2.md", False),
        ("2019.md", "2020.md", False),
    ],
)
def test_one_work_in_another_form_is_one_voice(one: str, other: str, *, is_one: bool) -> None:
    assert (name_work(a_file(one)) == name_work(a_file(other))) is is_one
    assert is_one or not are_editions(a_file(one), a_file(other))


@pytest.mark.parametrize(
    ("one", "other", "is_one"),
    [
        (a_file("wgi/chapter-02.pdf"), a_file("wgi/chapter-03-oceans.pdf"), True),
        (a_file("wgi/AR6_Chapter02.pdf"), a_file("wgi/AR6_Chapter03.pdf"), True),
        (a_file("wgi/chapter-02.pdf"), a_file("wgii/chapter-02.pdf"), False),
        (a_file("a", title="Sea report: Chapter 2"), a_file("b", title="Sea report, part 4"), True),
        (a_file("a.pdf", title="Chapter 2"), a_file("b.pdf", title="Chapter 3"), False),
        (a_file("a", title="Outlook for 2023"), a_file("b", title="Outlook for 2023"), True),
        (a_file("a.pdf", title="Interview"), a_file("b.pdf", title="Interview"), False),
        (a_page("https://a.org/report/chapter/2"), a_page("https://a.org/report/chapter/3"), True),
        (a_page("https://a.org/oceans"), a_page("https://a.org/ice"), True),
        (a_page("https://arxiv.org/abs/1"), a_page("https://arxiv.org/abs/2"), False),
        # Of named authors one publication alone is.
        (a_page("https://a.org/chapter-2", "Ada"), a_page("https://a.org/chapter-3", "Bo"), True),
        (a_page("https://a.org/oceans", "Ada Berg"), a_page("https://a.org/ice", "Bo Lund"), False),
    ],
)  # fmt: skip
def test_one_publication_is_one_voice(one: SourceRef, other: SourceRef, *, is_one: bool) -> None:
    voices = index_voices([one, other])
    assert (voices[one.id] == voices[other.id]) is is_one


def test_a_file_of_another_folder_and_a_page_are_works_of_their_own() -> None:
    assert name_work(a_file("guide.md", "/one")) != name_work(a_file("guide.md", "/other"))
    assert name_work(a_page("https://a.org/x")) == name_work(a_page("http://www.a.org/x/"))
    assert name_work(a_page("https://a.org/x")) != name_work(a_page("https://a.org/y"))
    assert name_work(SourceRef(id="s-1", title="A")) == "s-1"


@pytest.mark.parametrize(
    ("older", "later", "is_known"),
    [
        (a_file("1.4.9/docs/guide.rst"), a_file("2.14.1/docs/guide.rst"), True),
        (a_file("guide.rst", "/m/beets-1.9.0"), a_file("guide.rst", "/m/beets-1.10.0"), True),
        (a_file("1.4/api-1.4.md"), a_file("2.0/api-2.0.md"), True),
        (a_page("https://a.org/docs/9.6/limits"), a_page("https://a.org/docs/12.1/limits"), True),
        # What lies elsewhere is no edition.
        (a_file("1.4/guide.md"), a_file("2.0/manual.md"), False),
        (a_file("1.4/guide.md"), a_file("1.4/guide.md"), False),
        (a_file("1.4/api-2.0.md"), a_file("2.0/api-1.4.md"), False),
        (a_page("https://a.org/docs/9.6/limits"), a_page("https://b.org/docs/12.1/limits"), False),
        (SourceRef(id="s-1", title="Guide 1.4"), SourceRef(id="s-2", title="Guide 2.0"), False),
    ],
)
def test_editions_are_known(older: SourceRef, later: SourceRef, *, is_known: bool) -> None:
    assert are_editions(older, later) is are_editions(later, older) is is_known
    assert not is_known or find_version(older) != find_version(later)


def test_sources_of_one_title_are_told_apart_by_where_they_lie() -> None:
    sources = [
        SourceRef(id="s-1", title="Travel policy", path="2022/travel.md"),
        SourceRef(id="s-2", title="Travel policy", path="2024/travel.md"),
        SourceRef(id="s-3", title="Leave", path="leave.md"),
    ]
    assert list(disambiguate_titles(sources).values()) == [
        "Travel policy (2022/travel.md)",
        "Travel policy (2024/travel.md)",
        "Leave",
    ]


# Where else the same thing may be had: by fixed forms alone.


GONE, DOWN, CLOSED, BROKEN, SLOW, BUSY = (
    FailureType.NOT_FOUND,
    FailureType.UNAVAILABLE,
    FailureType.AUTH_ERROR,
    FailureType.PERMANENT,
    FailureType.TIMEOUT,
    FailureType.RATE_LIMITED,
)
PAPER = "https://arxiv.org/pdf/2404.03002"


@pytest.mark.parametrize(
    ("url", "failed", "expected"),
    [
        ("https://journal.test/doi/full/10.1126/science.abc123/full", GONE,
         ("https://doi.org/10.1126/science.abc123",)),
        ("https://journal.test/article/10.1007/s11-022.pdf", GONE,
         ("https://doi.org/10.1007/s11-022",)),
        # Its DOI leads to the same page: no help where that is closed, broken or out of order.
        ("https://journal.test/doi/10.1126/science.abc123", CLOSED, ()),
        ("https://journal.test/doi/10.1126/science.abc123", DOWN, ()),
        ("https://doi.org/10.1126/science.abc123", GONE, ()),
        (PAPER, BUSY, ()),
    ],
)  # fmt: skip
def test_other_addresses_of_the_same_thing(
    url: str, failed: FailureType, expected: tuple[str, ...]
) -> None:
    assert list_alternatives(url, failed) == expected


@given(st.text(max_size=80), st.sampled_from(FailureType))
def test_no_address_but_of_the_registry_is_ever_made(path: str, failed: FailureType) -> None:
    for url in (path, f"https://a.test/{path}"):
        for found in list_alternatives(url, failed):
            assert parse_host(found) == "doi.org"
            assert found != url


@pytest.mark.parametrize(
    ("url", "doi"),
    [
        ("https://doi.org/10.1000/ABC", "10.1000/abc"),
        ("doi:10.1000/abc", "10.1000/abc"),
        ("https://j.test/doi/abs/10.1000/abc", "10.1000/abc"),
        ("https://j.test/10.1000%2Fabc", "10.1000/abc"),
        ("https://j.test/v10.1000", None),
    ],
)
def test_the_doi_in_an_address(url: str, doi: str | None) -> None:
    assert find_doi(url) == doi


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ('"tidal heating" AND Io', "tidal heating Io"),
        ("site:nasa.gov (Io OR Europa)", "nasa gov Io Europa"),
        ("Io's well-known heat", "Io's well-known heat"),
        ("?!", ""),
    ],
)
def test_a_query_made_plain(query: str, words: str) -> None:
    assert suggest_query(query) == ((words,) if words and words != query else ())
