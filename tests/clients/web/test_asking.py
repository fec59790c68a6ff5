"""What is typed into the page's forms, and documents that are dropped onto it."""

import html
import io
from pathlib import Path
from typing import cast

import httpx2
import pytest
from pydantic import SecretStr
from starlette.datastructures import UploadFile

from caveat.clients.folders import require_offered
from caveat.clients.requests import EXAMPLE_TOPIC
from caveat.clients.run_description import create_run_id
from caveat.clients.service import Service
from caveat.clients.web.asking import Uploads, list_folders
from caveat.contracts.plan import ResearchRequest
from caveat.problem import BadInput
from caveat.workers.connection import Connection
from caveat.workers.settings import Settings
from tests.clients.web.conftest import ORIGIN, TOKEN, Browser


def dropped(name: str, content: bytes = b"text", size: int | None = None) -> UploadFile:
    return UploadFile(
        io.BytesIO(content), filename=name, size=len(content) if size is None else size
    )


@pytest.fixture
def uploads(tmp_path: Path) -> Uploads:
    return Uploads(tmp_path / "uploads")


async def test_documents_are_kept_for_this_user_alone(uploads: Uploads) -> None:
    name = await uploads.keep([dropped("a.md", b"one"), dropped("a.md", b"two"), ""])
    assert uploads.list_names(name) == ["a-2.md", "a.md"]
    kept = uploads.find_folder(name) / "a-2.md"
    assert kept.read_bytes() == b"two"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/passwd.txt", "passwd.txt"),
        ("..\\..\\boot.txt", "boot.txt"),
        ("/absolute.txt", "absolute.txt"),
        (".hidden.txt", "hidden.txt"),
        ("a\u202e\x00\nb.txt", "a  b.txt"),
        ("<img src=x>.html", "_img src_x_.html"),
        ("x" * 500 + ".txt", "x" * 196 + ".txt"),
    ],
)
async def test_a_name_leads_nowhere(uploads: Uploads, given: str, kept: str) -> None:
    name = await uploads.keep([dropped(given)])
    (path,) = uploads.find_folder(name).iterdir()
    assert path.name == kept
    assert path.resolve().is_relative_to(uploads.folder.resolve())


@pytest.mark.parametrize(
    ("file", "why"),
    [
        (dropped("a.exe"), "format that Caveat does not read"),
        (dropped("noending"), "format that Caveat does not read"),
        (dropped("a.md", size=10**9), "larger than"),
    ],
)
async def test_what_cannot_be_read_is_refused(uploads: Uploads, file: UploadFile, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        await uploads.keep([file])


async def test_the_same_documents_are_the_same_sources(uploads: Uploads) -> None:
    first = await uploads.keep([dropped("a.md", b"one"), dropped("b.md", b"two")])
    assert await uploads.keep([dropped("b.md", b"two"), dropped("a.md", b"one")]) == first
    assert await uploads.keep([dropped("a.md", b"one"), dropped("b.md", b"2")]) != first
    more = await uploads.keep([dropped("c.md", b"three")], first)
    assert uploads.list_names(more) == ["a.md", "b.md", "c.md"]
    assert uploads.list_names(first) == ["a.md", "b.md"], "another run reads it"


@pytest.mark.parametrize("name", ["", "..", "0" * 16, "../../etc", "x" * 16])
def test_a_folder_of_documents_must_be_one_of_ours(uploads: Uploads, name: str) -> None:
    with pytest.raises(BadInput, match="no longer here"):
        uploads.find_folder(name)
    assert uploads.list_names(name) == []


def test_only_folders_among_the_roots_may_be_asked(tmp_path: Path) -> None:
    root, secret = tmp_path / "root", tmp_path / "secret"
    (root / "papers").mkdir(parents=True)
    secret.mkdir()
    (root / "way-out").symlink_to(secret)
    settings = Settings(state_dir=tmp_path, cache_dir=tmp_path, corpus_roots=(root,))
    assert require_offered(root / "papers", settings, "choose") == root / "papers"
    assert str(root / "papers") in list_folders(settings)
    for typed in (secret, root / "way-out", root / ".." / "secret", "", "\x00", "/"):
        with pytest.raises(BadInput, match="folder"):
            require_offered(typed, settings, "choose")


class Tools(Service):
    """An service where runs are begun on no server."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(cast("Connection", None), settings)
        self.begun: list[ResearchRequest] = []

    async def start(self, request: ResearchRequest, order: str = "") -> str:
        self.begun.append(request)
        return create_run_id(request.topic, order)


async def asked(browser: Browser, tools: Tools, **typed: str) -> httpx2.Response:
    visitor = browser(service=tools)
    await visitor.get("/inbox", params={"token": TOKEN})
    return await visitor.post("/ask", data=typed, headers={"origin": ORIGIN})


@pytest.fixture
def tools(settings: Settings, tmp_path: Path) -> Tools:
    papers = tmp_path / "papers"
    papers.mkdir()
    return Tools(settings.model_copy(update={"corpus": (papers,)}))


async def test_a_question_becomes_a_run(browser: Browser, tools: Tools) -> None:
    typed = {"topic": "Why <b>?", "time": "10m", "deadline": "5m", "depth": "overview"}
    answer = await asked(browser, tools, **typed)
    assert answer.status_code == 303, answer.text
    (begun,) = tools.begun
    assert (begun.topic, begun.depth, begun.corpus) == (
        "Why <b>?", "overview", (str(tools.settings.corpus[0]),)
    )  # fmt: skip


async def test_the_demo_asks_of_packaged_documents(browser: Browser, tools: Tools) -> None:
    assert (await asked(browser, tools, demo="1")).status_code == 303
    (begun,) = tools.begun
    assert begun.topic == EXAMPLE_TOPIC
    assert len(list(Path(begun.corpus[0]).glob("*.md"))) == 4


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ({"topic": " "}, "The topic is empty"),
        ({"topic": "x", "depth": "bottomless"}, "“Depth” must be"),
        ({"topic": "x", "max_cost": "much"}, "“Budget” must be a number"),
        ({"topic": "x", "deadline": "800h"}, "“Leave stragglers after” must be from 1s to 30d"),
        ({"topic": "x", "folder": "/etc"}, "not one of the folders"),
        ({"topic": "x", "upload": "../../etc"}, "Kept"),
    ],
)
async def test_what_was_typed_stays_where_it_cannot_be(
    browser: Browser, tools: Tools, typed: dict[str, str], sentence: str
) -> None:
    answer = await asked(browser, tools, **typed)
    if sentence == "Kept":  # a name that is none of ours is forgotten, and nothing of it read
        assert answer.status_code == 303
        assert tools.begun[0].corpus == (str(tools.settings.corpus[0]),)
        return
    assert answer.status_code == 400
    assert sentence in answer.text
    assert typed["topic"].strip() in answer.text
    assert " --" not in html.unescape(answer.text)
    assert not tools.begun


async def test_what_it_costs_is_said_before_it_starts(browser: Browser, tools: Tools) -> None:
    tools.settings = tools.settings.model_copy(update={"anthropic_api_key": SecretStr("sk-x")})
    first = await asked(browser, tools, topic="x", max_cost="50")
    assert first.status_code == 200
    assert not tools.begun
    said = html.unescape(first.text.split('name="sure" value="')[1].split('"')[0])
    assert "calls to language models" in said
    again = await asked(browser, tools, topic="x", max_cost="50", sure=said)
    assert again.status_code == 303
    assert tools.begun[0].budget.cost_usd == 50
