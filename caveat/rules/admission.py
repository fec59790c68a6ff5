"""Admission: which sources are good enough to be read."""

BAR = 0.3
"""Credibility below which a source is set aside, with its score."""

LOWERED_BAR = 0.2
"""The bar of a run that found little: a weak source that is named as weak beats none."""

FEW_SOURCES = 10
"""Sources in a whole run under which the bar is lowered."""

FEW_FOR_ANGLE = 4
"""Sources that say something on an angle under which a follow-up search is made: one that was read
and says nothing answers nothing."""

RELEVANT = 0.3
"""Relevance from which a claim counts as an answer. What has less only touches on the question: of
five words that are asked for it has one."""


def bar(sources_in_run: int) -> float:
    """The bar that applies once every search of a run has returned.

    Args:
        sources_in_run: distinct sources that passed the normal bar.
    """
    return LOWERED_BAR if sources_in_run < FEW_SOURCES else BAR
