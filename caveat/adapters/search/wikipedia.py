"""Wikipedia, by the search of MediaWiki's Action API."""

from dataclasses import dataclass

from caveat.adapters.http.meanings import BUSY, CLOSED, DOWN, TIMEOUT, UNFIT, Meaning
from caveat.adapters.results import Result, build_results, find_objects, find_text
from caveat.adapters.search.asking import MALFORMED, HttpEngine, build_failure
from caveat.contracts.source import SearchResults, SourceKind
from caveat.contracts.tasks import SearchTask

_MOST = 50  # results that anonymous callers get at once, help of `list=search`
_LONGEST = 300  # bytes of a query, the search's own bound

_ERROR: Meaning = (*DOWN, "reports an error of its own")
_CODES: dict[str, Meaning] = {
    "maxlag": (*DOWN, "is behind with its own work"),
    "ratelimited": (*BUSY, "wants fewer queries"),
    "readonly": (*DOWN, "is being maintained"),
    "internal_api_error": _ERROR,
    "search-error": _ERROR,
    "cirrussearch-backend-error": _ERROR,
    "cirrussearch-too-busy-error": (*BUSY, "has too many searches"),
    "srsearch-timeout": (*TIMEOUT, "did not finish the search in time"),
    "blocked": (*CLOSED, "has blocked this address"),
    "badvalue": (*UNFIT, "does not understand the query"),
    "missingparam": (*UNFIT, "does not understand the query"),
    "cirrussearch-query-too-long": (*UNFIT, "finds the query too long"),
}
"""Errors come in an answer of HTTP 200 (mediawiki.org, API:Errors and warnings)."""


@dataclass(frozen=True)
class Wikipedia(HttpEngine):
    """Searches the English one, or that of `WIKIPEDIA_LANGUAGE`."""

    name = "wikipedia"

    async def search(self, task: SearchTask) -> SearchResults:
        language = self.setting("WIKIPEDIA_LANGUAGE") or "en"
        answer = await self.ask(
            f"{self.base or f'https://{language}.wikipedia.org'}/w/api.php",
            {
                "action": "query",
                "format": "json",
                "formatversion": "2",
                "generator": "search",
                "gsrsearch": task.query.encode()[:_LONGEST].decode(errors="ignore"),
                "gsrnamespace": "0",
                "gsrlimit": str(min(task.limit, _MOST)),
                "prop": "info",
                "inprop": "url",
            },
            query=task.query,
        )
        parsed = self.parse_json(answer)
        error = parsed.get("error")
        if isinstance(error, dict):
            meaning = _CODES.get(find_text(error, "code"), MALFORMED)
            wait = answer.get_header("retry-after")
            raise build_failure(self.name, meaning, query=task.query, retry_after=wait)
        # They come in order of their numbers; `index` holds the search's order.
        ranked = [(page.get("index"), page) for page in find_objects(parsed, "query", "pages")]
        pages = sorted(ranked, key=lambda each: each[0] if isinstance(each[0], int) else _MOST)
        articles = (
            Result(
                url=find_text(page, "canonicalurl", "fullurl"),
                title=find_text(page, "title"),
                kind=SourceKind.ENCYCLOPEDIA,
            )
            for _, page in pages
        )
        return build_results(task.query, articles, task.limit)
