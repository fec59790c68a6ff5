"""A web of the test's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.web import Web, the_web


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    with the_web(tmp_path) as started:
        yield started
