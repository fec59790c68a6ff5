"""What a report says of who reasoned: by what answered, whatever was planned."""

import pytest

from caveat.contracts.plan import Answerers, ReasonerCard
from caveat.rules.report import write_disclosure
from caveat.rules.report.disclosure import build_reasoner_card

CLAUDE = ReasonerCard(
    name="claude", disclosure=write_disclosure(["planned-model"]), uses_language_model=True
)
EXTRACTIVE = ReasonerCard(
    name="extractive", disclosure="Extractive, no language model.", uses_language_model=False
)
MODELS = Answerers(models=("m-1", "m-2"), with_model=("claude",))
RULES = Answerers(without_model=("extractive",))


@pytest.mark.parametrize(
    ("card", "answered", "name", "uses", "says", "says_not"),
    [
        (EXTRACTIVE, RULES, "extractive", False, ("no language model",), ("m-1",)),
        (EXTRACTIVE, Answerers(), "extractive", False, ("no language model",), ()),
        (CLAUDE, MODELS, "claude", True, ("m-1, m-2",), ("planned-model", "mixture")),
        # What Claude's adapter needs no model for is no other reasoner's.
        (
            *(CLAUDE, MODELS + Answerers(without_model=("claude",)), "claude", True),
            *(("m-1, m-2",), ("mixture",)),
        ),
        (
            *(EXTRACTIVE, RULES + MODELS, "claude and extractive", True),
            *(("mixture", "m-1, m-2", "extractive, without"), ("no language model.",)),
        ),
        (
            *(CLAUDE, RULES + MODELS, "claude and extractive", True),
            *(("mixture", "m-1, m-2", "extractive, without"), ()),
        ),
        # It began without a model, and one answered nevertheless.
        (EXTRACTIVE, MODELS, "claude", True, ("m-1, m-2",), ("no language model",)),
    ],
)
def test_what_answered_is_disclosed(
    card: ReasonerCard,
    answered: Answerers,
    name: str,
    uses: bool,
    says: tuple[str, ...],
    says_not: tuple[str, ...],
) -> None:
    made = build_reasoner_card(card, answered)
    assert (made.name, made.uses_language_model, made.models) == (name, uses, answered.models)
    for words in says:
        assert words in made.disclosure
    for words in says_not:
        assert words not in made.disclosure
