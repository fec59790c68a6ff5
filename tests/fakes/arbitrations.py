"""A case that a test can have arbitrated."""

import datetime as dt
from typing import Any

from temporalio.client import Client, WorkflowHandle

from caveat.contracts.contradiction import (
    Backing,
    Case,
    Hearing,
    LadderStep,
    SettledBy,
    Side,
    SideEvidence,
    TrackRecord,
)
from caveat.contracts.outcome import Settlement
from caveat.contracts.source import SourceRef
from tests.fakes.claims import a_claim
from tests.fakes.disputes import a_dispute

Arbitrated = WorkflowHandle[Any, Settlement]
NOON = dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC)
SIX_HOURS = dt.timedelta(hours=6)


def a_side(name: str, quote: str, credibility: float = 0.6) -> SideEvidence:
    """One side of a contradiction, from a publisher of its own."""
    return SideEvidence(
        claim=a_claim(f"c-{name}", quote, f"s-{name}", relevance=0.9, credibility=credibility),
        source=SourceRef(id=f"s-{name}", title=f"The {name} paper", url=f"https://{name}.org/h0"),
        credibility=credibility,
        corroboration=1,
    )


def a_case(timeout: dt.timedelta = SIX_HOURS, number: int = 1, **changes: Any) -> Case:
    """Two sources that disagree about the expansion of the universe."""
    sides = (
        a_side("planck", "The Hubble constant is 67.4 km/s/Mpc"),
        a_side("shoes", "The Hubble constant is 73.0 km/s/Mpc", credibility=0.65),
    )
    contradiction = a_dispute(
        *("c-planck", "c-shoes", number),
        about="The Hubble constant is 67.4 or 73.0 km/s/Mpc.",
        steps=(
            LadderStep(
                rung=SettledBy.EVIDENCE,
                settled=False,
                reason="credibility is similar (0.60 and 0.65)",
            ),
        ),
    )
    case = Case(
        run_id="research-h0",
        topic="How fast does the universe expand?",
        contradiction=contradiction,
        sides=sides,
        timeout=timeout,
    )
    return case.model_copy(update=changes)


def a_case_of(values: int) -> Case:
    """So many sources that each give another depth."""
    depths = [f"{11 + 7 * number} metres" for number in range(values)]
    sides = tuple(
        a_side(f"n{number}", f"The tunnel is {depth} deep").model_copy(
            update={"value": depth, "scope": "" if number else "in winter"}
        )
        for number, depth in enumerate(depths)
    )
    contradiction = a_dispute(
        sides=tuple(
            Side(claim=side.claim.id, value=side.value, scope=side.scope) for side in sides
        ),
        about=f"Depth of the tunnel: {values} values from {depths[0]} to {depths[-1]}",
    )
    return a_case(sides=sides, contradiction=contradiction)


async def arbitrate(client: Client, queue: str, case: Case, run: str | None = None) -> Arbitrated:
    """Start an arbitration as a run names it, without the run."""
    return await client.start_workflow(
        "Arbitration",
        case,
        id=f"{run or queue}/{case.contradiction.id}",
        task_queue=queue,
        result_type=Settlement,
    )


def a_hearing(about: str = "67.4 or 73.0 km/s/Mpc.", quote: str = "It is 67.4 km/s/Mpc") -> Hearing:
    a, b = a_side("planck", quote), a_side("shoes", "It is 73.0 km/s/Mpc", credibility=0.65)
    known = TrackRecord(upheld=3, ruled=4, low=0.3, high=0.9)
    also = Backing(source="A review", year=2021, quote="All say 73.")
    speaks = {"credibility": 0.4, "corroboration": 2, "track_record": known, "backing": (also,)}
    b = b.model_copy(update=speaks)
    case = a_case(sides=(a, b))
    contradiction = case.contradiction.model_copy(update={"about": about})
    return Hearing(case=case, contradiction=contradiction, deadline=NOON)
