"""Answers of search engines, written from the vendors' public documentation; none was recorded."""

import json

_WIKI = "https://en.wikipedia.org/wiki"
WIKIPEDIA = json.dumps(
    {
        "batchcomplete": True,
        "query": {
            "pages": [
                {"title": "Galilean moons", "index": 2, "canonicalurl": f"{_WIKI}/Galilean_moons"},
                {"title": "Io (moon)", "index": 1, "canonicalurl": f"{_WIKI}/Io_(moon)"},
            ]
        },
    }
)


def wikipedia_error(code: str) -> str:
    return json.dumps({"error": {"code": code, "info": "secret words", "docref": "See …"}})


_FEED = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">
  <title type="html">ArXiv Query</title>
  <opensearch:totalResults>{total}</opensearch:totalResults>{entries}
</feed>"""
_PAPER = """
  <entry>
    <id>http://arxiv.org/abs/{id}</id>
    <published>{published}</published>
    <title>The tidal heating of Io,
  revisited</title>
    <summary>We revisit it.</summary>
    <link href="http://arxiv.org/abs/{id}" rel="alternate" type="text/html"/>
    <arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">10.1000/example</arxiv:doi>
  </entry>"""
ARXIV = _FEED.format(
    total=2,
    entries=_PAPER.format(id="2404.03002v2", published="2024-04-03T18:00:01Z")
    + _PAPER.format(id="astro-ph/0605141v1", published="2006-05-05T10:00:00Z"),
)
ARXIV_ERROR = _FEED.format(
    total=1,
    entries="""
  <entry>
    <id>http://arxiv.org/api/errors#incorrect_id_format_for_1234.12345</id>
    <title>Error</title>
    <summary>incorrect id format for 1234.12345</summary>
  </entry>""",
)

TAVILY = json.dumps(
    {
        "query": "moons of Jupiter", "answer": None,
        "results": [
            {"title": "Io", "url": "https://moons.test/io", "content": "Io is …", "score": 0.98,
             "raw_content": None, "published_date": "Mon, 06 May 2024 07:08:09 GMT"},
            {"title": "Europa", "url": "https://moons.test/europa", "content": "…", "score": 0.8},
        ],
    }
)  # fmt: skip

BRAVE = json.dumps(
    {
        "type": "search",
        "web": {
            "type": "search",
            "results": [
                {"title": "Io", "url": "https://moons.test/io", "description": "…",
                 "page_age": "2024-05-06T07:08:09", "age": "May 6, 2024"},
                {"title": "Callisto", "url": "https://moons.test/callisto", "description": "…"},
            ],
        },
    }
)  # fmt: skip

SEARXNG = json.dumps(
    {
        "query": "moons of Jupiter", "number_of_results": 0,
        "results": [
            {"url": "https://moons.test/io", "title": "Io", "content": "…", "engine": "brave",
             "publishedDate": "2024-05-06T00:00:00", "score": 4.0},
            {"url": "https://moons.test/ganymede", "title": "Ganymede", "content": "…"},
        ],
        "answers": [], "infoboxes": [], "suggestions": [], "unresponsive_engines": [],
    }
)  # fmt: skip
SEARXNG_DOWN = json.dumps(
    {"query": "q", "results": [], "unresponsive_engines": [["google", "CAPTCHA"]]}
)


def openalex(*works: dict[str, object]) -> str:
    """A page of OpenAlex, by docs.openalex.org/api-entities/works/work-object."""
    meta = {"count": len(works), "db_response_time_ms": 30, "page": 1, "per_page": 25}
    return json.dumps({"meta": meta, "results": works, "group_by": []})


def openalex_work(doi: str, **facts: object) -> dict[str, object]:
    """One work, reviewed and published by a journal unless told."""
    work: dict[str, object] = {
        "doi": f"https://doi.org/{doi}",
        "ids": {"openalex": "https://openalex.org/W1", "doi": f"https://doi.org/{doi}"},
        "display_name": "Io",
        "type": "article",
        "cited_by_count": 412,
        "publication_date": "2024-05-06",
        "is_retracted": False,
        "primary_location": {"source": {"display_name": "Moons", "type": "journal"}},
        "best_oa_location": {"pdf_url": None, "landing_page_url": "https://moons.test/io"},
    }
    return work | facts


OPENALEX = openalex(
    openalex_work("10.1000/Io"),
    openalex_work("10.1000/tides", best_oa_location=None, cited_by_count=0, publication_date=None),
)
