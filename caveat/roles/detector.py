"""The contradiction detector: names of claims in, groups of names out."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations

from pydantic import Field

from caveat.contracts.base import Contract
from caveat.contracts.contradiction import ContradictionKind, Disagreement, Side
from caveat.contracts.envelope import Usage
from caveat.contracts.phase import Step
from caveat.contracts.source import Claim
from caveat.contracts.tasks import DetectionTask
from caveat.failures import PortFailure
from caveat.ports import Answer
from caveat.quantities.support import Excerpt, find_unsupported
from caveat.roles.data import (
    ADDRESS,
    Words,
    describe_quote,
    format_flaws,
    format_json_block,
    list_by_source,
)
from caveat.roles.role import SONNET, Bounds, Effort, LanguageModel, ModelSettings, Question, Role
from caveat.rules.contradictions.choices import PAIR, UNNAMED
from caveat.rules.contradictions.disagreements import filter_disagreements
from caveat.rules.lines import collapse_spaces, shorten
from caveat.rules.sentences.checks import find_text_flaws
from caveat.rules.sentences.grounds import Grounds
from caveat.rules.text.sentences import find_value
from caveat.rules.text.words import detect_language, is_content, is_letter, list_content_stems

SETTINGS = ModelSettings(
    name="detection",
    agent="detector",
    model=SONNET,
    # A line for each claim of a side.
    bounds=Bounds(deadline_s=345, room=12_000, effort=Effort.HIGH),
    step=Step.DETECT,
)


SECOND_LOOK = replace(
    SETTINGS, agent="second_look", bounds=Bounds(deadline_s=60, room=4_000), step=None
)
"""Plays with the model of the detector, and its calls are booked there."""

_VALUE = 200  # characters of a value and of its scope, by their contract


class Value(Contract):
    """One of the values that exclude each other, and who states it."""

    claim: str
    backing: tuple[str, ...]
    value: str
    scope: str


class Dispute(Contract):
    """One quantity or statement, with all the values that claims give it."""

    kind: ContradictionKind
    about: Words
    values: tuple[Value, ...]
    affects_answer: bool = True


class Disputes(Contract):
    """The contradictions, what matters most first."""

    contradictions: tuple[Dispute, ...] = Field(max_length=200)  # more is no list of points


class Confirmed(Contract):
    """What a second look finds, by the names of the pairs."""

    confirmed: tuple[str, ...]  # whose quote states the value beside it
    loaded: tuple[str, ...] = ()  # whose subject judges, or is another one
    apart: tuple[str, ...] = ()  # disputes, by name, whose values can all be true


async def _play(task: DetectionTask, model: LanguageModel) -> Answer[tuple[Disagreement, ...]]:
    """Return what names claims of two sources; what does not is returned once, then dropped."""
    # Where all claims are of one source there is nothing to find, and nobody is asked.
    if len({claim.source_id for claim in task.claims}) < PAIR:
        return Answer(())
    grounds = Grounds.build(task.claims, task.sources, task.topic)
    questions = [assignment.question for assignment in task.assignments]
    sources = list_by_source(task.claims, task.sources)
    facts = {"sources": sources, "topic": task.topic, "questions": questions}

    def find_objection(answer: Disputes) -> str | None:
        disputes = answer.contradictions
        flaws = (flaw for dispute in disputes for flaw in _find_flaws(dispute, grounds))
        again = "Give the whole list again, mended or without them."
        return format_flaws(
            "These contradictions do not hold", chain(flaws, _split(disputes)), again
        )

    content = f"{format_json_block(facts)}\n\nWhich of these claims contradict each other?"
    answer = await model.ask(Question(task, task.topic, content, Disputes, find_objection))
    disputes = _merge_by_item(answer.value, grounds)
    disagreements = filter_disagreements(list(_build_disagreements(disputes, grounds)), task.claims)
    return await _ask_again(disagreements, answer.usage, task, model)


async def _ask_again(
    disagreements: tuple[Disagreement, ...], usage: Usage, task: DetectionTask, model: LanguageModel
) -> Answer[tuple[Disagreement, ...]]:
    """Ask anew, of each claim that is to state or back a value, with nothing else in sight."""
    # What fails here confirms nothing, and costs nothing of what was found.
    claims = {claim.id: claim for claim in task.claims}
    pairs = [
        (dispute, each.about, side, name)
        for dispute, each in enumerate(disagreements, start=1)
        for side in each.sides
        for name in (side.claim, *side.unconfirmed)
    ]
    if not pairs:
        return Answer(disagreements, usage)
    titles = {source.id: source.title for source in task.sources}
    shown = [
        {
            "name": f"q{number}",
            "dispute": f"d{dispute}",
            "about": about,
            "value": side.value,
            "scope": side.scope,
            "source": titles.get(claims[name].source_id, ""),
            **describe_quote(claims[name]),
        }
        for number, (dispute, about, side, name) in enumerate(pairs, start=1)
    ]
    try:
        once = task.model_copy(update={"max_turns": 1})
        content = "\n\nWhich of these quotes state the value beside them?"
        content = format_json_block(shown) + content
        look = Question(once, task.topic, content, Confirmed, settings=SECOND_LOOK)
        answer = await model.ask(look)
    except PortFailure as failed:
        return Answer(disagreements, usage + failed.usage)
    named = {f"q{number}": pair for number, pair in enumerate(pairs, start=1)}
    looked = answer.value[-1]
    stated = {named[each][2:] for each in looked.confirmed if each in named}
    loaded = {named[each][1] for each in looked.loaded if each in named}
    # Values that can all be true hold where each has a scope of its own in the words of its quote;
    # else two looks differ: it is told, and nobody is asked.
    told = []
    for number, each in enumerate(disagreements, start=1):
        scopes = {side.scope for side in each.sides if side.scope}
        is_apart, is_scoped = f"d{number}" in looked.apart, len(scopes) == len(each.sides)
        update: dict[str, object] = {
            "about": UNNAMED if each.about in loaded else each.about,
            "affects_answer": each.affects_answer and not is_apart,
            "are_compatible": is_apart and is_scoped,
        }
        told.append(each.model_copy(update=update))
    backed = (_keep_confirmed(each, stated, claims) for each in told)
    return Answer(tuple(filter(None, backed)), usage + answer.usage)


def _keep_confirmed(
    disagreement: Disagreement, stated: Collection[tuple[Side, str]], claims: Mapping[str, Claim]
) -> Disagreement | None:
    """Keep the claims that were confirmed; a side without one falls, and a dispute with it."""
    # What was looked at and denied backs nothing: neither a count nor a ruling is to touch it.
    confirmed: list[Side] = []
    doubted: list[Side] = []
    for side in disagreement.sides:
        named = (side.claim, *side.unconfirmed)
        first, *others = [name for name in named if (side, name) in stated] or [""]
        if first:
            update: dict[str, object] = {"claim": first, "backing": tuple(others)}
            confirmed.append(side.model_copy(update={**update, "unconfirmed": ()}))
        elif not stated or side.value.casefold() in claims[side.claim].quote.casefold():
            quote = shorten(claims[side.claim].quote, _VALUE)
            update = {"value": quote, "scope": "", "unconfirmed": ()}
            doubted.append(side.model_copy(update=update))
    # Words of a quote stay where no two sides stand without them: one look hides no dispute.
    are_enough = len({claims[side.claim].source_id for side in confirmed}) >= PAIR
    sides = tuple(confirmed if are_enough else (*confirmed, *doubted))
    if len({claims[side.claim].source_id for side in sides}) < PAIR:
        return None
    return disagreement.model_copy(update={"sides": sides})


def _merge_by_item(answers: Sequence[Disputes], grounds: Grounds) -> tuple[Dispute, ...]:
    """Keep what was right in an answer that was given back, and add what came in its place."""
    *earlier, last = answers
    disputes = [
        dispute
        for answer in earlier
        for dispute in answer.contradictions
        if not any(_find_flaws(dispute, grounds))
    ]
    named = {value.claim for dispute in last.contradictions for value in dispute.values}
    lost = (each for each in disputes if named.isdisjoint(value.claim for value in each.values))
    return (*last.contradictions, *lost)


def _find_flaws(dispute: Dispute, grounds: Grounds) -> Iterator[str]:
    """What is wrong with a contradiction; backing that does not hold is only left out."""
    claims = grounds.claims
    names = [value.claim for value in dispute.values]
    unknown = [name for name in names if name not in claims]
    for name in unknown:
        yield f"“{shorten(name, 40)}” names no claim that you were given."
    listed = ", ".join(shorten(name, 40) for name in names)
    sources = [claims[name].source_id for name in names if name in claims]
    if not unknown and len(set(sources)) < PAIR:
        yield f"The values of {listed} are of the same source, or there is one alone."
    for flaw in _find_strange_words(dispute, grounds):
        yield f"`about` of {listed}: {flaw}"
    for value in dispute.values:
        if value.claim in claims and value.value and not _holds(value.value, claims[value.claim]):
            yield f"The value “{shorten(value.value, 60)}” is not what {value.claim} says."


def _split(disputes: Sequence[Dispute]) -> Iterator[str]:
    """Name the values that are given two by two, each against each."""
    pairs = {frozenset(value.claim for value in each.values) for each in disputes}
    for one, other in combinations((pair for pair in pairs if len(pair) == PAIR), 2):
        if len(one | other) == PAIR + 1 and one ^ other in pairs:
            yield f"{', '.join(sorted(one | other))} are values of one contradiction."


def _find_strange_words(dispute: Dispute, grounds: Grounds) -> Iterator[str]:
    """What a dispute is said to be about and no claim says; people are sent these words."""
    subject = _find_subject(dispute)
    if ADDRESS.search(subject) or "<" in subject:
        yield "it holds an address or a tag."
    values = dispute.values
    names = dict.fromkeys(name for value in values for name in (value.claim, *value.backing))
    claims = [grounds.claims[name] for name in names if name in grounds.claims]
    yield from find_text_flaws(subject, claims, grounds)


_TOLD = re.compile(r"\b(?:according|claims?|sources?|says?|states?)\b", re.IGNORECASE)
"""What a subject holds that tells of claims and not of what they are about."""


def _strip_dangling(words: str, language: str) -> str:
    """Cut off what leads to a value and says nothing without it."""
    rest = words.split()
    while rest:
        last = rest[-1].strip(_POINTS)
        if is_content(last, language) or is_letter(last):  # "Block C"
            break
        rest.pop()
    return " ".join(rest).rstrip(_POINTS)


_POINTS = ' .,;:–—“"('

_TITLED = 80  # characters of a title that recognise its subject


def _find_subject(dispute: Dispute) -> str:
    """What a dispute is about, without its values; empty for nothing."""
    about = collapse_spaces(dispute.about)
    spans = [find_value(about, value.value) for value in dispute.values]
    language = detect_language(about)
    subject = _strip_dangling(about[: min((s.start for s in spans if s), default=None)], language)
    is_empty = not list_content_stems(subject, language)
    return "" if is_empty or _TOLD.search(subject) else subject


def _build_disagreements(disputes: Iterable[Dispute], grounds: Grounds) -> Iterator[Disagreement]:
    claims = grounds.claims
    for dispute in disputes:
        sides = tuple(
            _build_side(value, claims[value.claim], grounds.describe_origin(claims[value.claim]))
            for value in dispute.values
            if value.claim in claims
        )
        if len(sides) < PAIR:
            continue
        subject = _find_subject(dispute)
        is_named = " " in subject and not any(_find_strange_words(dispute, grounds))
        yield Disagreement(
            kind=dispute.kind,
            sides=sides,
            about=shorten(subject if is_named else UNNAMED, _TITLED),
            affects_answer=dispute.affects_answer,
        )


def _build_side(value: Value, claim: Claim, origin: str) -> Side:
    """Take a side as it was given, as far as it is in words of its claim; else its quote says it.

    A scope may be in words of its source's title and date: an edition.

    People are shown these words as the source's, and a model obeys whoever speaks to it.
    """
    return Side(
        claim=value.claim,
        unconfirmed=value.backing,
        value=shorten(value.value if _holds(value.value, claim) else claim.quote, _VALUE),
        scope=shorten(value.scope, _VALUE) if _holds(value.scope, claim, origin) else "",
    )


_WORD = re.compile(r"\w{4,}")


def _holds(words: str, claim: Claim, origin: str = "") -> bool:
    known = f"{claim.quote}\n{claim.text}\n{claim.location or ''}\n{origin}"
    is_said = all(word in known.casefold() for word in _WORD.findall(words.casefold()))
    return (
        bool(words.strip()) and is_said and not find_unsupported(Excerpt(words), [Excerpt(known)])
    )


DETECT: Role[DetectionTask, tuple[Disagreement, ...]] = Role("detect", SETTINGS, _play)
