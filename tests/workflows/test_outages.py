"""A provider that is away for ten minutes, and one that asks everybody to wait for five."""

import datetime as dt
from collections import Counter

from temporalio import activity

from caveat.contracts.failure import FailureType
from standins.ports import World
from tests.fakes.runs import PROVIDER, Start, end_of, fault, report_of

OUTAGE = dt.timedelta(minutes=10)


async def test_ten_minutes_of_outage_end_by_name_with_what_was_read(
    start: Start, world: World
) -> None:
    began: list[dt.datetime] = []

    def away(kind: str, _: str) -> None:
        if kind != "analyse":
            return
        now = activity.info().started_time
        began.append(now)
        if now < began[0] + OUTAGE:
            raise fault(FailureType.UNAVAILABLE, provider=PROVIDER, retry_recommended=True)

    world.faults = away
    end = await end_of(await start())
    assert end.ending == "insufficient_agents"
    assert FailureType.UNAVAILABLE in {each.failure.failure_type for each in end.failures}
    (kept,) = world.evidence
    assert kept.request.topic
    assert kept.failures == end.failures
    assert "It is unavailable." in {each.failure.message for each in end.failures}


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
