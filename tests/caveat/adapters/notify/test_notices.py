"""Notices in the log, and by Apprise to programs and phones."""

import datetime as dt
import json
import logging

import pytest

from caveat.adapters.notify.log import LogNotifier
from caveat.adapters.notify.services import Services
from caveat.contracts.envelope import FailureType
from caveat.contracts.tasks import Notice, NoticeKind
from tests.fakes.failures import failure_of
from tests.fakes.web import status, the_web


@pytest.fixture
def notice() -> Notice:
    return Notice(
        id="research-moons-abc123-1",
        kind=NoticeKind.PERSON_NEEDED,
        run_id="research-moons-abc123",
        topic="How many moons?",
        message="Somebody must decide between “two” and “three”.",
        created=dt.datetime(2026, 5, 4, 3, 2, 1, tzinfo=dt.UTC),
    )


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


async def test_a_notice_leads_to_the_page(notice: Notice) -> None:
    asked = notice.model_copy(
        update={"arbitration": f"{notice.run_id}/contradiction-1", "topic": "Wie groß?\nX: y"}
    )
    with the_web() as web:
        web.pages["127.0.0.1/*"] = status(204)
        services = Services(f"json://127.0.0.1:{web.port}", "https://caveat.example.org")
        await services.notify(asked)
    (request,) = web.seen
    said = json.loads(request.body)
    assert said["title"] == "person needed: Wie groß? X: y"
    assert f"/runs/{notice.run_id}/contradictions/contradiction-1" in said["message"]
    assert notice.id in said["message"]


async def test_a_server_that_refuses_is_asked_again_later(notice: Notice) -> None:
    with the_web() as web:
        web.pages["127.0.0.1/*"] = status(403)
        services = Services(f"ntfy://planted:secret@127.0.0.1:{web.port}/our-topic?retry=0")
        raised = await failure_of(services.notify(notice))
    assert raised.failure_type is FailureType.UNAVAILABLE
    assert "secret" not in raised.model_dump_json() + repr(services)


def test_an_address_of_nobody_is_refused() -> None:
    with pytest.raises(ValueError, match="no service"):
        Services("bogus://somewhere")
