"""Values of the same attribute of the same thing that differ between sources."""

from caveat.adapters.extractive.contradictions import contradictions
from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import ContradictionKind
from caveat.contracts.plan import Assignment
from caveat.contracts.source import SourceRef
from caveat.contracts.tasks import DetectionTask


def task(*quotes: str, topic: str = "What is the value of the Hubble constant?") -> DetectionTask:
    assignment = Assignment(id="a1", title="Direct answers", question=topic, queries=(topic,))
    claims = tuple(
        Claim(
            id=f"c{number}",
            text=quote,
            quote=quote,
            source_id=f"s-{number}",
            assignment_id="a1",
            start=0,
            end=len(quote),
            relevance=0.5,
        )
        for number, quote in enumerate(quotes, start=1)
    )
    sources = tuple(SourceRef(id=claim.source_id, title="A note") for claim in claims)
    return DetectionTask(
        task_id="d", description="d", topic=topic, assignments=(assignment,), claims=claims,
        sources=sources,
    )  # fmt: skip


def test_early_and_late_universe_disagree() -> None:
    (found,) = contradictions(
        task(
            "The SH0ES team measured a Hubble constant of 73.04 ± 1.04 km/s/Mpc with Cepheids.",
            "The Planck Collaboration inferred a Hubble constant of 67.4 ± 0.5 km/s/Mpc.",
        )
    )
    assert found.kind is ContradictionKind.NUMERIC
    assert found.claims == ("c1", "c2")
    assert found.about == (
        "Hubble constant: 73.04 ± 1.04 km/s/Mpc in one, 67.4 ± 0.5 km/s/Mpc in the other"
    )
