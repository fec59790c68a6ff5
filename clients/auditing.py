"""Auditing a report's file, without any server."""

from pathlib import Path

from pydantic import ValidationError

from activities.auditing import snapshot_texts
from caveat.adapters.press import FilePress
from caveat.contracts.audit import Audit, Check, Finding
from caveat.contracts.report import Report
from caveat.contracts.seal import SealState
from caveat.failures import PortFailure
from caveat.ports import Snapshots
from caveat.rules.audit import audit
from caveat.rules.sealing import compared, seal_findings
from clients.problems import BadInput


def read_report(path: Path) -> tuple[Report, bytes]:
    """Read a report's JSON file.

    Returns:
        The report, and the document as it is.

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
        return Report.model_validate_json(content), content
    except ValidationError as error:
        raise BadInput(f"{path} is not a report: {_first(error)}.") from None


async def audited(report: Report, snapshots: Snapshots) -> Audit:
    """Check everything that code can check on a report.

    Raises:
        PortFailure: a snapshot is there and cannot be read.
    """
    return audit(report, await snapshot_texts(report, snapshots))


async def sealed(found: Audit, report: Report, document: bytes, press: FilePress) -> Audit:
    """Add to an audit what the seal of the report's run says, as far as it is here.

    Args:
        found: what the audit found without it.
        report: the report.
        document: the JSON that it was read from.
        press: where the runs of this machine keep their seals.
    """
    try:
        seal = await press.seal(report.run_id)
        evidence = await press.evidence_digest(report.run_id)
    except PortFailure as broken:
        damaged = Finding(check=Check.SEAL, where="seal", message=broken.failure.message)
        changes = {"seal": SealState.NOT_HERE, "findings": (*found.findings, damaged)}
        return found.model_copy(update=changes)
    state = compared(report, document, seal)
    more = seal_findings(state, seal, evidence)
    return found.model_copy(update={"seal": state, "findings": (*found.findings, *more)})


def _first(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    message = first["msg"][:1].lower() + first["msg"][1:]
    return f"{where}: {message}" if where else message
