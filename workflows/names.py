"""Names on the server: search attributes, keys of a memo, and the task queues of a run."""

import json
from enum import StrEnum
from itertools import accumulate
from typing import Any

from temporalio.common import SearchAttributeKey

from caveat.contracts.backend import Route
from caveat.contracts.plan import ResearchRequest

QUEUE = "caveat"
"""Where runs are started: workflow tasks only, they must never wait behind an activity."""

RESEARCH = "Research"
ARBITRATION = "Arbitration"

IS_RUN = f"WorkflowType = '{RESEARCH}'"
"""Which workflows are runs, in the server's language for lists."""

GOES_ON = "CloseTime IS NULL"
"""What has not ended, in the same language: to the server what is paused does not run, and servers
that cannot pause do not know the word."""


class Handler(StrEnum):
    """The queries and updates that clients send: by name, so that asking loads no workflow."""

    PROGRESS = "progress"
    REPORT = "report"
    HEARING = "hearing"
    RULE = "rule"
    RULE_LATE = "rule_late"
    APPROVE = "approve"


class QueueKind(StrEnum):
    """The activity queues; `name_queue` makes their whole names."""

    # A kind's name is added to the name of the queue on which the run was started.

    REASON = "-reason"
    """Model calls: one queue for a backend, so that one queue-wide rate limit guards it."""
    FETCH = "-fetch"
    """Searching and reading: bound by I/O, and different with each backend's engines."""
    KEEP = "-keep"
    """Checking, writing, remembering and telling: what every worker of a server does alike."""


TOPIC = SearchAttributeKey.for_text("CaveatTopic")
PHASE = SearchAttributeKey.for_keyword("CaveatPhase")
OPEN_CONTRADICTIONS = SearchAttributeKey.for_int("CaveatOpenContradictions")
CONFIDENCE = SearchAttributeKey.for_float("CaveatConfidence")

ALL: tuple[SearchAttributeKey[Any], ...] = (TOPIC, PHASE, OPEN_CONTRADICTIONS, CONFIDENCE)
"""Every one of them must be registered on the server before a run starts."""

MOST_BYTES = 2_048  # of a value that the server lists, as JSON in ASCII with its quotation marks


def cut_topic(topic: str) -> str:
    """Cut a topic to what the server lists: a letter takes up to twelve bytes of that."""
    sizes = accumulate(len(json.dumps(sign)) - 2 for sign in topic)
    return topic[: sum(size <= MOST_BYTES - 2 for size in sizes)]


SHOWN = "topic"
"""What the memo of a run or a schedule calls its topic, which the list itself may not show."""

MEMO = "route"  # What the memo of a run calls its route, which clients read while no worker answers

REVIEW = "review"
"""What the memo of a run calls what a person may still rule on: what differs, by contradiction."""

REVISES = "revises"  # what the memo of a run calls the run that it follows up
EVIDENCE = "evidence"  # what the memo of a cancelled run calls the file of what it found


def build_route(request: ResearchRequest) -> Route:
    """Say who takes up the tasks of a run, as far as its request decides it."""
    return Route(reasoner=request.reasoner, backend=request.backend)


def name_queue(queue: str, kind: QueueKind, route: Route) -> str:
    """Name the task queue of a kind, beside that of a run's workflow tasks and for its backend."""
    if kind is QueueKind.KEEP:
        return queue + kind
    decided = route.backend.id if route.backend else route.reasoner
    return f"{queue}{kind}.{decided}" if decided else queue + kind
