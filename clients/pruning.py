"""What is kept here and nobody needs any more: found with the server's word, and removed."""

import datetime as dt
import math
import re
from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from temporalio.client import Client

from caveat.adapters.files.artifacts import build_folder_name
from caveat.adapters.files.blobs import FolderBlobs
from caveat.adapters.files.reports import SEAL
from caveat.clients.runs import Runs
from caveat.clients.schedules import Schedules
from caveat.clients.translation import STILL_OPEN, translate_errors
from caveat.failures import PortFailure
from caveat.ports import Blobs, Kept
from caveat.problem import BadInput, NoResult, NoSuchRun
from caveat.workers.blobs import open_blobs
from caveat.workers.settings import Settings
from caveat.workflows.names import ARBITRATION, GOES_ON, RESEARCH

_NAMED = re.compile(rb"[0-9a-f]{64}|(?<=uploads/)[0-9a-f]{16}\b")
"""How files of runs name a text, and a folder of documents that were dropped."""


@dataclass(frozen=True)
class Needs:
    # names of folders that stay: of runs that go on, of those that they follow up or ask on, of
    # what they search, and of the latest run of each schedule
    names: frozenset[str]
    # when the earliest began of those that went on at the moment from which everything stays; what
    # was last kept before is none of theirs. Seconds since 1970.
    since: float


@dataclass(frozen=True)
class Pruned:
    """What was removed, or would be."""

    runs: tuple[str, ...] = ()  # ids of the runs whose reports and evidence went
    files: int = 0
    bytes: int = 0
    held: int = 0  # files of the one run that stay, for runs under way may cite them

    def __add__(self, other: "Pruned") -> "Pruned":
        runs = tuple(sorted({*self.runs, *other.runs}))
        files, held = self.files + other.files, self.held + other.held
        return Pruned(runs, files, self.bytes + other.bytes, held)


async def needs(client: Client, before: dt.datetime) -> Needs:
    """Ask a server which runs go on, or went on after a moment."""
    query = (
        f"WorkflowType IN ('{RESEARCH}', '{ARBITRATION}') AND "
        f"({GOES_ON} OR CloseTime >= '{before.isoformat()}')"
    )
    with translate_errors():
        runs = [run async for run in client.list_workflows(query)]
    starts = [run.start_time for run in runs]
    going = {
        run.id if run.workflow_type == RESEARCH else run.id.rpartition("/")[0] or run.id
        for run in runs
        if run.status in STILL_OPEN
    }
    needed: set[str | None] = {*going}
    for schedule in await Schedules(client).list_all():
        if schedule.latest is not None:  # with which its next run compares itself
            needed.add(schedule.latest)
            with suppress(NoSuchRun):
                starts.append((await Runs(client).fetch_line(schedule.latest)).started)
    searched: set[str] = set()
    for run_id in going:
        try:
            request = await Runs(client).read_request(run_id)
        except NoSuchRun:  # deleted since it was listed
            continue
        except NoResult:  # of another version: it follows nothing up, and may search anything
            starts.append(dt.datetime.fromtimestamp(0, dt.UTC))
        else:
            searched.update(Path(corpus).name for corpus in request.corpus)
            needed |= {request.follow_up_of, request.asked_of} - {None}
    folders = frozenset(build_folder_name(run_id) for run_id in needed if run_id)
    return Needs(folders | searched, min([before, *starts]).timestamp())


def prune(
    settings: Settings, before: dt.datetime, needed: Needs, *, dry: bool, only: str | None = None
) -> Pruned:
    """Remove what is old and no other run needs; of one run alone where `only` names it."""
    # First the folders of runs, then the texts that only these cited: killed in between, what is
    # left is removed by the next time.
    folder = None if only is None else build_folder_name(only)
    if folder in needed.names:
        raise BadInput("Another run, a schedule or a copy under way still needs this run.")
    # What is named goes, also where this machine's clock is behind that of its files.
    last = before.timestamp() if folder is None else math.inf
    sweep = _Sweep(settings, last, needed, dry, folder)
    try:
        done = sweep.sweep_all(FolderBlobs)
        if settings.blobs is not None:
            done += sweep.sweep_all(lambda folder: open_blobs(settings, folder))
        for run in () if dry else done.runs:  # where their reports were written is forgotten too
            (settings.written_folder / f"{run}.json").unlink(missing_ok=True)
    except (OSError, PortFailure) as error:
        raise NoResult(
            f"Not everything could be removed ({error}): what is gone is gone, and the rest is "
            "whole; type it again once that is mended."
        ) from None
    return done


_AT_ONCE = 16  # requests at once: each waits for a network, and a bucket takes thousands a second


@dataclass
class _Sweep:
    # Objects have no time that could be set: a run may count on one that was written a while before
    # it began (`Blobs.grace_s`), so that what it may count on stays that much longer.

    settings: Settings
    before: float  # what was last written before may go; seconds since 1970
    needed: Needs
    dry: bool
    only: str | None  # the folder of the one run that goes; None where all may
    # what the reports name that stay, of all places until now, and what those name that go
    cited: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)

    def sweep_all(self, place: Callable[[Path], Blobs]) -> Pruned:
        """Remove first the reports of runs, then what only these cited."""
        reports = place(self.settings.reports_folder)
        runs: dict[str, list[Kept]] = {}
        for file in reports.list_all():
            folder, _, name = file.name.partition("/")
            if name:
                runs.setdefault(folder, []).append(file)
        old = {
            name: files
            for name, files in runs.items()
            if self.only in {None, name}
            and name not in self.needed.names
            and max(file.written for file in files) < self.before
        }
        left = runs.keys() - old
        self.cited |= _find_cited(reports, [file for name in left for file in runs[name]])
        if self.only is not None:
            self.gone |= _find_cited(reports, [file for files in old.values() for file in files])
        done = Pruned(tuple(old))
        for files in old.values():
            # The seal last: killed in between, no report lies about that cannot be told from one
            # that nobody published.
            files.sort(key=lambda file: file.name.endswith(SEAL))
            done += self._remove(reports, files, self.before, at_once=1)
        stay, go = self.needed.names | left | self.cited, self.gone | old.keys()
        for kind in ("snapshots", "payloads", "answers", "uploads"):
            done += self._sweep(place(getattr(self.settings, f"{kind}_folder")), stay, go)
        return done

    def _sweep(self, blobs: Blobs, stay: AbstractSet[str], go: AbstractSet[str]) -> Pruned:
        """Remove what is old, by the name of its file or of the folder that it lies in."""
        before, unneeded, held = self.needed.since - blobs.grace_s, list[Kept](), 0
        for file in blobs.list_all():
            names = {file.name.partition("/")[0], PurePosixPath(file.name).stem}
            may_go = names.isdisjoint(stay) and (self.only is None or not names.isdisjoint(go))
            if may_go and file.written < before:
                unneeded.append(file)
            elif may_go and self.only is not None:
                held += 1
        return self._remove(blobs, unneeded, before) + Pruned(held=held)

    def _remove(
        self, blobs: Blobs, files: list[Kept], before: float, at_once: int = _AT_ONCE
    ) -> Pruned:
        def remove(file: Kept) -> Pruned:
            is_gone = self.dry or blobs.remove_old(file.name, before)
            return Pruned((), 1, file.bytes) if is_gone else Pruned()

        with ThreadPoolExecutor(at_once) as threads:
            return sum(threads.map(remove, files), Pruned())


def _find_cited(reports: Blobs, files: Iterable[Kept]) -> set[str]:
    names = [file.name for file in files if file.name.endswith(".json")]
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        contents = threads.map(reports.get, names)
        return {name.decode() for content in contents for name in _NAMED.findall(content or b"")}
