"""Where sentences begin and end, in linear time, and which of them a quote is shown among.

All places are character offsets into plain text.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from caveat.contracts.source import Snapshot
from caveat.quantities.dates import is_month
from caveat.rules.text.wording import build_word_set


class Span(NamedTuple):
    """A sentence: `text[start:end]`, without white space around it."""

    start: int
    end: int


def split_sentences(text: str) -> list[Span]:
    """Find the sentences of a plain text.

    A sentence crosses no blank line and no tab between cells; a list item, heading or table row
    begins one. Closing quotes, brackets and markers such as `[c12]` behind the full stop belong to
    it. Abbreviations, initials, decimals, versions, list numbers and ellipses do not end it.

    Returns:
        Ascending spans that do not overlap and hold every character but white space.
    """
    items = list(_find_numbered_items(text))
    stops = _find_stop_cuts(text, numbers=frozenset(item.stop for item in items))
    lists = (item.start for item in items)
    cuts = sorted({0, *_find_line_cuts(text), *lists, *stops, len(text)})
    spans = []
    for start, end in pairwise(cuts):
        piece = text[start:end]
        words = piece.strip()
        if words:
            begin = start + len(piece) - len(piece.lstrip())
            spans.append(Span(begin, begin + len(words)))
    return spans


# Each begins with what it looks for: the engine skips to that, and tries nothing in between.
_BREAKS = (re.compile(r"\n[^\S\n]*(?=\n)"), re.compile(r"[\f\v]"), re.compile(r"\t(?<=\S\t)(?=\S)"))
"""A blank line, the end of a page, the tab between two cells."""

_LINE_START = re.compile(r"^", re.MULTILINE)
_ITEM = re.compile(r"[^\S\n]*(?=[-*•‣▪◦]\s)")
_WHOLE_LINE = re.compile(
    r"[^\S\n]*(?:#{1,6}\s|\||```|~~~)[^\n]*$|[^\S\n]*([=\-~^*+#])\1{2,}[^\S\n]*$", re.MULTILINE
)
"""A Markdown heading, a table row, a fence, the underline of a heading."""


def _find_line_cuts(text: str) -> Iterator[int]:
    for kind in _BREAKS:
        for match in kind.finditer(text):
            yield match.end()
    for start in (match.start() for match in _LINE_START.finditer(text)):
        if _ITEM.match(text, start):
            yield start
        line = _WHOLE_LINE.match(text, start)
        if line is not None:
            yield line.end()
            if line[1] is None:
                yield start


_NUMBERED = re.compile(r"^[^\S\n]*\(?(\d{1,3})[.)]\s", re.MULTILINE)
_LOOK_BACK = 64
"""Characters: longer than any abbreviation or indentation, and a constant, so time stays linear."""


class _Item(NamedTuple):
    start: int
    stop: int


def _find_numbered_items(text: str) -> Iterator[_Item]:
    """Numbered items: the first behind a stop, each later one counted on."""
    # A wrapped line may begin with a number and a full stop, too ("... rose to / 73. The rest").
    expected = -1
    for item in _NUMBERED.finditer(text):
        number = int(item[1])
        before = text[max(0, item.start() - _LOOK_BACK) : item.start()]
        ended = not before.strip() or before.rstrip()[-1] in ".:;!?)" or before.endswith("\n\n")
        if ended or number == expected:
            yield _Item(item.start(), item.end(1))
            expected = number + 1


_STOP = re.compile(
    # One class in front, which the engine skips to; behind a CJK stop no other one is taken in.
    r"(?P<stop>[.!?…。！？](?:(?<=[.!?…])[.!?…]+)?)"
    r"(?P<close>[\"'”’»›)\]}*_`]*)"
    # A marker holds a digit or a caret: [c12], [3, 7], [^2]; not the bracket of an aside.
    r"(?:[^\S\n]?\[(?=[^\[\]\n]{0,80}[\d^])[\w^-]{1,60}(?:[,;–][^\S\n]?[\w-]{1,60}){0,20}\])*"
)
_NEXT = re.compile(r"\s+[\"'“‘«‹(\[{*_`¿¡-]*(\w*)")
_TOKEN = re.compile(r"(?<![^\s(\[{\"'“‘«/–—])[^\s(\[{\"'“‘«/–—]*+\Z")
_DOTTED = re.compile(r"(?:\w\.)+\w?\Z")
_LIST_NUMBER = re.compile(
    r"(?:\A|[.:;!?]\s)\s{0,8}\(?(?:\d{1,3}(?:\.\d{1,3}){0,3}|[A-Za-z]|[ivxIVX]{1,4})\Z"
)


def _find_stop_cuts(text: str, numbers: frozenset[int]) -> Iterator[int]:
    for match in _STOP.finditer(text):
        end = match.end()
        if match.start() in numbers:
            continue
        if match["stop"] in "。！？":  # CJK writes no space behind a stop
            yield end
            continue
        following = _NEXT.match(text, end)
        if following is None or following[1][:1].islower():
            continue
        before = text[max(0, match.start() - _LOOK_BACK) : match.start()]
        if _closes(before, match["stop"], following[1], closed=bool(match["close"])):
            yield end


_DAY = re.compile(r"[12]?\d|3[01]")


def _closes(before: str, stop: str, word: str, *, closed: bool) -> bool:
    """Whether a stop ends the sentence, by the words around it."""
    if "!" in stop or "?" in stop:
        return True
    if not before or before[-1].isspace():
        return False  # " . . . " and " ... " stand inside a sentence
    if stop != ".":
        return word in _STARTERS
    if closed:
        return True
    token = _TOKEN.search(before)
    is_day = token is not None and _DAY.fullmatch(token[0]) and is_month(word)  # "am 16. Mai"
    if is_day or any(each.search(before) for each in (_LIST_NUMBER, _VOWELLESS, _ORDINAL)):
        return False
    return _ends_with(token[0] if token else "", word)


_ORDINAL = re.compile(r"\b(?:de[mnrs]|das|zu[mr]|vom|beim)\s\d{1,3}\Z")  # "ab dem 23. Besuch"
_VOWELLESS = re.compile(r"(?<!\d[ \u00a0\u202f])(?<![^\s(])[A-Z]?[b-df-hj-np-tv-xz]{1,5}\Z")
"""No word, and no unit behind a number: "Nr", "Str", "vgl" are abbreviations in any language."""


def _ends_with(token: str, word: str) -> bool:
    """Whether the word before a full stop ends the sentence and is no abbreviation."""
    short = token.lower()
    if short in _COUNTERS and (word[:1].isdigit() or not word):
        return False
    if short in _SHORTENED or (len(token) == 1 and token.isalpha()) or _DOTTED.match(token):
        return word in _STARTERS
    return True


_COUNTERS = build_word_set(
    "no nos art arts vol vols p pp ch chap sec sect eq eqs tab app par ver max min jan feb mar apr"
    " jun jul aug sep sept oct nov dec op ed eds est § abs ziff kap anm abb env núm pág cap"
)
"""A number follows these, unless they end the sentence."""

_SHORTENED = build_word_set(
    "dr mr mrs ms messrs prof st gen col rev hon sen rep gov sgt capt lt cmdr mt e.g i.e eg ie cf"
    " vs viz fig figs ref refs approx ca incl esp resp et al inc ltd co corp jr sr dept univ bros"
    " ave ph.d mio mrd tsd"
)
"""Something follows these, unless a common opening word does."""

_STARTERS = build_word_set(
    "A After All Also Although An And Another As At Because Before Both But By During Each Even"
    " For From He Her Here His How However I If In It Its Many More Moreover Most My No Not On"
    " One Other Our Several She Since So Some Such That The Their Then There Therefore These"
    " They This Those Though Through Thus To Today Two Under Unlike Until Using We What When"
    " Where Whether Which While Who Why With Without You Your Finally First Second Furthermore"
    " Instead Later Meanwhile Once Only Still Additionally Overall Nevertheless"
)
"""Words that open sentences and hardly ever follow an abbreviation or an initial."""


LONGEST = 700
"""Characters of a quote and its context together, about 110 words: what one looks over at once. A
longer quote has none."""


def find_window(snapshot: Snapshot, start: int, end: int) -> Span:
    """Find the context of a quote: whole sentences under its heading, if they fit."""
    near = _list_sentences(snapshot, start, end)
    first = bisect_right(near, start, key=lambda each: each.end)
    last = bisect_left(near, end, key=lambda each: each.start)
    before, behind = near[:first], near[last:]
    shown, whole = None, _extend_to_sentences(near[first:last], start, end)
    while whole != shown:
        shown = whole
        if behind and behind[0].end - whole.start <= LONGEST:
            whole = Span(whole.start, behind.pop(0).end)
        if before and whole.end - before[-1].start <= LONGEST:
            whole = Span(before.pop().start, whole.end)
    return whole


def find_sentences(snapshot: Snapshot, start: int, end: int) -> Span:
    """Find the sentences that hold a quote; the quote's own span if they are too long."""
    return _extend_to_sentences(_list_sentences(snapshot, start, end), start, end)


def _list_sentences(snapshot: Snapshot, start: int, end: int) -> list[Span]:
    low, high = _find_bounds(snapshot, start, end)
    cut = split_sentences(snapshot.text[low:high])
    return [Span(low + each.start, low + each.end) for each in cut]


def _extend_to_sentences(near: list[Span], start: int, end: int) -> Span:
    """The sentences that hold the quote, if no longer than a window."""
    own = [each for each in near if each.start < end and start < each.end]
    whole = Span(min([start, *(s.start for s in own)]), max([end, *(s.end for s in own)]))
    return whole if whole.end - whole.start <= LONGEST else Span(start, end)


def _find_bounds(snapshot: Snapshot, start: int, end: int) -> Span:
    """The row of the quote, or the text under its heading, within reach."""
    text, marks = snapshot.text, snapshot.landmarks
    # A sentence that is cut in two so far away fits into no window.
    low, high = max(start - LONGEST, 0), min(end + LONGEST, len(text))
    row = _find_paragraph(text, Span(start, end), Span(low, high))
    if _CELL in text[row.start : row.end]:
        return row
    place = bisect_right(marks, start, key=lambda mark: mark.offset)
    if place:
        heading = marks[place - 1]
        name = heading.label.rsplit(" › ", 1)[-1]
        shown = text.startswith(name, heading.offset)
        own = heading.offset + (len(name) if shown else 0)
        low = max(low, own if own <= start else heading.offset)
    # What ends in a colon leads to what stands under the next mark.
    following = next(
        (
            mark.offset
            for mark in marks[place:]
            if mark.offset >= end and text[end - 1 : mark.offset].strip() != ":"
        ),
        high,
    )
    return _exclude_tables(text, Span(low, min(high, following)), start, end)


_CELL, _PARAGRAPH = "\t", "\n\n"


def _find_paragraph(text: str, own: Span, bounds: Span) -> Span:
    begin = text.rfind(_PARAGRAPH, bounds.start, own.start)
    stop = text.find(_PARAGRAPH, own.end, bounds.end)
    return Span(
        bounds.start if begin < 0 else begin + len(_PARAGRAPH), bounds.end if stop < 0 else stop
    )


def _exclude_tables(text: str, bounds: Span, start: int, end: int) -> Span:
    """Leave out table rows: their cells in a line say nothing."""
    low, high = bounds
    behind = text.find(_CELL, end, high)
    if behind >= 0:
        high = max(end, text.rfind(_PARAGRAPH, end, behind))
    before = text.rfind(_CELL, low, start)
    if before >= 0:
        low = min(start, text.find(_PARAGRAPH, before, start) + len(_PARAGRAPH))
    return Span(low, high)


def find_value(text: str, value: str) -> Span | None:
    """Find some words in a text, whose number is not part of another: 23, and not that of 2023."""
    written = rf"(?<!\d)(?<!\d[.,]){re.escape(value)}(?!(?<=\d)[.,]?\d)"
    match = re.search(written, text, re.IGNORECASE) if value else None
    return Span(*match.span()) if match else None


def find_sentence(text: str, value: str) -> str:
    """Return the sentence that states a value, else the whole text."""
    own = (text[at.start : at.end] for at in split_sentences(text))
    return next((sentence for sentence in own if find_value(sentence, value)), text)
