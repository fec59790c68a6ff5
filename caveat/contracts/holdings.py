"""What a large run found, kept beside it: its tasks carry the address and not the claims."""

from pydantic import Field

from caveat.contracts.base import Contract
from caveat.contracts.investigation import Findings, Shelved


class Holdings(Contract):
    """All that a run found.

    Attributes:
        findings: what each assignment brought, in plan order.
        shelf: every source found, by id.
    """

    findings: tuple[Findings, ...]
    shelf: tuple[Shelved, ...]


class Held(Contract):
    """Where the holdings of a run are kept: the address of a snapshot, and its characters."""

    address: str
    characters: int = Field(ge=0)
