"""An honest model with faults where a test wants them, and a record of everything that was said."""

import json
import re
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from caveat.adapters.claude.messages.connection import Call, Turn
from caveat.adapters.claude.messages.dialogue import hash_call
from caveat.contracts.envelope import Usage
from caveat.roles.role import Effort
from tests.fakes.claude_corpus import TRAFFIC, WIDTH
from tests.fakes.messages_api import Breaks, Recorded, Says, Scripted, Stalls
from tests.fakes.scholar import claims_by_source, data, role_of, scholar, writes_section

RATES = {"claude-opus-5-5": (4.0, 20.0), "claude-sonnet-5-5": (2.0, 10.0)}
"""US dollars per million tokens in and out, as published; written down here a second time."""

_PARTICIPANT = re.compile(r"You are the (\w+)\. You(?:r remarks\?| may answer)")
_DECK = re.compile(r"([\d.]+) metres wide")


@dataclass(frozen=True)
class Exchange:
    """One request that was let in, and what was answered."""

    request: Recorded
    answer: Scripted

    @property
    def about(self) -> str:
        return about(self.request)

    @property
    def address(self) -> str:
        return address_of(self.request)

    @property
    def usage(self) -> Usage:
        """What the provider charges for it, worked out from what went over the wire."""
        match self.answer:
            case Says(usage=usage):
                return _charged(self.request.body["model"], usage)
            case Breaks(after=int()) | Stalls(after=int()):
                begun = {**Says("").usage, "output_tokens": 1}
                return _charged(self.request.body["model"], begun)
        return Usage()


@dataclass
class Cast:
    """The model behind the stand-in."""

    # answers that come before the honest one, by what a request is about
    faults: dict[str, deque[Scripted]] = field(default_factory=dict)
    # everything that was asked and answered, in order
    exchanges: list[Exchange] = field(default_factory=list)
    # answers before anybody else, where it answers at all
    gate: Callable[[Recorded], Scripted | None] = lambda _: None
    # called with each request before it is answered
    on_request: Callable[[Recorded], None] = lambda _: None

    def __call__(self, request: Recorded) -> Scripted:
        self.on_request(request)
        waiting = self.faults.get(about(request))
        answer = self.gate(request)
        if answer is None:
            answer = waiting.popleft() if waiting else self._honest(request)
        self.exchanges.append(Exchange(request, answer))
        return answer

    def will(self, subject: str, *answers: Scripted) -> None:
        """Let these answers come first where a request is about a subject."""
        self.faults.setdefault(subject, deque()).extend(answers)

    def asked(self) -> Counter[str]:
        """How often was asked about each subject."""
        return Counter(each.about for each in self.exchanges)

    def charged(self) -> Usage:
        """What all answers together cost."""
        return sum((each.usage for each in self.exchanges), Usage())

    def _honest(self, request: Recorded) -> Scripted:
        own = {"planner": lambda _: _PLAN, "detector": _detect}.get(role_of(request))
        said = scholar(request) if own is None else Says(own(request))
        # Every answer with a number of its own, so that none can stand for another in a sum.
        usage = {
            "input_tokens": 1_000 + len(self.exchanges),
            "cache_creation_input_tokens": 200,
            "cache_read_input_tokens": 3_000,
            "output_tokens": 100,
        }
        return replace(said, usage=usage)


def about(request: Recorded) -> str:
    """Name a request: its role, the source or the participant, and `again` for a second turn."""
    words = [role_of(request)]
    if words[0] == "analyst":
        words.append(json.loads(data(request)[1])["source"]["title"])
    is_section = words[0] == "verifier" and not json.loads(data(request)[0])["parts"]
    if is_section or (words[0] == "synthesiser" and writes_section(request)):
        words.append("section")
    words += _PARTICIPANT.findall(request.said[0])
    return " ".join([*words, "again"] if len(request.said) > 1 else words)


def address_of(request: Recorded) -> str:
    """Where the answer to a request is kept, by the adapter's own rule."""
    effort = Effort(request.effort) if request.effort else None
    return hash_call(
        Call(
            model=request.body["model"],
            system=request.system,
            schema=request.schema,
            turns=tuple(
                Turn(turn["role"], text)
                for turn, text in zip(request.body["messages"], request.said, strict=True)
            ),
            room=request.body["max_tokens"] - (effort.room if effort else 0),
            effort=effort,
        )
    )


def _charged(model: str, usage: Any) -> Usage:
    fresh, output = usage["input_tokens"], usage["output_tokens"]
    written = usage.get("cache_creation_input_tokens", 0)
    read = usage.get("cache_read_input_tokens", 0)
    rate_in, rate_out = RATES[model]
    sent = fresh + 1.25 * written + 0.05 * read
    return Usage(
        model_calls=1,
        input_tokens=fresh + written + read,
        output_tokens=output,
        cost_usd=(sent * rate_in + output * rate_out) / 1e6,
        models=(model,),
    )


_PLAN = {
    "angles": [
        {"title": "Width", "question": WIDTH, "queries": ["wide deck metres"]},
        {"title": "Traffic", "question": TRAFFIC, "queries": ["traffic crosses"]},
    ]
}


def _detect(request: Recorded) -> Any:
    """Find the claims that give the whole deck different widths."""
    claims = claims_by_source(request)
    found = {match[1]: claim["name"] for claim in claims if (match := _DECK.search(claim["text"]))}
    if len(found) < 2:
        return {"contradictions": []}
    (one, a), (other, b) = sorted(found.items())[:2]
    values = [
        {"claim": name, "backing": [], "value": f"{width} metres", "scope": ""}
        for name, width in ((a, one), (b, other))
    ]
    about = f"The deck's width: {one} metres or {other} metres."
    return {"contradictions": [{"kind": "numeric", "about": about, "values": values}]}
