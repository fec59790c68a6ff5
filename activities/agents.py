"""What an agent elsewhere found, checked as any analysis is: its quotes stand in texts it sent."""

from caveat.activities.sources import keep_text
from caveat.contracts.claim import Claim, FigureKind
from caveat.contracts.message import AssignmentBody
from caveat.contracts.outside import Brought, OutsideDocument, OutsideFindings
from caveat.contracts.source import Reading, Snapshot, SourceRef
from caveat.contracts.tasks import OutsideTask
from caveat.ports import Snapshots
from caveat.rules.evidence import verify_quotes
from caveat.rules.sources import compute_source_id


def build_assignment_body(task: OutsideTask, token: str) -> AssignmentBody:
    """Write an assignment as an agent elsewhere reads it."""
    angle = task.assignment
    return AssignmentBody(
        token=token,
        task_id=task.task_id,
        topic=task.topic,
        title=angle.title,
        question=angle.question,
        queries=angle.queries,
        instructions=angle.instructions,
        figures=angle.figures,
        done=task.done,
        patience_s=angle.patience_s,
    )


async def check_findings(findings: OutsideFindings | None, snapshots: Snapshots) -> Brought | None:
    """Keep the texts, and the claims whose quote stands in its text; count the others."""
    if findings is None:
        return None
    readings: list[Reading] = []
    claims: list[Claim] = []
    rejected = 0
    for document in findings.documents:
        text = Snapshot(text=document.text)
        reading = await keep_text(_build_source(document), text, snapshots)
        stated = _build_claims(document, reading.source)
        kinds = {each.assignment_id: tuple(FigureKind) for each in stated}
        quoted, wrong = verify_quotes(stated, text, kinds)
        readings.append(reading)
        claims += quoted
        rejected += wrong
    return Brought(
        readings=tuple(readings), claims=tuple(claims), rejected_quotes=rejected, done=findings.done
    )


def _build_source(document: OutsideDocument) -> SourceRef:
    return SourceRef(
        id=compute_source_id(document.url or f"outside:{document.title}"),
        title=document.title,
        url=document.url,
        published=document.published,
        kind=document.kind,
    )


def _build_claims(document: OutsideDocument, source: SourceRef) -> list[Claim]:
    return [
        Claim(
            id=f"{source.id}-{number}",
            text=each.text,
            quote=each.quote,
            source_id=source.id,
            assignment_id="",
            start=0,
            end=max(len(each.quote), 1),
            relevance=each.relevance,
        )
        for number, each in enumerate(document.quotations, start=1)
    ]
