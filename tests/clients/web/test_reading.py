"""Reports as files, of what this machine keeps."""

import re
from pathlib import Path
from typing import cast

import pytest
import typst

from caveat.adapters.documents.loaders import load
from caveat.clients.run_description import Unsettled, Waiting
from caveat.clients.service import Service
from caveat.contracts.plan import Format, ResearchRequest
from caveat.contracts.source import ClaimState
from caveat.workers.connection import Connection
from caveat.workers.settings import Settings
from caveat.workers.signing import load_signer
from tests.clients.web.conftest import Browser, let_in
from tests.fakes.kept import keep
from tests.fakes.reports import a_report


class Reader(Service):
    """A service of what this machine keeps, with nothing that waits for anybody."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(cast("Connection", None), settings)
        vars(self)["runs"] = None  # no server is asked

    async def list_unsettled(self) -> tuple[list[Waiting], list[Unsettled]]:
        return [], []


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
    assert entries
    assert sent[Format.PDF].content.startswith(b"%PDF")
    unknown = await visitor.get(f"/runs/{run_id}/report.odt")
    assert "A report is not written in that format: choose from md, pdf" in unknown.text


async def test_the_table_of_documents_leads_to_quotes(browser: Browser, service: Service) -> None:
    report = a_report()
    uncited = next(each for each in report.sources if each.number is None and each.admitted)
    placeless = {"location": None, "state": ClaimState.CONTESTED}
    changed = {"id": "c99", "source_id": uncited.id, **placeless}
    more = report.claims[0].model_copy(update=changed)
    run_id = keep(service.settings, report.model_copy(update={"unused": (more,)}))
    visitor = browser(service=service)
    await let_in(visitor)
    shown = (await visitor.get(f"/runs/{run_id}/table")).text
    links = re.findall(r'<a class="cite \w*" href="([^"]+)"', shown)
    assert f"/runs/{run_id}/sources/{uncited.id}/c99" in links
    assert len(links) >= len(report.sections)
    assert {(await visitor.get(each)).status_code for each in links} == {200}
    assert ">contested</a>" in shown  # of a text without pages or headings
    assert shown.count('<th scope="row">') == len(report.sources)
    assert "(not read: below the bar of 0.30)" in shown


QUOTE = "The distance ladder gives 73.04 km/s/Mpc."


class Requests:
    """Knows what each run was asked for."""

    def __init__(self, request: ResearchRequest) -> None:
        self.request = request

    async def read_request(self, _: str) -> ResearchRequest:
        return self.request


async def test_the_page_of_a_document_is_shown_with_the_quote_marked(
    browser: Browser, service: Service, tmp_path: Path
) -> None:
    """While the text is still the one that was read, and of folders that the run may open."""
    paper = write_pdf(tmp_path / "papers" / "ladder.pdf", QUOTE)
    snapshot = load(paper).snapshot
    start = snapshot.text.index(QUOTE)
    report = a_report()
    claim = next(each for each in report.claims if each.source_id == report.sources[0].id)
    quoted = {"quote": QUOTE, "start": start, "end": start + len(QUOTE), "location": "p. 2"}
    read = {"path": "ladder.pdf", "snapshot_sha256": await service.snapshots.keep(snapshot)}
    source = report.sources[0].model_copy(update=read)
    told = {"claims": (claim.model_copy(update=quoted),), "sources": (source,)}
    run_id = keep(service.settings, report.model_copy(update=told))
    asked = ResearchRequest(topic=report.topic, corpus=(str(paper.parent),))
    granted = load_signer(service.settings).add_grant(run_id, asked)
    requests = Requests(granted)
    vars(service)["runs"] = requests
    visitor = browser(service=service)
    await let_in(visitor)
    path = f"/runs/{run_id}/sources/{source.id}"
    assert f'href="{path}/{claim.id}">1: p. 2</a>' in (await visitor.get(path)).text

    shown = await visitor.get(f"{path}/{claim.id}")
    assert f"<mark>{QUOTE}</mark>" in shown.text
    assert f'src="{claim.id}.png"' in shown.text
    assert "Quote 1 of 1 · p. 2" in shown.text
    picture = await visitor.get(f"{path}/{claim.id}.png")
    assert picture.headers["content-type"] == "image/png"
    assert picture.headers["x-content-type-options"] == "nosniff"
    assert picture.content.startswith(b"\x89PNG")
    for name in ("c999", "c999.png", "ladder.pdf.png"):
        assert (await visitor.get(f"{path}/{name}")).status_code == 404

    async def refused() -> bool:
        shown = await visitor.get(f"{path}/{claim.id}")
        assert f"<mark>{QUOTE}</mark>" in shown.text, "it was kept"
        picture = await visitor.get(f"{path}/{claim.id}.png")
        assert picture.status_code == 404
        return "it has changed since" in shown.text and ".png" not in shown.text

    requests.request = asked  # of somebody who reaches the server, and has no key of this user
    assert await refused()
    requests.request = granted
    write_pdf(paper, QUOTE.replace("73.04", "67.4"))
    assert await refused()
    paper.unlink()
    assert await refused()


def write_pdf(path: Path, quote: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(
        typst.compile(f"A cover. #pagebreak() Some words. {quote} More words.".encode())
    )
    return path
