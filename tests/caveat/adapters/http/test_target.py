"""URLs, read in one way only."""

from ipaddress import IPv4Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis.strategies import ip_addresses

from caveat.adapters.http.client import Address, Reach, is_public
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


# Which addresses are public.


PUBLIC = ["93.184.216.34", "1.1.1.1", "8.8.8.8", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"]
REFUSED = {
    "loopback": ["127.0.0.1", "127.8.9.10", "::1"],
    "private": ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fd00::1", "fc00::1"],
    "link-local": ["169.254.169.254", "169.254.0.1", "fe80::1"],
    "site-local": ["fec0::1"],
    "shared by carriers": ["100.64.0.1", "100.127.255.255"],
    "multicast": ["224.0.0.1", "239.255.255.250", "ff02::1", "ff0e::1"],
    "reserved": ["240.0.0.1", "255.255.255.255", "0.1.2.3", "0.0.0.1", "::", "100::1"],
    "documentation": ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1"],
    "benchmarking": ["198.18.0.1", "2001:2::1"],
    "protocol assignments": ["192.0.0.8", "192.0.0.170", "3fff::1"],
    "Azure": ["168.63.129.16"],
    "IPv4-mapped": ["::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:93.184.216.34"],
    "IPv4-compatible": ["::127.0.0.1", "::10.0.0.1", "::93.184.216.34"],
    "IPv4-translated": ["::ffff:0:10.0.0.1"],
    "NAT64": ["64:ff9b::7f00:1", "64:ff9b::5db8:d822", "64:ff9b:1::a00:1"],
    "6to4": ["2002:7f00:1::", "2002:a00:1::1", "192.88.99.1"],
    "Teredo": ["2001:0:4136:e378:8000:63bf:3fff:fdd2"],
}


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_public(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize(
    "address", [each for group in REFUSED.values() for each in group], ids=lambda each: each
)
def test_any_other_is_not(address: str) -> None:
    assert not is_public(ip_address(address))


@given(ip_addresses(v=4))
def test_an_embedded_ipv4_address_never_makes_an_ipv6_address_public(inner: Address) -> None:
    bits = int(inner)
    assert isinstance(inner, IPv4Address)
    for outer in (
        bits,
        (0xFFFF << 32) | bits,
        (0x64FF9B << 96) | bits,
        (0x2002 << 112) | bits << 80,
    ):
        assert not is_public(ip_address(outer.to_bytes(16, "big")))


@given(ip_addresses())
def test_what_is_public_is_global(address: Address) -> None:
    if is_public(address):
        assert address.is_global
        assert not address.is_private
        assert not address.is_multicast


@pytest.mark.parametrize(("port", "allowed"), [(80, True), (443, True), (22, False), (8080, False)])
def test_only_web_ports_are_reached(port: int, *, allowed: bool) -> None:
    assert Reach().allows(ip_address("93.184.216.34"), port) is allowed


def test_local_addresses_are_reached_by_an_explicit_setting_only() -> None:
    local = ip_address("127.0.0.1")
    assert not Reach().allows(local, 80)
    assert Reach(exceptions=(ip_network("127.0.0.0/8"),)).allows(local, 54321)
    assert not Reach(exceptions=(ip_network("127.0.0.0/8"),)).allows(ip_address("10.0.0.1"), 80)
