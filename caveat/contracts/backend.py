"""Who reasons and searches for a run: decided when it starts, and the same to its end."""

import hashlib
from typing import Annotated

from pydantic import Field

from caveat.contracts.base import Contract

ReasonerName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,39}$")]
"""A reasoner by its short name: `extractive` or `claude`."""


class Backend(Contract):
    """A reasoner with everything that decides where a run's texts go and what comes back."""

    reasoner: ReasonerName  # its short name, as on its card
    # `role=name`, every role, in a fixed order; empty without a language model
    models: tuple[str, ...] = ()
    # the host that serves the models; empty for the provider's own, or without models
    server: str = ""
    # the search engines that were chosen by name; empty for those that go with the reasoner
    engines: tuple[str, ...] = ()
    # which keys and accounts it uses, as a name that does not reveal them
    # (docs/decisions/0009-backends.md); empty where it uses none
    credentials: str = ""
    # the cloud that serves the models; None where their maker does, or nobody. Left out then, so
    # that ids of runs are what they were before there were clouds.
    provider: str | None = Field(
        default=None, pattern=r"^[a-z][a-z0-9-]{0,39}$", exclude_if=lambda name: name is None
    )

    @property
    def id(self) -> str:
        """A unique short name: the reasoner, and a digest of the rest."""
        digest = hashlib.sha256(self.model_dump_json().encode()).hexdigest()
        return f"{self.reasoner}-{digest[:12]}"


class Route(Contract):
    """The workers of a run's tasks."""

    # the reasoner that was asked for, where nothing more is decided yet
    reasoner: str | None = None
    backend: Backend | None = None  # what works on the run, once it is decided
