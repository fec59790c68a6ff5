"""Archives, as offices' formats are."""

import io
import zipfile
from collections.abc import Callable, Mapping
from typing import Any


def packed(members: Mapping[str, str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)  # the same bytes at any time
    return file.getvalue()


def saved(document: Any) -> bytes:
    """Save what a library of an office's format has made."""
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def repacked(archive: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    """Write an archive again, with what becomes of each member by its name and content."""
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as whole, zipfile.ZipFile(target, "w") as copy:
        for name in whole.namelist():
            copy.writestr(name, change(name, whole.read(name)))
    return target.getvalue()
