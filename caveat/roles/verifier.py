"""The verifier: a second reader that sees sentences and the quotes they cite, and nothing else."""

import asyncio
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from caveat.contracts.base import Contract
from caveat.contracts.envelope import FailureCategory, Usage
from caveat.contracts.phase import Step
from caveat.contracts.source import Claim
from caveat.contracts.synthesis import (
    Reader,
    ReadSentence,
    Support,
    Synthesis,
    SynthesisInput,
    Verification,
)
from caveat.contracts.tasks import VerificationTask
from caveat.failures import PortFailure
from caveat.ports import Answer
from caveat.roles.data import (
    ADDRESS,
    describe_calculations,
    describe_dispute,
    describe_missing,
    describe_quote,
    format_flaws,
    format_json_block,
    list_by_source,
)
from caveat.roles.role import SONNET, Bounds, Effort, LanguageModel, ModelSettings, Question, Role
from caveat.rules.contradictions.contest import index_contradictions
from caveat.rules.lines import collapse_spaces
from caveat.rules.report.publication import build_synthesis_grounds
from caveat.rules.report.statements import (
    ANSWER,
    Statement,
    index_read_sentences,
    list_statements,
    record_reading,
)
from caveat.rules.sentences.checks import check_sentence, find_text_flaws
from caveat.rules.sentences.grounds import list_neighbours
from caveat.rules.sentences.hints import find_hints, find_text_hints
from caveat.rules.text import questions

SETTINGS = ModelSettings(
    name="verification",
    agent="verifier",
    model=SONNET,
    # A judgement on each sentence of a report.
    bounds=Bounds(deadline_s=345, room=16_000, effort=Effort.HIGH),
    step=Step.VERIFY,
)


class Judged(Contract):
    """How far quotes carry a sentence or the text of a claim, by its name."""

    name: str
    support: Support
    reason: str = ""
    unrelated: tuple[str, ...] = ()  # of the disputes beside a sentence


_SILENT = Judged(name="", support=Support.NOT, reason="The verifier said nothing of it.")


class Judgements(Contract):
    """What is said of every sentence and claim that is listed, and which parts are missing."""

    sentences: tuple[Judged, ...]
    claims: tuple[Judged, ...] = ()
    missing: tuple[str, ...] = ()


SECOND_READER = replace(
    SETTINGS, bounds=Bounds(deadline_s=165, room=8_000, effort=Effort.HIGH), step=None
)
"""Reads the sentences alone that code has a doubt about, and does not know what the first said."""


async def _play(task: VerificationTask, model: LanguageModel) -> Answer[Synthesis]:
    """Return a draft in which every sentence has been read."""
    # Code holds the form of sentences and claims. A sentence of which the reader says nothing is
    # returned once, and then counts as not carried. One about which code has a doubt has two
    # readers, who both must let it pass.
    proof = await asyncio.to_thread(Proof.from_draft, task)
    if not proof.unread:  # nothing would stand by what it says
        return Answer(proof.read(Judgements(sentences=()), ()))
    topic = task.evidence.topic
    asked = [Question(task, topic, proof.content, Judgements, proof.find_objection)]
    doubted = proof.select_doubted() if task.max_turns > 1 else None
    if doubted:
        once = task.model_copy(update={"max_turns": 1})
        asked += [Question(once, topic, doubted.content, Judgements, settings=SECOND_READER)]
    readers = await asyncio.gather(*map(_catch_failure, map(model.ask, asked)))
    usage = sum((reader.usage for reader in readers), Usage())
    first, *others = (() if isinstance(each, PortFailure) else each.value for each in readers)
    for at, read in enumerate(readers):
        # A second reader that cannot be read let nothing pass; one that is away is asked again.
        if isinstance(read, PortFailure) and (
            at == 0 or read.failure.category is FailureCategory.TRANSIENT
        ):
            raise PortFailure(read.failure, usage)
    sentences = {judged.name: judged for each in first for judged in each.sentences}
    if doubted:
        again = {judged.name: judged for each in others[0] for judged in each.sentences}
        for statement in doubted.unread:  # supported only where both find it so
            one, other = (each.get(statement.name, _SILENT) for each in (sentences, again))
            if one.support is Support.SUPPORTED:
                both = tuple({*one.unrelated}.intersection(other.unrelated))
                sentences[statement.name] = other.model_copy(update={"unrelated": both})
    judgements = first[-1].model_copy(update={"sentences": tuple(sentences.values())})
    claims = (judged for each in first for judged in each.claims)
    return Answer(proof.read(judgements, claims), usage)


async def _catch_failure(
    asking: Awaitable[Answer[tuple[Judgements, ...]]],
) -> Answer[tuple[Judgements, ...]] | PortFailure:
    try:
        return await asking
    except PortFailure as failed:
        return failed


@dataclass(frozen=True)
class Proof:
    """A draft on its way through the verifier."""

    draft: Synthesis
    evidence: SynthesisInput
    held: tuple[ReadSentence, ...]
    unread: tuple[Statement, ...]  # those that nobody has read yet, each once
    doubts: Mapping[str, Sequence[str]]  # what code noticed, by the name of a sentence or claim
    near: Mapping[str, Sequence[str]]  # disputes that a sentence may tell, by its name
    worded: tuple[Claim, ...]  # claims whose text nobody has compared with their quote yet
    parts: Mapping[str, str]  # of the question that an answer is held against, by name

    @classmethod
    def from_draft(cls, task: VerificationTask) -> "Proof":
        """Have code read the sentences of a draft that nobody has read."""
        draft, evidence = task.draft, task.evidence
        is_answer = task.portion in {"", ANSWER}
        claims = evidence.claims
        base = build_synthesis_grounds(evidence, draft.calculations)
        known = index_read_sentences(draft.verification)
        held, unread = [], []
        doubts: dict[str, Sequence[str]] = {}
        for each in {each.key: each for each in list_statements(draft, claims)}.values():
            if each.key in known:
                continue
            flaws = [flaw for _, flaw in check_sentence(each.sentence, base)]
            if ADDRESS.search(each.sentence.text):
                flaws.append("An address stands in it.")
            if flaws:
                held.append(
                    record_reading(each.sentence, Support.NOT, Reader.CODE, " ".join(flaws))
                )
            else:
                unread.append(each)
                doubts[each.name] = find_hints(each.sentence, base)
        contested = index_contradictions(claims.values(), evidence.contradictions)
        near = {
            each.name: sorted({id_ for n in each.sentence.cited for id_ in contested.get(n, ())})
            for each in unread
        }
        worded = _list_worded_claims(draft, evidence, with_sides=is_answer)
        # A text may say what was overruled, and is in the language of whoever read the source.
        own = replace(base, claims={}, overruled=(), wanted=None, topic="")
        doubts |= {
            each.id: (
                *find_text_flaws(each.text, [each], own),
                *find_text_hints(each.text, [each], base),
            )
            for each in worded
        }
        parts = questions.split_question(evidence.topic) if is_answer else ()
        numbered = {f"p{at}": each for at, each in enumerate(parts, start=1)}
        return cls(draft, evidence, tuple(held), tuple(unread), doubts, near, worded, numbered)

    def select_doubted(self) -> "Proof | None":
        """Select the sentences that code has a doubt about, for a second reader; None for none.

        The last one comes first: where all are doubted, it would read the first one's prompt.
        """
        unread = tuple(each for each in reversed(self.unread) if self.doubts.get(each.name))
        return replace(self, unread=unread, worded=(), parts={}) if unread else None

    @cached_property
    def claims(self) -> Mapping[str, Claim]:
        return self.evidence.claims

    @property
    def content(self) -> str:
        """The sentences, and of their claims the quotes alone."""
        cited = dict.fromkeys(name for each in self.unread for name in each.sentence.cited)
        known = {name: self.claims[name] for name in cited if name in self.claims}
        quoted = {**known, **{each.id: each for each in self.worded}}.values()
        # What was read before is not judged anew, but answers what it answers.
        shown: dict[str, Any] = {
            "sources": list_by_source(quoted, self.evidence.sources, _describe_in_context),
            "disputes": [describe_dispute(each) for each in self.evidence.contradictions],
            "computed": describe_calculations(self.draft.calculations),
            "missing": describe_missing(self.evidence),
            "sentences": [
                _drop_empty(
                    name=each.name,
                    text=each.sentence.text,
                    cites=[*each.key[1], *each.sentence.gaps],
                    weighs=each.where if " " in each.where else "",  # `contradiction-1 a`
                    look_at=self.doubts.get(each.name),
                    near=self.near[each.name],
                )
                for each in self.unread
            ],
            "claims": [
                _drop_empty(name=claim.id, text=claim.text, look_at=self.doubts.get(claim.id))
                for claim in self.worded
            ],
            "carried": [
                each.text
                for each in (self.draft.verification.read if self.draft.verification else ())
                if each.support is Support.SUPPORTED
            ],
            "parts": [{"name": name, "part": part} for name, part in self.parts.items()],
        }
        return f"{format_json_block(shown)}\n\nJudge every sentence, every claim and every part."

    def find_objection(self, answer: Judgements) -> str | None:
        judged = {each.name for each in answer.sentences}
        missing = [each.name for each in self.unread if each.name not in judged]
        return format_flaws("You did not judge", missing, "Judge these as well.")

    def read(self, judgements: Judgements, claims: Iterable[Judged]) -> Synthesis:
        """Record what was said of sentences and claims, and which parts nothing answers."""
        before = self.draft.verification or Verification()
        worded = [claim.id for claim in self.worded]
        carried = {each.name for each in claims if each.support is Support.SUPPORTED}
        by_name = {judged.name: judged for judged in judgements.sentences}
        new = []
        for statement in self.unread:
            judged = by_name.get(statement.name, _SILENT)
            spared = tuple(sorted({*judged.unrelated}.intersection(self.near[statement.name])))
            read = record_reading(
                statement.sentence, judged.support, Reader.VERIFIER, judged.reason
            )
            new.append(read.model_copy(update={"unrelated": spared}))
        lacks = [part for name, part in self.parts.items() if name in judgements.missing]
        verification = before.model_copy(
            update={
                "read": (*before.read, *self.held, *new),
                "missing": tuple(lacks) if self.unread else before.missing,
                "compared": (*before.compared, *worded),
                "restated": (*before.restated, *(each for each in worded if each not in carried)),
            }
        )
        return self.draft.model_copy(update={"verification": verification})


def _drop_empty(**facts: object) -> dict[str, object]:
    return {name: value for name, value in facts.items() if value}


def _list_worded_claims(
    draft: Synthesis, evidence: SynthesisInput, *, with_sides: bool
) -> tuple[Claim, ...]:
    """The claims of a report whose text is not their quote, which nobody has compared yet."""
    # Those are what any sentence cites, and the sides of disputes.
    known = {**evidence.claims, **{each.id: each for each in evidence.excluded}}
    cited = (name for each in list_statements(draft, known) for name in each.sentence.cited)
    sides = (side for each in evidence.contradictions for side in each.sides if with_sides)
    stating = (name for side in sides for name in side.claims)
    compared = draft.verification.compared if draft.verification else ()
    return tuple(
        known[name]
        for name in dict.fromkeys((*cited, *stating))
        if name in known
        and name not in compared
        and collapse_spaces(known[name].text) != collapse_spaces(known[name].quote)
    )


def _describe_in_context(claim: Claim) -> dict[str, str]:
    context = " […] ".join(list_neighbours(claim)).strip()
    beside = {"context": context} if context != "[…]" else {}
    return {"name": claim.id, **describe_quote(claim), **beside}


VERIFY: Role[VerificationTask, Synthesis] = Role(
    "verify", SETTINGS, _play, without_model=lambda task: task.draft
)
