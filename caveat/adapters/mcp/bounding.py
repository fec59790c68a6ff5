"""Answers over HTTP, broken off where they are longer than any answer should be."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import cast

import httpx2

UNPACKED = {"Accept-Encoding": "identity"}
"""What requests carry: of a packed answer few bytes could become many."""


def bounded(most: int) -> Callable[[httpx2.Response], Awaitable[None]]:
    """Make what a client calls with each answer before it reads it.

    Args:
        most: bytes of one answer's body.
    """

    async def bound(answer: httpx2.Response) -> None:
        if answer.headers.get("Content-Encoding", "identity").strip().lower() != "identity":
            raise httpx2.ReadError("It answers packed, unasked.", request=answer.request)
        answer.stream = _Counted(cast("httpx2.AsyncByteStream", answer.stream), most)

    return bound


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, most: int) -> None:
        self._inner = inner
        self._left = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._inner:
            self._left -= len(part)
            if self._left < 0:
                raise httpx2.ReadError("It answers with more than an answer may have.")
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()
