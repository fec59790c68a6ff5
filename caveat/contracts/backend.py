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
    models: tuple[str, ...] = ()  # `role=name`, every role, in a fixed order; empty without models
    server: str = ""  # the host that serves the models; empty for the provider's own, or for none
    engines: tuple[str, ...] = ()  # those chosen by name; empty for those that go with the reasoner
    credentials: str = ""  # its keys and accounts, by a name that tells none (decision 9); or empty
    # the cloud that serves the models, if any; else left out, so that ids of old runs stay
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

    reasoner: str | None = None  # the reasoner that was asked for, where nothing more is decided
    backend: Backend | None = None  # what works on the run, once it is decided
