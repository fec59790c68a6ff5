"""What lies in a corpus folder."""

import os
import re
import stat
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from caveat.adapters.corpus.ignored import (
    FolderRules,
    is_built,
    is_excluded,
    is_ignored,
    list_rules,
)
from caveat.adapters.corpus.manifest import NAME as MANIFEST
from caveat.adapters.corpus.manifest import Manifest, read_manifest
from caveat.adapters.documents.loaders import SUFFIXES, clean_name, translate_error
from caveat.contracts.plan import BrokenDocument
from caveat.contracts.source import Unread, UnreadSort
from caveat.failures import PortFailure, invalid, is_shortage, not_found
from caveat.rules.sources.unread import UNREAD_EXAMPLES, merge_unread

_LOCKS = ("~$", "~lock", "~WRL", ".~lock")
"""How word processors name what they keep beside a document that is open."""
_ENDING = re.compile(r"\.[a-z0-9_+-]{1,10}")
"""What tells a format; behind the last dot of other names stand words, dates and versions."""


@dataclass(frozen=True)
class FoundFile:
    """A file that can be tried: its path inside the folder, and what tells that it changed."""

    path: str
    size: int
    mtime_ns: int


@dataclass
class Survey:
    """A folder's files in a fixed order, and what was refused on the way."""

    files: list[FoundFile] = field(default_factory=list)
    refused: list[BrokenDocument] = field(default_factory=list)
    unread: tuple[Unread, ...] = ()


def survey(folder: Path, exclude: Collection[Path] = ()) -> Survey:
    """Walk a folder recursively.

    Hidden files and folders are counted and not looked at, and so are files of formats that cannot
    be read, what a `.gitignore` or the manifest leaves out, and installed packages. A symbolic link
    counts where its target lies in the folder and was not met already; one that leads out of the
    folder is refused.

    Args:
        exclude: resolved folders below it that are not looked into.
    """
    closed = frozenset(exclude) - {folder, *folder.parents}
    walk = _Walk(folder, closed, read_manifest(folder))
    walk.enter(folder)
    walk.follow_links()
    walk.survey.files.sort(key=lambda file: file.path)
    walk.survey.refused.sort(key=lambda broken: broken.path)
    walk.survey.unread = merge_unread(walk.list_unread())
    return walk.survey


@dataclass
class _Walk:
    folder: Path
    exclude: frozenset[Path]
    manifest: Manifest
    survey: Survey = field(default_factory=Survey)
    _unread: dict[tuple[UnreadSort, str], list[str]] = field(default_factory=dict)
    _counts: Counter[tuple[UnreadSort, str]] = field(default_factory=Counter)
    _seen: set[Path] = field(default_factory=set)
    _links: list[Path] = field(default_factory=list)
    _rules: FolderRules = ()  # of the folder that is looked at

    def enter(self, folder: Path) -> None:
        """Take everything below a folder, links excepted."""
        for named, folders, files in os.walk(folder, onerror=self._refuse_folder):
            place = Path(named)
            real, inside = place.resolve(), list[str]()
            if real in self.exclude - self._seen:
                self._leave(place, UnreadSort.OUTPUT)
            elif real not in self._seen:
                inside = sorted((*folders, *files))
            self._seen.add(real)
            self._rules = list_rules(self.folder, place) if self.manifest.gitignore else ()
            folders[:] = [name for name in inside if self._try_take(place / name, real)]

    def follow_links(self) -> None:
        """Take what links lead to; links met on the way are followed too, loops once."""
        while self._links:
            links, self._links = sorted(self._links), []
            for link in links:
                self._follow(link)

    def _refuse_folder(self, error: OSError) -> None:
        if is_shortage(error):
            raise error  # a folder that is not listed now would be taken for an empty one
        place = Path(error.filename)
        self._refuse(place, translate_error(error, place))

    def _try_take(self, path: Path, folder: Path) -> bool:
        try:
            return self._take(path, folder)
        except OSError as error:  # a folder that may be listed and not entered
            self._refuse(path, translate_error(error, path))
            return False

    def _take(self, path: Path, folder: Path) -> bool:
        """Take a file, remember a link; True for a folder, which is to be entered."""
        mode = path.lstat().st_mode
        if path.name.startswith("."):
            hides_folder = path.is_dir()
            self._leave(path, UnreadSort.HIDDEN_FOLDER if hides_folder else UnreadSort.HIDDEN_FILE)
        elif stat.S_ISLNK(mode):
            self._links.append(path)
        elif sort := self._find_exclusion(path, is_folder=stat.S_ISDIR(mode)):
            self._leave(path, sort)
        elif stat.S_ISDIR(mode):
            return True
        elif not stat.S_ISREG(mode):
            self._leave(path, UnreadSort.SPECIAL)
        elif path.name.startswith(_LOCKS):
            self._leave(path, UnreadSort.HIDDEN_FILE)
        elif path == self.folder / MANIFEST:
            pass  # it says of documents what they are, and is none
        elif path.suffix.lower() in SUFFIXES:
            self._add(path, folder / path.name)
        else:
            self._leave_by_ending(path)
        return False

    def _find_exclusion(self, path: Path, *, is_folder: bool) -> UnreadSort | None:
        """Say why a file or folder is left out on purpose; None where it is not."""
        if self.manifest.exclude and is_excluded(self.manifest, self._name(path)):
            return UnreadSort.EXCLUDED
        if is_folder and is_built(path):
            return UnreadSort.BUILT
        if is_ignored(self._rules, path, is_folder=is_folder):
            return UnreadSort.IGNORED
        return None

    def _name(self, path: Path) -> str:
        return clean_name(path.relative_to(self.folder).as_posix())

    def _follow(self, link: Path) -> None:
        try:
            target = link.resolve(strict=True)
        except (OSError, RuntimeError):  # Python 3.11 and 3.12 raise RuntimeError for a loop
            if link.suffix.lower() in SUFFIXES:
                message = f"“{clean_name(link.name)}” is a link to something that is not there."
                self._refuse(link, not_found(message, resource=clean_name(str(link))))
            else:
                self._leave_by_ending(link)
            return
        if target in self._seen:
            return
        if not target.is_dir() and link.suffix.lower() not in SUFFIXES:
            self._leave_by_ending(link)
        elif any(target.is_relative_to(folder) for folder in self.exclude):
            self._leave(link, UnreadSort.OUTPUT)
        elif not target.is_relative_to(self.folder):
            message = f"“{clean_name(link.name)}” is a link that leads out of its corpus folder."
            self._refuse(link, invalid(message, resource=clean_name(str(link))))
        elif target.is_dir():
            self.enter(link)
        elif target.is_file():
            self._add(link, target)

    def list_unread(self) -> Iterator[Unread]:
        for (sort, ending), count in self._counts.items():
            examples = tuple(self._unread[sort, ending])
            yield Unread(sort=sort, ending=ending, count=count, examples=examples)

    def _leave_by_ending(self, path: Path) -> None:
        ending = clean_name(path.suffix.lower())
        if _ENDING.fullmatch(ending):
            self._leave(path, UnreadSort.FORMAT, ending)
        else:
            self._leave(path, UnreadSort.NO_ENDING)

    def _leave(self, path: Path, sort: UnreadSort, ending: str = "") -> None:
        """Count what is not looked at, and remember the first names."""
        self._counts[sort, ending] += 1
        names = self._unread.setdefault((sort, ending), [])
        if len(names) < UNREAD_EXAMPLES:
            names.append(self._name(path))

    def _add(self, path: Path, real: Path) -> None:
        try:
            facts = path.stat()
        except OSError as error:
            self._refuse(path, translate_error(error, path))
            return
        self._seen.add(real)
        inside = path.relative_to(self.folder).as_posix()
        if clean_name(inside) != inside:
            name, resource = clean_name(path.name), clean_name(str(path))
            self._refuse(path, invalid(f"The name of “{name}” is not Unicode.", resource=resource))
            return
        self.survey.files.append(
            FoundFile(path=inside, size=facts.st_size, mtime_ns=facts.st_mtime_ns)
        )

    def _refuse(self, path: Path, reason: PortFailure) -> None:
        self.survey.refused.append(BrokenDocument(path=self._name(path), failure=reason.failure))
