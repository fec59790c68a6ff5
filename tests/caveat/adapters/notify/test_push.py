"""Notices to a server that speaks as receiver does, and what leads to a contradiction's page."""

from email.header import decode_header, make_header

import pytest
from httpcore2 import AnyIOBackend

from caveat.adapters.http.client import Client
from caveat.adapters.http.target import Target
from caveat.adapters.notify.posting import Push
from caveat.adapters.notify.several import Linking
from caveat.contracts.failure import FailureType
from caveat.contracts.notice import Notice, NoticeKind
from tests.caveat.adapters.notify.conftest import Receiver, answer
from tests.fakes.failures import failure_of


def push(receiver: Receiver, token: str | None = None) -> Push:
    client = Client(user_agent="Caveat/test", backend=AnyIOBackend())
    return Push(Target.of(f"http://127.0.0.1:{receiver.port}/our-topic"), client, token)


async def test_a_message_leads_to_the_page(receiver: Receiver, notice: Notice) -> None:
    asked = notice.model_copy(
        update={"arbitration": f"{notice.run_id}/contradiction-1", "topic": "Wie groß?\nX: y"}
    )
    await Linking(push(receiver, "secret"), "https://caveat.example.org/").notify(asked)
    (request,) = receiver.requests
    assert request.path == "/our-topic"
    assert request.body.decode() == f"{notice.message}\n\n{notice.id}"
    title = str(make_header(decode_header(request.headers["Title"])))
    assert title == f"{notice.kind.replace('_', ' ')}: Wie groß? X: y"
    page = f"https://caveat.example.org/runs/{notice.run_id}/contradictions/contradiction-1"
    assert request.headers["Click"] == page
    assert request.headers["Authorization"] == "Bearer secret"


@pytest.mark.parametrize(
    ("kind", "priority"),
    [(NoticeKind.UNKNOWN_FAILURE, "5"), (NoticeKind.PERSON_NEEDED, "4"), (NoticeKind.DONE, "3")],
)
async def test_what_nobody_foresaw_rings_loudest(
    receiver: Receiver, notice: Notice, kind: NoticeKind, priority: str
) -> None:
    await Linking(push(receiver), "https://x").notify(notice.model_copy(update={"kind": kind}))
    (request,) = receiver.requests
    assert request.headers["Priority"] == priority
    assert "Click" not in request.headers
    assert "Authorization" not in request.headers


async def test_a_server_that_refuses(receiver: Receiver, notice: Notice) -> None:
    receiver.reply = lambda handler: answer(handler, 403)
    raised = await failure_of(push(receiver).notify(notice))
    assert raised.failure_type is FailureType.AUTH_ERROR
    assert "our-topic" not in raised.model_dump_json()
