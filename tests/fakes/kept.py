"""Runs that have ended and left their files."""

import datetime as dt

from caveat.adapters.files.artifacts import written
from caveat.adapters.files.reports import content
from caveat.contracts.outcome import Evidence
from caveat.contracts.plan import Format, ResearchRequest
from caveat.contracts.report import Report
from caveat.workers.blobs import snapshots
from caveat.workers.settings import Settings

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def keep(settings: Settings, report: Report, /, **changes: object) -> str:
    folder = settings.reports_folder / report.run_id
    reported = report.model_copy(update={"formats": (Format.JSON,)})
    written(folder / "report.json", Format.JSON, content(reported, Format.JSON))
    evidence = Evidence(
        run_id=report.run_id, topic=report.topic, ending=None, reason="", created=NOW, started=NOW,
        request=ResearchRequest(topic=report.topic), report=report,
    )  # fmt: skip
    kept = evidence.model_copy(update=changes).model_dump_json()
    (folder / "evidence.json").write_text(kept, encoding="utf-8")
    return report.run_id


async def kept_texts(report: Report, settings: Settings) -> dict[str, str | None]:
    """What each source of a report said when it was read, by its address."""
    store = snapshots(settings)
    addresses = {each.snapshot_sha256 for each in report.sources if each.snapshot_sha256}
    return {address: (await store.open(address)).text for address in addresses}
