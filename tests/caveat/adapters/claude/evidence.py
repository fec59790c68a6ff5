"""Tasks and claims that the roles are tried on."""

import datetime as dt
import hashlib
from typing import Any

from caveat.contracts.plan import Assignment, Depth
from caveat.contracts.source import Claim, ClaimState, Landmark, Snapshot, SourceRef
from caveat.contracts.synthesis import AngleEvidence, Participant, Synthesis, SynthesisInput
from caveat.contracts.tasks import (
    AnalysisTask,
    DebateTask,
    DetectionTask,
    PlanningTask,
    ReformulationReason,
    ReformulationTask,
    RevisionTask,
    SynthesisTask,
    VerificationTask,
)
from tests.fakes.claims import a_claim
from tests.fakes.disputes import a_dispute

TOPIC = "How fast does the universe expand?"
PLANCK, SHOES = (
    SourceRef(id="s-planck", title="Planck 2018 results", published=dt.date(2020, 9, 11)),
    SourceRef(id="s-shoes", title="SH0ES 2022", published=dt.date(2022, 7, 1)),
)
SOURCES = (PLANCK, SHOES)
PAGE = (
    "# Results\n\nThe Hubble constant is 67.4 ± 0.5 km/s/Mpc. It “assumes” the standard model.\n\n"
    "# Outlook\n\nFuture missions\nwill measure it better than 1 per cent."
)
ANGLE = Assignment(id="a1", title="The value", question="What is it?", queries=("hubble",))
OTHER = Assignment(id="a2", title="The tension", question="Do they agree?", queries=("tension",))


def planning(wanted: int = 3, topic: str = TOPIC) -> PlanningTask:
    return PlanningTask(
        task_id="plan",
        description="Plan",
        # outside of activities nobody gives a task out again
        topic=topic,
        corpus=(),
        depth=Depth.DEEP,
        team="general",
        wanted=wanted,
    )


def reformulation(*tried: str) -> ReformulationTask:
    return ReformulationTask(
        task_id="reformulate",
        description="Reformulate",
        topic=TOPIC,
        assignment=ANGLE,
        tried=tried,
        reason=ReformulationReason.TOO_FEW,
        corpus=(),
    )


def analysis(page: str = PAGE, **changes: Any) -> AnalysisTask:
    task = AnalysisTask(
        task_id="analyse",
        description="Analyse",
        topic=TOPIC,
        assignments=(ANGLE,),
        source=PLANCK,
        snapshot_sha256=hashlib.sha256(page.encode()).hexdigest(),
        corpus=(),
        wanted=3,
    )
    return task.model_copy(update=changes)


def snapshot(page: str = PAGE) -> Snapshot:
    marks = (Landmark(offset=0, label="Results"), Landmark(offset=82, label="Outlook"))
    return Snapshot(text=page, landmarks=marks)


def claim(name: str, text: str, source: SourceRef = PLANCK, **changes: Any) -> Claim:
    return a_claim(name, text, source.id, **{"relevance": 0.9, "credibility": 0.8, **changes})


LOW = claim("c1", "The Hubble constant is 67.4 km/s/Mpc according to the microwave background.")
HIGH = claim(
    "c2", "Supernovae give a Hubble constant of 73.04 km/s/Mpc in our neighbourhood.", SHOES
)
MODEL = claim("c3", "The value from the microwave background assumes the standard model.")
CONTESTED = (
    LOW.model_copy(update={"state": ClaimState.CONTESTED, "contested_by": ("c2",)}),
    HIGH.model_copy(update={"state": ClaimState.CONTESTED, "contested_by": ("c1",)}),
    MODEL,
)


def detection(*claims: Claim) -> DetectionTask:
    return DetectionTask(
        task_id="detect",
        description="Detect",
        topic=TOPIC,
        assignments=(ANGLE, OTHER),
        claims=claims,
        sources=SOURCES,
    )


def debate(participant: Participant = Participant.SCEPTIC) -> DebateTask:
    return DebateTask(
        task_id="debate",
        description="Debate",
        participant=participant,
        topic=TOPIC,
        claims=CONTESTED,
        sources=SOURCES,
        contradictions=(a_dispute(about="The Hubble constant."),),
        today=dt.date(2026, 11, 22),
    )


def synthesis(*claims: Claim, missing: tuple[str, ...] = ()) -> SynthesisInput:
    return SynthesisInput(
        topic=TOPIC,
        angles=(
            AngleEvidence(assignment=ANGLE, claims=claims or CONTESTED),
            AngleEvidence(assignment=OTHER, claims=()),
        ),
        sources=SOURCES,
        missing=missing,
    )


def among(evidence: SynthesisInput, *claims: tuple[Claim, ...]) -> SynthesisInput:
    """The same evidence with other claims, by angle."""
    angles = (
        angle.model_copy(update={"claims": own})
        for angle, own in zip(evidence.angles, claims, strict=True)
    )
    return evidence.model_copy(update={"angles": tuple(angles)})


def verifying(draft: Synthesis, evidence: SynthesisInput) -> VerificationTask:
    return VerificationTask(task_id="verify", description="Verify", evidence=evidence, draft=draft)


def revising(draft: Synthesis, evidence: SynthesisInput) -> RevisionTask:
    return RevisionTask(task_id="revise", description="Revise", evidence=evidence, draft=draft)


def synthesising(evidence: SynthesisInput, portion: str = "") -> SynthesisTask:
    return SynthesisTask(
        task_id="synthesise", description="Synthesise", evidence=evidence, portion=portion
    )
