"""Bytes to text: by the labels that browsers know, and where the bytes allow one reading alone."""

import codecs
import re
import unicodedata
from functools import cache

import webencodings

from caveat.adapters.documents.loaded import Unreadable
from caveat.rules.lines import pluralise

_ALPHABETS = ["cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "koi8_r", "mac_roman"]
_EASTERN = ["cp932", "euc_jp", "gb18030", "big5", "euc_kr"]
"""What text files were really written in before UTF-8; others are false alarms on short files."""

_FEWEST = 16  # bytes from which text in two bytes a sign is told
_SPACES = frozenset("\t\n\r\f\v")
_SIGNS = frozenset("\xa0“”„‚‘’‹›«»–—…€£¥§°±²³µ×÷½¼¾©®™•·¡¿ºª№´")
"""Signs that are no letters and stand in everyday texts; others speak of a wrong encoding."""
_WITHIN = frozenset("\xa0’‘–—·")  # such signs inside a word
_MORE_LETTERS = {
    "de": "äöüß", "fr": "àâæçéèêëîïôœùûü", "en": "éè", "sv": "åäö", "es": "áéíóúñü", "tr": "çğıöşü",
}  # fmt: skip
"""Letters that few function words have."""

MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

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
    declared, and the one that its bytes allow.

    Args:
        declared: the encoding that the document or its server names. Only the labels of the WHATWG
            Encoding Standard count: Python also knows codecs that are no encodings of text, and
            some of them are slow.
        forgiving: whether wrong bytes of a declared encoding are replaced, as browsers do, rather
            than cost the text.
    """
    if not data:
        return ""
    named = webencodings.lookup(declared) if declared else None
    codec = named.codec_info.name if named else None  # of latin-1 Windows-1252, as pages are
    # Escapes announce an encoding of 7 bits, and a zero two bytes a sign.
    likely = "iso2022_jp" if b"\x1b$" in data else "utf-8"
    wide = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
    by_mark = ((wide, "utf-32"), (MARKS[:1], "utf-8-sig"), (MARKS[1:], "utf-16"))
    text = (
        next((_decode(data, name) for marks, name in by_mark if data.startswith(marks)), None)
        or (None if b"\0" in data else _decode(data, likely))
        or _decode(data, codec)
        or _decode(data, _find_wide_encoding(data))
    )
    if text is None and len(readings := _find_readings(data)) == 1:
        text = _decode(data, *readings.values())
    if text is None and forgiving and codec is not None:
        text = data.decode(codec, "replace")
    if text is None or "\x00" in text:
        raise Unreadable(_list_readings(data))
    text = _COLOURS.sub("", text) if "\x1b" in text else text
    return text.replace("\r\n", "\n").replace("\r", "\n")


_COLOURS = re.compile(r"\x1b\[[\d;]*[A-Za-z]")
"""What terminals take for colours."""


def decode_or_replace(data: bytes, declared: str | None) -> tuple[str, str]:
    """Decode a part of a document that must not cost the others.

    Returns:
        the text, and what is lost of it, if anything.
    """
    try:
        return decode_text(data, declared=declared, forgiving=True), ""
    except Unreadable:
        text = data.decode("ascii", "replace").replace("\r\n", "\n").replace("\x00", "\ufffd")
        named = f" ({declared})" if declared else ""
        signs = pluralise("sign", count := text.count("\ufffd"))
        return text, f"{count} {signs} in an encoding that cannot be told{named}, shown as \ufffd"


def find_declared_encoding(markup: bytes) -> str | None:
    """Return the encoding that a page of HTML names in its first bytes, if it does."""
    matches = (pattern.search(markup[:_DECLARATION_LIMIT]) for pattern in _DECLARATIONS)
    return next((m.group(1).decode("ascii", "replace") for m in matches if m is not None), None)


def _find_wide_encoding(data: bytes) -> str | None:
    """Tell UTF-16 without a mark: bytes of Latin text, and of line ends, are zero."""
    sample = data[:_DETECTION_LIMIT]
    if len(data) % 2 or len(sample) < _FEWEST:
        return None
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if max(even, odd) * 10 < len(sample) // 2 or min(even, odd) * 50 > len(sample):
        return None
    if (even + odd) * 4 < len(sample) and _decode(data, "utf-8") is not None:
        return None  # a text with a few zeros
    return "utf-16-le" if odd > even else "utf-16-be"


def _find_readings(data: bytes) -> dict[str, str]:
    """Map the texts that the bytes may be to an encoding of each; by language if it decides."""
    from charset_normalizer import from_bytes  # noqa: PLC0415  # few texts are not UTF-8

    from caveat.rules.text.words import detect_language  # noqa: PLC0415  # as few need it

    if len(data) > _DETECTION_LIMIT:
        odd = b"\n".join(line for line in data.split(b"\n") if not line.isascii())
        data = odd[:_DETECTION_LIMIT].rpartition(b"\n")[0] or odd[:_DETECTION_LIMIT]
    readings: dict[str, str] = {}
    for encoding in _ALPHABETS:
        text = _decode(data, encoding)
        if text is not None and _is_plausible(text):
            readings.setdefault(text, encoding)
    if not readings and (best := from_bytes(data, cp_isolation=_EASTERN).best()):
        return {str(best): best.encoding}
    if len(readings) > 1:
        fits = [t for t in readings if _list_foreign(t) <= _list_letters(detect_language(t))]
        readings = {fits[0]: readings[fits[0]]} if len(fits) == 1 else readings
    return readings


def _list_readings(data: bytes) -> str:
    """Say that an encoding cannot be told, and between which it is to be decided."""
    problem = "is in an encoding that cannot be told; saving it as UTF-8 makes it readable"
    shown = [
        f"{encoding} (“{''.join(sorted(_list_foreign(text)))[:10]}”)"
        for text, encoding in _find_readings(data).items()
    ]
    return f"{problem} (it may be {' or '.join(shown[:4])})" if shown else problem


def _list_foreign(text: str) -> frozenset[str]:
    return frozenset(sign for sign in text.lower() if sign > "\x7f" and sign.isalpha())


@cache
def _list_letters(language: str) -> frozenset[str]:
    """Return the letters beyond ASCII in the function words of a language."""
    from stop_words import get_stop_words  # noqa: PLC0415  # few texts are not UTF-8

    return _list_foreign("".join(get_stop_words(language)) + _MORE_LETTERS.get(language, ""))


def _is_plausible(text: str) -> bool:
    """Whether the signs beyond ASCII stand as in writing: in words of one script and one case."""
    if any(unicodedata.category(sign) in {"Cc", "Cn", "Co"} for sign in set(text) - _SPACES):
        return False
    if any(sign > "\x7f" and not sign.isalpha() for sign in set(text) - _SIGNS):
        return False
    if set(re.findall(r"(?=[^\W\d_]([^\x00-\x7f\w])[^\W\d_])", text)) - _WITHIN:
        return False
    return all(map(_is_plausible_word, set(re.findall(r"[^\W\d_]+", text))))


def _is_plausible_word(word: str) -> bool:
    if word.isascii():
        return True
    scripts = {_name_script(letter) for letter in word}
    if len(scripts) > 1 or not (word.islower() or word.isupper() or word[1:].islower()):
        return False
    foreign = sum(letter > "\x7f" for letter in word)
    return scripts != {"LATIN"} or len(word) < 3 or foreign * 4 <= 3 * len(word)


@cache
def _name_script(letter: str) -> str:
    return unicodedata.name(letter, "?").partition(" ")[0]


def _decode(data: bytes, encoding: str | None) -> str | None:
    try:
        return data.decode(encoding) if encoding is not None else None
    except (UnicodeError, LookupError):
        return None
