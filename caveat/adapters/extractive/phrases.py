"""Phrases that a person would accept as headings, found in passages and weighed.

Candidates are runs of one to three words between stop words and punctuation, as RAKE takes them. A
phrase must stand on its own (its neighbours are mostly function words, the idea of the C-value),
and it weighs its share in the divergence between the best passages and the whole corpus: how many
of their sources say it, times how much rarer it is elsewhere.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from caveat.adapters.extractive.prose import is_english_prose
from caveat.adapters.text.vocabulary import Passage
from caveat.rules.text import sentences
from caveat.rules.text.words import STOP_WORDS, Word, listing, stem, words

Stems = tuple[str, ...]


_CALENDAR = frozenset(
    listing(
        "january february march april may june july august september october november december",
        "monday tuesday wednesday thursday friday saturday sunday",
    )
)


@dataclass(frozen=True)
class Phrase:
    """A phrase of the passages."""

    stems: Stems  # its words' stems, in order
    surface: str
    passages: frozenset[int]
    sources: frozenset[str]
    weight: float

    @property
    def is_telling(self) -> bool:
        """Whether it is more than a single common noun, or a month or a day of the week."""
        is_calendar = _CALENDAR.issuperset(self.surface.lower().split())
        return (len(self.stems) > 1 or not self.surface.islower()) and not is_calendar


@dataclass
class _Tally:
    """What is counted of one candidate."""

    surfaces: Counter[str] = field(default_factory=Counter)
    count: int = 0
    left: float = 0.0
    right: float = 0.0
    passages: set[int] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)


LONGEST = 3
"""Words in a phrase: terms of art are rarely longer, and longer runs are mostly accidents."""


def phrases(
    passages: Sequence[Passage], topic: frozenset[str], shares: Mapping[str, float]
) -> list[Phrase]:
    """Find and weigh the phrases of passages, heaviest first.

    Args:
        passages: best first.
        topic: stems of the topic; a phrase of nothing else says nothing new.
        shares: share of the corpus's documents that hold a stem, 0 to 1.

    Returns:
        Phrases that several sources say, or, where the passages have fewer than four sources, that
        are said more than once.
    """
    tallies = _tallies(passages)
    whole = _source_weights(passages)
    spread = min(3, 1 + len(whole) // 4)
    found = [
        _weighed(stems, tally, shares, whole)
        for stems, tally in tallies.items()
        if tally.count > 1
        and len(tally.sources) >= spread
        and not topic.issuperset(stems)
        and _stands_alone(tally)
        and not _is_commonplace(stems, tally, shares)
    ]
    return sorted(found, key=lambda phrase: (-phrase.weight, phrase.stems))


def candidate_stems(passages: Sequence[Passage]) -> frozenset[str]:
    """The stems whose shares `phrases` wants to know."""
    return frozenset(part for stems in _tallies(passages) for part in stems)


def _source_weights(passages: Sequence[Passage]) -> dict[str, float]:
    """The weight of each source: its best passage's; the tenth still has half of the first's."""
    weights: dict[str, float] = {}
    for position, passage in enumerate(passages):
        weights.setdefault(passage.source_id, 10 / (10 + position))
    return weights


def _weighed(
    stems: Stems, tally: _Tally, shares: Mapping[str, float], whole: Mapping[str, float]
) -> Phrase:
    said = sum(whole[source] for source in tally.sources) / sum(whole.values())
    # A phrase is no more frequent than its rarest word.
    elsewhere = max(1e-6, min(shares.get(part, 0.0) for part in stems))
    surface = max(tally.surfaces, key=lambda spelling: (tally.surfaces[spelling], spelling))
    return Phrase(
        stems=stems,
        surface=surface,
        passages=frozenset(tally.passages),
        sources=frozenset(tally.sources),
        weight=said * math.log(1 + said / elsewhere) * _telling(stems, surface),
    )


def _telling(stems: Stems, surface: str) -> float:
    """How much a phrase says by its length: a common noun alone says little, a name more."""
    if len(stems) == 1:
        return 0.25 if surface.islower() else 0.75
    return 1 + math.log2(len(stems))


def _stands_alone(tally: _Tally) -> bool:
    """Whether a phrase is whole: "giant branch" always has "red" before it, so it is not."""
    return tally.left / tally.count >= 0.3 and tally.right / tally.count >= 0.5


_COMMON = 0.1  # share of the documents above which a single common noun is no subject of its own


def _is_commonplace(stems: Stems, tally: _Tally, shares: Mapping[str, float]) -> bool:
    is_noun = len(stems) == 1 and all(surface.islower() for surface in tally.surfaces)
    return is_noun and shares.get(stems[0], 0.0) > _COMMON


def _tallies(passages: Sequence[Passage]) -> dict[Stems, _Tally]:
    tallies: dict[Stems, _Tally] = defaultdict(_Tally)
    seen: set[str] = set()
    for position, passage in enumerate(passages):
        for sentence in _prose(passage.text):
            if sentence in seen:
                continue  # a copy of a document adds no voice
            seen.add(sentence)
            for run in _runs(sentence, words(sentence)):
                for candidate in _candidates(run):
                    tally = tallies[tuple(word.stem for word in candidate.words)]
                    _count(tally, candidate, sentence)
                    tally.passages.add(position)
                    tally.sources.add(passage.source_id)
    return tallies


def _prose(text: str) -> Iterator[str]:
    for span in sentences(text):
        sentence = text[span.start : span.end]
        if is_english_prose(sentence):
            yield sentence


def _count(tally: _Tally, candidate: "_Candidate", text: str) -> None:
    first, last = candidate.words[0], candidate.words[-1]
    surface = text[first.start : last.start + len(last.text)]
    tally.surfaces[_uncapitalised(surface, opens=candidate.opens)] += 1
    tally.count += 1
    tally.left += candidate.left
    tally.right += candidate.right


def _uncapitalised(surface: str, *, opens: bool) -> str:
    """Undo the capital of a sentence's first word, unless it is a name such as SH0ES."""
    if opens and surface[1:].islower():
        return surface[0].lower() + surface[1:]
    return surface


class _Run(NamedTuple):
    words: list[Word]
    before: str
    opens: bool
    whole: bool


_INNER = frozenset({"/", "_", "@", "~", "=", "\\"})
"""Signs inside names and addresses: "Debian GNU" is half of "Debian GNU/Linux"."""
_JOINED = re.compile(r"[ \n\u00a0]|-")


def _runs(text: str, found: list[Word]) -> Iterator[_Run]:
    """Yield the words between stop words and punctuation, with the word before them."""
    run: list[Word] = []
    before, opens = "", True
    last_end = 0
    for word in found:
        between = text[last_end : word.start]
        joined = _JOINED.fullmatch(between) is not None
        if run and (not joined or word.text.lower() in STOP_WORDS):
            yield _Run(run, before, opens, whole=between not in _INNER)
            run = []
        if word.text.lower() not in STOP_WORDS:
            if not run:
                before = _word_before(text, last_end) if joined else between.strip()
                opens = not joined and between.strip() in {"", ".", "?", "!", ":"}
            run.append(word)
        last_end = word.start + len(word.text)
    if run:
        yield _Run(run, before, opens, whole=True)


def _word_before(text: str, end: int) -> str:
    match = re.search(r"(?<![^\W_])[^\W_]++\Z", text[max(0, end - 24) : end])
    return match[0].lower() if match else ""


class _Candidate(NamedTuple):
    words: list[Word]
    left: float
    right: float
    opens: bool


_LEADS_NOUNS = frozenset(
    listing(
        "the a an of in for with from by on its their our your his her this these those and or",
        "between into under over at than such each every no some all many most other both several",
        "any without within via per against about as like through",
    )
)


def _candidates(run: _Run) -> Iterator[_Candidate]:
    for first in range(len(run.words)):
        for last in range(first, min(first + LONGEST, len(run.words))):
            chosen = run.words[first : last + 1]
            if _is_heading(chosen):
                left = _lead(run) if first == 0 else 0.0
                ends = last == len(run.words) - 1 and (run.whole or len(chosen) == 1)
                right = 1.0 if ends else 0.0
                yield _Candidate(chosen, left, right, run.opens and first == 0)


def _lead(run: _Run) -> float:
    if not run.before.isalnum():
        return 0.5  # punctuation or the start tells nothing about what follows
    return 1.0 if run.before in _LEADS_NOUNS else -0.5


def _is_heading(chosen: list[Word]) -> bool:
    """Whether words may make a heading: no verb, adverb, number or filler at an edge."""
    first, last = chosen[0].text, chosen[-1].text
    if not all(_is_wordlike(word) for word in chosen):
        return False
    if len(chosen) == 1 and len(first) < 4 and not first.isupper():
        return False
    ends_as_verb = len(last) > 5 and last.endswith("ed")
    opens_as_verb = len(first) > 5 and first.endswith(("ed", "ing"))
    # "load balancing" is a thing, "vulnerabilities affecting" goes on.
    goes_on = len(chosen) > 1 and last.endswith("ing") and chosen[-2].text.endswith("s")
    return not (ends_as_verb or opens_as_verb or goes_on)


def _is_wordlike(word: Word) -> bool:
    text = word.text
    if not any(char.isalpha() for char in text) or len(text) < 2:
        return False
    return not (text.endswith("ly") and len(text) > 4) and word.stem not in _FILLERS


_FILLERS = frozenset(
    stem(word)
    for word in listing(
        # Verbs that are common in prose and make no heading.
        "show find report provide require allow include contain describe mean help want work",
        "run set change call try put keep turn follow consider depend exist happen apply refer",
        "create add remove choose appear assume become begin believe bring cause come compare",
        "confirm decide define determine discuss enable ensure expect explain imply improve",
        "increase indicate involve know lead leave look measure offer perform prefer prevent",
        "produce propose reach read receive reduce remain rest return rise serve speak start",
        "state stay stop suggest tell test think understand write yield agree disagree differ",
        "obtain derive infer observe estimate present correspond possible able specify handle",
        "execute modify replace install",
        # Nouns and adjectives that fit any topic.
        "value result method thing case example number part section chapter note information",
        "point problem question type kind time year day month week order form fact reason issue",
        "item list line place something anything everything nothing someone people person first",
        "second third last next previous new old good better best bad big small large high low",
        "long short full main major important different similar common usual general specific",
        "particular certain various following available likely likewise current recent",
        "additional simple easy hard figure table page paper article author reference copyright",
        "version today still even late early later earlier least less enough lot whole real",
        "true actual own two three four five six seven eight nine ten zero half double single",
        "amount level range set way name title default above below course sure user default",
        "option instance detail end side step",
    )
)
