"""The commands that answer an arbitration, as people can copy them."""

import json
import shlex

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from caveat.contracts.contradiction import RulingChoice

INPUT = json.dumps({"ruling": RulingChoice.BOTH, "reason": "why", "decided_by": "your name"})
"""What the Temporal CLI and the Web UI send."""

DEFAULT_NAMESPACE = "default"
"""Where the Temporal CLI looks without being told."""


def rule(arbitration: str, choice: RulingChoice | str = "a|b|both|neither") -> str:
    """Our own command; several choices stand for the one to make."""
    return f"caveat rule {shlex.quote(arbitration)} {choice} --because 'why'"


def update(arbitration: str, namespace: str = DEFAULT_NAMESPACE) -> str:
    """The Temporal CLI's command."""
    place = "" if namespace == DEFAULT_NAMESPACE else f" --namespace {shlex.quote(namespace)}"
    return (
        f"temporal workflow update execute{place} --workflow-id {shlex.quote(arbitration)} "
        f"--name rule --input {shlex.quote(INPUT)}"
    )
