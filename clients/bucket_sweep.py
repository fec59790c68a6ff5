"""What lies in the bucket of `CAVEAT_BLOBS` and nobody needs any more, removed.

The same as in the state folder, but that objects have no time that could be set: a run may count on
one that was written a while before it began (`Blobs.grace_s`), so that what it may count on stays
that much longer.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from caveat.adapters.files.reports import SEAL
from caveat.adapters.files.sweeping import Cited, Swept
from caveat.ports import Blobs, Kept
from caveat.workers.blobs import blobs
from caveat.workers.settings import Settings

_AT_ONCE = 16
"""Requests at once: each waits for a network, and a bucket takes thousands a second."""


@dataclass(frozen=True)
class BucketSweep:
    """One sweep through a bucket.

    Attributes:
        settings: of this process, which name the bucket.
        before: what was last written before may go; seconds since 1970.
        since: the same of what open runs may have kept, whichever run it belongs to.
        stay: names of runs that stay, however old.
        corpora: folders that open runs search; None where one of them cannot say.
        cited: addresses of texts that reports elsewhere cite.
        dry: whether to count alone.
    """

    settings: Settings
    before: float
    since: float
    stay: frozenset[str] | set[str]
    corpora: frozenset[str] | None
    cited: frozenset[str]
    dry: bool

    def swept(self) -> tuple[tuple[str, ...], dict[str, Swept]]:
        """Remove first the reports of runs, then the texts that only these cited.

        Returns:
            The runs whose reports and evidence went, and what went of each kind.

        Raises:
            PortFailure: the bucket cannot be listed, read or changed.
        """
        settings = self.settings
        reports = self._kept(settings.reports_folder)
        runs = _by_folder(reports.everything())
        old = {name: files for name, files in runs.items() if self._is_old(name, files)}
        needed = _cited(reports, [each for name in runs.keys() - old for each in runs[name]])
        gone = Swept()
        for files in old.values():
            # The seal last: killed in between, no report lies about that cannot be told from one
            # that nobody published.
            files.sort(key=lambda each: each.name.endswith(SEAL))
            gone += self._sum(reports, files, self.before, at_once=1)
        left = runs.keys() - old
        return tuple(sorted(old)), {
            "reports": gone,
            "snapshots": self._by_content(settings.snapshots_folder, self.cited | needed.texts),
            "payloads": self._by_content(settings.payloads_folder, frozenset()),
            "answers": self._by_content(settings.answers_folder, frozenset()),
            "uploads": self._uploads(settings.uploads_folder, needed.uploads),
            "provisional": self._provisional(settings.provisional_folder, left),
        }

    def _is_old(self, name: str, files: list[Kept]) -> bool:
        return name not in self.stay and max(each.written for each in files) < self.before

    def _by_content(self, folder: Path, needed: frozenset[str]) -> Swept:
        return self._sweep(folder, lambda name: PurePosixPath(name).stem in needed)

    def _uploads(self, folder: Path, needed: frozenset[str]) -> Swept:
        if self.corpora is None:
            return Swept()
        searched = needed.union(Path(each).name for each in self.corpora)
        return self._sweep(folder, lambda name: PurePosixPath(name).parts[0] in searched)

    def _provisional(self, folder: Path, left: Iterable[str]) -> Swept:
        needed = {*self.stay, *left}
        return self._sweep(folder, lambda name: PurePosixPath(name).stem in needed)

    def _sweep(self, folder: Path, is_needed: Callable[[str], bool]) -> Swept:
        kept = self._kept(folder)
        before = self.since - kept.grace_s
        old = (each for each in kept.everything() if each.written < before)
        return self._sum(kept, [each for each in old if not is_needed(each.name)], before)

    def _sum(self, kept: Blobs, files: list[Kept], before: float, at_once: int = _AT_ONCE) -> Swept:
        if self.dry:
            return sum((Swept(1, each.bytes) for each in files), Swept())

        def removed(each: Kept) -> Swept:
            return Swept(1, each.bytes) if kept.remove_old(each.name, before) else Swept()

        with ThreadPoolExecutor(at_once) as threads:
            return sum(threads.map(removed, files), Swept())

    def _kept(self, folder: Path) -> Blobs:
        return blobs(self.settings, folder)


def _cited(reports: Blobs, files: Iterable[Kept]) -> Cited:
    """Look for what reports that stay need, in every file that names any."""
    names = [each.name for each in files if each.name.endswith(".json")]
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        return Cited.by(threads.map(reports.get, names))


def _by_folder(files: Iterable[Kept]) -> dict[str, list[Kept]]:
    found: dict[str, list[Kept]] = {}
    for each in files:
        folder, _, name = each.name.partition("/")
        if name:
            found.setdefault(folder, []).append(each)
    return found
