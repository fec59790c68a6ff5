"""URLs, read in one way only."""

import pytest

from caveat.adapters.http.meanings import RefusedAddressError
from caveat.adapters.http.target import Target


@pytest.mark.parametrize(
    ("url", "read_as"),
    [
        ("http://moons.test", "http://moons.test/"),
        ("HTTPS://Moons.TEST:443/a?b=c#d", "https://moons.test/a?b=c"),
        ("http://moons.test:80/ö", "http://moons.test/%C3%B6"),
        ("http://moons.test/%C3%B6?q=%20", "http://moons.test/%C3%B6?q=%20"),
        ("http://mönde.test/", "http://xn--mnde-5qa.test/"),
        ("http://[2606:4700::1111]/x", "http://[2606:4700::1111]/x"),
        ("http://moons.test:8080/", "http://moons.test:8080/"),
    ],
)
def test_an_address_has_one_form(url: str, read_as: str) -> None:
    assert Target.from_url(url).url == read_as
    assert Target.from_url(read_as).url == read_as


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://moons.test/",
        "gopher://moons.test/",
        "data:text/html,hello",
        "javascript:alert(1)",
        "//moons.test/",
        "moons.test",
        "",
        "http://",
        "http:///path",
        "http://user@moons.test/",
        "http://user:secret@moons.test/",
        "http://moons.test@127.0.0.1/",
        "http://@moons.test/",
        "http://moons.test\\@127.0.0.1/",
        "http://moons.test/a b",
        "http://moons.test/\r\nHost: other",
        "http://moons.test\t/",
        "http://[::1/",
        "http://[fe80::1%25eth0]/",
        "http://moons.test:port/",
        "http://moons.test:99999/",
        "http://mo^ons.test/",
        "http://..../",
        "http://" + "a" * 300 + ".test/",
        "http://moons.test/" + "a" * 3000,
    ],
)
def test_what_is_no_public_web_address_is_refused(url: str) -> None:
    with pytest.raises(RefusedAddressError):
        Target.from_url(url)


@pytest.mark.parametrize(
    ("location", "leads_to"),
    [
        ("/b?c=d", "https://moons.test/b?c=d"),
        ("b", "https://moons.test/a/b"),
        ("//other.test/b", "https://other.test/b"),
        ("http://other.test/b#c", "http://other.test/b"),
    ],
)
def test_a_redirect_may_be_relative_and_is_checked(location: str, leads_to: str) -> None:
    start = Target.from_url("https://moons.test/a/x")
    assert start.follow_redirect(location).url == leads_to
    with pytest.raises(RefusedAddressError):
        start.follow_redirect("file:///etc/passwd")


def test_path_and_query_are_not_shown() -> None:
    assert "planted" not in repr(Target.from_url("https://hooks.test/planted?key=planted"))
