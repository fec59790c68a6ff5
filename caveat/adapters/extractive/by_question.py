"""By question: what claims state that answer one question with one value of the sort it asks for.

Two people hardly ever say a thing in the same words; what they share is that both answer what was
asked. So a value counts that is the only one of its sort in a sentence which names what the
question names, itself or by the title above it, and two of them are held against each other where
nothing confines one that does not confine the other (see `scopes`).
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from caveat.adapters.extractive.asked import (
    MONEY,
    TIME,
    Asked,
    Sort,
    asked,
    dimension_of,
    levels,
)
from caveat.adapters.extractive.attributes import Attribute
from caveat.adapters.extractive.clauses import clause
from caveat.adapters.extractive.entities import EVERYWHERE, key_of
from caveat.adapters.extractive.fitting import fitting
from caveat.adapters.extractive.forms import starting
from caveat.adapters.extractive.said import Said
from caveat.adapters.extractive.scopes import is_named, scope
from caveat.adapters.extractive.times import years_named
from caveat.contracts.claim import Claim
from caveat.contracts.source import SourceRef
from caveat.contracts.tasks import DetectionTask
from caveat.quantities.measures import Measure, measure
from caveat.quantities.reading import Quantity
from caveat.rules.text import sentences


def answering(task: DetectionTask) -> Iterator[list[Said]]:
    """Gather the values that answer one question of the topic.

    Args:
        task: the claims, and the topic.

    Yields:
        Groups, in order of the questions, then of claim ids.
    """
    questions = tuple(dict.fromkeys(asked(task.topic)))
    if not questions:
        return
    sources = {source.id: source for source in task.sources}
    groups: dict[tuple[int, str], list[Said]] = defaultdict(list)
    for claim in sorted(task.claims, key=lambda claim: claim.id):
        source = sources.get(claim.source_id)
        for span in sentences(claim.quote):
            sentence = claim.quote[span.start : span.end]
            for number, question in enumerate(questions):
                said = _said(claim, source, sentence, question)
                if said is not None:
                    groups[number, said[0]].append(said[1])
    yield from (
        [said for said in group if _is_one_voice(said, group)]
        for _, group in sorted(groups.items())
        if len(group) > 1
    )


def _is_one_voice(said: Said, group: Sequence[Said]) -> bool:
    """Whether its source gives no other value: of land, water and all, none answers by itself."""
    return all(
        said.agrees_with(other) for other in group if other.claim.source_id == said.claim.source_id
    )


_LONGEST = 1_000
"""Characters of a sentence; longer ones are tables and lists."""


def _said(
    claim: Claim, source: SourceRef | None, sentence: str, question: Asked
) -> tuple[str, Said] | None:
    """Read an answer, and what it can be compared with at all."""
    if len(sentence) > _LONGEST or "?" in sentence:
        return None
    title = source.title if source else ""
    heading = (claim.location or "").split(" › ")[-1]
    above = f"{title} {heading}"
    if not is_named(sentence, above, question):
        return None
    value = fitting(sentence, levels(above), question)
    if value is None:
        return None
    found = scope(sentence, value, question, title, "" if heading == title else heading)
    if found is None:
        return None
    written = sentence[value.start : value.end]
    slot, amount = _comparable(sentence, value, written, question)
    around = f"{sentence[: value.start]} {sentence[value.end :]}"
    when = frozenset[int]() if question.sort is Sort.DATE else years_named(around)
    begins = starting(sentence, value.end)
    attribute = Attribute(
        of=EVERYWHERE,
        key=tuple(sorted(question.words)),
        label=f"“{question.text}?”",
        scope=key_of(begins["scope"]) if begins else (),
    )
    return slot, Said(claim, attribute, amount, written, when, answer=found)


_YEAR_S = 365.25 * 86_400
_MONTH_ROOM = 0.03
"""Share by which months may differ in days."""
_MUST = re.compile(
    r"\b(?:may|must|can|cannot|allow\w*|permit\w*|limit\w*|maximum|minimum|need\w*|requir\w*|never"
    r"|ha(?:s|ve) to)\b",
    re.IGNORECASE,
)


def _comparable(
    sentence: str, value: Quantity, written: str, question: Asked
) -> tuple[str, Measure]:
    """Bring a value to what it can be compared in; a bound that is demanded is a value itself."""
    stated = _turned(sentence, value) if question.demands else value
    amount = measure(stated, written)
    slot = amount.dimension
    if dimension_of(value) == TIME:
        slot, amount = TIME, _in_seconds(amount, written)
    if dimension_of(value) == MONEY:
        slot = f"{value.unit.partition('/')[0]} a {_period(sentence, value)}"
        amount = replace(amount, dimension=slot)
    if not stated.is_estimate and question.demands and _MUST.search(sentence):
        is_least = amount.low > float("-inf")
        bound = amount.low if is_least else amount.high
        amount = replace(amount, low=bound, high=bound, number=bound)
        slot = f"{slot} {'least' if is_least else 'most'}"
    return slot, amount


def _turned(sentence: str, value: Quantity) -> Quantity:
    """Turn a bound round that is denied: "no vehicle above 3 tonnes" may be up to that."""
    around = clause(sentence, value.start, value.end)
    if value.is_estimate or around.denies != 1 or value.high < float("inf"):
        return value
    return replace(value, low=-float("inf"), high=value.number)


def _in_seconds(amount: Measure, written: str) -> Measure:
    if amount.dimension != "yr^1":
        return amount
    room = _MONTH_ROOM * abs(amount.number) if "month" in written else amount.step
    return replace(
        amount,
        dimension=TIME,
        number=amount.number * _YEAR_S,
        low=amount.low * _YEAR_S,
        high=amount.high * _YEAR_S,
        step=room * _YEAR_S,
    )


_EVERY = re.compile(
    r"\b(?:an?|per|each|every)\s(year|month|week|day|hour|night)\b"
    r"|\b(annual|year|month|week|dai|hour|night)(?:ly|ally)?\b",
    re.IGNORECASE,
)
_ONE = {"annual": "year", "dai": "day"}


def _period(sentence: str, value: Quantity) -> str:
    """How often an amount of money is due, as the words around say; empty where they do not."""
    around = clause(sentence, value.start, value.end)
    match = _EVERY.search(sentence, value.start, around.end) or _EVERY.search(
        sentence, around.start, value.start
    )
    if match is None:
        return ""
    name = (match[1] or match[2]).lower()
    return _ONE.get(name, name)
