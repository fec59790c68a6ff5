"""Read ten public documents with Caveat and with other readers, and count what each keeps.

    python -m benchmarks.documents [--json] [--folder DIR]

With a folder it counts instead, by format, which words of its documents each reader keeps, of those
that two readers give at least, how many documents Caveat names a loss of, and how many lack a word
that two others give without a loss being named. A file NAME.title beside NAME.pdf says its title.

documents.toml says where each document comes from and what a person who looks at its pages sees.
They are fetched with pip and apt-get, and kept in the user's cache folder. The other readers are
installed into a temporary environment. Words are those of pdftotext (poppler-utils) for PDFs, and
of the text nodes for pages and packed formats, without what navigates. docling brings torch, some
gigabytes, and reads no PDF here: for those it loads models from a hub at run time.
"""

import gzip
import hashlib
import html
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.answers.packages import fetched
from benchmarks.answers.questions import Package
from benchmarks.common import CACHE, command_line, machine, say
from caveat.adapters.documents.accounting import list_losses
from caveat.adapters.documents.loaders import SUFFIXES, load
from caveat.failures import PortFailure

_DOCUMENTS = Path(__file__).with_suffix(".toml")
_ENDINGS = {"mail": ".eml"}  # of a file that its package names otherwise
_SIGNS = re.compile(r"(?:[\s*]|\|(?=\s)|&nbsp;)+")  # of tables and of stress
_PACKED = {".xlsx": "sharedStrings", ".docx": "document", ".pptx": "slides/", ".epub": ""}
_MOST_S = 300
_OTHERS = {
    "pypdf": "import pypdf; t='\\n'.join(p.extract_text() for p in pypdf.PdfReader(f).pages)",
    "PyMuPDF": "import fitz; t='\\n'.join(p.get_text() for p in fitz.open(f))",
    "markitdown": "import markitdown; t=markitdown.MarkItDown().convert(f).text_content",
    "docling": "from docling.document_converter import DocumentConverter as C; "
    "t=C().convert(f).document.export_to_markdown()",
}
_OF_PDF_ALONE = {"pypdf", "PyMuPDF"}
_INSTALLED = (
    "pypdf",
    "pymupdf",
    "markitdown[pdf,docx,pptx,xlsx]",
    "trafilatura",
    "lxml_html_clean",
    "docling",
)
_COUNTED = {
    "pypdf": (_OTHERS["pypdf"], {".pdf"}),
    "markitdown": (_OTHERS["markitdown"], None),
    "trafilatura": (
        "import trafilatura; t=trafilatura.extract(open(f,'rb').read()) or ''", {".html", ".htm"}
    ),
}  # fmt: skip
"""Readers of a folder, how they are called, and what they read; None for all."""
_MANY = """
{}
import json, sys
for f in json.load(sys.stdin):
    try:
        {}
    except Exception:  # a document that it does not read
        t = ""
    print(json.dumps(t))
"""
_LICENCES = {
    "Caveat": "MIT",
    "pypdf": "BSD-3-Clause",
    "PyMuPDF": "AGPL-3.0",
    "markitdown": "MIT",
    "docling": "MIT",
}
_PROGRAM = "import sys,time\nf=sys.argv[1]; s=time.time()\n{}\nprint(time.time()-s); print(t)"


@dataclass(frozen=True)
class Row:
    """What one reader made of one document."""

    document: str
    reader: str
    kept: int
    facts: int
    changed: int
    words: float | None
    loss_named: bool | None
    ms: float


def main() -> int:
    asked = command_line(__doc__)
    asked.add_argument("--peers", type=Path, help="a Python that has the other readers")
    asked.add_argument("--folder", type=Path, help="documents whose words are counted instead")
    options = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.folder:
            few = (name for name in _INSTALLED if name not in {"docling", "pymupdf"})
            python = options.peers or _installed(Path(folder) / "peers", few)
            return _count_folder(options.folder, python)
        peers = options.peers or _installed(Path(folder) / "peers")
        rows = list(_rows(Path(folder), peers))
    if options.json:
        sys.stdout.write(json.dumps([asdict(row) for row in rows]) + "\n")
    else:
        sys.stdout.write("\n".join([machine(), *_table(rows)]) + "\n")
    return 0


def _count_folder(folder: Path, peers: Path) -> int:
    """Print by format what each reader keeps of the words that two of them give."""
    files = [f for f in sorted(folder.rglob("*")) if f.suffix.lower() in SUFFIXES]
    loaded = {file: _read("Caveat", file, peers) for file in files}
    read = [file for file in files if loaded[file][0]]
    counts: dict[Path, dict[str, Counter[str]]] = {file: {} for file in read}
    for file in read:
        reference = _reference(file)
        counts[file] |= {"pdftotext or text nodes": reference} if reference else {}
    for reader, (called, endings) in _COUNTED.items():
        say(reader)
        asked = [f for f in read if endings is None or f.suffix.lower() in endings]
        for file, text in zip(asked, _ask_peer(called, asked, peers), strict=True):
            counts[file][reader] = _words(text)
    names = ("Caveat", "pdftotext or text nodes", *_COUNTED)
    print(
        "| format | files | not read, and named | loss named | unexplained", *names, "", sep=" | "
    )
    print("|---" * (5 + len(names)) + "|")
    for ending in sorted({file.suffix.lower() for file in files}):
        of_it = [file for file in files if file.suffix.lower() == ending]
        these = [file for file in of_it if file in counts]
        kept: Counter[str] = Counter()
        unexplained = 0
        for file in these:
            text, losses, _ = loaded[file]
            others = _find_shared(counts[file].values())
            left_out = next(list_losses([("", " ".join(others))], text), "")
            if left_out and not losses:
                say(f"{file.name}: {left_out}")
                unexplained += 1
            everybody = counts[file] | {"Caveat": _words(text)}
            shared = _find_shared(everybody.values())
            kept["all"] += shared.total()
            for reader, count in everybody.items():
                kept[reader] += (count & shared).total()
        shares = (f"{kept[name] / kept['all']:.3f}" if kept[name] else "" for name in names)
        named = sum(bool(loaded[file][1]) for file in these)
        row = ("", ending, len(these), len(of_it) - len(these), named, unexplained, *shares)
        print(*row, "", sep=" | ")
    titled = [file for file in read if file.with_suffix(".title").exists()]
    if titled:
        right = sum(
            _words(load(file).metadata.title or "")
            == _words(file.with_suffix(".title").read_text())
            for file in titled
        )
        print(f"Titles right: {right} of {len(titled)}")
    return 0


def _ask_peer(called: str, files: list[Path], peers: Path) -> list[str]:
    """Have another reader read files; what it does not read is empty."""
    done = subprocess.run(
        [str(peers), "-c", _MANY.format(*called.split("; "))],
        input=json.dumps(list(map(str, files))), capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [json.loads(line) for line in done.stdout.split("\n") if line.startswith('"')]


def _find_shared(counts: Iterable[Counter[str]]) -> Counter[str]:
    """Return the words that two readers give at least, as often as the second of them does."""
    several = [count for count in counts if count]
    words = sum(several, Counter[str]()) if len(several) > 1 else ()
    return +Counter({word: sorted(count[word] for count in several)[-2] for word in words})


def _rows(folder: Path, peers: Path) -> Iterator[Row]:
    for about in tomllib.loads(_DOCUMENTS.read_text())["document"]:
        file = _document(about, folder)
        for reader in ("Caveat", *_OTHERS):
            if reader in ({"docling"} if file.suffix == ".pdf" else _OF_PDF_ALONE):
                continue
            say(f"{about['kind']}: {reader}")
            text, losses, seconds = _read(reader, file, peers)
            yield _counted(about, reader, text, losses, seconds, _reference(file))


def _document(about: dict[str, Any], folder: Path) -> Path:
    """Fetch a document into a folder, under the ending that says what it is."""
    name, version = about["package"].split()
    package = Package(about["tool"], name, version, "", (about["path"],))
    source: Path = fetched(package, CACHE, lambda _: None) / about["path"]
    data = gzip.decompress(source.read_bytes()) if source.suffix == ".gz" else source.read_bytes()
    if hashlib.sha256(data).hexdigest() != about["sha256"]:
        say(f"{source.name} is another one than that whose facts were noted.")
    name = source.name.removesuffix(".gz") + _ENDINGS.get(about["kind"], "")
    (folder / name).write_bytes(data)
    return folder / name


def _installed(folder: Path, names: Iterable[str] = _INSTALLED) -> Path:
    say("Installing the other readers ...")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    subprocess.run([str(python), "-m", "pip", "install", "-q", *names], check=True)
    return python


def _read(reader: str, file: Path, peers: Path) -> tuple[str, str, float]:
    """Return the text, what is said of losses, and the seconds that it took."""
    if reader == "Caveat":
        begun = time.monotonic()
        try:
            loaded = load(file)
        except PortFailure as failure:
            return "", str(failure), time.monotonic() - begun
        return loaded.snapshot.text, " ".join(loaded.losses), time.monotonic() - begun
    command = [str(peers), "-c", _PROGRAM.format(_OTHERS[reader]), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_MOST_S, check=False)
    if done.returncode:
        return "", done.stderr.strip().split("\n")[-1], 0.0
    seconds, _, text = done.stdout.partition("\n")
    return text, "", float(seconds)


@cache
def _reference(file: Path) -> Counter[str]:
    """Count the words of a document as a reader of neither side gives them."""
    if file.suffix == ".pdf" and shutil.which("pdftotext"):
        command = ["pdftotext", "-layout", str(file), "-"]
        return _words(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    if file.suffix in {".html", ".htm"}:
        shown = re.sub(
            r"(?s)<(script|style|head|nav)\b.*?</\1>|<[^>]+>", " ", file.read_text(errors="replace")
        )
        return _words(html.unescape(shown))
    if file.suffix not in _PACKED:
        return Counter()
    with zipfile.ZipFile(file) as archive:
        names = [name for name in archive.namelist() if re.search(r"\.x(?:ht)?ml$", name)]
        chosen = [
            archive.read(name).decode(errors="replace")
            for name in names
            if _PACKED[file.suffix] in name
        ]
    texts = [re.sub(r"(?s)<(head|nav)\b.*?</\1>", " ", each) for each in chosen]
    # Runs of one word may be parts of it: what ends a paragraph or a cell divides words.
    spaced = re.sub(r"</(?:w:p|a:p|si|p|li|td|th|h\d|d[dt]|pre)>", " ", " ".join(texts))
    return _words(re.sub(r"<[^>]+>", "", spaced))


def _words(text: str) -> Counter[str]:
    return Counter(re.findall(r"[^\W_]{2,}", text.lower()))


def _counted(
    about: dict[str, Any], reader: str, text: str, losses: str, seconds: float,
    reference: Counter[str],
) -> Row:  # fmt: skip
    plain = _SIGNS.sub(" ", text)
    raw = " ".join(text.split())
    loss = about.get("loss")
    return Row(
        document=about["kind"],
        reader=reader,
        kept=sum(re.search(fact, plain) is not None for fact in about["facts"]),
        facts=len(about["facts"]),
        changed=sum(re.search(wrong, raw) is not None for wrong in about.get("wrong", ())),
        words=(_words(text) & reference).total() / reference.total() if reference else None,
        loss_named=bool(re.search(loss, losses)) if loss else None,
        ms=seconds * 1000,
    )


def _table(rows: list[Row]) -> Iterator[str]:
    yield "| document | reader | facts kept | changed | words | loss named | ms | licence |"
    yield "|---|---|---:|---:|---:|---|---:|---|"
    for row in rows:
        words = "" if row.words is None else f"{row.words:.1%}"
        named = "" if row.loss_named is None else ("yes" if row.loss_named else "no")
        yield (
            f"| {row.document} | {row.reader} | {row.kept} of {row.facts} | {row.changed} "
            f"| {words} | {named} | {row.ms:.0f} | {_LICENCES[row.reader]} |"
        )


if __name__ == "__main__":
    sys.exit(main())
