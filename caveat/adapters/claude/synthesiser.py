"""The synthesiser: claims in, cited prose out."""

import asyncio
from dataclasses import dataclass

from caveat.adapters.claude.claims import claims_block
from caveat.adapters.claude.dialogue import Dialogue, Question
from caveat.adapters.claude.editor import Draft, Editor
from caveat.adapters.claude.limits import Bounds
from caveat.adapters.claude.problems import Errand
from caveat.adapters.claude.prompts import prompt
from caveat.adapters.extractive.synthesis import synthesise as quoted
from caveat.contracts.synthesis import Synthesis, SynthesisInput
from caveat.ports import Answer


@dataclass(frozen=True)
class Synthesiser:
    """Writes.

    Attributes:
        dialogue: with the server.
        model: who writes.
        bounds: of an answer.
    """

    dialogue: Dialogue
    model: str
    bounds: Bounds

    async def synthesise(self, evidence: SynthesisInput) -> Answer[Synthesis]:
        """Return prose that holds against its claims.

        A draft that does not is returned to its writer once, with everything named; what does not
        hold then either, code writes from the claims' quotes. Without claims nobody is asked.
        """
        if not any(angle.claims for angle in evidence.angles):
            return Answer(quoted(evidence))
        editor = Editor(evidence)
        question = Question(
            errand=Errand("synthesiser", self.model, evidence.topic),
            system=prompt("synthesiser"),
            content=_content(evidence),
            answer=Draft,
            bounds=self.bounds,
        )
        answer = await self.dialogue.ask(question, editor.objection)
        return Answer(await asyncio.to_thread(editor.finished, answer.value[-1]), answer.usage)


def _content(evidence: SynthesisInput) -> str:
    claims = {claim.id: claim for angle in evidence.angles for claim in angle.claims}
    shown = claims_block(
        claims.values(),
        evidence.sources,
        topic=evidence.topic,
        angles=[
            {
                "angle": angle.assignment.id,
                "title": angle.assignment.title,
                "question": angle.assignment.question,
                "claims": [claim.id for claim in angle.claims],
            }
            for angle in evidence.angles
        ],
        missing=evidence.missing,
    )
    return f"{shown}\n\nWrite the report's prose."
