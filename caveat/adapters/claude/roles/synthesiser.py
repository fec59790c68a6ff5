"""The synthesiser: claims in, cited prose out."""

import asyncio

from caveat.adapters.claude.messages.question import Bounds, Effort
from caveat.adapters.claude.roles.data import claims_block
from caveat.adapters.claude.roles.editor import Draft, Editor
from caveat.adapters.claude.roles.role import OPUS, PlayedRole, Role
from caveat.contracts.spending import Step
from caveat.contracts.synthesis import Synthesis
from caveat.contracts.tasks import SynthesisTask
from caveat.ports import Answer, Rules

ROLE = Role(
    name="synthesis",
    agent="synthesiser",
    model=OPUS,
    bounds=Bounds(deadline_s=585, room=24_000, effort=Effort.HIGH),  # a whole report's prose
    step=Step.SYNTHESISE,
)


async def synthesise(task: SynthesisTask, part: PlayedRole, rules: Rules) -> Answer[Synthesis]:
    """Return prose that holds against its claims.

    A draft that does not is returned to its writer once, with everything named; what does not
    hold then either, code writes from the claims' quotes. Without claims nobody is asked.
    """
    evidence = task.evidence
    if not any(angle.claims for angle in evidence.angles):
        return Answer(rules.excerpts(evidence))
    editor = Editor(evidence)
    answer = await part.ask(task, evidence.topic, _content(editor), Draft, editor.objection)
    finished = await asyncio.to_thread(editor.finished, answer.value[-1], rules)
    return Answer(finished, answer.usage)


def _content(editor: Editor) -> str:
    evidence = editor.evidence
    shown = claims_block(
        editor.claims.values(),
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
