"""Kinds of figures in texts on companies: revenue, margin, growth, multiple, and dates of news.

A number is read by `caveat.quantities`; what it is a number of say the words around it, the nearest
first. What decides is written in the tables of words below.
"""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

from caveat.contracts.claim import FigureKind, StatedFigure
from caveat.quantities.numerals import find_numerals
from caveat.quantities.reading import Quantity, find_quantities
from caveat.quantities.units import Kind

CUES: dict[FigureKind, str] = {
    FigureKind.REVENUE: "revenue turnover sales takings receipts premiums top line",
    FigureKind.MARGIN: "margin profitability",
    FigureKind.GROWTH: "growth grew rose fell increase decline",
    FigureKind.MULTIPLE: "multiple earnings price EBITDA book valuation",
    FigureKind.DATE: "announced guidance launch signed appointed resigned acquired lawsuit",
}
"""Words by which a source is searched for each kind."""

_FORMS = {
    FigureKind.REVENUE: Kind.MONEY,
    FigureKind.MARGIN: Kind.PERCENT,
    FigureKind.GROWTH: Kind.PERCENT,
    FigureKind.DATE: Kind.DATE,
}


def find_figure_fault(figure: StatedFigure, quote: str) -> str | None:
    """Say what is wrong with a figure of a quote; None where nothing is."""
    # Its words must stand where it says, and have the form of its kind: money, per cent, a date, a
    # number of times.
    end = figure.start + len(figure.written)
    if quote[figure.start : end] != figure.written:
        return "is not in the quote"
    form = _FORMS.get(figure.kind)
    if form is None:
        has_form = bool(find_numerals(figure.written))
    else:
        has_form = any(_find_form(each) is form for each in find_quantities(figure.written))
    return None if has_form else f"has not the form of a {figure.kind}"


def _find_form(quantity: Quantity) -> Kind:
    """What sort of thing it is; "15% a year" is per cent as well."""
    return Kind.PERCENT if quantity.unit.startswith("%") else quantity.kind


@lru_cache(maxsize=1 << 12)
def find_figures(text: str) -> tuple[StatedFigure, ...]:
    """Find the figures of every kind that a text states, in order."""
    figures = {
        place: figure
        for span in _split_sentences(text)
        for figure in _find_figures(text[span[0] : span[1]], span[0])
        for place in [figure.start]
    }
    return tuple(figures[start] for start in sorted(figures))


def find_figures_of_kinds(text: str, kinds: Collection[FigureKind]) -> tuple[StatedFigure, ...]:
    """Find the figures of some kinds."""
    return tuple(each for each in find_figures(text) if each.kind in kinds) if kinds else ()


_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z“\"'])|\n\s*\n")


def _split_sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end in _END.finditer(text):
        yield start, end.start()
        start = end.end()
    yield start, len(text)


_LONGEST = 2_000
"""Characters of a sentence that is looked at, as of a claim: each of its numbers is held against
each of its words."""


def _find_figures(sentence: str, offset: int) -> Iterator[StatedFigure]:
    if len(sentence) > _LONGEST:
        return
    for multiple in _find_multiples(sentence):
        yield _build_figure(FigureKind.MULTIPLE, sentence, *multiple, offset)
    for quantity in find_quantities(sentence):
        kind = _classify_quantity(sentence, quantity)
        if kind is not None:
            yield _build_figure(kind, sentence, quantity.start, quantity.end, offset)


def _build_figure(
    kind: FigureKind, sentence: str, start: int, end: int, offset: int
) -> StatedFigure:
    return StatedFigure(kind=kind, written=sentence[start:end][:200], start=offset + start)


def _classify_quantity(sentence: str, quantity: Quantity) -> FigureKind | None:
    match _find_form(quantity):
        case Kind.MONEY:
            return _classify_money(sentence, quantity)
        case Kind.PERCENT:
            return _classify_share(sentence, quantity)
        case Kind.DATE:
            return _classify_date(sentence, quantity)
        case _:
            return None


class _Cue(NamedTuple):
    """A word that says what a figure beside it is."""

    says: str
    start: int
    end: int


def _find_cues(pattern: re.Pattern[str], sentence: str) -> list[_Cue]:
    return [
        _Cue(match.lastgroup or "", match.start(), match.end())
        for match in pattern.finditer(sentence)
    ]


_BREAK = re.compile(
    r"[;:]\s|,\s|\s(?:and|but|while|whereas|yet|which|with|against)\s|[()]|\s[–—]\s"
)

_BEHIND = 12
"""Characters that a word behind a figure counts as farther away: most often the word before says
what it is."""

_ACROSS = 25  # characters that each border of a clause between a word and a figure counts


def _measure_distance(sentence: str, cue: _Cue, start: int, end: int) -> int:
    if cue.end <= start:
        between, behind = sentence[cue.end : start], 0
    else:
        between, behind = sentence[end : cue.start], _BEHIND
    return len(between) + behind + _ACROSS * len(_BREAK.findall(between))


def _find_nearest_cue(sentence: str, cues: Collection[_Cue], start: int, end: int) -> _Cue | None:
    beside = (cue for cue in cues if cue.end <= start or cue.start >= end)
    return min(beside, key=lambda cue: _measure_distance(sentence, cue, start, end), default=None)


_MONEY_OF = re.compile(
    r"\b(?i:(?P<revenue>revenues?|turnover|(?<!price-to-)sales|takings|receipts|premiums|top line"
    r"|took in|brought in|takes in|brings in)"
    r"|(?P<other>debts?|cash|price|profits?|income|earnings|ebitda|ebit|dividends?|fined?|costs?"
    r"|payroll|wages|loans?|bonds?|orders?|order intake|backlog|deal|values?|valued|worth|sold"
    r"|shares?|stake|invest\w*|bottom line|buyback|bought|settle\w*|paid|pays?|tax|savings?|fees?"
    r"|losses|loss|loses?|raised|target|capitali[sz]ation|budget|spend\w*|spent|charges?))\b"
)


def _classify_money(sentence: str, quantity: Quantity) -> FigureKind | None:
    cue = _find_nearest_cue(sentence, _find_cues(_MONEY_OF, sentence), quantity.start, quantity.end)
    return FigureKind.REVENUE if cue is not None and cue.says == "revenue" else None


_NEAR = 60
"""Distance up to which a margin is what a share is of: "squeezed to 37.2% by discounts as deep as
70%" has two shares."""

_MARGIN = re.compile(r"(?i:\bmargins?\b)")
_CHANGE = re.compile(
    r"(?i:\b(?:grew|grow(?:s|n|ing)?|growth|up|ris(?:e|es|en|ing)|rose|increas\w+|jump\w*|climb\w*"
    r"|gain(?:s|ed)?|higher|more|fell|fall(?:s|en|ing)?|drop(?:s|ped)?|slip(?:s|ped)?|declin\w+"
    r"|shr[aiu]nk|down|lower|decreas\w+|compounded|lost|soar\w*|surg\w+|expand\w*|plung\w+)\b)"
)
_SUBJECT = re.compile(
    r"\b(?i:(?P<business>revenues?|turnover|sales|volumes?|business|premiums|takings|receipts"
    r"|subscriptions?|orders|top line|growth|we|it|company|billings|bookings)"
    r"|(?P<other>costs?|shares?|stock|staff|headcount|wages?|fuel|rates?|prices?|debts?|churn"
    r"|dividends?|yields?|expenses|power|cash|interest|tax(?:es)?|customers|employees|profits?"
    r"|earnings|income|stake|float|discounts?|market share))\b"
)


def _classify_share(sentence: str, quantity: Quantity) -> FigureKind | None:
    """A margin where its clause speaks of one, growth where something of the business changes."""
    begin, end = _find_clause(sentence, quantity)
    clause = sentence[begin:end]
    place = (quantity.start - begin, quantity.end - begin)
    margin = _find_nearest_cue(clause, _find_cues(_MARGIN, clause), *place)
    if margin is not None and _measure_distance(clause, margin, *place) <= _NEAR:
        return FigureKind.MARGIN
    if not _CHANGE.search(clause):
        return None
    subject = _find_nearest_cue(
        sentence, _find_cues(_SUBJECT, sentence), quantity.start, quantity.end
    )
    is_other = subject is not None and subject.says == "other"
    return None if is_other else FigureKind.GROWTH


_PARTS = re.compile(r"[;:]\s|,\s(?:and|but|while|yet)\s|\s(?:while|whereas|but)\s")


def _find_clause(sentence: str, quantity: Quantity) -> tuple[int, int]:
    begin = max((part.end() for part in _PARTS.finditer(sentence, 0, quantity.start)), default=0)
    following = _PARTS.search(sentence, quantity.end)
    return begin, following.start() if following else len(sentence)


_EVENT = re.compile(
    r"(?i:\b(?:announc\w+|launch\w*|sign(?:s|ed)?|resign\w*|step\w* down|appoint\w*|open(?:s|ed)?"
    r"|clos(?:e|es|ed)|shut|acquir\w+|bought|buys?|sold|sells?|rais\w+|cuts?|lower\w*|report\w*"
    r"|fil(?:ed|es)|fin(?:ed|es)|charged|approv\w+|settl\w+|told|expect\w*|due|list(?:s|ed)"
    r"|merg\w+|hir(?:ed|es)|guidance|forecast|publish\w*|recall\w*|sue[ds]?|won|award\w*"
    r"|complet\w+|agreed|start\w*|began|unveil\w*)\b)"
)
_NO_NEWS = re.compile(
    r"(?i:\b(?:founded|established|since|ended|ending|matur\w+|as of|born|built)\W+"
    r"(?:\w+\W+){0,2})\Z"
)
_MONTHLY = re.compile(r"[A-Za-z]|\d-\d")


def _classify_date(sentence: str, quantity: Quantity) -> FigureKind | None:
    """A date of news: of an event, and of a day or a month, because a bare year compares."""
    written = sentence[quantity.start : quantity.end]
    if not _MONTHLY.search(written) or not _EVENT.search(sentence):
        return None
    return None if _NO_NEWS.search(sentence[: quantity.start]) else FigureKind.DATE


_TIMES = re.compile(r"\s?(?:x|×|times)\b")
_OF_PRICE = re.compile(
    r"(?i:\A\s(?:\w+(?:['’]s)?\s){0,3}?"
    r"(?:earnings|sales|revenues?|profits?|ebitda|ebit|book|cash flow|nav)\b)"
)
_RATIO = re.compile(
    r"(?i:(?:\bP/E|\bprice[- ]to[- ](?:earnings|sales|book)|\bEV/(?:EBITDA|EBIT|sales)|\bmultiple)"
    r"(?:\sratio)?\s(?:of|is|at|stands at|was)\s)\Z"
)
_PRICED = re.compile(r"(?i:\b(?:trad\w+|valu\w+|pric\w+|pay|paid|changes? hands|fetch\w*)\b)")


def _find_multiples(sentence: str) -> Iterator[tuple[int, int]]:
    """So many times what a business earns, and others of the same sentence beside them."""
    plain = []
    multiples = []
    for numeral in find_numerals(sentence):
        times = _TIMES.match(sentence, numeral.end)
        end = times.end() if times else numeral.end
        is_price = times and ("x" in times[0] or _OF_PRICE.match(sentence[end:]))
        if is_price or _RATIO.search(sentence[: numeral.start]):
            multiples.append((numeral.start, end))
        elif times:
            plain.append((numeral.start, end))
    if multiples and _PRICED.search(sentence):
        multiples += plain
    yield from multiples
