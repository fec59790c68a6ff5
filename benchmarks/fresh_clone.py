"""How long `make research` takes in a fresh clone, with the installation, and the second time.

    python -m benchmarks.fresh_clone [--json]

Clones the committed tree into a temporary folder, with a state and a cache of its own. How far away
the package index is decides the first figure. Prints a table; with --json, one JSON object as the
last line.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.alone import alone
from benchmarks.common import ROOT, command_line

FIRST_BOUND_S = 180.0
AGAIN_BOUND_S = 10.0


def main() -> int:
    """Run the benchmark; 1 when a bound is missed."""
    parser = command_line(__doc__, json=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="caveat-clone-") as scratch:
        clone = Path(scratch) / "clone"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        first, again = researched(clone), researched(clone)
    print(f"with the installation  {first:>6.1f} s (bound {FIRST_BOUND_S:.0f} s)")
    print(f"the second time        {again:>6.1f} s (bound {AGAIN_BOUND_S:.0f} s)")
    if options.json:
        print(json.dumps({"first_seconds": round(first, 1), "again_seconds": round(again, 1)}))
    return 0 if first < FIRST_BOUND_S and again < AGAIN_BOUND_S else 1


def researched(clone: Path) -> float:
    """Wall seconds of `make research`."""
    environment = os.environ | alone(clone.parent)
    began = time.monotonic()
    subprocess.run(
        ["make", "research"],
        cwd=clone,
        env=environment,
        check=True,
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
    return time.monotonic() - began


if __name__ == "__main__":
    sys.exit(main())
