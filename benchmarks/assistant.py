"""Record a session of an assistant with `caveat mcp`, by the official client of the protocol.

    python -m benchmarks.assistant

Asks about the example corpus, cancels and goes on, is asked to rule, and reads the answer; writes
what was called and answered into docs/mcp.md. State and cache are thrown away afterwards.
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

from mcp import Client, StdioServerParameters
from mcp_types import ElicitResult, TextContent

from benchmarks.common import CORPUS, ROOT, TOPIC
from tests.fakes.free_ports import free_port

PAGE = ROOT / "docs" / "mcp.md"
BLOCK = re.compile(r"(?<=`python -m benchmarks\.assistant`\. -->\n```text\n).*?(?=```)", re.DOTALL)
SHOWN = ("run_id", "phase", "status", "accepted", "follows", "follows_up", "answer")
RULING = {"ruling": "both", "reason": "They measure different epochs.", "name": "Ada"}
COLUMNS = 100
LINES = 20  # of one answer


@dataclass
class Session:
    """What an assistant called, and what came back, a line each."""

    client: Client
    lines: list[str] = field(default_factory=list)

    async def call(self, tool: str, **given: Any) -> None:
        """Call a tool, and note what it answers."""
        written = ", ".join(f"{name}={json.dumps(value)}" for name, value in given.items())
        self.lines.append(f"> {tool}({written})")
        result = await self.client.call_tool(tool, given)
        (content,) = (each for each in result.content if isinstance(each, TextContent))
        if result.is_error:
            raise RuntimeError(f"{tool}: {content.text}")
        found: dict[str, Any] = result.structured_content or {"answer": content.text}
        for name in SHOWN:
            if found.get(name):
                self.note(name, found[name])

    def note(self, name: str, value: Any) -> None:
        """Note one thing that was answered or asked."""
        said = value if isinstance(value, str) else json.dumps(value)
        first, *rest = [line for line in said.splitlines() if line.strip()]
        self.lines += [f"  {name}: {first}", *(f"    {line}" for line in rest[:LINES])]

    def text(self) -> str:
        """Write the session with short names for runs, and without the time of day."""
        text = "\n".join(self.lines)
        for number, run in enumerate(dict.fromkeys(re.findall(r"research-[\w-]+", text)), start=1):
            text = text.replace(run, f"RUN-{number}")
        text = re.sub(r"until \d{4}-\d\d-\d\d \d\d:\d\d UTC", "for six hours", text)
        return "".join(
            f"{line if len(line) <= COLUMNS else line[: COLUMNS - 1] + '…'}\n"
            for line in text.split("\n")
        )


async def recorded(folder: Path) -> str:
    """Hold the session in a folder of its own, and return what was called and answered."""
    kept = {name: value for name, value in os.environ.items() if "TEMPORAL" not in name}
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "caveat.clients.cli.main", "mcp", "--corpus", str(CORPUS)],
        env=kept
        | {
            "CAVEAT_STATE_DIR": str(folder / "state"),
            "CAVEAT_CACHE_DIR": str(folder / "cache"),
            "CAVEAT_PORT": str(free_port()),
            "CAVEAT_UI_PORT": str(free_port()),
            "TEMPORAL_CONFIG_FILE": str(folder / "no-profile.toml"),
        },
        cwd=ROOT,
    )
    held: list[Session] = []

    async def rule(context: Any, params: Any) -> ElicitResult:
        del context
        held[0].note("Ada is asked", params.message)
        held[0].note("Ada answers", f"{RULING['ruling']}. {RULING['reason']}")
        return ElicitResult(action="accept", content=dict(RULING))

    async with Client(server, elicitation_callback=rule) as client:
        held.append(session := Session(client))
        await session.call("start_research", topic=TOPIC, wait_seconds=120)
        await session.call("cancel", run="latest")
        await session.call("follow_up", run="latest")
        await session.call("run_status", run="latest", wait_seconds=120)
        await session.call("ask_person_to_rule", arbitration="latest")
        await session.call("run_status", run="latest", wait_seconds=120)
        await session.call("read_report", run="latest", part="answer")
    return session.text()


def main() -> None:
    """Write the page's session anew."""
    with tempfile.TemporaryDirectory(prefix="caveat-") as scratch:
        held = asyncio.run(recorded(Path(scratch)))
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(BLOCK.sub(lambda _: held, page, count=1), encoding="utf-8")


if __name__ == "__main__":
    main()
