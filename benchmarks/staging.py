"""The scripted world of one run of benchmarks/recovery.py: ports that know the hidden truth."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import product

from temporalio import activity

from benchmarks.mix import SHARE_OF_QUERY, Fate, Mix, Place, Script, Sort
from benchmarks.truth import Attempt, Configuration, Detail, Keys, Means, Piece
from caveat.contracts.envelope import Failure, FailureCategory
from caveat.contracts.outcome import Work
from caveat.contracts.source import Analysis, SearchResults, Snapshot, SourceRef
from caveat.contracts.tasks import AnalysisTask, SearchTask
from caveat.failures import PortFailure, forbidden
from caveat.ports import Answer, Document
from caveat.rules.sources.elsewhere import list_alternatives, suggest_query
from caveat.workers.wiring import Ports
from tests.fakes.ports import (
    FakeCredentials,
    FakeEngine,
    FakeLibrary,
    FakeReasoner,
    Page,
    World,
    ports_of,
)

ANGLES = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")
ADDRESSES: dict[Sort, str] = {
    "page": "https://pages.test/{}",
    "article": "https://journal.test/doi/10.1000/{}",
    "paper": "https://arxiv.org/pdf/2601.{:05}",
}
"""An address of each sort, by the number of a source."""
REASONING = ("plan", "reformulate", "analyse", "detect", "debate", "synthesise", "verify", "revise")
"""What the reasoner is called for."""


@dataclass
class Stage:
    """One run, its failing pieces of work, and what became of them."""

    configuration: Configuration  # what its subagents report
    world: World  # everything behind its ports
    pieces: tuple[Piece, ...]  # those that fail
    # the same by the sort of work and its input, other queries among them
    inputs: dict[tuple[Work, str], Piece]
    spares: tuple[frozenset[str], ...]  # names of the sources to spare, by assignment
    keys: Keys  # the credentials
    # names of the sources that were read and analysed
    delivered: set[str] = field(default_factory=set)

    def attempt(
        self, work: Work, given: str, *, elsewhere: str = "", start: float = 0.0
    ) -> tuple[Failure, float | None] | None:
        """Attempt a piece of work.

        Args:
            work: what sort of work it is.
            given: its input, or that of the task that it recovers.
            elsewhere: another input that was given in its place.
            start: share of the text before which nothing is looked at.

        Returns:
            None when it works; otherwise the failure as the configuration reports it, and the
            share of the text that the attempt got through, if it is one that breaks off.
        """
        piece = self.inputs.get((work, given))
        if piece is None:
            return None
        attempt = Attempt(elsewhere, start, activity.info().started_time)
        failure = piece.attempted(attempt)
        if failure is None:
            return None
        return self.configuration.told(failure), piece.reached(attempt)

    @property
    def model_calls(self) -> int:
        """Calls to the reasoner, every attempt counted."""
        calls = self.world.calls
        return sum(calls[kind] for kind in REASONING)

    def credit_spares(self) -> None:
        """Say which lost sources had another one read and analysed in their place.

        Spare sources of an assignment that lost a search stand in for that search's sources
        first, which recovers nothing, and only the rest of them for lost readings and analyses.
        """
        for number, spares in enumerate(self.spares):
            lost = [
                piece
                for piece in self.pieces
                if piece.fate.place.assignment == number and piece.means is None
            ]
            searches = [piece for piece in lost if piece.fate.place.work is Work.SEARCH]
            sources = [piece for piece in lost if piece.fate.place.work is not Work.SEARCH]
            left = len(spares & self.delivered) - SHARE_OF_QUERY * len(searches)
            for piece in sources[: max(0, left)]:
                piece.means = Means.SPARE


def staged(mix: Mix, script: Script, configuration: Configuration) -> tuple[Stage, Ports]:
    """Set the stage for one run, anew for each configuration."""
    answers, spares = _library(mix, script)
    keys = Keys()
    pieces = tuple(_piece(fate, keys) for fate in script.fates)
    typed = {
        (at.assignment, at.query): _input(fate)
        for fate in script.fates
        if (at := fate.place).work is Work.SEARCH
    }
    world = World(
        pages=[Page(name, _text(name)) for names in answers.values() for name in names],
        angles={
            _title(number): tuple(
                typed.get((number, query), _query(number, query))
                for query in range(mix.runs.queries)
            )
            for number in range(mix.runs.assignments)
        },
        answers={**answers, **{typed[at]: answers[_query(*at)] for at in typed}},
        uses_model=True,
    )
    inputs = {(piece.fate.place.work, _input(piece.fate)): piece for piece in pieces}
    inputs |= {
        (Work.SEARCH, other): piece
        for piece in pieces
        for other in piece.alternatives
        if piece.fate.place.work is Work.SEARCH
    }
    stage = Stage(configuration, world, pieces, inputs, spares, keys)
    return stage, _ports(stage)


def _title(assignment: int) -> str:
    return f"{ANGLES[assignment].capitalize()} widths"


def _query(assignment: int, query: int) -> str:
    return f"{ANGLES[assignment]} {query + 1}"


def _source(place: Place) -> str:
    return f"{_query(place.assignment, place.query)} source {place.source + 1}"


def _input(fate: Fate) -> str:
    place = fate.place
    match place.work:
        case Work.SEARCH:
            return _typed(place) if _is_refused(fate) else _query(place.assignment, place.query)
        case _:
            return _source(place)


def _is_refused(fate: Fate) -> bool:
    """Whether an engine refuses a query for what is written in it."""
    return fate.row.category is FailureCategory.VALIDATION


def _typed(place: Place) -> str:
    """Write a query as engines refuse it: with signs that mean something to some of them."""
    return f'"{ANGLES[place.assignment]}" AND {place.query + 1}'


def _described(fate: Fate) -> str:
    """Describe a task as the coordinator does: the name by which its report knows it."""
    match fate.place.work:
        case Work.SEARCH:
            return f"Search “{_input(fate)}”"
        case Work.READ:
            return f"Read “{_source(fate.place)}”"
        case _:
            return f"Find what “{_source(fate.place)}” says"


def _piece(fate: Fate, keys: Keys) -> Piece:
    return Piece(fate, _alternatives(fate), _described(fate), keys)


def _alternatives(fate: Fate) -> tuple[str, ...]:
    """What the adapters themselves would suggest: by the functions that they call."""
    place = fate.place
    match place.work:
        case Work.SEARCH:
            return suggest_query(_input(fate)) if _is_refused(fate) else ()
        case Work.READ:
            about = fate.whereabouts
            number = (place.assignment * 10 + place.query) * 10 + place.source
            stated = (f"https://other.test/{number}",) if about.known else ()
            address = ADDRESSES[about.sort].format(number)
            return list_alternatives(address, fate.row.failure_type, stated)
        case _:
            return ()


def _library(
    mix: Mix, script: Script
) -> tuple[dict[str, tuple[str, ...]], tuple[frozenset[str], ...]]:
    """Give each query its own sources, and the spare ones behind them in turn."""
    answers: dict[str, tuple[str, ...]] = {}
    for number, query in product(range(mix.runs.assignments), range(mix.runs.queries)):
        own = [_source(Place(Work.READ, number, query, source)) for source in range(SHARE_OF_QUERY)]
        answers[_query(number, query)] = (*own, *_spares(mix, script, number, query))
    spares = tuple(
        frozenset(
            name
            for query in range(mix.runs.queries)
            for name in _spares(mix, script, number, query)
        )
        for number in range(mix.runs.assignments)
    )
    return answers, spares


def _spares(mix: Mix, script: Script, assignment: int, query: int) -> list[str]:
    numbers = range(query, script.spares[assignment], mix.runs.queries)
    return [f"{ANGLES[assignment]} spare {number + 1}" for number in numbers]


def _text(name: str) -> str:
    """Write a text that is no copy of another and makes one claim."""
    angle, *rest = name.split()
    filler = " ".join(f"{''.join(name.split())}w{word}" for word in range(40))
    return f"{angle.capitalize()} is told of by {' '.join(rest)}. The rest is about {filler}"


@dataclass(frozen=True)
class _Engine(FakeEngine):
    stage: Stage

    async def search(self, task: SearchTask) -> SearchResults:
        results = await super().search(task)
        piece = self.stage.inputs.get((Work.SEARCH, task.query))
        other = task.query if piece and task.query in piece.alternatives else ""
        failed = self.stage.attempt(Work.SEARCH, task.query, elsewhere=other)
        if failed is not None:
            raise PortFailure(failed[0])
        return results


@dataclass(frozen=True)
class _Library(FakeLibrary):
    stage: Stage

    async def read(self, source: SourceRef) -> Document:
        # The sources of this world have no address but where they are read instead.
        failed = self.stage.attempt(Work.READ, source.title, elsewhere=source.url or "")
        if failed is not None:
            raise PortFailure(failed[0])
        at_home = {"path": f"{source.title}.md", "url": None}
        return await super().read(source.model_copy(update=at_home))


@dataclass(frozen=True)
class _Reasoner(FakeReasoner):
    stage: Stage

    async def analyse(
        self, task: AnalysisTask, snapshot: Snapshot, on_partial: Callable[[Analysis, float], None]
    ) -> Answer[Analysis]:
        answer = await super().analyse(task, snapshot, on_partial)
        size = len(snapshot.text)
        given = task.source.title
        failed = self.stage.attempt(Work.ANALYSE, given, start=task.start_at / size)
        if failed is None:
            self.stage.delivered.add(task.source.title)
            return answer
        failure, reached = failed
        if reached is not None and Detail.PARTIAL in self.stage.configuration.details:
            read_to = int(reached * size)
            claims = tuple(claim for claim in answer.value.claims if claim.end <= read_to)
            on_partial(Analysis(claims=claims, read_to=read_to), reached)
        raise PortFailure(failure)


@dataclass(frozen=True)
class _Credentials(FakeCredentials):
    stage: Stage

    async def refresh(self, provider: str) -> None:
        await super().refresh(provider)
        fates = (piece.fate for piece in self.stage.pieces)
        if any(fate.provider == provider and fate.row.key == "revoked" for fate in fates):
            raise forbidden("The key was withdrawn.", resource=provider)
        self.stage.keys.refreshed.add(provider)


def _ports(stage: Stage) -> Ports:
    world = stage.world
    return replace(
        ports_of(world),
        reasoner=_Reasoner(world, stage),
        engine=_Engine(world, stage),
        library=_Library(world, stage),
        credentials=_Credentials(world, stage),
    )
