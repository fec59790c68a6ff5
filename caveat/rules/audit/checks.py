"""The checks: everything that code can check on a report, in one list of findings; and its seal."""

import hashlib
import json
from collections.abc import Iterator, Mapping

from caveat.contracts.audit import Audit, Check, Finding, Seal, SealState
from caveat.contracts.claim import Claim
from caveat.contracts.confidence import Confidence
from caveat.contracts.report import Report
from caveat.rules.audit.claims import (
    check_claim_states,
    check_claims,
    check_contradictions,
    check_debate,
    check_figure_kinds,
    check_figures,
    check_markers,
    check_quotes,
    check_rulings,
    check_section,
    check_self_stated,
    check_sources,
    check_status,
)
from caveat.rules.audit.coverage import check_coverage
from caveat.rules.audit.recomputation import check_ledger, check_recomputation
from caveat.rules.contradictions.contest import list_overruled_sides
from caveat.rules.report import is_right, list_cited_claim_ids, list_cited_source_ids
from caveat.rules.sentences import Grounds, check_prose, count_numbers
from caveat.rules.text import list_pieces, measure_coverage, name_section


def audit(report: Report, texts: Mapping[str, str | None], *, elsewhere: bool = False) -> Audit:
    """Check every quote, citation, number, ledger step, contradiction and remark of a report.

    Args:
        texts: the text of each snapshot by its SHA-256; None or absent when it is missing, which
            is a finding for each claim that rests on it.
        elsewhere: whether the run was another machine's, whose texts nobody can miss here: the
            quotes without one are counted, and not compared.
    """
    written = list_pieces(report)
    quoted = _select_comparable_claims(report, texts) if elsewhere else report.claims
    return Audit(
        findings=(
            *check_quotes(quoted, report.sources, texts),
            *_check_claims(report),
            *_check_prose(report),
            *_check_contradictions(report),
            *_check_ledgers(report),
            *check_recomputation(report),
        ),
        coverage=measure_coverage(written),
        quotes=len(quoted),
        uncompared=len(report.claims) - len(quoted),
        citations=sum(len(piece.markers) for piece in written),
        numbers=sum(map(count_numbers, written))
        + sum(len(section.figures) for section in report.sections)
        + len(report.stated),
        steps=sum(len(confidence.ledger) for _, confidence in _list_confidences(report)),
        contradictions=len(report.contradictions),
    )


def _select_comparable_claims(report: Report, texts: Mapping[str, str | None]) -> tuple[Claim, ...]:
    """Return the claims whose source's text is at hand."""
    at_hand = {each.id for each in report.sources if texts.get(each.snapshot_sha256 or "")}
    return tuple(claim for claim in report.claims if claim.source_id in at_hand)


def _check_claims(report: Report) -> Iterator[Finding]:
    known = {claim.id: claim for claim in report.claims}
    yield from check_claims(report.claims, report.sources, set(list_cited_claim_ids(report)))
    yield from check_figure_kinds(report.claims)
    yield from check_sources(report.sources, set(list_cited_source_ids(report)))
    yield from check_self_stated(report.sources)
    for section in report.sections:
        yield from check_section(section)
        yield from check_figures(name_section(section), section.figures, known)
    yield from check_figures("Answer", report.stated, known, disputed=True)
    yield from check_debate(report.debate, known.keys())


def _check_prose(report: Report) -> Iterator[Finding]:
    written = list_pieces(report)
    grounds = build_report_grounds(report)
    quotes_alone = not report.reasoner.uses_language_model
    for piece in written:
        yield from check_prose(piece, grounds, quotes_alone=quotes_alone)
    yield from check_coverage(written, quotes_alone=quotes_alone)


def build_report_grounds(report: Report) -> Grounds:
    """What the sentences of a report may rest on."""
    claims = {claim.id: claim for claim in report.claims}
    is_told = not any(check_rulings(report.contradictions))  # what each ruling upholds
    return Grounds(
        claims=claims,
        titles={source.id: source.title for source in report.sources},
        authors={source.id: " ".join(source.authors) for source in report.sources},
        dates={source.id: source.published for source in report.sources},
        topic=report.topic,
        wanted=report.language,
        calculations=[each for each in report.calculations if is_right(each, claims)],
        overruled=list_overruled_sides(report.contradictions) if is_told else (),
    )


def _check_contradictions(report: Report) -> Iterator[Finding]:
    unheard_of = tuple(check_rulings(report.contradictions))
    if unheard_of:
        yield from unheard_of
        return
    known = {claim.id for claim in report.claims}
    yield from check_markers(list_pieces(report), report.claims, report.contradictions)
    is_written = report.reasoner.uses_language_model
    yield from check_claim_states(report.claims, report.contradictions, is_written=is_written)
    yield from check_contradictions(report.contradictions, known)
    yield from check_status(report.status, report.contradictions)


def _check_ledgers(report: Report) -> Iterator[Finding]:
    for where, confidence in _list_confidences(report):
        yield from check_ledger(confidence, where)


def _list_confidences(report: Report) -> Iterator[tuple[str, Confidence]]:
    yield "confidence of the report", report.confidence
    for section in report.sections:
        yield f"confidence of {name_section(section)}", section.confidence


def hash_document(document: str | bytes) -> str:
    """Return the SHA-256 of a JSON document in canonical form: keys in order, no white space."""
    return _hash_json(json.loads(document))


def hash_report(report: Report) -> str:
    """Return the SHA-256 of a report in canonical form, by which its run seals it.

    It finds every change, also where nothing can be computed anew: a title, a time, a price. It
    proves nothing to somebody who distrusts the machine that keeps it: who may write there may
    seal anew.

    Without what has its default, so that a field that a later version adds, and writes into each
    report that it hands on, does not change what an earlier one sealed.
    """
    said = report.model_dump(mode="json", exclude_defaults=True)
    return _hash_json({**said, "schema_version": report.schema_version})


def _hash_json(document: object) -> str:
    canonical = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def compare_with_seal(report: Report, seal: Seal | None) -> SealState:
    """Compare a report with what its run keeps; None where that is not at hand."""
    if seal is None:
        return SealState.NOT_HERE
    return SealState.MATCHES if hash_report(report) in seal.reports else SealState.DIFFERS


def check_seal(state: SealState, seal: Seal | None, evidence: str | None) -> tuple[Finding, ...]:
    """Name what a seal does not cover.

    Args:
        evidence: digest of the evidence that is at hand, None where none is.
    """
    found = []
    if state is SealState.DIFFERS:
        found.append(
            _build_finding("report", "It is not as its run published it: it was changed since.")
        )
    if seal and seal.evidence and evidence and evidence != seal.evidence:
        found.append(
            _build_finding("evidence", "The run's evidence was changed after it was kept.")
        )
    return tuple(found)


def _build_finding(where: str, message: str) -> Finding:
    return Finding(check=Check.SEAL, where=where, message=message)
