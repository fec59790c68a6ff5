"""Disclosure: who reasoned in a run, by what really answered and not by what was planned."""

from collections.abc import Sequence

from caveat.contracts.plan import Answerers, ReasonerCard
from caveat.contracts.synthesis import Synthesis
from caveat.rules.lines import join_names


def write_disclosure(models: Sequence[str], synthesis: Synthesis | None = None) -> str:
    """Say what language models did, or are to do before there is a synthesis, and code's part."""
    done = ["planned", "read"]
    done += ["wrote"] if synthesis is None or synthesis.verdict is not None else []
    done += ["verified"] if synthesis is None or synthesis.verification is not None else []
    return (
        f"Language models {join_names(done)} ({', '.join(models)}). Code checked "
        "that every quote stands word for word in its source, and that every citation names a "
        "claim. It checked that every number stands in a quote that is cited for it or is computed "
        "from such."
    )


def build_reasoner_card(
    card: ReasonerCard, answered: Answerers, synthesis: Synthesis
) -> ReasonerCard:
    """Make the card of a report.

    Returns:
        The same card where no language model answered; else one that names those that did, and a
        mixture as one.
    """
    if not answered.models:
        return card
    words = write_disclosure(answered.models, synthesis)
    others = [name for name in answered.without_model if name not in answered.with_model]
    names = " and ".join((*answered.with_model, *others))
    if others:
        done_by = " and ".join(others)
        words = f"A mixture: another part was done by {done_by}, without a language model. {words}"
    elif card.uses_language_model:
        names = card.name
    return ReasonerCard(
        name=names or card.name, disclosure=words, uses_language_model=True, models=answered.models
    )
