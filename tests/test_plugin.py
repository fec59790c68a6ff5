"""Research in somebody else's worker, as docs/embedding.md and examples/plugin show it."""

import dataclasses
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from temporalio.client import Client
from temporalio.converter import DataConverter
from temporalio.testing import WorkflowEnvironment

from caveat.workers.embedded import find_temporal_binary
from caveat.workers.plugin import CaveatPlugin
from caveat.workers.settings import Settings
from tests.fakes.encryption import key_text
from tests.fakes.home import DEADLINE_S

pytestmark = pytest.mark.system
ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("locked", [False, True])
async def test_ones_own_workflow_has_a_question_researched(tmp_path: Path, *, locked: bool) -> None:
    """The example, as a process with nothing but a fresh server and the wheel's names."""
    async with await WorkflowEnvironment.start_local(
        dev_server_existing_path=str(find_temporal_binary()), dev_server_log_level="error"
    ) as fresh:
        done = subprocess.run(  # noqa: ASYNC221  # nothing else runs
            [
                sys.executable,
                ROOT / "examples" / "plugin" / "briefing.py",
                "How fast is the universe expanding?",
                os.path.relpath(ROOT / "examples" / "hubble-constant", tmp_path),
            ],
            env={
                **os.environ,
                "TEMPORAL_ADDRESS": fresh.client.service_client.config.target_host,
                "CAVEAT_STATE_DIR": str(tmp_path / "state"),
                "CAVEAT_CACHE_DIR": str(tmp_path / "cache"),
                "CAVEAT_ENCRYPTION_KEY": key_text() if locked else "",
            },
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert re.match(r"0\.\d\d: .+", done.stdout)
        runs = [run async for run in fresh.client.list_workflows()]
        types = {run.workflow_type for run in runs}
        histories = [await fresh.client.get_workflow_handle(run.id).fetch_history() for run in runs]
        said = [event.SerializeToString() for each in histories for event in each.events]
    assert any(b"Cepheid" in each for each in said) is not locked
    assert types >= {"Briefing", "Research"}


async def test_a_converter_that_runs_cannot_have_is_refused(
    environment: WorkflowEnvironment, tmp_path: Path
) -> None:
    own = dataclasses.replace(DataConverter.default)
    address = environment.client.service_client.config.target_host
    with pytest.raises(ValueError, match="brings the data converter that its runs need"):
        await Client.connect(
            address, data_converter=own, plugins=[CaveatPlugin(Settings(state_dir=tmp_path))]
        )
