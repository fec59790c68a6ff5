"""Bytes to text: by the labels that browsers know, and without guessing."""

import codecs
import re

import webencodings

from caveat.adapters.documents.loaded import Unreadable

_CANDIDATES = [
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "koi8_r", "cp932", "euc_jp", "gb18030",
    "big5", "euc_kr", "mac_roman",
]  # fmt: skip
"""What text files were really written in before UTF-8; the other encodings that
charset-normalizer knows are mostly false alarms on short files."""

_CHAOS = 0.05
_COHERENCE = 0.3
"""Disorder and share of letters that fit a known language: right answers on a few sentences in
twelve languages had at most 0.04 and at least 0.35, binary data has more and less."""

_DETECTION_LIMIT = 64 * 1024  # bytes that are looked at; more only takes longer

_DECLARATIONS = (
    re.compile(rb"<meta[^>]{1,200}?charset\s*=\s*[\"']?\s*([\w:.-]+)", re.IGNORECASE),
    re.compile(rb"<\?xml[^>]{1,200}?encoding\s*=\s*[\"']([\w:.-]+)", re.IGNORECASE),
)
_DECLARATION_LIMIT = 4096
"""Bytes; HTML wants the declaration within the first 1,024, pages are not that strict."""


def decode_text(data: bytes, *, declared: str | None = None, forgiving: bool = False) -> str:
    """Decode a text.

    The order is a byte order mark, UTF-8 (hardly anything else is valid UTF-8 by accident), what is
    declared, and charset-normalizer if it is sure.

    Args:
        declared: the encoding that the document or its server names. Only the labels of the WHATWG
            Encoding Standard count: Python also knows codecs that are no encodings of text, and
            some of them are slow.
        forgiving: whether wrong bytes of a declared encoding are replaced, as browsers do, rather
            than cost the text.
    """
    if not data:
        return ""
    codec = _find_codec(declared)
    text = (
        _decode_by_bom(data)
        or _decode_utf8(data)
        or _decode(data, codec)
        or _decode_by_detection(data)
    )
    if text is None and forgiving and codec is not None:
        text = data.decode(codec, "replace")
    if text is None or "\x00" in text:
        raise Unreadable(
            "is in an encoding that cannot be told; saving it as UTF-8 makes it readable"
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def find_declared_encoding(markup: bytes) -> str | None:
    """Return the encoding that a page of HTML names in its first bytes, if it does."""
    matches = (pattern.search(markup[:_DECLARATION_LIMIT]) for pattern in _DECLARATIONS)
    return next((m.group(1).decode("ascii", "replace") for m in matches if m is not None), None)


def _find_codec(label: str | None) -> str | None:
    """Return the name of Python's codec for a label; latin-1 is Windows-1252, as pages are."""
    found = webencodings.lookup(label) if label else None
    return None if found is None else found.codec_info.name


def _decode_by_bom(data: bytes) -> str | None:
    if data.startswith(codecs.BOM_UTF8):
        return _decode(data, "utf-8-sig")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _decode(data, "utf-16")
    return None


def _decode_utf8(data: bytes) -> str | None:
    """Decode UTF-8; an escape character means one of the 7-bit encodings instead."""
    return None if b"\x1b" in data else _decode(data, "utf-8")


def _decode_by_detection(data: bytes) -> str | None:
    """Trust the detection only when no other candidate fits as well and reads differently."""
    from charset_normalizer import from_bytes  # noqa: PLC0415  # few texts are not UTF-8

    matches = list(from_bytes(data[:_DETECTION_LIMIT], cp_isolation=_CANDIDATES))
    if not matches or matches[0].chaos > _CHAOS or matches[0].coherence < _COHERENCE:
        return None
    best, *others = matches
    tied = any(o.coherence >= best.coherence and str(o) != str(best) for o in others)
    return None if tied else _decode(data, best.encoding)


def _decode(data: bytes, encoding: str | None) -> str | None:
    try:
        return data.decode(encoding) if encoding is not None else None
    except (UnicodeError, LookupError):
        return None
