"""Lines: texts on one line, shortened, joined and cut into words."""

import re
from collections.abc import Sequence

RUN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff\u31f0-\u31ff\uac00-\ud7af"
"""Scripts that write words without spaces, and Hangul, whose words carry their particles."""

CUT = re.compile(rf"[{RUN}]+|[^\W_{RUN}]+")

_ASCII = bytes(range(128))
_SPACED = bytes(code if chr(code).isalnum() else 32 for code in _ASCII).ljust(256)


def build_word_list(*lines: str) -> tuple[str, ...]:
    return tuple(" ".join(lines).split())


def list_beyond_ascii(text: str) -> str:
    """Return the characters of a text that are beyond ASCII, in a tenth of a pattern's time."""
    return (
        text.encode(errors="surrogatepass").translate(None, _ASCII).decode(errors="surrogatepass")
    )


def cut_words(text: str) -> list[str]:
    """Cut a text into words, as `CUT` does; ten times as fast where no letter is beyond ASCII."""
    if any(map(str.isalnum, list_beyond_ascii(text))):
        return CUT.findall(text)
    return text.encode("ascii", "replace").translate(_SPACED).decode("ascii").split()


def collapse_spaces(text: str) -> str:
    """Write a text on one line, each white space as one space: as passages have it."""
    return " ".join(text.split())


def shorten(text: str, limit: int) -> str:
    """Put a text on one line and cut it between words to at most `limit` characters."""
    line = collapse_spaces(text)
    if len(line) <= limit:
        return line
    cut = line[:limit].rsplit(" ", 1)[0]
    return cut[: limit - 1].rstrip(" ,;:–-") + "…"


def pluralise(noun: str, count: int) -> str:
    return noun if count == 1 else f"{noun}s"


def join_names(names: Sequence[str]) -> str:
    """Write names as `one`, `one and two` or `one, two and three`."""
    *firsts, last = names
    return f"{', '.join(firsts)} and {last}" if firsts else last


_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def spell_number(count: int) -> str:
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)


DROPPED = re.compile(r"[0-9a-f]{16}")
"""The name of a folder of documents that were dropped onto the page, or named one by one."""


def name_folder(folder: str) -> str:
    """Name a folder as people know it: of dropped documents they do not know the folder."""
    return "your documents" if DROPPED.fullmatch(folder.rpartition("/")[2]) else folder
