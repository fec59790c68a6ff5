"""How much memory this process may use at most: the bounds of its Linux control groups."""

from collections.abc import Iterator
from contextlib import suppress
from posixpath import dirname, join

_OWN = "/proc/self/cgroup"
_MOUNTED = "/sys/fs/cgroup"


def memory_limit(own: str = _OWN, mounted: str = _MOUNTED) -> int | None:
    """Return the bytes that this process and its neighbours in a container may use together.

    Each group is bounded by those around it. A container that sees its own groups as the root of
    all others is told paths that are not there; the root then holds its bound.

    Args:
        own: the file that says in which groups the process is.
        mounted: the folder where they are found.

    Returns:
        The tightest bound; None where there is none, as on systems other than Linux.
    """
    return min(_bounds(own, mounted), default=None)


def _bounds(own: str, mounted: str) -> Iterator[int]:
    for folder, group, name in _groups(own):
        place = group
        while True:
            file = join(mounted, folder, place.lstrip("/"), name)
            with suppress(OSError, ValueError), open(file) as told:  # noqa: PTH123  # no pathlib here
                yield int(told.read())  # “max” is no bound
            if place in {"/", ""}:
                break
            place = dirname(place)


def _groups(own: str) -> Iterator[tuple[str, str, str]]:
    """Yield the folder, path and file of each group that may bound memory."""
    with suppress(OSError), open(own) as lines:  # noqa: PTH123  # no pathlib here
        for line in lines:
            _, controllers, group = line.rstrip("\n").split(":", 2)
            if not controllers:  # the second version of control groups
                yield "", group, "memory.max"
            elif "memory" in controllers.split(","):
                yield "memory", group, "memory.limit_in_bytes"
