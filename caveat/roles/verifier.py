"""The verifier: a second reader that sees sentences and the quotes they cite, and nothing else."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from functools import cached_property
from typing import Any

from caveat.contracts.claim import Claim
from caveat.contracts.envelope import AgentType
from caveat.contracts.spending import Step
from caveat.contracts.synthesis import (
    MissingPart,
    Reader,
    ReadSentence,
    Support,
    Synthesis,
    SynthesisInput,
    Verification,
)
from caveat.contracts.tasks import VerificationTask
from caveat.ports import Answer
from caveat.roles.data import (
    ADDRESS,
    Said,
    describe_calculations,
    describe_dispute,
    format_flaws,
    format_json_block,
    group_by_source,
    shorten,
)
from caveat.roles.role import SONNET, Bounds, Effort, LanguageModel, ModelSettings, Role
from caveat.rules.report import (
    Statement,
    build_synthesis_grounds,
    find_question_part,
    index_read_sentences,
    list_statements,
)
from caveat.rules.sentences import find_sentence_flaws
from caveat.rules.text import collapse_spaces, questions, split_sentences

SETTINGS = ModelSettings(
    name="verification",
    agent="verifier",
    model=SONNET,
    bounds=Bounds(
        deadline_s=345, room=16_000, effort=Effort.HIGH
    ),  # a judgement on each sentence of a report
    step=Step.VERIFY,
)

_REASON = 500  # characters of a reason by its contract
_PART = 300  # characters of a missing part by its contract

_SILENT = "The verifier said nothing of it."


class Judged(Said):
    """How far quotes carry a sentence or the text of a claim, by its name."""

    name: str
    support: Support
    reason: str = ""


class PartState(StrEnum):
    """What a report has for a part of its question, or for what it says is missing."""

    ANSWERED = "answered"
    MISSING = "missing"
    NOT_ASKED = "not_asked"


class JudgedPart(Said):
    """What there is for a part of the question, by its name."""

    name: str
    state: PartState


class Judgements(Said):
    """What is said of every sentence, claim and part that is listed."""

    sentences: tuple[Judged, ...]
    claims: tuple[Judged, ...] = ()
    parts: tuple[JudgedPart, ...] = ()


async def _play(task: VerificationTask, model: LanguageModel) -> Answer[Synthesis]:
    """Return a draft in which every sentence has been read, by code first."""
    # What code holds wrong the model is not asked about. A sentence that it says nothing of is
    # returned once, and then counts as not carried. Where nothing is left to read nobody is asked.
    proof = await asyncio.to_thread(Proof.from_draft, task.draft, task.evidence)
    if not proof.unread and not proof.worded:
        return Answer(proof.read({}, ()))
    answer = await model.ask(
        task, task.evidence.topic, proof.content, Judgements, proof.find_objection
    )
    said: dict[str, Judged] = {}
    for each in answer.value:
        said |= {judged.name: judged for judged in each.sentences}
    claims = [judged for each in answer.value for judged in each.claims]
    parts = {judged.name: judged.state for each in answer.value for judged in each.parts}
    return Answer(proof.record_missing(parts).read(said, claims), answer.usage)


@dataclass(frozen=True)
class Proof:
    """A draft on its way through the verifier."""

    draft: Synthesis
    evidence: SynthesisInput
    held: tuple[ReadSentence, ...]
    unread: tuple[Statement, ...]  # those that nobody has read yet, each once

    @classmethod
    def from_draft(cls, draft: Synthesis, evidence: SynthesisInput) -> "Proof":
        """Have code read the sentences of a draft that nobody has read."""
        claims = evidence.claims
        base = build_synthesis_grounds(evidence, draft.calculations)
        known = index_read_sentences(draft.verification)
        held, unread = [], []
        for each in {each.key: each for each in list_statements(draft, claims)}.values():
            if each.key in known:
                continue
            flaws = list(find_sentence_flaws(each.sentence, claims, base))
            if ADDRESS.search(each.sentence.text):
                flaws.append("An address stands in it.")
            if flaws:
                held.append(_read(each, Support.NOT, " ".join(flaws), Reader.CODE))
            else:
                unread.append(each)
        return cls(draft, evidence, tuple(held), tuple(unread))

    @cached_property
    def claims(self) -> Mapping[str, Claim]:
        """Every claim that may be cited, by name."""
        return self.evidence.claims

    @cached_property
    def worded(self) -> Sequence[Claim]:
        """The claims of the report whose text is not their quote, which nobody has compared yet."""
        # Those are what any sentence cites, and the sides of disputes.
        known = {**self.claims, **{each.id: each for each in self.evidence.excluded}}
        cited = (
            name for each in list_statements(self.draft, known) for name in each.sentence.cited
        )
        sides = (side for each in self.evidence.contradictions for side in each.sides)
        stating = (name for side in sides for name in side.claims)
        compared = self.draft.verification.compared if self.draft.verification else ()
        return [
            known[name]
            for name in dict.fromkeys((*cited, *stating))
            if name in known
            and name not in compared
            and collapse_spaces(known[name].text) != collapse_spaces(known[name].quote)
        ]

    @cached_property
    def parts(self) -> Mapping[str, str]:
        """The parts of the question and what is said to be missing, by name."""
        asked = enumerate(questions.split_question(self.evidence.topic), start=1)
        lacking = enumerate(self.draft.missing, start=1)
        return {f"p{at}": each for at, each in asked} | {
            f"m{at}": each.part for at, each in lacking
        }

    def record_missing(self, said: Mapping[str, PartState]) -> "Proof":
        """Name as missing what the reader found no answer to, and nothing that it did."""
        # What it says nothing of stays as the synthesiser had it.
        lacks = [
            each
            for at, each in enumerate(self.draft.missing, start=1)
            if said.get(f"m{at}", PartState.MISSING) is PartState.MISSING
        ]
        named = {find_question_part(each.part, self.evidence.topic) for each in lacks}
        lacks += [
            MissingPart(part=shorten(part, _PART))
            for name, part in self.parts.items()
            if name.startswith("p") and said.get(name) is PartState.MISSING and part not in named
        ]
        return replace(self, draft=self.draft.model_copy(update={"missing": tuple(lacks)}))

    @property
    def content(self) -> str:
        """The sentences, and of their claims the quotes alone."""
        cited = dict.fromkeys(name for each in self.unread for name in each.sentence.cited)
        known = {name: self.claims[name] for name in cited if name in self.claims}
        quoted = {**known, **{each.id: each for each in self.worded}}.values()
        disputes = [
            each
            for each in self.evidence.contradictions
            if not cited.keys().isdisjoint(each.concerned)
        ]
        # What was read before is not judged anew, but answers what it answers.
        shown: dict[str, Any] = {
            "sources": [
                {**facts, "quotes": [_describe_quote(claim) for claim in said]}
                for facts, said in group_by_source(quoted, self.evidence.sources)
            ],
            "disputes": [describe_dispute(each) for each in disputes],
            "computed": describe_calculations(self.draft.calculations),
            "sentences": [
                {"name": each.name, "text": each.sentence.text, "cites": each.key[1]}
                for each in self.unread
            ],
            "claims": [{"name": claim.id, "text": claim.text} for claim in self.worded],
            "carried": [
                each.text
                for each in (self.draft.verification.read if self.draft.verification else ())
                if each.support is Support.SUPPORTED
            ],
            "parts": [{"name": name, "part": part} for name, part in self.parts.items()],
        }
        return f"{format_json_block(shown)}\n\nJudge every sentence, every claim and every part."

    def find_objection(self, said: Judgements) -> str | None:
        """Name the sentences of which nothing was said; None where there are none."""
        judged = {each.name for each in said.sentences}
        missing = [each.name for each in self.unread if each.name not in judged]
        return format_flaws("You did not judge", missing, "Judge these as well.")

    def read(self, said: Mapping[str, Judged], claims: Iterable[Judged]) -> Synthesis:
        """Return the draft with what was said of it."""
        before = self.draft.verification or Verification()
        worded = [claim.id for claim in self.worded]
        carried = {each.name for each in claims if each.support is Support.SUPPORTED}
        silent = Judged(name="", support=Support.NOT, reason=_SILENT)
        new = [
            _read(each, judged.support, judged.reason, Reader.VERIFIER)
            for each in self.unread
            for judged in (said.get(each.name, silent),)
        ]
        verification = before.model_copy(
            update={
                "read": (*before.read, *self.held, *new),
                "compared": (*before.compared, *worded),
                "restated": (*before.restated, *(each for each in worded if each not in carried)),
            }
        )
        return self.draft.model_copy(update={"verification": verification})


def _read(statement: Statement, support: Support, reason: str, by: Reader) -> ReadSentence:
    text, claims = statement.key
    told = "" if support is Support.SUPPORTED else " ".join(reason.split())[:_REASON]
    return ReadSentence(text=text, claims=claims, support=support, reason=told, by=by)


def _describe_quote(claim: Claim) -> dict[str, str]:
    # The next sentence on either side: further ones were half of all that the verifier read.
    before = [claim.before[slice(*span)] for span in split_sentences(claim.before)][-1:]
    after = [claim.after[slice(*span)] for span in split_sentences(claim.after)][:1]
    under = {"under": claim.location} if claim.location else {}
    facts = {"name": claim.id, **under, "quote": claim.quote}
    return {**facts, "context": " ".join([*before, "[…]", *after])} if before or after else facts


VERIFY: Role[VerificationTask, Synthesis, Synthesis] = Role(
    name="verify",
    agent=AgentType.VERIFIER,
    task=VerificationTask,
    result=Synthesis,
    start_to_close=timedelta(minutes=6),  # as for a synthesis: a judgement on each of its sentences
    step=Step.VERIFY,
    settings=SETTINGS,
    play=_play,
    without_model=lambda task: task.draft,
)
