"""The base of every model that crosses a boundary."""

from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

_NAMED: dict[frozenset[str], set[str]] = {}
"""Each set of names of fields that some contract was made with, once."""


class Contract(BaseModel):
    """A frozen model that ignores unknown fields.

    Two versions share a queue, so histories and stores may hold later fields. What a person sends
    goes through `parse_sent`, which refuses them. Collections are tuples, so that a validated
    contract stays valid. Validators are built on first use.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)

    @classmethod
    def parse_sent(cls, sent: object) -> Self:
        """Validate what a person sent, and refuse unknown fields.

        Raises:
            ValidationError: it is invalid.
        """
        return cls.model_validate(sent, extra="forbid")

    def write_sent(self) -> dict[str, Any]:
        """Serialise without defaults that an earlier version may not know."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def model_post_init(self, context: Any, /) -> None:
        """Share the set of field names among equal ones."""
        # Pydantic gives each a set of its own, which takes twice the memory of the fields: 1.2 KB a
        # claim. Nothing changes it, as contracts are frozen and copies begin with one of their own.
        own = self.__pydantic_fields_set__
        object.__setattr__(self, "__pydantic_fields_set__", _NAMED.setdefault(frozenset(own), own))

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Copy, and share as in `model_post_init`."""
        copied = super().model_copy(update=update, deep=deep)
        copied.model_post_init(None)
        return copied


def build(kind: type[Contract] = Contract) -> None:
    """Build the validators of every loaded contract at once."""
    # One that is built by itself builds all that it holds with it, each time anew.
    for each in kind.__subclasses__():
        each.model_rebuild(raise_errors=False)
        build(each)
