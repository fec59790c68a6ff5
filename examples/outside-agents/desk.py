"""An agent of its own: `python desk.py valuation|news|financial [HOW]`.

It reads the notes of its folder and quotes every sentence that holds a figure. HOW says how far it
gets, to see what a run makes of that: `whole`; `partial60` says 60% of its figures and then nothing
more; `silent` never says anything; `refuses` declines; `dies` ends with the work in its hands.
"""

import asyncio
import os
import re
import sys
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from caveat.clients.agents import Job, serve_agent
from caveat.contracts.message import OutsideDocument, OutsideFindings, Quotation
from caveat.failures import forbidden

NOTES = Path(__file__).parent / "notes"


@dataclass(frozen=True)
class Figure:
    """A sentence of a note that holds a figure, and the name under which it is done."""

    note: Path
    name: str
    sentence: str


def figures(desk: str) -> list[Figure]:
    """Read the notes of a desk."""
    return [
        Figure(note, f"{note.stem} {number}", sentence.strip())
        for note in sorted((NOTES / desk).glob("*.md"))
        for number, sentence in enumerate(re.split(r"(?<=\.)\s+", note.read_text()), start=1)
        if re.search(r"\d", sentence)
    ]


def findings(found: list[Figure]) -> OutsideFindings:
    """Quote figures from their notes."""
    documents = [
        OutsideDocument(
            title=note.stem.replace("-", " "),
            text=note.read_text(),
            quotations=tuple(Quotation(text=x.sentence, quote=x.sentence) for x in quoted),
        )
        for note, quoted in groupby(found, key=lambda figure: figure.note)
    ]
    return OutsideFindings(documents=tuple(documents), done=tuple(each.name for each in found))


async def work(desk: str, how: str, job: Job) -> OutsideFindings:
    """Read note after note, and report each; stop where `how` says so."""
    if how == "refuses":
        raise forbidden(f"The {desk} desk does not cover this company.", resource=desk)
    if how == "dies":
        os._exit(1)
    every = figures(desk)
    named = {"silent": 0, "whole": 100}
    reach = named[how] if how in named else int(how.removeprefix("partial"))
    within = every[: reach * len(every) // 100]
    found: list[Figure] = []
    for _, quoted in groupby(within, key=lambda figure: figure.note):
        new = [each for each in quoted if each.name not in job.assignment.done]
        found += new
        share = (len(job.assignment.done) + len(found)) / len(every)
        if new and share < 1:
            await job.report(f"{share:.0%} of {len(every)} figures.", findings(found), share)
    if len(within) < len(every):
        await asyncio.sleep(3600)  # its connection hangs, and it says nothing any more
    return findings(found)


if __name__ == "__main__":
    desk, how = sys.argv[1], (sys.argv[2:] or ["whole"])[0]
    if not re.fullmatch(r"whole|silent|refuses|dies|partial[1-9][0-9]?", how):
        sys.exit(__doc__)
    try:
        asyncio.run(
            serve_agent(
                desk,
                lambda job: work(desk, how, job),
                ready=lambda: print(f"{desk} waits for work ({how}).", flush=True),
            )
        )
    except KeyboardInterrupt:
        sys.exit(130)
