"""Reports as PDF, set by Typst."""

import json
from pathlib import Path

import typst

from caveat import failures
from caveat.adapters.files.typst.document import document
from caveat.contracts.report import Report

TEMPLATE = Path(__file__).with_name("report.typ")


def compose(report: Report) -> bytes:
    """Set a report as PDF.

    The same report gives the same bytes on the same machine: the PDF carries the report's own time.
    Fonts are the ones inside Typst; the system's are used only for characters that those lack.

    Args:
        report: the report.

    Returns:
        The PDF.

    Raises:
        PortFailure: Typst could not set it.
    """
    try:
        pdf = typst.compile(
            TEMPLATE,
            root=TEMPLATE.parent,
            format="pdf",
            sys_inputs={"document": json.dumps(document(report), ensure_ascii=False)},
            timestamp=int(report.created.timestamp()),
        )
    except typst.TypstError as error:
        raise failures.invalid(
            "The report could not be set as PDF; Markdown and JSON are not affected.",
            resource=report.run_id,
        ) from error
    return bytes(pdf)
