"""`caveat admin prune` by the ages of a soak.

python -m benchmarks.soaking.pruning ADDRESS BLOBS STATE S

The command counts in days, and no soak lasts two.
"""

import asyncio
import datetime as dt
import json
import sys
from pathlib import Path

from temporalio.client import Client

from caveat.adapters import buckets
from caveat.adapters.buckets import open_bucket
from caveat.clients.pruning import needs, prune
from caveat.workers.data import build_data_converter
from caveat.workers.settings import Settings


async def pruned(address: str, blobs: str, state: str, age_s: float) -> None:
    """Remove what is older than so many seconds and belongs to no run that goes on."""
    client = await Client.connect(
        address, data_converter=build_data_converter(open_bucket(f"{blobs}/payloads"))
    )
    buckets.RENEWED = dt.timedelta(seconds=age_s / 2)
    before = dt.datetime.now(dt.UTC) - dt.timedelta(seconds=age_s)
    needed = await needs(client, before)
    settings = Settings(state_dir=Path(state), blobs=blobs)
    found = await asyncio.to_thread(prune, settings, before, needed, dry=False)
    kept = {kind: [each.files, each.bytes] for kind, each in found.kept.items()}
    print(json.dumps({"runs": len(found.runs), **kept}))


if __name__ == "__main__":
    _, asked, kept_in, beside, seconds = sys.argv
    asyncio.run(pruned(asked, kept_in, beside, float(seconds)))
