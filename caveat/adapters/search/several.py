"""Several engines, each asked by its name."""

from collections.abc import Mapping
from dataclasses import dataclass

from caveat.contracts.failure import Failure, FailureCategory, FailureType
from caveat.contracts.source import SearchResults
from caveat.contracts.tasks import SearchTask
from caveat.failures import PortFailure
from caveat.ports import SearchEngine


@dataclass(frozen=True)
class SeveralEngines:
    """Puts a query to the engine that it names; see `ports.SearchEngines`.

    One engine a call, so that each answers, fails, waits and is tried again on its own account:
    what an engine has found is never asked for again because another one failed.

    Attributes:
        engines: by name, in the order that decides between equal places.
    """

    engines: Mapping[str, SearchEngine]

    def names(self, corpus: tuple[str, ...]) -> tuple[str, ...]:
        """Name all of them, whatever is searched."""
        del corpus
        return tuple(self.engines)

    async def search(self, task: SearchTask) -> SearchResults:
        """Run one query on the engine of its name.

        Raises:
            PortFailure: it failed, or is not set up here.
        """
        engine = self.engines.get(task.engine or "")
        if engine is None:
            raise _not_set_up(task.engine)
        return await engine.search(task)


def as_one(engines: Mapping[str, SearchEngine]) -> SearchEngine:
    """Make one engine of one or several."""
    return next(iter(engines.values())) if len(engines) == 1 else SeveralEngines(engines)


def _not_set_up(name: str | None) -> PortFailure:
    return PortFailure(
        Failure(
            category=FailureCategory.BUSINESS,
            failure_type=FailureType.PERMANENT,
            message=(
                f"The search engine “{name}” is not set up on the worker that was asked: name it "
                "in its CAVEAT_SEARCH."
                if name
                else "This worker has several search engines, and the search names none of them."
            ),
            resource=name,
            provider=name,
        )
    )
