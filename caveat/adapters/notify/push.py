"""Notices on telephones, by ntfy or a server that speaks as it does.

https://docs.ntfy.sh/publish/
"""

from dataclasses import dataclass, field
from email.header import Header

from caveat.adapters.http.client import Client, Request
from caveat.adapters.http.target import Target
from caveat.adapters.notify.log import one_line
from caveat.adapters.notify.posting import post
from caveat.contracts.notice import Notice, NoticeKind

PROVIDER = "ntfy"
"""Whose service failed, as failures name it."""

_TITLE = 120
"""Characters of a title: what a locked screen shows."""

URGENT = {
    NoticeKind.UNKNOWN_FAILURE: 5,
    NoticeKind.PERSON_NEEDED: 4,
    NoticeKind.QUORUM_LOST: 4,
    NoticeKind.CRITICAL_AGENT_FAILED: 4,
    NoticeKind.FAILED: 4,
}
"""ntfy's priorities above the usual 3: 5 rings on until somebody looks, which what nobody foresaw
deserves; 4 is for what somebody should do something about."""


@dataclass(frozen=True)
class Push:
    """Posts each notice to a topic.

    Attributes:
        topic: where to; its name is all that keeps strangers from reading it.
        client: sends requests.
        token: of an account, where the server asks for one.
    """

    topic: Target
    client: Client
    token: str | None = field(default=None, repr=False)

    async def notify(self, notice: Notice) -> None:
        """Deliver a notice; a repetition ends with the same id.

        Raises:
            PortFailure: the server did not answer with a status of success.
        """
        body = f"{notice.message}\n\n{notice.id}".encode()
        request = Request(self.topic, self._headers(notice), "POST", body)
        subject = f"The ntfy server at {self.topic.authority}"
        await post(self.client, request, subject, PROVIDER)

    def _headers(self, notice: Notice) -> dict[str, str]:
        headers = {
            "Content-Type": "text/plain; charset=utf-8",
            "Title": header(f"{notice.kind.replace('_', ' ')}: {notice.topic}"[:_TITLE]),
            "Priority": str(URGENT.get(notice.kind, 3)),
            "Tags": notice.kind.value,
        }
        if notice.link is not None:
            headers["Click"] = notice.link
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        return headers


def header(text: str) -> str:
    """Write a text so that a header can hold it (RFC 2047), on one line."""
    line = one_line(text)
    return line if line.isascii() else Header(line, "utf-8", maxlinelen=10_000).encode()
