"""What a good model found in twelve documents on one refurbishment reaches the ladder whole."""

import json
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from temporalio.testing import ActivityEnvironment

from caveat.activities.reasoning import ReasoningActivities
from caveat.adapters.extractive.reasoner import ExtractiveRules
from caveat.contracts.contradiction import Disagreement
from caveat.contracts.source import SourceRef
from caveat.contracts.tasks import DetectionTask
from caveat.roles.role import Reasoner
from tests.caveat.adapters.claude.evidence import detection
from tests.fakes.claims import a_claim
from tests.fakes.messages_api import Says, StandIn
from tests.fakes.ports import FakeSnapshots, World

RECORDED = Path(__file__).with_name("recorded_disputes.json")

CONTRADICTIONS = {
    "cost": ("£5.1 million", "five million eight hundred and forty thousand pounds"),
    "opening": ("Saturday before", "Monday 9 September 2024"),
    "who decided": ("Full Council", "board of the Leisure Trust"),
    "asbestos in the roof": ("None of six samples", "340 square metres of asbestos cement"),
    "bathers": ("two hundred and twenty bathers", "180"),
    "energy": ("halved", "a little over a quarter"),
    "grant": ("half of the cost", "60 per cent"),
    "lanes": ("eight-lane", "six lanes"),
    "chair": ("Ruth Amory", "Desmond Pell"),
    "jobs": ("Nobody", "Four lifeguards were made redundant"),
    "closure": ("fourteen months", "a year and a half"),
    "contractor": ("Barlow & Finch", "Castell Construction"),
}
"""All twelve that were planted: the two values of each."""

TRAPS = {
    "one heat pump, and the pair": ("140 kW", "280 kW"),
    "budget, and what it cost": ("£4.2 million", "£5.1 million"),
    "off peak, and peak": ("£4.80", "£6.20"),
    "learner pool, and main pool": ("limit is 40", "capped at 180"),
    "all respondents, and disabled ones": ("78 per cent", "61 per cent"),
    "main pool, and learner pool": ("28 degrees", "31 degrees"),
    "plant room, and roof deck": ("lagging on the old heating pipes", "None of them contained"),
}
"""What differs in scope alone."""


@cache
def recorded() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return found


def task_of(given: dict[str, Any]) -> DetectionTask:
    claims = []
    for at, each in enumerate(given["claims"]):
        quote = each.get("quote", each["text"])
        claims.append(
            a_claim(
                each["name"], quote, each["source_id"], text=each["text"], start=1_000 * at,
                relevance=0.9, credibility=0.45,
            )
        )  # fmt: skip
    known = tuple(
        SourceRef(id=each["source_id"], title=each["title"], authors=(each["title"],))
        for each in given["sources"]
    )
    update = {"topic": given["topic"], "claims": tuple(claims), "sources": known}
    return detection(*claims).model_copy(update=update)


async def found(
    given: dict[str, Any], api: StandIn, reasoner: Reasoner, *, confirms: bool = True
) -> tuple[Disagreement, ...]:
    """Compare as a run does: the model, a second look, and rules beside it."""
    stating = [v for d in given["answer"]["contradictions"] for v in d["values"]]
    asked = len(stating) + sum(len(each["backing"]) for each in stating)
    names = [f"q{number}" for number in range(1, asked + 1)] if confirms else []
    api.will(Says(given["answer"]), Says({"confirmed": names}))
    world = World(pages=[], angles={}, answers={})
    activities = ReasoningActivities(reasoner, FakeSnapshots(world), ExtractiveRules())
    envelope = await ActivityEnvironment().run(activities.detect, task_of(given))
    return envelope.result or ()


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("confirms", [True, False])
async def test_the_values_stay_as_the_model_gave_them(
    number: int, confirms: bool, api: StandIn, reasoner: Reasoner
) -> None:
    given = recorded()[number]
    kept = {
        frozenset(each.claims): each
        for each in await found(given, api, reasoner, confirms=confirms)
    }
    for said in given["answer"]["contradictions"]:
        values = {each["claim"]: each for each in said["values"]}
        whole = kept[frozenset(values)]
        assert whole.kind == said["kind"]
        assert all(side.value[:60] in whole.about for side in whole.sides[:3])
        for side in whole.sides:
            value = values[side.claim]
            assert {*side.backing} == ({*value["backing"]} if confirms else set())
            assert not side.unconfirmed
            # What the second look does not find in a quote, people are shown by the quote itself.
            said_so = (side.value, side.scope) == (value["value"], value["scope"])
            assert said_so is confirms or value["value"] == side.value


async def test_every_planted_dispute_has_sides_and_traps_none(
    api: StandIn, reasoner: Reasoner
) -> None:
    stated: list[tuple[str, ...]] = []
    opposed: list[tuple[str, str]] = []
    for given in recorded():
        quotes = {claim.id: f"{claim.text} {claim.quote}" for claim in task_of(given).claims}
        for each in await found(given, api, reasoner):
            stated.append(tuple(side.value for side in each.sides))
            opposed += combinations([quotes[side.claim] for side in each.sides], 2)
    missing = {
        name
        for name, (one, other) in CONTRADICTIONS.items()
        if not any(one in " | ".join(s) and other in " | ".join(s) for s in stated)
    }
    assert missing == set()
    caught = {
        name
        for name, (one, other) in TRAPS.items()
        for a, b in opposed
        if (one in a and other in b and one not in b) or (one in b and other in a and one not in a)
    }
    assert caught == set()
