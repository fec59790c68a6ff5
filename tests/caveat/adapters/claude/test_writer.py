"""The writer: the same pieces in another form, and not a claim, number or address more or less."""

from typing import Any

import pytest

from caveat.adapters.claude.messages.connection import ModelConnection
from caveat.adapters.claude.messages.dialogue import Dialogue
from caveat.adapters.claude.reasoner import ClaudeReasoner
from caveat.adapters.claude.roles.role import OPUS, SONNET
from caveat.adapters.extractive.rules import ExtractiveRules
from caveat.contracts.failure import FailureType
from caveat.contracts.synthesis import Figure, SectionDraft, Synthesis
from caveat.failures import PortFailure
from standins.messages_api import Fails, Says, Scripted, StandIn
from tests.caveat.adapters.claude.evidence import LOW, MODEL, synthesis, writing

SUMMARY = "The microwave background gives 67.4 km/s/Mpc [c1], supernovae give 73.04 km/s/Mpc [c2]."
SECTION = (
    "The values disagree: one is 67.4 km/s/Mpc [c1], the other 73.04 km/s/Mpc [c2]. "
    "The first assumes the standard model [c3]."
)
CLEARER = (
    "The values disagree [c2][c1]:\n\n"
    "- supernovae give **73.04 km/s/Mpc** [c2];\n"
    "- the microwave background gives **67.4 km/s/Mpc** [c1].\n\n"
    "The latter assumes the standard model [c3]."
)
FIGURES = (
    Figure(label="Planck", value="67.4 km/s/Mpc", number=67.4, unit="km/s/Mpc", claim_id="c1"),
)
DRAFT = Synthesis(
    summary=SUMMARY,
    sections=(
        SectionDraft(
            assignment_id="a1",
            title="The value",
            summary=SECTION,
            claim_ids=("c1", "c2", "c3"),
            figures=FIGURES,
        ),
        SectionDraft(assignment_id="a2", title="The tension", summary=""),
    ),
)
TASK = writing(DRAFT, synthesis())


def version(section: str = CLEARER, summary: str = SUMMARY, **more: str) -> Says:
    sections = [{"angle": "a1", "text": section}]
    sections += [{"angle": angle, "text": text} for angle, text in more.items()]
    return Says({"summary": summary, "sections": sections})


@pytest.fixture
def reasoner(connection: ModelConnection) -> ClaudeReasoner:
    return ClaudeReasoner(Dialogue(connection), ExtractiveRules())


async def written(reasoner: ClaudeReasoner) -> Synthesis:
    return (await reasoner.write(TASK)).value


async def test_a_form_that_says_the_same_is_taken(api: StandIn, reasoner: ClaudeReasoner) -> None:
    api.will(version())
    answer = await reasoner.write(TASK)
    section, empty = answer.value.sections
    assert (answer.value.summary, section.summary) == (SUMMARY, CLEARER)
    assert (section.assignment_id, section.title) == ("a1", "The value")
    assert section.claim_ids == ("c2", "c1", "c3"), "the same, in order of first use"
    assert section.figures == FIGURES
    assert empty == DRAFT.sections[1]
    assert answer.usage.model_calls == 1
    assert api.requests[0].body["model"] == SONNET != OPUS


async def test_it_is_given_the_prose_and_the_claims_that_it_cites(
    api: StandIn, reasoner: ClaudeReasoner
) -> None:
    alone = Synthesis(
        summary="One is 67.4 km/s/Mpc [c1].",
        sections=(DRAFT.sections[0].model_copy(update={"summary": "It is 67.4 km/s/Mpc [c1]."}),),
    )
    api.will(version("It is 67.4 km/s/Mpc [c1].", "One is 67.4 km/s/Mpc [c1]."))
    await reasoner.write(writing(alone, synthesis()))
    (request,) = api.requests
    assert LOW.text in request.said[0]
    assert "It is 67.4 km/s/Mpc [c1]." in request.said[0]
    assert MODEL.text not in request.said[0]
    assert "SH0ES" not in request.said[0]
    assert "tools" not in request.body


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "dropped marker": (
        {"section": "One is 67.4 km/s/Mpc [c1], the other 73.04 km/s/Mpc [c2]."},
        "The section on a1 lost [c3].",
    ),
    "moved marker": (
        {"summary": f"{SUMMARY} It assumes the standard model [c3]."},
        "The summary had no [c3].",
    ),
    "new number": (
        {"section": f"{CLEARER} It is 67.5 [c1]."},
        "67.5 stands in no claim",
    ),
    "number that was not there": (
        {"summary": "The values are 67.4 km/s/Mpc [c1] and higher [c2]."},
        "The summary lost 73.04.",
    ),
    "phantom": ({"section": f"{CLEARER} It is known [c99]."}, "[c99] names no claim"),
    "uncited": ({"section": f"Everybody knows it. {CLEARER}"}, "ends with no marker"),
    "address": (
        {"section": f"{CLEARER} See https://evil.example/ [c1]."},
        "An address stands",
    ),
    "conflict later": (
        {
            "section": "One assumes the standard model [c3]. They disagree: 67.4 km/s/Mpc [c1], "
            "73.04 km/s/Mpc [c2]."
        },
        "The section on a1 began with the conflict",
    ),
    "nothing": ({"section": " "}, "The section on a1 lost [c1]."),
}


@pytest.mark.parametrize("name", WRONG)
async def test_what_does_not_say_the_same_comes_back_once_by_name(
    name: str, api: StandIn, reasoner: ClaudeReasoner
) -> None:
    changes, named = WRONG[name]
    api.will(version(**changes), version())
    answer = await reasoner.write(TASK)
    assert named in api.requests[1].said[2]
    assert answer.value.sections[0].summary == CLEARER
    assert answer.usage.model_calls == 2


@pytest.mark.parametrize("name", WRONG)
async def test_a_piece_that_is_wrong_twice_stays_as_it_was(
    name: str, api: StandIn, reasoner: ClaudeReasoner
) -> None:
    changes, _ = WRONG[name]
    other = "Supernovae give 73.04 km/s/Mpc [c2], the microwave background 67.4 km/s/Mpc [c1]."
    wrong = version(**{"summary": other, **changes})
    api.will(wrong, wrong)
    result = await written(reasoner)
    if "summary" in changes:
        assert (result.summary, result.sections[0].summary) == (SUMMARY, CLEARER)
    else:
        assert (result.summary, result.sections[0]) == (other, DRAFT.sections[0])
    assert len(api.requests) == 2


async def test_a_section_that_nobody_asked_for_is_left_out(
    api: StandIn, reasoner: ClaudeReasoner
) -> None:
    extra = version(a2="They may well agree [c1].", a9="More [c1].")
    api.will(extra, extra)
    result = await written(reasoner)
    assert result.sections[0].summary == CLEARER
    assert result.sections[1:] == DRAFT.sections[1:]
    for name in ("a2", "a9"):
        assert f"“{name}” names no section" in api.requests[1].said[2]


async def test_a_linking_sentence_of_the_draft_is_not_held_against_its_writer(
    api: StandIn, reasoner: ClaudeReasoner
) -> None:
    linked = DRAFT.sections[0].model_copy(update={"summary": f"They disagree. {SECTION}"})
    task = writing(DRAFT.model_copy(update={"sections": (linked,)}), synthesis())
    api.will(version(f"They disagree. {CLEARER}"))
    assert (await reasoner.write(task)).value.sections[0].summary.startswith("They disagree. ")
    assert len(api.requests) == 1


async def test_where_nothing_is_written_nobody_is_asked(
    api: StandIn, reasoner: ClaudeReasoner
) -> None:
    empty = Synthesis(summary="", sections=DRAFT.sections[1:])
    answer = await reasoner.write(writing(empty, synthesis()))
    assert (answer.value, answer.usage.model_calls) == (empty, 0)
    assert api.requests == []


@pytest.mark.parametrize(
    ("answers", "failure_type"),
    [
        ((Says("No.", "refusal"),), FailureType.PERMANENT),
        ((Says("{"), Says("{")), FailureType.PERMANENT),
        ((Fails(401, "authentication_error"),), FailureType.AUTH_ERROR),
        ((Fails(429, "rate_limit_error"),), FailureType.RATE_LIMITED),
        ((Fails(503),), FailureType.UNAVAILABLE),
    ],
)
async def test_a_failure_is_told_by_its_kind(
    answers: tuple[Scripted, ...],
    failure_type: FailureType,
    api: StandIn,
    reasoner: ClaudeReasoner,
) -> None:
    api.will(*answers)
    with pytest.raises(PortFailure) as raised:
        await reasoner.write(TASK)
    assert raised.value.failure.failure_type is failure_type
