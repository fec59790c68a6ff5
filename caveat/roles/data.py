"""Data in prompts, which cannot pretend to end, and the words of answers, made to fit contracts."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Annotated, Any

from pydantic import StringConstraints

from caveat.contracts.contradiction import Contradiction
from caveat.contracts.source import Claim, SourceKind, SourceRef
from caveat.contracts.synthesis import AngleEvidence, Calculation, SynthesisInput
from caveat.rules.contradictions.choices import list_letters, parse_choice
from caveat.rules.lines import collapse_spaces

_TAG = "untrusted-data"

_SMUGGLED = r"\U000e0000-\U000e007f"
"""Tags: a second alphabet that models read and that nobody sees."""
_UNSEEN = rf"\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff{_SMUGGLED}"
_GAP = rf"[\s{_UNSEEN}/]*"
# One repetition between the words: two in a row would try every way to share a long gap.
_JOINT = rf"[-‐‑–—_\s{_UNSEEN}/]*"
_WORDS = _JOINT.join(rf"[{_UNSEEN}]*".join(word) for word in ("untrusted", "data"))
_LOOK_ALIKE = re.compile(rf"[<＜﹤](?={_GAP}{_WORDS})", re.IGNORECASE)
"""What a reader may take for the beginning or the end of a block, white space, invisible characters
and other dashes included."""

_HIDDEN = re.compile(f"[{_SMUGGLED}]")

NEUTRAL = "‹"  # stands for the bracket of a look-alike: one character for one, so that offsets stay


def format_block(text: str) -> str:
    """Mark a text as data, between delimiters that the text itself cannot hold."""
    # The delimiters are named by the text's hash, so they are the same whenever the text is, which
    # caches need, and nobody can write a text that holds its own. Look-alikes lose their bracket,
    # tags become spaces; every other character stays, and all of them stay where they are.
    name = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    return f'<{_TAG} id="{name}">\n{neutralise(text)}\n</{_TAG} id="{name}">'


def neutralise(text: str) -> str:
    """Take the bracket from everything that looks like a delimiter, and the tags out."""
    return _HIDDEN.sub(" ", _LOOK_ALIKE.sub(NEUTRAL, text))


def format_json_block(value: Mapping[str, Any] | Iterable[Any]) -> str:
    """Mark a value as data, written as JSON, in which no line break of a text is one."""
    return format_block(json.dumps(value, ensure_ascii=False, indent=0))


def describe_source(source: SourceRef) -> dict[str, Any]:
    """What a model is told about a source beside its text; what is not known is left out."""
    facts = {
        "title": source.title,
        "file": source.path,
        "authors": source.authors,
        "kind": source.kind.value if source.kind is not SourceKind.UNKNOWN else None,
        "published": source.published.isoformat() if source.published else None,
    }
    return {name: value for name, value in facts.items() if value}


def describe_claim(claim: Claim) -> dict[str, Any]:
    """What a model is told of a claim; the quote only where the text says it in other words."""
    quoted = describe_quote(claim)
    if collapse_spaces(claim.quote) == collapse_spaces(claim.text):
        del quoted["quote"]
    return {"name": claim.id, "text": claim.text, **quoted}


def describe_quote(claim: Claim) -> dict[str, str]:
    """What a model is told of a quote, with its heading, or the columns of its row."""
    under = {"under": claim.location} if claim.location else {}
    return {"quote": claim.quote, **under}


def describe_remarks(evidence: SynthesisInput) -> list[dict[str, Any]]:
    """What the debate says of the claims of a portion."""
    remarks = evidence.debate.challenges if evidence.debate else ()
    return [
        {"by": each.raised_by, "claim": each.claim_id, "stance": each.stance, "text": each.text}
        for each in remarks
        if each.claim_id in evidence.claims
    ]


def list_by_source(
    claims: Iterable[Claim],
    sources: Iterable[SourceRef],
    describe: Callable[[Claim], dict[str, Any]] = describe_claim,
) -> list[dict[str, Any]]:
    """List sources, each with its claims; each claim is told once."""
    facts = {source.id: describe_source(source) for source in sources}
    by_source: dict[str, dict[str, Claim]] = {}
    for claim in claims:
        by_source.setdefault(claim.source_id, {})[claim.id] = claim
    return [
        {**facts.get(source, {}), "claims": list(map(describe, own.values()))}
        for source, own in by_source.items()
    ]


def describe_evidence(evidence: SynthesisInput, angles: Sequence[AngleEvidence]) -> dict[str, Any]:
    """What a writer is told: the question, its angles by the names of their claims, and these."""
    named = {claim.id for each in angles for claim in each.claims}
    disputes = [
        each
        for each in evidence.contradictions
        if not (each.is_open and named.isdisjoint(each.concerned))
    ]
    return {
        "question": evidence.topic,
        "angles": [
            {
                "angle": each.assignment.id,
                "title": each.assignment.title,
                "question": each.assignment.question,
                "claims": [claim.id for claim in each.claims],
            }
            for each in angles
        ],
        "sources": list_by_source(chain(*(each.claims for each in angles)), evidence.sources),
        "disputes": list(map(describe_dispute, disputes)),
    }


def name_gaps(evidence: SynthesisInput) -> Mapping[str, str]:
    """Name what is missing, so that a sentence can rest on it."""
    return {f"gap-{number}": text for number, text in enumerate(evidence.missing, start=1)}


def describe_missing(evidence: SynthesisInput) -> list[dict[str, str]]:
    return [{"name": name, "missing": text} for name, text in name_gaps(evidence).items()]


def describe_calculations(calculations: Iterable[Calculation]) -> list[dict[str, Any]]:
    """What a model is told of numbers that were computed from claims, and not by chance."""
    return [
        {
            **{each.name: f"{each.value} [{each.claim_id}]" for each in made.operands},
            "computed": f"{made.expression} = {made.result}",
        }
        for made in calculations
        if not made.is_guessed
    ]


def describe_dispute(contradiction: Contradiction) -> dict[str, Any]:
    """What a model is told of a dispute: its sides as they were given, and what was ruled."""
    count = len(contradiction.sides)
    ruling = contradiction.ruling
    upheld = parse_choice(ruling, count) if ruling is not None else (False,) * count
    sides = []
    for letter, stated, holds in zip(list_letters(count), contradiction.sides, upheld, strict=True):
        side: dict[str, Any] = {"side": letter, "claims": stated.claims}
        if stated.value:
            side["value"] = stated.value
        if stated.scope:
            side["scope"] = stated.scope
        if ruling is not None:
            side["holds"] = holds
        sides.append(side)
    facts: dict[str, Any] = {"dispute": contradiction.id, "about": contradiction.about}
    if ruling is None:
        facts["state"] = (
            "open" if contradiction.is_undecided else "nobody could settle it: use no side"
        )
    else:
        apart = sum(upheld) > 1
        facts["state"] = "each that holds does so in its scope" if apart else "settled"
        facts["reason"] = contradiction.reason
    return {**facts, "sides": sides}


_LISTED = re.compile(r"\[\s*(c\d+(?:\s*[,;]\s*c\d+)+)\s*\]")


def tidy(text: str) -> str:
    """Write `[c1, c2]` as `[c1][c2]`, which says the same."""
    return _LISTED.sub(
        lambda match: "".join(f"[{name}]" for name in re.findall(r"c\d+", match[1])), text.strip()
    )


Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
"""Text that says something."""


ADDRESS = re.compile(
    r"(?:\b[a-z][a-z\d+.-]{0,40}://|\bwww\.|\b(?:javascript|mailto):(?=\S))\S*", re.IGNORECASE
)
"""An address of any scheme: a report's prose holds none, its sources do."""


def find_addresses(text: str) -> frozenset[str]:
    return frozenset(address.rstrip(".,;:!?)]}\"'”’»") for address in ADDRESS.findall(text))


def format_flaws(what: str, flaws: Iterable[str], again: str) -> str | None:
    """Give an answer back to whoever wrote it, each flaw once; None where it has none."""
    lines = [f"- {flaw}" for flaw in dict.fromkeys(flaws)]
    return "\n".join([f"{what}:", *lines, again]) if lines else None
