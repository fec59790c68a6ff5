"""What is kept is its user's alone, whatever an earlier version left."""

import stat

from caveat.workers.privacy import close_folders
from caveat.workers.settings import Settings

OTHERS = stat.S_IRWXG | stat.S_IRWXO


def test_what_an_earlier_version_left_open_is_closed(settings: Settings) -> None:
    folders = (settings.server_folder, settings.reports_folder, settings.index_folder)
    for folder in folders:
        folder.mkdir(parents=True)
        folder.chmod(0o755)
    settings.memory_database.write_bytes(b"")
    settings.memory_database.chmod(0o644)
    beside = settings.state_dir / "of-somebody-else.txt"
    beside.write_text("", encoding="utf-8")
    beside.chmod(0o644)

    close_folders(settings)

    for kept in (*folders, settings.memory_database):
        assert not stat.S_IMODE(kept.stat().st_mode) & OTHERS
    assert stat.S_IMODE(beside.stat().st_mode) == 0o644
