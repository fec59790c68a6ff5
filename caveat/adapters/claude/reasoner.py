"""The reasoner that is Claude: each role a model, each answer checked by code."""

from dataclasses import dataclass, field, replace
from typing import TypeVar

from pydantic import BaseModel

from caveat.adapters.claude.messages.dialogue import Dialogue
from caveat.adapters.claude.messages.prices import Prices, Tokens
from caveat.adapters.claude.messages.problems import Purpose
from caveat.contracts.phase import Rate, RateCard, Step
from caveat.contracts.plan import ReasonerCard
from caveat.contracts.source import Snapshot
from caveat.ports import Answer
from caveat.roles.models import SETTINGS, Models
from caveat.roles.role import (
    NO_TEXT,
    A,
    LanguageModel,
    ModelSettings,
    OnPartial,
    Question,
    Role,
    V,
    compute_least_room,
    ignore,
)
from caveat.rules.report.disclosure import write_disclosure
from caveat.rules.text.words import LANGUAGES

M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class ClaudeReasoner:
    """Plans, reads and writes with language models; see `roles.role.Reasoner`."""

    # Each task takes one call and at most one more, to mend what code found wrong; where there is
    # no answer, a `PortFailure` says what was spent.

    dialogue: Dialogue
    models: Models = field(default_factory=Models)

    @property
    def card(self) -> ReasonerCard:
        """Who this is, as every report states it."""
        return ReasonerCard(
            name="claude", disclosure=write_disclosure(self.models.names), uses_language_model=True
        )

    async def rate_card(self) -> RateCard:
        """What a call of each role takes at most."""
        prices, roles = self.dialogue.connection.prices, SETTINGS.values()
        return RateCard(
            rates=tuple(
                _rate(role, role.step, self.models.find_model(role), prices)
                for role in roles
                if role.step is not None
            )
        )

    async def ask(
        self, role: Role[A, V], task: A, text: Snapshot = NO_TEXT, on_partial: OnPartial = ignore
    ) -> Answer[V]:
        longest = self.dialogue.connection.capabilities.longest
        return await role.play(task, _Played(text, on_partial, longest, self, role.settings))


@dataclass(frozen=True)
class _Played(LanguageModel):
    reasoner: ClaudeReasoner
    settings: ModelSettings  # of the role

    async def ask(self, question: Question[M]) -> Answer[tuple[M, ...]]:
        chosen, wanted = question.settings or self.settings, question.task.language
        if wanted is not None:
            language = f"\n\nWrite your own words in {LANGUAGES.get(wanted, wanted)}. "
            language += "Copy quotes and queries in the sources' language."
            question = replace(question, content=question.content + language)
        dialogue, model = self.reasoner.dialogue, self.reasoner.models.find_model(chosen)
        provider = dialogue.connection.provider
        purpose = Purpose(question.agent or chosen.agent, model, question.about, provider)
        system = "\n\n".join(filter(None, (chosen.instructions, question.own)))
        return await dialogue.ask(question, purpose, system, chosen.bounds)


SEARCH_RESULTS = 25_000
"""Tokens that one web search puts into its model's prompt: ten results of a long passage each have
about 20,000."""

OVERHEAD = 1_500
"""Tokens of a call beside its material: the longest role's instructions and schema are some 800,
the topic has at most 2,000 characters."""

_PROMPT = 100_000  # tokens of a long prompt, whose rates hold where short ones are cheaper


def _rate(settings: ModelSettings, step: Step, model: str, prices: Prices) -> Rate:
    nothing = prices.compute_cost(model, Tokens(fresh=_PROMPT))
    sent = prices.compute_cost(model, Tokens(written=_PROMPT))
    received = prices.compute_cost(model, Tokens(fresh=_PROMPT, output=_PROMPT))
    known = nothing is not None and sent is not None and received is not None
    search = prices.compute_cost(model, Tokens(fresh=_PROMPT, web_searches=settings.searches))
    return Rate(
        step=step,
        room=settings.bounds.most,
        least=compute_least_room(settings.bounds.room),
        overhead=OVERHEAD + settings.searches * SEARCH_RESULTS,
        input_usd=(sent or 0.0) / _PROMPT if known else None,
        output_usd=((received or 0.0) - (nothing or 0.0)) / _PROMPT if known else None,
        call_usd=(search or 0.0) - (nothing or 0.0) if known else 0.0,
    )
