from pathlib import Path

import pytest

from caveat.clients.folders import require_writable
from caveat.clients.problems import BadInput


def test_trying_a_folder_leaves_nothing_behind(tmp_path: Path) -> None:
    require_writable(tmp_path / "a" / "b")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match=r"Nothing can be written to .*--out"):
        require_writable(tmp_path / "file" / "out")
