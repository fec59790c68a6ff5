"""Notices in the log, and by Apprise to a real mail server and one that speaks as ntfy does."""

import datetime as dt
import logging
from email import message_from_bytes, policy

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Sink
from aiosmtpd.smtp import SMTP, Envelope, Session

from caveat.adapters.notify.log import LogNotifier
from caveat.adapters.notify.services import Services
from caveat.contracts.failure import FailureType
from caveat.contracts.notice import Notice, NoticeKind
from tests.fakes.failures import failure_of
from tests.fakes.free_ports import free_port
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


class Postmaster(Sink):
    """Keeps what it is handed."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: list[Envelope] = []

    async def handle_DATA(self, _: SMTP, __: Session, envelope: Envelope) -> str:  # noqa: N802  # aiosmtpd's name
        self.taken.append(envelope)
        return "250 OK"


async def test_a_mail_leads_to_the_page(notice: Notice) -> None:
    postmaster, port = Postmaster(), free_port()
    controller = Controller(postmaster, hostname="127.0.0.1", port=port)
    controller.start()
    asked = notice.model_copy(
        update={"arbitration": f"{notice.run_id}/contradiction-1", "topic": "Wie groß?\nX: y"}
    )
    try:
        address = f"mailto://127.0.0.1:{port}/?from=caveat@example.org&to=ada@example.org"
        await Services(address, "https://caveat.example.org").notify(asked)
    finally:
        controller.stop()
    (envelope,) = postmaster.taken
    assert envelope.rcpt_tos == ["ada@example.org"]
    assert isinstance(envelope.content, bytes)
    message = message_from_bytes(envelope.content, policy=policy.default)
    assert message["Subject"] == "person needed: Wie groß? X: y"
    body = message.get_body(("html", "plain"))
    assert body is not None
    said = body.get_content()
    assert f"/runs/{notice.run_id}/contradictions/contradiction-1" in said
    assert notice.id in said


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
