"""The debate without a model: each participant says what its lens shows, with names and numbers."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from caveat.adapters.extractive.figures import StatedQuantity, every
from caveat.adapters.extractive.voices import Voice, voices
from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import Contradiction
from caveat.contracts.debate import Challenge, Participant, Stance
from caveat.contracts.source import SourceKind, SourceRef
from caveat.contracts.tasks import DebateTask
from caveat.quantities.measures import Measure
from caveat.quantities.units import Kind
from caveat.rules.contradictions.choices import PAIR, holding, members

REMARKS = 6
"""A participant and run: as many as the executive summary has statements, so that what is most
telling is read and the report does not become a list of remarks."""

CONTRADICTIONS = 4
"""Of the sceptic's remarks: two contradictions, two values of each. The report shows every one of
them in a section of its own; what is outdated is said nowhere else."""

LATER = dt.timedelta(days=365)
"""Between two sources of which the older could not know the newer: work of one year often appears
side by side."""

OLD = dt.timedelta(days=10 * 365)
"""Age from which recency no longer adds to a source's credibility."""

DOUBTFUL = 0.4
"""Credibility below which a source is weak: where a preprint or a news item begins before anything
speaks for it."""

TEXT = 500
"""Characters of a remark, as its contract allows."""

SUBJECTS = 500
"""Claims that a participant looks at, the weightiest; each is held against all others. Everything
held against everything takes ten minutes of 5,000 claims, and six remarks come of it."""

_NAMES = 3
"""Sources that a remark names; the others are counted."""

_TITLE = 80
"""Characters of a title in a remark."""

_WEAK_KINDS = {
    SourceKind.ADVERTISING: "is advertising: whoever wrote it gains from being believed",
    SourceKind.FORUM: "is a forum post: nobody answers for it",
    SourceKind.BLOG: "is a blog: nobody reviewed it before it appeared",
}
"""Worst first, as the report says it."""


def debate(task: DebateTask) -> tuple[Challenge, ...]:
    """Say what one participant has to say about the claims, the most telling first."""
    said = voices(task.claims, task.sources)
    match task.participant:
        case Participant.ADVOCATE:
            return tuple(_supported(said))[:REMARKS]
        case Participant.SCEPTIC:
            return _doubted(said, task)
        case Participant.METHODOLOGIST:
            return tuple(_weighed(said, task))


def _supported(said: Sequence[Voice]) -> Iterator[Challenge]:
    """Name the sources that say the same as a claim, best supported first.

    Agreement is not transitive where uncertainties overlap, so a claim is passed over only when all
    who support it were named before.
    """
    ranked = sorted(
        (
            (voice, supporters)
            for voice in said[:SUBJECTS]
            if (supporters := _supporters(voice, said))
        ),
        key=lambda pair: -len(pair[1]),
    )
    spoken_for: set[str] = set()
    for voice, supporters in ranked:
        group = {other.claim.id for other in supporters}
        known = voice.claim.id in spoken_for or group <= spoken_for
        spoken_for |= {voice.claim.id, *group}
        if known:
            continue
        figure = all(voice.shares_figure_with(other) for other in supporters)
        others = "One other source" if len(supporters) == 1 else f"{len(supporters)} other sources"
        verb = "states" if len(supporters) == 1 else "state"
        what = "a figure that agrees" if figure else "much the same"
        yield Challenge(
            claim_id=voice.claim.id,
            raised_by=Participant.ADVOCATE,
            stance=Stance.SUPPORTS,
            text=f"{others} {verb} {what}: {_named([other.source for other in supporters])}.",
            evidence=tuple(other.claim.id for other in supporters),
        )


def _supporters(voice: Voice, said: Sequence[Voice]) -> list[Voice]:
    """The weightiest claim of each source that agrees."""
    by_source: dict[str, Voice] = {}
    for other in said:
        if voice.agrees_with(other):
            by_source.setdefault(other.source.id, other)
    return list(by_source.values())


def _doubted(said: Sequence[Voice], task: DebateTask) -> tuple[Challenge, ...]:
    """Contradictions in the order of their detection, and what newer sources say."""
    sources = {source.id: source for source in task.sources}
    owners = {claim.id: sources[claim.source_id] for claim in task.claims}
    remarks = [list(_contradicted(each, owners)) for each in task.contradictions]
    contradicted = [remark for each in remarks for remark in each]
    # The values of one contradiction would all be told the same; its section shows each of them.
    told = [remark for each in remarks for remark in each[:PAIR]]
    dated = _newest_first(said)
    newer = [*_superseded(said, dated, task), *_aged(said, dated, task.today)]
    first, rest = told[:CONTRADICTIONS], told[CONTRADICTIONS:]
    return tuple([*first, *_unsaid(newer, contradicted), *rest][:REMARKS])


def _unsaid(newer: Sequence[Challenge], contradicted: Sequence[Challenge]) -> Iterator[Challenge]:
    """Keep one remark a claim and one a newer claim, so that one recent source is not all."""
    challenged = {remark.claim_id for remark in contradicted}
    held_against: set[str] = set()
    for remark in newer:
        if remark.claim_id in challenged or held_against.intersection(remark.evidence):
            continue
        challenged.add(remark.claim_id)
        held_against.update(remark.evidence)
        yield remark


def _contradicted(
    contradiction: Contradiction, owners: Mapping[str, SourceRef]
) -> Iterator[Challenge]:
    """Challenge the best claim of each value, except of one that alone was found to hold."""
    sides = members(contradiction)
    upheld = holding(contradiction.ruling or "none", len(sides))
    for number, side in enumerate(sides):
        if upheld[number] and sum(upheld) == 1:
            continue
        others = [name for other in (*sides[:number], *sides[number + 1 :]) for name in other]
        against = list({owners[name].id: owners[name] for name in others}.values())
        verb = "contradicts" if len(against) == 1 else "contradict"
        yield Challenge(
            claim_id=side[0],
            raised_by=Participant.SCEPTIC,
            stance=Stance.CHALLENGES,
            text=_cut(f"{_named(against)} {verb} it. {contradiction.about.rstrip('.')}.", TEXT),
            evidence=tuple(others),
        )


def _newest_first(said: Sequence[Voice]) -> list[Voice]:
    """Leave out what has no date, since nobody can say whether it is newer."""
    return [
        voice
        for _, voice in sorted(
            ((voice.source.published, voice) for voice in said if voice.source.published),
            key=lambda pair: pair[0],
            reverse=True,
        )
    ]


def _superseded(
    said: Sequence[Voice], dated: Sequence[Voice], task: DebateTask
) -> Iterator[Challenge]:
    """Name a newer source that gives another value, unless that is a contradiction already."""
    sides = _sides(task.contradictions)
    for voice in said[:SUBJECTS]:
        own_sides = sides.get(voice.claim.id, {})
        for other in dated:
            if not _is_later(other, voice) or _differ(own_sides, sides.get(other.claim.id, {})):
                continue
            if figures := voice.differs_from(other):
                own, newer = figures
                text = (
                    f"It gives {_within_a_sentence(own.words)} and is from {_year(voice)};"
                    f" {_named([other.source])} is newer and gives"
                    f" {_within_a_sentence(newer.words)}."
                )
                yield _challenge(Participant.SCEPTIC, voice, text, other)
                break


def _sides(contradictions: Sequence[Contradiction]) -> dict[str, dict[str, int]]:
    """Say of each claim which side of which contradictions it is."""
    sides: dict[str, dict[str, int]] = {}
    for each in contradictions:
        for number, names in enumerate(members(each)):
            for name in names:
                sides.setdefault(name, {})[each.id] = number
    return sides


def _differ(one: Mapping[str, int], other: Mapping[str, int]) -> bool:
    """Whether two claims are different sides of one contradiction."""
    return any(one[name] != other[name] for name in one.keys() & other.keys())


def _aged(said: Sequence[Voice], dated: Sequence[Voice], today: dt.date) -> Iterator[Challenge]:
    """Name a newer source that speaks of the same as one older than ten years."""
    for voice in said[:SUBJECTS]:
        if voice.source.published is None or today - voice.source.published <= OLD:
            continue
        for other in dated:
            if _is_later(other, voice) and voice.speaks_of_the_same_as(other):
                text = (
                    f"It is from {_year(voice)}, more than {OLD.days // 365} years ago;"
                    f" {_named([other.source])} speaks of the same and is newer."
                )
                yield _challenge(Participant.SCEPTIC, voice, text, other)
                break


def _is_later(one: Voice, other: Voice) -> bool:
    if one.source.published is None or other.source.published is None:
        return False
    return one.source.published - other.source.published > LATER


def _weighed(said: Sequence[Voice], task: DebateTask) -> list[Challenge]:
    """Say what is weak about the sources, weakest first, each on its weightiest claim.

    Whether nobody else says a thing is looked at where it may matter, and not of every claim.
    """
    weak = [
        (weakness[0], voice)
        for voice in said
        if (weakness := _weakness(voice, _telling(voice), alone=True)) is not None
    ]
    weak.sort(key=lambda pair: pair[0])
    found: dict[str, Challenge] = {}
    amounts = _amounts(task.claims)
    for _, voice in weak[:SUBJECTS]:
        if len(found) == REMARKS:
            break
        if voice.source.id in found:
            continue
        alone = not any(voice.agrees_with(other) for other in said)
        figure = _alone_in(voice, amounts) if alone else None
        if (weakness := _weakness(voice, figure, alone=alone)) is not None:
            found[voice.source.id] = _challenge(Participant.METHODOLOGIST, voice, weakness[1])
    return list(found.values())


def _weakness(
    voice: Voice, figure: StatedQuantity | None, *, alone: bool
) -> tuple[float, str] | None:
    """Say what is wrong with what a claim rests on, and how bad it is: less is worse."""
    name, credibility = _named([voice.source]), voice.claim.credibility
    nobody_else = "; no claim of another source says the same" if alone else ""
    if voice.source.kind in _WEAK_KINDS:
        rank = list(_WEAK_KINDS).index(voice.source.kind)
        return rank, f"{name} {_WEAK_KINDS[voice.source.kind]}{nobody_else}."
    if credibility < DOUBTFUL:
        return 3 + credibility, f"{name} has a credibility of only {credibility:.2f}{nobody_else}."
    if alone and voice.source.kind is SourceKind.PREPRINT:
        return 4, f"{name} is a preprint: nobody reviewed it before it appeared{nobody_else}."
    if alone and figure is not None:
        return 5, f"Only claims of {name} state {_within_a_sentence(figure.words)}."
    return None


def _telling(voice: Voice) -> StatedQuantity | None:
    """Find the first figure whose source matters: anybody can count a few things."""
    return next(
        (
            figure
            for figure in voice.figures
            if figure.quantity.kind is not Kind.COUNT or figure.quantity.number > 100
        ),
        None,
    )


_Amounts = Mapping[str, Sequence[tuple[str, Measure]]]
"""By dimension, what claims state, each with the source of the claim."""


def _amounts(claims: Sequence[Claim]) -> _Amounts:
    found: dict[str, list[tuple[str, Measure]]] = defaultdict(list)
    for claim in claims:
        for stated in every(claim):
            if stated.quantity.is_estimate:
                found[stated.amount.dimension].append((claim.source_id, stated.amount))
    return found


def _alone_in(voice: Voice, amounts: _Amounts) -> StatedQuantity | None:
    """What it tells, unless a claim of another source states as much, of whatever it may be."""
    figure = _telling(voice)
    if figure is None:
        return None
    mine = figure.amount
    # Who writes "(3.2 ± 0.4)" beside another value may mean the same unit as that one.
    bare = replace(mine, dimension="", number=figure.quantity.number)
    alike = (
        owner
        for held in (mine, bare)
        for owner, amount in amounts.get(held.dimension, ())
        if owner != voice.source.id and _is_as_much(held, amount)
    )
    return figure if next(alike, None) is None else None


def _is_as_much(one: Measure, other: Measure) -> bool:
    return one.number == other.number or one.agrees_with(other)


def _within_a_sentence(words: str) -> str:
    """Write what may have begun a sentence ("About 40 hosts") as it stands in the middle of one."""
    return f"{words[0].lower()}{words[1:]}" if words.split(maxsplit=1)[0].istitle() else words


def _challenge(raised_by: Participant, voice: Voice, text: str, *evidence: Voice) -> Challenge:
    return Challenge(
        claim_id=voice.claim.id,
        raised_by=raised_by,
        stance=Stance.CHALLENGES,
        text=_cut(text, TEXT),
        evidence=tuple(other.claim.id for other in evidence),
    )


def _named(sources: Sequence[SourceRef]) -> str:
    """Name sources by title and year, the first few of them."""
    names = [_name(source) for source in sources[:_NAMES]]
    if len(sources) > _NAMES:
        names.append(f"{len(sources) - _NAMES} more")
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _name(source: SourceRef) -> str:
    year = f" ({source.published.year})" if source.published else ""
    return f"“{_cut(' '.join(source.title.split()) or source.id, _TITLE)}”{year}"


def _year(voice: Voice) -> int | None:
    return voice.source.published.year if voice.source.published else None


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"
