"""Which files a folder leaves out on purpose: `.gitignore`, its manifest, built files."""

import re
from collections.abc import Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path

from pathspec import GitIgnoreSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from caveat.adapters.corpus.manifest import Manifest

_LARGEST = 1 << 18  # bytes of a `.gitignore` that are read
_INSTALLED = frozenset({"node_modules", "bower_components", "__pycache__", "site-packages"})
"""Folders of packages of others, and of what is made of sources."""
_BUILT = frozenset({"build", "dist", "out", "target", "_build"})
_BUILDERS = (
    "package.json", "pyproject.toml", "setup.py", "Cargo.toml", "pom.xml", "build.gradle",
    "CMakeLists.txt", "Makefile", "conf.py",
)  # fmt: skip
"""What lies beside a folder that is built; elsewhere such a name may be one of documents."""


def is_built(folder: Path) -> bool:
    """Whether a folder is of packages, of a cache, or built of what lies beside it."""
    if folder.name in _INSTALLED or (folder / "CACHEDIR.TAG").is_file():
        return True
    return folder.name in _BUILT and any((folder.parent / name).is_file() for name in _BUILDERS)


def is_excluded(manifest: Manifest, path: str) -> bool:
    """Whether a pattern of the manifest leaves out a path, or a folder that it lies in."""
    parts = path.split("/")
    places = ["/".join(parts[: end + 1]) for end in range(len(parts))]
    return any(
        fnmatchcase(place, pattern.rstrip("/")) for pattern in manifest.exclude for place in places
    )


FolderRules = Sequence[tuple[Path, GitIgnoreSpec]]
"""Folders that have a `.gitignore`, outermost first, with what it says."""


def list_rules(root: Path, folder: Path) -> FolderRules:
    """Read every `.gitignore` from a root down to a folder in it."""
    above = [place for place in (folder, *folder.parents) if place.is_relative_to(root)]
    stated = ((place, _read_rules(place / ".gitignore")) for place in reversed(above))
    return [(place, rules) for place, rules in stated if rules]


def is_ignored(rules: FolderRules, path: Path, *, is_folder: bool) -> bool:
    """Whether a `.gitignore` above a path leaves it out; of those that match, the last counts."""
    ignored = False
    for above, spec in rules:
        inside = path.relative_to(above).as_posix()
        verdict = spec.check_file(f"{inside}/" if is_folder else inside).include
        ignored = ignored if verdict is None else verdict
    return ignored


def _read_rules(file: Path) -> GitIgnoreSpec | None:
    try:
        is_read = file.stat().st_size <= _LARGEST
        lines = file.read_text("utf-8", "replace").splitlines() if is_read else []
    except OSError:
        return None
    patterns = []
    for line in lines:
        with suppress(ValueError, re.error):  # what git cannot read leaves nothing out
            patterns.append(GitIgnoreSpecPattern(line))
    return GitIgnoreSpec(patterns)
