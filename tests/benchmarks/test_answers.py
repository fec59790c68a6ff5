"""What the benchmark of answers counts as answered, named and sure, and what it asks."""

from dataclasses import replace

import pytest

from benchmarks.answers import baselines
from benchmarks.answers.__main__ import kept
from benchmarks.answers.questions import Question
from benchmarks.answers.reports import Place, Shown
from benchmarks.answers.scoring import Judged, Score, auc, bands, score

ASKED = Question("How hot?", gold=(r"170 degrees", "very hot"), file="brew.html")
UNANSWERABLE = Question("Who painted it?")
OVERLAPPING = Question("How many calories are in it?", overlaps=True)


def judged(question: Question, shown: Shown, **plain: str) -> Judged:
    return Judged("brewing", question, shown, plain)


def given(confidence: float, **places: str) -> Shown:
    named = {Place[name.upper()]: text for name, text in places.items()}
    return Shown(confidence=confidence, places=named)


class TestScore:
    def test_a_question_is_answered_where_a_pattern_is_found(self) -> None:
        one = judged(ASKED, given(0.5, direct="It is VERY  hot.", anywhere="very hot"))
        assert one.answered == {Place.DIRECT, Place.ANYWHERE}
        assert one.is_right

    def test_an_answer_behind_the_first_pages_is_not_right(self) -> None:
        one = judged(ASKED, given(0.7, anywhere="It is very hot."))
        assert not one.is_right
        assert one.is_wrong_and_sure

    def test_everything_is_counted_once(self) -> None:
        found = score(
            [
                judged(ASKED, given(0.7, summary="very hot"), **{baselines.BM25: "170 degrees"}),
                judged(ASKED, given(0.3, summary="cold")),
                judged(ASKED, Shown(ending="insufficient_evidence")),
                judged(UNANSWERABLE, Shown(ending="insufficient_evidence")),
                judged(OVERLAPPING, given(0.65, summary="very hot")),
                judged(OVERLAPPING, Shown(ending="audit_failed")),
            ]
        )
        assert found.questions == 3
        assert found.answered[Place.SUMMARY] == found.in_front == 1
        assert found.answered[baselines.BM25] == 1
        assert found.answered[baselines.WHOLE] == 0
        assert found.refused == 1
        assert found.unanswerable == {False: 1, True: 2}
        assert found.named == {False: 1, True: 0}
        assert found.reports == 3
        assert found.wrong_and_sure == 1
        assert found.broken == 1
        assert found.auc == 1.0
        assert found.auc_of_all == 1.0
        assert [(band.reports, band.right) for band in found.bands] == [(1, 0), (2, 1)]

    def test_a_refusal_counts_with_what_it_states_among_all_that_was_asked(self) -> None:
        right = judged(ASKED, given(0.2, summary="very hot"))
        wrong = judged(ASKED, given(0.1, summary="cold"))
        # It holds the answer, below the words that say that nothing answers.
        refused = judged(ASKED, replace(given(0.3, summary="very hot"), answered=False))
        silent = judged(UNANSWERABLE, Shown(ending="unanswered"))
        found = score([right, wrong, refused, silent])
        assert found.auc == 1.0
        assert found.auc_of_all == pytest.approx(2 / 3)

    def test_auc_is_the_share_of_pairs_in_the_right_order(self) -> None:
        assert auc([(0.9, True), (0.1, False)]) == 1.0
        assert auc([(0.1, True), (0.9, False)]) == 0.0
        assert auc([(0.5, True), (0.5, False)]) == 0.5
        assert auc([(0.9, True), (0.4, True), (0.5, False), (0.3, False)]) == 0.75
        assert auc([(0.9, True)]) is None

    def test_a_border_belongs_to_the_band_below_it(self) -> None:
        found = bands([(0.0, False), (0.2, True), (0.21, True), (1.0, True)])
        assert [(band.low, band.reports, band.right) for band in found] == [
            (0.0, 2, 1),
            (0.2, 1, 1),
            (0.8, 1, 1),
        ]

    def test_the_aim_can_be_missed(self) -> None:
        good = Score(
            questions=10,
            answered={Place.CLOSEST: 8},
            in_front=7,
            refused=0,
            unanswerable={False: 5, True: 5},
            named={False: 5, True: 3},
            wrong_and_sure=0,
            reports=12,
            auc=None,
            auc_of_all=None,
            bands=[],
            broken=0,
        )
        assert kept(good)
        assert not kept(replace(good, answered={Place.CLOSEST: 7}))
        assert not kept(replace(good, broken=1))
