"""A provider that is away for ten minutes, and one that asks everybody to wait for five."""

from collections import Counter

from caveat.contracts.failure import FailureType
from standins.ports import World
from tests.fakes.runs import Start, fault, report_of


async def test_a_storm_of_retry_after_is_waited_out(start: Start, world: World) -> None:
    asked: Counter[str] = Counter()

    def busy(kind: str, key: str) -> None:
        asked[f"{kind} {key}"] += 1
        if kind in {"search", "read", "analyse"} and asked[f"{kind} {key}"] == 1:
            raise fault(FailureType.RATE_LIMITED, retry_after_s=300.0, retry_recommended=True)

    world.faults = busy
    report = await report_of(await start())
    assert report.failures == ()
    assert [len(section.claims) for section in report.sections] == [6, 6]
    assert report.metrics.pipeline_seconds >= 3 * 300
