"""The base of every model that crosses a boundary."""

from pydantic import BaseModel, ConfigDict


class Contract(BaseModel):
    """A frozen value that refuses what it does not know.

    Collections are tuples, so that a contract cannot change after it was validated.

    What validates it is built when it is first needed, as most processes need few contracts.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def build(kind: type[Contract] = Contract) -> None:
    """Build what validates every contract that is loaded, for a process that needs most of them.

    One that is built by itself builds all that it holds with it, each time anew.
    """
    for each in kind.__subclasses__():
        each.model_rebuild(raise_errors=False)
        build(each)
