"""An agent of its own: `python desk.py valuation|news [whole|partial|silent|refuses]`.

It reads the notes of its folder and quotes every line that holds a number or a date. The second
word says how far it gets (`partial75` for 75%), to see what a run does with it.
"""

import asyncio
import re
import sys
from pathlib import Path

from caveat.contracts.outside import OutsideDocument, OutsideFindings, Quotation
from caveat.failures import forbidden
from clients.agents import Job, serve_agent

NOTES = Path(__file__).parent / "notes"
FIGURE = re.compile(r"\d")


def read(note: Path) -> OutsideDocument:
    """Quote each sentence of a note that holds a figure."""
    text = note.read_text(encoding="utf-8")
    sentences = (each.strip() for each in re.split(r"(?<=\.)\s+", text))
    quotes = [each for each in sentences if FIGURE.search(each)]
    return OutsideDocument(
        title=note.stem.replace("-", " "),
        text=text,
        quotations=tuple(Quotation(text=each, quote=each) for each in quotes),
    )


async def work(name: str, how: str, job: Job) -> OutsideFindings:
    """Read note after note, and report each; stop where `how` says so."""
    if how == "refuses":
        raise forbidden(f"The {name} desk does not cover this company.", resource=name)
    notes = sorted((NOTES / name).glob("*.md"))
    found: list[OutsideDocument] = []
    named = {"silent": 0, "whole": 100}
    reach = named[how] if how in named else int(how.removeprefix("partial"))
    for number, note in enumerate(notes, start=1):
        if number * 100 > reach * len(notes):
            await asyncio.sleep(3600)  # its connection hangs, and it says nothing any more
        if note.stem in job.assignment.done:
            continue
        found.append(read(note))
        done = tuple(each.stem for each in notes[:number])
        so_far = OutsideFindings(documents=tuple(found), done=done)
        if number < len(notes):
            await job.report(f"{number} of {len(notes)} notes.", so_far, number / len(notes))
    return OutsideFindings(documents=tuple(found), done=tuple(note.stem for note in notes))


if __name__ == "__main__":
    name, how = sys.argv[1], (sys.argv[2:] or ["whole"])[0]
    try:
        asyncio.run(serve_agent(name, lambda job: work(name, how, job)))
    except KeyboardInterrupt:
        sys.exit(130)
