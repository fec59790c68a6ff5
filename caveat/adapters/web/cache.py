"""Pages on disk, so that a server may answer “unchanged” instead of sending them again."""

import datetime as dt
import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from caveat import atomic
from caveat.contracts.base import Contract
from caveat.threads import wait_in_thread

_NAME = "*/*.page"
_SEPARATOR = b"\n"


class PageHead(Contract):
    """What is kept of a page in addition to its bytes."""

    url: str
    content_type: str
    etag: str  # the header of that name, or empty
    last_modified: str  # the header of that name, or empty
    sha256: str  # of the body, so that a damaged file is not taken for a page
    fetched: dt.datetime  # when its server sent it, UTC


@dataclass(frozen=True)
class KeptPage:
    head: PageHead
    body: bytes

    def build_conditions(self) -> dict[str, str]:
        """Return the headers that ask for the page only if it changed (RFC 9110, 13.1)."""
        headers = {"If-None-Match": self.head.etag, "If-Modified-Since": self.head.last_modified}
        # A validator outside ASCII is allowed and obsolete (RFC 9110, 5.5); it cannot be sent back.
        return {name: value for name, value in headers.items() if value and value.isascii()}


@dataclass(frozen=True)
class PageCache:
    """Keeps pages with a validator; others would be sent again anyway."""

    # A file is complete or absent: it is written under another name and renamed. Files that cannot
    # be read or written cost a download, never a page.

    folder: Path  # created when the first page is kept
    room: int = 500 * 1000 * 1000  # bytes that are kept; the pages unused for longest go first

    @wait_in_thread
    def keep(self, url: str, headers: dict[str, str], body: bytes) -> None:
        """Keep a page that has a validator.

        Args:
            headers: `content-type`, and `etag` or `last-modified`.
        """
        head = PageHead(
            url=url,
            content_type=headers.get("content-type", ""),
            etag=headers.get("etag", ""),
            last_modified=headers.get("last-modified", ""),
            sha256=hashlib.sha256(body).hexdigest(),
            fetched=dt.datetime.now(dt.UTC),
        )
        if not (head.etag or head.last_modified):
            return
        data = head.model_dump_json().encode() + _SEPARATOR + body
        with suppress(OSError):
            self._make_room(len(data))
            atomic.write(self._locate_file(url), data)

    @wait_in_thread
    def find(self, url: str) -> KeptPage | None:
        """Return a kept page; None if it is missing or damaged."""
        file = self._locate_file(url)
        try:
            data = file.read_bytes()
            os.utime(file)
        except OSError:
            return None
        line, _, body = data.partition(_SEPARATOR)
        try:
            head = PageHead.model_validate_json(line)
        except ValidationError:
            return None
        is_sound = head.url == url and head.sha256 == hashlib.sha256(body).hexdigest()
        return KeptPage(head, body) if is_sound else None

    def _make_room(self, wanted: int) -> None:
        files = [(file.stat(), file) for file in self.folder.glob(_NAME)]
        total = wanted + sum(facts.st_size for facts, _ in files)
        for facts, file in sorted(files, key=lambda pair: pair[0].st_mtime_ns):
            if total <= self.room:
                return
            file.unlink(missing_ok=True)
            total -= facts.st_size

    def _locate_file(self, url: str) -> Path:
        name = hashlib.sha256(url.encode()).hexdigest()
        return self.folder / name[:2] / f"{name}.page"
