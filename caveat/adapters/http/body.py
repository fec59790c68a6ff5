"""Bodies in bounded memory, whatever they unpack to."""

import asyncio
import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from caveat.adapters.http.meanings import Malformed, TooLarge, WrongType

_AT_A_STRETCH = 64
"""Chunks that are taken before others have their turn: those that arrived together come without any
waiting, and a server may make them as small as a byte."""
_GZIP = 16 + zlib.MAX_WBITS  # zlib's way of asking for a gzip header (RFC 1952)


async def bounded(chunks: AsyncIterator[bytes], encoding: str, limit: int) -> bytes:
    """Collect a body.

    Args:
        chunks: the bytes as they come.
        encoding: the header `Content-Encoding`; identity (or none) and gzip are understood.
        limit: bytes, before and after decompression.

    Raises:
        TooLarge: there is more; no more than the limit is ever unpacked.
        WrongType: the encoding is another.
        Malformed: the compressed data is damaged or breaks off.
    """
    body = _body(encoding, limit)
    total = count = 0
    async for chunk in chunks:
        total += len(chunk)
        count += 1
        if count % _AT_A_STRETCH == 0:
            await asyncio.sleep(0)
        if total > limit:
            raise _too_large(limit)
        body.add(chunk)
    return body.finish()


def _body(encoding: str, limit: int) -> "_Plain | _Gzip":
    match encoding.strip().lower():
        case "" | "identity":
            return _Plain()
        case "gzip" | "x-gzip":  # RFC 9110, 8.4.1.3: the same
            return _Gzip(limit)
    raise WrongType("comes in an encoding that was not asked for")


@dataclass
class _Plain:
    _data: bytearray = field(default_factory=bytearray)

    def add(self, chunk: bytes) -> None:
        self._data += chunk

    def finish(self) -> bytes:
        return bytes(self._data)


@dataclass
class _Gzip:
    limit: int
    _data: bytearray = field(default_factory=bytearray)
    _member: "zlib._Decompress" = field(default_factory=lambda: zlib.decompressobj(_GZIP))

    def add(self, chunk: bytes) -> None:
        while chunk:
            if self._member.eof:  # a gzip file may consist of several members (RFC 1952, 2.2)
                self._member = zlib.decompressobj(_GZIP)
            # One byte more than may be kept tells a body that is too large from a full one.
            room = self.limit + 1 - len(self._data)
            try:
                self._data += self._member.decompress(chunk, room)
            except zlib.error:
                raise Malformed("sends compressed data that is damaged") from None
            if len(self._data) > self.limit:
                raise _too_large(self.limit)
            chunk = self._member.unused_data or self._member.unconsumed_tail

    def finish(self) -> bytes:
        if not self._member.eof:
            raise Malformed("sends compressed data that breaks off")
        return bytes(self._data)


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"has more than the {limit / 1e6:g} MB that are read of it")
