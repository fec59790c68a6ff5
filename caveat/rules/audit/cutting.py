"""Cutting: a fault in the prose costs the sentences that it is about, and not the report."""

from collections.abc import Mapping

from caveat.contracts.audit import Audit
from caveat.contracts.outcome import Material
from caveat.contracts.report import Report
from caveat.contracts.synthesis import Synthesis
from caveat.contracts.tasks import Audited
from caveat.rules.audit.checks import audit, build_report_grounds
from caveat.rules.contradictions.contest import is_usable
from caveat.rules.report import assemble
from caveat.rules.sentences import check_prose
from caveat.rules.text import CitedSentence, Piece, list_pieces


def remove_faults(
    material: Material, synthesis: Synthesis, report: Report, texts: Mapping[str, str | None]
) -> Audited:
    """Audit a report, and make it again without the sentences that are wrong."""
    report, result = _audit_without_faulty_unused(report, texts)
    gone: set[CitedSentence] = set()
    while not result.passed and (wrong := _find_faulty_sentences(report, result) - gone):
        gone |= wrong
        report, result = _audit_without_faulty_unused(assemble(material, synthesis, gone), texts)
    return Audited(report=report, audit=result)


def _audit_without_faulty_unused(
    report: Report, texts: Mapping[str, str | None]
) -> tuple[Report, Audit]:
    """Audit a report, and leave out the claims beside its prose whose quotes are wrong."""
    result = audit(report, texts)
    wrong = {each.where for each in result.findings}
    sound = tuple(each for each in report.unused or () if f"claim {each.id}" not in wrong)
    if len(sound) == len(report.unused or ()):
        return report, result
    report = report.model_copy(update={"unused": sound})
    return report, audit(report, texts)


def _find_faulty_sentences(report: Report, result: Audit) -> set[CitedSentence]:
    """Name the sentences without which a report has none of the faults that are about its prose."""
    # Those are the sentences that are wrong, and all that rest on a claim that is.
    wrong = {each.where.removeprefix("claim ") for each in result.findings}
    grounds = build_report_grounds(report)
    quotes_alone = not report.reasoner.uses_language_model

    def is_wrong(piece: Piece, sentence: CitedSentence) -> bool:
        alone = Piece(sentence.markdown, piece.claims)
        return (
            not sentence.cited
            or not wrong.isdisjoint(sentence.cited)
            or not all(is_usable(each) for each in piece.find_claims(sentence.cited))
            or any(check_prose(alone, grounds, quotes_alone=quotes_alone))
        )

    every = ((piece, sentence) for piece in list_pieces(report) for sentence in piece.sentences)
    return {sentence for piece, sentence in every if is_wrong(piece, sentence)}
