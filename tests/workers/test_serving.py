"""What a process that serves runs does beside them."""

import os

from caveat.workers.serving import keep_house
from caveat.workers.settings import Settings
from tests.fakes.patience import until


async def test_what_a_killed_process_left_half_written_is_swept(settings: Settings) -> None:
    """The wait fails where a file stays."""
    halves = [folder / ".half.new" for folder in (settings.state_dir, settings.cache_dir)]
    for half in halves:
        half.parent.mkdir(parents=True, exist_ok=True)
        half.write_bytes(b"ha")
        os.utime(half, (0, 0))
    async with keep_house(settings):
        await until(lambda: not any(half.exists() for half in halves))
