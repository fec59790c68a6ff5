"""A format that cannot be written costs that format, and no report."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from caveat.activities.report import ReportActivities
from caveat.adapters.files.blobs import FolderBlobs
from caveat.adapters.files.reports import KeptReports
from caveat.contracts.outcome import Artifact
from caveat.contracts.plan import Format
from caveat.contracts.report import Report
from caveat.contracts.tasks import PublicationTask
from caveat.failures import invalid
from tests.fakes.ports import FakeSnapshots
from tests.fakes.reports import a_report
from tests.fakes.worlds import a_world


@dataclass(frozen=True)
class Press(KeptReports):
    """Writes no PDF, and no BibTeX for a reason that nobody foresaw."""

    async def publish(self, report: Report, chosen: Format, execution: str = "") -> Artifact:
        if chosen is Format.PDF:
            raise invalid("The report could not be set as PDF.", resource=report.run_id)
        if chosen is Format.BIB:
            raise KeyError(chosen)
        return await super().publish(report, chosen, execution)


@pytest.mark.parametrize(
    ("formats", "written"),
    [
        ((Format.PDF, Format.MARKDOWN, Format.BIB, Format.JSON), [Format.MARKDOWN, Format.JSON]),
        ((Format.PDF,), [Format.MARKDOWN]),  # what can be read stands in
    ],
)
async def test_formats_that_fail_are_named_beside_those_that_are_there(
    tmp_path: Path, formats: tuple[Format, ...], written: list[Format]
) -> None:
    activities = ReportActivities(Press(FolderBlobs(tmp_path)), FakeSnapshots(a_world()))
    task = PublicationTask(
        task_id="publish", description="Publish", report=a_report(formats=formats)
    )
    with pytest.raises(ApplicationError, match="could not be set as PDF") as caught:
        await ActivityEnvironment().run(activities.publish, task)
    (envelope,) = caught.value.details
    assert [each.format for each in envelope.partial_result] == written
    assert all(Path(each.path).is_file() for each in envelope.partial_result)
