"""Who ruled is kept, for this user's eyes only, whatever they wrote."""

import datetime as dt
from pathlib import Path

import pytest

from caveat.clients.web.audit_log import AuditEntry, AuditLog

NOW = dt.datetime(2026, 3, 14, 9, 26, tzinfo=dt.UTC)


def ruled(run_id: str = "r", **changes: str) -> AuditEntry:
    given = {"contradiction_id": "contradiction-1", "choice": "a", "name": "Ada", **changes}
    return AuditEntry.model_validate({"at": NOW, "did": "ruled", "run_id": run_id, **given})


def test_rulings_are_read_back_in_order(tmp_path: Path) -> None:
    audit_log = AuditLog(tmp_path / "state" / "web.audit_log")
    assert audit_log.list_rulings("r", "contradiction-1") == ()
    reason = "line\nbreak\u2028 \"quote\" {'did': 'ruled'}"
    for entry in (ruled(reason=reason), ruled("other"), ruled(name="Bob"), ruled(did="asked")):
        audit_log.write(entry)
    found = audit_log.list_rulings("r", "contradiction-1")
    assert [each.name for each in found] == ["Ada", "Bob"]
    assert found[0].reason == reason
    assert audit_log.file.stat().st_mode & 0o777 == 0o600


def test_what_is_damaged_is_passed_over(tmp_path: Path) -> None:
    audit_log = AuditLog(tmp_path / "web.audit_log")
    audit_log.file.write_bytes(b'half of an entry of r"}\n\xff\n')
    audit_log.write(ruled())
    assert audit_log.list_rulings("r", "contradiction-1") == (ruled(),)


def test_where_it_cannot_be_written_the_log_has_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    AuditLog(tmp_path / "file" / "web.audit_log").write(ruled())
    assert "Ada" in caplog.text
