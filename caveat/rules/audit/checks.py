"""The checks that code alone makes on a report, in one list of findings.

Quotes stand in their snapshots, citations name claims, numbers stand in what is cited, no sentence
states an overruled side, disputes are marked, and every ledger adds up. The seal finds any other
change.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from caveat.contracts.audit import Audit, Check, Finding
from caveat.contracts.contradiction import Contradiction
from caveat.contracts.outcome import Material
from caveat.contracts.report import Confidence, Operation, Report
from caveat.contracts.source import Claim
from caveat.contracts.synthesis import Synthesis
from caveat.contracts.tasks import Audited
from caveat.quantities.numerals import find_numerals
from caveat.rules.contradictions.choices import NotOfferedError, parse_choice
from caveat.rules.contradictions.contest import (
    assign_claim_states,
    index_contradictions,
    index_unrelated,
    list_overruled_sides,
    list_touching,
)
from caveat.rules.evidence.claims import stands, stands_in_context
from caveat.rules.report.appraisal import build_confidence
from caveat.rules.report.assembly import assemble
from caveat.rules.report.calculations import find_fault
from caveat.rules.report.publication import build_stated_grounds
from caveat.rules.sentences.checks import check_sentence
from caveat.rules.sentences.grounds import Grounds
from caveat.rules.text import prose
from caveat.rules.text.citations import (
    CitedSentence,
    Piece,
    list_marked_ids,
    list_pieces,
    measure_coverage,
    name_section,
)

_quote = partial(Finding, check=Check.QUOTE)
_citation = partial(Finding, check=Check.CITATION)
_number = partial(Finding, check=Check.NUMBER)
_dispute = partial(Finding, check=Check.CONTRADICTION)
_ledger = partial(Finding, check=Check.LEDGER)


def audit(report: Report, texts: Mapping[str, str | None], *, elsewhere: bool = False) -> Audit:
    """Check every quote, citation, number, dispute and ledger step of a report.

    Args:
        texts: the text of each snapshot by its SHA-256; None or absent when it is missing, which
            is a finding for each claim that rests on it.
        elsewhere: whether another machine made the run, whose texts nobody can miss here: the
            quotes without one are counted, and not compared.
    """
    pieces = list_pieces(report)
    confidences = [
        ("confidence of the report", report.confidence),
        *((f"confidence of {name_section(each)}", each.confidence) for each in report.sections),
    ]
    every = (*report.claims, *report.unused)
    at_hand = {each.id for each in report.sources if texts.get(each.snapshot_sha256 or "")}
    quoted = tuple(each for each in every if each.source_id in at_hand) if elsewhere else every
    return Audit(
        findings=(
            *_check_quotes(report, quoted, texts),
            *_check_claims(report),
            *(finding for _, finding in _check_sentences(report, pieces)),
            *_check_contradictions(report, pieces),
            *(flaw for where, each in confidences for flaw in check_ledger(each, where)),
        ),
        coverage=measure_coverage(pieces),
        quotes=len(quoted),
        uncompared=len(every) - len(quoted),
        citations=sum(len(list_marked_ids(piece.markdown)) for piece in pieces),
        numbers=sum(
            not each.is_spelt
            for piece in pieces
            for sentence in piece.sentences
            for each in find_numerals(sentence.text)
        )
        + len(report.stated),
        steps=sum(len(each.ledger) for _, each in confidences),
        contradictions=len(report.contradictions),
    )


def _check_quotes(
    report: Report, claims: Sequence[Claim], texts: Mapping[str, str | None]
) -> Iterator[Finding]:
    addresses = {source.id: source.snapshot_sha256 for source in report.sources}
    for claim in claims:
        where, address = f"claim {claim.id}", addresses.get(claim.source_id)
        if address is None:
            continue  # a finding of `_check_claims`
        text = texts.get(address)
        place = f"characters {claim.start} to {claim.end} of snapshot {address[:12]}"
        if text is None:
            message = f"The quote cannot be checked: snapshot {address[:12]} is missing."
            yield _quote(where=where, message=message)
        elif not stands(claim, text):
            message = (
                f"The quote is in the snapshot, but not at {place}."
                if claim.quote in text
                else f"The quote “{claim.quote[:80]}” is not what {place} say."
            )
            yield _quote(where=where, message=message)
        elif not stands_in_context(claim, text):
            message = "The words around the quote are not those around it in the snapshot."
            yield _quote(where=where, message=message)


def _check_claims(report: Report) -> Iterator[Finding]:
    """Check that claims have sources that were read, and that figures stand in their claims."""
    claims = {claim.id: claim for claim in report.claims}
    sources = {source.id: source for source in report.sources}
    for claim in report.claims:
        source, where = sources.get(claim.source_id), f"claim {claim.id}"
        if source is None:
            message = f"Its source {claim.source_id} is not among the report's sources."
            yield _citation(where=where, message=message)
        elif source.snapshot_sha256 is None:
            yield _citation(where=where, message=f"Its source “{source.title}” was not read.")
    for section in report.sections:
        cited = set(list_marked_ids(section.summary))
        for name in sorted(cited.symmetric_difference(section.claims)):
            does = "cites" if name in cited else "lists"
            message = f"It {does} claim {name}, and its list and its prose differ."
            yield _citation(where=name_section(section), message=message)
    for figure in report.stated:
        named, of = f"The figure “{figure.value}”", claims.get(figure.claim_id)
        if of is None:
            yield _citation(where="Answer", message=f"{named} names no claim of the report.")
        elif not (figure.value and figure.value in of.quote):
            message = f"{named} is not in the quote of claim {of.id}."
            yield _number(where="Answer", message=message)


def build_report_grounds(report: Report) -> Grounds:
    """Say what the sentences of a report may rest on, by what its rulings make of its claims."""
    disputes, is_written = _list_told_disputes(report), report.reasoner.uses_language_model
    claims = assign_claim_states(report.claims, disputes, is_written=is_written)
    grounds = replace(
        build_stated_grounds(report),
        claims={claim.id: claim for claim in claims},
        overruled=list_overruled_sides(disputes),
    )
    right = (each for each in report.calculations if find_fault(each, grounds) is None)
    return replace(grounds, calculations=tuple(right))


def _list_told_disputes(report: Report) -> tuple[Contradiction, ...]:
    """List the contradictions of a report; none where nobody can say what one ruling upholds."""
    return () if any(_check_rulings(report.contradictions)) else report.contradictions


def _check_rulings(contradictions: Sequence[Contradiction]) -> Iterator[Finding]:
    for contradiction in contradictions:
        try:
            if contradiction.ruling is not None:
                parse_choice(contradiction.ruling, len(contradiction.sides))
        except NotOfferedError as refused:
            yield _dispute(where=contradiction.id, message=str(refused))


def _check_sentences(
    report: Report, pieces: Sequence[Piece]
) -> Iterator[tuple[CitedSentence, Finding]]:
    """Check the form of every sentence, and that what is disputed is marked in it."""
    disputes, grounds = _list_told_disputes(report), build_report_grounds(report)
    contested = index_contradictions(grounds.claims.values(), disputes)
    unrelated = index_unrelated(report.verification)
    quotes_alone = not report.reasoner.uses_language_model
    for piece, sentence in (
        (each, sentence_read) for each in pieces for sentence_read in each.sentences
    ):
        flaws = [*check_sentence(sentence, grounds, quotes_alone=quotes_alone)]
        for name, marked in sentence.contested:
            touched = list_touching(sentence, contested.get(name, ()), disputes, unrelated)
            flaws += [
                (Check.CONTRADICTION, f"It states claim {name} flatly, which {each} contests.")
                for each in touched
                if each not in marked
            ]
        for check, flaw in flaws:
            message = f"“{sentence.excerpt}”: {flaw}"
            yield sentence, Finding(check=check, where=piece.where, message=message)


def _check_contradictions(report: Report, pieces: Sequence[Piece]) -> Iterator[Finding]:
    """Check that rulings can be given, all sides are there, and markers name something."""
    yield from _check_rulings(report.contradictions)
    names = {claim.id for claim in report.claims}
    for contradiction in report.contradictions:
        for name in contradiction.claims:
            if name not in names:
                message = f"Its claim {name} is missing in the report, and the quote with it."
                yield _dispute(where=contradiction.id, message=message)
    names |= {each.id for each in report.contradictions}
    for piece in pieces:
        for marker in prose.find_markers(piece.markdown):
            if marker.contradiction_id is not None and marker.name not in names:
                message = f"[{marker.name}] names no contradiction of the report."
                yield _dispute(where=piece.where, message=message)
            if marker.claim_id is not None and marker.name not in names:
                message = f"[{marker.name}] names no claim of the report."
                yield _citation(where=piece.where, message=message)


def check_ledger(confidence: Confidence, where: str) -> Iterator[Finding]:
    """Add a ledger up.

    Yields:
        A finding for each step that does not follow, and for a value that is not the last step's.
    """
    if [each.operation is Operation.SET for each in confidence.ledger] != [
        place == 0 for place in range(max(1, len(confidence.ledger)))
    ]:
        message = "A ledger begins by setting a value, and none is set in the middle of it."
        yield _ledger(where=where, message=message)
    steps = ((each.operation, each.amount, each.reason) for each in confidence.ledger)
    computed = build_confidence(steps)
    for number, (step, right) in enumerate(
        zip(confidence.ledger, computed.ledger, strict=True), start=1
    ):
        if step != right:
            message = (
                f"It says {step.before}, then {step.after}; "
                f"computed again it is {right.before}, then {right.after}."
            )
            yield _ledger(where=f"{where}, ledger step {number}", message=message)
    if confidence.value != computed.value:
        message = f"The value is {confidence.value}, its ledger ends at {computed.value}."
        yield _ledger(where=where, message=message)


def remove_faults(
    material: Material, synthesis: Synthesis, report: Report, texts: Mapping[str, str | None]
) -> Audited:
    """Audit a report, and make it again without the sentences that are wrong."""
    report = _drop_faulty_unused(report, texts)
    gone: set[CitedSentence] = set()
    while not (result := audit(report, texts)).passed:
        wrong = _find_faulty_sentences(report, result) - gone
        if not wrong:
            break
        gone |= wrong
        report = _drop_faulty_unused(assemble(material, synthesis, gone), texts)
    return Audited(report=report, audit=result)


def _drop_faulty_unused(report: Report, texts: Mapping[str, str | None]) -> Report:
    """Leave out the claims beside a report's prose whose quotes are wrong."""
    unused = report.unused or ()
    wrong = {each.where for each in _check_quotes(report, unused, texts)}
    sound = tuple(each for each in unused if f"claim {each.id}" not in wrong)
    return report.model_copy(update={"unused": sound}) if wrong else report


def _find_faulty_sentences(report: Report, result: Audit) -> set[CitedSentence]:
    """Name the sentences without which a report has none of the faults that are about its prose."""
    # Those are the sentences that are wrong, and all that rest on a claim that is.
    wrong = {each.where.removeprefix("claim ") for each in result.findings}
    pieces = list_pieces(report)
    every = (sentence for piece in pieces for sentence in piece.sentences)
    resting = {sentence for sentence in every if not wrong.isdisjoint(sentence.cited)}
    return resting.union(sentence for sentence, _ in _check_sentences(report, pieces))
