"""What Caveat asks of whatever fills a port, for the tests of packages that offer one.

Each function takes what fills the port, uses it as runs do, and raises `AssertionError` with a
sentence where a promise is broken; it needs no server and no test runner. Caveat's own adapters are
held to the same functions.
"""

import datetime as dt
import hashlib
import random
import re
from collections.abc import Awaitable, Callable, Iterable

from caveat.adapters.documents.loaded import Loaded, Unreadable
from caveat.contracts.claim import Analysis, Claim
from caveat.contracts.debate import Participant
from caveat.contracts.failure import Failure
from caveat.contracts.notice import Notice
from caveat.contracts.plan import Assignment, Depth, ReasonerCard
from caveat.contracts.source import SearchResults, Snapshot, SourceRef
from caveat.contracts.spending import Tariff
from caveat.contracts.synthesis import AngleEvidence, Synthesis, SynthesisInput
from caveat.contracts.tasks import (
    AnalysisTask,
    DebateTask,
    DetectionTask,
    PlanningTask,
    SearchTask,
    SynthesisTask,
    VerificationTask,
)
from caveat.failures import PortFailure
from caveat.ports import Notifier, SearchEngine
from caveat.roles.analyst import ANALYSE
from caveat.roles.debater import DEBATE
from caveat.roles.detector import DETECT
from caveat.roles.planner import PLAN
from caveat.roles.role import Reasoner
from caveat.roles.synthesiser import SYNTHESISE
from caveat.roles.verifier import VERIFY

TOPIC = "How wide is the Halvorsen bridge?"

TEXT = (
    "The Halvorsen bridge was opened in 1931. The Halvorsen bridge is 21.5 metres wide, and its "
    "deck has six lanes. Trams have not crossed it since 1968."
)

_MARKER = re.compile(r"\[(c\d+)\]")
_ENTRY_POINT = re.compile(r"[a-z][a-z0-9-]{0,39}")


async def check_reasoner(reasoner: Reasoner, name: str) -> None:
    """Have a reasoner do every kind of task once.

    Raises:
        AssertionError: it breaks a promise of the port.
    """
    card = reasoner.card
    _promise(isinstance(card, ReasonerCard), "its card is no `ReasonerCard`")
    _promise(card.name == name, f"its card says {card.name!r}, and its entry point {name!r}")
    _promise(bool(_ENTRY_POINT.fullmatch(name)), f"{name!r} is no name: small letters and dashes")
    _promise(bool(card.disclosure.strip()), "its card says nothing of what it cannot do")
    _promise(isinstance(await reasoner.tariff(), Tariff), "its tariff is no `Tariff`")
    assignment = await _planned(reasoner)
    claims = await _analysed(reasoner, assignment)
    await _compared(reasoner, assignment, claims)
    await _written(reasoner, assignment, claims)


async def check_search_engine(engine: SearchEngine, query: str, corpus: str = "") -> SearchResults:
    """Put a query to an engine that finds something, and one that nobody can answer.

    Args:
        query: which finds at least one source.
        corpus: a folder, where it searches folders.

    Returns:
        What it found.

    Raises:
        AssertionError: it breaks a promise of the port.
    """
    folders = (corpus,) if corpus else ()
    task = SearchTask(task_id="s1", description="Search", query=query, corpus=folders, limit=3)
    found = await engine.search(task)
    _promise(isinstance(found, SearchResults), "what it returns is no `SearchResults`")
    _promise(found.query == query, "it answers another query than it was asked")
    _promise(bool(found.hits), f"it finds nothing for {query!r}")
    _promise(len(found.hits) <= task.limit, "it returns more sources than were asked for")
    ids = [each.id for hit in found.hits for each in (hit.source, *hit.copies)]
    _promise(len(set(ids)) == len(ids), "it returns a source twice")
    for hit in found.hits:
        whole = hit.source.url or (hit.source.corpus and hit.source.path)
        _promise(
            bool(whole), f"{hit.source.title!r} has neither an address nor a place in a folder"
        )
        _promise(bool(re.fullmatch("s-[0-9a-f]{10}", hit.source.id)), "an id is not `source_id(…)`")
    scores = [hit.score for hit in found.hits]
    _promise(scores == sorted(scores, reverse=True), "its best source does not come first")
    nonsense = f"qzxv{random.randrange(10**9)}wjkp"  # noqa: S311  # nothing secret
    nothing = await engine.search(task.model_copy(update={"query": nonsense}))
    _promise(nothing.hits == (), "it finds sources for a word that does not exist")
    return found


async def check_notifier(notifier: Notifier, notice: Notice) -> None:
    """Have a notice delivered twice, as after a crash: the receiver knows it by its id.

    Raises:
        AssertionError: it breaks a promise of the port.
    """
    for _ in range(2):
        await notifier.notify(notice)


def check_loader(load: Callable[[bytes], Loaded], document: bytes, says: str) -> Loaded:
    """Have a document read twice, and damaged ones refused.

    Returns:
        What was read.

    Raises:
        AssertionError: it breaks a promise.
    """
    found = load(document)
    _promise(isinstance(found, Loaded), "what it returns is no `Loaded`")
    _promise(says in found.snapshot.text, f"its text does not hold {says!r}")
    _promise(load(document) == found, "the same document gives another text the second time")
    offsets = [mark.offset for mark in found.snapshot.landmarks]
    _promise(offsets == sorted(offsets), "its landmarks are not in order")
    _promise(
        all(offset <= len(found.snapshot.text) for offset in offsets), "a landmark lies behind it"
    )
    for damaged in _damaged(document):
        try:
            _promise(isinstance(load(damaged), Loaded), "what it returns is no `Loaded`")
        except Unreadable:
            continue
        except Exception as error:  # which one it is, is what is looked at
            raise AssertionError(
                f"a damaged document raises {type(error).__name__} and not `Unreadable`"
            ) from error
    return found


async def check_fails_by_name(call: Awaitable[object]) -> Failure:
    """Have something fail as it does when its provider is away, and look how it says so.

    Returns:
        The failure.

    Raises:
        AssertionError: it does not fail, or otherwise than by a `PortFailure` with a sentence.
    """
    try:
        await call
    except PortFailure as failed:
        said = failed.failure.message.strip()
        _promise(
            len(said.split()) > 2, f"its failure says no more than {said!r}"
        )  # a sentence has three words
        return failed.failure
    except Exception as error:  # as above
        raise AssertionError(f"it raises {type(error).__name__} and no `PortFailure`") from error
    raise AssertionError("it does not fail")


async def _planned(reasoner: Reasoner) -> Assignment:
    task = PlanningTask(
        task_id="p1",
        description="Plan",
        topic=TOPIC,
        corpus=(),
        depth=Depth.OVERVIEW,
        team="general",
        wanted=2,
    )
    plan = (await reasoner.ask(PLAN, task)).value
    _promise(1 <= len(plan) <= task.wanted, f"it plans {len(plan)} angles where 1 to 2 are wanted")
    _promise(len({each.id for each in plan}) == len(plan), "two angles have one id")
    return plan[0]


async def _analysed(reasoner: Reasoner, assignment: Assignment) -> tuple[Claim, ...]:
    for text in ("Nothing here is about it.", TEXT):
        task = AnalysisTask(
            task_id="n1",
            description="Analyse",
            topic=TOPIC,
            corpus=(),
            assignments=(assignment,),
            source=_source(),
            snapshot_sha256=hashlib.sha256(text.encode()).hexdigest(),
            wanted=3,
        )
        found = (await reasoner.ask(ANALYSE, task, Snapshot(text=text), lambda _, __: None)).value
        _promise(isinstance(found, Analysis), "its analysis is no `Analysis`")
        _promise(len(found.claims) <= task.wanted, "it makes more claims than were wanted")
        _promise(found.read_to <= len(text), "it says that it read further than the text goes")
        for claim in found.claims:
            quoted = text[claim.start : claim.end] == claim.quote
            _promise(quoted, f"{claim.quote!r} does not stand where it says")
            _promise(claim.source_id == task.source.id, "a claim names another source")
            _promise(claim.assignment_id == assignment.id, "a claim names another angle")
            if not reasoner.card.uses_language_model:
                _promise(claim.text == claim.quote, "without a model, a claim is its quote")
    _promise(bool(found.claims), f"it finds nothing about {TOPIC!r} in {TEXT!r}")
    return tuple(
        claim.model_copy(update={"id": f"c{number}"})
        for number, claim in enumerate(found.claims, start=1)
    )


async def _compared(reasoner: Reasoner, assignment: Assignment, claims: tuple[Claim, ...]) -> None:
    task = DetectionTask(
        task_id="d1",
        description="Compare",
        topic=TOPIC,
        assignments=(assignment,),
        claims=claims,
        sources=(_source(),),
    )
    known = {claim.id for claim in claims}
    for each in (await reasoner.ask(DETECT, task)).value:
        _promise(set(each.claims) <= known, "a disagreement names a claim that it was not given")
    debate = DebateTask(
        task_id="e1",
        description="Debate",
        participant=Participant.SCEPTIC,
        topic=TOPIC,
        claims=claims,
        sources=(_source(),),
        today=dt.date(2026, 1, 1),
    )
    challenges = (await reasoner.ask(DEBATE, debate)).value
    _promise(isinstance(challenges, tuple), "what it has to say in a debate is no tuple")


async def _written(reasoner: Reasoner, assignment: Assignment, claims: tuple[Claim, ...]) -> None:
    evidence = SynthesisInput(
        topic=TOPIC,
        angles=(AngleEvidence(assignment=assignment, claims=claims),),
        sources=(_source(),),
    )
    task = SynthesisTask(task_id="y1", description="Synthesise", evidence=evidence)
    draft = (await reasoner.ask(SYNTHESISE, task)).value
    reading = VerificationTask(task_id="w1", description="Verify", evidence=evidence, draft=draft)
    read = (await reasoner.ask(VERIFY, reading)).value
    known = {claim.id for claim in claims}
    for synthesis in (draft, read):
        _promise(isinstance(synthesis, Synthesis), "what it writes is no `Synthesis`")
        _promise(len(synthesis.sections) == 1, "it does not write one section an angle")
        prose = " ".join([synthesis.summary, *(each.summary for each in synthesis.sections)])
        named = set(_MARKER.findall(prose))
        named.update(name for each in synthesis.sections for name in each.claim_ids)
        _promise(named <= known, f"it cites {sorted(named - known)}, which it was not given")


def _source() -> SourceRef:
    return SourceRef(id="s-0123456789", title="A survey of bridges", url="https://bridges.test/1")


def _damaged(document: bytes) -> Iterable[bytes]:
    chance = random.Random(1)  # noqa: S311  # to be had again
    yield b""
    yield document[: len(document) // 2]
    for _ in range(20):
        yield chance.randbytes(200)
        harmed = bytearray(document)
        harmed[chance.randrange(len(harmed))] = chance.randrange(256)
        yield bytes(harmed)


def _promise(kept: bool, broken: str) -> None:  # noqa: FBT001  # reads as a sentence
    if not kept:
        raise AssertionError(broken)
