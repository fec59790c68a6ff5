"""Publication: of the sentences that a model wrote, those that code and the verifier let pass."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import Contradiction, Side
from caveat.contracts.report import Report
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
    index_unrelated,
    list_overruled_sides,
    list_touching,
    select_quotable_claims,
)
from caveat.rules.lines import collapse_spaces
from caveat.rules.report.statements import (
    ANSWER,
    Statement,
    index_read_sentences,
    list_statements,
    record_left_out,
    record_reading,
    rewrite_synthesis,
    update_section,
)
from caveat.rules.sentences import Grounds, find_sentence_flaws, find_text_flaws, list_digits
from caveat.rules.text import (
    CitedSentence,
    Piece,
    find_sentence,
    list_marked_ids,
    list_pieces,
    prose,
    questions,
)
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


def prepare_publication(synthesis: Synthesis, evidence: SynthesisInput) -> Synthesis:
    """Leave out the sentences that do not hold, and say which."""
    # A sentence that is a quote, and nothing else, is attributed to the sources that say it.
    claims = evidence.claims
    base = build_synthesis_grounds(evidence, synthesis.calculations)
    judged = index_read_sentences(synthesis.verification)
    given = tuple(claims.values())
    gone: list[LeftOutSentence] = []
    kept: list[ReadSentence] = []
    flawed: list[CitedSentence] = []

    def mend(statement: Statement) -> str | None:
        sentence = _attribute_quote(statement.sentence, claims)
        read = judged.get(statement.key)
        if read is not None and read.support is not Support.SUPPORTED:
            gone.append(record_left_out(statement, claims, read.support, read.by))
            return None
        if any(find_sentence_flaws(sentence, claims, base)):
            gone.append(record_left_out(statement, claims))
            flawed.extend([sentence] if statement.where == ANSWER else [])
            return None
        if read is None and not _list_quoted(sentence, claims):
            gone.append(record_left_out(statement, claims).model_copy(update={"is_unread": True}))
            return None
        if read is not None:
            kept.append(read.model_copy(update={"claims": sentence.key[1]}))
        return sentence.markdown

    asked = {*questions.split_question(base.topic)}
    text = rewrite_synthesis(synthesis, claims, mend)
    is_lost = bool(synthesis.summary.strip()) and not text.summary.strip()
    text, stood_in = fill_with_quotes(synthesis, text, evidence)
    lost = _list_lost_disputes(synthesis, text, evidence)
    text, added = add_missing_sides(text, evidence, lost)
    text = _balance_weighings(text, synthesis)
    kept += [*stood_in, *added]
    # A number of a part stands in the question or in claims.
    lacks = [
        each
        for each in text.missing
        if not all(any(find_text_flaws(each.part, cited, base)) for cited in ((), given))
    ]
    disputed = {find_question_part(each.about, base.topic) for each in lost}
    lacks = [each for each in lacks if each.why or each.part not in disputed]
    if is_lost:  # what its quotes answer, nobody has judged
        lacks = [each for each in lacks if each.why or each.part not in asked]
    elif asked <= {each.part for each in lacks}:
        text = text.model_copy(update={"verdict": Verdict.NOT_ANSWERED})
    told = {each.part for each in lacks if each.why}
    quotable = select_quotable_claims(given, evidence.contradictions)
    lacks = [_quote_instead(each, flawed, quotable, base.topic) for each in lacks]
    quoted = [each.why for each in lacks if each.part not in told]
    kept += _record_quotes("\n\n".join(quoted), claims)
    text = text.model_copy(update={"missing": tuple(lacks)})
    before = synthesis.verification
    if before is None and not gone:
        return text
    left_out = [*(before.left_out if before else ()), *gone]
    if synthesis.verdict is Verdict.NOT_ANSWERED:  # what says so lacks nothing that was asked
        left_out = [each.model_copy(update={"of_answer": False}) for each in left_out]
    verification = (before or Verification()).model_copy(
        update={
            "read": tuple(dict.fromkeys(kept)),
            "left_out": tuple(left_out),
            "answered": before.answered if before and not is_lost else (),
        }
    )
    return text.model_copy(update={"verification": verification})


def _quote_instead(
    part: MissingPart, flawed: Sequence[CitedSentence], quotable: Sequence[Claim], topic: str
) -> MissingPart:
    """Give a part the quotes that a sentence cited which was of it and fell for its form."""
    claims = {claim.id: claim for claim in quotable}
    ids = dict.fromkeys(
        name
        for each in flawed
        if find_question_part(each.text, topic) in {part.part, ""}
        for name in each.cited
        if name in claims
    )
    quotes = (f"“{prose.escape_text(claims[name].quote)}” [{name}]" for name in ids)
    short = [each for each in quotes if len(each) <= _SHORT]
    return part if part.why else part.model_copy(update={"why": " ".join(short[:_NEAREST])})


_NEAREST = 2  # quotes that a part without an answer is given; more would hide the answer
_SHORT = 450  # characters of one: the contract has room for two


def _balance_weighings(text: Synthesis, draft: Synthesis) -> Synthesis:
    """Leave out what speaks for one side of a dispute where another lost what does."""
    kept, drafted = (Counter(w.contradiction_id for w in each.weighings) for each in (text, draft))
    fair = {dispute for dispute, count in kept.items() if 1 < count == drafted[dispute]}
    weighings = tuple(each for each in text.weighings if each.contradiction_id in fair)
    return text.model_copy(update={"weighings": weighings})


def _list_lost_disputes(
    draft: Synthesis, text: Synthesis, evidence: SynthesisInput
) -> list[Contradiction]:
    """List the disputes of the answer that it told in sentences which did not hold."""
    drafted, told = (set(list_marked_ids(each.summary)) for each in (draft, text))
    return [
        each
        for each in evidence.contradictions
        if each.affects_answer and told
        if not each.concerned.isdisjoint(drafted) and each.concerned.isdisjoint(told)
    ]


def add_missing_sides(
    synthesis: Synthesis, evidence: SynthesisInput, lost: Sequence[Contradiction] = ()
) -> tuple[Synthesis, list[ReadSentence]]:
    """Let an answer that states one side of an open dispute state the others, in their words.

    Args:
        lost: disputes of which the answer states so what was not overruled, at its end.

    Returns:
        The synthesis, and the sentences that code wrote.
    """
    claims = evidence.claims
    titles = {source.id: source.title for source in evidence.sources}
    answer = [each for each in list_statements(synthesis, claims) if each.where == ANSWER]
    cited = {name for each in answer for name in each.sentence.cited}
    behind: dict[str, list[str]] = {}
    fallen = list_overruled_sides(evidence.contradictions)
    unrelated = index_unrelated(synthesis.verification)
    for dispute in evidence.contradictions:
        if not (dispute.affects_answer and dispute.is_undecided) and dispute not in lost:
            continue
        stated = {name for side in dispute.sides for name in side.claims}
        are_numbers = all(list_digits(side.value) for side in dispute.sides)
        speaking = [
            each
            for each in answer
            if not are_numbers or list_digits(each.sentence.text)
            if not stated.isdisjoint(each.sentence.cited)
            and list_touching(each.sentence, (dispute.id,), [dispute], unrelated)
        ]
        silent = [each for each in dispute.sides if cited.isdisjoint(each.claims)]
        others = [
            _quote_side(claims[each.claim], each, titles)
            for each in silent
            if each.claim in claims and each not in fallen
        ]
        if dispute in lost:
            speaking = answer
        if speaking and others:
            behind.setdefault(speaking[-1].name, []).append(f"{'; '.join(others)}.")

    def mend(statement: Statement) -> str:
        # A paragraph of its own: behind "Building 2." a quotation mark begins no sentence.
        told = behind.get(statement.name, [])
        return "\n\n".join([statement.sentence.markdown, *told, *([""] if told else ())])

    read = _record_quotes("\n\n".join(chain.from_iterable(behind.values())), claims)
    text = rewrite_synthesis(synthesis, claims, mend)
    return text.model_copy(update={"summary": text.summary.rstrip()}), read


def _quote_side(claim: Claim, side: Side, titles: Mapping[str, str]) -> str:
    """Give a side in the sentence that states its value, whatever language that is in."""
    words = find_sentence(collapse_spaces(claim.quote), side.value).strip(' ."“”')
    words += '"' * (words.count('"') % 2) + "”" * (words.count("“") - words.count("”"))  # of speech
    return f"“{titles[claim.source_id].rstrip('.')}”: “{words}” [{claim.id}]"


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


def fill_with_quotes(
    draft: Synthesis, left: Synthesis, evidence: SynthesisInput
) -> tuple[Synthesis, list[ReadSentence]]:
    """Let quotes stand where no sentence holds, and record them: nothing found is lost."""
    claims, summary, read = evidence.claims, left.summary, list[ReadSentence]()
    if not summary.strip() and (draft.summary.strip() or left.verdict is not Verdict.NOT_ANSWERED):
        sides = [
            claims[side.claim]
            for dispute in evidence.contradictions
            if dispute.is_undecided and dispute.affects_answer
            for side in dispute.sides
            if side.claim in claims
        ]
        quotable = select_quotable_claims(claims.values(), evidence.contradictions)
        cited = list_marked_ids(draft.summary)  # what the answer that fell rested on comes first
        quotable.sort(key=lambda claim: (claim.id not in cited, -claim.relevance))
        best = quotable[:_ANSWERING]
        summary = _render_quotes(list(dict.fromkeys([*sides, *best])))
        read += _record_quotes(summary, claims)
    told = list_marked_ids(summary)  # what the answer rests on comes first
    sections = []
    for section, angle in zip(left.sections, evidence.angles, strict=True):
        own = select_quotable_claims(angle.claims, evidence.contradictions)
        own.sort(key=lambda claim: claim.id not in told)
        if section.summary or not own:
            sections.append(section)
            continue
        text = _render_quotes(own[:_INSTEAD])
        sections.append(update_section(section, text))
        read += _record_quotes(text, claims)
    return left.model_copy(update={"summary": summary, "sections": tuple(sections)}), read


def _render_quotes(claims: Sequence[Claim]) -> str:
    return "\n".join(f"- “{prose.escape_text(each.quote)}” [{each.id}]" for each in claims)


def _record_quotes(markdown: str, claims: Mapping[str, Claim]) -> list[ReadSentence]:
    sentences = Piece(markdown, claims).sentences
    return [record_reading(each, Support.SUPPORTED, Reader.CODE) for each in sentences]


def remove_sentences(
    synthesis: Synthesis, refused: Collection[CitedSentence], claims: Mapping[str, Claim]
) -> Synthesis:
    """Leave out the sentences that an audit of the report refuses, and say which."""
    keys = {each.key for each in refused}
    gone: list[LeftOutSentence] = []

    def mend(statement: Statement) -> str | None:
        if statement.key not in keys:
            return statement.sentence.markdown
        gone.append(record_left_out(statement, claims))
        return None

    text = rewrite_synthesis(synthesis, claims, mend)
    before = synthesis.verification or Verification()
    kept = tuple(each for each in before.read if (each.text, each.claims) not in keys)
    return text.model_copy(
        update={
            "verification": before.model_copy(
                update={"read": kept, "left_out": (*before.left_out, *gone)}
            )
        }
    )


def _attribute_quote(sentence: CitedSentence, claims: dict[str, Claim]) -> CitedSentence:
    """Cite a sentence that is one claim's quote with the claims that say just that."""
    sources = {each.source_id for each in _list_quoted(sentence, claims)}
    marks = tuple(
        mark
        for mark in sentence.marks
        if mark.claim_id in claims and claims[mark.claim_id].source_id in sources
    )
    return CitedSentence(sentence.text, marks, sentence.start) if sources else sentence


def _list_quoted(sentence: CitedSentence, claims: Mapping[str, Claim]) -> list[Claim]:
    """The claims that a sentence cites and that it is the quote of, and nothing else."""
    known = [claims[name] for name in sentence.key[1] if name in claims]
    said = _normalise_quote(sentence.text)
    return [each for each in known if _normalise_quote(each.quote) == said]


def _normalise_quote(text: str) -> str:
    return collapse_spaces(text).strip(" “”\"'.").casefold()


def measure_support(report: Report) -> float | None:
    """Share of the cited sentences that the verifier let pass; None where nobody verified."""
    if report.verification is None or not report.verification.by_verifier:
        return None
    supported = {
        (each.text, each.claims)
        for each in report.verification.read
        if each.support is Support.SUPPORTED
    }
    every = [each for piece in list_pieces(report) for each in piece.sentences if each.cited]
    count = sum(each.key in supported for each in every)
    return round(count / len(every), 4) if every else None
