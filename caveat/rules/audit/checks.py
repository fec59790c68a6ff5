"""The checks: everything that code can check on a report, in one list of findings; and its seal."""

import hashlib
import json
from collections.abc import Iterator, Mapping

from caveat.contracts.audit import Audit, Check, Finding, Seal, SealState
from caveat.contracts.claim import Claim
from caveat.contracts.confidence import Confidence
from caveat.contracts.report import Report
from caveat.rules.audit.claims import (
    claim_findings,
    debate_findings,
    figure_findings,
    kind_findings,
    life_findings,
    marking_findings,
    quote_findings,
    ruling_findings,
    section_findings,
    self_stated_findings,
    source_findings,
    state_findings,
    status_findings,
)
from caveat.rules.audit.coverage import coverage_findings
from caveat.rules.audit.recomputation import ledger_findings, recomputation_findings
from caveat.rules.contradictions.contest import overruled_sides
from caveat.rules.report import cited_claim_ids, cited_source_ids, is_right
from caveat.rules.sentences import Grounds, numbers_in, prose_findings
from caveat.rules.text import coverage, pieces, place


def audit(report: Report, texts: Mapping[str, str | None], *, elsewhere: bool = False) -> Audit:
    """Check every quote, citation, number, ledger step, contradiction and remark of a report.

    Args:
        texts: the text of each snapshot by its SHA-256; None or absent when it is missing, which
            is a finding for each claim that rests on it.
        elsewhere: whether the run was another machine's, whose texts nobody can miss here: the
            quotes without one are counted, and not compared.
    """
    written = pieces(report)
    quoted = _comparable(report, texts) if elsewhere else report.claims
    return Audit(
        findings=(
            *quote_findings(quoted, report.sources, texts),
            *_claims(report),
            *_prose(report),
            *_contradictions(report),
            *_ledgers(report),
            *recomputation_findings(report),
        ),
        coverage=coverage(written),
        quotes=len(quoted),
        uncompared=len(report.claims) - len(quoted),
        citations=sum(len(piece.markers) for piece in written),
        numbers=sum(map(numbers_in, written))
        + sum(len(section.figures) for section in report.sections)
        + len(report.stated),
        steps=sum(len(confidence.ledger) for _, confidence in _confidences(report)),
        contradictions=len(report.contradictions),
    )


def _comparable(report: Report, texts: Mapping[str, str | None]) -> tuple[Claim, ...]:
    """Return the claims whose source's text is at hand."""
    at_hand = {each.id for each in report.sources if texts.get(each.snapshot_sha256 or "")}
    return tuple(claim for claim in report.claims if claim.source_id in at_hand)


def _claims(report: Report) -> Iterator[Finding]:
    known = {claim.id: claim for claim in report.claims}
    yield from claim_findings(report.claims, report.sources, set(cited_claim_ids(report)))
    yield from kind_findings(report.claims)
    yield from source_findings(report.sources, set(cited_source_ids(report)))
    yield from self_stated_findings(report.sources)
    for section in report.sections:
        yield from section_findings(section)
        yield from figure_findings(place(section), section.figures, known)
    yield from figure_findings("Answer", report.stated, known, disputed=True)
    yield from debate_findings(report.debate, known.keys())


def _prose(report: Report) -> Iterator[Finding]:
    written = pieces(report)
    grounds = grounds_of(report)
    quotes_alone = not report.reasoner.uses_language_model
    for piece in written:
        yield from prose_findings(piece, grounds, quotes_alone=quotes_alone)
    yield from coverage_findings(written, quotes_alone=quotes_alone)


def grounds_of(report: Report) -> Grounds:
    """What the sentences of a report may rest on."""
    claims = {claim.id: claim for claim in report.claims}
    is_told = not any(ruling_findings(report.contradictions))  # what each ruling upholds
    return Grounds(
        claims=claims,
        titles={source.id: source.title for source in report.sources},
        authors={source.id: " ".join(source.authors) for source in report.sources},
        dates={source.id: source.published for source in report.sources},
        topic=report.topic,
        wanted=report.language,
        calculations=[each for each in report.calculations if is_right(each, claims)],
        overruled=overruled_sides(report.contradictions) if is_told else (),
    )


def _contradictions(report: Report) -> Iterator[Finding]:
    unheard_of = tuple(ruling_findings(report.contradictions))
    if unheard_of:
        yield from unheard_of
        return
    known = {claim.id for claim in report.claims}
    yield from marking_findings(pieces(report), report.claims, report.contradictions)
    is_written = report.reasoner.uses_language_model
    yield from state_findings(report.claims, report.contradictions, is_written=is_written)
    yield from life_findings(report.contradictions, known)
    yield from status_findings(report.status, report.contradictions)


def _ledgers(report: Report) -> Iterator[Finding]:
    for where, confidence in _confidences(report):
        yield from ledger_findings(confidence, where)


def _confidences(report: Report) -> Iterator[tuple[str, Confidence]]:
    yield "confidence of the report", report.confidence
    for section in report.sections:
        yield f"confidence of {place(section)}", section.confidence


def document_digest(document: str | bytes) -> str:
    """Return the SHA-256 of a JSON document in canonical form: keys in order, no white space."""
    return _digest(json.loads(document))


def report_digest(report: Report) -> str:
    """Return the SHA-256 of a report in canonical form, by which its run seals it.

    It finds every change, also where nothing can be computed anew: a title, a time, a price. It
    proves nothing to somebody who distrusts the machine that keeps it: who may write there may
    seal anew.

    Without what has its default, so that a field that a later version adds, and writes into each
    report that it hands on, does not change what an earlier one sealed.
    """
    said = report.model_dump(mode="json", exclude_defaults=True)
    return _digest({**said, "schema_version": report.schema_version})


def _digest(document: object) -> str:
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def compared(report: Report, seal: Seal | None) -> SealState:
    """Compare a report with what its run keeps; None where that is not at hand."""
    if seal is None:
        return SealState.NOT_HERE
    return SealState.MATCHES if report_digest(report) in seal.reports else SealState.DIFFERS


def seal_findings(state: SealState, seal: Seal | None, evidence: str | None) -> tuple[Finding, ...]:
    """Name what a seal does not cover.

    Args:
        evidence: digest of the evidence that is at hand, None where none is.
    """
    found = []
    if state is SealState.DIFFERS:
        found.append(_finding("report", "It is not as its run published it: it was changed since."))
    if seal and seal.evidence and evidence and evidence != seal.evidence:
        found.append(_finding("evidence", "The run's evidence was changed after it was kept."))
    return tuple(found)


def _finding(where: str, message: str) -> Finding:
    return Finding(check=Check.SEAL, where=where, message=message)
