"""Text of strangers without the signs that readers and terminals obey and do not show."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

_JOINERS = "\u200c\u200d"
"""Persian, many scripts of India and emoji are misspelt without them, and they move nothing."""

_LINES = "\n\t"  # Controls that are white space; they are removed where a text is shown on one line

_REPLACEMENTS = {"Cc": " ", "Zl": " ", "Zp": " ", "Cf": "", "Cs": "\N{REPLACEMENT CHARACTER}"}
"""By Unicode category: controls, separators of lines and paragraphs, formats, lone surrogates."""

_AUTOLINKED = re.compile(r"(?<=\w):(?=//)|(?<=\bwww)\.", re.IGNORECASE)


def sanitize_text(text: str) -> str:
    """Remove controls and signs that reorder or hide text."""
    # Control characters and separators of lines become spaces, since they stand between words;
    # format characters (bidirectional controls, soft hyphens, zero widths, tags) go, since they
    # stand inside them. Lone surrogates, which nothing can write, become the sign for what is lost.
    visible = f"{_JOINERS}{_LINES}"
    return "".join(
        sign if sign in visible else _REPLACEMENTS.get(unicodedata.category(sign), sign)
        for sign in text
    )


def sanitize_line(text: str) -> str:
    """Remove the same and line breaks, for one line of a terminal."""
    return "".join(" " if sign in _LINES else sign for sign in sanitize_text(text))


def is_control(sign: str) -> bool:
    """Whether a program may obey a character instead of showing it."""
    return unicodedata.category(sign) in _REPLACEMENTS


_ACTIVE = re.compile(r"([\\`*_\[\]<>|~&$])")
_LEADING = re.compile(r"^(?:(\d+)([.)])(?=\s|$)|([#+=-]))")


def escape_markdown(text: str) -> str:
    """Write a text on one line of Markdown so that exactly its words are shown."""
    # At the start of a line a hash, a dash or "1." would begin a block.
    return _LEADING.sub(lambda m: f"{m[1]}\\{m[2]}" if m[1] else f"\\{m[3]}", escape_inline(text))


def escape_inline(text: str) -> str:
    """Escape markup, and bare addresses that viewers turn into links."""
    line = _ACTIVE.sub(r"\\\1", " ".join(sanitize_text(text).split()))
    return _AUTOLINKED.sub(r"\\\g<0>", line)


def render_table(head: Sequence[str], rows: Iterable[Sequence[str]], gap: str = "") -> str:
    """Render a table of cells that are Markdown already, each with a gap behind it."""
    lines = [[f"{cell}{gap}" for cell in cells] for cells in (head, *rows)]
    lines.insert(1, ["---"] * len(head))
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
