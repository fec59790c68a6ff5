"""What a process tells of itself: the SDK's log, metrics and traces where they are asked for."""

import datetime as dt
import logging
import os
from collections.abc import Sequence

from temporalio.client import Plugin
from temporalio.runtime import (
    LogForwardingConfig,
    LoggingConfig,
    PrometheusConfig,
    Runtime,
    TelemetryConfig,
)

from caveat.workers.settings import SettingsProblem

_BUCKETS_S = {"caveat_cost_usd": [0.001, 0.01, 0.1, 0.5, 1.0, 5.0, 20.0]}
"""Bounds of what is measured and no time: dollars from a short call to a long run's synthesis."""


_PRESENCE = dt.timedelta(seconds=10)
"""How often the workers of a process tell the server that they are there, one call for all of them:
`temporal worker list` names none before the first, which the SDK sends after a minute."""


def observe(metrics: str | None = None) -> None:
    """Set up the SDK of this process, once.

    Args:
        metrics: address at which Prometheus finds the metrics, `host:port`; None for none.

    Raises:
        SettingsProblem: nothing can listen there.
    """
    # By itself the core of the SDK writes to standard output, where results belong.
    core = LoggingConfig(
        filter=LoggingConfig.default.filter,
        forwarding=LogForwardingConfig(logger=logging.getLogger("temporalio.core")),
    )
    served = metrics and PrometheusConfig(
        bind_address=metrics, histogram_bucket_overrides=_BUCKETS_S
    )
    try:
        runtime = Runtime(
            telemetry=TelemetryConfig(logging=core, metrics=served or None),
            worker_heartbeat_interval=_PRESENCE,
        )
    except ValueError as error:
        raise _unusable(metrics, error) from None
    Runtime.set_default(runtime, error_if_already_set=False)


_COLLECTORS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")

_LOGGER = logging.getLogger(__name__)


def tracing() -> Sequence[Plugin]:
    """Return what has a client trace, where OpenTelemetry's own variables name a collector."""
    off = os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true"
    if off or os.environ.get("OTEL_TRACES_EXPORTER") == "none":
        return ()
    if not any(os.environ.get(name) for name in _COLLECTORS):
        return ()
    try:
        from caveat.workers.tracing import plugin  # noqa: PLC0415  # an extra, rarely wanted
    except ImportError:
        _LOGGER.warning(
            "%s names a collector of traces and none are sent: that takes `pip install "
            "'caveat[otel]'`.",
            next(name for name in _COLLECTORS if os.environ.get(name)),
        )
        return ()
    return (plugin(),)


def _unusable(metrics: str | None, error: Exception) -> SettingsProblem:
    reason = str(error).splitlines()[0].rstrip(".")
    return SettingsProblem(
        f"CAVEAT_METRICS is {metrics}, where nothing can listen ({reason}): give the address of "
        "this machine and a free port, such as 127.0.0.1:9464."
    )
