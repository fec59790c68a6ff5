"""Publication: of the sentences that a model wrote, those that code and the verifier let pass."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from caveat.contracts.report import Report
from caveat.contracts.source import Claim
from caveat.contracts.synthesis import (
    Calculation,
    LeftOutSentence,
    MissingPart,
    Reader,
    ReadSentence,
    Support,
    Synthesis,
    SynthesisInput,
    Verdict,
    Verification,
)
from caveat.rules.contradictions.contest import (
    Unrelated,
    index_unrelated,
    list_overruled_sides,
    list_touching,
    select_quotable_claims,
)
from caveat.rules.report.statements import (
    Statement,
    index_read_sentences,
    record_left_out,
    record_reading,
    rewrite_synthesis,
    update_section,
)
from caveat.rules.sentences.checks import check_sentence, find_text_flaws, is_quote_of
from caveat.rules.sentences.grounds import Grounds, list_digits
from caveat.rules.text import prose, questions
from caveat.rules.text.citations import CitedSentence, Piece, list_marked_ids, list_pieces
from caveat.rules.text.words import detect_language, list_content_stems


def build_stated_grounds(report: Report) -> Grounds:
    """Say what the sentences of a report may rest on, but for what is computed or was overruled."""
    grounds = Grounds.build(report.claims, report.sources, report.topic)
    return replace(grounds, wanted=report.language)


def build_synthesis_grounds(
    evidence: SynthesisInput, calculations: Sequence[Calculation] = ()
) -> Grounds:
    """Say what sentences that are written from claims may rest on."""
    claims = (*evidence.claims.values(), *evidence.excluded)
    return replace(
        Grounds.build(claims, evidence.sources, evidence.topic),
        wanted=evidence.language,
        calculations=calculations,
        overruled=list_overruled_sides(evidence.contradictions),
    )


def prepare_publication(
    synthesis: Synthesis, evidence: SynthesisInput, refused: Collection[CitedSentence] = ()
) -> Synthesis:
    """Leave out the sentences that do not hold, say which, and let quotes stand for them.

    Args:
        refused: those that an audit of the report refuses; what they cite is not quoted instead.
    """
    claims, is_written = evidence.claims, synthesis.verdict is not None
    keys = {each.key for each in refused}
    untrusted = frozenset[str]().union(*(each.cited for each in refused))
    undecided = {each.id for each in evidence.contradictions if each.is_undecided}
    weighings = tuple(w for w in synthesis.weighings if w.contradiction_id in undecided)
    synthesis = synthesis.model_copy(update={"weighings": weighings})
    base = build_synthesis_grounds(evidence, synthesis.calculations)
    judged = index_read_sentences(synthesis.verification)
    gone: list[LeftOutSentence] = []
    sentences: list[ReadSentence] = []
    lost: list[str] = []  # claims of the answer whose sentence fell for its form, or told a dispute
    disputed = frozenset[str]().union(
        *(each.concerned for each in evidence.contradictions if each.affects_answer)
    )

    def mend(statement: Statement) -> str | None:
        sentence, read = statement.sentence, judged.get(statement.key)
        cited = [claims[name] for name in sentence.key[1] if name in claims]
        if read is not None and read.support is not Support.SUPPORTED:
            left_out = record_left_out(statement, claims, read.support, read.by)
        elif statement.key in keys or (is_written and any(check_sentence(sentence, base))):
            left_out = record_left_out(statement, claims)
        elif read is None and not any(is_quote_of(sentence.text, each) for each in cited):
            left_out = record_left_out(statement, claims).model_copy(update={"is_unread": True})
        else:
            if read is not None:
                sentences.append(read)
            return sentence.markdown
        gone.append(left_out)
        if left_out.of_answer:
            has_form = left_out.by is Reader.VERIFIER or left_out.is_unread
            lost.extend(name for name in left_out.claims if not has_form or name in disputed)
        return None

    text = rewrite_synthesis(synthesis, claims, mend)
    kept_claims = (tuple(c for c in a.claims if c.id not in untrusted) for a in evidence.angles)
    angles = zip(evidence.angles, kept_claims, strict=True)
    trusted = tuple(angle.model_copy(update={"claims": own}) for angle, own in angles)
    evidence = evidence.model_copy(update={"angles": trusted})
    text, are_quoted, added = _fill_with_quotes(synthesis, text, evidence, lost)
    sentences += added
    text = _balance_weighings(text, synthesis)
    before = synthesis.verification or Verification()
    # What quotes answer, nobody has judged. A number of a part stands in the question or in claims.
    asked = [] if are_quoted else [MissingPart(part=each[:_PART]) for each in before.missing]
    told = {find_question_part(each.part, base.topic) for each in text.missing}
    lacks = [
        each
        for each in (*text.missing, *(each for each in asked if each.part not in told))
        if not all(any(find_text_flaws(each.part, c, base)) for c in ((), [*claims.values()]))
    ]
    if not are_quoted and {*questions.split_question(base.topic)} <= {e.part for e in lacks}:
        text = text.model_copy(update={"verdict": Verdict.NOT_ANSWERED})
    text = text.model_copy(update={"missing": tuple(lacks)})
    if synthesis.verification is None and not gone:
        return text
    if synthesis.verdict is Verdict.NOT_ANSWERED:  # what says so lacks nothing that was asked
        gone = [each.model_copy(update={"of_answer": False}) for each in gone]
    changes = {"read": tuple(dict.fromkeys(sentences)), "left_out": (*before.left_out, *gone)}
    return text.model_copy(update={"verification": before.model_copy(update=changes)})


_PART = 300  # characters of a missing part by its contract


def _balance_weighings(text: Synthesis, draft: Synthesis) -> Synthesis:
    """Leave out what speaks for one side of a dispute where another lost what does."""
    remaining, drafted = (
        Counter(w.contradiction_id for w in each.weighings) for each in (text, draft)
    )
    fair = {dispute for dispute, count in remaining.items() if 1 < count == drafted[dispute]}
    weighings = tuple(each for each in text.weighings if each.contradiction_id in fair)
    return text.model_copy(update={"weighings": weighings})


def _list_missing_sides(
    summary: str, evidence: SynthesisInput, unrelated: Unrelated
) -> Iterator[Claim]:
    """List the other sides of the open disputes of which an answer states one; all if empty."""
    claims = evidence.claims
    answer = Piece(summary, claims).sentences
    cited = {name for each in answer for name in each.cited}
    for dispute in evidence.contradictions:
        if not (dispute.affects_answer and dispute.is_undecided):
            continue
        stated = {name for side in dispute.sides for name in side.claims}
        are_numbers = all(list_digits(side.value) for side in dispute.sides)
        speaks = not answer or any(
            list_touching(each, (dispute.id,), [dispute], unrelated)
            for each in answer
            if not stated.isdisjoint(each.cited) and (list_digits(each.text) or not are_numbers)
        )
        for side in dispute.sides if speaks else ():
            if side.claim in claims and cited.isdisjoint(side.claims):
                yield claims[side.claim]


def find_question_part(words: str, topic: str) -> str:
    """Find the part of a question that some words are of; empty where they share none with it."""
    language = detect_language(topic)
    own = list_content_stems(words, language)
    shared = {
        each: len(own & list_content_stems(each, language))
        for each in questions.split_question(topic)
    }
    nearest = max(shared, key=lambda each: shared[each])
    return nearest if shared[nearest] else ""


_ANSWERING = 5  # quotes that stand for an answer of which no sentence holds
_INSTEAD = 8
"""Quotes that stand for a section of which no sentence holds: the best of what its angle has."""


def _fill_with_quotes(
    draft: Synthesis, left: Synthesis, evidence: SynthesisInput, lost: Sequence[str]
) -> tuple[Synthesis, bool, list[ReadSentence]]:
    """Let quotes stand where no sentence holds, and for what the answer lost or leaves out.

    Args:
        lost: claims whose sentence of the answer is gone.

    Returns:
        The synthesis, whether quotes stand in its answer, and the sentences that code wrote.
    """
    claims, summary, read = evidence.claims, left.summary, list[ReadSentence]()
    quotable = select_quotable_claims(claims.values(), evidence.contradictions)
    told = {*list_marked_ids(summary)}
    best = [each for each in quotable if each.id in lost and each.id not in told][:_ANSWERING]
    if not summary.strip() and (draft.summary.strip() or left.verdict is not Verdict.NOT_ANSWERED):
        sides = _list_missing_sides("", evidence, {})
        cited = list_marked_ids(draft.summary)  # what the answer that fell rested on comes first
        quotable.sort(key=lambda claim: (claim.id not in cited, -claim.relevance))
        best = list(dict.fromkeys([*sides, *quotable[:_ANSWERING]]))
    summary = _add_quotes(summary, best)
    others = _list_missing_sides(summary, evidence, index_unrelated(left.verification))
    more = list(dict.fromkeys(others))
    summary = _add_quotes(summary, more)
    read += _record_quotes(_render_quotes([*best, *more]), claims)
    told = {*list_marked_ids(summary)}  # what the answer rests on comes first
    sections = list(left.sections)
    for at, angle in enumerate(evidence.angles):
        own = select_quotable_claims(angle.claims, evidence.contradictions)
        own.sort(key=lambda claim: claim.id not in told)
        if own and not sections[at].summary:
            text = _render_quotes(own[:_INSTEAD])
            sections[at] = update_section(sections[at], text)
            read += _record_quotes(text, claims)
    changes = {"summary": summary, "sections": tuple(sections)}
    return left.model_copy(update=changes), bool(best), read


def _add_quotes(text: str, quoted: Sequence[Claim]) -> str:
    return "\n\n".join(filter(None, [text.strip(), _render_quotes(quoted)]))


def _render_quotes(claims: Sequence[Claim]) -> str:
    return "\n".join(f"- “{prose.escape_text(each.quote)}” [{each.id}]" for each in claims)


def _record_quotes(markdown: str, claims: Mapping[str, Claim]) -> list[ReadSentence]:
    sentences = Piece(markdown, claims).sentences
    return [record_reading(each, Support.SUPPORTED, Reader.CODE) for each in sentences]


def measure_support(report: Report) -> float | None:
    """Share of the cited sentences that the verifier let pass; None where nobody verified."""
    if report.verification is None or not report.verification.by_verifier:
        return None
    read = index_read_sentences(report.verification)
    every = [each for piece in list_pieces(report) for each in piece.sentences if each.cited]
    known = [read[each.key].support for each in every if each.key in read]
    return round(known.count(Support.SUPPORTED) / len(every), 4) if every else None
