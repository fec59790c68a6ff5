import logging

import pytest

from caveat.adapters.notify.log import LogNotifier
from caveat.contracts.notice import Notice


async def test_a_notice_is_one_warning(notice: Notice, caplog: pytest.LogCaptureFixture) -> None:
    await LogNotifier().notify(notice)
    (record,) = caplog.records
    assert vars(record)["told"] == f"{notice.kind}: {notice.message}"
    assert (record.name, record.levelno) == ("caveat.notices", logging.WARNING)
    assert record.getMessage() == (
        "person_needed: Somebody must decide between “two” and “three”. "
        "(run research-moons-abc123, notice research-moons-abc123-1)"
    )


async def test_no_text_forges_a_line_or_steers_a_terminal(
    notice: Notice, caplog: pytest.LogCaptureFixture
) -> None:
    evil = "One.\r\nWARNING caveat.notices: all is well\x1b[2J\u2028\x00"
    await LogNotifier().notify(notice.model_copy(update={"message": evil, "run_id": evil}))
    assert len(caplog.messages[0].splitlines()) == 1
    assert caplog.messages[0].isprintable()
