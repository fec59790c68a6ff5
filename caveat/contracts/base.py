"""The base of every model that crosses a boundary."""

from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

_NAMED: dict[frozenset[str], set[str]] = {}
"""Each set of names of fields that some contract was made with, once."""


class Contract(BaseModel):
    """A frozen value that ignores fields which it does not know.

    Histories, stores and other workers may hold what a later version wrote: two versions share a
    queue. What a person sends goes through `parse_sent`, which refuses such fields.

    Collections are tuples, so that a contract cannot change after it was validated. What validates
    it is built when it is first needed, as most processes need few contracts.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)

    @classmethod
    def parse_sent(cls, sent: object) -> Self:
        """Validate what a person sent: a field that is not known is a mistake.

        Raises:
            ValidationError: it is not valid.
        """
        return cls.model_validate(sent, extra="forbid")

    def write_sent(self) -> dict[str, Any]:
        """Write what a person sends, without defaults that an earlier version may not know."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def model_post_init(self, context: Any, /) -> None:
        """Share the names of the fields that were set with all that were made with the same."""
        # Pydantic gives each a set of its own, which takes twice the memory of the fields: 1.2 KB a
        # claim. Nothing changes it, as contracts are frozen and copies begin with one of their own.
        own = self.__pydantic_fields_set__
        object.__setattr__(self, "__pydantic_fields_set__", _NAMED.setdefault(frozenset(own), own))

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Copy as Pydantic does, and share as in `model_post_init`."""
        copied = super().model_copy(update=update, deep=deep)
        copied.model_post_init(None)
        return copied


def build(kind: type[Contract] = Contract) -> None:
    """Build what validates every contract that is loaded, for a process that needs most of them."""
    # One that is built by itself builds all that it holds with it, each time anew.
    for each in kind.__subclasses__():
        each.model_rebuild(raise_errors=False)
        build(each)
