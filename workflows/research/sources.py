"""The sources of a run: each is read once, whoever wants it; and of copies one is cited."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field

from temporalio import workflow

from caveat.contracts.claim import Analysis
from caveat.contracts.envelope import AgentType, Status, SubagentResult
from caveat.contracts.investigation import Shelved, Study
from caveat.contracts.source import Hit, Reading, SourceRef
from caveat.contracts.tasks import AnalysisTask, ReadingTask, StudyTask
from caveat.rules.evidence import Known, Relation, likeness
from caveat.rules.sources import BAR, credibility, voice, web_host
from caveat.workflows.delegation import delegate
from caveat.workflows.options import READ, STUDY
from caveat.workflows.research.run import Run
from caveat.workflows.research.state import State
from caveat.workflows.research.studies import analysis_of, reading_of, study_task
from caveat.workflows.research.tasks import Changes, Tasks, cancel


@dataclass
class Copies:
    """The copies among what a run reads.

    A copy leaves the shelf as soon as it was read, for the text that was there first, so that
    nothing more is done with it. Which was there first is chance: when everything was read, the
    most credible of them takes its place, of equal ones the first by its address.

    Attributes:
        run: where the shelf is kept.
    """

    run: Run
    _originals: dict[str, str] = field(default_factory=dict)
    _aside: dict[str, Shelved] = field(default_factory=dict)
    _alike: set[tuple[str, str, Relation]] = field(default_factory=set)
    _known: Known | None = None

    def original(self, source_id: str) -> str:
        """Name the source that is cited for a copy; any other source itself."""
        return self._originals.get(source_id, source_id)

    def keep(self, source: SourceRef, reading: Reading) -> Reading | None:
        """Put a reading on the shelf, unless it is a copy: then return that of its original."""
        kept = self.run.state.shelf[source.id].model_copy(update={"reading": reading})
        for original, had in self._read_before(source.id, reading):
            how = likeness(had, reading)
            if how is Relation.COPY:
                self._originals[source.id] = original.source.id
                self._aside[source.id] = kept
                self.run.apply(State.shelved, original.source.id, with_copy(original, source))
                self.run.apply(State.unshelved, source.id)
                return had
            self._alike.add((original.source.id, source.id, how))
        self.run.apply(State.shelved, source.id, kept)
        self._readings().add(source.id, reading)
        return None

    def settle(self, *, may_replace: bool) -> dict[str, str]:
        """Say which source each text is cited from, and which other texts are much like another.

        Args:
            may_replace: whether what was found in one can be found again in another.

        Returns:
            The sources that give their place to a copy, each with that copy.
        """
        replaced = {}
        for original in sorted(set(self._originals.values())) if may_replace else ():
            copies = [name for name, of in self._originals.items() if of == original]
            best = min((original, *copies), key=self._precedence)
            if best != original:
                self._replace(original, best)
                replaced[original] = best
        self._note()
        return replaced

    def _read_before(self, source_id: str, reading: Reading) -> Iterator[tuple[Shelved, Reading]]:
        """Yield what was read and may be the same text, or give the same address."""
        for name in self._readings().like(source_id, reading):
            kept = self.run.state.shelf.get(name)
            if kept is not None and kept.reading is not None:
                yield kept, kept.reading

    def _readings(self) -> Known:
        """What was read, in an earlier run that is followed up too."""
        if self._known is None:
            self._known = Known()
            for name, kept in self.run.state.shelf.items():
                if kept.reading is not None:
                    self._known.add(name, kept.reading)
        return self._known

    def _precedence(self, source_id: str) -> tuple[float, str]:
        return precedence(self._aside.get(source_id) or self.run.state.shelf[source_id])

    def _replace(self, original: str, best: str) -> None:
        """Have a copy stand on the shelf in place of what it is a copy of."""
        before = self.run.state.shelf[original]
        kept = self._aside.pop(best)
        for each in (*before.copies, address(before.source)):
            kept = _with_address(kept, each)
        self._aside[original] = before
        self._originals[original] = best
        self._originals = {
            name: best if of == original else of
            for name, of in self._originals.items()
            if name != best
        }
        self.run.apply(State.unshelved, original)
        self.run.apply(State.shelved, best, kept)

    def _note(self) -> None:
        """Say of sources that their text is much like another's; both are kept."""
        found = set()
        for one, other, how in self._alike:
            first, second = sorted(map(self.original, (one, other)), key=self._precedence)
            if first != second:
                found.add((first, second, how))
        self._alike.clear()
        for first, second, how in sorted(found):
            kept, like = self.run.state.shelf[second], self.run.state.shelf[first].source
            noted = _altered(kept, like) if how is Relation.ALTERED else _namesake(kept, like)
            if noted != kept:
                self.run.apply(State.shelved, second, noted)


def precedence(kept: Shelved) -> tuple[float, str]:
    """Return what puts texts that are one in order: the most credible, then the first address."""
    return -kept.credibility.score, address(kept.source)


def with_copy(kept: Shelved, source: SourceRef) -> Shelved:
    """Note where else a source stands: the same page under another address, or a copy of it."""
    return _with_address(kept, address(source))


def _with_address(kept: Shelved, where: str) -> Shelved:
    if where in (address(kept.source), *kept.copies):
        return kept
    return kept.model_copy(update={"copies": tuple(sorted((*kept.copies, where)))})


def address(source: SourceRef) -> str:
    """Return where people find a source."""
    return source.path or source.url or source.id


def _altered(kept: Shelved, original: SourceRef) -> Shelved:
    reason = f"{kept.reason}; its text is that of “{original.title[:120]}” with other figures"
    return kept.model_copy(update={"reason": reason})


def _namesake(kept: Shelved, other: SourceRef) -> Shelved:
    """Note that a source gives the address of another one, whose text is another."""
    own = kept.source
    if voice(own.id, own.url) != voice(other.id, other.url):
        return kept
    reason = (
        f"{kept.reason}; it gives the same address as “{other.title[:120]}” and has another text:"
        " they count as one voice"
    )
    return kept.model_copy(update={"reason": reason})


def _elsewhere(task: ReadingTask, address: str) -> ReadingTask:
    """The same source at another address; it is cited by its own."""
    return task.model_copy(update={"at": address})


def reading_task(source: SourceRef) -> ReadingTask:
    """What is asked for when a source is read for the first time in a run."""
    return ReadingTask(
        task_id=f"read-{source.id}", description=f"Read “{source.title[:120]}”", source=source
    )


READ_CHANGES = Changes[ReadingTask, Reading](alternative=_elsewhere)


@dataclass
class Sources:
    """The sources of a run: its shelf, and the readings of what stands on it.

    Attributes:
        run: where the shelf is kept.
        tasks: where tasks are given out.
        places: sources that may be read in the whole run; None means no bound.
    """

    run: Run
    tasks: Tasks
    places: int | None
    _copies: Copies = field(init=False)
    _readings: dict[str, asyncio.Task[SubagentResult[Reading]]] = field(default_factory=dict)
    _brought: dict[str, SubagentResult[Analysis]] = field(default_factory=dict)
    _stand_ins: dict[str, SourceRef] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._copies = Copies(self.run)

    def shelve(self, hit: Hit, bar: float, *, wanted: bool) -> Shelved:
        """Put a source on the shelf, or find it there, and admit it if it passes the bar.

        Of sources that are known to have one text, one is read, and named with the others.

        Args:
            hit: the source.
            bar: the credibility that it needs.
            wanted: whether whoever found it still has room for it.
        """
        cited = self._cited(hit)
        source_id = self._copies.original(cited.id)
        kept = self.run.state.shelf.get(source_id) or self._appraised(cited)
        for each in (hit.source, *hit.copies):
            kept = with_copy(kept, each)
        if not kept.admitted:
            kept = self._considered(kept, bar, wanted=wanted)
        self.run.apply(State.shelved, source_id, kept)
        return kept

    def may_study(self, source: SourceRef) -> bool:
        """Whether a source can be read and analysed in one step."""
        kept = self.run.state.shelf.get(source.id)
        if source.corpus is None or not self.tasks.budget.is_free or kept is None or kept.reading:
            return False
        return self._is_free(source.id)

    def _is_free(self, source_id: str) -> bool:
        """Whether nobody reads it, or with a model's call, for which to wait takes longer."""
        reading = self._readings.get(source_id)
        if reading is None:
            return True
        plan = self.run.state.plan
        return not reading.done() and plan is not None and plan.reasoner.uses_language_model

    async def read(
        self, source: SourceRef, sought: AnalysisTask | None = None
    ) -> SubagentResult[Reading]:
        """Read a source, or wait for the reading that another assignment began.

        Args:
            source: which.
            sought: what is to be found in it in the same step (`brought`); None to read it alone.

        Returns:
            The reading; for a copy of a source that was read before, the reading of that one, and
            for a source that an earlier run has read, that run's.
        """
        reading = self._readings.get(source.id)
        if reading is None:
            kept = self.run.state.shelf.get(source.id)
            if kept is not None and kept.reading is not None:
                return _had(kept.reading)
            reading = asyncio.create_task(self._read(source, sought))
            self._readings[source.id] = reading
        elif sought is not None:
            await self._study(reading_task(source), sought)
        # Shielded: an assignment that is left behind must not take the others' reading with it.
        return await asyncio.shield(reading)

    def brought(self, sought: AnalysisTask | None) -> SubagentResult[Analysis] | None:
        """Hand over what was found when a source was read; None where it was read alone."""
        return None if sought is None else self._brought.pop(sought.task_id, None)

    def hand_in(self, reading: Reading) -> None:
        """Keep a reading that somebody else has made, of a source on the shelf."""
        kept = self.run.state.shelf[reading.source.id]
        if kept.reading is None:
            update = {"reading": reading}
            self.run.apply(State.shelved, reading.source.id, kept.model_copy(update=update))

    def add(self, reading: Reading, why: str) -> bool:
        """Put a text on the shelf that was looked through for one thing.

        Args:
            reading: the text.
            why: what it was looked through for.

        Returns:
            Whether it may be cited: it is credible enough, and no copy of what was read.
        """
        source = reading.source
        kept = self.run.state.shelf.get(source.id) or self._appraised(source)
        if kept.reading is not None or kept.credibility.score < BAR:
            return False
        reason = f"it was looked through for {why}"
        facts = {"admitted": True, "scanned": True, "reason": reason}
        self.run.apply(State.shelved, source.id, kept.model_copy(update=facts))
        return self._copies.keep(source, reading) is None

    def settle_copies(self, *, may_replace: bool) -> dict[str, Reading]:
        """Settle which of texts that are one is cited, whichever was read first.

        Args:
            may_replace: whether what was found in one can be found again in another.

        Returns:
            The sources that give their place to a copy, each with the reading of that copy.
        """
        found = {}
        for original, copy in self._copies.settle(may_replace=may_replace).items():
            # Their readings were handed out as those of the original; from now on the shelf tells.
            for name in (original, copy):
                self._readings.pop(name, None)
            if (reading := self.run.state.shelf[copy].reading) is not None:
                found[original] = reading
        return found

    async def give_up(self) -> None:
        """End the readings that go on; whoever wants one of these sources later begins anew."""
        going_on = {key: task for key, task in self._readings.items() if not task.done()}
        for source_id, reading in going_on.items():
            await cancel(reading)
            del self._readings[source_id]

    def forget(self, source_id: str) -> None:
        """Let a source that could not be read be read anew; a reading that goes on is kept."""
        if self._is_lost(source_id):
            del self._readings[source_id]

    def _cited(self, hit: Hit) -> SourceRef:
        """Choose which of sources with one text is read: what is on its way, or deserves most."""
        named = {each.id: each for each in (hit.source, *hit.copies)}
        known = {**named, **{s.id: s for each in named if (s := self._stand_ins.get(each))}}
        if len(known) == 1:
            return hit.source
        readable = [each for each in known.values() if not self._is_lost(each.id)]
        cited = min(readable, key=self._precedence, default=hit.source)
        self._stand_ins.update(dict.fromkeys(known, cited))
        return cited

    def _precedence(self, source: SourceRef) -> tuple[bool, float, str]:
        kept = self.run.state.shelf.get(self._copies.original(source.id))
        is_open = kept is None or not kept.admitted
        return is_open, *precedence(self._appraised(source))

    def _is_lost(self, source_id: str) -> bool:
        """Whether it could not be read."""
        reading = self._readings.get(source_id)
        return reading is not None and reading.done() and reading.result().result is None

    def _appraised(self, source: SourceRef) -> Shelved:
        score = credibility(source, workflow.now().date())
        return Shelved(source=source, credibility=score, admitted=False, reason="")

    def _considered(self, kept: Shelved, bar: float, *, wanted: bool) -> Shelved:
        score = kept.credibility.score
        if score < bar:
            return kept.model_copy(update={"reason": f"credibility {score:.2f} is below {bar}"})
        if not wanted:
            return kept.model_copy(update={"reason": "its angle had its sources already"})
        if self.places is not None and self.run.state.admitted >= self.places:
            reason = f"the limit of {self.places} sources was reached"
            return kept.model_copy(update={"reason": reason})
        reason = f"credibility {score:.2f} passes {bar}"
        return kept.model_copy(update={"admitted": True, "reason": reason})

    async def _read(
        self, source: SourceRef, sought: AnalysisTask | None
    ) -> SubagentResult[Reading]:
        task = reading_task(self._with_addresses(source))
        task = task.model_copy(update={"task_id": self.run.new_id(task.task_id)})
        first = None if sought is None else await self._study(task, sought)
        envelope = await self.tasks.do(READ, task, READ_CHANGES, address=_host(source), first=first)
        if envelope.result is None:
            return envelope
        had = self._copies.keep(source, envelope.result)
        return envelope if had is None else envelope.model_copy(update={"result": had})

    async def _study(
        self, task: ReadingTask, sought: AnalysisTask
    ) -> SubagentResult[Reading] | None:
        """Read and analyse a source in one step; None where that must not be begun."""
        study = study_task(sought.model_copy(update={"source": task.source}))
        both = await self.tasks.begun(STUDY, study, self._give_out, task.task_id)
        if both is None:
            return None
        found = analysis_of(both, sought)
        if found is not None:
            self._brought[sought.task_id] = found
        return reading_of(both, task)

    async def _give_out(self, study: StudyTask) -> SubagentResult[Study]:
        return await delegate(STUDY, study, self.run.state.route, waiting=self.tasks.batches.wait)

    def _with_addresses(self, source: SourceRef) -> SourceRef:
        """The source, and every public address at which this run has met the same."""
        kept = self.run.state.shelf.get(source.id)
        met = [each for each in (kept.copies if kept else ()) if web_host(each)]
        return source.model_copy(update={"also_at": tuple(dict.fromkeys((*source.also_at, *met)))})


def _had(reading: Reading) -> SubagentResult[Reading]:
    """The envelope of a reading that is there already."""
    task = reading_task(reading.source)
    return SubagentResult(
        status=Status.SUCCESS,
        task_id=task.task_id,
        agent_type=AgentType.READER,
        task_description=task.description,
        result=reading,
        completeness=1.0,
        attempts=0,
    )


def _host(source: SourceRef) -> str | None:
    """Who publishes a source, by whom its credentials are; None in a corpus on this machine."""
    if source.corpus is not None:
        return None
    return web_host(source.url) or None  # an address that is none fails when it is read
