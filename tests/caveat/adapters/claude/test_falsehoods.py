"""True and false sentences on their way through code and a verifier, honest and lazy."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from benchmarks.falsehoods import Sentence, count, list_sentences
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
from caveat.rules.report.publication import prepare_publication
from caveat.rules.text.citations import Piece
from tests.caveat.adapters.claude.evidence import ANGLE, verifying
from tests.fakes.messages_api import Recorded, Says, StandIn
from tests.fakes.scholar import data

Judge = Callable[[dict[str, Any]], str]


def honest(sentence: dict[str, Any]) -> str:
    known = [*list_sentences("own"), *list_sentences("pairs")]
    is_true = any(each.is_true for each in known if each.sentence.text == sentence["text"])
    return "supported" if is_true else "not"


def lazy(sentence: dict[str, Any]) -> str:
    """Let everything pass."""
    del sentence
    return "supported"


def second_lazy(sentence: dict[str, Any]) -> str:
    """Judge with care only what code points out."""
    return honest(sentence) if "look_at" in sentence else "supported"


async def published(
    api: StandIn, reasoner: ClaudeReasoner, judge: Judge, some: Sequence[Sentence]
) -> set[str]:
    """The sentences that are published of some about the same claims."""

    def model(request: Recorded) -> Says:
        facts = json.loads(data(request)[0])
        judged = [{"name": each["name"], "support": judge(each)} for each in facts["sentences"]]
        return Says({"sentences": judged, "claims": []})

    api.model = model
    first = some[0]
    titles = first.grounds.titles
    evidence = SynthesisInput(
        topic=first.grounds.topic or "What is said?",
        angles=(AngleEvidence(assignment=ANGLE, claims=tuple(first.usable.values())),),
        sources=tuple(SourceRef(id=name, title=title) for name, title in titles.items()),
        excluded=tuple(
            each for name, each in first.grounds.claims.items() if name not in first.usable
        ),
    )
    draft = Synthesis(
        summary="\n".join(f"- {each.sentence.markdown}" for each in some),
        verdict=Verdict.ANSWERED,
        sections=(SectionDraft(assignment_id=ANGLE.id, title="", summary=""),),
    )
    read = (await reasoner.ask(VERIFY, verifying(draft, evidence))).value
    made = prepare_publication(read, evidence)
    return {each.text for each in Piece(made.summary, first.usable).sentences}


async def published_of(
    api: StandIn, reasoner: ClaudeReasoner, judge: Judge, name: str
) -> tuple[list[str], list[str]]:
    """The false sentences of a list that are published, and the true ones that are not."""
    some = list_sentences(name)
    alone = [[each] for each in some] if name == "pairs" else [list(some)]
    texts = set().union(*[await published(api, reasoner, judge, each) for each in alone])
    false = [e.sentence.text for e in some if not e.is_true and e.sentence.text in texts]
    lost = [e.sentence.text for e in some if e.is_true and e.sentence.text not in texts]
    return false, lost


@pytest.mark.parametrize(
    ("judge", "name", "most"),
    [
        (honest, "own", 0.0),
        (honest, "pairs", 0.0),
        (second_lazy, "own", 0.75),
        (lazy, "own", 1.0),
        (lazy, "pairs", 1.0),
    ],
)
async def test_readers_decide_and_code_loses_nothing_true(
    judge: Judge, name: str, most: float, api: StandIn, reasoner: ClaudeReasoner
) -> None:
    false, lost = await published_of(api, reasoner, judge, name)
    some = list_sentences(name)
    refused = [each.sentence.text for each in some if each.is_true and each.is_refused]
    assert lost == refused, "what code does not refuse by its form, readers decide"
    assert refused == []
    assert len(false) <= most * sum(not each.is_true for each in some), false


def test_of_sentences_that_no_author_of_the_rules_wrote_code_refuses_few_true_ones() -> None:
    counts = count()
    true, false = counts["played, true"], counts["played, false"]
    assert true["refused"] <= 10, "mostly numbers that follow in several steps"
    assert false["refused"] >= 17
    assert false["refused"] + false["hinted"] >= 50, "what code lets pass, it points out"
    assert counts["mixed, true"]["refused"] <= 3, "mostly other units, clocks and ordinals"
    assert counts["tables, true"]["refused"] <= 5, "mostly what another claim says"
    assert counts["tables, false"]["refused"] >= 75
    assert sum(counts["tables, false"][each] for each in ("refused", "hinted")) >= 120
    assert counts["public, true"]["refused"] <= 16, "what a head or a row's name says in digits"
    assert counts["public, false"]["refused"] >= 132
