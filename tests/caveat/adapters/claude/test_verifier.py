"""The verifier: sees sentences and their quotes, and nothing gets past it unread."""

import json
from typing import Any

import pytest

from caveat.adapters.claude.reasoner import ClaudeReasoner
from caveat.adapters.extractive.synthesis import synthesise as quoted
from caveat.contracts.claim import Claim
from caveat.contracts.failure import FailureType
from caveat.contracts.synthesis import (
    Calculation,
    MissingPart,
    Operand,
    Reader,
    Support,
    Synthesis,
    Verdict,
    Verification,
    Weighing,
)
from caveat.failures import PortFailure
from caveat.roles.role import OPUS, SONNET
from caveat.roles.verifier import VERIFY
from caveat.rules.contradictions.contest import index_unrelated, mark_contradictions
from caveat.rules.report import join_portions
from caveat.rules.report.publication import prepare_publication
from tests.caveat.adapters.claude.evidence import HIGH, LOW, MODEL, synthesis, verifying
from tests.fakes.disputes import a_dispute
from tests.fakes.messages_api import Fails, Says, StandIn
from tests.fakes.scholar import data

EVIDENCE = synthesis(LOW, HIGH, MODEL)
GOOD, BAD = (
    "The microwave background gives 67.4 km/s/Mpc [c1].",
    "The value from the microwave background rests on neutrinos [c3].",
)


def draft(*sentences: str, verification: Verification | None = None) -> Synthesis:
    plain = quoted(synthesis())
    empty = tuple(each.model_copy(update={"summary": ""}) for each in plain.sections)
    return Synthesis(
        summary=" ".join(sentences),
        verdict=Verdict.ANSWERED,
        sections=empty,
        verification=verification,
    )


def judged(claims: dict[str, str] | None = None, **support: str) -> Says:
    sentences = [{"name": name, "support": said, "reason": said} for name, said in support.items()]
    texts = [{"name": name, "support": said} for name, said in (claims or {}).items()]
    return Says({"sentences": sentences, "claims": texts})


async def read(reasoner: ClaudeReasoner, *sentences: str, **more: Any) -> Verification:
    answer = await reasoner.ask(VERIFY, verifying(draft(*sentences, **more), EVIDENCE))
    assert answer.value.verification is not None
    return answer.value.verification


async def test_a_reader_is_told_a_sentences_side(api: StandIn, reasoner: ClaudeReasoner) -> None:
    dispute = a_dispute(about="The Hubble constant.")
    evidence = EVIDENCE.model_copy(update={"contradictions": (dispute,)})
    weighed = Weighing(contradiction_id=dispute.id, side="b", text="Supernovae give it [c2].")
    drafted = draft(GOOD).model_copy(update={"weighings": (weighed,)})
    api.will(judged(s1="supported", s2="supported"))
    await reasoner.ask(VERIFY, verifying(drafted, evidence))
    answer, weighing = json.loads(data(api.requests[0])[0])["sentences"]
    assert "weighs" not in answer
    assert weighing["weighs"] == f"{dispute.id} b"


async def test_every_sentence_is_judged(api: StandIn, reasoner: ClaudeReasoner) -> None:
    api.will(judged(s1="supported", s2="partly"))
    one, other = (await read(reasoner, GOOD, BAD)).read
    assert (one.support, one.claims, one.reason) == (Support.SUPPORTED, ("c1",), "")
    assert (other.support, other.reason, other.by) == (Support.PARTLY, "partly", Reader.VERIFIER)
    assert api.requests[0].body["model"] == SONNET != OPUS


async def test_it_sees_sentences_and_the_quotes_that_they_cite_in_their_context(
    api: StandIn, reasoner: ClaudeReasoner
) -> None:
    around = LOW.model_copy(
        update={"before": "Far off. It is not true that ", "after": " Or is it? Far off."}
    )
    api.will(judged(s1="supported"))
    await reasoner.ask(VERIFY, verifying(draft(GOOD), synthesis(around, HIGH, MODEL)))
    shown = json.loads(data(api.requests[0])[0])
    ((title, (quote,)),) = ((each["title"], each["quotes"]) for each in shown["sources"])
    assert "Planck" in title
    assert (quote["name"], quote["quote"]) == ("c1", LOW.quote)
    assert quote["context"] == "It is not true that […] Or is it?"
    assert [each["cites"] for each in shown["sentences"]] == [["c1"]]


async def test_no_model_is_asked_what_code_refutes(api: StandIn, reasoner: ClaudeReasoner) -> None:
    api.will(judged(s1="supported"))
    wrong = "It is 68.9 km/s/Mpc [c1]."
    found = {each.text: each for each in (await read(reasoner, GOOD, wrong, "So be it.")).read}
    assert len(json.loads(data(api.requests[0])[0])["sentences"]) == 1
    assert found["It is 68.9 km/s/Mpc."].by is Reader.CODE
    assert "68.9" in found["It is 68.9 km/s/Mpc."].reason
    assert found["So be it."].support is Support.NOT


async def test_a_sentence_that_it_says_nothing_of_comes_back_once_and_then_counts_as_not_carried(
    api: StandIn, reasoner: ClaudeReasoner
) -> None:
    api.will(judged(s1="supported"), judged(s1="supported"))
    one, other = (await read(reasoner, GOOD, BAD)).read
    assert "s2" in api.requests[1].said[2]
    assert (one.support, other.support) == (Support.SUPPORTED, Support.NOT)


async def test_what_was_read_is_not_read_again(api: StandIn, reasoner: ClaudeReasoner) -> None:
    api.will(judged(s1="supported"), judged(s2="supported"))
    first = await read(reasoner, GOOD)
    second = await read(reasoner, GOOD, BAD, verification=first)
    assert [each["name"] for each in json.loads(data(api.requests[1])[0])["sentences"]] == ["s2"]
    assert [each.support for each in second.read] == [Support.SUPPORTED] * 2
    assert await read(reasoner, GOOD, verification=second) == second
    assert len(api.requests) == 2


async def test_a_claim_that_exceeds_its_quote(api: StandIn, reasoner: ClaudeReasoner) -> None:
    reworded: Claim = LOW.model_copy(update={"text": "It is 68.4 km/s/Mpc, as all agree."})
    said = judged({"c1": "not", "c2": "not"}, s1="supported")
    api.will(said, said)  # code has a doubt: two readers are asked at once
    answer = await reasoner.ask(VERIFY, verifying(draft(GOOD), synthesis(reworded, HIGH, MODEL)))
    assert len(api.requests) == 2
    (shown,) = json.loads(data(api.requests[0])[0])["claims"]
    assert "68.4 km/s/Mpc stands in nothing that it cites." in shown["look_at"]
    assert answer.value.verification is not None
    assert answer.value.verification.restated == ("c1",), "c2 was not asked about"


async def test_each_claim_of_the_report_is_compared_once_whichever_round_cites_it_first(
    api: StandIn, reasoner: ClaudeReasoner
) -> None:
    low, model = (each.model_copy(update={"text": f"So {each.text}"}) for each in (LOW, MODEL))
    evidence = synthesis(low, HIGH, model)
    api.will(judged({"c1": "supported"}, s1="supported"), judged(s2="supported"))
    first = (await reasoner.ask(VERIFY, verifying(draft(GOOD), evidence))).value.verification
    again = draft(GOOD, BAD).model_copy(update={"verification": first})
    second = (await reasoner.ask(VERIFY, verifying(again, evidence))).value.verification
    asked = [json.loads(data(each)[0])["claims"] for each in api.requests]
    assert [[each["name"] for each in claims] for claims in asked] == [["c1"], ["c3"]]
    assert second is not None
    assert second.compared == ("c1", "c3")
    assert second.restated == ("c3",), "what is not judged is not carried"


ASKED = "How fast does the universe expand, and who pays for the telescope?"


async def parts_judged(
    api: StandIn, reasoner: ClaudeReasoner, missing: tuple[str, ...], **states: str
) -> Synthesis:
    parts = [{"name": name, "state": state} for name, state in states.items()]
    api.will(Says({"sentences": [{"name": "s1", "support": "supported"}], "parts": parts}))
    lacking = tuple(MissingPart(part=each) for each in missing)
    given = draft(GOOD).model_copy(update={"missing": lacking})
    evidence = EVIDENCE.model_copy(update={"topic": ASKED})
    return (await reasoner.ask(VERIFY, verifying(given, evidence))).value


async def test_a_part_without_answer_is_missing(api: StandIn, reasoner: ClaudeReasoner) -> None:
    read = await parts_judged(api, reasoner, (), p1="answered", p2="missing")
    assert [each.part for each in read.missing] == ["who pays for the telescope"]
    assert read.verdict is Verdict.ANSWERED, "the report says partly, since a part is missing"


async def test_what_a_section_answers_is_there(api: StandIn, reasoner: ClaudeReasoner) -> None:
    answer = await parts_judged(api, reasoner, (), p1="answered", p2="missing")
    api.will(Says({"sentences": [{"name": "s1", "support": "supported"}]}))
    parts = [{"name": "p2", "state": "answered"}]
    api.will(Says({"sentences": [{"name": "s1", "support": "supported"}], "parts": parts}))
    task = verifying(draft(GOOD), EVIDENCE.model_copy(update={"topic": ASKED}))
    task = task.model_copy(update={"portion": "a1"})
    silent, section = [(await reasoner.ask(VERIFY, task)).value for _ in range(2)]
    assert join_portions(answer, [silent]).missing == answer.missing
    assert join_portions(answer, [silent, section]).missing == ()
    made = Calculation(
        expression="a", operands=(Operand(name="a", claim_id="c1", value="5"),), result="5"
    )
    both = [each.model_copy(update={"calculations": (made,)}) for each in (answer, section)]
    assert join_portions(both[0], both[1:]).calculations == (made,)


async def test_no_part_answered_is_no_answer(api: StandIn, reasoner: ClaudeReasoner) -> None:
    read = await parts_judged(api, reasoner, (), p1="missing", p2="missing")
    assert prepare_publication(read, EVIDENCE.model_copy(update={"topic": ASKED})).verdict is (
        Verdict.NOT_ANSWERED
    )


async def test_parts_are_judged_anew_once_mended(api: StandIn, reasoner: ClaudeReasoner) -> None:
    first = await parts_judged(api, reasoner, (), p1="answered", p2="missing")
    mended = f"{MODEL.quote.rstrip('.')} [c3]."
    again = first.model_copy(update={"summary": f"{first.summary} {mended}"})
    parts = [{"name": "p2", "state": "answered"}, {"name": "m1", "state": "answered"}]
    api.will(Says({"sentences": [{"name": "s2", "support": "supported"}], "parts": parts}))
    evidence = EVIDENCE.model_copy(update={"topic": ASKED})
    read = (await reasoner.ask(VERIFY, verifying(again, evidence))).value
    assert read.missing == ()
    (carried,) = json.loads(data(api.requests[-1])[0])["carried"]
    assert carried == GOOD.removesuffix(" [c1].") + "."


async def test_a_provider_that_is_away_is_a_failure(api: StandIn, reasoner: ClaudeReasoner) -> None:
    api.will(*[Fails(529)] * 3)
    with pytest.raises(PortFailure) as raised:
        await reasoner.ask(VERIFY, verifying(draft(GOOD), EVIDENCE))
    assert raised.value.failure.failure_type is FailureType.RATE_LIMITED


async def test_a_part_is_not_answered_by_what_the_second_reader_did_not_let_pass(
    api: StandIn, reasoner: ClaudeReasoner
) -> None:
    doubted = HIGH.model_copy(update={"quote": f"At most {HIGH.quote}"})
    supported = {"sentences": [{"name": "s1", "support": "supported"}]}
    parts = [{"name": "p1", "state": "answered"}]
    refused = {"sentences": [{"name": "s1", "support": "not"}]}
    api.will(Says({**supported, "parts": parts}), Says(refused))
    text = "Supernovae give 73.04 km/s/Mpc [c2]."
    task = verifying(draft(text), synthesis(LOW, doubted, MODEL))
    read = (await reasoner.ask(VERIFY, task)).value.verification
    assert len(api.requests) == 2
    assert read is not None
    assert read.answered == ()
    assert read.read[0].support is Support.NOT


async def test_a_reader_says_disputes_untold(api: StandIn, reasoner: ClaudeReasoner) -> None:
    sides = a_dispute().sides
    worded = [
        each.model_copy(update={"value": value})
        for each, value in zip(sides, ("from the background", "from supernovae"), strict=True)
    ]
    dispute = a_dispute(about="Where it is from.").model_copy(update={"sides": tuple(worded)})
    evidence = EVIDENCE.model_copy(update={"contradictions": (dispute,)})
    telling, other = "The microwave background gives it [c1].", "It is an old question [c1]."
    one, two = (
        {"name": name, "support": "supported", "unrelated": [dispute.id]} for name in ("s1", "s2")
    )
    api.will(Says({"sentences": [one, two]}))
    drafted = draft(telling, other)
    verification = (await reasoner.ask(VERIFY, verifying(drafted, evidence))).value.verification
    shown = json.loads(data(api.requests[0])[0])["sentences"]
    assert [each.get("near") for each in shown] == [[dispute.id], [dispute.id]]
    claims, of = evidence.claims, {"c1": (dispute.id,)}
    spared = index_unrelated(verification)
    marked = mark_contradictions(drafted.summary, of, claims, (dispute,), spared)
    assert marked == f"{telling[:-1]}[{dispute.id}]. {other}"
