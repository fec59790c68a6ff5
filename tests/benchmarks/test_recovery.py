"""The recovery benchmark, on a small mix that everybody can check by hand."""

from temporalio.testing import WorkflowEnvironment

from benchmarks.mix import Mix, deal
from benchmarks.recovery import measure
from benchmarks.truth import Means, ladder

READ = {"read": 1}
ONE_OF_EACH = Mix.model_validate(
    {
        "runs": {
            "failures": 6, "assignments": 2, "queries": 2, "spares": [0, 0],
            "addresses": {"article": 1.0},
        },
        "failure": [
            {"name": name, "why": "", "share": share, **row}
            for name, share, row in (
                ("gone", 0.2, {"failure_type": "not_found", "steps": READ}),
                ("blip", 0.2, {
                    "failure_type": "unavailable", "steps": READ, "clears_after": [1, 1],
                }),
                ("long", 0.2, {
                    "failure_type": "timeout", "steps": {"analyse": 1}, "reaches": [0.6, 0.6],
                }),
                ("moved", 0.2, {
                    "failure_type": "not_found", "steps": READ, "alternative": "works",
                }),
                ("key", 0.2, {
                    "failure_type": "auth_error", "steps": READ, "key": "expired",
                    "scope": "provider",
                }),
            )
        ],
    }
)  # fmt: skip


async def test_each_detail_recovers_what_needs_it(environment: WorkflowEnvironment) -> None:
    scripts = deal(ONE_OF_EACH, 5, seed=1)
    results = [
        await measure(environment.client, ONE_OF_EACH, scripts, each)
        for each in (ladder()[0], ladder()[2], ladder()[-1])
    ]
    assert [measured.recovered for measured, _ in results] == [0.0, 0.4, 0.8]
    generic, partial, everything = (observed for _, observed in results)
    assert generic.means == {}
    assert partial.means == {Means.RETRY: 1, Means.REST: 1}
    assert everything.means == {
        Means.RETRY: 1, Means.REST: 1, Means.ALTERNATIVE: 1, Means.REFRESH: 1,
    }  # fmt: skip
    assert not any(observed.disagreements for _, observed in results)
    # Nothing is tried from its beginning again: of the long text an attempt reads what is left.
    # What is gone has a DOI in its address as well as what has moved, and nobody can tell.
    assert [measured.wasted_attempts for measured, _ in results] == [0, 0, 1]
    # Of sixteen sources 12, 13 and 15 are read and analysed, one of them in one more call where
    # timeouts are known as such; and there is a plan, a comparison, and of the answer and of two
    # sections each a synthesis and its reader.
    assert [measured.model_calls for measured, _ in results] == [20, 22, 24]
