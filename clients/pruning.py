"""What is kept here and nobody needs any more: found with the server's word, and removed."""

import datetime as dt
import re
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Self

from temporalio.client import Client, WorkflowExecution

from caveat.adapters.files.artifacts import build_folder_name
from caveat.adapters.files.blobs import FolderBlobs
from caveat.adapters.files.reports import SEAL
from caveat.clients.metadata import STILL_OPEN
from caveat.clients.problems import BadInput, NoResult, NoSuchRun
from caveat.clients.publishing import Promises
from caveat.clients.runs import Runs
from caveat.clients.schedules import Schedules
from caveat.clients.translation import translate_errors
from caveat.failures import PortFailure
from caveat.ports import Blobs, Kept
from caveat.workers.blobs import open_blobs
from caveat.workers.settings import Settings
from caveat.workflows.names import ARBITRATION, GOES_ON, RESEARCH

_ADDRESS = re.compile(rb"[0-9a-f]{64}")
_UPLOAD = re.compile(rb"uploads/([0-9a-f]{16})\b")


_KINDS = ("reports", "snapshots", "payloads", "answers", "provisional", "uploads")


@dataclass(frozen=True)
class Swept:
    """What a sweep removed, or would: files and their bytes."""

    files: int = 0
    bytes: int = 0

    def __add__(self, other: "Swept") -> "Swept":
        return Swept(self.files + other.files, self.bytes + other.bytes)


@dataclass(frozen=True)
class Cited:
    """What the files of runs name, whatever else is wrong with these."""

    texts: frozenset[str]
    uploads: frozenset[str]

    @classmethod
    def from_files(cls, files: Iterable[bytes]) -> Self:
        texts: set[bytes] = set()
        uploads: set[bytes] = set()
        for content in files:
            texts.update(_ADDRESS.findall(content))
            uploads.update(_UPLOAD.findall(content))
        return cls(frozenset(map(bytes.decode, texts)), frozenset(map(bytes.decode, uploads)))

    def __or__(self, other: "Cited") -> "Cited":
        return Cited(self.texts | other.texts, self.uploads | other.uploads)


@dataclass(frozen=True)
class Needs:
    # names of folders that stay: of runs that go on, of those that they follow up or ask on, and
    # of the latest of each schedule
    runs: frozenset[str]
    # when the earliest began of those that went on at the moment from which everything stays; what
    # was last kept before is none of theirs. Seconds since 1970.
    since: float
    # folders that runs which go on search; None where one of them cannot say
    corpora: frozenset[str] | None = frozenset()


@dataclass(frozen=True)
class Pruned:
    """What was removed, or would be, by where it lay."""

    runs: tuple[str, ...]  # ids of the runs whose reports and evidence went
    kept: dict[str, Swept]  # kind of what was kept, and how much of it went

    @property
    def total(self) -> Swept:
        return sum(self.kept.values(), Swept())


async def needs(client: Client, before: dt.datetime) -> Needs:
    """Ask a server which runs go on, or went on after a moment."""
    query = (
        f"WorkflowType IN ('{RESEARCH}', '{ARBITRATION}') AND "
        f"({GOES_ON} OR CloseTime >= '{before.isoformat()}')"
    )
    with translate_errors():
        runs = [each async for each in client.list_workflows(query)]
    starts = [each.start_time for each in runs]
    going = {_find_run_id(each) for each in runs if each.status in STILL_OPEN}
    earlier = set()
    for each in await Schedules(
        client
    ).list_all():  # whose next run compares itself with the latest
        if each.latest is not None:
            earlier.add(build_folder_name(each.latest))
            with suppress(NoSuchRun):
                starts.append((await Runs(client).fetch_line(each.latest)).started)
    corpora: frozenset[str] | None = frozenset()
    for run_id in going:
        try:
            request = await Runs(client).read_request(run_id)
        except NoSuchRun:  # deleted since it was listed
            continue
        except NoResult:  # of another version: it follows nothing up, and may search anything
            corpora = None
            continue
        corpora = None if corpora is None else corpora.union(request.corpus)
        goes_on_from = (request.follow_up_of, request.asked_of)
        earlier |= {build_folder_name(each) for each in goes_on_from if each is not None}
    kept = {*earlier, *map(build_folder_name, going)}
    return Needs(frozenset(kept), min([before, *starts]).timestamp(), corpora)


def find_cutoff(settings: Settings, most: int) -> dt.datetime:
    """Say from when on what is kept takes at most so many bytes, the youngest counted first."""
    files = [
        each
        for kind in _KINDS
        for each in FolderBlobs(getattr(settings, f"{kind}_folder")).list_all()
    ]
    total = 0
    for each in sorted(files, key=lambda each: each.written, reverse=True):
        total += each.bytes
        if total > most:
            # A file goes that was written before: this one too.
            return dt.datetime.fromtimestamp(each.written, dt.UTC) + dt.timedelta(microseconds=1)
    return dt.datetime.fromtimestamp(0, dt.UTC)


def prune(
    settings: Settings, before: dt.datetime, needed: Needs, *, dry: bool, only: str | None = None
) -> Pruned:
    """Remove what is older and belongs to no run that goes on or is younger.

    Args:
        only: the one run of which something is removed, with what no other run cites; None for all.
    """
    # First the folders of runs, then the texts that only these cited: killed in between, what is
    # left is removed by the next time.
    try:
        return _prune(settings, before.timestamp(), needed, only, dry=dry)
    except (OSError, PortFailure) as error:
        raise NoResult(
            f"Not everything could be removed ({error}): what is gone is gone, and the rest is "
            "whole; type it again once that is mended."
        ) from None


def _prune(
    settings: Settings, before: float, needed: Needs, only: str | None, *, dry: bool
) -> Pruned:
    promised = {
        build_folder_name(each.run_id) for each in Promises(settings.promises_folder).open()
    }
    sweep = _Sweep(
        settings,
        before,
        since=min(before, needed.since),
        stay=needed.runs | promised,
        corpora=needed.corpora,
        dry=dry,
        only=None if only is None else build_folder_name(only),
    )
    if sweep.only in sweep.stay:
        raise BadInput("Another run, a schedule or a copy under way still needs this run.")
    done = sweep.sweep_all(FolderBlobs)
    if settings.blobs is not None:
        there = sweep.sweep_all(lambda folder: open_blobs(settings, folder))
        runs = tuple(dict.fromkeys((*done.runs, *there.runs)))
        done = Pruned(runs, {kind: each + there.kept[kind] for kind, each in done.kept.items()})
    for run in () if dry else done.runs:  # where their reports were written is forgotten too
        for end in (".json", ".lock"):
            (settings.written_folder / f"{run}{end}").unlink(missing_ok=True)
    return done


def _find_run_id(execution: WorkflowExecution) -> str:
    if execution.workflow_type == RESEARCH:
        return execution.id
    return execution.id.rpartition("/")[0] or execution.id


_AT_ONCE = 16  # requests at once: each waits for a network, and a bucket takes thousands a second


@dataclass
class _Sweep:
    """One sweep through the state folder and the bucket of `CAVEAT_BLOBS`."""

    # Objects have no time that could be set: a run may count on one that was written a while before
    # it began (`Blobs.grace_s`), so that what it may count on stays that much longer.

    settings: Settings
    before: float  # what was last written before may go; seconds since 1970
    since: float  # the same of what open runs may have kept, whichever run it belongs to
    stay: frozenset[str]
    # folders that open runs search; None where one of them cannot say
    corpora: frozenset[str] | None
    dry: bool
    only: str | None = None  # the folder of the one run that goes; None where all may
    # what the reports name that stay, of all places until now, and what those name that go
    cited: Cited = field(default_factory=lambda: Cited.from_files(()))
    gone: Cited = field(default_factory=lambda: Cited.from_files(()))

    def sweep_all(self, place: Callable[[Path], Blobs]) -> Pruned:
        """Remove first the reports of runs, then what only these cited."""
        settings = self.settings
        reports = place(settings.reports_folder)
        runs = _group_by_folder(reports.list_all())
        old = {name: files for name, files in runs.items() if self._is_old(name, files)}
        left = runs.keys() - old
        self.cited |= _find_cited(reports, [each for name in left for each in runs[name]])
        if self.only is not None:
            self.gone |= _find_cited(reports, [each for files in old.values() for each in files])
        gone = Swept()
        for files in old.values():
            # The seal last: killed in between, no report lies about that cannot be told from one
            # that nobody published.
            files.sort(key=lambda each: each.name.endswith(SEAL))
            gone += self._sum(reports, files, self.before, at_once=1)
        nothing: frozenset[str] = frozenset()
        needed = {
            "snapshots": (self.cited.texts, self.gone.texts),
            "payloads": (nothing, nothing),
            "answers": (nothing, nothing),
            "provisional": (self.stay | left, old.keys()),
        }
        kept = {
            kind: self._sweep(
                place(getattr(settings, f"{kind}_folder")),
                lambda name: PurePosixPath(name).stem,
                stay,
                go,
            )
            for kind, (stay, go) in needed.items()
        }
        uploads = place(settings.uploads_folder)
        return Pruned(
            tuple(sorted(old)), {"reports": gone, **kept, "uploads": self._sweep_uploads(uploads)}
        )

    def _is_old(self, name: str, files: list[Kept]) -> bool:
        if self.only not in {None, name}:
            return False
        return name not in self.stay and max(each.written for each in files) < self.before

    def _sweep_uploads(self, uploads: Blobs) -> Swept:
        if self.corpora is None:
            return Swept()
        searched = self.cited.uploads.union(Path(each).name for each in self.corpora)
        return self._sweep(
            uploads, lambda name: name.partition("/")[0], searched, self.gone.uploads
        )

    def _sweep(
        self,
        blobs: Blobs,
        key: Callable[[str], str],
        needed: AbstractSet[str],
        going: AbstractSet[str],
    ) -> Swept:
        before = self.since - blobs.grace_s
        old = (each for each in blobs.list_all() if each.written < before)
        unneeded = [each for each in old if key(each.name) not in needed]
        if self.only is not None:
            unneeded = [each for each in unneeded if key(each.name) in going]
        return self._sum(blobs, unneeded, before)

    def _sum(
        self, blobs: Blobs, files: list[Kept], before: float, at_once: int = _AT_ONCE
    ) -> Swept:
        if self.dry:
            return sum((Swept(1, each.bytes) for each in files), Swept())

        def remove(each: Kept) -> Swept:
            return Swept(1, each.bytes) if blobs.remove_old(each.name, before) else Swept()

        with ThreadPoolExecutor(at_once) as threads:
            return sum(threads.map(remove, files), Swept())


def _find_cited(reports: Blobs, files: Iterable[Kept]) -> Cited:
    """Look for what reports that stay need, in every file that names any."""
    names = [each.name for each in files if each.name.endswith(".json")]
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        return Cited.from_files(threads.map(reports.get, names))


def _group_by_folder(files: Iterable[Kept]) -> dict[str, list[Kept]]:
    folders: dict[str, list[Kept]] = {}
    for each in files:
        folder, _, name = each.name.partition("/")
        if name:
            folders.setdefault(folder, []).append(each)
    return folders
