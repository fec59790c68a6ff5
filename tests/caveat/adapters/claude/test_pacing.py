"""The pacer, before a server that enforces its limit, in virtual time."""

import asyncio
import datetime as dt
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from caveat.adapters.claude.messages.connection import Call, ModelConnection, Turn
from caveat.adapters.claude.messages.problems import Purpose
from caveat.adapters.claude.pacing import PATIENCE_S, Busy, Pacer
from caveat.contracts.envelope import Usage
from caveat.contracts.failure import FailureCategory, FailureType
from caveat.failures import PortFailure
from standins.messages_api import Fails, Says, StandIn
from standins.rate_limit import RateLimit
from tests.fakes.virtual_time import run

SLOTS = 8  # calls at once, as a worker allows them
DEADLINE_S = 165.0  # of an analysis

MODEL = "a model"


def clock() -> dt.datetime:
    """The loop's time, as a wall would show it."""
    return dt.datetime(2026, 1, 1, tzinfo=dt.UTC) + dt.timedelta(
        seconds=asyncio.get_running_loop().time()
    )


@dataclass
class Scene:
    """A worker's calls, a pacer or several, a server."""

    limit: RateLimit
    travel_s: float = 0.05
    tokens: int = 0
    pacers: list[Pacer] = field(default_factory=lambda: [Pacer(clock)])
    slots: int = SLOTS
    sent: list[tuple[int, float]] = field(default_factory=list)
    given_back: list[int] = field(default_factory=list)

    async def play(self, arrivals: Sequence[float], takes_s: Sequence[float] = (1.0,)) -> None:
        """Let a call arrive at each of these times; what is refused comes again when it may."""
        places = [asyncio.Semaphore(self.slots) for _ in self.pacers]
        self.given_back = [0] * len(arrivals)
        await asyncio.gather(
            *(
                self._task(number, at, takes_s[number % len(takes_s)], places)
                for number, at in enumerate(arrivals)
            )
        )

    async def _task(
        self, number: int, at: float, takes_s: float, places: list[asyncio.Semaphore]
    ) -> None:
        await asyncio.sleep(at)
        mine = number % len(places)
        while True:
            async with places[mine]:
                wait_s = await self._attempt(number, self.pacers[mine], takes_s)
            if wait_s is None:
                return
            await asyncio.sleep(wait_s)

    async def _attempt(self, number: int, pacer: Pacer, takes_s: float) -> float | None:
        loop = asyncio.get_running_loop()
        try:
            async with pacer.admit_call(MODEL, loop.time() + DEADLINE_S) as passage:
                self.sent.append((number, loop.time()))
                await asyncio.sleep(self.travel_s)
                headers, let_in = self.limit.admit(
                    {"requests": 1, "input-tokens": self.tokens, "output-tokens": 0}
                )
                await asyncio.sleep(self.travel_s)
                passage.hear(200 if let_in else 429, headers)
                if not let_in:
                    return float(headers["retry-after-ms"]) / 1_000
                await asyncio.sleep(takes_s)
                passage.usage = Usage(model_calls=1, input_tokens=self.tokens, output_tokens=10)
        except Busy as busy:
            self.given_back[number] += 1
            return busy.retry_after_s
        return None


def requests(a_window: int, window_s: float = 60.0, *, is_bucket: bool = False) -> RateLimit:
    return RateLimit({"requests": a_window}, window_s, is_bucket=is_bucket, clock=clock)


def played(scene: Scene, *arguments: Any) -> Scene:
    run(scene.play(*arguments))
    return scene


@settings(max_examples=60, deadline=None)
@given(
    limit=st.integers(SLOTS, 120),
    window_s=st.sampled_from([5.0, 60.0]),
    is_bucket=st.booleans(),
    arrivals=st.lists(st.floats(0, 200), min_size=1, max_size=150),
    takes_s=st.lists(st.floats(0, 40), min_size=1, max_size=5),
    travel_s=st.floats(0, 0.2),
)
def test_no_limit_is_met_and_nobody_is_left_behind(
    limit: int, window_s: float, arrivals: list[float], takes_s: list[float], travel_s: float,
    *, is_bucket: bool,
) -> None:  # fmt: skip
    scene = Scene(requests(limit, window_s, is_bucket=is_bucket), travel_s)
    played(scene, arrivals, takes_s)
    assert scene.limit.refused == 0
    assert len(scene.limit.let_in) == len(arrivals)
    assert max(scene.given_back) == 0


@pytest.mark.parametrize("is_bucket", [False, True])
@pytest.mark.parametrize(("limit", "window_s"), [(50, 60.0), (50, 5.0), (600, 60.0)])
def test_while_work_is_waiting_the_limit_is_used_up(
    limit: int, window_s: float, *, is_bucket: bool
) -> None:
    scene = played(Scene(requests(limit, window_s, is_bucket=is_bucket)), [0.0] * 6 * limit, [0.2])
    assert scene.limit.refused == 0
    took_s = scene.limit.let_in[-1]
    assert 6 * limit >= 0.97 * limit * took_s / window_s


def test_calls_pass_in_the_order_in_which_they_came() -> None:
    scene = played(Scene(requests(20)), [number / 100 for number in range(60)], [0.0])
    assert [number for number, _ in scene.sent] == sorted(number for number, _ in scene.sent)


@pytest.mark.parametrize(
    "headers",
    [
        {"limit": "50", "remaining": "0"},
        {"limit": "many", "remaining": "0", "reset": "2026-01-01T00:20:00Z"},
        {"limit": "50", "remaining": "-1", "reset": "2026-01-01T00:20:00Z"},
        {"limit": "50", "remaining": "0", "reset": "soon"},
        {"limit": "50", "remaining": "0", "reset": "2026-01-01T00:20:00"},
        {"limit": "inf", "remaining": "nan", "reset": "2026-01-01T00:20:00Z"},
    ],
)
def test_headers_that_mean_nothing_are_none(headers: dict[str, str]) -> None:
    async def story() -> None:
        pacer = Pacer(clock)
        now = asyncio.get_running_loop().time()
        named = {f"anthropic-ratelimit-requests-{name}": value for name, value in headers.items()}
        for _ in range(3):
            async with pacer.admit_call(MODEL, now + 100) as passage:
                passage.hear(200, named)
        assert asyncio.get_running_loop().time() == now

    run(story())


def test_beside_a_date_that_no_calendar_has_our_own_clock_counts() -> None:
    async def story() -> None:
        pacer = Pacer(clock)
        now = asyncio.get_running_loop().time()
        told = {"limit": "50", "remaining": "0", "reset": "2026-01-01T00:20:00Z"}
        named = {f"anthropic-ratelimit-requests-{name}": value for name, value in told.items()}
        async with pacer.admit_call(MODEL, now + 100) as passage:
            passage.hear(200, {**named, "date": "Thu, 01 Jan 99999999999999999999 00:00:00 GMT"})
        with pytest.raises(Busy):
            async with pacer.admit_call(MODEL, now + 100):
                pass

    run(story())


def test_each_model_has_limits_of_its_own() -> None:
    async def story() -> None:
        pacer, now = Pacer(clock), asyncio.get_running_loop().time()
        async with pacer.admit_call(MODEL, now + DEADLINE_S) as passage:
            passage.hear(429, {"retry-after": "300"})
        async with pacer.admit_call("another", now + DEADLINE_S):
            assert asyncio.get_running_loop().time() == now
        with pytest.raises(Busy):
            async with pacer.admit_call(MODEL, now + DEADLINE_S):
                pass

    run(story())


def test_a_closed_provider_is_left_to_temporal_at_once_and_everybody_is_told_another_time() -> None:
    async def story() -> None:
        pacer, now = Pacer(clock), asyncio.get_running_loop().time()
        reset = (clock() + dt.timedelta(seconds=600)).isoformat()
        headers = {
            "retry-after": "600",
            "anthropic-ratelimit-requests-limit": "60",
            "anthropic-ratelimit-requests-remaining": "0",
            "anthropic-ratelimit-requests-reset": reset,
        }
        async with pacer.admit_call(MODEL, now + DEADLINE_S) as passage:
            passage.hear(429, headers)
        told = []
        for _ in range(10):
            with pytest.raises(Busy) as busy:
                async with pacer.admit_call(MODEL, now + DEADLINE_S):
                    pass
            told.append(busy.value.retry_after_s)
        assert asyncio.get_running_loop().time() == now
        assert told == pytest.approx([600.0 + number for number in range(10)])

    run(story())


def test_nobody_waits_longer_than_patience_or_half_the_time_that_is_left() -> None:
    async def waited(deadline_s: float) -> float:
        pacer, loop = Pacer(clock), asyncio.get_running_loop()
        began = loop.time()

        async def scout() -> None:
            async with pacer.admit_call(MODEL, began + 1_000) as passage:
                passage.hear(429, {})
            async with pacer.admit_call(MODEL, began + 1_000):
                await asyncio.sleep(500)  # no answer comes

        sent = asyncio.create_task(scout())
        await asyncio.sleep(0)
        with pytest.raises(Busy):
            async with pacer.admit_call(MODEL, began + deadline_s):
                pass
        waited_s = loop.time() - began
        await sent
        return waited_s

    assert run(waited(50)) == pytest.approx(25, abs=0.01)
    assert run(waited(345)) == pytest.approx(PATIENCE_S, abs=0.01)


def test_after_a_refusal_one_call_goes_ahead_alone() -> None:
    scene = Scene(requests(5, 10.0), travel_s=0.5)
    played(scene, [0.0] * 30, [0.0])
    # Eight were sent before anything was known of the limit of five; after that, none in vain.
    assert scene.limit.refused <= SLOTS - 5
    assert len(scene.limit.let_in) == 30


def test_who_waits_when_a_provider_closes_for_long_does_not_go_on_waiting() -> None:
    async def story() -> None:
        pacer, loop = Pacer(clock), asyncio.get_running_loop()
        began = loop.time()
        left: list[float] = []

        async def call(headers: dict[str, str], takes_s: float = 0.0) -> None:
            try:
                async with pacer.admit_call(MODEL, began + 1_000) as passage:
                    await asyncio.sleep(takes_s)
                    passage.hear(429, headers)
            except Busy as busy:
                left.extend((loop.time() - began, busy.retry_after_s))

        await call({"retry-after": "0"})
        await asyncio.gather(call({"retry-after": "600"}, 5.0), *(call({}) for _ in range(3)))
        assert left == pytest.approx([5.0, 600.0] * 3)

    run(story())


def test_a_call_that_was_not_answered_holds_up_nobody() -> None:
    async def story() -> None:
        pacer, began = Pacer(clock), asyncio.get_running_loop().time()
        async with pacer.admit_call(MODEL, began + DEADLINE_S) as passage:
            passage.hear(429, {})
        for _ in range(3):
            with pytest.raises(ConnectionError):
                async with pacer.admit_call(MODEL, began + DEADLINE_S):
                    raise ConnectionError
        assert asyncio.get_running_loop().time() == began

    run(story())


def test_a_waiting_call_can_be_cancelled() -> None:
    async def story() -> None:
        pacer, now = Pacer(clock), asyncio.get_running_loop().time()

        async def call() -> None:
            async with pacer.admit_call(MODEL, now + DEADLINE_S) as passage:
                passage.hear(429, {"retry-after": "10"})

        await call()
        waiting = [asyncio.create_task(call()) for _ in range(3)]
        await asyncio.sleep(1)
        waiting[0].cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        assert waiting[0].cancelled()
        assert not any(task.cancelled() for task in waiting[1:])

    run(story())


@pytest.mark.parametrize("is_bucket", [False, True])
def test_tokens_are_limits_too(*, is_bucket: bool) -> None:
    limits = {"requests": 1_000.0, "input-tokens": 30_000.0}
    limit = RateLimit(limits, is_bucket=is_bucket, clock=clock)
    scene = played(Scene(limit, tokens=2_000), [0.0] * 150, [2.0])
    assert limit.refused == 0
    took_s = scene.limit.let_in[-1]
    assert 0.9 * 30_000 * took_s / 60 <= 150 * 2_000
    assert max(scene.given_back) < 3  # of the three that Temporal's attempts leave


async def ask(connection: ModelConnection) -> None:
    purpose = Purpose("analyst", MODEL, "A page")
    call = Call(MODEL, "Be brief.", None, (Turn("user", "Hello"),), 100)
    await connection.call(call, purpose, asyncio.get_running_loop().time() + DEADLINE_S)


async def test_over_http_a_limit_is_used_up_and_not_met(
    api: StandIn, connection: ModelConnection
) -> None:
    api.model = lambda request: Says("Hello")
    api.rate_limit = RateLimit({"requests": 10, "input-tokens": 100_000}, 0.5)
    await ask(connection)
    await asyncio.gather(*(ask(connection) for _ in range(24)))
    assert api.rate_limit.refused == 0
    assert len(api.rate_limit.let_in) == 25
    assert api.rate_limit.let_in[-1] >= 1.0  # in the third window


async def test_over_http_a_call_that_may_not_be_sent_in_time_is_left_to_temporal(
    api: StandIn, connection: ModelConnection
) -> None:
    api.will(Fails(429, "rate_limit_error", headers={"retry-after": "600"}))
    with pytest.raises(PortFailure):
        await ask(connection)
    with pytest.raises(PortFailure, match="was not called yet") as raised:
        await ask(connection)
    failure = raised.value.failure
    assert len(api.requests) == 1
    assert failure.category is FailureCategory.TRANSIENT
    assert failure.failure_type is FailureType.RATE_LIMITED
    assert failure.retry_after_s == pytest.approx(600, abs=2)
    assert raised.value.usage == Usage()


async def _sent(pacer: Pacer, calls: int, status: int, takes_s: float = 0.0) -> list[float]:
    """Let calls arrive at once that are answered after a second, and say when each was sent."""
    loop, sent = asyncio.get_running_loop(), list[float]()
    began = loop.time()

    async def call() -> None:
        with suppress(Busy, PermissionError):
            async with pacer.admit_call(MODEL, loop.time() + DEADLINE_S) as passage:
                sent.append(loop.time() - began)
                await asyncio.sleep(1.0)
                passage.hear(status, {})
                if status != 200:
                    raise PermissionError
                await asyncio.sleep(takes_s)

    await asyncio.gather(*(call() for _ in range(calls)))
    return sent


def test_the_head_of_a_first_answer_lets_all_others_go() -> None:
    sent = run(_sent(Pacer(clock), 30, 200, takes_s=12.0))
    assert Counter(sent) == {0.0: 4, 1.0: 26}


def test_a_model_that_refuses_all_is_asked_ever_more_rarely() -> None:
    sent = run(_sent(Pacer(clock), 30, 529))
    assert sent[:4] == [0.0] * 4
    # Until the patience of those who wait is over.
    pauses = [later - earlier for earlier, later in pairwise(sent[3:])]
    assert pauses == pytest.approx([2.0, 3.0, 5.0, 9.0, 17.0])


def test_a_key_that_is_refused_is_refused_to_all_who_wait() -> None:
    pacer = Pacer(clock)
    assert len(run(_sent(pacer, 30, 401))) == 4


def test_who_comes_after_a_refused_key_tries_again() -> None:
    async def story() -> list[float]:
        pacer = Pacer(clock)
        await _sent(pacer, 9, 401)
        return await _sent(pacer, 9, 200)

    assert len(run(story())) == 9


def test_an_outage_of_a_quarter_of_an_hour_is_told_to_all_who_wait() -> None:
    async def story() -> tuple[int, float]:
        pacer, loop = Pacer(clock), asyncio.get_running_loop()
        began = loop.time()
        while loop.time() - began <= 900:
            await _sent(pacer, 5, 500)
        later = loop.time()
        sent = [len(await _sent(pacer, 50, 500)) for _ in range(20)]
        return sum(sent), loop.time() - later

    sent, took_s = run(story())
    assert sent <= 2
    assert took_s < 40


def _answer(status: int) -> None:
    if status != 200:
        raise PermissionError(str(status))


def test_a_key_that_was_renewed_is_not_refused_by_a_later_outage() -> None:
    async def story() -> list[str]:
        pacer, loop, said = Pacer(clock), asyncio.get_running_loop(), list[str]()

        async def call(status: int) -> None:
            try:
                async with pacer.admit_call(MODEL, loop.time() + DEADLINE_S) as passage:
                    passage.hear(status, {"retry-after": "890"} if status == 500 else {})
                    _answer(status)
            except (Busy, PermissionError) as error:
                said.append(str(error) if isinstance(error, PermissionError) else "busy")

        for status in (401, 200, 500):
            await call(status)
        await asyncio.sleep(885)
        await call(500)
        await asyncio.sleep(20)
        await call(200)
        return said

    assert run(story()) == ["401", "500", "500", "busy"]


@settings(max_examples=20, deadline=None)
@given(workers=st.integers(2, 3), limit=st.integers(30, 100), is_bucket=st.booleans())
@example(workers=3, limit=30, is_bucket=False)
def test_workers_that_share_a_limit_meet_it_seldom(
    workers: int, limit: int, *, is_bucket: bool
) -> None:
    scene = Scene(
        requests(limit, is_bucket=is_bucket), pacers=[Pacer(clock) for _ in range(workers)], slots=4
    )
    played(scene, [0.0] * 5 * limit, [0.5])
    assert len(scene.limit.let_in) == 5 * limit
    # Where a window ends, each of them may send what only one of them still could.
    assert scene.limit.refused <= workers * (1 + scene.limit.let_in[-1] // 60)
