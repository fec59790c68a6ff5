"""The base of every model that crosses a boundary."""

from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field

Amount = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]


class Contract(BaseModel):
    """A frozen model that ignores unknown fields.

    Two versions share a queue, so histories and stores may hold later fields. What a person sends
    goes through `parse_sent`, which refuses them. Collections are tuples, so that a validated
    contract stays valid. Validators are built on first use.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)

    @classmethod
    def parse_sent(cls, sent: object) -> Self:
        """Validate what a person sent; unknown fields raise a `ValidationError` as well."""
        return cls.model_validate(sent, extra="forbid")

    def write_sent(self) -> dict[str, Any]:
        """Serialise without defaults that an earlier version may not know."""
        return self.model_dump(mode="json", exclude_defaults=True)


def build(kind: type[Contract] = Contract) -> None:
    """Build the validators of every loaded contract at once."""
    # One that is built by itself builds all that it holds with it, each time anew.
    for each in kind.__subclasses__():
        each.model_rebuild(raise_errors=False)
        build(each)
