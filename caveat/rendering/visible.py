"""Text of strangers without the signs that readers obey and do not see, and without links."""

import re
import unicodedata

_JOINERS = "\u200c\u200d"
"""Persian, many scripts of India and emoji are misspelt without them, and they move nothing."""

_LINES = "\n\t"
"""Controls that are white space; whoever shows a text on one line takes them out there."""

_AUTOLINKED = re.compile(r"(?<=\w):(?=//)|(?<=\bwww)\.", re.IGNORECASE)


def visible(text: str) -> str:
    """Take out controls, and what turns the direction of writing or hides words.

    Control characters and separators of lines become spaces, since they stand between words;
    format characters (bidirectional controls, soft hyphens, zero widths, tags) go, since they
    stand inside them.
    """
    return "".join(map(_shown, text))


def _shown(sign: str) -> str:
    if sign in _JOINERS or sign in _LINES:
        return sign
    match unicodedata.category(sign):
        case "Cc" | "Zl" | "Zp":
            return " "
        case "Cf":
            return ""
        case _:
            return sign


def unlinked(markdown: str) -> str:
    """Escape what viewers that know GitHub's Markdown make links of, without any markup around."""
    return _AUTOLINKED.sub(r"\\\g<0>", markdown)
