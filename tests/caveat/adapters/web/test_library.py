"""Pages to documents, and the web beside a corpus."""

import datetime as dt
from dataclasses import dataclass, field
from typing import Any

import pytest
from markdown_it import MarkdownIt

from caveat.adapters.files.typst.compositor import compose
from caveat.adapters.web.library import SeveralLibraries, WebLibrary
from caveat.contracts.envelope import Failure, FailureCategory, FailureType
from caveat.contracts.plan import Inventory
from caveat.contracts.source import Snapshot, SourceKind, SourceRef
from caveat.failures import PortFailure, invalid
from caveat.ports import Document
from caveat.rendering.markdown import render
from tests.fakes.failures import failure_of
from tests.fakes.reports import a_report
from tests.fakes.swelling import pdf
from tests.fakes.web import ARTICLE, PARAGRAPH, Web, page, redirect, status

URL = "http://moons.test/io"
SOURCE = SourceRef(id="s-0123456789", title="Found title …", url=URL)


async def read(web: Web, source: SourceRef = SOURCE) -> Document:
    return await WebLibrary(web.fetcher()).read(source)


async def failure(web: Web) -> Failure:
    return await failure_of(read(web))


async def test_a_page_becomes_text_with_headings_and_metadata(web: Web) -> None:
    web.pages["moons.test/io"] = page(ARTICLE)
    document = await read(web)
    text = document.snapshot.text
    assert text.split("\n\n") == [
        "Io",
        PARAGRAPH,
        "Volcanoes",
        PARAGRAPH.replace("Io", "This moon"),
        "Loki Patera",
        "Pele",
        "Name\tWidth",
        "Loki\t202 km",
    ]
    assert document.snapshot.find_location(text.index("Loki")) == "Io › Volcanoes"
    assert document.source == SourceRef(
        id=SOURCE.id,
        title="Io, a moon",
        url=URL,
        published=dt.date(2024, 5, 6),
        kind=SourceKind.NEWS,
    )


async def test_a_page_whose_main_text_is_missed_is_read_whole(web: Web) -> None:
    """As manuals made by DocBook are: their text stands in divisions that look like furniture."""
    prose = "".join(
        f'<div class="footer-links sidebar"><p>{PARAGRAPH} {number}</p></div>'
        for number in range(5)
    )
    web.pages["moons.test/io"] = page(f"<body><p>Start.</p>{prose}</body>")
    text = (await read(web)).snapshot.text
    assert text.count(PARAGRAPH) == 5


async def test_a_pdf_becomes_text(web: Web) -> None:
    web.pages["moons.test/io"] = page(pdf(b"(Io has volcanoes.) Tj"), "application/pdf")
    document = await read(web)
    assert document.snapshot.text == "Io has volcanoes."
    assert document.snapshot.find_location(0) == "p. 1"
    assert document.source.title == SOURCE.title


@pytest.mark.parametrize(
    ("body", "content_type", "said"),
    [
        (b"no pdf", "application/pdf", "PDF"),
        (b"", "text/html", "no text"),
        (b"<script>document.write('Io')</script>", "text/html", "scripts"),
        (b"<p>\xff\xfe\xfd\x81\x90", "text/html; charset=nonsense", "encoding"),
        (b"<p>\xff\xfe\xfd\x81\x90", "text/html; charset=hex", "encoding"),
    ],
)
async def test_a_page_that_holds_nothing_readable_fails_by_name(
    web: Web, body: bytes, content_type: str, said: str
) -> None:
    web.pages["moons.test/io"] = page(body, content_type)
    failed = await failure(web)
    assert failed.failure_type is FailureType.PERMANENT
    assert said in failed.message
    assert failed.resource == URL
    assert "caveat-" not in failed.message


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (render(a_report()).encode(), "text/markdown"),
        (MarkdownIt().enable("table").render(render(a_report())).encode(), "text/html"),
        (compose(a_report()), "application/pdf"),
        (a_report().model_dump_json().encode(), "text/plain"),
    ],
)
async def test_a_report_of_ours_is_no_source(web: Web, body: bytes, content_type: str) -> None:
    web.pages["moons.test/io"] = page(body, content_type)
    failed = await failure(web)
    assert failed.failure_type is FailureType.PERMANENT
    assert "is a report of Caveat's own, which is no source" in failed.message


@pytest.mark.parametrize("depth", [10_000, 200_000])
async def test_deep_nesting_keeps_nobody_busy(web: Web, depth: int) -> None:
    """A parser that is quadratic in depth took four minutes for this."""
    web.pages["moons.test/io"] = page(f"<p>{PARAGRAPH}</p>" + "<div>" * depth + "<p>deep")
    assert PARAGRAPH in (await read(web)).snapshot.text


def linked(data: str) -> str:
    return f'<script type="application/ld+json">{data}</script>'


PAID = [
    linked('{"@type": "Article", "isAccessibleForFree": false}'),
    linked('[{"@graph": [{"isAccessibleForFree": "False"}]}]'),
    linked('{"hasPart": {"isAccessibleForFree": "http://schema.org/False"}}'),
    '<meta itemprop="isAccessibleForFree" content="false">',
    '<meta property="article:content_tier" content="locked">',
    '<meta property="article:content_tier" content="metered">',
]


@pytest.mark.parametrize("mark", PAID)
async def test_a_page_that_says_it_is_for_sale_is_not_read(web: Web, mark: str) -> None:
    web.pages["moons.test/io"] = page(ARTICLE.replace("</head>", f"{mark}</head>"))
    failed = await failure(web)
    assert (failed.failure_type, failed.category) == (
        FailureType.AUTH_ERROR, FailureCategory.PERMISSION,
    )  # fmt: skip
    assert failed.provider is None


FREE = [
    linked('{"isAccessibleForFree": true}'),
    linked('{"itemListElement": [{"isAccessibleForFree": false}]}'),
    linked('{"isAccessibleForFree": "True"} nonsense'),
    '<meta property="article:content_tier" content="free">',
    f'<div class="paywall-template"></div><p>{PARAGRAPH * 12}</p>',
]


@pytest.mark.parametrize("mark", FREE)
async def test_a_free_page_is_read(web: Web, mark: str) -> None:
    web.pages["moons.test/io"] = page(ARTICLE.replace("<h2>", f"{mark}<h2>"))
    assert PARAGRAPH in (await read(web)).snapshot.text


async def test_a_beginning_behind_a_barrier_is_not_a_page(web: Web) -> None:
    web.pages["moons.test/io"] = page(
        ARTICLE.replace("</main>", '<p id="paywall-x">Buy.</p></main>')
    )
    assert (await failure(web)).failure_type is FailureType.AUTH_ERROR


@dataclass
class Shelf:
    """A library that notes what it is asked."""

    asked: list[object] = field(default_factory=list)

    async def take_stock(self, corpus: tuple[str, ...], *_: Any) -> Inventory:
        self.asked.append(corpus)
        if "/missing" in corpus:
            raise invalid("There is no such folder.", resource="/missing")
        return Inventory(corpus=corpus, documents=len(corpus))

    async def read(self, source: SourceRef) -> Document:
        self.asked.append(source.id)
        return Document(source=source, snapshot=Snapshot(text="text"))


def source(**where: str) -> SourceRef:
    return SourceRef(id="s-0123456789", title="A source", **where)


async def test_a_source_is_read_where_it_lies() -> None:
    corpus, web, server = Shelf(), Shelf(), Shelf()
    several = SeveralLibraries(corpus, web, read_from_server=server.read)
    await several.read(source(corpus="/c", path="a.md", url="https://doi.org/10.1/x"))
    assert (len(corpus.asked), len(web.asked)) == (1, 0)
    await several.read(source(url=URL))
    await several.read(source(url="mcp://notes/planck"))
    assert [len(each.asked) for each in (corpus, web, server)] == [1, 1, 1]
    with pytest.raises(PortFailure):
        await several.read(source())


async def test_a_default_corpus_is_taken_stock_of_unnamed(web: Web) -> None:
    corpus = Shelf()
    several = SeveralLibraries(corpus, WebLibrary(web.fetcher()), default_corpus=True)
    await several.take_stock(())
    assert corpus.asked == [()]


# A page that cannot be had says where else the same may be had; each is fetched like any other.


IO = "http://moons.test/io"
PAPER = "https://arxiv.org/pdf/2404.03002"


def at(url: str, *also: str) -> SourceRef:
    return SourceRef(id="s-0123456789", title="Io", url=url, also_at=also)


@pytest.fixture
def library(web: Web) -> WebLibrary:
    return WebLibrary(web.fetcher())


async def failure_at(library: WebLibrary, source: SourceRef) -> Failure:
    return await failure_of(library.read(source))


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (401, FailureType.AUTH_ERROR),
        (404, FailureType.NOT_FOUND),
        (451, FailureType.PERMANENT),
        (503, FailureType.UNAVAILABLE),
    ],
)
async def test_a_paper_whose_page_moved_is_offered_by_its_doi(
    web: Web, library: WebLibrary, code: int, kind: FailureType
) -> None:
    web.pages["journal.test/doi/10.1000/example"] = status(code)
    failure = await failure_at(library, at("http://journal.test/doi/10.1000/example"))
    assert failure.failure_type is kind
    assert failure.alternatives == ("https://doi.org/10.1000/example",) * (code == 404)


async def test_a_busy_host_is_waited_for(web: Web, library: WebLibrary) -> None:
    web.pages["journal.test/10.48550/arXiv.2404.03002"] = status(429)
    failure = await failure_at(library, at("http://journal.test/10.48550/arXiv.2404.03002"))
    assert failure.alternatives == ()


async def test_a_page_for_sale_has_known_addresses(web: Web, library: WebLibrary) -> None:
    for_sale = '<html><body><p itemprop="isAccessibleForFree">false</p></body></html>'
    web.pages["moons.test/io"] = page(for_sale)
    failure = await failure_at(library, at(IO, "https://doi.org/10.1000/example"))
    assert failure.failure_type is FailureType.AUTH_ERROR
    assert failure.alternatives == ("https://doi.org/10.1000/example",)


async def test_an_alternative_gets_no_further_than_others(web: Web, library: WebLibrary) -> None:
    web.pages["moons.test/io"] = status(404)
    inside = ("http://169.254.169.254/latest", "http://user@moons.test/", "file:///etc/passwd")
    failure = await failure_at(library, at(IO, *inside))
    # What can never be fetched is not offered; what is, is held against the same rules.
    assert failure.alternatives == ("http://169.254.169.254/latest",)
    asked = len(web.requests)
    refused = await failure_at(library, at(failure.alternatives[0]))
    assert refused.failure_type is FailureType.PERMANENT
    assert len(web.requests) == asked
    web.pages["arxiv.org/*"] = redirect("http://169.254.169.254/latest")
    assert (await failure_at(library, at(PAPER.replace("https", "http")))).failure_type is (
        FailureType.PERMANENT
    )


async def test_no_address_is_taken_out_of_a_page(web: Web, library: WebLibrary) -> None:
    lure = '<html><head><link rel="canonical" href="http://evil.test/"></head><body></body></html>'
    web.pages["moons.test/io"] = status(404, lure)
    assert (await failure_at(library, at(IO))).alternatives == ()
    web.pages["moons.test/io"] = page(lure)
    assert (await failure_at(library, at(IO))).alternatives == ()
