"""A ruling, which only a person gives: what they are shown, and the form that they fill in.

Track records learn from people's rulings alone. So no tool takes one as an argument: the person at
the client is asked by it, and where a client cannot ask, the answer is where else to rule.
"""

from typing import Any

from pydantic import BaseModel, Field

from caveat.clients.mcp.tools import Tools
from caveat.clients.naming import Names
from caveat.clients.problems import BadInput, OutOfReach
from caveat.clients.ruling import InTime, KeptForRevision
from caveat.clients.typed import ruling_of
from caveat.contracts.contradiction import REASON_LIMIT, Hearing, Side
from caveat.rendering.amounts import counted
from caveat.rules.contradictions.choices import answerable, letters

_QUOTED = 500
"""Characters of a quote: a form is small, and the report has the rest."""


class RulingForm(BaseModel):
    """What a person fills in."""

    ruling: str = Field(description="Which value holds: a letter, both or neither.")
    reason: str = Field(description=f"Why, in 1 to {REASON_LIMIT:,} characters.")
    name: str = Field(description="Who rules.")


async def question(tools: Tools, typed: str) -> tuple[str, str]:
    """Say what a person must know before they rule.

    Returns:
        The arbitration's id, and the question in words.

    Raises:
        BadInput: there is no such arbitration, or it does not wait any more.
        OutOfReach: no worker answers for it.
    """
    names = Names(tools.service.runs.client, tools.service.settings)
    arbitration = await names.arbitration(typed)
    if not await tools.service.arbitrations.is_open(arbitration):
        raise BadInput(
            f"{arbitration} waits for nobody any more: `caveat rule` and the page still take a "
            "ruling that revises the report."
        )
    hearing = await tools.service.arbitrations.hearing(arbitration)
    if hearing is None:
        raise OutOfReach(f"No worker answers for {arbitration}: start one with `caveat up`.")
    return arbitration, _words(hearing)


async def given(tools: Tools, arbitration: str, form: RulingForm) -> dict[str, Any]:
    """Pass on what a person ruled.

    Raises:
        BadInput: it is not accepted; the sentence says why.
    """
    ruling = ruling_of(form.ruling, form.reason, form.name)
    done = await tools.service.rulings.rule(arbitration, ruling)
    if isinstance(done, InTime):
        state = done.contradiction.model_dump(mode="json")
        return {"accepted": True, "arbitration": arbitration, "contradiction": state}
    if isinstance(done, KeptForRevision):
        return {"accepted": True, "arbitration": arbitration, "follows": done.sentence}
    await tools.service.begin(done.run_id, done.request)
    return {"accepted": True, "arbitration": arbitration, "revision": done.run_id}


def _words(hearing: Hearing) -> str:
    sides = hearing.case.sides
    named = zip(letters(len(sides)), sides, strict=True)
    until = f"{hearing.deadline:%Y-%m-%d %H:%M} UTC"
    lines = [
        f"Sources disagree: {hearing.contradiction.about}",
        *(f"{name}) {_side(side)}" for name, side in named),
        *(f"{step.rung.replace('_', ' ')}: {step.reason}" for step in hearing.contradiction.steps),
        f"Which holds? {answerable(len(sides))}. A ruling counts until {until}.",
    ]
    return "\n\n".join(lines)


def _side(side: Side) -> str:
    claim, source = side.claim, side.source
    where = " · ".join(filter(None, (source.title, str(source.published or ""), source.url)))
    voices = counted(side.corroboration, "independent source")
    return f"“{claim.quote[:_QUOTED]}” ({where}; credibility {claim.credibility:.2f}; {voices})"
