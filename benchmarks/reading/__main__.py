"""What is lost between a folder and the reader of a report, stage by stage.

    python -m benchmarks.reading [--command PATH] [--json]

Researches twelve documents with the `caveat` command and the real SDK over HTTP, behind which a
stand-in says what a good model said of them: so that whatever the report lacks, code has lost. The
command may be that of another version. 1 where a claim that answers never reaches the synthesiser,
a side of a contradiction is not shown, an overruled statement is, a question without an answer is
not said to have none, or the first report is too long.
"""

import asyncio
import json
import os
import re
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import falsehoods
from benchmarks.common import command_line, say
from benchmarks.reading.model import CORPUS, GOLD, SAID, Reader, plain
from standins.free_ports import free_port
from standins.messages_api import KEY, stand_in

ANSWERS = 0.9  # relevance from which a claim answers its question

OVERRULED = re.compile(r"none of (?:them|the|six)[^.]*asbestos|None of six", re.IGNORECASE)
"""What a report must not state after a ruling for the sheets that were removed."""

ROOF = "Was there asbestos in the roof of Thornwick Baths?"

_TAG = re.compile(r"<[a-z/!][^>]*>")  # anchors and the seal, which nobody reads
_FOLDED = re.compile(r"<details>.*?</details>", re.DOTALL)
"""What a reader opens only to look something up: quotes, steps of a confidence, failures."""

LONGEST = 1_800  # words of a report on the first question, without what is folded away

_NO_PROSE = re.compile(
    r"(?i)contradict|disput|disagree|debate|gap|limitation|source|confiden|appendix"
)
"""Titles of parts that are not what the report states: what is disputed, and what it rests on."""


@dataclass
class Ended:
    """A command that came to its end."""

    code: int  # its exit code
    facts: dict[str, Any] = field(default_factory=dict)  # report.json; empty where there is none
    text: str = ""  # report.md
    said: str = ""  # what it printed


@dataclass
class Home:
    """A folder with everything that a command needs."""

    folder: Path  # it
    command: Path  # the `caveat` that is run
    url: str  # of the stand-in
    ports: tuple[int, int, int] = field(
        default_factory=lambda: (free_port(), free_port(), free_port())
    )

    async def research(self, topic: str, *more: str) -> Ended:
        """Research a topic over the folder of documents."""
        out = self.folder / "out"
        code, said = await self.run(
            *("research", topic, "--corpus", str(CORPUS), "--out", str(out)),
            *("--format", "md,json", *more),
        )
        return self._ended(code, said, out)

    async def rule(self, choice: str, because: str) -> Ended:
        """Rule on the contradiction that waits, and follow the run to its final report."""
        _, listed = await self.run("inbox", "--json")
        waiting = re.findall(r'"(research-[\w-]+/contradiction-\d+)"', listed)
        if not waiting:
            return Ended(1, said=listed)
        out = self.folder / "ruled"
        rule = ("rule", waiting[0], choice, "--because", because, "--by", "reader")
        code, said = await self.run(*rule, "--out", str(out))
        return self._ended(code, said, out)

    def _ended(self, code: int, said: str, out: Path) -> Ended:
        facts = next(iter(sorted(out.glob("**/report.json"))), None)
        text = next(iter(sorted(out.glob("**/report.md"))), None)
        return Ended(
            code,
            json.loads(facts.read_text("utf-8")) if facts else {},
            text.read_text("utf-8") if text else "",
            said,
        )

    async def run(self, *arguments: str) -> tuple[int, str]:
        """Run the command; return its exit code and what it said."""
        port, ui, web = self.ports
        environment = {
            **{name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ},
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": self.url,
            "CAVEAT_STRUCTURED_OUTPUTS": "1",
            "CAVEAT_STATE_DIR": str(self.folder / "state"),
            "CAVEAT_CACHE_DIR": str(self.folder / "cache"),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "CAVEAT_PORT": str(port),
            "CAVEAT_UI_PORT": str(ui),
            "CAVEAT_WEB_PORT": str(web),
        }
        process = await asyncio.create_subprocess_exec(
            self.command,
            *arguments,
            cwd=self.folder,
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said, _ = await process.communicate()
        return process.returncode or 0, said.decode(errors="replace")


def read(reader: Reader, ended: Ended) -> dict[str, Any]:
    """Say what was lost in one run. What a settled dispute overruled is no loss."""
    claims = ended.facts.get("claims", ())
    overruled = {plain(each["quote"]) for each in claims if each["state"] == "overruled"}
    counted = {claim: fit for claim, fit in reader.found.items() if claim[1] not in overruled}
    reached = {
        claim: relevance
        for claim, relevance in counted.items()
        if claim[1] in reader.shown or _text(claim) in reader.shown
    }
    best = [claim for claim, relevance in counted.items() if relevance >= ANSWERS]
    body, answer = plain(ended.text), prose(ended.text, "Answer")
    folded = " ".join(_FOLDED.findall(ended.text))
    found = [GOLD["contradictions"][at] for at in sorted(reader.disputes)]
    return {
        "documents": len(reader.read),
        "readings": sum(reader.read.values()),
        "claims": len(counted),
        "overruled": len(overruled),
        "reached": len(reached),
        "best": len(best),
        "best_reached": sum(claim in reached for claim in best),
        "contradictions": len(found),
        "both_sides": [each["about"] for each in found if _shows(body, each["sides"])],
        "both_in_prose": [
            each["about"] for each in found if _shows(prose(ended.text), each["sides"])
        ],
        "both_in_answer": [each["about"] for each in found if _shows(answer, each["sides"])],
        "answered": ended.facts.get("answered"),
        "left_out": len((ended.facts.get("verification") or {}).get("left_out", ())),
        "words": len(plain(_TAG.sub(" ", _FOLDED.sub(" ", ended.text))).split()),
        "folded": len(plain(folded).split()),
        "calls": dict(reader.calls),
        "tokens": dict(reader.tokens),
        "code": ended.code,
    }


def prose(text: str, wanted: str = "") -> str:
    """Put the parts of a report on one line that state something, or those of one title."""
    _, *parts = re.split(r"\n## ", text)
    titled = [(part.partition("\n")[0], part) for part in parts]
    kept = [
        part
        for title, part in titled
        if (wanted in title if wanted else not _NO_PROSE.search(title))
    ]
    return plain(" ".join(kept))


def _shows(text: str, sides: list[str]) -> bool:
    return all(re.search(side, text) for side in sides)


def _text(claim: tuple[str, str]) -> str:
    return _TEXTS[claim]


_TEXTS = {(each["source"], plain(each["quote"])): plain(each["text"]) for each in SAID["claims"]}


async def once(command: Path, topic: str, *more: str, ruling: bool = False) -> tuple[Reader, Ended]:
    """Research one topic in a folder of its own, and rule on what waits."""
    reader = Reader()
    with tempfile.TemporaryDirectory(prefix="caveat-benchmark-") as name:
        async with stand_in(model=reader) as api:
            home = Home(Path(name), command, api.url)
            ended = await home.research(topic, *more)
            if ruling:
                ended = await home.rule("b", "The sheets were weighed when they were taken away.")
    return reader, ended


async def measured(command: Path) -> dict[str, Any]:
    """Measure everything."""
    found: dict[str, Any] = {"runs": {}}
    for topic in list(SAID["plans"]):
        if topic in GOLD["unanswerable"]["topics"]:
            continue
        say(topic)
        found["runs"][topic] = read(*await once(command, topic))
    say(f"{ROOF} (ruled)")
    _, ruled = await once(command, ROOF, ruling=True)
    stated = OVERRULED.findall(prose(ruled.text))
    found["ruling"] = {"report": bool(ruled.text), "overruled_statements": stated}
    named = []
    for topic in GOLD["unanswerable"]["topics"]:
        say(topic)
        _, ended = await once(command, topic)
        if ended.text and ended.facts.get("answered") is False:
            named.append(topic)
    found["unanswerable"] = {"asked": len(GOLD["unanswerable"]["topics"]), "named": named}
    kinds = [each.kind for each in falsehoods.FALSEHOODS]
    published = [
        each.kind for each in falsehoods.FALSEHOODS if falsehoods.is_published(each.sentence)
    ]
    found["falsehoods"] = {"kinds": len(kinds), "published_by_code": published}
    return found


def tell(found: dict[str, Any]) -> None:
    """Print a table for people."""
    for topic, run in found["runs"].items():
        print(f"\n{topic}")
        lines = {
            "documents read": f"{run['documents']} of 12, in {run['readings']} readings",
            "claims to the synthesiser": f"{run['reached']} of {run['claims']}",
            "… overruled, and not shown": run["overruled"],
            f"… of relevance ≥ {ANSWERS}": f"{run['best_reached']} of {run['best']}",
            "both sides in the report": f"{len(run['both_sides'])} of {run['contradictions']}",
            "… in its prose": len(run["both_in_prose"]),
            "… in its answer": len(run["both_in_answer"]),
            "answered": f"{run['answered']}, exit code {run['code']}",
            "true sentences left out": run["left_out"],
            "words of the report": f"{run['words']}, and {run['folded']} folded away",
            "tokens": f"{sum(run['tokens'].values()):,}",
        }
        for role, tokens in sorted(run["tokens"].items(), key=lambda each: -each[1]):
            lines[f"… of {role}"] = f"{tokens:,} in {run['calls'][role]} calls"
        for name, value in lines.items():
            print(f"  {name:<27} {value}")
    ruling, asked = found["ruling"], found["unanswerable"]
    stated = len(ruling["overruled_statements"]) if ruling["report"] else "no report"
    print(f"\noverruled statements after a ruling: {stated}")
    print(f"questions without an answer that are named: {len(asked['named'])} of {asked['asked']}")
    said = found["falsehoods"]
    share = f"{len(said['published_by_code'])} of {said['kinds']}"
    print(f"kinds of false sentences that code alone publishes: {share}")


def passed(found: dict[str, Any]) -> bool:
    """Whether nothing was lost that must not be."""
    first = next(iter(found["runs"].values()))
    return (
        first["words"] <= LONGEST
        and all(
            run["best_reached"] == run["best"] and len(run["both_sides"]) == run["contradictions"]
            for run in found["runs"].values()
        )
        and found["ruling"]["report"]
        and not found["ruling"]["overruled_statements"]
        and len(found["unanswerable"]["named"]) == found["unanswerable"]["asked"]
    )


def main() -> int:
    """Measure, print, and say by the exit code whether anything was lost."""
    parser = command_line(__doc__)
    own = Path(sys.executable).parent / "caveat"
    parser.add_argument("--command", type=Path, default=own, help="the caveat that is run")
    given = parser.parse_args()
    found = asyncio.run(measured(given.command.absolute()))
    tell(found)
    if given.json:
        print(json.dumps(found))
    return 0 if passed(found) else 1


if __name__ == "__main__":
    raise SystemExit(main())
