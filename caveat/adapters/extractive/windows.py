"""Windows: the sentences of a source that answer a question, weighed with what stands around them.

A sentence is seldom understood alone: its neighbours, its heading and the title of its source say
what it is about. So it is scored as a window, and scores can be compared across sources.
"""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from caveat.adapters.extractive.corrections import corrects, is_correction
from caveat.adapters.extractive.prose import is_code
from caveat.adapters.text.question import Question
from caveat.contracts.source import Snapshot
from caveat.rules.text import Span, sentences
from caveat.rules.text.words import content_stems, words

_NEARNESS = (1.0, 0.85, 0.7)  # what a word counts in the sentence, one sentence away and two

_HEADING, _ABOVE, _TITLE = 0.9, 0.5, 0.4
"""What a word counts in the heading (the option or parameter that a text is about), in those above
it, in the source's title."""

_OWN, _FORM = 0.1, 0.2
"""What counts beside the window: the words that the sentence has itself, the form of an answer."""

_AGAIN = 0.1  # what counts beside the window where its sentences speak of the same words again

_TWICE = 2
"""Times that a word is counted beyond the first: what a passage is about it says again, and a list
says it in every line."""

_PAST = 0.16
"""What is taken off under a heading of changes: it says what became different, and seldom how it is
now."""

_NEAR_FORM = 0.7  # what the form of an answer counts where a neighbour has it

_FRAGMENT = 0.05  # what is taken off for less than five words

_RANK, _SOON = 0.15, 3
"""What counts beside the window where the search put its passage first, and the place by which half
of that is gone: the search weighs words in another way, and where both agree an answer is right
more often."""

_UNSTATED = 0.7
"""What is left of a window that states nothing of the kind that is asked for: no price, no span of
time, no day."""

_FEW = {0: 0.7, 1: 0.7, 2: 0.85}
"""What is left of a window by how many of a question's words it has, where that has three or more:
two words meet anywhere."""

_MOST = (1 + _OWN + _FORM + _AGAIN) * (1 + _RANK)
"""The score of a sentence that says all that is asked, in the form of an answer."""

_APART = 4
"""Sentences from one quoted sentence to the next: nearer ones stand in its window already."""

_WHOLE = 0.7  # share of what is asked, by weight, that a sentence says which needs no window

_PATH = " › "
_CELL = "\t"

_ROW = re.compile(r"^[^\t\n]*\t[^\n]*$", re.MULTILINE)  # a row of a table, as readers write it

_UNIT = re.compile(r"[(\[]([^()\[\]]{1,20})[)\]]\Z|\bin (\S{1,12})\Z")

_CHANGES = re.compile(
    r"\bchange ?logs?\b|\bchanges\b|\brelease notes\b|\bwhat.s new\b|\bnews\b|\bhistory\b",
    re.IGNORECASE,
)


_SURER = 0.0001  # by what a correction comes before the sentence that it corrects


@dataclass(frozen=True)
class Ranked:
    """A sentence, `text[start:end]`, and its relevance, 0 to 1."""

    start: int
    end: int
    relevance: float


class FoundAt(NamedTuple):
    """Where a search put a passage."""

    number: int  # its place among those of all sources, from 0
    # cosine of its meaning with the question's; 0 where nobody compared them
    similarity: float = 0.0


def best_windows(
    snapshot: Snapshot,
    title: str,
    question: Question,
    wanted: int,
    places: Mapping[str, FoundAt] = MappingProxyType({}),
    *,
    apart: bool = True,
) -> tuple[Ranked, ...]:
    """Choose the sentences of a source that answer a question best with their neighbours.

    Args:
        places: texts of its passages that a search found, and where it put them.
        apart: whether none is chosen that stands in the window of another one.

    Returns:
        Best first, none within another's window but what states an answer of its own there: two
        values beside each other are two.
    """
    page = _Page(snapshot, title, question, _found(snapshot.text, places))
    scored = sorted(page.scored(), key=lambda each: (-each.relevance, each.number))
    chosen: list[_Scored] = []
    said: set[str] = set()
    for each in scored:
        if len(chosen) == wanted:
            break
        each = page.stating(each)  # noqa: PLW2901  # the same window, by its sentence that answers
        words = snapshot.text[each.ranked.start : each.ranked.end]
        near = apart and any(page.is_shown(each.number, other.number) for other in chosen)
        if words not in said and (not near or page.answers_itself(each.number)):
            said.add(words)
            chosen += [*page.corrections(each, chosen), each]
    return tuple(each.ranked for each in chosen[:wanted])


_MARKERS = re.compile(r"(?:\s?\[[\w,;–\s^-]{1,80}\]){1,20}\Z")
_BULLET = re.compile(r"(?:(?:[-*•‣▪◦]|\(?\d{1,3}[.)]|\[\d{1,3}\])\s+)+")


def quotable(text: str, span: Span) -> Span:
    """Leave out a list's bullet before the sentence and reference marks behind it."""
    start, end = span
    bullet = _BULLET.match(text, start, end)
    start = bullet.end() if bullet else start
    markers = _MARKERS.search(text, start, end)
    return Span(start, markers.start() if markers else end)


class _Scored(NamedTuple):
    number: int
    relevance: float
    ranked: Ranked


class _Found(NamedTuple):
    """A passage that a search found."""

    span: Span
    place: FoundAt


def _found(text: str, places: Mapping[str, FoundAt]) -> list[_Found]:
    starts = ((text.find(words), len(words), place) for words, place in places.items())
    return [_Found(Span(start, start + size), place) for start, size, place in starts if start >= 0]


@dataclass(frozen=True)
class _Sentence:
    """A sentence, the place of its heading, how many words it has, and terms by place."""

    span: Span
    label: int
    words: int
    terms: Mapping[int, float]
    row: int = -1  # where the row begins that it is a cell of; -1 for prose

    @property
    def group(self) -> tuple[int, int]:
        """What its neighbours have in common with it: the row, or else the heading."""
        return (self.row, -1) if self.row >= 0 else (-1, self.label)


class _Page:
    """The sentences of a source with what they say of a question."""

    def __init__(
        self, snapshot: Snapshot, title: str, question: Question, found: Sequence[_Found]
    ) -> None:
        self._found = found
        self._text = snapshot.text
        self._question = question
        self._marks = snapshot.landmarks
        self._forms: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for place, term in enumerate(question.terms):
            for form, worth in term.forms.items():
                self._forms[form].append((place, worth))
        self._title = self._named(title, _TITLE)
        self._is_past = _CHANGES.search(title) is not None
        self._named_above: dict[int, dict[int, float]] = {}
        self._rows = [Span(*row.span()) for row in _ROW.finditer(snapshot.text)]
        self._sentences = list(self._read())
        self._heads = set(self._rows_of_columns())
        self._labels_meant = {each.label for each in self._sentences if each.terms}
        self._rows_meant = {each.row for each in self._sentences if each.row >= 0 and each.terms}

    def scored(self) -> Iterator[_Scored]:
        """Score every sentence that has a word of the question, or whose neighbour has one."""
        near = {
            number + step
            for number, sentence in enumerate(self._sentences)
            if sentence.terms
            for step in (-1, 0, 1)
        }
        near |= {
            number for number, sentence in enumerate(self._sentences) if self._is_in_row(sentence)
        }
        near |= {
            number
            for number, sentence in enumerate(self._sentences)
            if self._similarity(sentence.span) or self._is_headed(sentence)
        }
        for number in sorted(near & set(range(len(self._sentences)))):
            span = quotable(self._text, self._sentences[number].span)
            if span.end > span.start and self._may_answer(number, span):
                relevance = round(self._score(number), 4)
                yield _Scored(number, relevance, Ranked(span.start, span.end, relevance))

    def is_shown(self, number: int, other: int) -> bool:
        """Whether a sentence is near enough to another to be shown with it."""
        one, two = self._sentences[number], self._sentences[other]
        return abs(number - other) < _APART and one.group == two.group

    def stating(self, scored: _Scored) -> _Scored:
        """The sentence of a window that states the value asked for, where its own one does not."""
        # Else a price would be quoted beside what else is said of the thing, and compared with no
        # other price. It has a word of the question: "Total due £447" is no price of a poster.
        if not self._question.values or self._states_value(scored.number):
            return scored
        beside = (scored.number + step for step in (1, -1, 2, -2))
        for number in beside:
            if not 0 <= number < len(self._sentences) or not self.is_shown(number, scored.number):
                continue
            span = quotable(self._text, self._sentences[number].span)
            says = self._sentences[number].terms and self._may_answer(number, span)
            if says and self._states_value(number):
                best = Ranked(span.start, span.end, scored.relevance)
                return _Scored(number, scored.relevance, best)
        return scored

    def corrections(self, scored: _Scored, chosen: Sequence[_Scored]) -> Iterator[_Scored]:
        """What corrects a figure of a sentence in the same text, worth a little more than it."""
        # "Borehole 3: read 4.2 m for 4.7 m" stands far from what it corrects, and in other words.
        sentence = self._sentences[scored.number]
        said = self._text[sentence.span.start : sentence.span.end]
        taken = {scored.number, *(each.number for each in chosen)}
        for number, correction in self._corrections.items():
            if number not in taken and corrects(correction, said):
                span = quotable(self._text, self._sentences[number].span)
                relevance = min(1.0, round(scored.relevance + _SURER, 4))
                yield _Scored(number, relevance, Ranked(span.start, span.end, relevance))

    @cached_property
    def _corrections(self) -> dict[int, str]:
        """The sentences that say what is to be read in place of a figure, under their headings."""
        told = (
            (number, f"{self._heading(each.label)}: {self._text[slice(*each.span)]}")
            for number, each in enumerate(self._sentences)
        )
        return {number: words for number, words in told if is_correction(words)}

    def _heading(self, label: int) -> str:
        return self._marks[label].label.rsplit(_PATH, 1)[-1] if label >= 0 else ""

    def _states_value(self, number: int) -> bool:
        sentence = self._sentences[number]
        if self._is_amount(sentence):
            return True
        measured = self._measured(sentence)
        return any(
            each.search(self._text, *sentence.span) or each.search(measured)
            for each in self._question.values
        )

    def answers_itself(self, number: int) -> bool:
        """Whether a sentence says what is asked, in the form of an answer, without its window."""
        sentence = self._sentences[number]
        stated = any(each.search(self._text, *sentence.span) for each in self._question.answers)
        return stated and self._share(sentence.terms) >= _WHOLE

    def _may_answer(self, number: int, span: Span) -> bool:
        """Whether it says anything of the question, in its words or in the form of an answer alone.

        A passage that means what was asked needs neither. No code, no question, no name of a
        column, and no notice of rights but where that is asked.
        """
        words, answers = self._text[span.start : span.end], self._question.answers
        sentence = self._sentences[number]
        says = sentence.terms or self._is_in_row(sentence) or self._is_headed(sentence)
        says = says or any(each.search(words) for each in answers)
        if sentence.row in self._heads or not (says or self._similarity(sentence.span)):
            return False
        if words.endswith("?") or is_code(words):
            return False
        return "©" not in words or any(each.search("©") for each in answers)

    def _read(self) -> Iterator[_Sentence]:
        offsets = [mark.offset for mark in self._marks]
        for span in sentences(self._text):
            label = bisect_right(offsets, span.start) - 1
            if label >= 0 and self._is_heading(label, span):
                continue
            if label >= 0 and self._marks[label].is_listing:  # it cites others, or leads to pages
                continue
            terms: dict[int, float] = {}
            count = 0
            for word in words(self._text[span.start : span.end], self._question.language):
                count += 1
                for place, worth in self._forms.get(word.stem, ()):
                    terms[place] = max(worth, terms.get(place, 0.0))
            yield _Sentence(span, label, count, terms, self._row_of(span))

    def _rows_of_columns(self) -> Iterator[int]:
        """Where the rows begin that name the columns of those behind: they state nothing."""
        offsets = [mark.offset for mark in self._marks]
        above, was_named = -1, True
        for row in self._rows:
            behind = bisect_right(offsets, row.start)
            is_named = behind < len(offsets) and offsets[behind] < row.end
            if is_named and not was_named:
                yield above
            above, was_named = row.start, is_named

    def _row_of(self, span: Span) -> int:
        place = bisect_right(self._rows, span.start, key=lambda row: row.start) - 1
        return self._rows[place].start if place >= 0 and span.start < self._rows[place].end else -1

    def _is_heading(self, label: int, span: Span) -> bool:
        """Whether a sentence is nothing but the name of what follows."""
        # An item goes on behind its name: "listen_port: port on which the server listens."
        name = self._marks[label].label.rsplit(_PATH, 1)[-1]
        is_named = self._marks[label].offset == span.start
        return is_named and self._text[span.start : span.end].rstrip(" :") == name

    def _is_in_row(self, sentence: _Sentence) -> bool:
        """Whether it is a cell of a row that has a word of the question, in its name or beside it.

        A cell says of what it is nowhere else: "Pallet storage", "€2.10".
        """
        return sentence.row >= 0 and (
            sentence.row in self._rows_meant or self._names_row(sentence.row)
        )

    def _names_row(self, row: int) -> bool:
        name = self._text[row : self._text.find(_CELL, row)]
        return bool(self._named(name, _HEADING))

    def _score(self, number: int) -> float:
        sentence = self._sentences[number]
        found = dict(self._above(sentence.label))
        times: Counter[int] = Counter()
        for distance, worth in enumerate(_NEARNESS):
            for neighbour in self._beside(number, distance):
                times.update(neighbour.terms.keys())
                for place, counts in neighbour.terms.items():
                    found[place] = max(found.get(place, 0.0), counts * worth)
        again = {place: min(_TWICE, count - 1) / _TWICE for place, count in times.items()}
        score = self._share(found) + _OWN * self._share(sentence.terms) + self._form(number)
        score += _AGAIN * self._share(again) - _PAST * self._tells_of_changes(sentence.label)
        score -= _FRAGMENT * (sentence.words < 5)
        score += _RANK * (_MOST / (1 + _RANK)) * self._agreement(sentence.span)
        by_words = min(1.0, max(0.0, score / _MOST)) * self._promise(number, len(found))
        near = self._similarity(sentence.span)
        # Words still tell which sentence of a passage it is.
        return max(by_words, (1 - _OWN) * near + _OWN * by_words if near else 0.0)

    def _promise(self, number: int, words: int) -> float:
        """What is left for lack of a value that was asked for, and of words."""
        unstated = bool(self._question.values) and self._form(number) == 0
        few = _FEW.get(words, 1.0) if len(self._question.terms) > max(_FEW) else 1.0
        return (_UNSTATED if unstated else 1.0) * few

    def _is_amount(self, sentence: _Sentence) -> bool:
        """Whether a figure of a cell is an amount of the kind that is asked for, by its column."""
        if sentence.row < 0 or not self._question.amounts:
            return False
        cell = self._text[sentence.span.start : sentence.span.end]
        told = (f"{self._heading(sentence.label)} {cell}", self._measured(sentence))
        return any(each.search(words) for words in told for each in self._question.amounts)

    def _agreement(self, span: Span) -> float:
        """How far up a search put the passage that a sentence stands in, 0 to 1."""
        first = min((place.number for place in self._places(span)), default=None)
        return 0.0 if first is None else _SOON / (_SOON + first)

    def _similarity(self, span: Span) -> float:
        """How near in meaning the passage is that a sentence stands in."""
        return max((place.similarity for place in self._places(span)), default=0.0)

    def _places(self, span: Span) -> Iterator[FoundAt]:
        for each in self._found:
            if each.span.start <= span.start < each.span.end:
                yield each.place

    def _tells_of_changes(self, label: int) -> bool:
        return self._is_past or (label >= 0 and bool(_CHANGES.search(self._marks[label].label)))

    def _beside(self, number: int, distance: int) -> Iterator[_Sentence]:
        """The sentences at a distance under the same heading, or in the same row."""
        group = self._sentences[number].group
        for other in {number - distance, number + distance}:
            if 0 <= other < len(self._sentences) and self._sentences[other].group == group:
                yield self._sentences[other]

    def _share(self, found: Mapping[int, float]) -> float:
        terms = self._question.terms
        return sum(terms[place].weight * worth for place, worth in found.items()) / (
            self._question.whole
        )

    def _form(self, number: int) -> float:
        """What the form of an answer is worth, in the sentence or beside it."""
        answers = self._question.answers
        if not answers:
            return 0.0
        if self._is_amount(self._sentences[number]):
            return _FORM
        sentence = self._sentences[number].span
        near = [each.span for each in self._beside(number, 1)]
        total = 0.0
        measured = self._measured(self._sentences[number])
        for pattern in answers:
            if pattern.search(self._text, *sentence) or (measured and pattern.search(measured)):
                total += 1
            elif any(pattern.search(self._text, *span) for span in near):
                total += _NEAR_FORM
        return _FORM * total / len(answers)

    def _measured(self, sentence: _Sentence) -> str:
        """A figure of a cell with the unit that its column names ("price (EUR)"), or nothing."""
        if sentence.row < 0 or sentence.label < 0:
            return ""
        unit = _UNIT.search(self._marks[sentence.label].label)
        cell = self._text[sentence.span.start : sentence.span.end]
        return f"{cell} {unit[1] or unit[2]}" if unit and cell[-1:].isdigit() else ""

    def _above(self, label: int) -> Mapping[int, float]:
        """The words of the question that heading and title have."""
        if label < 0:
            return self._title
        if label not in self._named_above:
            *above, heading = self._marks[label].label.split(_PATH)
            found = dict(self._title)
            for named in (self._named(" ".join(above), _ABOVE), self._named(heading, _HEADING)):
                for place, worth in named.items():
                    found[place] = max(found.get(place, 0.0), worth)
            self._named_above[label] = found
        return self._named_above[label]

    def _is_headed(self, sentence: _Sentence) -> bool:
        """Whether of all below its heading only that itself has a word of the question."""
        return sentence.label not in self._labels_meant and bool(
            self._named(self._heading(sentence.label), _HEADING)
        )

    def _named(self, said: str, worth: float) -> dict[int, float]:
        found: dict[int, float] = {}
        for each in content_stems(said, self._question.language):
            for place, counts in self._forms.get(each, []):
                found[place] = max(found.get(place, 0.0), counts * worth)
        return found
