"""What other installed packages fill ports with, where the settings name it (docs/extending.md)."""

# ruff: noqa: PLC0415  # an HTTP client takes longer to import than the rest of a worker

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from caveat.adapters.corpus.index import CorpusIndex
from caveat.adapters.extractive.reasoner import ExtractiveReasoner
from caveat.contracts.plan import ReasonerCard
from caveat.plugins import Kind, PluginProblem, made
from caveat.ports import Identified, Identity, Notifier, Reasoner
from caveat.workers.searches import user_agent
from caveat.workers.settings import OWN_REASONERS, Settings, SettingsProblem

if TYPE_CHECKING:
    from caveat.adapters.http.client import Client


@dataclass(frozen=True)
class ReasonerResources:
    """What the factory of a reasoner of another package may use.

    Attributes:
        client: sends requests within the bounds that all of Caveat's keep.
        setting: returns a setting or a secret by its name, None where there is none.
        by_rules: the reasoner without a model, to which any method may be handed.
    """

    client: "Client"
    setting: Callable[[str], str | None]
    by_rules: Reasoner


def offered_reasoner(settings: Settings, index: CorpusIndex) -> Reasoner:
    """Have another package make the reasoner that the settings name.

    Raises:
        SettingsProblem: it cannot be had, or goes by another name.
    """
    from caveat.adapters.http.client import operators_client
    from caveat.adapters.search.asking import setting

    name = settings.offered_reasoner or ""
    given = ReasonerResources(
        client=operators_client(user_agent(settings)),
        setting=setting,
        by_rules=ExtractiveReasoner(vocabulary=index, similarity=index.similarity),
    )
    try:
        reasoner: Reasoner = made(Kind.REASONER, name, given, "synthesise", OWN_REASONERS)
    except PluginProblem as problem:
        raise SettingsProblem(f"CAVEAT_REASONER cannot be used: {problem}") from None
    card = getattr(reasoner, "card", None)
    if not isinstance(card, ReasonerCard) or card.name != name:
        raise SettingsProblem(
            f"CAVEAT_REASONER cannot be used: what “{name}” makes must have a card of that name."
        )
    return reasoner


def identity(settings: Settings) -> Identity:
    """Say who is asked and who pays where a reasoner of another package works.

    Raises:
        SettingsProblem: as of `offered_reasoner`.
    """
    reasoner = offered_reasoner(settings, CorpusIndex(settings.index_folder, None))
    return reasoner.identity() if isinstance(reasoner, Identified) else Identity()


def offered_notifiers(settings: Settings) -> tuple[Notifier, ...]:
    """Have other packages make the notifiers that the settings name.

    Raises:
        SettingsProblem: one cannot be had.
    """
    return tuple(_notifier(name, settings) for name in settings.notifiers)


def _notifier(name: str, settings: Settings) -> Notifier:
    from caveat.adapters.http.client import operators_client
    from caveat.adapters.search.asking import Resources

    resources = Resources(operators_client(user_agent(settings)))
    try:
        notifier: Notifier = made(Kind.NOTIFIER, name, resources, "notify")
    except PluginProblem as problem:
        raise SettingsProblem(f"CAVEAT_NOTIFIERS cannot be used: {problem}") from None
    return notifier
