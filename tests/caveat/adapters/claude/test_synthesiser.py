"""The synthesiser: every claim in; an answer, a verdict and prose out, mended by sentence."""

import json
from typing import Any

import pytest

from caveat.adapters.claude.reasoner import ClaudeReasoner
from caveat.adapters.extractive.synthesis import synthesise as quoted
from caveat.contracts.contradiction import ContradictionState, SettledBy
from caveat.contracts.synthesis import (
    Challenge,
    Debate,
    Reader,
    ReadSentence,
    Support,
    Synthesis,
    SynthesisInput,
    Verdict,
    Verification,
    Weighing,
    WrittenProse,
)
from caveat.roles.data import describe_remarks
from caveat.roles.synthesiser import REVISE, SYNTHESISE
from caveat.rules.report.portions import forget_dropped, join_portions, sort_prose, split_evidence
from caveat.rules.report.publication import prepare_publication
from tests.caveat.adapters.claude.evidence import (
    HIGH,
    LOW,
    MODEL,
    among,
    claim,
    revising,
    synthesis,
    synthesising,
)
from tests.fakes.disputes import a_dispute
from tests.fakes.messages_api import Says, StandIn
from tests.fakes.scholar import data

ANSWER = "The microwave background gives 67.4 km/s/Mpc [c1], supernovae give 73.04 km/s/Mpc [c2]."
SECTION = (
    "The values disagree: one is 67.4 km/s/Mpc [c1], the other 73.04 km/s/Mpc [c2]. "
    "The first assumes the standard model [c3]."
)
DISPUTE = a_dispute(about="The Hubble constant.")
EVIDENCE = synthesis(missing=("One source could not be read.",)).model_copy(
    update={"contradictions": (DISPUTE,)}
)


def draft(section: Any = SECTION, answer: Any = ANSWER, **more: Any) -> Says:
    sections = [{"angle": "a1", "sentences": section}]
    return Says({"answer": answer, "verdict": "answered", "sections": sections, **more})


async def written(reasoner: ClaudeReasoner, evidence: SynthesisInput = EVIDENCE) -> Synthesis:
    return (await reasoner.ask(SYNTHESISE, synthesising(evidence))).value


async def test_an_answer_a_verdict_and_sections(api: StandIn, reasoner: ClaudeReasoner) -> None:
    api.will(draft(missing=[{"part": "why they differ", "why": "No claim says it."}]))
    answer = await reasoner.ask(SYNTHESISE, synthesising(EVIDENCE))
    section, empty = answer.value.sections
    assert (answer.value.summary, answer.value.verdict) == (ANSWER, Verdict.ANSWERED)
    assert [each.part for each in answer.value.missing] == ["why they differ"]
    assert (section.title, section.summary) == ("The value", SECTION)
    assert section.claim_ids == ("c1", "c2", "c3")
    assert (empty.assignment_id, empty.summary, empty.claim_ids) == ("a2", "", ())
    assert answer.usage.model_calls == 1


async def test_it_is_given_claims_by_angle_disputes_rulings_and_what_is_missing(
    api: StandIn, reasoner: ClaudeReasoner
) -> None:
    api.will(draft())
    ruled = DISPUTE.model_copy(
        update={
            "id": "contradiction-2",
            "state": ContradictionState.RESOLVED,
            "settled_by": SettledBy.PERSON,
            "ruling": "both",
            "reason": "Near and far.",
        }
    )
    evidence = EVIDENCE.model_copy(update={"contradictions": (DISPUTE, ruled)})
    await reasoner.ask(SYNTHESISE, synthesising(evidence))
    shown = json.loads(data(api.requests[0])[0])
    assert shown["angles"][0]["claims"] == ["c1", "c2", "c3"]
    assert shown["missing"] == [{"name": "gap-1", "missing": "One source could not be read."}]
    assert shown["sources"][0]["published"] == "2020-09-11"
    still_open, settled = shown["disputes"]
    assert [side["claims"] for side in still_open["sides"]] == [["c1"], ["c2"]]
    assert still_open["state"] == "open"
    assert (settled["state"], settled["reason"]) == (
        "each that holds does so in its scope",
        "Near and far.",
    )
    assert "tools" not in api.requests[0].body


async def test_answer_and_section_are_written_apart(api: StandIn, reasoner: ClaudeReasoner) -> None:
    api.will(Says({"answer": ANSWER, "verdict": "answered"}), Says({"section": [SECTION]}))
    written = [
        (await reasoner.ask(SYNTHESISE, synthesising(part, portion))).value
        for portion, part in split_evidence(EVIDENCE).items()
    ]
    assert [each.summary for each in written] == [ANSWER, ""]
    whole = join_portions(written[0], written[1:])
    assert [each.summary for each in whole.sections] == [SECTION, ""]
    assert whole.verdict is Verdict.ANSWERED


def test_a_section_is_written_from_its_angle_and_what_disputes_it() -> None:
    evidence = among(EVIDENCE, (LOW, MODEL), (HIGH,))
    answer, one, other = split_evidence(evidence).values()
    assert answer == evidence
    assert [*one.claims] == ["c1", "c3", "c2"]
    assert [*other.claims] == ["c2", "c1"]
    assert one.contradictions == other.contradictions == (DISPUTE,)
    assert not one.missing
    remarks = [
        Challenge(claim_id=name, raised_by="sceptic", stance="challenges", text="Alone.")
        for name in ("c2", "c3")
    ]
    debated = other.model_copy(update={"debate": Debate(challenges=tuple(remarks))})
    assert [each["claim"] for each in describe_remarks(debated)] == ["c2"]


def test_a_ruling_leaves_what_it_does_not_touch_as_it_was_written() -> None:
    before = among(EVIDENCE, (LOW, HIGH), (MODEL,))
    prose = read_draft().model_copy(update={"verification": Verification()})
    written = WrittenProse(
        portions=dict.fromkeys(split_evidence(before), prose), contradictions=(DISPUTE,)
    )
    ruled = DISPUTE.model_copy(update={"state": ContradictionState.RESOLVED, "ruling": "a"})
    after = among(before, (LOW,), (MODEL,)).model_copy(
        update={"excluded": (HIGH,), "contradictions": (ruled,)}
    )
    assert [*sort_prose(split_evidence(after), written)[0]] == ["a2"]
    assert [*sort_prose(split_evidence(before), written)[0]] == ["answer", "a1", "a2"]


async def test_a_ruling_mends_its_sentences_alone(api: StandIn, reasoner: ClaudeReasoner) -> None:
    said = ("Supernovae give 73.04 km/s/Mpc [c2].", "The first assumes the standard model [c3].")
    read = tuple(
        ReadSentence(text=text[: text.index(" [")] + ".", claims=(name,), support=Support.SUPPORTED)
        for text, name in zip(said, ("c2", "c3"), strict=True)
    )
    prose = read_draft().model_copy(
        update={
            "summary": " ".join(said),
            "sections": (),
            "verdict": Verdict.PARTLY,
            "verification": Verification(read=read),
        }
    )
    written = WrittenProse(portions={"answer": prose}, contradictions=(DISPUTE,))
    ruled = DISPUTE.model_copy(update={"state": ContradictionState.RESOLVED, "ruling": "a"})
    after = synthesis(LOW, MODEL).model_copy(
        update={"excluded": (HIGH,), "contradictions": (ruled,)}
    )
    draft = sort_prose({"answer": after}, written)[1]["answer"]
    assert draft.verdict is Verdict.ANSWERED  # it was partly one for the dispute
    assert draft.verification is not None
    assert {each.claims: each.support for each in draft.verification.read} == {
        ("c2",): Support.NOT,
        ("c3",): Support.SUPPORTED,
    }
    api.will(Says({"sentences": [{"name": "s1", "text": "", "claims": []}]}))
    revised = (await reasoner.ask(REVISE, revising(draft, after))).value
    returned = json.loads(data(api.requests[0])[0])
    assert [each["name"] for each in returned["sentences"]] == ["s1"]
    assert "was settled by" in returned["sentences"][0]["wrong"]
    assert {name for angle in returned["angles"] for name in angle["claims"]} == {"c1", "c3"}
    same = {"name": "s1", "text": said[0][: said[0].index(" [")] + ".", "claims": ["c2"]}
    api.will(Says({"sentences": [same]}))
    again = (await reasoner.ask(REVISE, revising(draft, after))).value
    assert again.verification is not None
    assert [each.claims for each in again.verification.read] == [("c3",)]  # c2's is read anew
    mended = forget_dropped(revised, draft)
    assert mended.summary == said[1]
    assert mended.verification is not None
    assert not mended.verification.left_out
    nothing_else = written.portions["answer"].model_copy(update={"summary": said[0]})
    alone = nothing_else.model_copy(update={"verification": Verification(read=read[:1])})
    written = written.model_copy(update={"portions": {"answer": alone}})
    assert sort_prose({"answer": after}, written) == ({}, {})


def test_what_speaks_for_sides_waits_for_a_ruling_to_be_withdrawn() -> None:
    texts = ("It is the older one [c1].", "It was measured nearby [c2].")
    read = tuple(
        ReadSentence(text=f"{text[:-6]}.", claims=(name,), support=Support.SUPPORTED)
        for text, name in zip((*texts, "It is old [c3]."), ("c1", "c2", "c3"), strict=True)
    )
    weighings = tuple(
        Weighing(contradiction_id=DISPUTE.id, side=side, text=text)
        for side, text in zip("ab", texts, strict=True)
    )
    prose = read_draft().model_copy(
        update={
            "summary": "It is old [c3].",
            "sections": tuple(
                each.model_copy(update={"summary": ""}) for each in read_draft().sections
            ),
            "verdict": Verdict.ANSWERED,
            "weighings": weighings,
            "verification": Verification(read=read),
        }
    )
    ruled = DISPUTE.model_copy(update={"state": ContradictionState.RESOLVED, "ruling": "a"})
    after = synthesis(LOW, MODEL).model_copy(
        update={"excluded": (HIGH,), "contradictions": (ruled,)}
    )
    before = WrittenProse(portions={"answer": prose}, contradictions=(DISPUTE,))
    kept = sort_prose({"answer": after}, before)[1]["answer"]
    published = prepare_publication(kept, after)
    assert not published.weighings
    assert published.verification is not None
    assert not published.verification.left_out
    anew = WrittenProse(portions={"answer": kept}, contradictions=(ruled,))
    again = sort_prose({"answer": EVIDENCE}, anew)[1]["answer"]
    assert prepare_publication(again, EVIDENCE).weighings == weighings


async def test_what_speaks_for_sides_of_a_dispute(api: StandIn, reasoner: ClaudeReasoner) -> None:
    weighing = [
        {"dispute": "contradiction-1", "side": "B", "text": "It was measured nearby [c2]."},
        {"dispute": "contradiction-1", "side": "a", "text": "It is the older one [c1]."},
        {"dispute": "contradiction-1", "side": "c", "text": "Nobody says so [c1]."},
        {"dispute": "contradiction-9", "side": "a", "text": "Nobody asked [c1]."},
    ]
    api.will(draft(weighing=weighing))
    sides = [(each.side, each.text) for each in (await written(reasoner)).weighings]
    assert sides == [("a", "It is the older one [c1]."), ("b", "It was measured nearby [c2].")]


VALUES = [
    {"name": "a", "claim": "c2", "value": "73.04 km/s/Mpc"},
    {"name": "b", "claim": "c1", "value": "67.4 km/s/Mpc"},
]
RIGHT = {"values": VALUES, "expression": "a - b", "result": "5.64 km/s/Mpc"}


async def test_only_right_calculations_are_kept(api: StandIn, reasoner: ClaudeReasoner) -> None:
    api.will(draft(calculations=[RIGHT, {**RIGHT, "result": "6.64 km/s/Mpc"}]))
    made = await written(reasoner)
    (kept,), (fallen,) = made.calculations, made.miscalculated
    assert (kept.expression, kept.result) == ("a - b", "5.64 km/s/Mpc")
    assert fallen == "a - b = 6.64 km/s/Mpc: It comes to 5.64 in the unit of its result."


def line(text: str, *claims: str) -> dict[str, Any]:
    return {"text": text, "claims": list(claims)}


@pytest.mark.parametrize(
    ("lines", "written_as"),
    [
        ([line("One is 67.4 km/s/Mpc.", "c1")], "One is 67.4 km/s/Mpc [c1]."),
        ([line("It is so. Both differ.", "c1", "c2")], "It is so [c1][c2]. Both differ [c1][c2]."),
        ([line("The values differ.", "contradiction-1")], "The values differ [c1][c2]."),
        ([line("One source was not read.", "gap-1")], "One source was not read [gap-1]."),
        ([line("Supernovae give 73.04 km/s/Mpc in our neighbourhood.")], None),
        ("Supernovae give 73.04 km/s/Mpc in our neighbourhood.", None),
        ([line("Supernovae give 73.04 km/s/Mpc in our neighbourhood.", "c99", "gap-7")], None),
        ([line("- One.", "c1"), line("- Two.", "c2")], "- One [c1].\n- Two [c2]."),
        (["One is 67.4 km/s/Mpc [c1]."], "One is 67.4 km/s/Mpc [c1]."),
        ([line("Cats sleep.")], "Cats sleep."),
    ],
)
async def test_code_writes_the_markers(
    lines: Any, written_as: str | None, api: StandIn, reasoner: ClaudeReasoner
) -> None:
    api.will(draft(lines))
    carried = "Supernovae give 73.04 km/s/Mpc in our neighbourhood [c2]."
    assert (await written(reasoner)).sections[0].summary == (written_as or carried)


PLAIN = "The microwave background gives 67.4 km/s/Mpc [c1]. Supernovae give it, too [c1]."
READ = Verification(
    read=(
        ReadSentence(
            text="The microwave background gives 67.4 km/s/Mpc.",
            claims=("c1",),
            support=Support.SUPPORTED,
        ),
        ReadSentence(
            text="Supernovae give it, too.",
            claims=("c1",),
            support=Support.NOT,
            reason="It says nothing of supernovae.",
        ),
    )
)


def read_draft(answer: str = PLAIN) -> Synthesis:
    plain = quoted(EVIDENCE)
    return plain.model_copy(
        update={"summary": answer, "verdict": Verdict.ANSWERED, "verification": READ}
    )


async def test_uncarried_sentences_come_back(api: StandIn, reasoner: ClaudeReasoner) -> None:
    api.will(Says({"sentences": [{"name": "s2", "text": "Supernovae give 73.04 km/s/Mpc [c2]"}]}))
    revised = (await reasoner.ask(REVISE, revising(read_draft(), EVIDENCE))).value
    (returned,) = json.loads(data(api.requests[0])[0])["sentences"]
    assert returned["wrong"] == "It says nothing of supernovae."
    assert revised.summary == (
        "The microwave background gives 67.4 km/s/Mpc [c1]. Supernovae give 73.04 km/s/Mpc [c2]."
    )
    assert revised.verification is not None
    assert (revised.verification.mended, revised.verification.left_out) == (1, ())


async def test_a_mended_sentence_may_compute(api: StandIn, reasoner: ClaudeReasoner) -> None:
    priced = claim("c9", "The mirrors cost 12 EUR, 15 EUR and 21 EUR.")
    evidence = among(EVIDENCE, (LOW, priced), ())
    values = [
        {"name": name, "claim": "c9", "value": f"{price} EUR"}
        for name, price in (("a", 12), ("b", 15), ("c", 21))
    ]
    mean = {"values": values, "expression": "(a + b + c) / 3", "result": "16 EUR"}
    mended = {"name": "s2", "text": "A mirror costs 16 EUR in the mean [c9]."}
    api.will(Says({"sentences": [mended], "calculations": [mean]}))
    revised = (await reasoner.ask(REVISE, revising(read_draft(), evidence))).value
    assert [each.result for each in revised.calculations] == ["16 EUR"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "See https://evil.example/ [c1].",
        "No marker.",
        "A team measured supernovae [c2]. It gives 73.04 km/s/Mpc [c2].",
    ],
)
async def test_a_sentence_that_is_not_mended_is_left_out_and_counted(
    text: str, api: StandIn, reasoner: ClaudeReasoner
) -> None:
    api.will(Says({"sentences": [{"name": "s2", "text": text}]}))
    revised = (await reasoner.ask(REVISE, revising(read_draft(), EVIDENCE))).value
    assert revised.summary == "The microwave background gives 67.4 km/s/Mpc [c1]."
    assert revised.verification is not None
    (gone,) = revised.verification.left_out
    assert (gone.claims, gone.by) == (("c1",), Reader.VERIFIER)
    api.will(Says({"sentences": [{"name": "s2", "same_as": "s1"}]}))
    double = (await reasoner.ask(REVISE, revising(read_draft(), EVIDENCE))).value.verification
    assert double is not None
    assert not double.left_out


async def test_the_other_side_comes_back_too(api: StandIn, reasoner: ClaudeReasoner) -> None:
    beside = claim("c9", "The weather was fine that day.")
    evidence = among(EVIDENCE, (*EVIDENCE.angles[0].claims, beside), ())
    api.will(Says({"sentences": []}))
    await reasoner.ask(REVISE, revising(read_draft(), evidence))
    shown = json.loads(data(api.requests[0])[0])["angles"][0]["claims"]
    assert shown == ["c1", "c2"]
