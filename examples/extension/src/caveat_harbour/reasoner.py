"""A reasoner that trusts one thing only: sentences with a number in them."""

from dataclasses import dataclass
from typing import Any

from caveat.contracts.claim import Analysis
from caveat.contracts.plan import ReasonerCard
from caveat.contracts.spending import RateCard
from caveat.ports import Answer, Identity
from caveat.roles.role import Reasoner

CARD = ReasonerCard(
    name="harbour",
    disclosure="Harbour, no language model: it quotes sentences that state a number, and no other.",
    uses_language_model=False,
)


def make(resources: Any) -> "Harbour":
    """Make it; a reasoner of yours may take a key from `resources.setting("HARBOUR_KEY")`."""
    return Harbour(resources.by_rules, resources.setting("HARBOUR_MASTER") or "")


@dataclass(frozen=True)
class Harbour:
    """Chooses claims itself, and leaves the rest to the reasoner that goes by rules.

    Attributes:
        by_rules: Caveat's own reasoner without a model.
        master: whose harbour it is; a run stays with the master that it began with.
    """

    by_rules: Reasoner
    master: str

    card = CARD

    def identity(self) -> Identity:
        """Say what no worker with another master may work on."""
        return Identity(account=(self.master,) if self.master else ())

    async def rate_card(self) -> RateCard:
        """Say that nothing is paid for."""
        return RateCard()

    async def ask(self, role: Any, task: Any, *about: Any) -> Answer[Any]:
        """Keep the quotes that hold a digit, and leave other roles to the rules."""
        answer = await self.by_rules.ask(role, task, *about)
        if not isinstance(answer.value, Analysis):
            return answer
        found = answer.value
        claims = tuple(claim for claim in found.claims if any(map(str.isdigit, claim.quote)))
        return Answer(found.model_copy(update={"claims": claims}), answer.usage)
