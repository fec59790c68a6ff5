"""What a person is told of a contradiction before they rule, wherever they are asked."""

from caveat.contracts.contradiction import Contradiction, SideEvidence
from caveat.rendering import words
from caveat.rules.contradictions.ladder import format_credibility


def describe_side(side: SideEvidence) -> tuple[str, str, str, str]:
    """Describe the support of a side: value, voices, quote, source, credibility."""
    record, source = side.track_record, side.source
    value = f"{side.value} ({side.scope})" if side.value and side.scope else side.value
    upheld = f"upheld {record.upheld} of {record.ruled} times" if record.ruled else "never ruled on"
    origin = (source.title, str(source.published or ""), source.url or source.path)
    return (
        " · ".join(filter(None, (value, words.format_source_count(side.corroboration), upheld))),
        f"“{side.claim.quote}”",
        " · ".join(filter(None, origin)),
        f"credibility {format_credibility(side)}",
    )


def describe_attempts(contradiction: Contradiction) -> tuple[str, ...]:
    """Describe the attempts to settle a contradiction, a line a rung."""
    return tuple(f"{each.rung.replace('_', ' ')}: {each.reason}" for each in contradiction.steps)
