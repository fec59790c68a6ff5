"""Portions: the answer and each section, written and verified each by itself, at once."""

from collections.abc import Iterable, Mapping, Sequence

from caveat.contracts.contradiction import Contradiction
from caveat.contracts.synthesis import (
    AngleEvidence,
    Reader,
    Support,
    Synthesis,
    SynthesisInput,
    Verdict,
    Verification,
    WrittenProse,
)
from caveat.rules.contradictions.choices import describe_settlement
from caveat.rules.contradictions.contest import index_unrelated, list_touching
from caveat.rules.report.publication import build_synthesis_grounds
from caveat.rules.report.statements import (
    ANSWER,
    index_read_sentences,
    list_statements,
    record_reading,
)
from caveat.rules.sentences.checks import check_sentence


def split_evidence(evidence: SynthesisInput) -> dict[str, SynthesisInput]:
    """Say what each portion is written from: the answer from everything, a section from its angle.

    Returns:
        By `answer` and the angle's id; an angle without claims has no section to write.
    """
    angles = [angle for angle in evidence.angles if angle.claims]
    return {ANSWER: evidence} | {
        angle.assignment.id: _select_angle(evidence, angle) for angle in angles
    }


def _select_angle(evidence: SynthesisInput, angle: AngleEvidence) -> SynthesisInput:
    """The claims of an angle and those that dispute them; what is missing, the answer says."""
    own = {claim.id for claim in angle.claims}
    disputes = [each for each in evidence.contradictions if not own.isdisjoint(each.concerned)]
    sides = dict.fromkeys(name for each in disputes for name in each.claims if name not in own)
    claims = (*angle.claims, *(evidence.claims[name] for name in sides if name in evidence.claims))
    sources = {claim.source_id for claim in claims}
    return evidence.model_copy(
        update={
            "angles": (angle.model_copy(update={"claims": claims}),),
            "sources": tuple(each for each in evidence.sources if each.id in sources),
            "missing": (),
            "contradictions": tuple(
                each for each in evidence.contradictions if each in disputes or each.ruling
            ),
        }
    )


def sort_prose(
    portions: Mapping[str, SynthesisInput], before: WrittenProse | None
) -> tuple[dict[str, Synthesis], dict[str, Synthesis]]:
    """Sort what was written before by what the disputes that have changed since have to do with it.

    Returns:
        What stays as it is; and what has sentences that must be written anew, which are marked. A
        portion that is to be written as a whole is in neither.
    """
    untouched: dict[str, Synthesis] = {}
    outdated: dict[str, Synthesis] = {}
    if before is None:
        return untouched, outdated
    changed = _list_changed(portions, before)
    touched = frozenset[str]().union(*(each.concerned for each in changed))
    for name, evidence in portions.items():
        written = before.portions.get(name)
        if written is None:
            continue
        own = (each for each in written.sections if each.assignment_id == name)
        cited = {claim for section in own for claim in section.claim_ids}
        is_touched = (
            bool(changed)
            if name in {"", ANSWER}
            else not touched.isdisjoint(evidence.claims.keys() | cited)
        )
        if written.verification is not None and not is_touched:
            untouched[name] = written
        elif draft := _mark_sentences(written, evidence, changed):
            outdated[name] = draft
    return untouched, outdated


def forget_dropped(mended: Synthesis, outdated: Synthesis) -> Synthesis:
    """Count no sentence as lost that a ruling made idle."""
    if mended.verification is None or outdated.verification is None:
        return mended
    update = {"left_out": outdated.verification.left_out}
    return mended.model_copy(update={"verification": mended.verification.model_copy(update=update)})


def _list_changed(
    portions: Mapping[str, SynthesisInput], before: WrittenProse
) -> list[Contradiction]:
    then = {each.id: (each.state, each.ruling) for each in before.contradictions}
    # The first portion has every dispute; a section has no more of one whose values are not used.
    disputes = next(iter(portions.values())).contradictions
    return [each for each in disputes if then.get(each.id) != (each.state, each.ruling)]


def _mark_sentences(
    written: Synthesis, evidence: SynthesisInput, changed: Sequence[Contradiction]
) -> Synthesis | None:
    """Mark the sentences that cite a changed dispute or state what fell; None where none stays."""
    if written.verdict is Verdict.NOT_ANSWERED:
        return None
    grounds = build_synthesis_grounds(evidence, written.calculations)
    read = index_read_sentences(written.verification)
    unrelated = index_unrelated(written.verification)
    outdated = {}
    ids = {each.id for each in changed}
    for each in list_statements(written, evidence.claims):
        if each.where.partition(" ")[0] in ids:  # weighs a side: no ruling changes who says it
            continue
        flaws = [flaw for _, flaw in check_sentence(each.sentence, grounds)]
        flaws += [
            f"{dispute.about.rstrip('.:')}: it {describe_settlement(dispute)}."
            for dispute in changed
            if not dispute.concerned.isdisjoint(each.sentence.cited)
            and list_touching(each.sentence, (dispute.id,), changed, unrelated)
        ]
        if flaws:
            outdated[each.key] = record_reading(
                each.sentence, Support.NOT, Reader.CODE, " ".join(flaws)
            )
    if not read.keys() - outdated.keys():
        return None
    checks = (written.verification or Verification()).model_copy(
        update={"read": tuple((read | outdated).values())}
    )
    # Partly, with nothing missing, for a dispute: what is open now is seen when it is granted.
    is_whole = written.verdict is Verdict.PARTLY and not written.missing
    verdict = Verdict.ANSWERED if is_whole else written.verdict
    return written.model_copy(update={"verification": checks, "verdict": verdict})


def join_portions(answer: Synthesis, sections: Iterable[Synthesis]) -> Synthesis:
    """Put an answer and the sections together."""
    every = tuple(sections)
    written = {each.assignment_id: each for portion in every for each in portion.sections}
    known = [each.verification for each in (answer, *every) if each.verification is not None]
    return answer.model_copy(
        update={
            "sections": tuple(written.get(each.assignment_id, each) for each in answer.sections),
            "calculations": tuple(
                dict.fromkeys(made for each in (answer, *every) for made in each.calculations)
            ),
            "verification": Verification(
                read=tuple(dict.fromkeys(each for one in known for each in one.read)),
                mended=sum(each.mended for each in known),
                left_out=tuple(each for one in known for each in one.left_out),
                compared=tuple(dict.fromkeys(name for one in known for name in one.compared)),
                restated=tuple(dict.fromkeys(name for one in known for name in one.restated)),
                missing=tuple(part for one in known for part in one.missing),
            )
            if known
            else None,
        }
    )
