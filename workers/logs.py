"""Logs for machines: one JSON object a line, with the run that it is about where there is one."""

import datetime as dt
import io
import json
import logging
import re
import sys
from typing import Any

from temporalio import activity, workflow


class JsonLines(logging.Formatter):
    """Writes a record as one line of JSON.

    `time` (UTC), `level`, `logger` and `message` are always there; `run`, `workflow`, `activity`
    and `attempt` where a run is at work, `kind` of notices, `exception` where one was raised.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Write it."""
        fields = {
            "time": _instant(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **_work(record),
        }
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        return json.dumps({name: value for name, value in fields.items() if value is not None})


def log_json() -> logging.Handler:
    """Make what writes such lines to standard error; the SDK says it in words no more."""
    workflow.logger.workflow_info_on_message = False
    activity.logger.activity_info_on_message = False
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    return handler


_TOKEN = re.compile(r"\?token=\S+")
"""What opens the page and the Web UI: for whoever sits here, and logs are kept and passed on."""


class LogStream(io.TextIOBase):
    """A stream whose lines become records: what a process says of itself beside its log."""

    _logger = logging.getLogger("caveat.process")

    def __init__(self) -> None:
        self._logger.setLevel(logging.INFO)

    def write(self, text: str) -> int:
        """Log each line."""
        for line in filter(None, map(str.strip, text.splitlines())):
            self._logger.info("%s", _TOKEN.sub("", line))
        return len(text)


def _instant(seconds: float) -> str:
    return dt.datetime.fromtimestamp(seconds, dt.UTC).isoformat(timespec="milliseconds")


def _work(record: logging.LogRecord) -> dict[str, Any]:
    """Find what the SDK, or whoever logged, notes of the work under way."""
    known = {**getattr(record, "temporal_workflow", {}), **getattr(record, "temporal_activity", {})}
    name = known.get("workflow_id")
    return {
        # What a run begins bears its name, and more behind a slash.
        "run": name.partition("/")[0] if name else getattr(record, "run", None),
        "workflow": name,
        "activity": known.get("activity_type"),
        "attempt": known.get("attempt"),
        "kind": getattr(record, "kind", None),
    }
