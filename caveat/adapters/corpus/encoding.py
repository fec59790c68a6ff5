"""Bytes to text, without guessing."""

import codecs

from charset_normalizer import from_bytes

from caveat.failures import invalid

_CANDIDATES = [
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "koi8_r", "cp932", "euc_jp", "gb18030",
    "big5", "euc_kr",
]  # fmt: skip
"""What text files were really written in before UTF-8; the other encodings that
charset-normalizer knows are mostly false alarms on short files."""

_CHAOS = 0.05
_COHERENCE = 0.3
"""Disorder and share of letters that fit a known language: right answers on a few sentences in
twelve languages had at most 0.04 and at least 0.35, binary data has more and less."""

_DETECTION_LIMIT = 64 * 1024
"""Bytes that are looked at; more only takes longer."""


def decoded(data: bytes, *, declared: str | None, name: str, resource: str) -> str:
    """Decode a text file.

    The order is a byte order mark, UTF-8 (hardly anything else is valid UTF-8 by accident), what
    the document declares, and charset-normalizer if it is sure.

    Args:
        data: the whole file.
        declared: the encoding that the document names, if it does.
        name: what to call the file in messages.
        resource: where the file is.

    Raises:
        PortFailure: the encoding cannot be told, or the file is no text.
    """
    text = _marked(data) or _utf8(data) or _declared(data, declared) or _detected(data)
    if text is None or "\x00" in text:
        raise invalid(
            f"The encoding of “{name}” cannot be told; saving it as UTF-8 makes it readable.",
            resource=resource,
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _marked(data: bytes) -> str | None:
    if data.startswith(codecs.BOM_UTF8):
        return _decode(data, "utf-8-sig")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _decode(data, "utf-16")
    return None


def _utf8(data: bytes) -> str | None:
    """Decode UTF-8; an escape character means one of the 7-bit encodings instead."""
    return None if b"\x1b" in data else _decode(data, "utf-8")


def _declared(data: bytes, encoding: str | None) -> str | None:
    if encoding is None:
        return None
    # Browsers read these two as Windows-1252, which pages really are in (WHATWG Encoding, 4.2).
    latin = encoding.strip().lower() in {"iso-8859-1", "latin1", "us-ascii", "ascii"}
    return _decode(data, "cp1252" if latin else encoding.strip())


def _detected(data: bytes) -> str | None:
    """Trust the detection only when no other candidate fits as well and reads differently."""
    matches = list(from_bytes(data[:_DETECTION_LIMIT], cp_isolation=_CANDIDATES))
    if not matches or matches[0].chaos > _CHAOS or matches[0].coherence < _COHERENCE:
        return None
    best, *others = matches
    tied = any(o.coherence >= best.coherence and str(o) != str(best) for o in others)
    return None if tied else _decode(data, best.encoding)


def _decode(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeError, LookupError):
        return None
