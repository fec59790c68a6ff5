import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from caveat.rules.sources import canonical_url, source_id, web_host

PAGE = "https://example.org/a/b?x=1&y=2"


@pytest.mark.parametrize(
    "spelling",
    [
        "http://example.org/a/b?x=1&y=2",
        "HTTPS://WWW.Example.ORG/a/b/?y=2&x=1",
        "https://example.org:443/a/b?x=1&y=2#section",
        "http://example.org:80/a/b?x=1&y=2&utm_source=z&fbclid=q&gclid=1",
        "  https://example.org./a/%62?x=1&y=2 ",
    ],
)
def test_spellings_of_one_page(spelling: str) -> None:
    assert canonical_url(spelling) == PAGE


@pytest.mark.parametrize(
    "other",
    [
        "https://example.org/A/b?x=1&y=2",
        "https://example.org/a/b?x=1&y=3",
        "https://example.org:8080/a/b?x=1&y=2",
        "https://sub.example.org/a/b?x=1&y=2",
        "https://example.org/a%2Fb?x=1&y=2",
    ],
)
def test_other_pages_stay_apart(other: str) -> None:
    assert canonical_url(other) != PAGE


@pytest.mark.parametrize(
    "spelling",
    [
        "10.3847/2041-8213/AC5C5B",
        "doi:10.3847/2041-8213/ac5c5b",
        "DOI: 10.3847/2041-8213/ac5c5b",
        "doi.org/10.3847/2041-8213/ac5c5b",
        "http://dx.doi.org/10.3847/2041-8213/ac5c5b",
        "https://www.doi.org/10.3847/2041-8213/ac5c5b/",
    ],
)
def test_spellings_of_one_doi(spelling: str) -> None:
    assert canonical_url(spelling) == "https://doi.org/10.3847/2041-8213/ac5c5b"


@pytest.mark.parametrize(
    "address", ["/srv/corpus/10.1234/x.md", "mailto:a@b.c", "http://[", "http://a:b", ""]
)
def test_what_is_no_web_address_is_left_alone(address: str) -> None:
    assert canonical_url(address) == address


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("https://www.NASA.gov/wmap", "www.nasa.gov"),
        ("http://nasa.gov.:8080/", "nasa.gov"),
        (" https://[2001:DB8::1]/ ", "2001:db8::1"),
        ("https://somebody@example.org/", "example.org"),
        ("https://[broken", ""),
        ("https://example.org:port/", ""),
        ("https://example.org:99999/", ""),
        ("https://ℂ[/", ""),
        ("http://", ""),
        ("file:///library/page.html", ""),
        ("notes/planck.md", ""),
        ("", ""),
        (None, ""),
    ],
)
def test_the_host_of_an_address_or_of_none(address: str | None, host: str) -> None:
    assert web_host(address) == host


@given(st.text("https:/[].@%#?\\ 0aℂ", max_size=20).map("https://".__add__) | st.text(max_size=30))
def test_no_address_is_too_broken_to_ask_for_its_host(address: str) -> None:
    assert web_host(address) == web_host(address).strip()


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
    once = canonical_url(address)
    assert canonical_url(once) == once
    assert source_id(address) == source_id(once)


def test_ids_look_as_the_contract_says() -> None:
    assert source_id(PAGE) == source_id("http://www.example.org/a/b/?y=2&x=1")
    assert len(source_id(PAGE)) == 12
    assert source_id(PAGE).startswith("s-")
