"""Several engines as one."""

from dataclasses import dataclass, field

import pytest

from caveat.adapters.search.several import SeveralEngines
from caveat.contracts.envelope import Usage
from caveat.contracts.failure import FailureType
from caveat.contracts.source import Hit, SearchResults, SourceKind, SourceRef
from caveat.contracts.tasks import SearchTask
from caveat.failures import PartlySearched, PortFailure, forbidden, unavailable
from tests.caveat.adapters.search.conftest import a_task, failure_of


@dataclass
class Engine:
    """Answers with what it is given."""

    found: tuple[SourceRef, ...] = ()
    failure: PortFailure | None = None
    usage: Usage = field(default_factory=Usage)
    asked: list[SearchTask] = field(default_factory=list)

    async def search(self, task: SearchTask) -> SearchResults:
        self.asked.append(task)
        if self.failure is not None:
            raise self.failure
        hits = tuple(Hit(source=source, score=9.0, passages=("p. 1",)) for source in self.found)
        return SearchResults(query=task.query, hits=hits, usage=self.usage)


def source(name: str, **more: object) -> SourceRef:
    plain = SourceRef(id=f"s-{name}", title=name, url=f"https://moons.test/{name}")
    return plain.model_copy(update=more)


def names(found: SearchResults) -> list[str]:
    return [hit.source.title for hit in found.hits]


async def test_agreement_between_engines_comes_first() -> None:
    one = Engine((source("a"), source("b"), source("c")))
    two = Engine((source("d"), source("c")))
    found = await SeveralEngines({"one": one, "two": two}).search(a_task(limit=3))
    assert names(found) == ["c", "a", "d"]
    assert [hit.score for hit in found.hits] == sorted((h.score for h in found.hits), reverse=True)


async def test_what_engines_know_of_one_source_is_put_together() -> None:
    bare = source("a")
    known = source("a", kind=SourceKind.PREPRINT, citations=7, corpus="/c", path="a.md", url=None)
    for order in ((bare, known), (known, bare)):
        several = SeveralEngines({str(n): Engine((each,)) for n, each in enumerate(order)})
        (hit,) = (await several.search(a_task())).hits
        assert hit.source == known.model_copy(update={"url": bare.url})
        assert hit.passages == ("p. 1",)


async def test_nothing_from_all_is_nothing() -> None:
    several = SeveralEngines({"one": Engine(), "two": Engine()})
    assert await several.search(a_task()) == SearchResults(query="moons of Jupiter")


async def test_one_engine_that_fails_is_named_and_the_others_results_are_kept() -> None:
    failing = Engine(failure=unavailable("The engine one is down.", resource="one"))
    several = SeveralEngines({"one": failing, "two": Engine((source("a"),))})
    with pytest.raises(PartlySearched) as raised:
        await several.search(a_task())
    assert names(raised.value.results) == ["a"]
    assert raised.value.failures == (failing.failure.failure,) if failing.failure else ()
    assert raised.value.failure.message == "The engine one is down."


async def test_a_failure_beside_an_engine_that_found_nothing_is_no_empty_result() -> None:
    failing = Engine(failure=unavailable("The engine one is down.", resource="one"))
    with pytest.raises(PartlySearched) as raised:
        await SeveralEngines({"one": failing, "two": Engine()}).search(a_task())
    assert raised.value.results.hits == ()


async def test_when_all_fail_the_failure_names_all_and_is_the_one_that_may_pass() -> None:
    refused = Engine(failure=forbidden("The engine one refuses.", resource="one"))
    down = Engine(failure=unavailable("The engine two is down.", resource="two"))
    several = SeveralEngines({"one": refused, "two": down})
    failed = await failure_of(several.search(a_task()))
    assert failed.failure_type is FailureType.UNAVAILABLE
    assert failed.attempted == ("The engine one refuses.", "The engine two is down.")


CALL = Usage(model_calls=1, input_tokens=10, cost_usd=0.01)


def refusal() -> Engine:
    failure = forbidden("The engine refuses.", resource="engine").failure
    return Engine(failure=PortFailure(failure, CALL))


async def test_what_engines_cost_is_summed_up_also_where_they_fail() -> None:
    paid, free = Engine((source("a"),), usage=CALL), Engine()
    found = await SeveralEngines({"one": paid, "two": free, "three": paid}).search(a_task())
    assert found.usage == CALL + CALL
    with pytest.raises(PartlySearched) as partly:
        await SeveralEngines({"one": paid, "two": refusal()}).search(a_task())
    assert (partly.value.usage, partly.value.results.usage) == (CALL + CALL, CALL)
    with pytest.raises(PortFailure) as failed:
        await SeveralEngines({"one": refusal(), "two": refusal()}).search(a_task())
    assert failed.value.usage == CALL + CALL


async def test_a_mistake_in_an_engine_is_not_taken_for_a_failure() -> None:
    class Broken:
        async def search(self, task: SearchTask) -> SearchResults:
            raise KeyError(task.query)

    with pytest.raises(KeyError):
        await SeveralEngines({"one": Broken(), "two": Engine()}).search(a_task())
