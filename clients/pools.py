"""Worker pools: who works for which reasoner on a server, and what waits there for nobody."""

from dataclasses import dataclass, field

from temporalio.api.enums.v1 import TaskQueueType
from temporalio.client import Client

from caveat.clients.pollers import polling, told
from caveat.clients.translation import translated
from caveat.contracts.backend import Backend, Route
from caveat.contracts.base import Contract
from caveat.rendering.backends import in_words, waiting_words
from caveat.workers.own_queues import route_in
from caveat.workers.succession import backend_of
from caveat.workflows.names import GOES_ON, IS_RUN, QUEUE, Lane, queue_of

_ACTIVITIES = TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY

_UNDECIDED = queue_of(QUEUE, Lane.FETCH, Route())
"""Where runs begin that have not decided who works on them: polled by the workers of everybody."""


class Pool(Contract):
    """The workers of one backend.

    Attributes:
        id: of the backend; its queues are named by it.
        reasoner: the backend in words.
        workers: identities of processes, `number@machine`.
        runs: those that go on and are this backend's.
        waiting: tasks for the reasoner that nobody has begun.
        needs: what is to be done where runs have no worker; None where nothing is.
    """

    id: str
    reasoner: str
    workers: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    waiting: int = 0
    needs: str | None = None


@dataclass
class _Found:
    words: str
    backend: Backend | None = None
    queues: set[str] = field(default_factory=set)
    runs: list[str] = field(default_factory=list)


async def pools(client: Client) -> list[Pool]:
    """List the pools of a server, those without any worker first."""
    says = await told(client)
    found: dict[str, _Found] = {}
    there, _ = await polling(client, _UNDECIDED, _ACTIVITIES, says)
    for name, words in filter(None, map(backend_of, there)):
        found[name] = _Found(words, queues={f"{QUEUE}{Lane.REASON}.{name}"})
    with translated():
        query = f"{IS_RUN} AND {GOES_ON} AND TaskQueue = '{QUEUE}'"
        async for execution in client.list_workflows(query):
            route = await route_in(execution)
            if route is not None and route.backend is not None:
                one = found.setdefault(route.backend.id, _Found(in_words(route.backend)))
                one.backend = route.backend
                one.runs.append(execution.id)
                for each in (route, Route(backend=route.backend)):
                    one.queues.add(queue_of(QUEUE, Lane.REASON, each))
    made = [await _pool(client, name, one, says) for name, one in found.items()]
    return sorted(made, key=lambda each: (bool(each.workers), each.reasoner))


async def _pool(
    client: Client, name: str, found: _Found, says: dict[tuple[str, str], bool]
) -> Pool:
    identities: set[str] = set()
    waiting = 0
    for queue in found.queues:
        there, backlog = await polling(client, queue, _ACTIVITIES, says)
        identities.update(there)
        waiting += backlog
    is_left = found.runs and not identities
    return Pool(
        id=name,
        reasoner=found.words,
        workers=tuple(sorted({each.partition(" ")[0] for each in identities})),
        runs=tuple(sorted(found.runs)),
        waiting=waiting,
        needs=waiting_words(found.backend, is_there=False) if is_left else None,
    )
