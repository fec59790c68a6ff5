"""What libraries log, kept away from what people read."""

import logging
import sys

from temporalio.runtime import LogForwardingConfig, LoggingConfig, Runtime, TelemetryConfig

from clients.cli.console import say, stderr

_SAID = frozenset({"done", "failed", "cancelled", "person_needed"})
"""Kinds of notices that whoever follows a run is told by the command itself."""


class _OneLine(logging.Formatter):
    """A record without its traceback: a failed task is in the report with its reason."""

    def formatException(self, ei: object) -> str:  # noqa: N802  # the base class's names
        return ""

    def format(self, record: logging.LogRecord) -> str:
        return " ".join(super().format(record).split())


class _Terminal(logging.Handler):
    """Shows notices to whoever sits here, but for what the command says by itself."""

    def emit(self, record: logging.LogRecord) -> None:
        if getattr(record, "kind", "") not in _SAID:
            say(stderr(), record.getMessage(), "yellow")


def keep_quiet() -> None:
    """Show no log but notices: every failure comes back as an envelope or an exception."""
    _route(logging.NullHandler())
    notices = logging.getLogger("caveat.notices")
    notices.propagate = False
    notices.handlers = [_Terminal()]


def log_to_stderr() -> None:
    """Show warnings, one line each, for processes that serve others."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_OneLine("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    _route(handler)


def _route(handler: logging.Handler) -> None:
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    # By itself the core of the SDK writes to standard output, where results belong.
    core = LoggingConfig(
        filter=LoggingConfig.default.filter,
        forwarding=LogForwardingConfig(logger=logging.getLogger("temporalio.core")),
    )
    Runtime.set_default(
        Runtime(telemetry=TelemetryConfig(logging=core)), error_if_already_set=False
    )
