"""The writer: the synthesis in its final form, piece by piece, with nothing added."""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from caveat.adapters.claude.messages.question import Bounds
from caveat.adapters.claude.roles.data import claims_block, returned
from caveat.adapters.claude.roles.editor import Draft, Editor, tidy
from caveat.adapters.claude.roles.role import SONNET, PlayedRole, Role
from caveat.contracts.spending import Step
from caveat.contracts.synthesis import SectionDraft, Synthesis, SynthesisInput
from caveat.contracts.tasks import WritingTask
from caveat.ports import Answer
from caveat.quantities.numbers import numbers
from caveat.rules.text import markers

ROLE = Role(
    name="writing",
    agent="writer",
    model=SONNET,
    bounds=Bounds(deadline_s=345, room=24_000),  # the same prose once more
    step=Step.WRITE,
)


async def write(task: WritingTask, part: PlayedRole) -> Answer[Synthesis]:
    """Return the draft in a clearer form that says the same.

    What does not is returned to its writer once, with everything named; a piece that does not
    hold then either stays as the draft has it. Where nothing is written nobody is asked.
    """
    if not any(section.summary for section in task.draft.sections):
        return Answer(task.draft)
    reader = ProofReader(task.evidence, task.draft)
    answer = await part.ask(
        task, task.evidence.topic, _content(task.evidence, task.draft), Draft, reader.objection
    )
    return Answer(await asyncio.to_thread(reader.finished, answer.value[-1]), answer.usage)


@dataclass(frozen=True)
class ProofReader:
    """Holds a writer's version against the draft, by the editor's rules and for the same contents.

    Attributes:
        evidence: what the synthesiser was given.
        draft: what it made of that.
    """

    evidence: SynthesisInput
    draft: Synthesis

    def objection(self, version: Draft) -> str | None:
        """Name everything that is wrong with a version, for its writer; None where nothing is."""
        return returned(
            "Your version does not say the same",
            self._all_flaws(version),
            "Give all pieces again: mend these, or give the piece as you were given it.",
        )

    def finished(self, version: Draft) -> Synthesis:
        """Keep the pieces that hold; the others stay as the draft has them."""
        texts = _texts(version)
        return Synthesis(
            summary=self._better(self.draft.summary, tidy(version.summary)),
            sections=tuple(
                self._section(section, texts.get(section.assignment_id, ""))
                for section in self.draft.sections
            ),
        )

    def _section(self, section: SectionDraft, text: str) -> SectionDraft:
        summary = self._better(section.summary, text)
        # The same claims, in the order in which they are used now.
        used = tuple(dict.fromkeys(markers(summary)))
        return section.model_copy(update={"summary": summary, "claim_ids": used})

    def _better(self, given: str, text: str) -> str:
        return given if any(self._flaws("", given, text)) else text

    def _all_flaws(self, version: Draft) -> Iterator[str]:
        texts = _texts(version)
        given = {each.assignment_id: each.summary for each in self.draft.sections if each.summary}
        for name in texts:
            if name not in given:
                yield f"“{name[:40]}” names no section that you were given."
        yield from self._flaws("The summary", self.draft.summary, tidy(version.summary))
        for name, text in given.items():
            yield from self._flaws(f"The section on {name}", text, texts.get(name, ""))

    def _flaws(self, place: str, given: str, text: str) -> Iterator[str]:
        """What is wrong with the new text of one piece, compared with the one that was given."""
        yield from self._editor.flaws(text)
        before = {each.text for each in self._editor.piece(given).sentences if not each.cited}
        for sentence in self._editor.piece(text).sentences:
            if not sentence.cited and sentence.text not in before:
                yield f"“{sentence.excerpt}” ends with no marker."
        yield from _differences(
            place, [f"[{name}]" for name in markers(given)], [f"[{name}]" for name in markers(text)]
        )
        yield from _differences(place, self._numbers(given), self._numbers(text))
        if any(self._editor.conflict_later(text)) and not any(self._editor.conflict_later(given)):
            yield f"{place} began with the conflict, and no longer does."

    def _numbers(self, text: str) -> list[str]:
        sentences = self._editor.piece(text).sentences
        return [number for sentence in sentences for number in numbers(sentence.text)]

    @cached_property
    def _editor(self) -> Editor:
        return Editor(self.evidence)


def _differences(place: str, given: Iterable[str], found: Iterable[str]) -> Iterator[str]:
    before, after = dict.fromkeys(given), dict.fromkeys(found)
    for each in before:
        if each not in after:
            yield f"{place} lost {each}."
    for each in after:
        if each not in before:
            yield f"{place} had no {each}."


def _texts(version: Draft) -> dict[str, str]:
    return {part.angle: tidy(part.text) for part in version.sections}


def _content(evidence: SynthesisInput, draft: Synthesis) -> str:
    texts = (draft.summary, *(section.summary for section in draft.sections))
    cited = dict.fromkeys(name for text in texts for name in markers(text))
    known = Editor(evidence).claims
    claims = [known[name] for name in cited if name in known]
    used = {claim.source_id for claim in claims}
    shown = claims_block(
        claims,
        [source for source in evidence.sources if source.id in used],
        topic=evidence.topic,
        summary=draft.summary,
        sections=[
            {"angle": each.assignment_id, "title": each.title, "text": each.summary}
            for each in draft.sections
            if each.summary
        ],
    )
    return f"{shown}\n\nFormat the report's prose."
