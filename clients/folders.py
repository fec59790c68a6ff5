"""Folders that people name: those to read, and the one to write to."""

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from itertools import chain, count
from pathlib import Path
from typing import BinaryIO

from caveat.problem import BadInput
from caveat.rules.lines import shorten
from caveat.workers.settings import Settings

_LONGEST = 120  # characters of a file's name that a sentence repeats
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


def resolve_folder(folder: str) -> Path:
    if not folder.strip():
        raise BadInput("The name of a folder is empty: name one, `.` being the current folder.")
    if _ADDRESS.match(folder):
        raise BadInput(
            f"“{folder}” is an address, and a folder on this machine is needed: pages can be saved "
            "into one, and CAVEAT_SEARCH or a key searches the web (docs/claude.md)."
        )
    try:
        return Path(folder).expanduser().resolve()
    except (OSError, RuntimeError, ValueError) as error:
        # RuntimeError: no such user, or a loop of links; ValueError: a null character.
        raise BadInput(f"“{folder}” cannot be a folder: {_describe_error(error)}.") from None


def require_offered(typed: str | Path, settings: Settings, remedy: str) -> Path:
    """Resolve a folder that a stranger named, and refuse one that nobody offers."""
    folder, roots = resolve_folder(str(typed)), settings.open_folders
    if any(folder.is_relative_to(root.resolve()) for root in roots):
        return folder
    known = ", ".join(map(str, roots)) or "none yet"
    raise BadInput(f"{folder} is not one of the folders that are offered here ({known}): {remedy}.")


def require_folder(folder: Path) -> Path:
    try:
        next(folder.iterdir(), None)
    except FileNotFoundError:
        raise BadInput(f"There is no folder {folder}: name one that exists.") from None
    except NotADirectoryError:
        raise BadInput(f"{folder} is not a folder: name the folder that holds it.") from None
    except OSError as error:
        raise BadInput(f"The folder {folder} cannot be read: {_describe_error(error)}.") from None
    return folder


def require_documents(folder: Path) -> None:
    from caveat.adapters.documents.loaders import SUFFIXES  # noqa: PLC0415  # takes a tenth to load

    for place, folders, names in os.walk(folder):
        is_found = any(Path(name).suffix.lower() in SUFFIXES for name in names)
        if is_found or any(Path(place, name).is_symlink() for name in folders):
            return
    raise BadInput(
        f"{folder} holds no document that can be read: text, Markdown, HTML, PDF or an office "
        "document."
    )


def gather(documents: Sequence[tuple[str, Path | BinaryIO]], into: Path) -> Path:
    """Copy documents into one folder that is named by what they say, each with its name."""
    # So the same documents are the same sources in each run, and what was ruled on them holds.
    from caveat.adapters.documents.loaders import SUFFIXES  # noqa: PLC0415  # loads only where used

    digests = []
    for name, _ in documents:
        if Path(name).suffix.lower() not in SUFFIXES:
            raise BadInput(
                f"“{shorten(name, _LONGEST)}” is in a format that Caveat does not read: name text, "
                "Markdown, HTML, PDF or an office document."
            )
    try:
        into.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=into, prefix=".", ignore_cleanup_errors=True) as made:
            for name, content in documents:
                named = Path(made, name)
                numbered = (named.with_stem(f"{named.stem}-{number}") for number in count(2))
                path = next(free for free in chain((named,), numbered) if not free.exists())
                source = content.open("rb") if isinstance(content, Path) else nullcontext(content)
                with source as original, path.open("x+b") as copy:
                    path.chmod(0o600)
                    shutil.copyfileobj(original, copy)
                    copy.seek(0)
                    digests.append((path.name, hashlib.file_digest(copy, "sha256").hexdigest()))
            folder = into / hashlib.sha256(repr(sorted(digests)).encode()).hexdigest()[:16]
            with suppress(OSError):  # the same documents are there
                Path(made).rename(folder)
    except OSError as error:
        raise BadInput(f"The documents cannot be copied: {_describe_error(error)}.") from None
    return folder


def require_writable(folder: Path) -> None:
    """Make sure that files can be written to a folder, by trying; nothing stays behind."""
    missing = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise BadInput(
            f"Nothing can be written to {folder} ({_describe_error(error)}): name another folder "
            "with --out."
        ) from None
    finally:
        for parent in missing:
            with suppress(OSError):  # somebody else uses it by now, or it was never made
                parent.rmdir()


def _describe_error(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return (text[:1].lower() + text[1:]).rstrip(".")
