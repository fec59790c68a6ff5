"""Notices by Apprise, to a real mail server and to one that speaks as ntfy does."""

from email import message_from_bytes, policy

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Sink
from aiosmtpd.smtp import SMTP, Envelope, Session

from caveat.adapters.notify.services import Services
from caveat.contracts.failure import FailureType
from caveat.contracts.notice import Notice
from tests.caveat.adapters.notify.conftest import Receiver, answer
from tests.fakes.failures import failure_of
from tests.fakes.free_ports import free_port


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


async def test_a_server_that_refuses_is_asked_again_later(
    receiver: Receiver, notice: Notice
) -> None:
    receiver.reply = lambda handler: answer(handler, 403)
    services = Services(f"ntfy://planted:secret@127.0.0.1:{receiver.port}/our-topic?retry=0")
    raised = await failure_of(services.notify(notice))
    assert raised.failure_type is FailureType.UNAVAILABLE
    assert "secret" not in raised.model_dump_json() + repr(services)


def test_an_address_of_nobody_is_refused() -> None:
    with pytest.raises(ValueError, match="no service"):
        Services("bogus://somewhere")
