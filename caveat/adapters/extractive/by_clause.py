"""By clause: what claims state of the same thing, whatever the form of their sentences."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from caveat.adapters.extractive.alignment import Anchors, ClauseBits, WordBits, partners
from caveat.adapters.extractive.attributes import Attribute
from caveat.adapters.extractive.clauses import TOKEN, level_of
from caveat.adapters.extractive.contrasts import short
from caveat.adapters.extractive.entities import EVERYWHERE, ClaimPlace, placed, titled
from caveat.adapters.extractive.mentions import Assertion, Mention, mentions
from caveat.adapters.extractive.names import OFFICES, names
from caveat.adapters.extractive.said import Said
from caveat.adapters.extractive.times import years
from caveat.adapters.text.words import listing, stem
from caveat.contracts.claim import Claim
from caveat.contracts.source import SourceRef
from caveat.contracts.tasks import DetectionTask
from caveat.quantities.measures import Measure
from caveat.rules.text import sentences


def aligned(task: DetectionTask) -> Iterator[list[Said]]:
    """Gather the values that stand in clauses which say the same of the same.

    Args:
        task: the claims, and the topic.

    Yields:
        Groups in which each is aligned with another one at least, in order of claim ids.
    """
    reader = _Reader(task)
    for said in reader.slots(task.claims).values():
        yield from _together(said)


def _together(said: Sequence[Said]) -> Iterator[list[Said]]:
    root = list(range(len(said)))
    for one, other in partners([each.frame for each in said if each.frame]):
        if said[one].claim.source_id == said[other].claim.source_id:
            continue
        if said[one].is_of_the_same_as(said[other]):
            first, second = sorted((_root(root, one), _root(root, other)))
            root[second] = first
    groups: dict[int, list[Said]] = defaultdict(list)
    for place, each in enumerate(said):
        groups[_root(root, place)].append(each)
    yield from (group for group in groups.values() if len(group) > 1)


def _root(root: list[int], place: int) -> int:
    while root[place] != place:
        root[place] = root[root[place]]
        place = root[place]
    return place


_TIMES = frozenset(
    listing(
        "january february march april may june july august september october november december",
        "monday tuesday wednesday thursday friday saturday sunday spring summer autumn winter",
    )
)
_VAGUE = listing(
    "default max min need ~may ~must allow support last begin end use run set effect release",
    "version option",
)


_TITLE_CASE = 4
"""Words of a title behind the first, from which on capitals everywhere make no names."""


class _Reader:
    """Reads the clauses of one run's claims."""

    def __init__(self, task: DetectionTask) -> None:
        topics = (task.topic, *(angle.title for angle in task.assignments))
        self._sources = {source.id: source for source in task.sources}
        self._words = WordBits()
        self._titles = titled(task.sources)
        self._known = names(task.claims, topics)
        # "land" is no name because of the Antarctic Lands.
        self._common = frozenset(map(level_of, self._known.common))
        proper = {level_of(word) for word in self._known.proper if _is_name(word)}
        self._names = proper - self._common
        self.anchors = self._anchored(topics)

    def slots(self, claims: Iterable[Claim]) -> dict[str, list[Said]]:
        """Read the claims, in order of their ids, by what their values can be compared with."""
        found: dict[str, list[Said]] = defaultdict(list)
        for claim in sorted(claims, key=lambda claim: claim.id):
            source = self._sources.get(claim.source_id)
            text = f"{claim.location or ''} {source.title if source else ''}"
            headings = frozenset(map(level_of, TOKEN.findall(text)))
            owned = frozenset(map(level_of, self._capitals(source.title if source else "")))
            where = placed(claim, source, self._titles, self._known)
            for span in sentences(claim.quote):
                sentence = claim.quote[span.start : span.end]
                for mention in mentions(sentence):
                    frame = self._frame(mention, headings, owned, where)
                    said = _said(claim, source, sentence, mention)
                    found[mention.slot].append(replace(said, frame=frame, anchors=self.anchors))
        return found

    def _capitals(self, title: str) -> list[str]:
        """The words of a title with a capital, unless all have one because it is a title."""
        first, *others = TOKEN.findall(title) or [""]
        written = [word for word in others if word[0].isupper()]
        if len(others) >= _TITLE_CASE and len(written) == len(others):
            written = [word for word in others if level_of(word) in self._names]
        return [*written, *([first] if level_of(first) in self._names else [])]

    def _frame(
        self, mention: Mention, headings: frozenset[str], owned: frozenset[str], where: ClaimPlace
    ) -> ClauseBits:
        clause, bits = mention.clause, self._words.bits
        return ClauseBits(
            core=bits(clause.words),
            # A name that only a list beside the clause has does not say what the clause is about.
            around=bits(clause.aside - self._names) | bits(headings),
            loose=bits(clause.loose),
            named=bits(headings & self._names),
            owned=bits(owned),
            place=where,
            is_strict=mention.is_strict,
        )

    def _anchored(self, topics: Sequence[str]) -> Anchors:
        asked: list[int] = []
        for question in re.split(r"[?.!]+", " ".join(topics)):
            found = TOKEN.findall(question)
            own = [word for word in found[1:] if word[0].isupper() and _is_name(word)]
            self._names.update(frozenset(map(level_of, own)) - self._common)
            if not own:
                asked.append(self._words.bits(map(level_of, found)))
        return Anchors(
            names=self._words.bits(self._names),
            asked=self._words.bits(map(level_of, TOKEN.findall(" ".join(topics)))),
            topics=tuple(asked),
            vague=self._words.bits(_VAGUE),
        )


def _is_name(word: str) -> bool:
    return stem(word) not in OFFICES and word.lower() not in _TIMES


def _said(claim: Claim, source: SourceRef | None, sentence: str, mention: Mention) -> Said:
    start, end, clause, value = mention.start, mention.end, mention.clause, mention.value
    if isinstance(value, Assertion):
        label, around = sentence[clause.start : clause.end], sentence
        written = "affirmed" if value.affirms else "denied"
    else:
        label = f"{sentence[clause.start : start]}…{sentence[end : clause.end]}"
        written, around = sentence[start:end], f"{sentence[:start]} {sentence[end:]}"
    attribute = Attribute(EVERYWHERE, tuple(sorted(clause.words)), short(label))
    is_date = isinstance(value, Measure) and value.is_date
    when = frozenset[int]() if is_date else years(around, attribute, source)
    return Said(claim, attribute, value, written, when)
