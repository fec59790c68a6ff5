"""The commands that go on with what is on the server: `caveat resume`, `follow-up` and `rule`."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace as changed
from typing import Any

from rich.console import Console

from caveat.clients.cli.conclusion import tell_pending
from caveat.clients.cli.console import say, stderr
from caveat.clients.cli.order import RunOrder, carry_out, started
from caveat.clients.cli.output import Output
from caveat.clients.cli.patience import patience_of
from caveat.clients.folders import require_writable
from caveat.clients.follow_ups import (
    CHANGED,
    REVISED,
    InTime,
    KeptForRevision,
    Rulings,
    TakenUp,
    asked_on,
    follow_up_request,
    taken_up,
)
from caveat.clients.healing import Healing
from caveat.clients.naming import RunNames
from caveat.clients.problems import NoSuchRun
from caveat.clients.publishing import report_folder
from caveat.clients.requests import apart
from caveat.clients.runs import Runs
from caveat.clients.typed import (
    answer_of,
    arbitration_beginning,
    formats_of,
    joined,
    person,
    question_of,
    run_beginning,
)
from caveat.contracts.contradiction import Contradiction
from caveat.contracts.report import ReportedFailure
from caveat.rendering.amounts import counted
from caveat.rules.contradictions.choices import held
from caveat.rules.run.recovery import FIELDWORKERS, NOT_STARTED, REDONE, Scope
from caveat.workers.settings import Settings, load


def resume(typed: str, *, out: str | None, provisional: bool, wait: bool, as_json: bool) -> int:
    """Carry the command out and return its exit code."""
    patience, settings = patience_of(provisional=provisional, wait=wait), load()
    run_beginning(typed)
    if out is not None:
        require_writable(report_folder(out, typed))

    async def settled(runs: Runs) -> RunOrder:
        run_id = await RunNames(runs.client, settings).run(typed)
        return await started(runs, run_id, out, patience)

    return carry_out(settled, settings, as_json=as_json)


_NAMED = 5  # groups of failures that are named; `caveat failures` lists each of them


def _tell_scope(console: Console, run_id: str, scope: Scope) -> None:
    """Print what is tried again and what is not, failures of one role and reason together."""
    total = len(scope.retried) + len(scope.left_out)
    tried = f"tries {len(scope.retried)} of {counted(total, 'failed task')} again"
    does = tried if total else "goes on with what that found"
    say(console, f"A follow-up of {run_id} {does}.")
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
    for (agent, reason), number in found[:_NAMED]:
        say(console, f"  {what}: {counted(number, 'task')} of the {agent}. {reason}")
    rest = sum(number for _, number in found[_NAMED:])
    if rest:
        say(console, f"  {what}: {counted(rest, 'other task')}.")


async def _goes_on(runs: Runs, run_id: str) -> bool:
    """Let a terminated run go on, which left no evidence but its history; say so."""
    try:
        goes_on = await Healing(runs.client).revive(run_id)
    except NoSuchRun:
        return False  # its evidence may be here all the same
    if goes_on:
        say(stderr(), f"{run_id} was ended from outside; it goes on from what its history keeps.")
    return goes_on


def follow_up(
    typed: str,
    *,
    everything: bool,
    formats: str | None,
    out: str | None,
    wait: bool,
    as_json: bool,
) -> int:
    """Carry the command out and return its exit code."""
    patience, settings = patience_of(wait=wait), load()
    run_beginning(typed)
    chosen = None if formats is None else formats_of(formats)
    if out is not None:
        require_writable(report_folder(out, typed))

    async def settled(runs: Runs) -> RunOrder:
        run_id = await RunNames(runs.client, settings).run(typed)
        if await _goes_on(runs, run_id):
            return await started(runs, run_id, out, patience)
        request, scope = await follow_up_request(runs, settings, run_id, everything=everything)
        if chosen is not None:
            request = request.model_copy(update={"formats": chosen})
        taken = await taken_up(runs, settings, run_id, request)
        order = _ordered(taken, settings, out, patience=patience)
        _tell_scope(stderr(), run_id, scope)
        return order

    return carry_out(settled, settings, as_json=as_json)


def ask(
    typed: str, words: Sequence[str], *, search: bool, out: str | None, wait: bool, as_json: bool
) -> int:
    """Carry the command out and return its exit code."""
    patience, settings = patience_of(wait=wait), load()
    question = joined(words)
    run_beginning(typed)
    question_of(question)

    async def settled(runs: Runs) -> RunOrder:
        run_id = await RunNames(runs.client, settings).run(typed)
        taken = await asked_on(runs, settings, run_id, question, searches=search)
        return _ordered(taken, settings, out, patience=patience, partial=True)

    return carry_out(settled, settings, as_json=as_json)


def rule(  # noqa: PLR0913  # each is an option
    typed: str,
    ruling: str | None,
    *,
    because: str,
    replace: bool,
    withdraw: bool,
    by: str | None,
    out: str | None,
    as_json: bool,
) -> int:
    """Carry the command out and return its exit code."""
    given = answer_of(ruling, because, by or person(), withdraws=withdraw)
    replaces, settings = replace or withdraw, load()
    arbitration_beginning(typed)
    if out is not None:
        require_writable(report_folder(out, typed))

    async def settled(runs: Runs) -> RunOrder | None:
        arbitration = await RunNames(runs.client, settings).arbitration(typed)
        contradiction_id = arbitration.rpartition("/")[2]
        rulings = Rulings(runs, settings)
        match await rulings.give(arbitration, given, replaces=replaces):
            case InTime(contradiction=found):
                accepted = held(found.ruling or "none", len(found.sides))
                say(stderr(), f"Accepted: {accepted} ({contradiction_id}).")
                waits_for = await rulings.awaited_beside(arbitration)
                return await _continued(runs, arbitration, waits_for, out)
            case KeptForRevision(sentence=follows):
                say(stderr(), follows)
                return None
            case TakenUp() as revision:
                say(stderr(), CHANGED if replaces else REVISED)
                return _ordered(revision, settings, out)

    return carry_out(settled, settings, as_json=as_json, keeps=True)


async def _continued(
    runs: Runs, arbitration: str, others: Sequence[Contradiction], out: str | None
) -> RunOrder | None:
    """Follow the run to its report where this was its last open contradiction."""
    run_id, _, ruled_on = arbitration.rpartition("/")
    if others:
        waits = f"{run_id} still waits for {counted(len(others), 'other contradiction')}:"
        say(stderr(), waits)
        tell_pending(stderr(), others)
        return None
    order = await started(runs, run_id, out)
    say(
        stderr(),
        f"Nothing else waits for a person: the report of {run_id} is written to {order.folder}.",
    )
    return changed(order, may_be_left=True, ruled=(ruled_on,))


def _ordered(taken: TakenUp, settings: Settings, out: str | None, **more: Any) -> RunOrder:
    """Order a run that takes up an earlier one, and say who works on it."""
    folder = Output(settings).folder(out, taken.run_id, taken.request)
    if taken.remark is not None:
        say(stderr(), taken.remark)
    return RunOrder(taken.run_id, apart(taken.request, folder), folder, **more)
