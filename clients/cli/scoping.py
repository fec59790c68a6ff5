"""What a follow-up is going to try again, and what it leaves out and why, before it starts."""

from collections import Counter
from collections.abc import Iterable

from rich.console import Console

from caveat.contracts.report import ReportedFailure
from caveat.rules.breaker import NOT_STARTED
from caveat.rules.following_up import FIELDWORKERS, REDONE, Scope
from clients.cli.console import say
from clients.progress import counted

NAMED = 5
"""Groups of failures that are named; `caveat failures` lists each of them."""


def tell_scope(console: Console, run_id: str, scope: Scope) -> None:
    """Print what is tried again and what is not, failures of one role and reason together."""
    total = len(scope.retried) + len(scope.left_out)
    tried = f"{len(scope.retried)} of {counted(total, 'failed task')}"
    say(console, f"A follow-up of {run_id} tries {tried} again.")
    _list(console, "Again", (_words(failed) for failed in scope.retried))
    _list(console, "Left out", (_words(failed, why) for failed, why in scope.left_out))
    if scope.writes:
        say(console, "  The report that it lacks is written.")


def _words(failed: ReportedFailure, why: str = "") -> tuple[str, str]:
    is_done_again = failed.agent_type in FIELDWORKERS | REDONE
    reason = f" ({why}{'; --all tries it' if is_done_again else ''})" if why else ""
    # Tasks that were not started for it have the same reason as the one that failed.
    return failed.agent_type, failed.failure.message.removeprefix(NOT_STARTED) + reason


def _list(console: Console, what: str, groups: Iterable[tuple[str, str]]) -> None:
    found = Counter(groups).most_common()
    for (agent, reason), number in found[:NAMED]:
        say(console, f"  {what}: {counted(number, 'task')} of the {agent}. {reason}")
    rest = sum(number for _, number in found[NAMED:])
    if rest:
        say(console, f"  {what}: {counted(rest, 'other task')}.")
