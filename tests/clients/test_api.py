"""Research from Python, as somebody's own program does it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from caveat import research
from caveat.contracts.phase import Phase
from caveat.contracts.report import ReportStatus
from caveat.problem import BadInput, OutOfReach
from tests.fakes.commands import ran
from tests.fakes.home import Home

PAGE = Path(__file__).parents[2] / "docs" / "python.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.system
@pytest.mark.parametrize("block", BLOCKS)
def test_every_block_of_the_page_runs_as_a_file(home: Home, block: str) -> None:
    program = home.folder / "program.py"
    program.write_text(block, encoding="utf-8")
    done = ran(sys.executable, str(program), cwd=home.folder, env=home.environment)
    assert done.returncode == 0, done.stderr
    assert Phase.AWAITING_RULINGS in done.stdout
    assert f"\n{ReportStatus.PROVISIONAL}\nSources disagree: Hubble constant" in done.stdout


async def test_what_cannot_be_is_said_before_a_server_starts(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="There is no folder"):
        await research("Why?", corpus=[tmp_path / "none"])


async def test_a_server_that_is_not_there_is_said() -> None:
    with pytest.raises(OutOfReach, match=r"127\.0\.0\.1:1 cannot be reached"):
        await research("Why?", server="127.0.0.1:1")


def test_the_package_loads_nothing_until_it_is_asked() -> None:
    code = "import sys, caveat; sys.exit('temporalio' in sys.modules or 'pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
