"""Which files a folder leaves out on purpose: `.gitignore`, its manifest, built files."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

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


@dataclass(frozen=True)
class _Rule:
    pattern: re.Pattern[str]
    is_kept: bool  # whether it takes a file back in that an earlier one leaves out
    folders_only: bool


FolderRules = Sequence[tuple[Path, Sequence[_Rule]]]
"""Folders that have a `.gitignore`, outermost first, with what it says."""


def list_rules(root: Path, folder: Path) -> FolderRules:
    """Read every `.gitignore` from a root down to a folder in it."""
    above = [place for place in (folder, *folder.parents) if place.is_relative_to(root)]
    stated = ((place, _read_rules(place / ".gitignore")) for place in reversed(above))
    return [(place, rules) for place, rules in stated if rules]


def is_ignored(rules: FolderRules, path: Path, *, is_folder: bool) -> bool:
    """Whether a `.gitignore` above a path leaves it out; of those that match, the last counts."""
    ignored = False
    for above, stated in rules:
        inside = path.relative_to(above).as_posix()
        for rule in stated:
            if (is_folder or not rule.folders_only) and rule.pattern.fullmatch(inside):
                ignored = not rule.is_kept
    return ignored


def _read_rules(file: Path) -> Sequence[_Rule]:
    try:
        is_read = file.stat().st_size <= _LARGEST
        lines = file.read_text("utf-8", "replace").splitlines() if is_read else []
    except OSError:
        return ()
    return [_parse_rule(line) for line in lines if line.strip() and line[0] != "#"]


def _parse_rule(line: str) -> _Rule:
    """Translate a pattern as git reads it."""
    words = line.rstrip().removeprefix("\\")
    is_kept = line.startswith("!")
    words = words.removeprefix("!") if is_kept else words
    pattern = words.rstrip("/")
    start = "" if "/" in pattern else "(?:.*/)?"
    pieces = re.split(r"(/?\*\*/?|\*|\?|\[!?[^\]]{0,99}\])", pattern.removeprefix("/"))
    return _Rule(
        re.compile(start + "".join(map(_translate_piece, pieces))),
        is_kept=is_kept,
        folders_only=words.endswith("/"),
    )


def _translate_piece(piece: str) -> str:
    match piece:
        case "*":
            return "[^/]*"
        case "?":
            return "[^/]"
        case "**/":
            return "(?:.*/)?"
        case "/**/":
            return "/(?:.*/)?"
        case "/**" | "**":
            return f"{piece[:-2]}.*"
    if piece.startswith("[") and piece.endswith("]"):
        inner = piece[1:-1].replace("\\", "\\\\")
        return f"[^{inner[1:]}]" if inner.startswith("!") else f"[{inner}]"
    return re.escape(piece)
