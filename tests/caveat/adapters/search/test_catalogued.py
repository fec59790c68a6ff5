"""What a catalogue of works knows of what engines find."""

import datetime as dt
import json
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import pytest

from caveat.adapters.search.openalex import Catalogued, OpenAlex
from caveat.contracts.source import Hit, SearchResults, SourceKind, SourceRef
from caveat.contracts.tasks import SearchTask
from caveat.rules.sources.credibility import score_credibility
from tests.caveat.adapters.search.conftest import HOST, Engines, a_task
from tests.fakes.engines import openalex, openalex_work
from tests.fakes.web import page, status

DOI = "10.1000/io"
AT_DOI = f"https://doi.org/{DOI}"
JSON = "application/json"


@dataclass(frozen=True)
class Found:
    """An engine that always finds the same addresses."""

    addresses: tuple[str, ...]
    also_at: tuple[str, ...] = ()

    async def search(self, task: SearchTask) -> SearchResults:
        hits = tuple(
            Hit(source=SourceRef(id=f"s-{at}", title="Io", url=at, also_at=self.also_at))
            for at in self.addresses
        )
        return SearchResults(query=task.query, hits=hits)


def catalogue(engines: Engines) -> OpenAlex:
    return OpenAlex(engines.client, engines.base, engines.settings.get)


def says(engines: Engines, *works: dict[str, object]) -> None:
    engines.web.pages[f"{HOST}/works"] = page(openalex(*works), JSON)


def asked(engines: Engines) -> list[dict[str, list[str]]]:
    return [parse_qs(urlsplit(each.path).query) for each in engines.web.seen]


async def told(engines: Engines, found: Found) -> list[SourceRef]:
    results = await Catalogued(found, catalogue(engines)).search(a_task())
    return [hit.source for hit in results.hits]


@pytest.mark.parametrize(
    "found",
    [
        Found((AT_DOI,)),
        Found(("https://moons.test/doi/full/10.1000/Io",)),
        Found(("https://moons.test/io",), also_at=(AT_DOI,)),
    ],
    ids=["doi.org", "a publisher's page", "named by the engine"],
)
async def test_a_doi_tells_kind_day_and_citations(engines: Engines, found: Found) -> None:
    says(engines, openalex_work(DOI))
    (source,) = await told(engines, found)
    assert (source.kind, source.citations) == (SourceKind.PEER_REVIEWED, 412)
    assert source.published == dt.date(2024, 5, 6)
    (question,) = asked(engines)
    assert question["filter"] == [f"doi:{DOI}"]
    reasons = {factor.reason for factor in score_credibility(source, dt.date(2026, 1, 1)).factors}
    assert "kind: peer-reviewed" in reasons
    assert any(reason.startswith("cited at least") for reason in reasons)


async def test_a_pmid_and_a_paper_of_arxiv_are_known_as_well(engines: Engines) -> None:
    pubmed = {"ids": {"pmid": "https://pubmed.ncbi.nlm.nih.gov/123"}}
    preprint = {"primary_location": {"source": {"type": "repository"}}, "cited_by_count": 3}
    says(
        engines,
        openalex_work("", **pubmed) | {"doi": None},
        openalex_work("10.48550/arXiv.2404.03002", type="preprint", **preprint),
    )
    addresses = ("https://pubmed.ncbi.nlm.nih.gov/123/", "https://arxiv.org/pdf/2404.03002")
    article, paper = await told(engines, Found(addresses))
    assert (article.kind, article.citations) == (SourceKind.PEER_REVIEWED, 412)
    assert (paper.kind, paper.citations) == (SourceKind.PREPRINT, 3)
    filters = {name for question in asked(engines) for name in question["filter"]}
    assert filters == {"doi:10.48550/arxiv.2404.03002", "pmid:123"}


@pytest.mark.parametrize(
    ("facts", "kind"),
    [
        ({"type": "dataset"}, SourceKind.DATASET),
        ({"type": "review"}, SourceKind.PEER_REVIEWED),
        ({"type": "editorial"}, SourceKind.UNKNOWN),
        ({"primary_location": None}, SourceKind.UNKNOWN),
        ({"primary_location": {"source": {"type": "repository"}}}, SourceKind.PREPRINT),
        ({"type": None, "cited_by_count": "many", "ids": None}, SourceKind.UNKNOWN),
    ],
)
async def test_only_what_a_venue_has_reviewed_counts_as_reviewed(
    engines: Engines, facts: dict[str, object], kind: SourceKind
) -> None:
    says(engines, openalex_work(DOI, **facts))
    (source,) = await told(engines, Found((AT_DOI,)))
    assert source.kind is kind


async def test_what_was_retracted_says_so_and_counts_as_no_publication(engines: Engines) -> None:
    says(engines, openalex_work(DOI, is_retracted=True))
    (source,) = await told(engines, Found((AT_DOI,)))
    assert (source.title, source.kind) == ("Retracted: Io", SourceKind.UNKNOWN)
    assert source.citations is None


@pytest.mark.parametrize("reply", [status(500), status(429), page("{", JSON)])
async def test_a_catalogue_that_does_not_answer_costs_no_result(
    engines: Engines, reply: object, caplog: pytest.LogCaptureFixture
) -> None:
    engines.web.pages[f"{HOST}/works"] = reply  # type: ignore[assignment]  # a table
    engine = Catalogued(Found((AT_DOI,)), catalogue(engines))
    for _ in range(2):
        (hit,) = (await engine.search(a_task())).hits
        assert hit.source.citations is None
    assert len(asked(engines)) == 1
    assert "kinds and citations are not known" in caplog.text


async def test_addresses_that_name_no_work_ask_nothing(engines: Engines) -> None:
    (source,) = await told(engines, Found(("https://moons.test/io",)))
    assert source.citations is None
    assert asked(engines) == []


async def test_its_own_search_knows_what_it_finds(engines: Engines) -> None:
    says(engines, json.loads(json.dumps(openalex_work(DOI))))
    (hit,) = (await catalogue(engines).search(a_task(limit=5))).hits
    assert hit.source.url == "https://moons.test/io"
    assert hit.source.also_at == (AT_DOI,)
    assert (hit.source.kind, hit.source.citations) == (SourceKind.PEER_REVIEWED, 412)
    (question,) = asked(engines)
    assert (question["search"], question["per-page"]) == (["moons of Jupiter"], ["5"])
