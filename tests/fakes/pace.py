"""How fast this machine is now, so that a bound on time says something about the code alone."""

import time

ROUNDS = 420_000
REFERENCE_S = 0.19
"""What `_work` takes where the bounds were set: on one of two idle x86 cores, with Python 3.11."""


def slowness() -> float:
    """Say how many times longer than there the same work takes here and now; at least 1."""
    return max(1.0, max(_work() for _ in range(3)) / REFERENCE_S)


def _work() -> float:
    began = time.process_time()
    total = 0
    words: dict[str, int] = {}
    for number in range(ROUNDS):
        word = f"w{number % 977}"
        words[word] = words.get(word, 0) + number
        total += len(word)
    return time.process_time() - began
