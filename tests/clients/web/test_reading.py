"""Reports as files, of what this machine keeps."""

import json
import re
from typing import cast

import pytest

from caveat.clients.run_description import Unsettled, Waiting
from caveat.clients.service import Service
from caveat.contracts.plan import Format
from caveat.workers.connection import Connection
from caveat.workers.settings import Settings
from tests.clients.web.conftest import Browser, let_in
from tests.fakes.kept import keep
from tests.fakes.reports import a_report


class Reader(Service):
    """A service of what this machine keeps, with nothing that waits for anybody."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(cast("Connection", None), settings)
        vars(self)["runs"] = None  # no server is asked

    async def list_waiting(self) -> list[Waiting]:
        return []

    async def list_for_review(self) -> list[Unsettled]:
        return []


@pytest.fixture
def service(settings: Settings) -> Service:
    return Reader(settings)


async def test_a_report_is_taken_away_in_every_format(browser: Browser, service: Service) -> None:
    run_id = keep(service.settings, a_report())
    visitor = browser(service=service)
    await let_in(visitor)
    sent = {each: await visitor.get(f"/runs/{run_id}/report.{each}") for each in Format}
    assert {answer.status_code for answer in sent.values()} == {200}
    for each, answer in sent.items():
        assert f'filename="{run_id}.{each}"' in answer.headers["content-disposition"]
        assert not answer.headers["content-type"].startswith("text/plain"), each
    entries = re.findall(r"^@(?!comment\b)", sent[Format.BIB].text, re.MULTILINE)
    assert sent[Format.BIB].text.startswith("@")
    assert len(entries) == len(json.loads(sent[Format.CSL].text)) > 0
    assert sent[Format.PDF].content.startswith(b"%PDF")
    unknown = await visitor.get(f"/runs/{run_id}/report.odt")
    assert "A report is not written so: choose from md, pdf" in unknown.text
