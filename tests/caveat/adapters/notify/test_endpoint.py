import pytest

from caveat.adapters.notify.endpoint import Endpoint


@pytest.mark.parametrize(
    ("url", "authority", "port", "target"),
    [
        ("http://Receiver.example", "receiver.example", 80, "/"),
        ("https://receiver.example/a/b?c=d#e", "receiver.example", 443, "/a/b?c=d"),
        ("https://receiver.example:443/", "receiver.example", 443, "/"),
        ("https://receiver.example:80?x", "receiver.example:80", 80, "/?x"),
        ("http://[::1]:8080/h", "[::1]:8080", 8080, "/h"),
        ("http://10.0.0.7/", "10.0.0.7", 80, "/"),
    ],
)
def test_a_url_is_taken_apart(url: str, authority: str, port: int, target: str) -> None:
    endpoint = Endpoint.of(url)
    assert (endpoint.authority, endpoint.port, endpoint.target) == (authority, port, target)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://planted.example/",
        "file:///planted",
        "//planted.example/",
        "http:///planted",
        "http://planted@host/",
        "http://user:planted@host/",
        "http://@host/planted",
        "http://host/planted HTTP/1.1\r\nEvil: yes",
        "http://host/planted\n",
        "http://hôst/planted",
    ],
)
def test_what_is_no_endpoint_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(ValueError, match="plain http or https URL") as raised:
        Endpoint.of(url)
    assert "planted" not in str(raised.value)


def test_path_and_query_are_not_shown() -> None:
    assert "planted" not in repr(Endpoint.of("https://hooks.example/planted?key=planted"))
