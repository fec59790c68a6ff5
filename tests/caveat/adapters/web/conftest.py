"""A web of the test's own."""

from collections.abc import Iterator

import pytest

from tests.fakes.web import Web, the_web


@pytest.fixture
def web() -> Iterator[Web]:
    with the_web() as started:
        yield started
