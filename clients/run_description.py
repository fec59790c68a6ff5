"""What the server, a run or its files say of the run and its questions.

Imports nothing of Temporal, so that what files can answer comes at once.
"""

import datetime as dt
import hashlib
import json
import re
import secrets
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from pydantic import Field, ValidationError

from caveat.contracts import outcome
from caveat.contracts.base import Contract
from caveat.contracts.outcome import Ending, Evidence, NamedEnd, Outcome, Progress
from caveat.contracts.phase import AWAITING, Phase
from caveat.contracts.report import Report, ReportStatus
from caveat.failures import PortFailure
from caveat.ports import Blobs
from caveat.rules.contradictions.choices import extract_subject
from caveat.rules.run.recovery import Scope, build_scope
from caveat.workers.blobs import open_blobs
from caveat.workers.settings import Settings


class RunStatus(StrEnum):
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    TERMINATED = "terminated"
    TIMED_OUT = "timed_out"


class RunLine(Contract):
    run_id: str
    topic: str  # what was asked; empty when the request was refused before it was read
    status: RunStatus  # where it stands on the server
    phase: str | None = None  # where the run itself says it is, if it got that far
    confidence: float | None = None  # of its report, once there is one
    # how many wait for a person; None where the run has not said
    open_contradictions: int | None = None
    started: dt.datetime  # when it began, UTC
    closed: dt.datetime | None = None  # when it ended, UTC; None while it goes on
    wedged: bool = False  # whether its workflow tasks fail again and again; see `standstill`
    paused: bool = False  # whether somebody paused it, so that it answers nobody
    # contradictions that nobody settled in time and no revision has settled since
    needs_review: int = 0
    revises: str | None = None  # the run whose report it revises; None of a first report

    @property
    def standstill(self) -> str | None:
        """Say what keeps a run from going on whatever worker is there, and what lets it."""
        if self.paused:
            return explain_paused(self.run_id)
        return explain_wedged(self.run_id) if self.wedged else None

    @property
    def is_running(self) -> bool:
        return self.status is RunStatus.RUNNING

    @property
    def state(self) -> str:
        """Say where it stands as every list and filter calls it."""
        if self.paused:
            return "paused"
        is_waiting = self.is_running and (self.phase or "").startswith(AWAITING)
        return "waiting" if is_waiting else self.status.replace("_", " ")


def format_reset(workflow_id: str) -> str:
    """Write the command with which a workflow goes through its steps anew, by this version."""
    # From the first task: every version agrees on that one, and what models answered is kept.
    return (
        f"temporal workflow reset --workflow-id {workflow_id} --type FirstWorkflowTask "
        '--reason "another version of Caveat"'
    )


def explain_wedged(workflow_id: str) -> str:
    return (
        f"{workflow_id} stands still because its workflow tasks fail, as they do when another "
        f"version of Caveat began it: `{format_reset(workflow_id)}` lets it go on."
    )


def explain_paused(workflow_id: str) -> str:
    return (
        f"{workflow_id} is paused: `temporal workflow unpause --workflow-id {workflow_id}` lets it "
        "go on."
    )


class Cause(StrEnum):
    STOPPED = "stopped"  # it is paused, or its workflow tasks fail: a person must let it go on
    UNSERVED = "unserved"  # nobody takes up runs on its server
    LEFT = "left"  # its tasks wait for a worker that is not there
    RETRYING = "retrying"  # it waits to try again what failed


@dataclass(frozen=True)
class Standstill:
    """Why a run does not move, and the sentence that says it and what to do."""

    cause: Cause
    sentence: str


class Broken(Contract):
    """A run that ended without a report and without a name: cancelled, terminated, or a bug."""

    message: str


Closed = Outcome | NamedEnd | Broken  # how a run ended


@dataclass(frozen=True)
class RunDescription:
    """A run as the server knows it, or its files."""

    line: RunLine
    # what a running run says, None when it was not asked, no worker answers, or it has ended
    progress: Progress | None = None
    # the provisional one of a run that goes on, None when there is none
    report: Report | None = None
    closed: Closed | None = None  # how it ended, None while it goes on
    # which worker it waits for, or what it tries again; one sentence, None while it goes on, when
    # it has ended, and when that was not asked
    waits: str | None = None
    revised_by: tuple[str, ...] = ()  # the runs that revised its report, the oldest first
    url: str | None = None  # of its page in the Web UI, where a server was asked

    @property
    def run_id(self) -> str:
        return self.line.run_id

    @property
    def course(self) -> outcome.Course:
        """How it went so far; nothing where no worker answers, or what it knew went with it."""
        match self.closed:
            case Outcome(report=report, failures=afterwards):
                failures = (*report.failures, *afterwards)
                return outcome.Course.model_validate({**dict(report.metrics), "failures": failures})
            case outcome.Course() as end:
                return end
            case _:
                return self.progress or outcome.Course()

    def find_scope(self, *, everything: bool = False) -> Scope:
        """Say which failures of an ended run a follow-up tries again, and which it leaves out."""
        if self.closed is None or isinstance(self.closed, Broken):
            return Scope()
        ending = None if isinstance(self.closed, Outcome) else self.closed.ending
        return build_scope(ending, self.course.failures, everything=everything)


class Unsettled(Contract):
    """What a person may still rule on although its run has ended."""

    arbitration: str
    topic: str
    about: str
    # names of what each side says, by which the same dispute of another run is known
    statements: tuple[frozenset[str], ...] = Field(default=(), exclude=True)

    def repeats(self, other: "Unsettled") -> bool:
        """Whether the same sides stand against each other: each shares a statement with its own."""
        mine, theirs = self.statements, other.statements
        return len(mine) == len(theirs) and all(
            one.isdisjoint(two) is (at != place)
            for at, one in enumerate(mine)
            for place, two in enumerate(theirs)
        )


class Waiting(Unsettled):
    opened: dt.datetime  # when people were asked, UTC
    deadline: dt.datetime  # until when they may rule, UTC
    values: str = ""  # each by its letter: `A (560 MW) or B (580 MW)`

    @property
    def subject(self) -> str:
        """What it is about, without the values that stand beside it."""
        return extract_subject(self.about).rstrip(".") if self.values else self.about


Disputed = TypeVar("Disputed", bound=Unsettled)


def group_disputes(waiting: Iterable[Disputed]) -> list[list[Disputed]]:
    """Put the same dispute of several runs together, the first of each in front."""
    groups: list[list[Disputed]] = []
    known: dict[str, list[Disputed]] = {}  # by statement
    for dispute in waiting:
        names = sorted(frozenset[str]().union(*dispute.statements))
        near = (known[name] for name in names if name in known)
        group = next((candidate for candidate in near if dispute.repeats(candidate[0])), [])
        if not group:
            groups.append(group)
        group.append(dispute)
        known |= {name: known.get(name, group) for name in names}
    return groups


def describe_unsettled(
    waiting: Iterable[Waiting], left: Iterable[Unsettled]
) -> list[dict[str, object]]:
    needs = [{**line.model_dump(mode="json"), "needs_review": True} for line in left]
    return [*(line.model_dump(mode="json") for line in waiting), *needs]


def list_same(waiting: Iterable[Unsettled], arbitration: str) -> list[str]:
    """List the arbitrations of other runs that wait for a ruling on the same dispute."""
    groups = ([each.arbitration for each in group] for group in group_disputes(waiting))
    group = next((names for names in groups if arbitration in names), [])
    return [name for name in group if name != arbitration]


_SLUG = 40
"""Characters of a topic in a run id: enough to recognise it in a list 100 characters wide."""


def create_run_id(topic: str, order: str = "") -> str:
    """Name a run after its topic; the same order names the same run."""
    end = hashlib.sha256(order.encode()).hexdigest()[:6] if order else secrets.token_hex(3)
    return f"{build_run_prefix(topic)}{end}"


def build_run_prefix(topic: str) -> str:
    return f"research-{slugify_topic(topic)}-"


def slugify_topic(topic: str) -> str:
    """Reduce a topic to lower-case ASCII words joined by hyphens, cut between words."""
    plain = unicodedata.normalize("NFKD", topic).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)
    slug = ""
    for word in words:
        longer = f"{slug}-{word}" if slug else word[:_SLUG]
        if len(longer) > _SLUG:
            break
        slug = longer
    return slug or "topic"  # of no Latin letters or digits: its text is a search attribute


T = TypeVar("T", Report, Evidence)

_GIVEN_ONCE = re.compile(r"(research-[a-z0-9-]+-)[0-9a-f]{6}(-revision-[0-9]+)?")
"""Ids that this program made up, and that no second run has. Runs that are started by other means
may use an id again, and then its files may be those of the run before."""


def list_kept_runs(settings: Settings, beginning: str) -> list[str]:
    """List the runs that begin so and whose files a worker wrote; none where that is not to say."""
    try:
        names = open_blobs(settings, settings.reports_folder).list_names()
    except PortFailure:
        return []
    runs = [each.rstrip("/") for each in names if each.endswith("/") and each.startswith(beginning)]
    return [each for each in runs if _GIVEN_ONCE.fullmatch(each.partition(ASKED)[0])]


def list_kept_revisions(settings: Settings, run_id: str) -> tuple[str, ...]:
    """List the runs that revised the report of a run, as their files say it, the oldest first."""
    reports, revisions = open_blobs(settings, settings.reports_folder), []
    of_topic = _GIVEN_ONCE.fullmatch(run_id)
    for revision in list_kept_runs(settings, of_topic[1]) if of_topic else ():
        report = json.loads(_read_bytes(reports, f"{revision}/report.json") or b"{}")
        if (report.get("revision") or {}).get("of") == run_id:
            revisions.append((report["created"], revision))
    return tuple(each for _, each in sorted(revisions))


ASKED = "-ask-"  # in the id of a question, behind the run that it is put to


def list_kept_answers(settings: Settings, run_id: str) -> list[Report]:
    """Read what came of the questions that were put to what a run has kept, the oldest first."""
    names = list_kept_runs(settings, f"{run_id}{ASKED}")
    answers = filter(None, (read_kept_report(settings, name) for name in names))
    return sorted(answers, key=lambda answer: answer.created)


def read_kept_report(settings: Settings, run_id: str) -> Report | None:
    return _read(settings, run_id, "report.json", Report)


def read_kept_state(settings: Settings, run_id: str) -> RunDescription | None:
    """Say how a run ended by what was kept of it; None where only a server can say."""
    evidence = _read(settings, run_id, "evidence.json", Evidence)
    if evidence is None:
        return None
    statuses = {None: RunStatus.COMPLETED, Ending.CANCELLED: RunStatus.CANCELLED}
    line = RunLine(
        run_id=run_id,
        topic=evidence.topic,
        status=statuses.get(evidence.ending, RunStatus.FAILED),
        phase=Phase.CANCELLED if evidence.ending is Ending.CANCELLED else Phase.FAILED,
        started=evidence.started,
        closed=evidence.created,
    )
    if evidence.ending is not None:
        return RunDescription(line, closed=build_end(evidence, evidence.ending))
    # Written last, so that it knows of what failed after the evidence was kept.
    report = read_kept_report(settings, run_id)
    if report is None or report.status is not ReportStatus.FINAL:
        return None
    revised_by = list_kept_revisions(settings, run_id)
    left = () if revised_by else report.contradictions
    changes = {"phase": Phase.DONE, "needs_review": sum(each.needs_review for each in left)}
    if report.reasoner.uses_language_model:
        changes["confidence"] = report.confidence.value
    closed = Outcome(report=report)
    return RunDescription(line.model_copy(update=changes), closed=closed, revised_by=revised_by)


def describe_end(end: NamedEnd) -> str:
    """Say by what name a run ended, and why; one that was cancelled ended for nothing else."""
    if end.ending is Ending.CANCELLED:
        return end.message
    return f"{end.ending.replace('_', ' ').capitalize()}: {end.message}"


def build_end(evidence: Evidence, ending: Ending) -> NamedEnd:
    return NamedEnd.model_validate({**dict(evidence), "ending": ending, "message": evidence.reason})


def _read_bytes(reports: Blobs, name: str) -> bytes:
    with suppress(PortFailure):
        return reports.get(name) or b""
    return b""


def _read(settings: Settings, run_id: str, name: str, contract: type[T]) -> T | None:
    if _GIVEN_ONCE.fullmatch(run_id):
        content = _read_bytes(open_blobs(settings, settings.reports_folder), f"{run_id}/{name}")
        with suppress(ValidationError):
            parsed = contract.model_validate_json(content)
            return parsed if parsed.run_id == run_id else None
    return None
