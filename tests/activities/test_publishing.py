"""A format that cannot be written costs that format, and no report."""

import base64
from dataclasses import dataclass
from pathlib import Path

import pytest
from temporalio.activity import _CompleteAsyncError
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from caveat.activities.notify import OutsideActivities
from caveat.activities.report import ReportActivities
from caveat.adapters.files.blobs import FolderBlobs
from caveat.adapters.files.reports import KeptReports
from caveat.contracts.outcome import Artifact
from caveat.contracts.plan import Format
from caveat.contracts.report import Report
from caveat.contracts.tasks import OutsideTask, PostTask, PublicationTask
from caveat.failures import invalid
from tests.fakes.ports import FakeSnapshots
from tests.fakes.reports import a_report
from tests.fakes.tasks import ANGLE, EVENT
from tests.fakes.worlds import a_world


@dataclass(frozen=True)
class Press(KeptReports):
    """Writes no PDF, and no BibTeX for a reason that nobody foresaw."""

    async def publish(self, report: Report, chosen: Format, execution: str = "") -> Artifact:
        if chosen is Format.PDF:
            raise invalid("The report could not be typeset as PDF.", resource=report.run_id)
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
    with pytest.raises(ApplicationError, match="could not be typeset as PDF") as caught:
        await ActivityEnvironment().run(activities.publish, task)
    (envelope,) = caught.value.details
    assert [each.format for each in envelope.partial_result] == written
    assert all(Path(each.path).is_file() for each in envelope.partial_result)


# Who tells people, agents and programs something, as Temporal sees it.


class Broker:
    async def ask(self, task: OutsideTask, token: str) -> None:
        assert (task, base64.b64decode(token)) == (ASKED, b"test")

    async def post(self, task: PostTask) -> str:
        return f"sent-{task.task_id}"


ASKED = OutsideTask(
    task_id="a1-ask", description="Ask", agent="field", run_id="r", topic="x", assignment=ANGLE
)


async def test_messages_go_by_a_broker_or_not_at_all() -> None:
    run = ActivityEnvironment().run
    post = PostTask(task_id="p", description="Post", run_id="r", recipient=None, body=EVENT.data)
    assert (await run(OutsideActivities(Broker()).post, post)).result == "sent-p"
    assert (await run(OutsideActivities().post, post)).result == ""
    with pytest.raises(_CompleteAsyncError):
        await run(OutsideActivities(Broker()).ask, ASKED)
    with pytest.raises(ApplicationError, match="set CAVEAT_MESSAGES to a RabbitMQ"):
        await run(OutsideActivities().ask, ASKED)
