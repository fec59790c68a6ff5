"""Notices to a real mail server on the loopback address."""

import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from caveat.adapters.notify.mail import Mail, MailServer
from caveat.contracts.failure import FailureType
from caveat.contracts.notice import Notice, NoticeKind
from standins.free_ports import free_port
from tests.fakes.certificates import certificate_of
from tests.fakes.failures import failure_of

GIVEN = "planted: p@ss"


class Postmaster:
    """Takes messages, or answers as a test wants."""

    def __init__(self) -> None:
        self.taken: list[EmailMessage] = []
        self.encrypted: list[bool] = []
        self.answers: dict[str, str] = {}

    async def handle_RCPT(  # noqa: N802  # as the library calls it
        self, _: SMTP, __: Session, envelope: Envelope, address: str, ___: list[str]
    ) -> str:
        envelope.rcpt_tos.append(address)
        return self.answers.get(address, "250 OK")

    async def handle_DATA(self, server: SMTP, _: Session, envelope: Envelope) -> str:  # noqa: N802  # aiosmtpd's name
        assert isinstance(envelope.content, bytes)
        assert server.transport is not None
        self.encrypted.append(server.transport.get_extra_info("ssl_object") is not None)
        self.taken.append(message_from_bytes(envelope.content, policy=policy.default))
        return self.answers.get("DATA", "250 OK")


def _authenticated(_: Any, __: Any, ___: Any, ____: str, given: LoginPassword) -> AuthResult:
    return AuthResult(success=given.password.decode() == GIVEN, handled=False)


@pytest.fixture
def postmaster() -> Postmaster:
    return Postmaster()


@contextmanager
def serving(postmaster: Postmaster, **options: Any) -> Iterator[int]:
    port = free_port()
    controller = Controller(
        postmaster, hostname="127.0.0.1", port=port, authenticator=_authenticated, **options
    )
    controller.start()
    try:
        yield port
    finally:
        controller.stop()


@pytest.fixture
def port(postmaster: Postmaster) -> Iterator[int]:
    with serving(postmaster, auth_require_tls=False) as port:
        yield port


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    return certificate_of(tmp_path, "IP:127.0.0.1")


Encrypted = Callable[[str], Mail]


@pytest.fixture(params=["smtp", "smtps"])
def encrypted(
    request: pytest.FixtureRequest, postmaster: Postmaster, certificate: tuple[Path, Path]
) -> Iterator[Encrypted]:
    """Mail to a server that takes no password and no message without TLS, whose certificate
    nobody vouches for: by STARTTLS, and by TLS from the first byte."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    by = {"smtp": {"tls_context": context, "require_starttls": True}}
    by["smtps"] = {"ssl_context": context, "auth_require_tls": False}  # it is there already
    with serving(postmaster, **by[request.param]) as port:
        yield lambda user: Mail(
            MailServer.of(f"{request.param}://{user}127.0.0.1:{port}"),
            "caveat@example.org",
            ("ada@example.org",),
        )


def mail(port: int, user: str = "", *recipients: str) -> Mail:
    server = MailServer.of(f"smtp://{user}127.0.0.1:{port}")
    return Mail(server, "Caveat <caveat@example.org>", recipients or ("ada@example.org",))


async def test_a_message(port: int, postmaster: Postmaster, notice: Notice) -> None:
    link = "https://caveat.example.org/contradictions/research-moons-abc123/contradiction-1"
    notice = notice.model_copy(update={"link": link, "topic": "Wie viele\nMonde? ☾"})
    await mail(port, "", "ada@example.org", "bob@example.org").notify(notice)
    await mail(port).notify(notice)
    await mail(port).notify(notice.model_copy(update={"kind": NoticeKind.UNKNOWN_FAILURE}))
    first, again, urgent = postmaster.taken
    assert first["To"] == "ada@example.org, bob@example.org"
    kind = notice.kind.replace("_", " ")
    assert first["Subject"] == f"Caveat, {kind}: Wie viele Monde? ☾"
    text = first.get_content().replace("\r\n", "\n")
    assert text.startswith(notice.message)
    assert f"\n\n{link}\n\n" in text
    assert first["Message-ID"] == again["Message-ID"]
    assert first["Auto-Submitted"] == "auto-generated"
    assert (first["X-Priority"], urgent["X-Priority"]) == (None, "1")


async def test_whoever_hands_in_signs_in(port: int, postmaster: Postmaster, notice: Notice) -> None:
    await mail(port, "ada:planted%3A%20p%40ss@").notify(notice)
    assert len(postmaster.taken) == 1
    failure = await failure_of(mail(port, "ada:wrong@").notify(notice))
    assert failure.failure_type is FailureType.AUTH_ERROR
    assert "wrong" not in failure.model_dump_json()


async def test_mail_is_encrypted_where_the_server_offers_it(
    encrypted: Encrypted, postmaster: Postmaster, notice: Notice, certificate: tuple[Path, Path]
) -> None:
    trust = ssl.create_default_context(cafile=str(certificate[0]))
    await replace(encrypted("ada:planted%3A%20p%40ss@"), trust=trust).notify(notice)
    assert [each["To"] for each in postmaster.taken] == ["ada@example.org"]
    assert postmaster.encrypted == [True]


async def test_a_server_whose_certificate_nobody_vouches_for_gets_nothing(
    encrypted: Encrypted, postmaster: Postmaster, notice: Notice
) -> None:
    failure = await failure_of(encrypted("ada:planted%3A%20p%40ss@").notify(notice))
    assert failure.failure_type is FailureType.PERMANENT
    assert "certificate that is not trusted" in failure.message
    assert postmaster.taken == []


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
    failure = await failure_of(mail(port).notify(notice))
    assert failure.failure_type is kind
    assert failure.retry_recommended is (kind is FailureType.UNAVAILABLE)


async def test_somebody_who_is_refused_is_no_success(
    port: int, postmaster: Postmaster, notice: Notice
) -> None:
    postmaster.answers["bob@example.org"] = "550 No such user"
    both = mail(port, "", "ada@example.org", "bob@example.org")
    assert (await failure_of(both.notify(notice))).failure_type is FailureType.NOT_FOUND
    assert len(postmaster.taken) == 1  # whoever can be told is told


async def test_nobody_is_there(notice: Notice) -> None:
    assert (
        await failure_of(mail(free_port()).notify(notice))
    ).failure_type is FailureType.UNAVAILABLE


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
