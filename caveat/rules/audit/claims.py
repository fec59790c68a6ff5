"""Findings on a report's claims, on what they rest on, and on the contradictions between them."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

from caveat.contracts.audit import Check, Finding
from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import Contradiction, ContradictionState, SettledBy
from caveat.contracts.debate import ROUNDS, Closing, Debate
from caveat.contracts.report import ReportedSource, ReportStatus, Section
from caveat.contracts.source import SourceKind
from caveat.contracts.synthesis import Figure
from caveat.quantities.kinds import find_figure_fault
from caveat.quantities.reading import find_quantities
from caveat.rules.contradictions.choices import NotOffered, parse_choice
from caveat.rules.contradictions.contest import assign_claim_states, index_contradictions, is_usable
from caveat.rules.contradictions.ladder import UNSETTLED
from caveat.rules.evidence import stands, stands_in_context
from caveat.rules.sources import find_factor_amount, is_mistaken_for_checked, sum_factors
from caveat.rules.text import CitedSentence, Piece, list_marked_ids, name_section, prose

_citation = partial(Finding, check=Check.CITATION)
_credibility = partial(Finding, check=Check.CREDIBILITY)


def check_quotes(
    claims: Sequence[Claim], sources: Sequence[ReportedSource], texts: Mapping[str, str | None]
) -> Iterator[Finding]:
    """Check every claim's quote against its snapshot.

    Args:
        sources: of the report; a claim without one that was read is a finding of `check_claims`.
        texts: the text of each snapshot by its SHA-256; None or absent when it is missing.

    Yields:
        A finding for each claim whose quote is not where it says, or cannot be checked.
    """
    addresses = {source.id: source.snapshot_sha256 for source in sources}
    for claim in claims:
        address = addresses.get(claim.source_id)
        if address is None:
            continue
        problem = _describe_misquotation(claim, texts.get(address), address)
        if problem is not None:
            yield Finding(check=Check.QUOTE, where=f"claim {claim.id}", message=problem)


def _describe_misquotation(claim: Claim, text: str | None, address: str) -> str | None:
    if text is None:
        return f"The quote cannot be checked: snapshot {address[:12]} is missing."
    if stands(claim, text):
        if stands_in_context(claim, text):
            return None
        return "The words around the quote are not those around it in the snapshot."
    where = f"characters {claim.start} to {claim.end} of snapshot {address[:12]}"
    if claim.quote in text:
        return f"The quote is in the snapshot, but not at {where}."
    return f"The quote “{claim.quote[:80]}” is not what {where} say."


def check_claims(
    claims: Sequence[Claim], sources: Sequence[ReportedSource], cited: Collection[str]
) -> Iterator[Finding]:
    """Check that every claim has one id and a source that was read, and that something cites it."""
    known = {source.id: source for source in sources}
    for name, times in Counter(claim.id for claim in claims).items():
        if times > 1:
            yield _citation(where=f"claim {name}", message=f"{times} claims have this id.")
    for claim in claims:
        source = known.get(claim.source_id)
        where = f"claim {claim.id}"
        if source is None:
            message = f"Its source {claim.source_id} is not among the report's sources."
            yield _citation(where=where, message=message)
            continue
        if source.snapshot_sha256 is None:
            yield _citation(where=where, message=f"Its source “{source.title}” was not read.")
        elif claim.id not in cited:
            yield _citation(where=where, message="Nothing in the report cites it.")
        if claim.credibility != source.credibility:
            message = (
                f"Its credibility is {claim.credibility}, that of its source {source.credibility}."
            )
            yield _credibility(where=where, message=message)


def check_figure_kinds(claims: Sequence[Claim]) -> Iterator[Finding]:
    """Check that the figures that claims name stand in their quotes, in the form of their kind."""
    for claim in claims:
        for figure in claim.figures:
            if wrong := find_figure_fault(figure, claim.quote):
                message = f"Its {figure.kind} “{figure.written[:80]}” {wrong}."
                yield Finding(check=Check.NUMBER, where=f"claim {claim.id}", message=message)


def check_section(section: Section) -> Iterator[Finding]:
    """Check that a section lists the claims that it cites, and no other."""
    where, cited = name_section(section), tuple(dict.fromkeys(list_marked_ids(section.summary)))
    for name in section.claims:
        if name not in cited:
            yield _citation(where=where, message=f"It lists claim {name} and does not cite it.")
    for name in cited:
        if name not in section.claims:
            yield _citation(where=where, message=f"It cites claim {name} and does not list it.")


def check_debate(debate: Debate | None, known: Collection[str]) -> Iterator[Finding]:
    """Check that every remark is about a claim of the report and rests on claims of the report."""
    # A message answers what another participant said of the same claim just before, and nobody who
    # is missing says anything.
    if debate is None:
        return
    for remark in debate.said:
        where = f"debate, {remark.raised_by}"
        for name in (remark.claim_id, *remark.evidence):
            if name not in known:
                message = f"{name} names no claim of the report."
                yield Finding(check=Check.DEBATE, where=where, message=message)
        if remark.raised_by not in debate.present:
            yield Finding(check=Check.DEBATE, where=where, message="It speaks and is not present.")
    for problem in _check_debate_rounds(debate):
        yield Finding(check=Check.DEBATE, where="debate", message=problem)


def _check_debate_rounds(debate: Debate) -> Iterator[str]:
    """What is wrong with the rounds of a debate."""
    rounds = [message.round for message in debate.messages]
    said = Counter((each.round, each.raised_by, each.claim_id) for each in debate.messages)
    if any(times > 1 for times in said.values()):
        yield "A participant has two messages on one claim in one round."
    held_all = debate.rounds == ROUNDS
    if max(rounds, default=0) > debate.rounds or held_all != (debate.closing is Closing.ROUNDS):
        yield f"It had {debate.rounds} rounds of answers, and its messages and end do not fit that."
    if rounds != sorted(rounds):
        yield "Its messages do not stand in the order of their rounds."
    for message in debate.messages:
        heard = {(each.raised_by, each.claim_id) for each in debate.list_heard(message.round)}
        by, to = message.raised_by, message.answers
        if to is by or (to, message.claim_id) not in heard:
            yield f"The message of the {by} on {message.claim_id} answers nothing that was said."


def check_sources(sources: Sequence[ReportedSource], cited: Collection[str]) -> Iterator[Finding]:
    """Check the numbers of the sources that are cited, and that every credibility adds up."""
    for source in sources:
        where = f"source {source.id}"
        if source.id in cited and source.number is None:
            yield _citation(where=where, message="It is cited and has no number.")
        if source.id not in cited and source.number is not None:
            yield _citation(where=where, message="It has a number and nothing cites it.")
        for problem in _check_credibility(source):
            yield _credibility(where=where, message=problem)
        if source.snapshot_sha256 is not None and not source.admitted:
            message = "It was read and says that it was not admitted."
            yield _credibility(where=where, message=message)
    numbers = sorted(source.number for source in sources if source.number is not None)
    if numbers != list(range(1, len(numbers) + 1)):
        message = "Their numbers do not count from 1 without gap or repetition."
        yield _citation(where="sources", message=message)


def check_self_stated(sources: Sequence[ReportedSource]) -> Iterator[Finding]:
    """Check that what only a document itself says is marked as that."""
    for source in sources:
        if is_mistaken_for_checked(source.factors):
            message = "Its factors say wrongly which of them the document alone states."
            yield _credibility(where=f"source {source.id}", message=message)


def _check_credibility(source: ReportedSource) -> Iterator[str]:
    right = sum_factors(source.factors)
    if source.credibility != right:
        yield f"Its credibility is {source.credibility}, its factors add up to {right}."
    counted = Counter(factor.reason for factor in source.factors)
    if counted.keys().isdisjoint({f"kind: {source.kind}", f"kind: {SourceKind.UNKNOWN}"}):
        yield f"Its kind is {source.kind}, and none of its factors says so."
    for factor in source.factors:
        known = find_factor_amount(factor.reason)
        if known != factor.amount:
            says = "for which nothing is given" if known is None else f"which gives {known}"
            yield f"It is given {factor.amount} for “{factor.reason}”, {says}."
    for reason, times in counted.items():
        if times > 1:
            yield f"“{reason}” counts {times} times."


TOLERANCE = 1e-6
"""Relative. Factors of earlier reports have seven digits; a changed digit moves a figure of up to
six digits by more."""


def check_figures(
    where: str, figures: Iterable[Figure], claims: Mapping[str, Claim], *, disputed: bool = False
) -> Iterator[Finding]:
    """Check the figures of a section against the claims that they are of.

    Each is of a claim that may be used, stands verbatim in its quote, and is ordered by the number
    that whoever reads the quote finds there.

    Args:
        disputed: whether the table is one of values that are not used.
    """
    for figure in figures:
        named = f"The figure “{figure.value}”"
        claim = claims.get(figure.claim_id)
        if claim is None:
            message = f"{named} names no claim of the report."
            yield Finding(check=Check.CITATION, where=where, message=message)
            continue
        if not (disputed or is_usable(claim)):
            message = f"{named} is of claim {claim.id}: {claim.state}."
            yield Finding(check=Check.CONTRADICTION, where=where, message=message)
        if not (figure.value and figure.value in claim.quote):
            message = f"{named} is not in the quote of claim {claim.id}."
            yield Finding(check=Check.NUMBER, where=where, message=message)
        elif not _is_read(figure, claim.quote):
            message = f"{named} is ordered by {figure.number}."
            yield Finding(check=Check.NUMBER, where=where, message=message)


def _is_read(figure: Figure, quote: str) -> bool:
    """Whether whoever reads the quote finds this number, in this unit, in these words."""
    return any(
        quote[found.start : found.end] == figure.value
        and found.unit == figure.unit
        and math.isclose(found.number, figure.number, rel_tol=TOLERANCE)
        for found in find_quantities(quote)
    )


_finding = partial(Finding, check=Check.CONTRADICTION)


def check_rulings(contradictions: Sequence[Contradiction]) -> Iterator[Finding]:
    """Name the rulings that name no value."""
    # What such a ruling makes of the claims, nobody can say, so that nothing else can be checked.
    for contradiction in contradictions:
        try:
            if contradiction.ruling is not None:
                parse_choice(contradiction.ruling, len(contradiction.sides))
        except NotOffered as refused:
            yield _finding(where=contradiction.id, message=str(refused))


def check_markers(
    pieces: Sequence[Piece], claims: Sequence[Claim], contradictions: Sequence[Contradiction]
) -> Iterator[Finding]:
    """Check that contested claims are marked wherever they are cited, and unusable ones unused."""
    of = index_contradictions(claims, contradictions)
    known = {each.id for each in contradictions}
    for piece in pieces:
        named = (marker.contradiction_id for marker in prose.find_markers(piece.markdown))
        for name in dict.fromkeys(named):
            if name is not None and name not in known:
                message = f"[{name}] names no contradiction of the report."
                yield _finding(where=piece.where, message=message)
        for sentence in piece.sentences:
            for problem in _check_sentence(sentence, piece.claims, of):
                yield _finding(where=piece.where, message=problem)


def _check_sentence(
    sentence: CitedSentence, claims: Mapping[str, Claim], of: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    said = f"“{sentence.excerpt}”"
    for name in dict.fromkeys(sentence.cited):
        if name in claims and not is_usable(claims[name]):
            yield f"{said} rests on claim {name}, which is {claims[name].state}."
    for name, marked in sentence.contested:
        for missing in of.get(name, ()):
            if missing not in marked:
                yield f"{said} states claim {name} flatly, which {missing} contests."
        for idle in sorted(marked.difference(of.get(name, ()))):
            yield f"{said} is marked with {idle} where that contests nothing."


def check_claim_states(
    claims: Sequence[Claim], contradictions: Sequence[Contradiction], *, is_written: bool = False
) -> Iterator[Finding]:
    """Compare what the claims say of themselves with what follows from the contradictions."""
    due_states = assign_claim_states(claims, contradictions, is_written=is_written)
    for claim, right in zip(claims, due_states, strict=True):
        where = f"claim {claim.id}"
        if claim.state is not right.state:
            message = f"It is {claim.state}; by the contradictions it is {right.state}."
            yield _finding(where=where, message=message)
        if set(claim.contested_by) != set(right.contested_by):
            given, due = (", ".join(each.contested_by) or "none" for each in (claim, right))
            message = f"It is contested by {given}; by the contradictions it is contested by {due}."
            yield _finding(where=where, message=message)


def check_contradictions(
    contradictions: Sequence[Contradiction], known: Collection[str]
) -> Iterator[Finding]:
    """Check that every contradiction has one id, its claims, and an end that its steps show."""
    for name, times in Counter(each.id for each in contradictions).items():
        if times > 1:
            yield _finding(where=name, message=f"{times} contradictions have this id.")
    for contradiction in contradictions:
        for name in contradiction.claims:
            if name not in known:
                message = f"Its claim {name} is missing in the report, and the quote with it."
                yield _finding(where=contradiction.id, message=message)
        for problem in _LIVES[contradiction.state](contradiction):
            yield _finding(where=contradiction.id, message=problem)


def check_status(
    status: ReportStatus, contradictions: Sequence[Contradiction]
) -> Iterator[Finding]:
    """Check that a report is provisional while an answer waits for a ruling, and only then."""
    still_open = [each.id for each in contradictions if each.is_awaited]
    if status is ReportStatus.FINAL:
        for name in still_open:
            message = "It is open in a report that calls itself final."
            yield _finding(where=name, message=message)
    elif not still_open:
        message = "The report is provisional and no contradiction is open."
        yield _finding(where="status", message=message)


def _check_open(contradiction: Contradiction) -> Iterator[str]:
    if contradiction.settled_by is not None or contradiction.ruling is not None:
        yield "It is open and has a settlement."
    if any(step.settled for step in contradiction.steps):
        yield "It is open and one of its steps settled it."


def _check_resolved(contradiction: Contradiction) -> Iterator[str]:
    if contradiction.ruling is None:
        yield "It is resolved and does not say which claim holds."
    if contradiction.settled_by in (None, SettledBy.PROVISIONAL_UNCERTAINTY):
        yield "It is resolved and does not say by whom or what."
    if not contradiction.reason.strip():
        yield "It is resolved and does not say why."
    if contradiction.settled_by is SettledBy.PERSON and not contradiction.decided_by:
        yield "A person resolved it and is not named."
    yield from _check_last_step(contradiction)


def _check_provisional(contradiction: Contradiction) -> Iterator[str]:
    if contradiction.settled_by is not SettledBy.PROVISIONAL_UNCERTAINTY or contradiction.ruling:
        yield "It is provisional and says that something settled it."
    if not contradiction.requires_human_review:
        yield "Nobody could settle it and it does not ask for review."
    if contradiction.confidence != UNSETTLED:
        yield f"Nobody could settle it and its confidence is not {UNSETTLED:.2f}."
    yield from _check_last_step(contradiction)


def _check_last_step(contradiction: Contradiction) -> Iterator[str]:
    """The last rung that was tried is the one that settled it."""
    last = contradiction.steps[-1] if contradiction.steps else None
    if last is None or not last.settled or last.rung is not contradiction.settled_by:
        yield f"Its steps do not end with {contradiction.settled_by} settling it."


_LIVES = {
    ContradictionState.OPEN: _check_open,
    ContradictionState.RESOLVED: _check_resolved,
    ContradictionState.PROVISIONAL: _check_provisional,
}
