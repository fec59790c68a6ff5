"""What the detector got wrong, for whoever tunes it: of the elements, never of the countries."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from benchmarks.contradicting.detection import ContradictionKey, Detected, Truth
from benchmarks.contradicting.truth import Pair, Verdict


def written(found: Iterable[Detected], pairs: Sequence[Pair], truth: Truth) -> str:
    """List false alarms, then what was missed by attribute, as Markdown with both quotes."""
    everything = list(found)
    reported = {key for each in everything for key in each.contradictions}
    missed: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        if pair.key in truth.contradictions() - reported and pair.verdict is Verdict.CONTRADICT:
            missed[pair.one.attribute].append(pair)
    lines = ["# False alarms", ""]
    for each in everything:
        if each.verdict in {None, Verdict.AGREE}:
            lines += _alarm(each)
    lines += ["", "# Missed", ""]
    for attribute, kept in sorted(missed.items(), key=lambda item: -len(item[1])):
        lines += ["", f"## {attribute}: {len({pair.key for pair in kept})} contradictions", ""]
        lines += [f"- {pair.one.passage} | {pair.other.passage}" for pair in kept]
    return "\n".join([*_summary(everything, pairs, reported), *lines]) + "\n"


def _summary(
    found: Sequence[Detected], pairs: Sequence[Pair], reported: set[ContradictionKey]
) -> list[str]:
    wanted = {p.key: p.one.attribute for p in pairs if p.verdict is Verdict.CONTRADICT}
    all_of, found_of = (
        Counter(wanted.values()),
        Counter(attribute for key, attribute in wanted.items() if key in reported),
    )
    verdicts = Counter(str(each.verdict or "nothing comparable") for each in found)
    return [
        f"reported, by verdict on the two claims: {dict(verdicts)}",
        "",
        *(f"- {name}: {found_of[name]} of {count} found" for name, count in all_of.most_common()),
        "",
    ]


def _alarm(each: Detected) -> list[str]:
    quotes = {claim.id: claim.quote for claim in each.task.claims}
    a, b = each.disagreement.claims
    return [
        f"- {each.disagreement.about}",
        f"  - {quotes[a]}",
        f"  - {quotes[b]}",
    ]
