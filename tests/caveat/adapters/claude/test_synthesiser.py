"""The synthesiser: no sentence without a claim, no number without a quote."""

from typing import Any

import pytest

from caveat.adapters.claude.messages.connection import ModelConnection
from caveat.adapters.claude.messages.dialogue import Dialogue
from caveat.adapters.claude.reasoner import ClaudeReasoner
from caveat.adapters.extractive.rules import ExtractiveRules
from caveat.adapters.extractive.synthesis import synthesise as quoted
from caveat.contracts.synthesis import Synthesis, SynthesisInput
from caveat.failures import PortFailure
from standins.messages_api import Says, StandIn
from tests.caveat.adapters.claude.evidence import HIGH, LOW, MODEL, synthesis, synthesising

SUMMARY = "The microwave background gives 67.4 km/s/Mpc [c1], supernovae give 73.04 km/s/Mpc [c2]."
SECTION = (
    "The values disagree: one is 67.4 km/s/Mpc [c1], the other 73.04 km/s/Mpc [c2].\n\n"
    "- The first assumes the **standard model** [c3]."
)
EVIDENCE = synthesis(missing=("One source could not be read.",))


def draft(section: str = SECTION, summary: str = SUMMARY, **more: str) -> Says:
    sections = [{"angle": "a1", "text": section}]
    sections += [{"angle": angle, "text": text} for angle, text in more.items()]
    return Says({"summary": summary, "sections": sections})


@pytest.fixture
def reasoner(connection: ModelConnection) -> ClaudeReasoner:
    return ClaudeReasoner(Dialogue(connection), ExtractiveRules())


async def written(reasoner: ClaudeReasoner, evidence: SynthesisInput = EVIDENCE) -> Synthesis:
    return (await reasoner.synthesise(synthesising(evidence))).value


async def test_prose_that_holds_is_kept(api: StandIn, reasoner: ClaudeReasoner) -> None:
    api.will(draft())
    answer = await reasoner.synthesise(synthesising(EVIDENCE))
    section, empty = answer.value.sections
    assert answer.value.summary == SUMMARY
    assert (section.assignment_id, section.title) == ("a1", "The value")
    assert (section.summary, section.claim_ids) == (SECTION, ("c1", "c2", "c3"))
    assert (empty.assignment_id, empty.summary, empty.claim_ids) == ("a2", "", ())
    assert answer.usage.model_calls == 1


async def test_what_it_is_given(api: StandIn, reasoner: ClaudeReasoner) -> None:
    api.will(draft())
    await reasoner.synthesise(synthesising(EVIDENCE))
    shown = api.requests[0].said[0]
    assert "One source could not be read." in shown
    assert '"contested_by": [' in shown
    assert "tools" not in api.requests[0].body


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "phantom": ({"section": f"{SECTION}\n\nIt is known [c99]."}, "[c99] names no claim"),
    "number": ({"section": "One is 67.5 km/s/Mpc [c1]."}, "67.5 stands in no claim"),
    "the other's number": ({"section": "One is 73.04 km/s/Mpc [c1]."}, "73.04 stands in no"),
    "a number in the summary": ({"summary": "It is 70 [c1]."}, "70 stands in no claim"),
    "uncited": ({"section": "Everybody knows it. It is 67.4 [c1]."}, "ends with no marker"),
    "address": ({"section": "See https://evil.example/ [c1]."}, "An address stands"),
    "nothing": ({"section": " "}, "The section on a1 is empty"),
}


@pytest.mark.parametrize("name", WRONG)
async def test_a_wrong_draft_comes_back_once_by_name(
    name: str, api: StandIn, reasoner: ClaudeReasoner
) -> None:
    changes, named = WRONG[name]
    api.will(draft(**changes), draft())
    answer = await reasoner.synthesise(synthesising(EVIDENCE))
    assert named in api.requests[1].said[2]
    assert answer.value.sections[0].summary == SECTION
    assert answer.usage.model_calls == 2


@pytest.mark.parametrize("name", WRONG)
async def test_what_is_wrong_twice_is_written_by_code(
    name: str, api: StandIn, reasoner: ClaudeReasoner
) -> None:
    changes, _ = WRONG[name]
    api.will(draft(**changes), draft(**changes))
    result = await written(reasoner)
    spare = quoted(EVIDENCE)
    if "summary" in changes:
        assert (result.summary, result.sections[0].summary) == (spare.summary, SECTION)
    else:
        assert (result.summary, result.sections[0]) == (SUMMARY, spare.sections[0])
        assert "“Supernovae give" in result.sections[0].summary


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"section": "One is 67.4 km/s/Mpc [c1]."}, "c1 is contested by c2"),
        ({"summary": "One is 73.04 km/s/Mpc [c2]."}, "c2 is contested by c1"),
        ({"section": f"It assumes a model [c3]. {SECTION}"}, "begins with the conflict"),
    ],
)
async def test_a_one_sided_draft_comes_back_once_and_then_stays(
    changes: dict[str, Any], named: str, api: StandIn, reasoner: ClaudeReasoner
) -> None:
    api.will(draft(**changes), draft(**changes))
    result = await written(reasoner)
    assert named in api.requests[1].said[2]
    assert result.summary == changes.get("summary", SUMMARY)
    assert result.sections[0].summary == changes.get("section", SECTION)


async def test_one_linking_sentence_in_a_page_may_stay(
    api: StandIn, reasoner: ClaudeReasoner
) -> None:
    long = "They disagree. " + "\n\n".join(["One is 67.4 km/s/Mpc [c1]."] * 25)
    api.will(draft(long), draft(long))
    assert (await written(reasoner)).sections[0].summary == long
    assert len(api.requests) == 2


async def test_a_paragraph_that_cites_nothing_may_not(
    api: StandIn, reasoner: ClaudeReasoner
) -> None:
    long = "\n\n".join(["They disagree.", *["One is 67.4 km/s/Mpc [c1]."] * 25])
    api.will(draft(long), draft(long))
    assert "They disagree" not in (await written(reasoner)).sections[0].summary
    assert "The paragraph of “They disagree.” cites nothing." in api.requests[1].said[2]


async def test_nothing_is_written_where_there_are_no_claims(
    api: StandIn, reasoner: ClaudeReasoner
) -> None:
    api.will(draft(a2="They may well agree [c1]."))
    result = await written(reasoner)
    assert result.sections[1].summary == ""


async def test_an_unknown_angle_is_left_out(api: StandIn, reasoner: ClaudeReasoner) -> None:
    api.will(draft(a9="More [c1]."), draft(a9="More [c1]."))
    assert [each.assignment_id for each in (await written(reasoner)).sections] == ["a1", "a2"]
    assert "“a9” names no angle" in api.requests[1].said[2]


async def test_several_claims_in_one_bracket(api: StandIn, reasoner: ClaudeReasoner) -> None:
    api.will(draft("They disagree [c1, c2; c3]."))
    section = (await written(reasoner)).sections[0]
    assert section.summary == "They disagree [c1][c2][c3]."
    assert section.claim_ids == ("c1", "c2", "c3")


async def test_without_claims_nobody_is_asked(api: StandIn, reasoner: ClaudeReasoner) -> None:
    evidence = EVIDENCE.model_copy(
        update={"angles": tuple(a.model_copy(update={"claims": ()}) for a in EVIDENCE.angles)}
    )
    answer = await reasoner.synthesise(synthesising(evidence))
    assert [each.summary for each in answer.value.sections] == ["", ""]
    assert api.requests == []


async def test_a_refusal_is_a_failure(api: StandIn, reasoner: ClaudeReasoner) -> None:
    api.will(Says("No.", "refusal"))
    with pytest.raises(PortFailure, match="refuses"):
        await reasoner.synthesise(synthesising(EVIDENCE))


async def test_figures_are_made_by_code(api: StandIn, reasoner: ClaudeReasoner) -> None:
    evidence = synthesis(LOW, HIGH, MODEL)
    api.will(draft())
    figures = (await written(reasoner, evidence)).sections[0].figures
    assert figures == quoted(evidence).sections[0].figures


@pytest.mark.parametrize(("cited", "is_kept"), [(18, True), (17, False)])
async def test_one_sentence_in_twenty_may_cite_nothing_once_a_draft_came_back(
    cited: int, is_kept: bool, api: StandIn, reasoner: ClaudeReasoner
) -> None:
    """A linking sentence costs no report its prose, two in a page do (editor.ORPHANS)."""
    section = " ".join(["One is 67.4 km/s/Mpc [c1]."] * cited + ["Everybody knows it."])
    api.will(draft(section), draft(section))
    assert ((await written(reasoner)).sections[0].summary == section) == is_kept
