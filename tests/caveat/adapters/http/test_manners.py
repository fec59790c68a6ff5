"""Lines of requests to hosts."""

import asyncio
import contextlib

import pytest

from caveat.adapters.http.manners import HostBusyError, Manners


async def test_a_turn_that_fails_or_is_given_up_lets_the_next_one_in() -> None:
    """`HostBusyError` is raised where a turn is not free within a second."""
    manners = Manners(interval_s=0.0)
    with contextlib.suppress(ValueError):
        async with manners.turn("moons.test", 1.0):
            raise ValueError
    async with manners.turn("moons.test", 1.0):
        waiting = asyncio.create_task(_turn(manners, 5.0))
        await asyncio.sleep(0.01)
        waiting.cancel()
    async with manners.turn("moons.test", 1.0):
        pass


async def test_whoever_is_cancelled_in_the_pause_holds_up_nobody() -> None:
    """`HostBusyError` is raised where the last turn is not free within a second."""
    manners = Manners(interval_s=0.2)
    await _turn(manners, 1.0)
    waiting = asyncio.create_task(_turn(manners, 5.0))
    await asyncio.sleep(0.01)
    waiting.cancel()
    await _turn(manners, 1.0)


async def test_a_line_that_is_too_long_says_when_to_come_back() -> None:
    manners = Manners(interval_s=3.0)
    await _turn(manners, 1.0)
    with pytest.raises(HostBusyError) as raised:
        await _turn(manners, 0.05)
    assert raised.value.wait_s == 3.0


async def test_a_rest_is_not_waited_for_in_line() -> None:
    manners = Manners(interval_s=0.0)
    manners.rest("moons.test", 60.0)
    with pytest.raises(HostBusyError) as raised:
        await _turn(manners, 30.0)
    assert raised.value.wait_s == pytest.approx(60.0, abs=1.0)
    manners.rest("moons.test", 1.0)
    with pytest.raises(HostBusyError):
        await _turn(manners, 30.0)
    await _turn(manners, 0.1, "jupiter.test")


async def _turn(manners: Manners, patience_s: float, host: str = "moons.test") -> None:
    async with manners.turn(host, patience_s):
        pass
