"""The receiver of docs/notifications.md, run as it stands there."""

import base64
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from caveat.adapters.http.client import create_operator_client
from caveat.adapters.http.target import Target
from caveat.adapters.notify.posting import Webhook
from caveat.adapters.notify.signing import SigningKeys
from caveat.contracts.failure import FailureType
from caveat.contracts.notice import Notice, NoticeKind
from caveat.failures import PortFailure
from tests.fakes.failures import failure_of
from tests.fakes.web import serving

PAGE = (Path(__file__).parents[4] / "docs" / "notifications.md").read_text(encoding="utf-8")
KEY = b"a key of twenty-four bytes"


@pytest.fixture
def url(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    block = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert block is not None
    monkeypatch.setenv("WEBHOOK_SECRET", "whsec_" + base64.b64encode(KEY).decode())
    known: dict[str, Any] = {}
    exec(block.group(1), known)  # noqa: S102  # the page's own example
    with serving(known["Receiver"]) as port:
        yield f"http://127.0.0.1:{port}/"


async def deliver(url: str, notice: Notice, *keys: bytes) -> None:
    client = create_operator_client()
    await Webhook(Target.from_url(url), client, SigningKeys(keys)).notify(notice)


async def test_the_receiver_takes_what_is_signed(url: str, notice: Notice) -> None:
    """Delivering raises where the receiver answers anything but success."""
    await deliver(url, notice, KEY)
    await deliver(url, notice, b"a new key", KEY)


@pytest.mark.parametrize("keys", [(), (b"another key",)])
async def test_the_receiver_refuses_what_is_not(
    url: str, notice: Notice, keys: tuple[bytes, ...]
) -> None:
    raised = await failure_of(deliver(url, notice, *keys))
    assert raised.failure_type is FailureType.AUTH_ERROR


async def test_the_receiver_refuses_what_is_old(
    url: str, notice: Notice, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    moments = iter([now - 400])
    monkeypatch.setattr(time, "time", lambda: next(moments, now))
    with pytest.raises(PortFailure):
        await deliver(url, notice, KEY)


def test_the_page_names_every_kind_and_shows_a_real_notice(notice: Notice) -> None:
    kinds = PAGE.split("| `kind` |")[1].split("\n\n")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", kinds, re.MULTILINE)) == set(NoticeKind)
    assert notice.model_dump_json() in PAGE
