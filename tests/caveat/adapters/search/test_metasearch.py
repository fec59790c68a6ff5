"""The library ddgs, without the engines behind it."""

from dataclasses import dataclass, field

import pytest
from ddgs.exceptions import DDGSException, RatelimitException, TimeoutException

from caveat.adapters.search import metasearch
from caveat.adapters.search.metasearch import Metasearch
from caveat.contracts.failure import FailureType
from tests.caveat.adapters.search.conftest import a_task
from tests.fakes.failures import failure_of


@dataclass
class Library:
    """Stands for the library: answers with what it is given."""

    answer: list[dict[str, str]] | Exception
    asked: list[tuple[str, dict[str, object]]] = field(default_factory=list)

    def __call__(self, **options: object) -> "Library":
        return self

    def text(self, query: str, **options: object) -> list[dict[str, str]]:
        self.asked.append((query, options))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


async def test_results_come_as_the_library_ranks_them(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [{"title": "Io", "href": "https://moons.test/io", "body": "Io is …"}, {"title": "No"}]
    library = Library(found)
    monkeypatch.setattr(metasearch, "DDGS", library)
    (hit,) = (await Metasearch().search(a_task(limit=4))).hits
    assert (hit.source.title, hit.source.url) == ("Io", "https://moons.test/io")
    assert library.asked == [
        ("moons of Jupiter", {"max_results": 4, "backend": metasearch._BACKENDS})
    ]


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (RatelimitException("secret"), FailureType.RATE_LIMITED),
        (TimeoutException("secret"), FailureType.TIMEOUT),
        (DDGSException("No results found."), FailureType.UNAVAILABLE),
    ],
)
async def test_its_errors_have_names(
    monkeypatch: pytest.MonkeyPatch, error: Exception, kind: FailureType
) -> None:
    monkeypatch.setattr(metasearch, "DDGS", Library(error))
    failed = await failure_of(Metasearch().search(a_task()))
    assert (failed.failure_type, failed.provider) == (kind, "ddgs")
    assert "secret" not in failed.message
