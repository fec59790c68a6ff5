"""The documents of a run: each is read once and analysed once, for all of its angles."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from temporalio import workflow

from caveat.contracts.envelope import R, SubagentResult
from caveat.contracts.outcome import FoundSource, OpenWork, Work
from caveat.contracts.source import Analysis, Claim, Hit, Reading, SourceRef
from caveat.contracts.tasks import AnalysisTask, FolderReadingTask, ReadingTask, Task
from caveat.roles.analyst import WINDOW
from caveat.rules.evidence.claims import Claims
from caveat.rules.evidence.copies import Known, is_copy
from caveat.rules.sources.credibility import BAR, score_credibility
from caveat.rules.sources.identity import parse_host
from caveat.workflows.options import ANALYSE, READ, READ_FOLDER
from caveat.workflows.research.run import Run
from caveat.workflows.research.tasks import Tasks, cancel

AT_ONCE = 200
"""Documents under way at once: a search that finds a thousand would have all of them begun in one
workflow task, and a run may have 2,000 activities pending."""

PARTS = 4  # Analyses of one document, each from where a reasoner had to stop before: a thick book

TOGETHER = 16
"""Documents of folders that one activity reads: each activity costs a run and its server more than
reading a short text does, and what is lost with a worker is read anew."""

READ_TOGETHER = "read-documents-together"  # the marker of runs that do


@dataclass
class DocumentJob:
    source: SourceRef
    current: tuple[OpenWork, Task]  # the piece of work that is under way, and its task
    reading: Reading | None = None  # its text, or that of the document that it is a copy of
    done: int = 0  # pieces of work
    open_work: OpenWork | None = None  # the piece that failed or was left out, if one was
    doing: "asyncio.Task[None] | None" = None
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def wait(self) -> None:
        """Wait until it came to its end; to stop waiting does not stop it."""
        await self.ended.wait()
        if self.doing is not None and self.doing.done():
            await self.doing  # which may have failed

    @property
    def has_failed(self) -> bool:
        """Whether a piece of it failed, and was not left out by the budget."""
        return self.open_work is not None and not self.open_work.left_out


@dataclass
class Documents:
    run: Run  # where the shelf is kept
    tasks: Tasks  # where tasks are given out
    corpus: tuple[str, ...]
    places: int | None  # documents that may be read in the whole run; None means no bound
    claims: Mapping[str, Claims]  # what was found for each angle, by its id
    analysed_before: set[str] = field(default_factory=set)  # by an earlier run
    _jobs: dict[str, DocumentJob] = field(default_factory=dict)
    _originals: dict[str, str] = field(default_factory=dict)  # which is cited, by its copies
    _known: Known | None = None  # what was read, in an earlier run that is followed up too
    # those of folders that the next activity reads, and that activity
    _batch: "tuple[list[SourceRef], asyncio.Task[dict[str, Reading]]] | None" = None
    _at_once: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))

    def shelve(self, hit: Hit, bar: float, *, wanted: bool) -> FoundSource:
        """Put a source on the shelf, or find it there, and admit it if it passes the bar."""
        source_id = self._originals.get(hit.source.id, hit.source.id)
        entry = self.run.shelf.get(source_id) or self._appraise(hit.source)
        entry = _add_copy(entry, hit.source)
        if not entry.admitted:
            score = entry.credibility.score
            is_full = self.places is not None and self.run.admitted >= self.places
            if score < bar:
                reason = f"credibility {score:.2f} is below {bar}"
            elif not wanted:
                reason = "its angle had its sources already"
            elif is_full:
                reason = f"the limit of {self.places} sources was reached"
            else:
                reason = f"credibility {score:.2f} passes {bar}"
            admitted = score >= bar and wanted and not is_full
            entry = entry.model_copy(update={"admitted": admitted, "reason": reason})
        self.run.shelf[source_id] = entry
        return entry

    def study(self, *sources: SourceRef, start_at: int = 0) -> list[DocumentJob]:
        """Have documents read, then analysed from a character on, unless that was begun before."""
        jobs = [self._begin(source) for source in sources]
        new = [job for job in jobs if job.doing is None]

        async def read_and_analyse() -> None:
            await asyncio.gather(*(self._read(job) for job in new))
            # Together, so that which of copies is cited does not depend on speed.
            for job in sorted(new, key=lambda job: self._build_precedence_key(job.source)):
                self._keep(job)
            await asyncio.gather(*(self._analyse(job, start_at) for job in new))

        if new:
            doing = asyncio.create_task(read_and_analyse())
            for job in new:
                job.doing = doing
        return jobs

    def forget(self, source_id: str) -> None:
        """Let a document that was lost be tried anew; one that is under way is kept."""
        job = self._jobs.get(source_id)
        if job is not None and job.ended.is_set() and job.open_work is not None:
            del self._jobs[source_id]

    async def give_up(self) -> None:
        """Stop the documents under way; one that is wanted later begins anew."""
        going_on = [job for job in self._jobs.values() if not job.ended.is_set()]
        for job in going_on:
            if job.doing is not None:
                await cancel(job.doing)
            del self._jobs[job.source.id]

    def add_external_findings(self, reading: Reading, angle: str, claims: Sequence[Claim]) -> None:
        """Keep a text and what somebody else has found in it for an angle."""
        entry = self.shelve(Hit(source=reading.source), BAR, wanted=True)
        if not entry.admitted:
            return
        if entry.reading is None:
            self.run.shelf[reading.source.id] = entry.model_copy(update={"reading": reading})
        had = {(claim.source_id, claim.quote) for claim in self.claims[angle].sort_claims()}
        own = (claim for claim in claims if claim.source_id == reading.source.id)
        self.claims[angle].keep(claim for claim in own if (claim.source_id, claim.quote) not in had)

    def _begin(self, source: SourceRef) -> DocumentJob:
        job = self._jobs.get(source.id)
        if job is None:
            task = build_reading_task(source)
            piece = OpenWork(work=Work.READ, task_id=task.task_id, source_id=source.id)
            job = self._jobs[source.id] = DocumentJob(source, (piece, task))
        return job

    async def _read(self, job: DocumentJob) -> None:
        entry = self.run.shelf.get(job.source.id)
        if entry is not None and entry.reading is not None:  # an earlier run has read it
            job.reading = entry.reading
            return
        job.reading = await self._read_together(job.source)
        if job.reading is not None:
            job.done += 1
            return
        # With every public address at which this run has met the same.
        met = [address for address in (entry.copies if entry else ()) if parse_host(address)]
        also_at = tuple(dict.fromkeys((*job.source.also_at, *met)))
        task = build_reading_task(job.source.model_copy(update={"also_at": also_at}))
        task = task.model_copy(update={"task_id": self.run.create_id(task.task_id)})
        # Who publishes it, by whom its credentials are; a wrong address fails when it is read.
        host = parse_host(job.source.url) if job.source.corpus is None else None
        async with self._at_once:
            envelope = await self.tasks.do(READ, task, address=host or None)
        job.reading = envelope.result
        self._record(job, envelope)

    async def _read_together(self, source: SourceRef) -> Reading | None:
        """Read a document of a folder with others; None where it is to be read alone."""
        if source.corpus is None or (source.path or "").lower().endswith(".pdf"):
            return None
        if not workflow.patched(READ_TOGETHER):  # a run that began before reads each alone
            return None
        if self._batch is None or len(self._batch[0]) == TOGETHER:
            wanted: list[SourceRef] = []
            # It begins when all have run that are ready to run now, and have named what they want.
            self._batch = wanted, asyncio.create_task(self._read_batch(wanted))
        sources, reading = self._batch
        sources.append(source)
        return (await asyncio.shield(reading)).get(source.id)

    async def _read_batch(self, sources: list[SourceRef]) -> dict[str, Reading]:
        if self._batch is not None and self._batch[0] is sources:
            self._batch = None
        if len(sources) == 1:
            return {}
        task = FolderReadingTask(
            task_id=self.run.create_id("read-folder"),
            description=f"Read {len(sources)} documents",
            corpus=tuple(sorted({source.corpus for source in sources if source.corpus})),
            sources=tuple(sources),
        )
        self.tasks.begun.update(build_reading_task(source).task_id for source in sources)
        async with self._at_once:
            envelope = await self.tasks.do(READ_FOLDER, task)
        # What it failed at is read alone, and fails by its name.
        self.run.drop_failure(task.task_id)
        read = {reading.source.id: reading for reading in envelope.result or ()}
        self.run.tasks += max(0, len(read) - 1)
        return read

    def _keep(self, job: DocumentJob) -> None:
        """Put what was read on the shelf; a copy leaves it, for the text that was there first."""
        shelf, source, reading = self.run.shelf, job.source, job.reading
        entry = shelf.get(source.id)
        if reading is None or entry is None or entry.reading is not None:
            return
        if self._known is None:
            self._known = Known()
            for name, other in shelf.items():
                if other.reading is not None:
                    self._known.add(name, other.reading)
        for name in self._known.find_candidates(reading):
            original = shelf.get(name)
            if original is None or original.reading is None:
                continue
            if is_copy(original.reading, reading):
                self._originals[source.id] = name
                shelf[name] = _add_copy(original, source)
                del shelf[source.id]
                job.reading = original.reading
                job.ended.set()
                return
        shelf[source.id] = entry.model_copy(update={"reading": reading})
        self._known.add(source.id, reading)

    async def _analyse(self, job: DocumentJob, start_at: int = 0) -> None:
        """Analyse a document in as many parts as its reasoner needs, unless it was lost."""
        reading = job.reading
        if reading is None or job.ended.is_set():  # it was lost, or is a copy
            job.ended.set()
            return
        try:
            for _ in range(PARTS):
                read_to = await self._analyse_part(job, reading, start_at)
                if read_to is None or not start_at < read_to < reading.characters:
                    break
                start_at = read_to
        finally:
            job.ended.set()

    async def _analyse_part(self, job: DocumentJob, reading: Reading, start_at: int) -> int | None:
        """Analyse a part of a text, and say how far that went; None where it stopped there."""
        source = reading.source
        task = AnalysisTask(
            task_id=self.run.create_id(f"analyse-{source.id}"),
            description=f"Find what “{source.title[:200]}” says",
            topic=self.run.topic,
            assignments=tuple(own for own in self.run.assignments if not own.is_elsewhere),
            source=source,
            snapshot_sha256=reading.snapshot_sha256,
            corpus=self.corpus,
            wanted=max(claims.at_most for claims in self.claims.values()),
            start_at=start_at,
        )
        piece = OpenWork(
            work=Work.ANALYSE, task_id=task.task_id, source_id=source.id, start_at=start_at
        )
        job.current = (piece, task)
        shown = min(reading.characters, WINDOW)
        async with self._at_once:
            envelope = await self.tasks.do(ANALYSE, task, material=shown)
        analysis = envelope.value
        if analysis is not None:
            self._take(source, analysis)
            piece = piece.model_copy(update={"start_at": analysis.read_to})
            job.current = (piece, task)
        self._record(job, envelope)
        return analysis.read_to if analysis is not None and envelope.failure is None else None

    def _record(self, job: DocumentJob, envelope: SubagentResult[Any]) -> None:
        job.open_work = build_open_work(job.current[0], envelope)
        job.done += job.open_work is None

    def _take(self, source: SourceRef, analysis: Analysis) -> None:
        """Keep what was found, each claim with the angles that it answers."""
        entry = self.run.shelf[source.id]
        if entry.reading is not None and analysis.document is not None:
            source = analysis.document.apply_to(entry.reading.source)
            reading = entry.reading.model_copy(update={"source": source})
            # Only of one in a folder what it says of itself counts.
            appraised = entry if source.corpus is None else self._appraise(source)
            facts = {"reading": reading, "credibility": appraised.credibility}
            self.run.shelf[source.id] = entry.model_copy(update=facts)
        for name, claims in self.claims.items():
            claims.keep(claim for claim in analysis.claims if claim.assignment_id == name)
            self.run.update_progress(name, claims=len(claims))
        first = next(iter(self.claims.values()))
        first.rejected += analysis.rejected_quotes

    def _build_precedence_key(self, source: SourceRef) -> tuple[bool, float, str]:
        """Order texts that are one: what is on its way, the most credible, the first address."""
        entry = self.run.shelf.get(self._originals.get(source.id, source.id))
        is_open = entry is None or not entry.admitted
        return is_open, -self._appraise(source).credibility.score, _find_address(source)

    def _appraise(self, source: SourceRef) -> FoundSource:
        score = score_credibility(source, workflow.now().date())
        return FoundSource(source=source, credibility=score, admitted=False, reason="")


def build_reading_task(source: SourceRef) -> ReadingTask:
    return ReadingTask(
        task_id=f"read-{source.id}", description=f"Read “{source.title[:120]}”", source=source
    )


def build_open_work(piece: OpenWork, envelope: SubagentResult[R]) -> OpenWork | None:
    """Say what is left to do of a piece of work; None where it is done."""
    if envelope.failure is None:
        return None
    # By the name that its failure is booked under: a changed input has one of its own.
    facts = {
        "task_id": envelope.task_id,
        "retry_recommended": envelope.failure.retry_recommended,
        "left_out": envelope.left_out is not None,
        "was_started": envelope.attempts > 0,
    }
    return piece.model_copy(update=facts)


def _add_copy(entry: FoundSource, source: SourceRef) -> FoundSource:
    """Note where else a source stands: the same page under another address, or a copy of it."""
    where = _find_address(source)
    if where in (_find_address(entry.source), *entry.copies):
        return entry
    return entry.model_copy(update={"copies": tuple(sorted((*entry.copies, where)))})


def _find_address(source: SourceRef) -> str:
    return source.path or source.url or source.id
