"""The synthesiser: claims in; an answer, a verdict and cited prose out."""

import asyncio
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

from pydantic import AliasChoices, BeforeValidator, Field

from caveat.contracts.base import Contract
from caveat.contracts.phase import Step
from caveat.contracts.source import Claim
from caveat.contracts.synthesis import (
    Calculation,
    LeftOutSentence,
    MissingPart,
    Operand,
    Reader,
    ReadSentence,
    SectionDraft,
    Synthesis,
    SynthesisInput,
    Verdict,
    Verification,
    Weighing,
)
from caveat.contracts.tasks import RevisionTask, SynthesisTask
from caveat.ports import Answer
from caveat.roles.data import (
    ADDRESS,
    Words,
    describe_calculations,
    describe_evidence,
    describe_missing,
    describe_remarks,
    format_flaws,
    format_json_block,
    name_gaps,
    tidy,
)
from caveat.roles.role import OPUS, Bounds, Effort, LanguageModel, ModelSettings, Question, Role
from caveat.rules.contradictions.choices import list_letters
from caveat.rules.report.calculations import add_calculations, find_fault
from caveat.rules.report.publication import build_synthesis_grounds
from caveat.rules.report.statements import (
    ANSWER,
    Statement,
    find_carrying_claims,
    index_read_sentences,
    list_statements,
    list_unsupported,
    record_left_out,
    rewrite_synthesis,
    update_section,
)
from caveat.rules.sentences.checks import check_sentence
from caveat.rules.text import prose
from caveat.rules.text.citations import Piece

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
    # At most the sentences of a report once more.
    bounds=Bounds(deadline_s=345, room=12_000, effort=Effort.HIGH),
)
"""Plays with the model of the synthesis; its calls are booked with the verification."""

_MOST = 300  # characters of a missing part by its contract


def _read_lines(value: object) -> object:
    """Read prose where sentences were asked for: its markers name their claims."""
    lines = value if isinstance(value, list | tuple) else [value]
    return [{"text": each} if isinstance(each, str) else each for each in lines if each]


class Line(Contract):
    """One sentence, and the names of what it rests on: claims, a dispute, what is missing."""

    text: Words
    claims: tuple[str, ...] = ()


Lines = Annotated[tuple[Line, ...], BeforeValidator(_read_lines)]


class Part(Contract):
    """The sentences of one angle, by the angle's name; none where it has no claims."""

    angle: str
    sentences: Lines = Field(default=(), validation_alias=AliasChoices("sentences", "text"))


class Lack(Contract):
    """A part of the question that no claim answers, and what there is instead."""

    part: Words
    why: Lines = ()


class Weighed(Contract):
    """What speaks for one side of a dispute."""

    dispute: str
    side: str
    sentences: Lines = Field(default=(), validation_alias=AliasChoices("sentences", "text"))


class Value(Contract):
    """A value in the words of a claim's quote, by a letter."""

    name: str
    claim: str
    value: Words


class Reckoning(Contract):
    """A number that is computed from values of claims."""

    values: tuple[Value, ...]
    expression: Words
    result: Words


class Answering(Contract):
    """An answer, and whether it is one."""

    answer: Lines = Field(min_length=1)
    verdict: Verdict
    missing: tuple[Lack, ...] = ()
    weighing: tuple[Weighed, ...] = ()
    calculations: tuple[Reckoning, ...] = ()


class Draft(Answering):
    """An answer, and the sections behind it."""

    sections: tuple[Part, ...] = ()


class OneSection(Contract):
    """The sentences of one section."""

    section: Lines
    calculations: tuple[Reckoning, ...] = ()


class Rewording(Contract):
    """A sentence anew, by its name; without text it is left out."""

    name: str
    text: str = ""
    same_as: str = ""  # the sentence that says the same, where one does
    claims: tuple[str, ...] = ()


class Rewordings(Contract):
    """Sentences anew."""

    sentences: tuple[Rewording, ...]
    calculations: tuple[Reckoning, ...] = ()


async def _write(task: SynthesisTask, model: LanguageModel) -> Answer[Synthesis]:
    """Return what the claims answer; without claims nobody is asked."""
    # Sentences are not judged here: `verify` does that, and what does not hold comes back by
    # sentence. A section that is left empty although there are claims is published as quotes.
    evidence = task.evidence
    if not any(angle.claims for angle in evidence.angles):
        nothing = _build_synthesis(OneSection(section=()), evidence)
        return Answer(nothing.model_copy(update={"verdict": Verdict.NOT_ANSWERED}))
    shape, wanted = _PORTIONS.get(task.portion, (OneSection, "Write the section of this angle."))
    shown = {
        **describe_evidence(evidence, evidence.angles),
        "missing": describe_missing(evidence),
        "debate": describe_remarks(evidence),
    }
    content = f"{format_json_block(shown)}\n\n{wanted}"

    def build(said: Answering | OneSection) -> Synthesis:
        return add_calculations(_build_synthesis(said, evidence), evidence)

    def find_objection(said: Answering | OneSection) -> str | None:
        if not task.mends:
            return None
        draft = build(said)
        grounds = build_synthesis_grounds(evidence, draft.calculations)
        flaws = (
            f"“{each.sentence.text}”: {flaw}"
            for each in list_statements(draft, evidence.claims)
            for _, flaw in check_sentence(each.sentence, grounds)
        )
        return format_flaws("These sentences cannot stand", flaws, "Give the whole answer again.")

    answer = await model.ask(Question(task, evidence.topic, content, shape, find_objection))
    return Answer(await asyncio.to_thread(build, answer.value[-1]), answer.usage)


_PORTIONS: Mapping[str, tuple[type[Answering | OneSection], str]] = {
    "": (Draft, "Answer the question, and write the sections."),
    ANSWER: (Answering, "Answer the question. The sections are written by others."),
}
"""What is asked for, by portion; any other is the section of an angle."""


async def _revise(task: RevisionTask, model: LanguageModel) -> Answer[Synthesis]:
    """Return a draft in which the sentences that do not hold are written anew, or left out."""
    draft, claims = task.draft, task.evidence.claims
    wrong = {(each.text, each.claims): each for each in list_unsupported(draft.verification)}
    flawed = [each for each in list_statements(draft, claims) if each.key in wrong]
    if not flawed:
        return Answer(draft)
    content = _format_flawed(task.evidence, draft, flawed, wrong)
    answer = await model.ask(Question(task, task.evidence.topic, content, Rewordings))
    prose_of = Prose(task.evidence)
    texts = {
        each.name: prose_of.write_sentence(each.text, each.claims) if each.text.strip() else ""
        for each in answer.value[-1].sentences
    }
    doubles = {each.name for each in answer.value[-1].sentences if each.same_as}
    revised = _revise_draft(draft, claims, flawed, texts, doubles)
    computed, _ = _build_calculations(answer.value[-1].calculations, task.evidence)
    revised = revised.model_copy(update={"calculations": (*draft.calculations, *computed)})
    return Answer(await asyncio.to_thread(add_calculations, revised, task.evidence), answer.usage)


def _build_synthesis(draft: Answering | OneSection, evidence: SynthesisInput) -> Synthesis:
    prose_of = Prose(evidence)
    parts = (
        {part.angle: part.sentences for part in draft.sections} if isinstance(draft, Draft) else {}
    )
    if isinstance(draft, OneSection):
        parts = {angle.assignment.id: draft.section for angle in evidence.angles}
    sections = tuple(
        update_section(
            SectionDraft(assignment_id=angle.id, title=angle.title, summary=""),
            prose_of.write(parts.get(angle.id, ())),
        )
        for angle in (each.assignment for each in evidence.angles)
    )
    right, fallen = _build_calculations(draft.calculations, evidence)
    if isinstance(draft, OneSection):
        return Synthesis(summary="", sections=sections, calculations=right, miscalculated=fallen)
    weighed = {(each.dispute, each.side.strip().casefold()): each for each in draft.weighing}
    return Synthesis(
        summary=prose_of.write(draft.answer),
        verdict=draft.verdict,
        missing=tuple(
            MissingPart(part=each.part[:_MOST], why=prose_of.write(each.why))
            for each in draft.missing
        ),
        sections=sections,
        weighings=tuple(
            Weighing(contradiction_id=dispute.id, side=letter, text=text)
            for dispute in evidence.contradictions
            for letter, side in zip(list_letters(len(dispute.sides)), dispute.sides, strict=True)
            if (told := weighed.get((dispute.id, letter)))
            and (text := prose_of.write(told.sentences, side.claims))
        ),
        calculations=right,
        miscalculated=fallen,
    )


_PARAGRAPH = 4  # sentences: twenty were a wall


@dataclass(frozen=True)
class Prose:
    """Writes sentences as the prose of a report, each with the markers of what it rests on."""

    evidence: SynthesisInput

    @cached_property
    def claims(self) -> Mapping[str, Claim]:
        return self.evidence.claims

    def write(self, lines: Iterable[Line], among: Sequence[str] = ()) -> str:
        """Write sentences in short paragraphs; those that begin with a dash are items of a list.

        Args:
            among: the claims on one of which a sentence rests that names none; else any.
        """
        written, length = "", 0  # of the paragraph, in sentences
        for line in lines:
            is_item = line.text.lstrip().startswith("- ")
            for text in self._mark_sentences(line.text, line.claims, among):
                is_new = length >= _PARAGRAPH or "\n- " in f"\n{written}"
                joint = "\n- " if is_item else "\n\n" if is_new else " "
                written += f"{joint}{text}"
                length = 1 if is_new else length + 1
        return written.strip()

    def write_sentence(self, text: str, names: Sequence[str]) -> str:
        """Write one sentence on one line; nothing where it is several, or nothing carries it."""
        written = list(self._mark_sentences(" ".join(text.split()), names))
        return written[0] if len(written) == 1 and prose.find_markers(written[0]) else ""

    def _mark_sentences(
        self, text: str, names: Sequence[str], among: Sequence[str] = ()
    ) -> Iterator[str]:
        marks = "".join(f"[{name}]" for name in dict.fromkeys(self._resolve(names)))
        # The markers go in before the text is cut: a quote of several sentences is one.
        whole = tidy(text)
        end = "." if whole.endswith(".") else ""
        for sentence in Piece(f"{whole.removesuffix('.')} {marks}{end}", self.claims).sentences:
            if ADDRESS.search(sentence.text):
                continue
            if sentence.gaps or set(sentence.cited) & self.claims.keys():
                yield _end_sentence(sentence.markdown)
                continue
            near = {name: self.claims[name] for name in among if name in self.claims}
            carrying = find_carrying_claims(sentence.text, near or self.claims) or [*near][:1]
            plain = prose.escape_opening(prose.escape_markup(sentence.text))
            yield _end_sentence(plain, marks or "".join(f"[{name}]" for name in carrying))

    def _resolve(self, names: Iterable[str]) -> Iterator[str]:
        """The markers of what a sentence names; of a dispute, those of each of its sides."""
        sides = {
            each.id: [side.claim for side in each.sides if side.claim in self.claims]
            for each in self.evidence.contradictions
        }
        for name in (each.strip(" []") for each in names):
            if name in self.claims:
                yield name
            elif name in sides:
                yield from sides[name]
            elif name in name_gaps(self.evidence):
                yield name


def _end_sentence(text: str, marks: str = "") -> str:
    """Write a sentence with its markers before its full stop, so that the next one is another."""
    begin = len(text.rstrip(" ."))
    end = begin
    for mark in reversed(prose.find_markers(text)):
        if mark.end == len(text[:begin].rstrip()):
            begin = mark.offset
    sentence, marks = text[:begin].rstrip(" ,;:"), f"{text[begin:end]}{marks}"
    text = f"{sentence} {marks}".strip()
    return text if sentence.endswith((".", "!", "?", "…")) else f"{text}."


def _build_calculations(
    reckonings: Iterable[Reckoning], evidence: SynthesisInput
) -> tuple[tuple[Calculation, ...], tuple[str, ...]]:
    """The calculations that are right, and in words those that are not, each with the reason.

    One whose numbers are right, and whose units code cannot tell, counts as guessed.
    """
    right, fallen = [], []
    grounds = build_synthesis_grounds(evidence)
    for each in reckonings:
        operands = tuple(
            Operand(name=value.name, claim_id=value.claim, value=value.value[:200])
            for value in each.values[:20]
        )
        if not operands:
            continue
        made = Calculation(
            expression=each.expression[:200], operands=operands, result=each.result[:200]
        )
        fault = find_fault(made, grounds)
        guessed = made.model_copy(update={"is_guessed": True})
        if fault is None:
            right.append(made)
        elif find_fault(guessed, grounds) is None:
            right.append(guessed)
        else:
            fallen.append(f"{made.expression} = {made.result}: {fault}")
    return tuple(right), tuple(fallen)


def _format_flawed(
    evidence: SynthesisInput,
    draft: Synthesis,
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
    # What carries those that cite nothing, or what fell, is to be found.
    if not all(evidence.claims.keys() & {*each.sentence.cited} for each in flawed):
        cited.update(evidence.claims)
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
    shown: dict[str, Any] = {
        **describe_evidence(evidence, angles),
        "computed": describe_calculations(draft.calculations),
        "miscalculated": draft.miscalculated,
        "sentences": returned,
    }
    return f"{format_json_block(shown)}\n\nWrite these sentences anew, or leave them out."


def _revise_draft(
    draft: Synthesis,
    claims: Mapping[str, Claim],
    flawed: Iterable[Statement],
    texts: Mapping[str, str],
    doubles: Collection[str],
) -> Synthesis:
    returned = {each.name: each.key for each in flawed if each.name in texts}
    judged = index_read_sentences(draft.verification)
    gone: list[LeftOutSentence] = []

    def mend(statement: Statement) -> str:
        if statement.name not in returned:
            return statement.sentence.markdown
        if not texts[statement.name] and statement.name not in doubles:
            read = judged[statement.key]
            gone.append(record_left_out(statement, claims, read.support, read.by))
        return texts[statement.name]

    text = rewrite_synthesis(draft, claims, mend)
    before = draft.verification or Verification()
    verification = before.model_copy(
        update={
            "mended": before.mended + len(returned) - len(gone),
            # A sentence that comes back as it was, after a ruling, is held against it anew.
            "read": tuple(
                each
                for each in before.read
                if each.by is not Reader.CODE or (each.text, each.claims) not in returned.values()
            ),
            "left_out": (*before.left_out, *gone),
        }
    )
    return text.model_copy(update={"verification": verification})


SYNTHESISE: Role[SynthesisTask, Synthesis] = Role("synthesise", SETTINGS, _write)

REVISE: Role[RevisionTask, Synthesis] = Role(
    "revise", REVISER, _revise, without_model=lambda task: task.draft
)
