"""The verifier: sees sentences and their quotes, and nothing gets past it unread."""

import json
from typing import Any

import pytest

from caveat.adapters.claude.reasoner import ClaudeReasoner
from caveat.adapters.extractive.synthesis import synthesise as quoted
from caveat.contracts.envelope import FailureType
from caveat.contracts.source import Claim
from caveat.contracts.synthesis import Reader, Support, Synthesis, Verdict, Verification, Weighing
from caveat.failures import PortFailure
from caveat.roles.role import OPUS, SONNET
from caveat.roles.verifier import VERIFY
from caveat.rules.contradictions.contest import index_unrelated, mark_contradictions
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
    ((title, (quote,)),) = ((each["title"], each["claims"]) for each in shown["sources"])
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
    api.will(judged({"c1": "not", "c2": "not"}, s1="supported"))
    answer = await reasoner.ask(VERIFY, verifying(draft(GOOD), synthesis(reworded, HIGH, MODEL)))
    assert len(api.requests) == 1, "a doubt about a claim alone calls no second reader"
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


async def test_a_part_without_answer_is_missing(api: StandIn, reasoner: ClaudeReasoner) -> None:
    asked = "How fast does the universe expand, and who pays for the telescope?"
    evidence = EVIDENCE.model_copy(update={"topic": asked})
    sentences = [{"name": "s1", "support": "supported"}]
    api.will(Says({"sentences": sentences, "missing": ["p2", "p9"]}))
    first = (await reasoner.ask(VERIFY, verifying(draft(GOOD), evidence))).value
    lacks = prepare_publication(first, evidence).missing
    assert [each.part for each in lacks] == ["who pays for the telescope"]
    mended = f"{first.summary} {MODEL.quote.rstrip('.')} [c3]."
    api.will(Says({"sentences": [{"name": "s2", "support": "supported"}]}))
    again = first.model_copy(update={"summary": mended})
    read = (await reasoner.ask(VERIFY, verifying(again, evidence))).value
    assert not prepare_publication(read, evidence).missing, "it is judged anew, once mended"
    (carried,) = json.loads(data(api.requests[-1])[0])["carried"]
    assert carried == GOOD.removesuffix(" [c1].") + "."
    none = Says({"sentences": sentences, "missing": ["p1", "p2"]})
    api.will(none)
    read = (await reasoner.ask(VERIFY, verifying(draft(GOOD), evidence))).value
    assert prepare_publication(read, evidence).verdict is Verdict.NOT_ANSWERED


async def test_a_provider_that_is_away_is_a_failure(api: StandIn, reasoner: ClaudeReasoner) -> None:
    api.will(*[Fails(529)] * 3)
    with pytest.raises(PortFailure) as raised:
        await reasoner.ask(VERIFY, verifying(draft(GOOD), EVIDENCE))
    assert raised.value.failure.failure_type is FailureType.RATE_LIMITED


async def test_a_doubted_sentence_has_two_readers(api: StandIn, reasoner: ClaudeReasoner) -> None:
    doubted = HIGH.model_copy(update={"quote": f"Nobody doubts it: {HIGH.quote}"})
    api.will(judged(s1="supported"), judged(s1="not"))
    task = verifying(draft("Supernovae give 73.04 km/s/Mpc [c2]."), synthesis(LOW, doubted, MODEL))
    read = (await reasoner.ask(VERIFY, task)).value.verification
    assert len(api.requests) == 2
    assert read is not None
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
