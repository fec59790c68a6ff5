"""Read a folder of documents with Caveat and with other readers, and count what each keeps.

    python -m benchmarks.documents --folder DIR [--peers PYTHON]

Counts by format which words of the documents each reader keeps, of those that two readers give at
least, how many documents Caveat names a loss of, and how many lack a word that two others give
without a loss being named. A file NAME.title beside NAME.pdf says its title.

The other readers are installed into a temporary environment. Words are those of pdftotext
(poppler-utils) for PDFs, and of the text nodes for pages and packed formats, without what
navigates.
"""

import argparse
import html
import json
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from benchmarks.common import say
from caveat.adapters.documents.accounting import list_losses
from caveat.adapters.documents.loaders import SUFFIXES, load
from caveat.failures import PortFailure

_PACKED = {".xlsx": "sharedStrings", ".docx": "document", ".pptx": "slides/", ".epub": ""}
_INSTALLED = ("pypdf", "markitdown[pdf,docx,pptx,xlsx]", "trafilatura", "lxml_html_clean")
_COUNTED = {
    "pypdf": (
        "import pypdf; t='\\n'.join(p.extract_text() for p in pypdf.PdfReader(f).pages)", {".pdf"}
    ),
    "markitdown": (
        "import markitdown; t=markitdown.MarkItDown().convert(f).text_content", None
    ),
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


def main() -> int:
    asked = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    asked.add_argument("--peers", type=Path, help="a Python that has the other readers")
    asked.add_argument("--folder", type=Path, required=True, help="the documents")
    options = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return _count_folder(options.folder, options.peers or _installed(Path(folder) / "peers"))


def _count_folder(folder: Path, peers: Path) -> int:
    """Print by format what each reader keeps of the words that two of them give."""
    files = [f for f in sorted(folder.rglob("*")) if f.suffix.lower() in SUFFIXES]
    loaded = {file: _read(file) for file in files}
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
            text, is_named = loaded[file]
            others = _find_shared(counts[file].values())
            left_out = next(list_losses([("", " ".join(others))], text), "")
            if left_out and not is_named:
                say(f"{file.name}: {left_out}")
                unexplained += 1
            everybody = counts[file] | {"Caveat": _words(text)}
            shared = _find_shared(everybody.values())
            kept["all"] += shared.total()
            for reader, count in everybody.items():
                kept[reader] += (count & shared).total()
        shares = (f"{kept[name] / kept['all']:.3f}" if kept[name] else "" for name in names)
        named = sum(loaded[file][1] for file in these)
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


def _installed(folder: Path) -> Path:
    say("Installing the other readers ...")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / "bin" / "python"
    subprocess.run([str(python), "-m", "pip", "install", "-q", *_INSTALLED], check=True)
    return python


def _read(file: Path) -> tuple[str, bool]:
    """Return the text that Caveat reads, and whether it names a loss."""
    try:
        loaded = load(file)
    except PortFailure:
        return "", True
    return loaded.snapshot.text, bool(loaded.losses)


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


if __name__ == "__main__":
    sys.exit(main())
