"""The commands that answer an arbitration, as people can copy them."""

import json
import shlex

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from caveat.rules.choices import chosen


def given(values: int) -> str:
    """Write what the Temporal CLI and the Web UI send, for so many values."""
    every = chosen((True,) * values)
    return json.dumps({"ruling": every, "reason": "why", "decided_by": "your name"})


DEFAULT_NAMESPACE = "default"
"""Where the Temporal CLI looks without being told."""


def rule(arbitration: str, choice: str) -> str:
    """Our own command; `choices.options` stand for the one to make."""
    return f"caveat rule {shlex.quote(arbitration)} {choice} --because 'why'"


def update(arbitration: str, values: int, namespace: str = DEFAULT_NAMESPACE) -> str:
    """The Temporal CLI's command."""
    place = "" if namespace == DEFAULT_NAMESPACE else f" --namespace {shlex.quote(namespace)}"
    return (
        f"temporal workflow update execute{place} --workflow-id {shlex.quote(arbitration)} "
        f"--name rule --input {shlex.quote(given(values))}"
    )
