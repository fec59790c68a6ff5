"""Runs that have ended and left their files."""

import datetime as dt

from caveat.adapters.files.artifacts import write_artifact
from caveat.adapters.files.reports import encode_report
from caveat.contracts.outcome import Evidence
from caveat.contracts.plan import Format, ResearchRequest
from caveat.contracts.report import Report
from caveat.workers.blobs import open_snapshots
from caveat.workers.settings import Settings

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def an_evidence(run_id: str, topic: str, **changes: object) -> Evidence:
    """Make what a run leaves behind that found nothing, unless something else is said."""
    times = {"created": NOW, "started": NOW}
    facts = {"run_id": run_id, "topic": topic, "ending": None, "reason": "", **times}
    return Evidence.model_validate(facts | {"request": ResearchRequest(topic=topic), **changes})


def keep(settings: Settings, report: Report, /, **changes: object) -> str:
    folder = settings.reports_folder / report.run_id
    reported = report.model_copy(update={"formats": (Format.JSON,)})
    write_artifact(folder / "report.json", Format.JSON, encode_report(reported, Format.JSON))
    evidence = an_evidence(report.run_id, report.topic, report=report)
    kept = evidence.model_copy(update=changes).model_dump_json()
    (folder / "evidence.json").write_text(kept, encoding="utf-8")
    return report.run_id


async def kept_texts(report: Report, settings: Settings) -> dict[str, str | None]:
    """What each source of a report said when it was read, by its address."""
    store = open_snapshots(settings)
    addresses = {each.snapshot_sha256 for each in report.sources if each.snapshot_sha256}
    return {address: (await store.open(address)).text for address in addresses}
