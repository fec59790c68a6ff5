"""Frames: what is left of a sentence or a row of a table when its value is taken out.

Two values are of one thing where what is left of them is equal: the words of a sentence whatever
its verb, the heads of a row and a column, or the constant of the world that the question asks for
and the words before a number name ("a Hubble constant of N").
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from pathlib import PurePath
from typing import NamedTuple

from caveat.adapters.extractive.times import Period, find_period, may_be_one_time, name_series
from caveat.contracts.source import Claim, SourceRef
from caveat.contracts.tasks import DetectionTask
from caveat.quantities.measures import Measure, measure
from caveat.quantities.numerals import CLOCK, FRACTION, find_numerals
from caveat.quantities.reading import Quantity, find_values
from caveat.quantities.units import Kind
from caveat.rules.evidence.stated import detect_claim_language
from caveat.rules.sentences.grounds import split_cells
from caveat.rules.text.sentences import split_sentences
from caveat.rules.text.wording import OWN, build_word_set, tokenise
from caveat.rules.text.words import list_content_stems, stem


@dataclass(frozen=True)
class Name:
    """A value that is a name, in small letters and digits alone."""

    spelling: str  # its words, one space between them

    def agrees_with(self, other: "Name") -> bool:
        """Whether both can name the same: one is part of the other, or gives initials of it."""
        short, long = sorted((self.spelling, other.spelling), key=lambda name: name.count(" "))
        left = iter(long.split())
        if all(any(_may_be_one(word, each) for each in left) for word in short.split()):
            return True
        one, another = sorted((short.replace(" ", ""), long.replace(" ", "")), key=len)
        return len(one) > 3 and one in another


def _may_be_one(word: str, other: str) -> bool:
    return word == other or (1 in {len(word), len(other)} and word[:1] == other[:1])


Value = Measure | Name


@dataclass(frozen=True)
class Statement:
    """A claim and one value that it states."""

    claim: Claim
    label: str  # what the value is a value of, for readers
    value: Value
    written: str
    period: Period
    scope: str = ""  # the words behind its clause, which may confine the value: "(at 20 °C)"
    titles: tuple[tuple[str, ...], ...] = ()  # of its document and its heading, word by word
    is_constant: bool = False  # whether it is one thing in the world, whenever it is measured

    @property
    def rank(self) -> tuple[float, float, str]:
        """The best first: credible, then relevant, then in order of ids."""
        return (-self.claim.credibility, -self.claim.relevance, self.claim.id)

    @property
    def number(self) -> float:
        """The number that it states; 0 where it states a name."""
        return self.value.number if isinstance(self.value, Measure) else 0.0

    @cached_property
    def confines(self) -> frozenset[str]:
        return list_content_stems(self.scope)

    def agrees_with(self, other: "Statement") -> bool:
        """Whether the values can both be true of one thing."""
        match self.value, other.value:
            case (Measure() as one, Measure() as another):
                return one.agrees_with(another)
            case (Name() as name, Name() as another_name):
                return name.agrees_with(another_name)
        return False

    def is_comparable(self, other: "Statement") -> bool:
        """Whether two sources speak of one time and, as far as they say, of one scope."""
        return (
            self.claim.source_id != other.claim.source_id
            and may_be_one_time(self.period, other.period)
            and (not self.confines or not other.confines or self.confines == other.confines)
            and not any(map(self._is_sibling, self.titles, other.titles))
        )

    def _is_sibling(self, title: Sequence[str], other: Sequence[str]) -> bool:
        """Whether titles are equal but for a name, as "Tarn 7" and "Tarn 8": each has its own.

        What they begin with may be what the sentence is about: "Fort Amber", reviewed or praised.
        """
        begin = _count_shared(title, other)
        rests = title[begin:], other[begin:]
        end = _count_shared(rests[0][::-1], rests[1][::-1])
        names = [rest[: len(rest) - end] for rest in rests]
        if not begin + end or not all(0 < len(name) <= _NAME for name in names):
            return False
        if any(word[0].isdigit() for name in names for word in name):
            # The tunnel that "Interview 3" and "Interview 4" speak of has a name of its own.
            return {*_level(" ".join(_PROPER.findall(self.claim.quote)))} <= {*title}
        return bool(end) or not {*title[:begin]} <= {*_level(self.claim.quote)}


def _count_shared(one: Sequence[str], other: Sequence[str]) -> int:
    """Count the words with which two titles begin alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


_NAME = 3  # words of a name in a title
_PROPER = re.compile(r"(?<=[a-z,] )[A-Z]\w+")  # no word that begins a sentence


class Slot(NamedTuple):
    """What values must share to be compared."""

    form: str  # `sentence`, `cell`, `constant` or `name`
    words: tuple[str, ...]
    dimension: str  # base units, `date`, or nothing


def group_by_slot(task: DetectionTask) -> dict[Slot, list[Statement]]:
    """Gather what claims state of each slot, in order of claim ids, in linear time."""
    sources = {source.id: source for source in task.sources}
    reader = _Reader(sources, list_content_stems(task.topic))
    slots: dict[Slot, list[Statement]] = defaultdict(list)
    for claim in sorted(task.claims, key=lambda claim: claim.id):
        for slot, statement in reader.read_claim(claim):
            slots[slot].append(statement)
    return slots


_LABEL = re.compile(r"\A[^.;:!?]{2,120}:\s")
"""What a value stands under; then heading and title say what it is of."""

_GUESSED = build_word_set("whether may might could would perhaps possibly ?")
_EMPTY = build_word_set("the a an do does did is are was were be been of")
_ENOUGH = 3  # words beside a value, its unit among them: fewer do not say what is meant

_LEAD = re.compile(r"\AAccording to [^,]{1,60}?(?:,\s|\s(?=the\s))")
_BREAK = re.compile(r"[,;:(–]\s|\s[(–]")  # what ends the clause of a value
_CONFINED = re.compile(
    r"\A(?:\d|.*\b(?:at|under|with|for|above|below|over|per|in|after|within|every|than|from|by"
    r"|up to)\s(?:\w+\s)?)\Z",
    re.DOTALL | re.IGNORECASE,
)
"""Words before a number that say under what another one holds: "at 20 °C", "in 24 hours"."""
_HAPPENED = re.compile(r"\bwas\s(?:\w+\s)?\w+(?:ed|t|n)\s(?:by\s[^,;]{1,40}\s)?(?:in\s)?\Z")
"""What happens to one thing once, "was founded in 1850"; prices rise in many years."""
_WHEN = re.compile(r"\b(?:in|on|by|during|of)\s(?:the\s)?(?:year\s)?\Z", re.IGNORECASE)
_DAY = 0.01  # years: what is dated to the day is one event


_LONGEST = 600  # characters of a sentence; longer ones are lists, and take the square of the time


class _Reader:
    """Reads claims of one run."""

    def __init__(self, sources: dict[str, SourceRef], topic: frozenset[str]) -> None:
        self._sources, self._topic = sources, topic
        names = Counter(name_series(each.title) for each in sources.values())
        self._series = {name for name, number in names.items() if number > 1}

    def read_claim(self, claim: Claim) -> Iterator[tuple[Slot, Statement]]:
        """Read what a claim states, with the titles that it stands under."""
        source = self._sources.get(claim.source_id)
        heading = (claim.location or "").rsplit(_CRUMB, 1)[-1]
        title = source.title if source else ""
        if source and source.path and source.path.endswith(title):  # it has none but its file's
            title = PurePath(title).stem
        titles = tuple(tuple(_level(each)) for each in (title, heading))
        for slot, statement in self._read_values(claim, source):
            yield slot, statement if statement.is_constant else replace(statement, titles=titles)

    def _read_values(
        self, claim: Claim, source: SourceRef | None
    ) -> Iterator[tuple[Slot, Statement]]:
        """Read the cell of a table, or sentences one by one."""
        above = f"{claim.location or ''} {source.title if source else ''}"
        is_on_topic = not self._topic or not self._topic.isdisjoint(
            list_content_stems(f"{claim.quote} {above}")
        )
        language = detect_claim_language(claim)
        for each in _split_row(claim):
            yield from self._read_values(each, source)
        if cell := _read_cell(claim, language):
            heads, quantity = cell
            value = measure(quantity, claim.quote)
            period = find_period("", claim, source, self._series)
            label = (claim.location or "").rsplit(_CRUMB, 1)[-1]
            yield (
                Slot("cell", heads, value.dimension),
                Statement(claim, label, value, claim.quote.strip(), period),
            )
            return
        for span in split_sentences(claim.quote):
            sentence = claim.quote[span.start : span.end]
            if len(sentence) > _LONGEST:
                continue
            values = find_values(sentence, language)
            yield from self._read_constants(claim, sentence, values)
            if is_on_topic:
                values = (*values, *_find_bare_values(sentence, values, language))
                yield from self._read_sentence(claim, source, sentence, values)

    def _read_sentence(
        self, claim: Claim, source: SourceRef | None, sentence: str, values: Sequence[Quantity]
    ) -> Iterator[tuple[Slot, Statement]]:
        """Read the values of a sentence by its other words."""
        edition = find_period("", claim, source, self._series)
        titles = f"{claim.location or ''} {source.title if source else ''}"
        above = sorted(list_content_stems(titles)) if _LABEL.match(sentence) else ()
        for quantity, clause, words, scope in _find_open_places(sentence, values, above):
            written = sentence[quantity.start : quantity.end]
            value = measure(quantity, written)
            elsewhere = f"{sentence[: quantity.start]} {sentence[quantity.end :]}"
            period = edition
            if not value.is_date:
                period = find_period(elsewhere, claim, source, self._series)
            label = _quote_frame(sentence, quantity.start, quantity.end, clause)
            yield (
                Slot("sentence", words, value.dimension),
                Statement(claim, label, value, written, period, scope),
            )
        named = _NAMED.fullmatch(sentence.rstrip())
        if named and not values and not _ONE_OF_MANY.search(named["frame"]):
            words = tuple(_level(named["frame"]))
            least = 2 if named["frame"].endswith((" is ", " was ")) else _ENOUGH  # no "See also"
            if len(words) >= least and OWN.isdisjoint(words):
                name = _build_name(named["name"])
                start, end = named.span("name")
                yield (
                    Slot("name", words, ""),
                    Statement(claim, _quote_frame(sentence, start, end), name, named["name"], ()),
                )

    def _read_constants(
        self, claim: Claim, sentence: str, values: Sequence[Quantity]
    ) -> Iterator[tuple[Slot, Statement]]:
        """Read the numbers before which a constant stands that the question names."""
        if _LABEL.match(sentence):
            return
        lead = _LEAD.match(sentence)
        start = lead.end() if lead else 0
        for quantity in values:
            before = sentence[start : quantity.start]
            named = _CONSTANT.fullmatch(before) if len(before) <= _FARTHEST else None
            name = _ARTICLE.sub("", named["of"] or named["is"]).strip() if named else ""
            words = list_content_stems(name)
            # A thing of somebody, "the height of Dahlem", may have been another one in other years.
            is_name = len(words) == len(name.split()) and name != name.lower()
            if not (words and is_name and words <= self._topic) or quantity.kind is Kind.DATE:
                continue
            start = quantity.end
            written = sentence[quantity.start : quantity.end]
            value = measure(quantity, written)
            # A year beside it says when it was measured.
            statement = Statement(claim, name, value, written, (), is_constant=True)
            yield Slot("constant", tuple(sorted(words)), value.dimension), statement


_FARTHEST = 240
"""Characters before a number in which the words stand that say what it is."""


def _build_name(written: str) -> Name:
    """Reduce a name to its words in letters and digits, without accents."""
    plain = _UMLAUT.sub("", unicodedata.normalize("NFKD", written.casefold()))
    return Name(re.sub(r"[^\w\s-]|-", lambda sign: " " if sign[0] in ".-" else "", plain).strip())


_UMLAUT = re.compile("(?<=[aou])e")
"""What is written for the dots of an umlaut: Mueller is Müller."""


def _find_open_places(
    sentence: str, values: Sequence[Quantity], above: Sequence[str]
) -> Iterator[tuple[Quantity, slice, tuple[str, ...], str]]:
    """Find the values that a sentence may hold against an equal one, with the words around each.

    Those of the titles above it say what a value is of that stands under a label.

    A date is a value where no other one stands beside it; else it says when.
    """
    lead = _LEAD.match(sentence)
    begin = lead.end() if lead else 0
    first = next(iter(tokenise(sentence[begin:])), None)
    if first is None or first.text.casefold() in OWN:
        return
    values = sorted(values, key=lambda each: each.start)
    measured = [each for each in values if each.kind is not Kind.DATE] or values
    open_places = [
        each
        for each in measured
        if each.start >= begin
        and (
            each.kind is not Kind.DATE
            or _HAPPENED.search(sentence[: each.start])
            or each.high - each.low < _DAY
        )
        and (len(measured) == 1 or not _CONFINED.match(sentence[begin : each.start]))
    ]
    for quantity in open_places:
        cut = _BREAK.search(sentence, quantity.end)
        end = cut.start() if cut else len(sentence)
        words = list(above)
        position = begin
        dates = [each for each in values if each.kind is Kind.DATE and each not in open_places]
        for place in sorted((*open_places, *dates), key=lambda each: each.start):
            if place.start < end:
                between = sentence[position : place.start]
                words += _level(_WHEN.sub("", between) if place in dates else between)
                other = f"{place.low}" if place.kind is Kind.DATE else "·"  # of another event
                words += [] if place in dates else ["…" if place is quantity else other]
                is_counted = place is quantity and place.kind is Kind.COUNT
                words += _level(place.unit) if is_counted else []
                position = place.end
        words += _level(sentence[position:end])
        is_measured = bool(quantity.unit) and quantity.kind is not Kind.COUNT
        named = sum(any(map(str.isalpha, word)) for word in words) + is_measured
        if named < _ENOUGH or not _GUESSED.isdisjoint(words):
            continue
        # Whatever stands behind its clause may confine a value, but another sentence does not.
        yield quantity, slice(begin, end), tuple(words), sentence[end:].partition("; ")[0]


def _find_bare_values(
    sentence: str, values: Sequence[Quantity], language: str
) -> Iterator[Quantity]:
    """Find the numbers of which no unit is known: "1,240 reindeer"."""
    taken = {offset for each in values for offset in range(each.start, each.end)}
    for numeral in find_numerals(sentence, language):
        before = sentence[: numeral.start]
        *_, word = before.split() or [""]
        is_value = numeral.unit == FRACTION or not (numeral.unit or numeral.is_spelt)
        # "Contract 2207" is a name.
        is_apart = not before[-1:].strip(" (") and not word[:1].isupper()
        is_free = is_apart and numeral.is_read and numeral.start not in taken
        if is_free and (is_value or numeral.unit == CLOCK):
            number, unit = float(numeral.value), numeral.unit
            if unit == CLOCK:  # in hours
                number = sum(int(n) / 60**i for i, n in enumerate(numeral.written.split(":")))
            yield Quantity(numeral.start, numeral.end, Kind.NUMBER, number, unit, number, number)


def _level(text: str) -> list[str]:
    """The words of a part of a sentence, without those that say nothing and without endings."""
    return [
        "have"
        if token.text in {"has", "had"}
        else token.text
        if token.is_number or len(token.text) < 4
        else stem(token.text)
        for token in tokenise(text)
        if token.text.casefold() not in _EMPTY
    ]


_SHOWN = 120  # characters of a sentence that are shown to say what two of them are about


def _quote_frame(sentence: str, start: int, end: int, clause: slice = slice(None)) -> str:
    """Quote a clause, or its beginning, with its value left out."""
    before, after = sentence[clause.start or 0 : start], sentence[end : clause.stop]
    text = " ".join(f"{before}…{after}".split()).rstrip(".")
    text = text[:1].upper() + text[1:]
    return f"“{text}”" if len(text) <= _SHOWN else f"“{text[: _SHOWN - 1]}…”"


_NAMED = re.compile(
    r"(?P<frame>[A-ZÀ-Þ][\w’'-]*\s[^.;:,?]{3,120}?\s)"
    r"(?P<name>[A-ZÀ-Þ][\w.’'-]*(?:\s(?:(?:of|de|von|van|the|and)\s)?[A-ZÀ-Þ][\w.’'-]*){0,4})\."
)
"""A sentence that ends in a name: "The capital of Moldova is Chișinău." """
_ONE_OF_MANY = re.compile(
    r"\b(?:an?|one|ein\w{0,2}|une?|una)\b|\b(?:is|are)\s\w+\s\w+\s\Z", re.IGNORECASE
)
"""What may be true of several: "has an office in Rome", "is sold by Amazon"."""


_CRUMB = " › "


def _split_row(claim: Claim) -> Iterator[Claim]:
    """Make a claim of each cell of a row, as if it alone had been quoted."""
    above, _, _ = (claim.location or "").rpartition(_CRUMB)
    (_, row), *cells = split_cells(claim)
    for column, cell in cells:
        location = _CRUMB.join(["", above, f"{row}, {column}"])
        yield claim.model_copy(update={"quote": cell, "location": location})


_CELL = 3  # words of a figure with its unit


def _read_cell(claim: Claim, language: str) -> tuple[tuple[str, ...], Quantity] | None:
    """Read a figure in a table by the heads of its row and its column; None for other claims."""
    *above, label = (claim.location or "").split(_CRUMB)
    row, comma, column = label.rpartition(", ")
    written = claim.quote.strip()
    if not comma or len(written.split()) > _CELL:
        return None
    values = [each for each in find_values(written, language) if each.kind is not Kind.DATE]
    if len(values) != 1 or values[0].end - values[0].start < len(written) - 2:
        return None
    words = [*_level(row), "·", *_level(column)]
    if not any(any(map(str.isalpha, word)) for word in words[: words.index("·")]):
        return None
    return (*_level(" ".join(above[1:])), "·", *words), values[0]


_ADVERBS = (
    r"(?:\s(?:about|approximately|roughly|around|nearly|almost|exactly|only|just|currently|now|also"
    r"|estimated|measured|reported|calculated|given|stated|found|determined|put|quoted))*"
)
_CONSTANT = re.compile(
    rf"(?:.*\s|\A)(?:an?|the|its|their)\s(?P<of>[\w-]+(?:\s[\w-]+){{0,4}}?)\sof{_ADVERBS}\s?"
    r"|[,;\s]*(?:(?:and|but|while|with)\s)?(?P<is>[\w\s-]{2,120}?)"
    r"(?:\s(?:is|was|are|were|equals|equalled|amounts|stands|stood)"
    rf"{_ADVERBS}(?:\s(?:at|to|as|to be|by))?{_ADVERBS}|\s?[:=≈≃~∼])\s?\(?",
    re.DOTALL,
)
"""Before a number what it is of: "a Hubble constant of N", and "the Hubble constant is N"."""
_ARTICLE = re.compile(r"\A(?:the|its|their|his|her|an?)\s", re.IGNORECASE)
