"""A fetched page to text and metadata, whatever its kind."""

import asyncio
from collections.abc import Mapping

from caveat.adapters.documents.formats import DocumentFormat
from caveat.adapters.documents.loaded import Loaded, Unreadable, Why
from caveat.adapters.documents.readers import READERS
from caveat.adapters.http.refusals import Refusal, TooLarge
from caveat.adapters.web.fetching import Page
from caveat.adapters.web.media import Media
from caveat.adapters.web.refusals import Late, Paywalled, Useless

_FORMATS: Mapping[Media, DocumentFormat] = {
    Media.HTML: DocumentFormat.PAGE,
    Media.MARKDOWN: DocumentFormat.MARKDOWN,
    Media.PLAIN: DocumentFormat.PLAIN,
    Media.PDF: DocumentFormat.PDF,
}
_REFUSALS: Mapping[Why, type[Refusal]] = {
    Why.DAMAGED: Useless,
    Why.TOO_LARGE: TooLarge,
    Why.FOR_SALE: Paywalled,
    Why.LATE: Late,
}


async def loaded(page: Page) -> Loaded:
    """Take the text out of a page, in a process of its own.

    Raises:
        Refusal: it is damaged, locked, too large, for sale, or holds no text.
    """
    written_in = _FORMATS[page.media]
    try:
        found = await asyncio.wrap_future(READERS.submit(written_in, page.body, page.charset))
    except Unreadable as refusal:
        raise _REFUSALS[refusal.why](str(refusal)) from refusal
    if found.is_own_report:
        raise Useless("is a report of Caveat's own, which is no source")
    return found
