"""The throughput benchmark, reduced: five runs before a limit of eight requests a second."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from temporalio.client import Client
from temporalio.testing import WorkflowEnvironment

from benchmarks.throughput import UNDER_WAY, Guard, Measured, Shape, measure, table, together, used
from caveat.adapters.files.blobs import FolderBlobs
from caveat.workers.data import data_converter
from caveat.workers.launching import tuned_flags

pytestmark = pytest.mark.system

SHAPE = Shape(runs=5, requests=24, window_s=3.0)


@pytest.fixture
async def client(mortal_binary: Path, payloads_folder: Path) -> AsyncIterator[Client]:
    """A server whose time is real."""
    async with await WorkflowEnvironment.start_local(
        data_converter=data_converter(FolderBlobs(payloads_folder)),
        dev_server_existing_path=str(mortal_binary),
        dev_server_log_level="error",
        dev_server_extra_args=list(tuned_flags()),
    ) as started:
        yield started.client


async def test_runs_at_once_use_the_limit_up_and_do_not_meet_it(client: Client) -> None:
    for _ in range(3):  # other work on the machine costs windows, which are not used up then
        measured = await measure(client, SHAPE, Guard.PACER)
        assert measured.lost_runs == measured.lost_work == 0
        # 17 a run, and the answers of three participants in two rounds of the debate.
        assert measured.calls == 5 * (17 + 3 * 2)
        assert measured.refused == 0
        # It takes as long as the limit demands: 24 in each of four windows, the rest in a fifth.
        assert measured.seconds > 12
        if measured.passed:
            break
    assert measured.used is not None
    assert measured.used >= 0.9
    assert measured.passed


GOOD = Measured(Guard.PACER, 5, 0, 0, 80, 0, 10.0, 0.97, 0.93)


def test_what_a_guard_promises() -> None:
    assert GOOD.passed
    assert replace(GOOD, refused=UNDER_WAY).passed
    assert not replace(GOOD, refused=UNDER_WAY + 1).passed
    assert not replace(GOOD, lost_runs=1).passed
    assert not replace(GOOD, lost_work=1).passed
    assert not replace(GOOD, used=0.89).passed


def test_spans_that_overlap_are_one() -> None:
    spans = [(0.0, 1.0), (0.5, 2.0), (1.5, 1.6), (3.0, 4.0)]
    assert list(together(iter(spans))) == [(0.0, 2.0), (3.0, 4.0)]
    assert list(together(iter([]))) == []


def test_only_what_waited_longer_than_a_turn_counts_as_waiting() -> None:
    # Two waited for two seconds in all, in which 20 may be sent; one was sent apart from them.
    waits = [(0.0, 1.0), (1.0, 2.0), (5.0, 5.05)]
    assert used(waits, per_second=10) == 0.1
    assert used([(5.0, 5.05)], per_second=10) is None


def test_the_table_has_a_line_for_each_guard() -> None:
    lines = table(SHAPE, [GOOD, replace(GOOD, guard=Guard.NONE, used=None)]).splitlines()
    assert lines[0].startswith("5 runs at once, 24 requests in a window of 3 s")
    assert lines[-2].split() == ["pacer", "0", "0", "80", "0", "10.0", "97%", "93%"]
    assert lines[-1].split() == ["none", "0", "0", "80", "0", "10.0", "93%"]
