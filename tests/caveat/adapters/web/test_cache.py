"""Pages on disk."""

import os
from pathlib import Path

from caveat.adapters.web.cache import PageCache

URL = "http://moons.test/io"
HEADERS = {"content-type": "text/html", "etag": '"1"'}


async def test_a_page_comes_back_as_it_was_kept(tmp_path: Path) -> None:
    cache = PageCache(tmp_path / "new")
    await cache.keep(URL, HEADERS, b"line\nline\x00")
    kept = await cache.find(URL)
    assert kept is not None
    assert (kept.body, kept.head.content_type) == (b"line\nline\x00", "text/html")
    assert kept.build_conditions() == {"If-None-Match": '"1"'}
    assert await cache.find("http://moons.test/other") is None


async def test_without_a_validator_nothing_is_kept(tmp_path: Path) -> None:
    await PageCache(tmp_path).keep(URL, {"content-type": "text/html"}, b"x")
    assert list(tmp_path.iterdir()) == []


async def test_the_pages_unused_for_longest_make_room(tmp_path: Path) -> None:
    cache = PageCache(tmp_path, room=3000)
    for number in range(3):
        await cache.keep(f"{URL}/{number}", HEADERS, b"x" * 700)
        for file in tmp_path.rglob("*.page"):
            os.utime(file, ns=(file.stat().st_atime_ns, file.stat().st_mtime_ns - 10**9))
    assert await cache.find(f"{URL}/0") is not None  # used just now
    await cache.keep(f"{URL}/3", HEADERS, b"x" * 700)
    found = [await cache.find(f"{URL}/{number}") is not None for number in range(4)]
    assert found == [True, False, True, True]


async def test_a_folder_that_cannot_be_used_costs_nothing_but_the_cache(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("in the way")
    cache = PageCache(file)
    await cache.keep(URL, HEADERS, b"x")
    assert await cache.find(URL) is None
