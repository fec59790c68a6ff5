"""What is said: the values that claims state, gathered by attribute and entity."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from caveat.adapters.extractive.attributes import Attribute
from caveat.adapters.extractive.categories import Name, find_names
from caveat.adapters.extractive.contrasts import Contrast, find_contrasts
from caveat.adapters.extractive.entities import Key, list_contexts, list_titles
from caveat.adapters.extractive.forms import find_stated_values
from caveat.adapters.extractive.names import Names, learn_names
from caveat.adapters.extractive.times import Period, find_period, may_be_one_time
from caveat.contracts.claim import Claim
from caveat.contracts.source import SourceRef
from caveat.contracts.tasks import DetectionTask
from caveat.quantities.measures import Measure, measure
from caveat.rules.text import Span, split_sentences
from caveat.rules.text.words import list_content_stems


@dataclass(frozen=True)
class Said:
    """A claim and one value that it states."""

    claim: Claim
    attribute: Attribute
    # in units, in letters, or in what a sentence says otherwise than others
    value: Measure | Name | Contrast
    written: str
    period: Period

    @property
    def rank(self) -> tuple[float, float, str]:
        """The best first: credible, then relevant, then in order of ids."""
        return (-self.claim.credibility, -self.claim.relevance, self.claim.id)

    def agrees_with(self, other: "Said") -> bool:
        """Whether the values can both be true of one thing."""
        one, another = self.value, other.value
        if isinstance(one, Measure):
            return isinstance(another, Measure) and one.agrees_with(another)
        if isinstance(one, Contrast):
            return isinstance(another, Contrast) and one.agrees_with(another)
        return isinstance(another, Name) and one.agrees_with(another)

    def is_comparable(self, other: "Said") -> bool:
        """Whether two sources speak of one time and, as far as they say, of one scope."""
        one, another = self.attribute.scope, other.attribute.scope
        return (
            self.claim.source_id != other.claim.source_id
            and may_be_one_time(self.period, other.period)
            and (not one or not another or one == another)
        )


@dataclass(frozen=True)
class ValueKey:
    """What values must share to be compared: entity, attribute, and base units or `name`."""

    entity: Key
    attribute: Key
    dimension: str


def group_by_subject(task: DetectionTask) -> dict[ValueKey, list[Said]]:
    """Gather what the claims say of each subject, in order of claim ids."""
    # Time is linear in the claims. A value whose entity only heading or title name stands under
    # each name that those offer.
    sources = {source.id: source for source in task.sources}
    titles = list_titles(task.sources)
    known = learn_names(task.claims, (task.topic, *(angle.title for angle in task.assignments)))
    topic = list_content_stems(task.topic)
    subjects: dict[ValueKey, list[Said]] = defaultdict(list)
    for claim in sorted(task.claims, key=lambda claim: claim.id):
        source = sources.get(claim.source_id)
        for said in _read_claim(claim, source, known, topic):
            of, dimension = said.attribute.of, _name_dimension(said.value)
            around = list_contexts(claim, source, titles, known) if of.anchored else [()]
            for entity in around:
                key = tuple(sorted({*entity, *of.key}))
                subjects[ValueKey(key, said.attribute.key, dimension)].append(said)
    return subjects


def _read_claim(
    claim: Claim, source: SourceRef | None, known: Names, topic: frozenset[str]
) -> Iterator[Said]:
    """Read the sentences of a quote one by one: a model may quote several at once."""
    for span in split_sentences(claim.quote):
        yield from _read_sentence(claim, span, source, known, topic)


def _read_sentence(
    claim: Claim, span: Span, source: SourceRef | None, known: Names, topic: frozenset[str]
) -> Iterator[Said]:
    quote, sentence = claim.quote, claim.quote[span.start : span.end]
    read: list[range] = []
    for attribute, quantity in find_stated_values(sentence, known):
        read.append(range(quantity.start, quantity.end))
        written = sentence[quantity.start : quantity.end]
        value = measure(quantity, written)
        # A year in another sentence of the quote may be the year that this one speaks of.
        before, behind = span.start + quantity.start, span.start + quantity.end
        around = f"{quote[:before]} {quote[behind:]}"
        when = frozenset[int]() if value.is_date else find_period(around, attribute, claim, source)
        yield Said(claim, attribute, value, written, when)
    for attribute, name, start, end in find_names(sentence, known):
        when = find_period(quote, attribute, claim, source)
        yield Said(claim, attribute, name, sentence[start:end], when)
    for attribute, contrast, written in find_contrasts(sentence, topic):
        if not contrast.is_number or all(contrast.frame.start not in found for found in read):
            # Years of the sentence itself are words in which both agree.
            when = find_period("", attribute, claim, source)
            yield Said(claim, attribute, contrast, written, when)


def _name_dimension(value: Measure | Name | Contrast) -> str:
    if isinstance(value, Contrast):
        return value.frame.place
    return value.dimension if isinstance(value, Measure) else "name"
