"""The base of every model that crosses a boundary."""

from pydantic import BaseModel, ConfigDict


class Contract(BaseModel):
    """A frozen value that refuses what it does not know.

    Collections are tuples, so that a contract cannot change after it was validated.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
