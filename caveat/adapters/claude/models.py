"""Which model plays which role."""

from dataclasses import dataclass

OPUS = "claude-opus-5-5"
SONNET = "claude-sonnet-5-5"


@dataclass(frozen=True)
class Models:
    """A model for each role: the defaults, in one place.

    A run plans once and writes once, and both decide what everything else is worth: they have the
    most able model. What is done for every source or every claim has the one at half its price, and
    so has the report's final form, which decides nothing.

    Attributes:
        planning: splits the topic into angles.
        reformulation: rewords queries.
        analysis: reads sources.
        detection: finds the claims that disagree.
        debate: examines the claims.
        synthesis: writes.
        writing: puts what was written into its final form.
        search: searches the web; no part of the reasoner.
    """

    planning: str = OPUS
    reformulation: str = SONNET
    analysis: str = SONNET
    detection: str = SONNET
    debate: str = SONNET
    synthesis: str = OPUS
    writing: str = SONNET
    search: str = SONNET

    @classmethod
    def all_of(cls, model: str) -> "Models":
        """Let one model play every role, as a local server usually has only one."""
        return cls(model, model, model, model, model, model, model, model)

    @property
    def names(self) -> tuple[str, ...]:
        """Every model of the reasoner, each once, in the order of the roles."""
        roles = (
            *(self.planning, self.reformulation, self.analysis),
            *(self.detection, self.debate, self.synthesis, self.writing),
        )
        return tuple(dict.fromkeys(roles))
