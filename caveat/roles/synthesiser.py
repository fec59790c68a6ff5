"""The synthesiser: claims in; an answer, a verdict and cited prose out."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Any

from caveat.contracts.claim import Claim
from caveat.contracts.envelope import AgentType
from caveat.contracts.spending import Step
from caveat.contracts.synthesis import (
    AngleEvidence,
    Arithmetic,
    Calculation,
    LeftOutSentence,
    MissingPart,
    Operand,
    ReadSentence,
    SectionDraft,
    Synthesis,
    SynthesisInput,
    Verdict,
    Verification,
    Weighing,
)
from caveat.contracts.tasks import RevisionTask, SynthesisTask
from caveat.ports import Answer, Rules
from caveat.roles.data import (
    ADDRESS,
    Said,
    Words,
    describe_calculations,
    describe_dispute,
    describe_remarks,
    describe_source,
    format_json_block,
    list_claims_by_angle,
    tidy,
)
from caveat.roles.role import OPUS, Bounds, Desk, Effort, LanguageModel, ModelSettings, Role
from caveat.rules.contradictions.choices import list_letters
from caveat.rules.report import (
    ANSWER,
    Statement,
    index_read_sentences,
    is_right,
    list_statements,
    list_unsupported,
    record_left_out,
    rewrite_synthesis,
)
from caveat.rules.text import Piece, list_marked_ids, prose

SETTINGS = ModelSettings(
    name="synthesis",
    agent="synthesiser",
    model=OPUS,
    bounds=Bounds(deadline_s=585, room=24_000, effort=Effort.HIGH),  # a whole report's prose
    step=Step.SYNTHESISE,
)

REVISER = ModelSettings(
    name="synthesis",
    agent="reviser",
    model=OPUS,
    bounds=Bounds(
        deadline_s=345, room=12_000, effort=Effort.HIGH
    ),  # at most the sentences of a report once more
)
"""Plays with the model of the synthesis; its calls are booked with the verification."""

_MOST = 300  # characters of a missing part by its contract
_WHY = 500  # characters of the reason beside it


class Part(Said):
    """The prose of one angle, by the angle's name; empty where it has no claims."""

    angle: str
    text: str


class Lack(Said):
    """A part of the question that no claim answers, and what there is instead."""

    part: Words
    why: str = ""


class Weighed(Said):
    """What speaks for one side of a dispute."""

    dispute: str
    side: str
    text: str


class Value(Said):
    """A value in the words of a claim's quote."""

    claim: str
    value: Words


class Reckoning(Said):
    """A number that is computed from values of claims."""

    arithmetic: Arithmetic
    values: tuple[Value, ...]
    result: Words


class Draft(Said):
    """An answer, whether it is one, and the prose of a report."""

    answer: Words
    verdict: Verdict
    missing: tuple[Lack, ...] = ()
    sections: tuple[Part, ...]
    weighing: tuple[Weighed, ...] = ()
    calculations: tuple[Reckoning, ...] = ()


class Rewording(Said):
    """A sentence anew, by its name; empty to leave it out."""

    name: str
    text: str


class Rewordings(Said):
    """Sentences anew."""

    sentences: tuple[Rewording, ...]


async def _write(task: SynthesisTask, model: LanguageModel) -> Answer[Synthesis]:
    """Return what the claims answer; without claims nobody is asked."""
    # A section that was left empty although there are claims holds their quotes. Sentences are not
    # judged here: `verify` does that, and what does not hold comes back by sentence.
    evidence = task.evidence
    if not any(angle.claims for angle in evidence.angles):
        nothing = {"verdict": Verdict.NOT_ANSWERED}
        return Answer(model.rules.write_excerpts(evidence).model_copy(update=nothing))
    content = f"{_format_evidence(evidence)}\n\nAnswer the question, and write the report's prose."
    answer = await model.ask(task, evidence.topic, content, Draft)
    made = await asyncio.to_thread(_build_synthesis, answer.value[-1], evidence, model.rules)
    return Answer(made, answer.usage)


async def _revise(task: RevisionTask, model: LanguageModel) -> Answer[Synthesis]:
    """Return a draft in which the sentences that do not hold are written anew, or left out."""
    draft, claims = task.draft, task.evidence.claims
    wrong = {(each.text, each.claims): each for each in list_unsupported(draft.verification)}
    flawed = [each for each in list_statements(draft, claims) if each.key in wrong]
    if not flawed:
        return Answer(draft)
    content = _format_flawed(task.evidence, draft.calculations, flawed, wrong)
    answer = await model.ask(task, task.evidence.topic, content, Rewordings)
    said = {each.name: _tidy_sentence(each.text, claims) for each in answer.value[-1].sentences}
    return Answer(_revise_draft(draft, claims, flawed, said), answer.usage)


def _format_evidence(evidence: SynthesisInput) -> str:
    """Everything that is written from, the claims by angle."""
    return format_json_block(
        {
            "question": evidence.topic,
            "angles": list_claims_by_angle(evidence.angles),
            "sources": [{"source": each.id, **describe_source(each)} for each in evidence.sources],
            "disputes": [describe_dispute(each) for each in evidence.contradictions],
            "missing": evidence.missing,
            "debate": describe_remarks(evidence.debate),
        }
    )


def _build_synthesis(draft: Draft, evidence: SynthesisInput, rules: Rules) -> Synthesis:
    claims = evidence.claims
    written = {part.angle: tidy(part.text) for part in draft.sections}
    quoted = rules.write_excerpts(evidence)
    titles = {source.id: source.title for source in evidence.sources}
    return Synthesis(
        summary=tidy(draft.answer),
        verdict=draft.verdict,
        missing=tuple(
            MissingPart(part=each.part[:_MOST], why=" ".join(each.why.split())[:_WHY])
            for each in draft.missing
        ),
        sections=tuple(
            _build_section(
                angle, written.get(angle.assignment.id, ""), spare, claims, titles, rules
            )
            for angle, spare in zip(evidence.angles, quoted.sections, strict=True)
        ),
        weighings=tuple(_build_weighings(draft.weighing, evidence)),
        calculations=tuple(_build_calculations(draft.calculations, claims)),
    )


def _build_section(  # what a section is made of
    angle: AngleEvidence,
    text: str,
    spare: SectionDraft,
    claims: Mapping[str, Claim],
    titles: Mapping[str, str],
    rules: Rules,
) -> SectionDraft:
    if not text or not angle.claims:
        return spare
    cited = tuple(dict.fromkeys(list_marked_ids(text)))
    known = [claims[name] for name in cited if name in claims]
    return SectionDraft(
        assignment_id=angle.assignment.id,
        title=angle.assignment.title,
        summary=text,
        claim_ids=cited,
        figures=rules.compare_figures(known, titles),
    )


def _build_weighings(said: Iterable[Weighed], evidence: SynthesisInput) -> Iterator[Weighing]:
    """What speaks for the sides that there are, once each."""
    sides = {
        (each.id, letter): None
        for each in evidence.contradictions
        for letter in list_letters(len(each.sides))
    }
    told = {(each.dispute, each.side.strip().casefold()): tidy(each.text) for each in said}
    for dispute, side in sides:
        if text := told.get((dispute, side)):
            yield Weighing(contradiction_id=dispute, side=side, text=text)


def _build_calculations(
    said: Iterable[Reckoning], claims: Mapping[str, Claim]
) -> Iterator[Calculation]:
    """The calculations that are right."""
    for each in said:
        operands = tuple(
            Operand(claim_id=value.claim, value=value.value[:200]) for value in each.values
        )
        if not 2 <= len(operands) <= 20:
            continue
        made = Calculation(arithmetic=each.arithmetic, operands=operands, result=each.result[:200])
        if is_right(made, claims):
            yield made


def _format_flawed(
    evidence: SynthesisInput,
    calculations: Iterable[Calculation],
    flawed: Iterable[Statement],
    wrong: Mapping[tuple[str, tuple[str, ...]], ReadSentence],
) -> str:
    returned = [
        {
            "name": each.name,
            "text": each.sentence.markdown,
            "wrong": wrong[each.key].reason,
            "angle": "" if each.where == ANSWER else each.where,
        }
        for each in flawed
    ]
    places = {str(each["angle"]) for each in returned}
    cited = {name for each in flawed for name in each.sentence.cited}
    angles = [
        angle.model_copy(
            update={
                "claims": tuple(
                    claim
                    for claim in angle.claims
                    if angle.assignment.id in places
                    or claim.id in cited
                    or cited.intersection(claim.contested_by)
                )
            }
        )
        for angle in evidence.angles
    ]
    used = {claim.source_id for angle in angles for claim in angle.claims}
    shown: dict[str, Any] = {
        "question": evidence.topic,
        "angles": list_claims_by_angle(angles),
        "sources": [
            {"source": each.id, **describe_source(each)}
            for each in evidence.sources
            if each.id in used
        ],
        "disputes": [describe_dispute(each) for each in evidence.contradictions],
        "computed": describe_calculations(calculations),
        "sentences": returned,
    }
    return f"{format_json_block(shown)}\n\nWrite these sentences anew, or leave them out."


def _revise_draft(
    draft: Synthesis,
    claims: Mapping[str, Claim],
    flawed: Iterable[Statement],
    said: Mapping[str, str],
) -> Synthesis:
    anew = {each.name for each in flawed if each.name in said}
    judged = index_read_sentences(draft.verification)
    gone: list[LeftOutSentence] = []

    def mend(statement: Statement) -> str:
        if statement.name not in anew:
            return statement.sentence.markdown
        if not said[statement.name]:
            read = judged[statement.key]
            gone.append(record_left_out(statement, claims, read.support, read.by))
        return said[statement.name]

    text = rewrite_synthesis(draft, claims, mend)
    before = draft.verification or Verification()
    verification = before.model_copy(
        update={
            "mended": before.mended + len(anew) - len(gone),
            "left_out": (*before.left_out, *gone),
        }
    )
    return text.model_copy(update={"verification": verification})


def _tidy_sentence(text: str, claims: Mapping[str, Claim]) -> str:
    """One sentence on one line that ends, so that the next one is another; of several nothing."""
    line = tidy(" ".join(text.split())).removeprefix("- ")
    if ADDRESS.search(line) or not Piece(line, claims).is_one_sentence:
        return ""
    begin = len(line.rstrip(" ."))
    end = begin
    for mark in reversed(prose.find_markers(line)):
        if mark.end == len(line[:begin].rstrip()):
            begin = mark.start
    said, marks = line[:begin].rstrip(" ,;:"), line[begin:end]
    text = f"{said} {marks}".strip()
    return text if said.endswith((".", "!", "?", "…")) else f"{text}."


async def _carry_out(
    task: SynthesisTask, desk: Desk[SynthesisTask, Synthesis, Synthesis]
) -> Answer[Synthesis]:
    """Write the report's prose from claims alone, or put their quotes together."""
    if task.by_code:
        quoted = await asyncio.to_thread(desk.rules.write_excerpts, task.evidence)
        return Answer(quoted, by_code=True)
    return await desk.ask(task)


SYNTHESISE: Role[SynthesisTask, Synthesis, Synthesis] = Role(
    name="synthesise",
    agent=AgentType.SYNTHESISER,
    task=SynthesisTask,
    result=Synthesis,
    start_to_close=timedelta(minutes=10),  # the longest answer of a run, and thought before
    step=Step.SYNTHESISE,
    settings=SETTINGS,
    play=_write,
    carry_out=_carry_out,
)

REVISE: Role[RevisionTask, Synthesis, Synthesis] = Role(
    name="revise",
    agent=AgentType.SYNTHESISER,
    task=RevisionTask,
    result=Synthesis,
    start_to_close=timedelta(minutes=6),  # as for a synthesis: at most all of its sentences
    step=Step.VERIFY,
    settings=REVISER,
    play=_revise,
    without_model=lambda task: task.draft,
)
