"""What a process that serves runs does beside them."""

import os
import sys
from pathlib import Path

import pytest

from caveat.workers.serving import keep_house
from caveat.workers.settings import Settings
from tests.fakes.patience import until

MEGABYTES = 80


def measure_memory() -> float:
    """Return the megabytes that this process has of the machine."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@pytest.mark.skipif(sys.platform != "linux", reason="glibc alone keeps it")
async def test_memory_that_is_free_between_what_is_held_goes_back(settings: Settings) -> None:
    """The wait fails where it stays."""
    taken = [bytearray(2_000) for _ in range(MEGABYTES * 500)]
    held = taken[::50]
    taken.clear()
    before = measure_memory()
    async with keep_house(settings, 0.01):
        await until(lambda: measure_memory() < before - MEGABYTES / 2)
    assert held


async def test_what_a_killed_process_left_half_written_is_swept(settings: Settings) -> None:
    """The wait fails where a file stays."""
    halves = [folder / ".half.new" for folder in (settings.state_dir, settings.cache_dir)]
    for half in halves:
        half.parent.mkdir(parents=True, exist_ok=True)
        half.write_bytes(b"ha")
        os.utime(half, (0, 0))
    async with keep_house(settings):
        await until(lambda: not any(half.exists() for half in halves))
