"""What processes hold in memory, and what is kept on disk."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.soaking.site import Site

MB = 1e6

HEADINGS = (
    *("minute", "runs", "one worker, at most", "all workers", "server", "bucket before"),
    *("after `prune`", "objects", "server's database", "machines", "load"),
)
"""Of the table that is made of lines."""


@dataclass
class Memory:
    """The most that was seen of each since the last line of the table, in MB."""

    worker: float = 0.0  # of one worker process
    workers: float = 0.0  # of all together
    server: float = 0.0  # of the Temporal server

    def look(self, site: Site) -> None:
        """Sample every process once."""
        each = [_resident_mb(worker.process.pid) for worker in site.workers]
        self.worker = max(self.worker, *each, 0.0)
        self.workers = max(self.workers, sum(each))
        if site.server is not None:
            self.server = max(self.server, _resident_mb(site.server.pid))


@dataclass(frozen=True)
class Row:
    """One row of the table: what was so after a `prune`."""

    minute: float  # since the soak began
    begun: int  # runs that began since the line before
    memory: Memory  # in between
    bucket_before: float  # MB in the bucket before
    bucket: float  # MB, and objects, after it
    objects: int
    database: float  # MB of the server, its write-ahead log included
    local: float  # MB of the state and cache folders of all machines
    load: float  # of this machine, on average over the last 15 minutes
    events: list[str] = field(default_factory=list)  # what was done since

    def __str__(self) -> str:
        """Print for people, as Markdown."""
        memory = self.memory
        megabytes = (memory.worker, memory.workers, memory.server)
        cells = (
            f"{self.minute:.0f}",
            str(self.begun),
            *(f"{each:.0f} MB" for each in megabytes),
            *(f"{each:.1f} MB" for each in (self.bucket_before, self.bucket)),
            str(self.objects),
            *(f"{each:.1f} MB" for each in (self.database, self.local)),
            f"{self.load:.0f}",
        )
        return f"| {' | '.join(cells)} |"


def bucket_mb(site: Site) -> tuple[float, int]:
    """Add up the bucket."""
    sizes = site.bucket.sizes()
    return sum(sizes.values()) / MB, len(sizes)


def database_mb(site: Site) -> float:
    """Add up the server's files."""
    return sum(each.stat().st_size for each in site.folder.glob("temporal.db*")) / MB


def local_mb(site: Site) -> float:
    """Add up what the machines of all workers keep."""
    total = 0
    for place, _, names in os.walk(site.folder / "machines"):
        for name in names:
            try:
                total += Path(place, name).lstat().st_size
            except FileNotFoundError:
                continue
    return total / MB


def _resident_mb(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, IndexError, ValueError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / MB
