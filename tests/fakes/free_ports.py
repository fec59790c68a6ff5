"""Ports of the loopback address that nobody else is given, however many test runs there are.

A port that the kernel chooses is one of its ephemeral range: between its choice and the start of
the server it may go to any outgoing connection of the machine, and does on a busy one. These lie
below that range, where nobody is put who did not ask for that number. They come in blocks: a
process owns the block whose first port it listens on, until it ends, and what lies 1,000 above it,
where the page of a server is.
"""

import atexit
import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache
from threading import Lock

HOST = "127.0.0.1"
FIRST = 10_000  # above what databases, brokers and web servers commonly listen on
LAST = 32_000  # the ephemeral range begins at 32,768 on Linux, and at 49,152 elsewhere

_ONE_AT_A_TIME = Lock()  # threads of a test ask too, and a generator serves one of them
BLOCK = 250  # ports a block, of which 124 are given: a run of all tests takes a few blocks
_ABOVE = 1_000  # and one more, from a server's port to its page's


def free_port() -> int:
    """Return a port that nobody listens on, that no other process is given and this one once."""
    with _ONE_AT_A_TIME:
        return next(_ports())


@cache
def _ports() -> Iterator[int]:
    return _free(os.getpid())


def _free(pid: int) -> Iterator[int]:
    every = range(FIRST, LAST - _ABOVE - BLOCK, BLOCK)
    blocks = [first for first in every if first // _ABOVE % 2 == 0]
    for step in range(len(blocks)):
        # Processes that start at once have neighbouring numbers.
        first = blocks[(pid * 7 + step) % len(blocks)]
        claim = socket.socket()
        if not _binds(claim, first):
            claim.close()
            continue
        claim.listen()
        atexit.register(claim.close)
        yield from filter(_is_free, range(first + 2, first + BLOCK, 2))
    raise RuntimeError(f"All ports from {FIRST} to {LAST} are taken: end other test runs.")


def _is_free(port: int) -> bool:
    with ExitStack() as probes:
        needed = (port, port + _ABOVE + 1)
        return all(_binds(probes.enter_context(socket.socket()), each) for each in needed)


def _binds(probe: socket.socket, port: int) -> bool:
    try:
        probe.bind((HOST, port))
    except OSError:
        return False
    return True
