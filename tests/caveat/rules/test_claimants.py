import pytest

from caveat.contracts.contradiction import Claimant
from caveat.contracts.source import SourceRef
from caveat.rules.claimants import claimant


def source(url: str | None = None, path: str | None = None) -> SourceRef:
    return SourceRef(id="s-0123456789", title="A page", url=url, path=path)


@pytest.mark.parametrize(
    "url",
    [
        "https://www.nasa.gov/wmap",
        "http://nasa.gov/",
        "https://NASA.gov/another?page=2",
        "https://nasa.gov:443/wmap",
    ],
)
def test_a_publisher_answers_for_all_of_its_pages(url: str) -> None:
    assert claimant(source(url)) == Claimant(id="nasa.gov", address=url)


@pytest.mark.parametrize(
    "url",
    [
        "https://medium.com/@somebody/a-post",
        "https://somebody.substack.com/p/a-post",
        "https://doi.org/10.1038/s41586-020-2649-2",
        "10.1038/s41586-020-2649-2",
        "https://arxiv.org/abs/1807.06209",
        "https://web.archive.org/web/2020/https://example.org/",
        "file:///library/page.html",
        "https://[broken",
    ],
)
def test_what_shares_its_host_with_strangers_stands_for_itself(url: str) -> None:
    assert claimant(source(url)) == Claimant(id="s-0123456789", address=url)


def test_a_file_of_a_corpus_stands_for_itself() -> None:
    assert claimant(source(path="notes/planck.md")) == Claimant(
        id="s-0123456789", address="notes/planck.md"
    )


def test_a_host_that_only_ends_like_a_shared_one_is_a_publisher() -> None:
    assert claimant(source("https://netflix.com/research")).id == "netflix.com"
    assert claimant(source("https://www.example.co.uk/a")).id == "example.co.uk"
