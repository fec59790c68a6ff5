"""Auditing a report's file, without any server."""

from pathlib import Path

from pydantic import ValidationError

from activities.auditing import snapshot_texts
from caveat.contracts.audit import Audit
from caveat.contracts.report import Report
from caveat.ports import Snapshots
from caveat.rules.audit import audit
from clients.problems import BadInput


def read_report(path: Path) -> Report:
    """Read a report's JSON file.

    Raises:
        BadInput: it cannot be read or is not a report.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise BadInput(f"There is no file {path}.") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise BadInput(f"The file {path} cannot be read: {str(reason).lower()}.") from None
    try:
        return Report.model_validate_json(content)
    except ValidationError as error:
        raise BadInput(f"{path} is not a report: {_first(error)}.") from None


async def audited(report: Report, snapshots: Snapshots) -> Audit:
    """Check everything that code can check on a report.

    Raises:
        PortFailure: a snapshot is there and cannot be read.
    """
    return audit(report, await snapshot_texts(report, snapshots))


def _first(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    message = first["msg"][:1].lower() + first["msg"][1:]
    return f"{where}: {message}" if where else message
