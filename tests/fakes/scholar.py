"""A model for the stand-in that answers every role from what it was given, and from nothing else.

No language model speaks here: it copies sentences. It shows that requests hold what an honest
answer needs, and it lets a whole run go through the real SDK.
"""

import json
import re
from collections.abc import Callable
from typing import Any

from caveat.roles.role import read_prompt
from caveat.rules.text.prose import escape_text
from caveat.rules.text.sentences import split_sentences
from tests.fakes.messages_api import Recorded, Says

_BLOCK = re.compile(r'<untrusted-data id="(\w+)">\n(.*?)\n</untrusted-data id="\1">', re.DOTALL)
CLAIMS = 4  # claims that it makes of one source and question

_AT_MOST = re.compile(r"[Aa]t most (\d+)")


def scholar(request: Recorded) -> Says:
    """Answer as the role that the request's instructions name."""
    return Says(_ROLES[role_of(request)](request))


def role_of(request: Recorded) -> str:
    """Name the role that a request's instructions are of."""
    return next(name for name in _ROLES if request.system.startswith(read_prompt(name)))


def data(request: Recorded) -> list[str]:
    """The blocks of data in a request's first turn."""
    return [match[2] for match in _BLOCK.finditer(request.said[0])]


def _facts(request: Recorded) -> Any:
    return json.loads(data(request)[0])


def claims_by_source(request: Recorded) -> list[Any]:
    return [claim for source in _facts(request)["sources"] for claim in source["claims"]]


def _at_most(request: Recorded) -> int:
    match = _AT_MOST.findall(request.said[0])
    return int(match[-1])


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.casefold()) if len(word) > 3}


def _plan(request: Recorded) -> Any:
    topic = _facts(request)["topic"]
    titles = [topic[:60], f"Evidence on {topic}"[:60]][: _at_most(request)]
    return {
        "angles": [
            {"title": title, "question": topic, "queries": [" ".join(sorted(_words(topic)))]}
            for title in titles
        ]
    }


def _analyse(request: Recorded) -> Any:
    page, facts = data(request)[0], json.loads(data(request)[1])
    found = [page[span.start : span.end] for span in split_sentences(page)]
    found = [each for each in found if len(each.split()) > 2]  # a head such as "Value" is no quote
    claims: list[dict[str, Any]] = []
    for asked in facts["questions"]:
        wanted = _words(asked["question"])
        scored = [(len(wanted & _words(each)) / max(1, len(wanted)), each) for each in found]
        best = sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0])
        claims += [
            {
                "text": " ".join(quote.split()),
                "quote": quote,
                "questions": [asked["name"]],
                "relevance": relevance,
            }
            for relevance, quote in best[:CLAIMS]
        ]
    return {"claims": claims}


def _look(request: Recorded) -> Any:
    """Confirm the values that stand in their quotes, word for word."""
    pairs = _facts(request)
    return {"confirmed": [each["name"] for each in pairs if each["value"] in each["quote"]]}


def _debate(request: Recorded) -> Any:
    claims = claims_by_source(request)
    return {
        "remarks": [
            {
                "claim": claim["name"],
                "stance": "challenges",
                "text": "It rests on one source.",
                "evidence": [],
            }
            for claim in claims[:2]
        ]
    }


def _synthesise(request: Recorded) -> Any:
    facts = _facts(request)
    given = claims_by_source(request)
    said = {claim["name"]: claim.get("quote", claim["text"]) for claim in given}

    def item(name: str) -> Any:
        return {"text": f"- “{escape_text(said[name])}”", "claims": [name]}

    if writes_section(request):
        return {"section": [item(name) for angle in facts["angles"] for name in angle["claims"]]}
    sections = [
        {"angle": angle["angle"], "sentences": list(map(item, angle["claims"]))}
        for angle in facts["angles"]
    ]
    return {
        "answer": [item(name) for name in list(said)[:3]],
        "verdict": "answered",
        "sections": sections if "write the sections" in request.said[0] else [],
    }


def writes_section(request: Recorded) -> bool:
    """Whether a synthesiser is asked for one section alone."""
    return "Write the section" in request.said[0]


def _verify(request: Recorded) -> Any:
    """Let pass what stands in a quote that is cited for it, word for word."""
    facts = _facts(request)
    quotes = {each["name"]: _bare(each["quote"]) for each in claims_by_source(request)}

    def judged(each: Any) -> Any:
        quoted = " ".join(quotes.get(name, "") for name in each["cites"])
        carried = _bare(each["text"]) in quoted
        reason = "" if carried else "No quote that it cites says this."
        support = "supported" if carried else "not"
        return {"name": each["name"], "support": support, "reason": reason}

    return {
        "sentences": [judged(each) for each in facts["sentences"]],
        "claims": [{"name": each["name"], "support": "supported"} for each in facts["claims"]],
    }


def _bare(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _revise(request: Recorded) -> Any:
    """Leave out what does not hold: who copies sentences has no others."""
    return {
        "sentences": [{"name": each["name"], "text": ""} for each in _facts(request)["sentences"]]
    }


_ROLES: dict[str, Callable[[Recorded], Any]] = {
    "planner": _plan,
    "reformulator": lambda _: {"query": None},
    "analyst": _analyse,
    "detector": lambda _: {"contradictions": []},
    "second_look": _look,
    "debater": _debate,
    "synthesiser": _synthesise,
    "reviser": _revise,
    "verifier": _verify,
}
