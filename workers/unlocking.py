"""Whether a worker has the keys of what it is about to serve."""

from temporalio.client import Client

from caveat.workers.codec import key_of, keys_of
from caveat.workers.keys import MissingKey
from caveat.workflows.names import ARBITRATION, GOES_ON, RESEARCH

_OPEN = f"(WorkflowType = '{RESEARCH}' OR WorkflowType = '{ARBITRATION}') AND {GOES_ON}"

_LOOKED_AT = 1_000
"""Open runs that are looked at, the most that the server gives in one answer."""


async def require_keys(client: Client, queue: str) -> None:
    """Refuse to serve where open runs are encrypted with keys that are not here.

    Taking up their tasks all the same would let a run stand still, and spend attempts of its
    subagents that other workers could carry out.

    Args:
        client: of the server.
        queue: on which the runs wait that are to be served; others in the namespace are others'.

    Raises:
        MissingKey: names the first such run, and its key.
    """
    keys = keys_of(client.data_converter)
    query = f"{_OPEN} AND TaskQueue = '{queue}'"
    async for execution in client.list_workflows(query, limit=_LOOKED_AT):
        for payload in execution.raw_info.memo.fields.values():
            key = key_of(payload)
            if key is not None and not keys.has(key):
                raise MissingKey(key, keys.file, execution.id)
