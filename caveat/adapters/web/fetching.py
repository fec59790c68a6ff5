"""One page: where it goes, what it may cost, whether the site wants it read, and why it is not."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import Message

from caveat.adapters.documents.loaded import DocumentFormat
from caveat.adapters.http.client import Client, HttpAnswer, Request
from caveat.adapters.http.failures import (
    FAULTS,
    Fault,
    build_http_failure,
    find_meaning,
    parse_retry_after,
)
from caveat.adapters.http.manners import Manners
from caveat.adapters.http.meanings import CLOSED, WITHHELD, Meaning, RefusalError
from caveat.adapters.http.target import Target
from caveat.adapters.web.robots import Robots, fetch_robots_file
from caveat.contracts.envelope import FailureCategory
from caveat.failures import PortFailure

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_WHOLE = frozenset({200, 203})
_LONGEST_REST_S = 24 * 3600.0  # seconds; a host that asks for more is asked again tomorrow

_TYPES: Mapping[str, DocumentFormat] = {
    "text/html": DocumentFormat.PAGE,
    "application/xhtml+xml": DocumentFormat.PAGE,
    "application/pdf": DocumentFormat.PDF,
    "application/x-pdf": DocumentFormat.PDF,
    "text/plain": DocumentFormat.PLAIN,
    "text/markdown": DocumentFormat.MARKDOWN,
    "text/x-markdown": DocumentFormat.MARKDOWN,
}
_ACCEPT = "text/html, application/xhtml+xml, application/pdf, text/markdown, text/plain;q=0.9"
"""What a request asks for; what comes is checked against the list all the same."""


@dataclass(frozen=True)
class Limits:
    # seconds on the network, redirects and robots.txt included; a body that drips does not outlive
    # it
    total_s: float = 20.0
    # seconds to wait in line for a polite moment, on top of `total_s`; the rest of the reading's
    # minute is for extracting the text
    patience_s: float = 15.0
    redirects: int = 5  # how many are followed; browsers follow 20, real pages need three
    # of a page, after decompression. 2 MB of HTML hold more words than a novel.
    text_bytes: int = 2 * 1000 * 1000
    pdf_bytes: int = 20 * 1000 * 1000  # of a PDF, after decompression; what a corpus takes as well


@dataclass(frozen=True)
class Page:
    url: str  # where it was in the end, after redirects
    written_in: DocumentFormat
    charset: str | None  # the encoding that its server states, if it does
    body: bytes = field(repr=False)  # its bytes, unpacked


@dataclass(frozen=True)
class Fetcher:
    """Fetches pages, politely and within bounds."""

    client: Client  # sends requests; its backend decides which addresses are reached
    robots: Robots
    manners: Manners = field(default_factory=Manners)  # the lines of requests to each host
    limits: Limits = field(default_factory=Limits)  # what a page may cost

    async def fetch(self, url: str) -> Page:
        host = ""
        left_s, patience_s = self.limits.total_s, self.limits.patience_s
        try:
            target = Target.from_url(url)
            for _ in range(self.limits.redirects + 1):
                host, began = target.host, time.monotonic()
                async with self.manners.turn(host, patience_s):
                    started = time.monotonic()
                    patience_s -= started - began
                    async with asyncio.timeout(left_s):
                        answer = await self._request_page(target)
                    left_s -= time.monotonic() - started
                location = answer.get_header("location")
                if answer.status not in _REDIRECTS or not location:
                    break
                target = target.follow_redirect(location)
        except FAULTS as fault:
            raise translate_ending(fault, url=url, host=host) from fault
        if answer.status in _REDIRECTS and location:
            raise translate_ending(RefusalError("redirects too often"), url=url, host=host)
        if answer.status not in _WHOLE:
            wait_s = parse_retry_after(answer.get_header("retry-after"))
            if wait_s is not None and answer.status in {429, 503}:
                self.manners.rest(answer.target.host, min(wait_s, _LONGEST_REST_S))
            raise translate_ending(answer, url=url, host=host)
        content_type = answer.get_header("content-type")
        message = Message()
        message["Content-Type"] = " ".join(content_type.split())
        charset = message.get_param("charset")
        stated = charset if isinstance(charset, str) and charset else None
        return Page(answer.target.url, _parse_format(content_type), stated, answer.body)

    async def _request_page(self, target: Target) -> HttpAnswer:
        delay_s = await self.robots.check(
            target, lambda: fetch_robots_file(self.client, target, self.limits.redirects)
        )
        self.manners.slow_down(target.host, delay_s)
        return await self.client.send(Request(target, {"Accept": _ACCEPT}), self._limit_body)

    def _limit_body(self, head: HttpAnswer) -> int:
        if head.status not in _WHOLE:
            return 0
        is_pdf = _parse_format(head.get_header("content-type")) is DocumentFormat.PDF
        return self.limits.pdf_bytes if is_pdf else self.limits.text_bytes


def _parse_format(content_type: str) -> DocumentFormat:
    written_in = _TYPES.get(content_type.partition(";")[0].strip().lower())
    if written_in is None:
        raise RefusalError("is neither HTML nor PDF nor plain text")
    return written_in


_LONGEST_WAIT_S = 120.0
"""Seconds that a task waits for one host at most. A host that asks for more is left alone as long
as it asked, and the run continues without that page."""

_STATUSES: dict[int, Meaning] = {
    2: (*WITHHELD, "holds nothing"),
    3: (*WITHHELD, "leads nowhere"),
    401: (*CLOSED, "is open to those who log in only"),
    402: (*CLOSED, "is open to those who pay only"),
    403: (*CLOSED, "may not be read by this program"),
}
"""What is not to be had for one reader is to be had elsewhere."""


def translate_ending(ended: HttpAnswer | Fault, *, url: str, host: str) -> PortFailure:
    """Translate what stopped a fetch: an answer without a page, or an error.

    Args:
        host: the last one asked, named as the provider of its own failures.
    """
    _, category, _ = find_meaning(ended, _STATUSES)
    # A page that says itself that it is for sale says nothing of its host's other pages.
    is_refusal = category is FailureCategory.PERMISSION and isinstance(ended, HttpAnswer)
    is_of_host = is_refusal or category is FailureCategory.TRANSIENT
    return build_http_failure(
        ended,
        subject=f"The page at {host or url[:100]}",
        resource=url[:500],
        provider=host if is_of_host else None,
        longest_wait_s=_LONGEST_WAIT_S,
        statuses=_STATUSES,
    )
