"""Who reads documents takes no more memory than its container has."""

from pathlib import Path

import pytest

from caveat.adapters.documents.reader import memory_limit

MEGABYTE = 1024**2


@pytest.mark.parametrize(
    ("own", "files", "limit"),
    [
        ("0::/\n", {"memory.max": 512}, 512),
        ("0::/\n", {"memory.max": "max"}, None),
        ("0::/a/b\n", {"a/b/memory.max": 512, "a/memory.max": 300}, 300),
        ("0::/a/b\n", {"a/b/memory.max": "max", "memory.max": 200}, 200),
        ("0::/not/there\n", {"memory.max": 512}, 512),
        ("4:cpu,memory:/a\n0::/\n", {"memory/a/memory.limit_in_bytes": 256}, 256),
        ("4:memory:/outside/this\n", {"memory/memory.limit_in_bytes": 128}, 128),
        ("3:cpu:/a\n", {"memory/a/memory.limit_in_bytes": 256}, None),
        ("0::/a:b\n", {"a:b/memory.max": 64}, 64),
    ],
)
def test_the_tightest_group_bounds(
    own: str, files: dict[str, int | str], limit: int | None, tmp_path: Path
) -> None:
    (tmp_path / "own").write_text(own, encoding="utf-8")
    for name, megabytes in files.items():
        file = tmp_path / "mounted" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        written = megabytes if isinstance(megabytes, str) else megabytes * MEGABYTE
        file.write_text(f"{written}\n", encoding="utf-8")
    found = memory_limit(str(tmp_path / "own"), str(tmp_path / "mounted"))
    assert found == (None if limit is None else limit * MEGABYTE)


def test_a_system_without_groups_has_no_bound(tmp_path: Path) -> None:
    assert memory_limit(str(tmp_path / "none"), str(tmp_path)) is None
