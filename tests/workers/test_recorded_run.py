"""A run on answers that a person gave who played the model and saw nothing but the prompts."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from temporalio.testing import WorkflowEnvironment

from caveat.contracts.claim import ClaimState
from caveat.contracts.report import Report
from caveat.contracts.synthesis import Verdict
from caveat.workers.settings import Settings
from tests.fakes.claude_house import keyed, wired
from tests.fakes.messages_api import Recorded, Says, stand_in
from tests.fakes.runs import start_run
from tests.fakes.scholar import data, role_of, writes_section

FOLDER = Path(__file__).parents[1] / "fakes" / "ferry"
SAID: dict[str, Any] = json.loads(FOLDER.with_suffix(".json").read_text("utf-8"))
TOPIC = (
    "What did it cost to electrify the ferry Maid of Lune, when did she return to service, what do "
    "her batteries hold, and how many people were injured in the works?"
)
_SHOWN: dict[str, str] = {}
"""What each role was shown first, on one line: while the disputes are open."""

_NAME = re.compile(r"\bc\d+\b")


def plain(text: str) -> str:
    """Put a text on one line, without the marks of its format."""
    return " ".join(re.sub(r"[#*_>|]", " ", text).split())


class Prompt:
    """What a request shows: its source, if it has one, and its facts."""

    def __init__(self, request: Recorded) -> None:
        *self.source, facts = data(request)
        self.facts = json.loads(facts)
        self.line = plain(" ".join(_strings(self.facts)))

    def named(self, *fields: str) -> list[dict[str, Any]]:
        """Everything with a name and one of some fields, each once."""
        found = {
            each["name"]: each
            for each in _dicts(self.facts)
            if "name" in each and any(name in each for name in fields)
        }
        return list(found.values())


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    for each in value if isinstance(value, list) else ():
        yield from _dicts(each)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for each in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from _strings(each)


def recorded(request: Recorded) -> Says:
    """Say what was said then; claims are known by their quotes, whatever they are called now."""
    prompt, role = Prompt(request), "section" if writes_section(request) else role_of(request)
    _SHOWN.setdefault(role, prompt.line)
    return Says(_ANSWERS[role](prompt))


def _analysis(prompt: Prompt) -> Any:
    texts = {path.name: plain(path.read_text("utf-8")) for path in FOLDER.iterdir()}
    beginning = plain(prompt.source[0]).removeprefix("- ")
    return next(SAID["analyses"][name] for name, text in texts.items() if text[:40] in beginning)


def _renamed(said: Any, prompt: Prompt) -> Any:
    now = {
        plain(claim.get("quote") or claim["text"]): claim["name"]
        for claim in prompt.named("text", "quote")
    }
    # A quote may have been widened since.
    names = {
        name: next((new for known, new in now.items() if plain(quote) in known), name)
        for name, quote in SAID["claims"].items()
    }
    return json.loads(_NAME.sub(lambda found: names[found[0]], json.dumps(said)))


def _as_lines(draft: Any) -> Any:
    """The prose that was written then, as the sentences that are asked for now."""
    return {
        **draft,
        "answer": [{"text": draft["answer"]}],
        "missing": [{**each, "why": [{"text": each["why"]}]} for each in draft["missing"]],
        "sections": [
            {"angle": each["angle"], "sentences": [{"text": each["text"]}]}
            for each in draft["sections"]
        ],
        "weighing": [{**each, "sentences": [{"text": each["text"]}]} for each in draft["weighing"]],
    }


def _section(prompt: Prompt) -> Any:
    of = prompt.facts["angles"][0]["angle"]
    said = _as_lines(_renamed(SAID["draft"], prompt))["sections"]
    return {"section": next((each["sentences"] for each in said if each["angle"] == of), [])}


def _judgements(prompt: Prompt) -> Any:
    def judged(each: dict[str, Any]) -> dict[str, str]:
        is_more = "day by day" in each["text"]
        told = "The quotes do not say that it is kept day by day." if is_more else ""
        support = "partly" if is_more else "supported"
        return {"name": each["name"], "support": support, "reason": told}

    return {
        "sentences": [judged(each) for each in prompt.facts["sentences"]],
        "claims": [judged(each) for each in prompt.facts.get("claims", ())],
    }


_ANSWERS: dict[str, Callable[[Prompt], Any]] = {
    "planner": lambda _: SAID["plan"],
    "analyst": _analysis,
    "detector": lambda prompt: _renamed(SAID["disputes"], prompt),
    "second_look": lambda prompt: {"confirmed": [each["name"] for each in prompt.named("value")]},
    "synthesiser": lambda prompt: _as_lines(_renamed(SAID["draft"], prompt)),
    "section": _section,
    "verifier": _judgements,
    "reviser": lambda prompt: {
        "sentences": [{"name": each["name"], "text": ""} for each in prompt.facts["sentences"]]
    },
}


@pytest.fixture
async def report(environment: WorkflowEnvironment, task_queue: str, settings: Settings) -> Report:
    client = environment.client
    async with stand_in(model=recorded) as api, wired(client, keyed(settings, api), task_queue):
        run = await start_run(
            client, task_queue, topic=TOPIC, corpus=[str(FOLDER)], arbitration_timeout=1
        )
        return (await run.result()).report


async def test_what_was_said_reaches_the_report_and_nothing_else(report: Report) -> None:
    assert report.verdict is Verdict.PARTLY
    assert [each.part for each in report.missing] == ["How many people were injured in the works"]
    for quote in SAID["claims"].values():
        assert plain(quote) in _SHOWN["synthesiser"], "every claim reaches who writes"
    sides = [{side.value for side in each.sides} for each in report.contradictions]
    assert {"£3.4 million", "£4.05 million"} in sides
    assert {"1.1 MWh", "880 kWh"} in sides
    assert sum(each.affects_answer for each in report.contradictions) == 3
    prose = " ".join([report.summary, *(section.summary for section in report.sections)])
    assert "day by day" not in prose, "the verifier held it back"
    assert "sank" not in prose + json.dumps([claim.text for claim in report.claims])
    assert report.verification is not None
    assert report.verification.left_out
    # The log's other days are nobody's side, though they share a year and a ship with one.
    days = [each for each in report.claims if "27 March" in each.quote or "8 June" in each.quote]
    assert {each.state for each in days} == {ClaimState.ACCEPTED}
    # What each document is, as its reader saw it, and that nobody else says so.
    kinds = {name: each["document"]["kind"] for name, each in SAID["analyses"].items()}
    authors = {name: each["document"]["author"] for name, each in SAID["analyses"].items()}
    assert {each.path: each.kind.value for each in report.sources} == kinds
    for each in report.sources:
        assert each.authors, each.path
        (kind,) = [factor for factor in each.factors if factor.reason == f"kind: {each.kind}"]
        assert kind.self_stated
    assert any(author in _SHOWN["synthesiser"] for author in authors.values())
    assert "unknown" not in re.findall(r"kind (\w+)", _SHOWN["synthesiser"])
    scores = {each.id: each.credibility for each in report.sources}
    assert all(claim.credibility == scores[claim.source_id] for claim in report.claims)
