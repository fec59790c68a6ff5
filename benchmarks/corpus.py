"""How long Caveat takes over a corpus that nobody here wrote: six Debian manuals.

    python -m benchmarks.corpus [--documents DIR] [--json]

Downloads the Debian packages into a temporary folder (apt-get and dpkg-deb, so Debian or Ubuntu;
elsewhere unpack them yourself and name the folder with --documents), builds the index from
nothing, researches three questions with the `caveat` command on an embedded server of its own, and
audits each report. Prints a table; with --json, one JSON object as the last line.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.alone import alone
from benchmarks.common import command_line, machine, say

PACKAGES = (
    "debian-handbook",
    "debian-faq",
    "debian-reference-en",
    "harden-doc",
    "developers-reference",
    "debian-policy",
)
LANGUAGE = "en"
"""The handbook and the manual on security come in a dozen languages; the questions are English."""

QUESTIONS = (
    "How does Debian handle configuration files during package upgrades?",
    "How should an administrator secure a Debian server against remote attacks?",
    "What must a maintainer do to get a new package into the Debian archive?",
)

INDEX_BOUND_S = 20.0
REPORT_BOUND_S = 60.0


@dataclass(frozen=True)
class Researched:
    """One question: seconds of the whole command, and what came of it.

    Attributes:
        question: itself.
        seconds: by the clock.
        processor_seconds: of the command and of all that it started, its server among them.
        confidence: of the report.
        sections: of the report.
        claims: of the report.
        sources_read: for it.
        quotes_verified: by the audit from outside.
        audit_findings: of the same.
    """

    question: str
    seconds: float
    processor_seconds: float
    confidence: float
    sections: int
    claims: int
    sources_read: int
    quotes_verified: int
    audit_findings: int


@dataclass(frozen=True)
class Measured:
    """The whole benchmark; seconds are wall time."""

    machine: str
    documents: int
    broken: int
    megabytes: float
    index_seconds: float
    questions: list[Researched]


def main() -> int:
    """Run the benchmark; 1 when a bound is missed or an audit finds something."""
    parser = command_line(__doc__, json=True)
    parser.add_argument("--documents", type=Path, help="a folder of unpacked documents")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="caveat-benchmark-") as scratch:
        folder = options.documents or unpacked(Path(scratch) / "debian")
        measured = measure(folder, Path(scratch))
    print(table(measured))
    if options.json:
        print(json.dumps(asdict(measured)))
    return 0 if kept(measured) else 1


def unpacked(folder: Path) -> Path:
    """Download and unpack the manuals; return the folder of their English HTML."""
    folder.mkdir(parents=True)
    say(f"Downloading {len(PACKAGES)} Debian packages ...")
    subprocess.run(["apt-get", "download", *PACKAGES], cwd=folder, check=True, capture_output=True)
    for package in sorted(folder.glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", package.name, "root"], cwd=folder, check=True)
    html = folder / "html"
    documents = folder / "root" / "usr" / "share"
    for page in sorted(documents.rglob("*.html")):
        place = page.relative_to(documents)
        if page.is_file() and not page.is_symlink() and is_english(place):
            (html / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(page, html / place)
    return html


def is_english(place: Path) -> bool:
    """Whether a page is in English, by the conventions of these packages' paths."""
    languages = [part for part in place.parts if len(part) in {2, 5} and part[:2].isalpha()]
    suffixes = place.name.split(".")
    tagged = [part for part in suffixes[1:-1] if len(part) in {2, 5}]
    named = [part for part in (*languages, *tagged) if part.islower() or "-" in part]
    return all(part.startswith(LANGUAGE) for part in named)


def measure(folder: Path, scratch: Path) -> Measured:
    """Index the documents and research every question, with a state of its own."""
    environment = os.environ | alone(scratch)
    say("Indexing ...")
    took, inventory = indexed(folder, scratch / "cache")
    questions = []
    for question in QUESTIONS:
        say(f"Researching “{question}” ...")
        questions.append(researched(question, folder, scratch, environment))
    size = sum(page.stat().st_size for page in folder.rglob("*") if page.is_file())
    return Measured(
        machine=machine(),
        documents=inventory["documents"],
        broken=inventory["broken"],
        megabytes=round(size / 1e6, 1),
        index_seconds=round(took, 2),
        questions=questions,
    )


INDEX = """
import asyncio, json, sys, time
from pathlib import Path
from caveat.adapters.corpus.index import CorpusIndex
from caveat.adapters.corpus.library import CorpusLibrary
library = CorpusLibrary(CorpusIndex(Path(sys.argv[2]) / "index"), (), ())
began = time.monotonic()
stock = asyncio.run(library.take_stock((sys.argv[1],), on_progress=lambda done: None))
found = {"documents": stock.documents, "broken": len(stock.broken)}
print(json.dumps({"seconds": time.monotonic() - began, **found}))
"""


def indexed(folder: Path, cache: Path) -> tuple[float, dict[str, int]]:
    """Build the index from nothing, in a process of its own."""
    command = [sys.executable, "-c", INDEX, str(folder), str(cache)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return found.pop("seconds"), found


def researched(
    question: str, folder: Path, scratch: Path, environment: dict[str, str]
) -> Researched:
    """Research one question with the command that a person would type, and audit its report."""
    out = scratch / "reports" / str(QUESTIONS.index(question))
    caveat = str(Path(sys.executable).with_name("caveat"))
    began, before = time.monotonic(), processor_seconds()
    subprocess.run(
        [
            *(caveat, "research", question, "--corpus", str(folder)),
            *("--out", str(out), "--provisional", "--json"),  # nobody is here to be asked
        ],
        env=environment, check=True, capture_output=True,
    )  # fmt: skip
    took, spent = time.monotonic() - began, processor_seconds() - before
    report = json.loads((out / "report.json").read_text(encoding="utf-8"))
    audit = audited(caveat, out / "report.json", environment)
    return Researched(
        question=question,
        seconds=round(took, 2),
        processor_seconds=round(spent, 2),
        confidence=report["confidence"]["value"],
        sections=len(report["sections"]),
        claims=len(report["claims"]),
        sources_read=report["metrics"]["sources_read"],
        quotes_verified=audit["quotes"],
        audit_findings=len(audit["findings"]),
    )


def processor_seconds() -> float:
    """Say what all commands have taken that have ended, and what they had started and ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def audited(caveat: str, report: Path, environment: dict[str, str]) -> dict[str, Any]:
    """Check a report again, from outside the run that wrote it."""
    command = [caveat, "audit", str(report), "--json"]
    said = subprocess.run(command, env=environment, check=False, capture_output=True)
    found: dict[str, Any] = json.loads(said.stdout)
    return found


def kept(measured: Measured) -> bool:
    """Whether every bound of the project holds."""
    return measured.index_seconds < INDEX_BOUND_S and all(
        each.seconds < REPORT_BOUND_S and each.audit_findings == 0 and each.quotes_verified > 0
        for each in measured.questions
    )


def table(measured: Measured) -> str:
    """Print for people."""
    lines = [
        f"{measured.machine}",
        f"{measured.documents} documents, {measured.megabytes} MB, {measured.broken} broken",
        f"index from nothing: {measured.index_seconds} s (bound {INDEX_BOUND_S:.0f} s)",
        "",
        (
            f"{'question':<76} {'s':>6} {'CPU s':>6} "
            f"{'conf.':>6} {'claims':>6} {'read':>5} {'audit':>6}"
        ),
    ]
    lines += [
        f"{each.question:<76} {each.seconds:>6} {each.processor_seconds:>6} "
        f"{each.confidence:>6.2f} {each.claims:>6} "
        f"{each.sources_read:>5} {'ok' if each.audit_findings == 0 else each.audit_findings:>6}"
        for each in measured.questions
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
