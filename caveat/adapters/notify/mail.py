"""Notices as e-mail, handed to a mail server by SMTP."""

import asyncio
import smtplib
import ssl
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import format_datetime, parseaddr
from typing import Self
from urllib.parse import quote, unquote, urlsplit

from caveat.adapters.notify.posting import URGENT
from caveat.adapters.notify.several import one_line
from caveat.contracts.notice import Notice
from caveat.failures import PortFailure, forbidden, invalid, not_found, timed_out, unavailable

_PORTS = {"smtp": 587, "smtps": 465}  # of submission and of submission over TLS (RFC 8314, 3)

_LOOPBACK = {"localhost", "127.0.0.1", "::1"}
"""Where a password may go without encryption: it does not leave the machine."""

_SUBJECT = 200  # characters: more is shown by no list of messages


@dataclass(frozen=True)
class MailServer:
    """Where messages are handed in."""

    host: str
    port: int
    is_tls: bool = False  # whether it speaks TLS from the first byte
    user: str | None = None  # who hands in, where it asks
    password: str | None = field(default=None, repr=False)

    @classmethod
    def of(cls, url: str) -> Self:
        """Take `smtp://user:password@host:587`, or `smtps://…`, apart."""
        parts = urlsplit(url)
        if parts.scheme not in _PORTS or not parts.hostname or parts.path.strip("/"):
            raise ValueError("it must be smtp://host or smtps://host")
        if (parts.username is None) != (parts.password is None):
            raise ValueError("it names a user or a password alone: name both or neither")
        return cls(
            host=parts.hostname,
            port=parts.port or _PORTS[parts.scheme],
            is_tls=parts.scheme == "smtps",
            user=unquote(parts.username) if parts.username else None,
            password=unquote(parts.password) if parts.password else None,
        )


@dataclass(frozen=True)
class Mail:
    """Sends each notice to some people."""

    server: MailServer
    sender: str
    recipients: tuple[str, ...]
    total_s: float = 10.0  # seconds that the server may be silent
    # whose certificates are believed; None for those that this machine believes
    trust: ssl.SSLContext | None = field(default=None, repr=False)

    async def notify(self, notice: Notice) -> None:
        """Hand a notice in; mail programs know repetitions by the `Message-ID`."""
        try:
            await asyncio.to_thread(self._send, self._message(notice))
        except (OSError, smtplib.SMTPException) as error:
            raise _failure(error, f"{self.server.host}:{self.server.port}") from error

    def _message(self, notice: Notice) -> EmailMessage:
        message = EmailMessage()
        kind = notice.kind.replace("_", " ")
        message["Subject"] = one_line(f"Caveat, {kind}: {notice.topic}")[:_SUBJECT]
        message["From"] = self.sender
        message["To"] = ", ".join(self.recipients)
        message["Date"] = format_datetime(notice.created)
        domain = parseaddr(self.sender)[1].rpartition("@")[2] or "caveat"
        message["Message-ID"] = f"<{quote(notice.id, safe='')}@{domain}>"
        message["Auto-Submitted"] = "auto-generated"  # no absence notice answers it (RFC 3834)
        if URGENT.get(notice.kind, 3) == 5:
            message["X-Priority"] = "1"
        link = f"\n\n{notice.link}" if notice.link else ""
        message.set_content(f"{notice.message}{link}\n\n-- \nRun {notice.run_id}\n")
        return message

    def _send(self, message: EmailMessage) -> None:
        server, context = self.server, self.trust or ssl.create_default_context()
        with (
            smtplib.SMTP_SSL(server.host, server.port, timeout=self.total_s, context=context)
            if server.is_tls
            else smtplib.SMTP(server.host, server.port, timeout=self.total_s)
        ) as smtp:
            smtp.ehlo()
            if not server.is_tls and smtp.has_extn("starttls"):
                smtp.starttls(context=context)
                smtp.ehlo()
            elif not server.is_tls and server.password and server.host not in _LOOPBACK:
                raise smtplib.SMTPNotSupportedError("no encryption is offered for the password")
            if server.user is not None:
                smtp.login(server.user, server.password or "")
            refused = smtp.send_message(message)
            if refused:
                raise smtplib.SMTPRecipientsRefused(refused)


def _failure(error: Exception, where: str) -> PortFailure:
    """Name what the mail server said; none of its words, which may repeat an address."""
    match error:
        case smtplib.SMTPAuthenticationError():
            kind, what = forbidden, "refuses the user or the password"
        case smtplib.SMTPNotSupportedError():
            kind, what = forbidden, "offers no encryption, or no way to sign in"
        case smtplib.SMTPRecipientsRefused():
            kind, what = not_found, "does not take mail for everybody named"
        case smtplib.SMTPResponseException() if error.smtp_code >= 500:
            kind, what = invalid, f"refuses the message ({error.smtp_code})"
        case ssl.SSLCertVerificationError():
            kind, what = invalid, "has a certificate that is not trusted"
        case TimeoutError():
            kind, what = timed_out, "does not answer in time"
        case _:
            kind, what = unavailable, "cannot be reached, or breaks off"
    return kind(f"The mail server at {where} {what}.", resource=where)
