"""What docs/agents.md and examples/outside-agents show works as it is shown."""

import asyncio
import os
import shutil
import subprocess
import sys
import uuid
from pathlib import Path

from temporalio.testing import WorkflowEnvironment

from caveat.contracts.message import Message, RemarkBody
from caveat.intake import Intake
from caveat.rules.messages import MasterKey, holds
from caveat.teams.catalogue import TeamCatalogue
from tests.fakes.patience import PATIENCE_S
from workers.binary import temporal_binary
from workers.mailboxes import Mailboxes

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "outside-agents"


def test_the_team_of_the_example_is_the_shipped_one_with_two_seats_elsewhere() -> None:
    shipped = TeamCatalogue().team("investment")
    desks = TeamCatalogue((EXAMPLE / "teams",)).team("investment-desks")
    elsewhere = {each.name for each in desks.specialists if each.agent}
    assert elsewhere == {"valuation", "news"}
    inside = [
        each.model_copy(update={"agent": None, "patience": 3600}) for each in desks.specialists
    ]
    assert tuple(inside) == shipped.specialists
    assert desks.quorum == shipped.quorum


def test_the_desks_start_and_say_what_is_wrong_with_their_key() -> None:
    done = subprocess.run(
        [sys.executable, EXAMPLE / "desk.py", "news"],
        env={**os.environ, "CAVEAT_AGENT_KEY": "none", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert "CAVEAT_AGENT_KEY cannot be used" in done.stderr


async def test_a_shell_sends_a_signed_remark(environment: WorkflowEnvironment) -> None:
    assert shutil.which("openssl")
    key = MasterKey(b"a key of this test")
    agent = f"agent-{uuid.uuid4().hex[:10]}"
    came: list[Message] = []
    here = asyncio.Event()

    async def handle(message: Message) -> None:
        came.append(message)
        here.set()

    mailboxes = Mailboxes(
        environment.client,
        lambda name: Intake(name, trusted=lambda message: holds(message, key)),
    )
    serving = asyncio.create_task(mailboxes.serve(agent, handle))
    await mailboxes.open(agent)
    address = environment.client.service_client.config.target_host
    binary = str(temporal_binary().parent)
    shell = await asyncio.create_subprocess_exec(
        *(str(EXAMPLE / "remark.sh"), "news", agent, "Half of it.", "a-token"),
        env={
            "PATH": f"{binary}:{os.environ['PATH']}",
            "KEY": key.printed("news"),
            "TEMPORAL_ADDRESS": address,
            "HOME": os.environ.get("HOME", "/"),
        },
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await shell.communicate()
    assert shell.returncode == 0, said.decode()
    async with asyncio.timeout(PATIENCE_S):
        await here.wait()
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
    assert came[0].sender == "news"
    assert came[0].data == RemarkBody(text="Half of it.", token="a-token")  # noqa: S106  # no secret
