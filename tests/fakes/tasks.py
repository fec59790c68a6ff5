"""A task of every kind, and a world in which each of them can be done."""

import datetime as dt
import hashlib

from caveat.contracts import tasks
from caveat.contracts.message import TTL, EventBody, Message, MessageKind
from caveat.contracts.outcome import Findings, FoundSource, Material
from caveat.contracts.plan import Assignment, Depth, Plan, QuorumPolicy, ReasonerCard
from caveat.contracts.source import Reading, Snapshot
from caveat.contracts.synthesis import (
    AngleEvidence,
    Debate,
    Participant,
    SectionDraft,
    Synthesis,
    SynthesisInput,
)
from caveat.contracts.tasks import Notice, NoticeKind
from caveat.rules.contradictions.track_record import identify_claimant
from caveat.rules.sources.credibility import score_credibility
from tests.fakes.claims import a_claim
from tests.fakes.disputes import a_ruling_record
from tests.fakes.kept import an_evidence
from tests.fakes.ports import World
from tests.fakes.reports import a_report, texts_of
from tests.fakes.worlds import a_world

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
PAGE = a_world().pages[0]
REPORT = a_report()
ANGLE = Assignment(id="a1", title="Alpha width", question="How wide?", queries=("alpha",))
CLAIM = a_claim("c1", "Alpha is 1 units wide", PAGE.source.id, relevance=0.9)
EVIDENCE = an_evidence("research-1", "alpha")
SYNTHESIS_INPUT = SynthesisInput(
    topic="alpha",
    angles=(AngleEvidence(assignment=ANGLE, claims=(CLAIM,)),),
    sources=(PAGE.source,),
)

DRAFT = Synthesis(
    summary="Alpha is 1 units wide [c1].",
    sections=(SectionDraft(assignment_id="a1", title="Alpha width", summary=""),),
)

MATERIAL = Material(
    topic="alpha",
    run_id="research-1",
    request=EVIDENCE.request,
    plan=Plan(
        assignments=(ANGLE,),
        reasoner=ReasonerCard(name="r", disclosure="d", uses_language_model=False),
        quorum=QuorumPolicy(minimum_share=0.5, penalty=0.1),
    ),
    findings=(Findings(assignment=ANGLE, claims=(CLAIM,), attempted=1, failed=0),),
    shelf=(
        FoundSource(
            source=PAGE.source,
            credibility=score_credibility(PAGE.source, NOW.date()),
            admitted=True,
            reason="credibility 0.75 passes 0.3",
            reading=Reading(
                source=PAGE.source,
                snapshot_sha256=hashlib.sha256(PAGE.text.encode()).hexdigest(),
                characters=len(PAGE.text),
                shingles=1,
            ),
        ),
    ),
    debate=Debate(present=tuple(Participant)),
    failures=(),
    documents=1,
    tasks=1,
    started=NOW,
    now=NOW,
)

EVENT = Message(
    id="research-1/event-1",
    sender="coordinator",
    source="/agents/coordinator",
    type="caveat.run.started",
    kind=MessageKind.EVENT,
    series="research-1",
    number=1,
    time=NOW,
    expires=NOW + TTL,
    data=EventBody(name="run.started", facts={"topic": "x"}),
)

NOTICE = Notice(
    id="1", kind=NoticeKind.DEGRADED, run_id="research-1", topic="x", message="x", created=NOW
)

RULING = a_ruling_record(
    "a",
    claimants=(identify_claimant(PAGE.source), identify_claimant(a_world().pages[1].source)),
    run_id="research-1",
)


def address_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


DEBATING: dict[str, object] = {
    "participant": Participant.SCEPTIC,
    "topic": "alpha",
    "claims": (CLAIM,),
    "sources": (PAGE.source,),
    "today": NOW.date(),
}

FIELDS: dict[type[tasks.Task], dict[str, object]] = {
    tasks.StockTask: {},
    tasks.RateCardTask: {},
    tasks.PlanningTask: {
        "topic": "alpha",
        "corpus": (),
        "depth": Depth.DEEP,
        "team": "general",
        "wanted": 2,
    },
    tasks.SearchTask: {"query": "alpha", "corpus": (), "limit": 5},
    tasks.ScanTask: {
        "about": "alpha",
        "unit": "m",
        "relevance": 0.5,
        "corpus": (),
        "texts": {PAGE.source.id: address_of(PAGE.text)},
    },
    tasks.LookupTask: {
        "question": "How wide is alpha?",
        "sources": (PAGE.source,),
        "texts": {PAGE.source.id: address_of(PAGE.text)},
        "wanted": 3,
    },
    tasks.ReformulationTask: {
        "topic": "alpha",
        "assignment": ANGLE,
        "tried": ("alpha",),
        "reason": tasks.ReformulationReason.TOO_FEW,
        "corpus": (),
    },
    tasks.ReadingTask: {"source": PAGE.source},
    tasks.FolderReadingTask: {"corpus": (), "sources": (PAGE.source,)},
    tasks.AnalysisTask: {
        "topic": "alpha",
        "assignments": (ANGLE,),
        "source": PAGE.source,
        "snapshot_sha256": address_of(PAGE.text),
        "corpus": (),
        "wanted": 3,
    },
    tasks.DetectionTask: {
        "topic": "alpha",
        "assignments": (ANGLE,),
        "claims": (CLAIM,),
        "sources": (PAGE.source,),
    },
    tasks.DebateTask: DEBATING,
    tasks.RulingTask: {"record": RULING},
    tasks.RulingsTask: {"claimants": (RULING.claimants[0].id,)},
    tasks.SynthesisTask: {"evidence": SYNTHESIS_INPUT},
    tasks.VerificationTask: {"evidence": SYNTHESIS_INPUT, "draft": DRAFT},
    tasks.RevisionTask: {"evidence": SYNTHESIS_INPUT, "draft": DRAFT},
    tasks.AuditTask: {"material": MATERIAL, "synthesis": DRAFT},
    tasks.PublicationTask: {"report": REPORT},
    tasks.KeepingTask: {"evidence": EVIDENCE},
    tasks.RefreshTask: {"provider": "acme"},
    tasks.RecallTask: {"run_id": EVIDENCE.run_id},
    tasks.NotificationTask: {"notice": NOTICE},
}
"""A task of every kind that a world of `a_full_world` can do."""


def a_full_world() -> World:
    world = a_world()
    texts = [page.text for page in world.pages]
    texts += [text for text in texts_of(REPORT).values() if text is not None]
    world.kept = {address_of(text): Snapshot(text=text) for text in texts}
    world.evidence = [EVIDENCE]
    return world
