"""False sentences of many kinds on their way through both readers: code, and a verifier."""

import json
from typing import Any

import pytest

from benchmarks.falsehoods import CLAIMS, FALSEHOODS, TITLES, TOPIC, TRUTHS, USABLE, is_published
from caveat.adapters.claude.reasoner import ClaudeReasoner
from caveat.contracts.source import SourceRef
from caveat.contracts.synthesis import (
    AngleEvidence,
    SectionDraft,
    Synthesis,
    SynthesisInput,
    Verdict,
)
from caveat.roles.verifier import VERIFY
from caveat.rules.report import prepare_publication
from caveat.rules.text import Piece
from standins.messages_api import Recorded, Says, StandIn
from standins.scholar import data
from tests.caveat.adapters.claude.evidence import ANGLE, verifying

EVIDENCE = SynthesisInput(
    topic=TOPIC,
    angles=(AngleEvidence(assignment=ANGLE, claims=tuple(USABLE.values())),),
    sources=tuple(SourceRef(id=name, title=title) for name, title in TITLES.items()),
    excluded=tuple(each for name, each in CLAIMS.items() if name not in USABLE),
)
TRUE = {sentence.text for each in TRUTHS for sentence in Piece(each, USABLE).sentences}


def good(sentence: dict[str, Any]) -> str:
    """Know what is true."""
    return "supported" if sentence["text"] in TRUE else "not"


def lenient(sentence: dict[str, Any]) -> str:
    """Let everything pass."""
    del sentence
    return "supported"


async def left(api: StandIn, reasoner: ClaudeReasoner, judge: Any) -> set[str]:
    """The sentences that are published of all that are false and all that are true."""

    def model(request: Recorded) -> Says:
        facts = json.loads(data(request)[0])
        judged = [{"name": each["name"], "support": judge(each)} for each in facts["sentences"]]
        return Says({"sentences": judged, "claims": []})

    api.model = model
    items = [f"- {each}" for each in (*(each.sentence for each in FALSEHOODS), *TRUTHS)]
    draft = Synthesis(
        summary="\n".join(items),
        verdict=Verdict.ANSWERED,
        sections=(SectionDraft(assignment_id=ANGLE.id, title="", summary=""),),
    )
    read = (await reasoner.ask(VERIFY, verifying(draft, EVIDENCE))).value
    made = prepare_publication(read, EVIDENCE)
    # An answer has five sentences; what is beyond them opens the first section.
    prose = (made.summary, *(section.summary for section in made.sections))
    return {sentence.text for text in prose for sentence in Piece(text, USABLE).sentences}


def false_ones(said: set[str]) -> list[str]:
    return [
        each.kind
        for each in FALSEHOODS
        if {sentence.text for sentence in Piece(each.sentence, USABLE).sentences} & said
    ]


@pytest.mark.parametrize(("judge", "most"), [(good, 1 / 40), (lenient, 0.4)])
async def test_how_many_false_sentences_are_published(
    judge: Any, most: float, api: StandIn, reasoner: ClaudeReasoner
) -> None:
    said = await left(api, reasoner, judge)
    assert len(false_ones(said)) <= most * len(FALSEHOODS), false_ones(said)
    assert said >= TRUE, "no true sentence is held back"


async def test_a_verifier_that_lets_everything_pass_leaves_what_code_alone_leaves(
    api: StandIn, reasoner: ClaudeReasoner
) -> None:
    said = await left(api, reasoner, lenient)
    alone = [each.kind for each in FALSEHOODS if is_published(each.sentence)]
    assert false_ones(said) == alone
