"""Ports that a test can script: a small library in memory, and faults where a test wants them."""

import asyncio
import datetime as dt
import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from caveat.adapters.extractive.analysis import find_passages
from caveat.contracts.backend import Backend
from caveat.contracts.contradiction import Disagreement, RulingRecord
from caveat.contracts.envelope import Usage
from caveat.contracts.outcome import Artifact, Evidence
from caveat.contracts.phase import Rate, RateCard, Step
from caveat.contracts.plan import Assignment, BrokenDocument, Format, Inventory, ReasonerCard
from caveat.contracts.report import Report
from caveat.contracts.source import (
    Analysis,
    Claim,
    Hit,
    SearchResults,
    Snapshot,
    SourceKind,
    SourceRef,
)
from caveat.contracts.synthesis import (
    Challenge,
    ReadSentence,
    SectionDraft,
    Support,
    Synthesis,
    SynthesisInput,
    Verdict,
    Verification,
)
from caveat.contracts.tasks import (
    AnalysisTask,
    DebateTask,
    DetectionTask,
    Notice,
    PlanningTask,
    Reformulation,
    ReformulationTask,
    RevisionTask,
    SearchTask,
    SynthesisTask,
    VerificationTask,
)
from caveat.failures import invalid, not_found, timed_out
from caveat.ports import Answer, Document, Planned
from caveat.roles.role import NO_TEXT, A, OnPartial, Role, V, ignore
from caveat.rules.report.statements import ANSWER, list_statements
from caveat.teams.team import Team, TeamCatalogue
from caveat.workers.wiring import Ports
from tests.fakes.claims import a_claim


@dataclass(frozen=True)
class Page:
    """One document of the scripted library."""

    name: str
    text: str
    kind: SourceKind = SourceKind.PEER_REVIEWED
    published: dt.date | None = dt.date(2022, 3, 1)
    url: str | None = None
    in_corpus: bool = False

    @property
    def source(self) -> SourceRef:
        address = self.url if self.url and not self.in_corpus else self.name
        return SourceRef(
            id="s-" + hashlib.sha256(address.encode()).hexdigest()[:10],
            title=self.name,
            url=self.url,
            published=self.published,
            kind=self.kind,
            corpus="/library" if self.in_corpus else None,
            path=f"{self.name}.md",
        )


@dataclass
class World:
    """Everything behind the ports of one test, and what happened to it."""

    pages: list[Page]  # the documents that exist
    angles: dict[str, tuple[str, ...]]  # assignments that the planner makes, title to queries
    # queries to the names of the pages that they find; a query that is missing here finds nothing
    answers: dict[str, tuple[str, ...]]
    # queries that the planner offers, by assignment title
    rewordings: dict[str, str] = field(default_factory=dict)
    questions_anew: tuple[str, ...] = ()  # what is asked of kept texts in other words
    # called with the kind and the key of each piece of work before it is done; may raise
    faults: Callable[[str, str], None] = lambda kind, key: None
    delays: dict[str, float] = field(default_factory=dict)
    broken: tuple[BrokenDocument, ...] = ()  # documents that cannot be read when taking stock
    # titles of angles that the run cannot do without
    critical: set[str] = field(default_factory=set)
    relevance: Callable[[str], float] = lambda quote: 0.9  # how well a quote answers
    # share that is done of an analysis when it times out; it is resumed after
    partial: dict[str, float] = field(default_factory=dict)
    resumed: list[str] = field(default_factory=list)
    uses_model: bool = False  # whether the reasoner says that it calls a language model
    doubts: bool = False  # whether the verifier finds a sentence that comes back once
    debates: bool = False  # whether every team has what was found debated
    # what the detector finds among the claims of a run
    disagreements: Callable[[DetectionTask], tuple[Disagreement, ...]] = lambda task: ()
    # what a participant of the debate has to say
    remarks: Callable[[DebateTask], tuple[Challenge, ...]] = lambda task: ()
    calls: Counter[str] = field(default_factory=Counter)
    order: list[str] = field(default_factory=list)
    kept: dict[str, Snapshot] = field(default_factory=dict)
    reports: list[Report] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    questions: tuple[str, ...] = ()  # that the planner asks
    rulings: dict[tuple[str, str, int], RulingRecord] = field(default_factory=dict)

    def note(self, kind: str, key: str) -> None:
        self.calls[kind] += 1
        self.calls[f"{kind} {key}"] += 1
        self.order.append(f"{kind} {key}")

    async def work(self, kind: str, key: str) -> None:
        self.note(kind, key)
        await asyncio.sleep(self.delays.get(f"{kind} {key}", self.delays.get(kind, 0)))
        self.faults(kind, key)

    def page(self, name: str) -> Page:
        return next(page for page in self.pages if page.name == name)


@dataclass(frozen=True)
class Port:
    world: World


class FakeReasoner(Port):
    @property
    def card(self) -> ReasonerCard:
        return ReasonerCard(
            name="scripted",
            disclosure="Scripted, for tests.",
            uses_language_model=self.world.uses_model,
        )

    async def rate_card(self) -> RateCard:
        """Of every step a call, a cent, and fifteen tokens beside what it is about."""
        await self.world.work("rate_card", "")
        if not self.world.uses_model:
            return RateCard()
        return RateCard(
            rates=tuple(
                Rate(step=step, room=5, least=5, overhead=10, call_usd=0.01)
                for step in Step
                if step is not Step.SEARCH
            )
        )

    async def ask(
        self, role: Role[A, V], task: A, text: Snapshot = NO_TEXT, on_partial: OnPartial = ignore
    ) -> Answer[V]:
        """Do it by the method of the role's name, which a test may write anew."""
        about = (text, on_partial) if isinstance(task, AnalysisTask) else ()
        answer: Answer[V] = await getattr(self, role.name)(task, *about)
        return answer

    async def plan(self, task: PlanningTask) -> Answer[tuple[Assignment, ...]]:
        await self.world.work("plan", task.topic)
        return Planned(
            tuple(
                Assignment(
                    id=f"a{number}",
                    title=title,
                    question=f"{title}?",
                    queries=queries,
                    critical=title in self.world.critical,
                )
                for number, (title, queries) in enumerate(self.world.angles.items(), start=1)
            ),
            Usage(model_calls=1, input_tokens=10, output_tokens=5, cost_usd=0.01),
            self.world.questions,
        )

    async def reformulate(self, task: ReformulationTask) -> Answer[Reformulation]:
        await self.world.work("reformulate", task.assignment.title)
        query = self.world.rewordings.get(task.assignment.title)
        return Answer(Reformulation(query=query, questions=self.world.questions_anew))

    async def analyse(
        self, task: AnalysisTask, snapshot: Snapshot, on_partial: Callable[[Analysis, float], None]
    ) -> Answer[Analysis]:
        """Every sentence that names an angle's first word is a claim."""
        title, size = task.source.title, len(snapshot.text)
        await self.world.work("analyse", title)
        claims: list[Claim] = []
        for assignment in task.assignments:
            at, number = 0, 0
            word = assignment.title.split()[0].casefold()
            for sentence in snapshot.text.split(". "):
                quote = sentence.rstrip(".")
                if word in quote.casefold():
                    number += 1
                    name = f"{assignment.id}-{task.source.id}-{number}"
                    facts = {"assignment_id": assignment.id, "start": at}
                    relevance = self.world.relevance(quote)
                    claims.append(
                        a_claim(name, quote, task.source.id, relevance=relevance, **facts)
                    )
                at += len(sentence) + 2
        share = self.world.partial.get(title, 1.0)
        if task.start_at:
            self.world.resumed.append(title)
        elif share < 1:
            read_to = int(size * share)
            begun = tuple(claim for claim in claims if claim.start < read_to)
            on_partial(Analysis(claims=begun, read_to=read_to), share)
            raise timed_out("The analysis took too long.", resource=title)
        rest = tuple(claim for claim in claims if claim.start >= task.start_at)
        usage = Usage(model_calls=1) if self.world.uses_model else Usage()
        return Answer(Analysis(claims=rest, read_to=size), usage)

    async def detect(self, task: DetectionTask) -> Answer[tuple[Disagreement, ...]]:
        await self.world.work("detect", task.topic)
        return Answer(self.world.disagreements(task))

    async def debate(self, task: DebateTask) -> Answer[tuple[Challenge, ...]]:
        await self.world.work("debate", task.participant)
        return Answer(self.world.remarks(task))

    async def synthesise(self, task: SynthesisTask) -> Answer[Synthesis]:
        await self.world.work("synthesise", task.evidence.topic)
        verdict = Verdict.ANSWERED if self.world.uses_model else None
        whole = FakeRules.prose(task.evidence).model_copy(update={"verdict": verdict})
        if not task.portion:
            return Answer(whole)
        if task.portion != ANSWER:
            return Answer(whole.model_copy(update={"summary": "", "verdict": None}))
        bare = {"summary": "", "claim_ids": ()}
        empty = tuple(each.model_copy(update=bare) for each in whole.sections)
        return Answer(whole.model_copy(update={"sections": empty}))

    async def verify(self, task: VerificationTask) -> Answer[Synthesis]:
        await self.world.work("verify", task.draft.summary[:20])
        claims = task.evidence.claims
        wrong = 1 if self.world.doubts and task.draft.verification is None else 0
        keys = dict.fromkeys(each.key for each in list_statements(task.draft, claims))
        read = (
            ReadSentence(
                text=text,
                claims=cited,
                support=Support.SUPPORTED if number > wrong else Support.NOT,
            )
            for number, (text, cited) in enumerate(keys, start=1)
        )
        verification = Verification(read=tuple(read))
        return Answer(task.draft.model_copy(update={"verification": verification}))

    async def revise(self, task: RevisionTask) -> Answer[Synthesis]:
        await self.world.work("revise", task.draft.summary[:20])
        return Answer(task.draft)


class FakeRules(Port):
    def find_contradictions(self, task: DetectionTask) -> tuple[Disagreement, ...]:
        self.world.note("compare_by_rules", task.topic)
        self.world.faults("compare_by_rules", task.topic)
        return self.world.disagreements(task)

    def find_passages(
        self, question: str, texts: Sequence[tuple[SourceRef, Snapshot]], wanted: int
    ) -> tuple[Claim, ...]:
        self.world.note("look_up", question)
        self.world.faults("look_up", question)
        return find_passages(question, texts, wanted)

    def write_excerpts(self, evidence: SynthesisInput) -> Synthesis:
        self.world.note("excerpts", evidence.topic)
        self.world.faults("excerpts", evidence.topic)
        return self.prose(evidence)

    @staticmethod
    def prose(evidence: SynthesisInput) -> Synthesis:
        sections = tuple(
            SectionDraft(
                assignment_id=angle.assignment.id,
                title=angle.assignment.title,
                summary="\n".join(f"- “{claim.quote}” [{claim.id}]" for claim in angle.claims),
                claim_ids=tuple(claim.id for claim in angle.claims),
            )
            for angle in evidence.angles
        )
        best = [angle.claims[0] for angle in evidence.angles if angle.claims][:1]
        summary = "\n".join(f"- “{claim.quote}” [{claim.id}]" for claim in best)
        return Synthesis(summary=summary, sections=sections)


class FakeEngine(Port):
    async def search(self, task: SearchTask) -> SearchResults:
        await self.world.work("search", task.query)
        names = self.world.answers.get(task.query, ())[: task.limit]
        hits = tuple(Hit(source=self.world.page(name).source) for name in names)
        return SearchResults(query=task.query, hits=hits)


class FakeLibrary(Port):
    async def take_stock(self, corpus: tuple[str, ...], *_: Any) -> Inventory:
        await self.world.work("take_stock", ",".join(corpus))
        if "/missing" in corpus:
            raise invalid("The corpus folder /missing does not exist.", resource="/missing")
        return Inventory(
            corpus=corpus or ("/library",),
            documents=len(self.world.pages),
            languages=("en",),
            broken=self.world.broken,
        )

    async def read(self, source: SourceRef) -> Document:
        await self.world.work("read", source.title)
        for page in self.world.pages:
            if page.source.path == source.path:
                return Document(source=source, snapshot=Snapshot(text=page.text))
        raise not_found(f"“{source.title}” is gone.", resource=source.title)


class FakeSnapshots(Port):
    async def keep(self, snapshot: Snapshot) -> str:
        address = hashlib.sha256(snapshot.text.encode()).hexdigest()
        self.world.kept[address] = snapshot
        return address

    async def open(self, sha256: str) -> Snapshot:
        await self.world.work("open", sha256)
        if sha256 not in self.world.kept:
            raise not_found("The snapshot is not kept here.", resource=sha256)
        return self.world.kept[sha256]


class FakeReportStore(Port):
    async def publish(self, report: Report, chosen: Format, execution: str = "") -> Artifact:
        await self.world.work("publish", chosen)
        if chosen == report.formats[0]:
            self.world.reports.append(report)
        return self._artifact(chosen)

    async def keep(self, evidence: Evidence, execution: str = "") -> Artifact:
        await self.world.work("keep_evidence", evidence.run_id)
        self.world.evidence.append(evidence)
        return self._artifact(Format.JSON)

    async def read_evidence(self, run_id: str) -> Evidence:
        await self.world.work("evidence", run_id)
        for kept in reversed(self.world.evidence):
            if kept.run_id == run_id:
                return kept
        raise not_found("No evidence of this run is kept here.", resource=run_id)

    @staticmethod
    def _artifact(format_: Format) -> Artifact:
        return Artifact(format=format_, path=f"/out/report.{format_}", sha256="0" * 64, size=1)


class FakeNotifier(Port):
    async def notify(self, notice: Notice) -> None:
        await self.world.work("notify", notice.kind)
        self.world.notices.append(notice)


class FakeMemory(Port):
    async def record_ruling(self, ruling: RulingRecord) -> RulingRecord:
        await self.world.work("record_ruling", ruling.contradiction_id)
        key = (ruling.run_id, ruling.contradiction_id, ruling.number)
        return self.world.rulings.setdefault(key, ruling)

    async def recall_rulings(self, claimants: Sequence[str]) -> tuple[RulingRecord, ...]:
        await self.world.work("rulings_about", ",".join(claimants))
        return tuple(
            ruling
            for ruling in sorted(self.world.rulings.values(), key=lambda each: each.decided)
            if any(claimant.id in claimants for claimant in ruling.claimants)
        )


class FakeCredentials(Port):
    async def refresh(self, provider: str) -> None:
        await self.world.work("refresh", provider)


@dataclass(frozen=True)
class FakeTeams(TeamCatalogue):
    """The teams that ship with Caveat; in a world that debates all of them do."""

    world: World = field(kw_only=True)

    def read_team(self, name: str) -> Team:
        team = super().read_team(name)
        return team.model_copy(update={"debate": True}) if self.world.debates else team


def ports_of(world: World) -> Ports:
    """Put a world behind every port."""
    return Ports(
        reasoner=FakeReasoner(world),
        rules=FakeRules(world),
        engine=FakeEngine(world),
        library=FakeLibrary(world),
        snapshots=FakeSnapshots(world),
        reports=FakeReportStore(world),
        memory=FakeMemory(world),
        notifier=FakeNotifier(world),
        credentials=FakeCredentials(world),
        backend=Backend(reasoner="scripted"),
        teams=FakeTeams(world=world),
    )
