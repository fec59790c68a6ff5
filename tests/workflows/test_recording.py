"""A release records its histories: what this version writes replays to the end that it had."""

import json
from pathlib import Path

from tests.fakes.replays import RUN_IDS, is_stored_end, replay
from tests.histories.record import record


async def test_what_this_version_writes_replays(tmp_path: Path) -> None:
    await record(tmp_path)
    assert {path.stem for path in tmp_path.glob("*.json")} == set(RUN_IDS)
    for path in sorted(tmp_path.glob("*.json")):
        history = json.loads(path.read_text(encoding="utf-8"))
        is_stored_end(await replay(history, RUN_IDS[path.stem], tmp_path), history)
