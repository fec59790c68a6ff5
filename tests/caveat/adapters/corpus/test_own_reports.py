"""Which files are reports of Caveat's own, and which only speak of it."""

import json
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from caveat.adapters.corpus.index import CorpusIndex
from caveat.adapters.corpus.library import CorpusLibrary
from caveat.adapters.documents.composer import Composer
from caveat.adapters.documents.loaders import load
from caveat.adapters.documents.pdf import load_pdf
from caveat.adapters.files.typst.compositor import compose
from caveat.contracts.report import Report
from caveat.contracts.source import Unread, UnreadSort
from caveat.failures import PortFailure
from caveat.rendering.markdown import render
from caveat.rules.sources.own_reports import write_mark
from tests.fakes.reports import a_disputed_report, a_report


def markdown() -> str:
    return render(a_report())


def as_html(text: str) -> str:
    return f"<!doctype html><body>{MarkdownIt().enable('table').render(text)}</body>"


def printed(report: Report, folder: Path) -> str:
    """The text of the PDF, as programs print it: pages behind each other."""
    composer = Composer()
    load_pdf(composer, compose(report))
    return composer.finish().text


def quoted(text: str) -> str:
    return "".join(f"> {line}\n" for line in text.splitlines())


REPORTS: dict[str, tuple[str, Callable[[Path], str | bytes]]] = {
    "Markdown": ("report.md", lambda _: markdown()),
    "renamed": ("Notes on Hubble.markdown", lambda _: markdown()),
    "as text": ("report.md.txt", lambda _: markdown()),
    "line endings of Windows": ("w.md", lambda _: markdown().replace("\n", "\r\n").encode()),
    "line endings of old Macs": ("m.md", lambda _: markdown().replace("\n", "\r").encode()),
    "BOM": ("b.md", lambda _: b"\xef\xbb\xbf" + markdown().encode()),
    "UTF-16": ("u.txt", lambda _: markdown().encode("utf-16")),
    "blank lines before": ("s.md", lambda _: "\n\n" + markdown()),
    "only the first part": ("p.md", lambda _: markdown()[:4000]),
    "HTML of its Markdown": ("h.html", lambda _: as_html(markdown())),
    "PDF": ("report.pdf", lambda _: compose(a_report())),
    "text of the PDF": ("t.txt", lambda folder: printed(a_report(), folder)),
    "wrapped by an editor": (
        "e.txt",
        lambda folder: "\n\n".join(
            textwrap.fill(block, 60) for block in printed(a_report(), folder).split("\n\n")
        ),
    ),
    "disputed": ("d.md", lambda _: render(a_disputed_report())),
    "JSON as text": ("j.txt", lambda _: a_report().model_dump_json(indent=2)),
    "result of a run": ("r.md", lambda _: json.dumps({"report": json.loads(_json())})),
}


def _json() -> str:
    return a_report().model_dump_json()


MARK = write_mark("research-moons-0a1b2c")
SECTIONS = "\n\n".join(f"## {title}\n\nSome prose." for title in ("Answer", "Sources", "Appendix"))
DOCUMENTS = {
    "mentions it": ("a.md", "# Tools\n\nCaveat writes reports. We tried Caveat on a folder."),
    "quotes the mark in a sentence": ("b.md", f"# Tools\n\nIt ends with “{MARK}” and so on."),
    "quotes the mark in a block": ("c.md", f"# Tools\n\n> {MARK}\n\n{SECTIONS}"),
    "shows the mark as code": ("d.md", f"# Marks\n\n```\n{MARK}\n```\n\n{SECTIONS}"),
    "quotes a whole report": ("f.md", f"# An example\n\n{quoted(markdown())}\n\nThat was it."),
    "shows a whole report as code": ("g.md", f"# An example\n\n```\n{markdown()}\n```\n"),
    "quotes a whole report on a page": (
        "f.html",
        f"<h1>An example</h1><blockquote>{as_html(markdown())}</blockquote>",
    ),
    "shows a whole report on a page": ("g.html", f"<h1>One</h1><pre>{markdown()}</pre><p>So.</p>"),
    "the same headings": ("h.md", f"# A review\n\n{SECTIONS}"),
    "JSON of something else": ("l.txt", '{"topic": "moons", "sources": [], "claims": []}'),
    "broken JSON": ("m.txt", '{"schema_version": "1.1", "run_id": "x", '),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    return corpus


def put(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("case", REPORTS)
def test_a_report_is_recognised(folder: Path, tmp_path: Path, case: str) -> None:
    name, content = REPORTS[case]
    with pytest.raises(PortFailure, match="report of Caveat's own"):
        load(put(folder, name, content(tmp_path)))


@pytest.mark.parametrize("case", DOCUMENTS)
def test_a_document_that_speaks_of_caveat_is_read(folder: Path, case: str) -> None:
    assert load(put(folder, *DOCUMENTS[case])).snapshot.text


async def test_reports_are_set_aside_counted_and_named(folder: Path, tmp_path: Path) -> None:
    put(folder, "moons.md", "# Moons\n\nThe moon Amalthea orbits Jupiter in 12 hours.")
    for name, content in REPORTS.values():
        put(folder, f"reports/deep/{name}", content(tmp_path))
    library = CorpusLibrary(CorpusIndex(tmp_path / "cache"))
    for _ in range(2):  # the second time they are known already
        stock = await library.take_stock((str(folder),))
        assert (stock.documents, stock.broken) == (1, ())
        (own,) = stock.unread
        assert (own.sort, own.count) == (UnreadSort.OWN_REPORT, len(REPORTS))
        assert own.examples[0] == "reports/deep/Notes on Hubble.markdown"
    found = await library.index.search((str(folder),), "Hubble constant", 10)
    assert found == []


async def test_a_document_become_a_report_is_no_source(folder: Path, tmp_path: Path) -> None:
    path = put(folder, "moons.md", "# Moons\n\nThe moon Amalthea orbits Jupiter in 12 hours.")
    library = CorpusLibrary(CorpusIndex(tmp_path / "cache"))
    await library.take_stock((str(folder),))
    (hit,) = await library.index.search((str(folder),), "Amalthea", 10)
    path.write_text(markdown())
    with pytest.raises(PortFailure, match="report of Caveat's own"):
        await library.read(hit.source)


async def test_our_own_folders_are_passed_by(folder: Path, tmp_path: Path) -> None:
    for place in ("", "state/", "notes/"):
        put(folder, f"{place}moons.md", "# Moons\n\nThe moon Amalthea orbits Jupiter.")
    library = CorpusLibrary(CorpusIndex(tmp_path / "cache"), own=(folder / "state",))
    stock = await library.take_stock((str(folder),))
    assert stock.documents == 2
    assert stock.unread == (Unread(sort=UnreadSort.OUTPUT, count=1, examples=("state",)),)
