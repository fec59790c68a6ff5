"""What a process tells of itself: its log, and metrics where they are asked for."""

import datetime as dt
import io
import json
import logging
import re
import sys

from temporalio import activity, workflow
from temporalio import runtime as sdk
from temporalio.runtime import Runtime

from caveat.workers.settings import SettingsProblem


class JsonLines(logging.Formatter):
    # `time` (UTC), `level`, `logger` and `message` are always there; `run`, `workflow`, `activity`
    # and `attempt` where a run is at work, `kind` of notices, `exception` where one was raised.

    def format(self, record: logging.LogRecord) -> str:
        logged = dt.datetime.fromtimestamp(record.created, dt.UTC)
        # What the SDK or the logger's caller notes of the work under way.
        of_workflow = getattr(record, "temporal_workflow", {})
        known = {**of_workflow, **getattr(record, "temporal_activity", {})}
        name = known.get("workflow_id")
        fields = {
            "time": logged.isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            # What a run begins bears its name, and more behind a slash.
            "run": name.partition("/")[0] if name else getattr(record, "run", None),
            "workflow": name,
            "activity": known.get("activity_type"),
            "attempt": known.get("attempt"),
            "kind": getattr(record, "kind", None),
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
"""What opens the page and the Web UI: for this terminal alone: logs are kept and passed on."""


class LogStream(io.TextIOBase):
    """A stream whose lines become records: what a process says of itself beside its log."""

    _logger = logging.getLogger("caveat.process")

    def __init__(self) -> None:
        self._logger.setLevel(logging.INFO)

    def write(self, text: str) -> int:
        for line in filter(None, map(str.strip, text.splitlines())):
            self._logger.info("%s", _TOKEN.sub("", line))
        return len(text)


_BUCKETS_S = {"caveat_cost_usd": [0.001, 0.01, 0.1, 0.5, 1.0, 5.0, 20.0]}
"""Bounds of what is measured and no time: dollars from a short call to a long run's synthesis."""

_PRESENCE = dt.timedelta(seconds=10)
"""How often the workers of a process tell the server that they are there, one call for all of them:
`temporal worker list` names none before the first, which the SDK sends after a minute."""


def observe(metrics: str | None = None) -> None:
    """Set up the SDK of this process, once; Prometheus reads metrics where an address is given."""
    # By itself the core of the SDK writes to standard output, where results belong.
    core = sdk.LoggingConfig(
        filter=sdk.LoggingConfig.default.filter,
        forwarding=sdk.LogForwardingConfig(logger=logging.getLogger("temporalio.core")),
    )
    served = metrics and sdk.PrometheusConfig(
        bind_address=metrics, histogram_bucket_overrides=_BUCKETS_S
    )
    try:
        runtime = Runtime(
            telemetry=sdk.TelemetryConfig(logging=core, metrics=served or None),
            worker_heartbeat_interval=_PRESENCE,
        )
    except ValueError as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise SettingsProblem(
            f"CAVEAT_METRICS is {metrics}, where nothing can listen ({reason}): give the address "
            "of this machine and a free port, such as 127.0.0.1:9464."
        ) from None
    Runtime.set_default(runtime, error_if_already_set=False)
