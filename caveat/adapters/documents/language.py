"""Whether what a document holds as text is text: fonts may show what no character says."""

import unicodedata

_LEADERS = frozenset(".…_-–—·|=*•")
_VOWELS = frozenset("aeiouyæœøı")
_LOOKED_AT = 2_000
_FEW = 20
_ENOUGH = 100  # signs and Latin letters from which anything can be said of them
_UNKNOWN = 0.2
_SIGNS = 0.4  # share of what is no character, and of letters and figures, at most and at least
_OPEN = 0.22
"""Share of vowels among Latin letters: 0.36 in languages, some 0.15 in shifted alphabets."""


def is_language(text: str) -> bool:
    """Tell text from signs that a font shows as other ones; of a few nothing is said."""
    signs = [sign for sign in text[:_LOOKED_AT] if not sign.isspace() and sign not in _LEADERS]
    if len(signs) < _FEW:
        return True
    if sum(map(_is_unknown, signs)) > _UNKNOWN * len(signs):
        return False
    if sum(map(str.isalnum, signs)) < _SIGNS * len(signs):
        return False
    folded = unicodedata.normalize("NFD", "".join(signs).lower())
    latin = [sign for sign in folded if "a" <= sign <= "z" or sign in _VOWELS]
    return len(latin) < _ENOUGH or sum(s in _VOWELS for s in latin) >= _OPEN * len(latin)


def _is_unknown(sign: str) -> bool:
    is_control = sign < " " and sign not in "\x0b\x0c\x0d\x0e\x0f"  # ligatures of old TeX
    return is_control or sign == "\ufffd" or "\ue000" <= sign <= "\uf8ff"
