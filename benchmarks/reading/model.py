"""A stand-in model that says what a good model said of the folder, to any version of the prompts.

It knows claims by document and question, disputes by quote, and one sentence a claim. What a prompt
asks for is read from the JSON schema of the answer, what it shows from its blocks of data.
"""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from standins.messages_api import Recorded, Says

HERE = Path(__file__).parent
CORPUS = HERE / "corpus"
SAID: dict[str, Any] = json.loads((HERE / "answers.json").read_text("utf-8"))
GOLD: dict[str, Any] = tomllib.loads((HERE / "gold.toml").read_text("utf-8"))

_BLOCK = re.compile(r'<untrusted-data id="(\w+)">\n(.*?)\n</untrusted-data id="\1">', re.DOTALL)
_BEGINNING = 120
_ALIKE = 0.5  # share of a question's words from which a recorded question counts as the same one


def plain(text: str) -> str:
    """Put a text on one line, without the marks of its format."""
    return " ".join(re.sub(r"[#*_>|]", " ", text).split())


DOCUMENTS = {path.name: plain(path.read_text("utf-8")) for path in sorted(CORPUS.iterdir())}

_ROLES = (
    ("planner", {"angles"}),
    ("reformulator", {"query"}),
    ("detector", {"contradictions"}),
    ("second look", {"confirmed"}),
    ("debater", {"remarks"}),
    ("verifier", {"sentences", "claims"}),
    ("reviser", {"sentences"}),
    ("writer or synthesiser", {"sections"}),
    ("analyst", {"claims"}),
)
"""Who asks, by the fields of the answer: the first that has all of them."""


@dataclass
class Reader:
    """The model, and what it saw.

    Attributes:
        tokens: that each role sent and received, four characters a token.
        calls: of each role.
        read: how often each document was read.
        found: the claims that were given, by document and quote, with their relevance.
        shown: what the last synthesis was written from, on one line.
        disputes: numbers of the recorded disputes that the detector named.
    """

    tokens: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    read: Counter[str] = field(default_factory=Counter)
    found: dict[tuple[str, str], float] = field(default_factory=dict)
    shown: str = ""
    disputes: set[int] = field(default_factory=set)

    def __call__(self, request: Recorded) -> Says:
        """Answer a request."""
        schema = request.schema or {}
        role = role_of(request)
        answer = _ANSWERS[role](self, Prompt(request), schema)
        said = json.dumps(filled(schema, schema, answer), ensure_ascii=False)
        sent = len(request.raw) // 4
        self.tokens[role] += sent + len(said) // 4
        self.calls[role] += 1
        return Says(said, usage={"input_tokens": sent, "output_tokens": len(said) // 4})


def role_of(request: Recorded) -> str:
    """Name who asks, by the shape of the answer."""
    fields = set((request.schema or {}).get("properties", {}))
    role = next(role for role, has in _ROLES if has <= fields)
    if role == "writer or synthesiser":
        given = Prompt(request).facts
        return "writer" if any("sections" in each for each in given) else "synthesiser"
    return role


class Prompt:
    """What a request shows."""

    def __init__(self, request: Recorded) -> None:
        self.text = request.said[0]
        blocks = [match[2] for match in _BLOCK.finditer(self.text)]
        said = filter(None, map(_parsed, blocks))
        self.facts = [each if isinstance(each, dict) else {"listed": each} for each in said]
        self.line = plain(" ".join(_strings(self.facts)))
        self.source = plain(
            max((each for each in blocks if not _parsed(each)), key=len, default="")
        )

    def fact(self, *names: str) -> Any:
        """Return the first of some facts that is there."""
        return next((each[name] for each in self.facts for name in names if name in each), None)

    @property
    def topic(self) -> str:
        """What the run is about."""
        return str(self.fact("topic", "question") or "")

    def named(self, *fields: str) -> list[dict[str, Any]]:
        """Everything with a name and one of some fields, each once."""
        found = {
            each["name"]: each
            for each in _dicts(self.facts)
            if "name" in each and any(name in each for name in fields)
        }
        return list(found.values())


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _dicts(each)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)


def filled(schema: Mapping[str, Any], root: Mapping[str, Any], known: Any) -> Any:
    """Give a value the shape of a schema: what is known stays, what else is needed is empty."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        if known is None:
            return None
        schema = next(each for each in schema["anyOf"] if each.get("type") != "null")
        return filled(schema, root, known)
    if "enum" in schema:
        return known if known in schema["enum"] else schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        known = known if isinstance(known, Mapping) else {}
        needed = schema.get("required", ())
        return {
            name: filled(each, root, known.get(name))
            for name, each in schema.get("properties", {}).items()
            if name in known or name in needed
        }
    if kind == "array":
        items = known if isinstance(known, list | tuple) else []
        return [filled(schema["items"], root, each) for each in items]
    empty = {"string": "", "number": 0.0, "integer": 0, "boolean": False}
    return empty.get(str(kind)) if known is None else known


def words(text: str) -> set[str]:
    """The words of a text that say something."""
    return {word for word in re.findall(r"\w+", text.casefold()) if len(word) > 3}


def alike(one: str, other: str) -> float:
    """Return the share of their words that two questions have in common."""
    first, second = words(one), words(other)
    return len(first & second) / max(1, min(len(first), len(second)))


def _plan(reader: Reader, prompt: Prompt, schema: Mapping[str, Any]) -> Any:
    del reader, schema
    topic = prompt.topic or next(t for t in [*SAID["plans"], *_unanswerable()] if t in prompt.text)
    angles = SAID["plans"].get(topic)
    whole = {"title": topic, "question": topic, "queries": ["Thornwick Baths", topic]}
    return {"angles": angles or [whole]}


def _unanswerable() -> list[str]:
    topics: list[str] = GOLD["unanswerable"]["topics"]
    return topics


def _analyse(reader: Reader, prompt: Prompt, schema: Mapping[str, Any]) -> Any:
    del schema
    name = next(
        (name for name, text in DOCUMENTS.items() if text[:_BEGINNING] in prompt.source), None
    )
    if name is None:
        return {"claims": []}
    reader.read[name] += 1
    asked = prompt.fact("questions") or [{"name": "", "question": prompt.fact("question")}]
    questions = {each["name"]: each["question"] for each in asked}
    said = []
    for claim in SAID["claims"]:
        if claim["source"] != name:
            continue
        fits = {key: _relevance(claim, question) for key, question in questions.items()}
        fits = {key: relevance for key, relevance in fits.items() if relevance}
        if fits:
            best = max(fits, key=lambda key: fits[key])
            relevance = fits[best]
            said.append(
                {
                    "text": claim["text"],
                    "quote": claim["quote"],
                    "relevance": relevance,
                    "questions": list(fits),
                    "question": best,
                    "angle": best,
                    "angles": list(fits),
                }
            )
            key = (name, plain(claim["quote"]))
            reader.found[key] = max(reader.found.get(key, 0.0), relevance)
    # What it says of itself, where its first line does not.
    document = {"title": SAID["titles"].get(name, "")}
    return {
        "document": document,
        "claims": sorted(said, key=lambda each: -each["relevance"]),
    }


def _relevance(claim: Mapping[str, Any], question: str) -> float:
    """What was said of a claim's relevance to a question, or to one that asks the same."""
    answers: Mapping[str, float] = claim["answers"]
    if question in answers:
        return answers[question]
    if question in SAID["asked"]:
        return 0.0
    scored = {each: alike(question, each) for each in answers}
    best = max(scored, key=lambda each: scored[each])
    if question in _unanswerable():  # it touches the question, and does not answer it
        return 0.2 if scored[best] >= _ALIKE else 0.0
    return answers[best] if scored[best] >= _ALIKE else 0.0


def _detect(reader: Reader, prompt: Prompt, schema: Mapping[str, Any]) -> Any:
    del schema
    given = [
        (each["name"], plain(f"{each.get('quote', '')} {each.get('text', '')}"))
        for each in prompt.named("text", "quote")
    ]
    texts = {plain(each["quote"]): plain(each["text"]) for each in SAID["claims"]}

    def names(quote: str) -> list[str]:
        # A quote may have been widened to its sentence, and a text joined with another.
        words = (plain(quote), texts.get(plain(quote), "?"))
        return [name for name, known in given if any(each in known for each in words)]

    found = []
    for number, dispute in enumerate(SAID["disputes"]):
        values = []
        for side in dispute["values"]:
            known = [name for quote in side["quotes"] for name in names(quote)]
            if known:
                first, *others = dict.fromkeys(known)
                values.append({**side, "claim": first, "claims": [first], "backing": others})
        if len(values) >= 2:
            reader.disputes.add(number)
            facts = {name: dispute[name] for name in ("kind", "about")}
            found.append({**facts, "values": values, "sides": values, "affects_answer": True})
    return {"contradictions": found}


def _confirm(reader: Reader, prompt: Prompt, schema: Mapping[str, Any]) -> Any:
    del reader, schema
    return {"confirmed": [each["name"] for each in prompt.named("quote", "value")]}


def _synthesise(reader: Reader, prompt: Prompt, schema: Mapping[str, Any]) -> Any:
    del schema
    reader.shown = prompt.line
    claims = {each["name"]: each for each in prompt.named("text", "quote")}
    angles = [each for each in _dicts(prompt.facts) if "angle" in each and "claims" in each]
    sections = []
    for angle in angles:
        names = [each["name"] if isinstance(each, dict) else each for each in angle["claims"]]
        lines = [_write_line(claims[name]) for name in names if name in claims]
        sections.append({"angle": angle["angle"], "sentences": lines})
    best = [_write_line(each) for each in list(claims.values())[:5]]
    no_answer = prompt.topic in _unanswerable()
    return {
        "answer": best,
        "verdict": "not_answered" if no_answer else "partly" if reader.disputes else "answered",
        "missing": [{"part": prompt.topic, "why": []}] if no_answer else [],
        "sections": sections,
        "weighing": [],
        "calculations": [],
    }


def _write_line(claim: Mapping[str, Any]) -> dict[str, Any]:
    text = " ".join(str(claim.get("text") or claim.get("quote")).split())
    return {"text": text, "claims": [claim["name"]]}


def _write(reader: Reader, prompt: Prompt, schema: Mapping[str, Any]) -> Any:
    del reader, schema
    return {"summary": prompt.fact("summary"), "sections": prompt.fact("sections")}


def _verify(reader: Reader, prompt: Prompt, schema: Mapping[str, Any]) -> Any:
    """Let everything pass: this model writes what it was given, word for word."""
    del reader, schema
    given = {name: prompt.fact(name) or [] for name in ("sentences", "claims")}
    return {
        name: [{"name": each["name"], "support": "supported", "reason": ""} for each in listed]
        for name, listed in given.items()
    }


def _nothing(reader: Reader, prompt: Prompt, schema: Mapping[str, Any]) -> Any:
    del reader, prompt, schema
    return {}


_ANSWERS: dict[str, Callable[[Reader, Prompt, Mapping[str, Any]], Any]] = {
    "planner": _plan,
    "reformulator": _nothing,
    "analyst": _analyse,
    "detector": _detect,
    "second look": _confirm,
    "debater": _nothing,
    "synthesiser": _synthesise,
    "reviser": _nothing,
    "writer": _write,
    "verifier": _verify,
}
