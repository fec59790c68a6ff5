"""How long a run may take, by what runs like it took on this machine."""

import json
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from caveat.contracts.plan import ResearchRequest
from caveat.workers.settings import Settings

_LATEST = 8  # reports that are looked at: older ones are of other machines, models and versions


def estimate_seconds(settings: Settings, request: ResearchRequest) -> float | None:
    """Return the median of the latest runs of the same depth and reasoner; None where none is."""
    reasoner = request.backend.reasoner if request.backend else request.reasoner
    took = [
        found["metrics"]["pipeline_seconds"]
        for path in islice(_list_newest_reports(settings.reports_folder), _LATEST)
        if (found := _read(path)) is not None
        and (found["depth"], found["reasoner"]["name"]) == (request.depth.value, reasoner)
    ]
    return median(took) if took else None


def _list_newest_reports(reports: Path) -> list[Path]:
    try:
        return sorted(reports.glob("*/report.json"), key=lambda each: -each.stat().st_mtime)
    except OSError:
        return []


def _read(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_bytes())
        return found if {"metrics", "depth", "reasoner"} <= found.keys() else None
    except (OSError, ValueError, AttributeError):
        return None
