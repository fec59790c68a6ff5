"""Notices to a real mail server on the loopback address."""

from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from caveat.adapters.notify.mail import Mail, MailServer
from caveat.contracts.failure import Failure, FailureType
from caveat.contracts.notice import Notice, NoticeKind
from caveat.failures import PortFailure
from tests.fakes.ports import free_port

GIVEN = "planted: p@ss"


class Postmaster:
    """Takes messages, or answers as a test wants."""

    def __init__(self) -> None:
        self.taken: list[EmailMessage] = []
        self.answers: dict[str, str] = {}

    async def handle_RCPT(  # noqa: N802  # as the library calls it
        self, _: SMTP, __: Session, envelope: Envelope, address: str, ___: list[str]
    ) -> str:
        envelope.rcpt_tos.append(address)
        return self.answers.get(address, "250 OK")

    async def handle_DATA(self, _: SMTP, __: Session, envelope: Envelope) -> str:  # noqa: N802
        assert isinstance(envelope.content, bytes)
        self.taken.append(message_from_bytes(envelope.content, policy=policy.default))
        return self.answers.get("DATA", "250 OK")


def _authenticated(_: Any, __: Any, ___: Any, ____: str, given: LoginPassword) -> AuthResult:
    return AuthResult(success=given.password.decode() == GIVEN, handled=False)


@pytest.fixture
def postmaster() -> Postmaster:
    return Postmaster()


@pytest.fixture
def port(postmaster: Postmaster) -> Iterator[int]:
    port = free_port()
    controller = Controller(
        postmaster,
        hostname="127.0.0.1",
        port=port,
        authenticator=_authenticated,
        auth_require_tls=False,
    )
    controller.start()
    try:
        yield port
    finally:
        controller.stop()


def mail(port: int, user: str = "", *recipients: str) -> Mail:
    server = MailServer.of(f"smtp://{user}127.0.0.1:{port}")
    return Mail(server, "Caveat <caveat@example.org>", recipients or ("ada@example.org",))


async def failure_of(mail: Mail, notice: Notice) -> Failure:
    with pytest.raises(PortFailure) as raised:
        await mail.notify(notice)
    return raised.value.failure


async def test_a_message(port: int, postmaster: Postmaster, notice: Notice) -> None:
    link = "https://caveat.example.org/contradictions/research-moons-abc123/contradiction-1"
    notice = notice.model_copy(update={"link": link, "topic": "Wie viele\nMonde? ☾"})
    await mail(port, "", "ada@example.org", "bob@example.org").notify(notice)
    await mail(port).notify(notice)
    first, again = postmaster.taken
    assert first["To"] == "ada@example.org, bob@example.org"
    kind = notice.kind.replace("_", " ")
    assert first["Subject"] == f"Caveat, {kind}: Wie viele Monde? ☾"
    text = first.get_content().replace("\r\n", "\n")
    assert text.startswith(notice.message)
    assert f"\n\n{link}\n\n" in text
    assert first["Message-ID"] == again["Message-ID"]
    assert first["Auto-Submitted"] == "auto-generated"
    assert first["X-Priority"] is None


async def test_what_nobody_foresaw_is_urgent(
    port: int, postmaster: Postmaster, notice: Notice
) -> None:
    await mail(port).notify(notice.model_copy(update={"kind": NoticeKind.UNKNOWN_FAILURE}))
    assert postmaster.taken[0]["X-Priority"] == "1"


async def test_whoever_hands_in_signs_in(port: int, postmaster: Postmaster, notice: Notice) -> None:
    await mail(port, "ada:planted%3A%20p%40ss@").notify(notice)
    assert len(postmaster.taken) == 1
    failure = await failure_of(mail(port, "ada:wrong@"), notice)
    assert failure.failure_type is FailureType.AUTH_ERROR
    assert "wrong" not in failure.model_dump_json()


@pytest.mark.parametrize(
    ("asked", "answer", "kind"),
    [
        ("ada@example.org", "550 No such user", FailureType.NOT_FOUND),
        ("DATA", "554 Spam", FailureType.PERMANENT),
        ("DATA", "451 Try later", FailureType.UNAVAILABLE),
    ],
)
async def test_what_the_server_refuses(
    port: int, postmaster: Postmaster, notice: Notice, asked: str, answer: str, kind: FailureType
) -> None:
    postmaster.answers[asked] = answer
    failure = await failure_of(mail(port), notice)
    assert failure.failure_type is kind
    assert failure.retry_recommended is (kind is FailureType.UNAVAILABLE)


async def test_somebody_who_is_refused_is_no_success(
    port: int, postmaster: Postmaster, notice: Notice
) -> None:
    postmaster.answers["bob@example.org"] = "550 No such user"
    both = mail(port, "", "ada@example.org", "bob@example.org")
    assert (await failure_of(both, notice)).failure_type is FailureType.NOT_FOUND
    assert len(postmaster.taken) == 1  # whoever can be told is told


async def test_nobody_is_there(notice: Notice) -> None:
    assert (await failure_of(mail(free_port()), notice)).failure_type is FailureType.UNAVAILABLE


@pytest.mark.parametrize(
    "url", ["http://x", "smtp://", "smtp://ada@host", "smtp://host/inbox", "mail.example.org"]
)
def test_what_is_no_mail_server(url: str) -> None:
    with pytest.raises(ValueError, match=r"must be smtp|names a user"):
        MailServer.of(url)


def test_ports_and_passwords() -> None:
    assert MailServer.of("smtp://host").port == 587
    secure = MailServer.of("smtps://ada:s%3A@host")
    assert (secure.port, secure.is_tls, secure.user, secure.password) == (465, True, "ada", "s:")
    assert "s:" not in repr(secure)
