"""What counts as found, as a false alarm and as settled rightly."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.contradicting import labels
from benchmarks.contradicting.claims import Read, written_and_read
from benchmarks.contradicting.detection import Detected, Score, Truth, detected, score, tasks
from benchmarks.contradicting.reading import value
from benchmarks.contradicting.settling import settled, tally
from benchmarks.contradicting.statements import Draft, Entry, Publication, Sort
from benchmarks.contradicting.truth import Pair, Verdict, pairs
from benchmarks.contradictions import LABELS, Measured, table
from caveat.contracts.claim import Claim
from caveat.contracts.contradiction import ContradictionKind, Disagreement, RulingChoice, SettledBy
from caveat.contracts.source import SourceKind
from caveat.contracts.tasks import DetectionTask
from caveat.ports import Answer
from tests.fakes.disputes import sides_of

PACKAGES = {
    package: Publication(
        package, package, f"https://{package}.test/", dt.date(2026, 1, 1), SourceKind.DATASET
    )
    for package in ("one", "two", "three")
}


def entry(package: str, entity: str, melting: str, boiling: str = "") -> Entry:
    draft = Draft(PACKAGES[package], entity, entity.capitalize())
    draft.add(
        f"{package} has {entity} melt at {melting} K.",
        ("melting point", Sort.MEASURE, (value(melting),)),
    )
    if boiling:
        draft.add(
            f"{package} has {entity} boil at {boiling} K.",
            ("boiling point", Sort.MEASURE, (value(boiling),)),
        )
    return draft.finished()


IRON = [
    entry("one", "iron", "1811", "3134"),
    entry("two", "iron", "1535", "3134.15"),
    entry("three", "iron", "1535"),
]
TIN = [entry("one", "tin", "505"), entry("two", "tin", "232"), entry("three", "tin", "505.3")]
LEAD = [entry("one", "lead", "600.61"), entry("two", "lead", "600.58")]


class Bench:
    """Entries as a corpus, and what a scripted detector makes of them."""

    def __init__(self, entries: Sequence[Entry], folder: Path) -> None:
        self.pairs: list[Pair] = list(pairs(said for each in entries for said in each.statements))
        self.truth = Truth(self.pairs)
        # Each document has an author of its own, so that rules count it as a source of its own.
        self.read: list[Read] = [
            replace(each, source=each.source.model_copy(update={"authors": (each.source.id,)}))
            for each in written_and_read(entries, folder)
        ]

    def claim(self, package: str, entity: str, verb: str = "melt") -> Claim:
        wanted = f"{package} has {entity} {verb}"
        claims = [claim for each in self.read for claim in each.claims]
        return next(claim for claim in claims if claim.quote.startswith(wanted))

    def reports(
        self, a: Claim, b: Claim, for_a: Sequence[Claim] = (), for_b: Sequence[Claim] = ()
    ) -> Disagreement:
        return Disagreement(
            kind=ContradictionKind.NUMERIC,
            sides=sides_of(
                (a.id, b.id), ([each.id for each in for_a], [each.id for each in for_b])
            ),
            about="They differ.",
        )

    async def found(self, *reports: Disagreement, at_once: int = 30) -> list[list[Detected]]:
        async def detect(task: DetectionTask) -> Answer[tuple[Disagreement, ...]]:
            known = {claim.id for claim in task.claims}
            return Answer(tuple(each for each in reports if known.issuperset(each.claims)))

        given = tasks(self.read, "Properties of {}", at_once, seed=1)
        return await detected(detect, given, self.read, self.truth, lambda _: None)

    async def scored(self, *reports: Disagreement) -> Score:
        [found] = await self.found(*reports)
        return score(found, self.truth)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench([*IRON, *TIN, *LEAD], tmp_path / "corpus")


async def test_a_contradiction_counts_once_however_many_state_it(bench: Bench) -> None:
    one, two, three = (bench.claim(package, "iron") for package in PACKAGES)
    scored = await bench.scored(bench.reports(one, two), bench.reports(one, three))
    assert scored == Score(reported=1, right=1, immaterial=0, contradictions=3, found=1)


async def test_backing_finds_what_it_backs(bench: Bench) -> None:
    one, two, three = (bench.claim(package, "tin") for package in PACKAGES)
    alone = await bench.scored(bench.reports(two, one))
    backed = await bench.scored(bench.reports(two, one, for_b=[three]))
    assert (alone.found, backed.found) == (1, 2)
    assert alone.precision == backed.precision == 1.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("one", "iron", "boil"), ("two", "iron", "boil")),
        (("one", "iron"), ("two", "tin")),
        (("one", "iron"), ("two", "iron", "boil")),
    ],
    ids=["claims that agree", "claims about two entities", "claims about two attributes"],
)
async def test_what_is_no_contradiction_is_a_false_alarm(
    bench: Bench, one: tuple[str, ...], other: tuple[str, ...]
) -> None:
    right = bench.reports(bench.claim("one", "tin"), bench.claim("two", "tin"))
    scored = await bench.scored(right, bench.reports(bench.claim(*one), bench.claim(*other)))
    assert (scored.reported, scored.right, scored.precision) == (2, 1, 0.5)


async def test_immaterial_differences_count_neither_way(bench: Bench) -> None:
    scored = await bench.scored(
        bench.reports(bench.claim("one", "lead"), bench.claim("two", "lead"))
    )
    assert scored == Score(reported=0, right=0, immaterial=1, contradictions=3, found=0)


GOLD = {("iron", "melting point"): 1811.0, ("tin", "melting point"): 505.1}


async def test_the_person_rules_for_the_value_nearer_to_gold(bench: Bench) -> None:
    one, two = bench.claim("one", "iron"), bench.claim("two", "iron")
    for report, choice in (
        (bench.reports(one, two), RulingChoice.A),
        (bench.reports(two, one), RulingChoice.B),
    ):
        [end] = settled(await bench.found(report), GOLD)
        assert end.contradiction.settled_by is SettledBy.PERSON
        assert end.contradiction.ruling == choice


async def test_the_person_lets_both_hold_that_are_about_different_things(bench: Bench) -> None:
    report = bench.reports(bench.claim("one", "iron"), bench.claim("two", "tin"))
    [end] = settled(await bench.found(report), GOLD)
    assert end.contradiction.ruling == RulingChoice.BOTH


async def test_without_a_gold_value_nobody_comes(bench: Bench) -> None:
    report = bench.reports(bench.claim("one", "iron"), bench.claim("two", "iron"))
    [end] = settled(await bench.found(report), {})
    assert end.contradiction.settled_by is SettledBy.PROVISIONAL_UNCERTAINTY


def many(count: int) -> list[Entry]:
    metals = [f"metal{number}" for number in range(count)]
    return [
        made
        for metal in metals
        for made in (entry("one", metal, "1000"), entry("two", metal, "900"))
    ]


async def test_rulings_teach_the_next_tasks_and_not_their_own(tmp_path: Path) -> None:
    bench = Bench(many(24), tmp_path / "corpus")
    names = sorted({each.entity for each in bench.read})
    gold = {(metal, "melting point"): 1000.0 for metal in names}
    reports = [bench.reports(bench.claim("one", m), bench.claim("two", m)) for m in names]
    together = tally(settled(await bench.found(*reports, at_once=24), gold), gold)
    assert together.by_rung == {SettledBy.PERSON: 24}
    in_turn = tally(settled(await bench.found(*reports, at_once=6), gold), gold)
    assert in_turn.by_rung == {SettledBy.PERSON: 6, SettledBy.TRACK_RECORD: 18}
    assert in_turn.checked == in_turn.right == {SettledBy.TRACK_RECORD: 18}
    assert (in_turn.settled_right, together.settled_right) == (1.0, None)


async def test_what_rules_settle_against_gold_is_wrong(tmp_path: Path) -> None:
    bench = Bench(many(12), tmp_path / "corpus")
    names = sorted({each.entity for each in bench.read})
    reports = [bench.reports(bench.claim("one", m), bench.claim("two", m)) for m in names]
    found = await bench.found(*reports, at_once=6)
    first = {each.pair.one.entity for each in found[0] if each.pair}
    # The first package is right where people look, and wrong ever after.
    gold = {(m, "melting point"): 1000.0 if m in first else 900.0 for m in names}
    counted = tally(settled(found, gold), gold)
    assert (counted.checked, counted.settled_right) == ({SettledBy.TRACK_RECORD: 6}, 0.0)
    assert counted.unrelated == 0


async def test_a_rule_that_overrules_a_claim_about_something_else_is_wrong(bench: Bench) -> None:
    iron, tin = bench.claim("one", "iron"), bench.claim("two", "tin")
    backing = [bench.claim("one", "tin"), bench.claim("one", "lead")]
    counted = tally(settled(await bench.found(bench.reports(iron, tin, for_a=backing)), GOLD), GOLD)
    assert counted.by_rung == counted.checked == {SettledBy.EVIDENCE: 1}
    assert (counted.settled_right, counted.unrelated) == (0.0, 1)


def test_labels_compare_with_the_rule(bench: Bench) -> None:
    made = [
        labels.Label("iron", "melting point", ("two", "one"), Verdict.CONTRADICT, ""),
        labels.Label("lead", "melting point", ("one", "two"), Verdict.AGREE, ""),
        labels.Label("gold", "melting point", ("one", "two"), Verdict.AGREE, ""),
    ]
    assert labels.agreement(made, bench.pairs) == {"labels": 3, "known": 2, "same": 1}


def test_the_committed_labels_are_a_verdict_and_a_reason_each() -> None:
    kept = labels.read(LABELS)
    assert len(kept) == 2 * labels.SIZE
    assert all(label.why and label.packages[0] < label.packages[1] for label in kept)
    assert {label.verdict for label in kept} == set(Verdict)


async def test_deals_are_counted_together_and_reported_as_shares(bench: Bench) -> None:
    right = bench.reports(bench.claim("one", "iron"), bench.claim("two", "iron"))
    wrong = bench.reports(bench.claim("one", "iron"), bench.claim("two", "tin"))
    deals = [await bench.found(right), await bench.found(right, wrong)]
    scores = [score(found, bench.truth) for [found] in deals]
    tallies = [tally(settled(found, GOLD), GOLD) for found in deals]
    measured = Measured(
        name="metals",
        documents=8,
        claims=10,
        pairs=dict.fromkeys(Verdict, 1),
        apart=scores[0],
        together=scores[0] + scores[1],
        precisions=[each.precision for each in scores],
        tally=tallies[0] + tallies[1],
        labelled={"labels": 1, "known": 1, "same": 1},
    )
    assert measured.shares() == {
        "precision": 0.6667,
        "recall": 0.3333,
        "settled_right": None,
        "by_rung": {
            "evidence": 0.0, "track_record": 0.0, "person": 1.0, "provisional_uncertainty": 0.0,
        },
    }  # fmt: skip
    assert "precision of each deal: 100.0%, 50.0%" in table([measured])
