"""What a report says of who reasoned: by what answered, whatever was planned."""

import pytest

from caveat.contracts.plan import Answerers, ReasonerCard
from caveat.contracts.synthesis import SectionDraft, Synthesis, Verification
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
QUOTES = Synthesis(summary="", sections=(SectionDraft(assignment_id="a1", title="x", summary=""),))


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
    made = build_reasoner_card(card, answered, QUOTES)
    assert (made.name, made.uses_language_model, made.models) == (name, uses, answered.models)
    for words in says:
        assert words in made.disclosure
    for words in says_not:
        assert words not in made.disclosure


def test_only_what_was_done_is_said_to_be_a_models() -> None:
    written = QUOTES.model_copy(update={"verdict": True})
    verified = written.model_copy(update={"verification": Verification()})
    said = [
        build_reasoner_card(CLAUDE, MODELS, each).disclosure.partition(" (")[0]
        for each in (QUOTES, written, verified)
    ]
    assert said == [
        "Language models planned and read",
        "Language models planned, read and wrote",
        "Language models planned, read, wrote and verified",
    ]
