"""What the benchmark of answers counts as answered and named, and what it asks."""

from dataclasses import replace

from benchmarks.answers import baselines
from benchmarks.answers.__main__ import kept
from benchmarks.answers.questions import Question
from benchmarks.answers.reports import Place, Shown
from benchmarks.answers.scoring import Judged, Score, score

ASKED = Question("How hot?", gold=(r"170 degrees", "very hot"), file="brew.html")
UNANSWERABLE = Question("Who painted it?")
OVERLAPPING = Question("How many calories are in it?", overlaps=True)


def judged(question: Question, shown: Shown, **plain: str) -> Judged:
    return Judged("brewing", question, shown, plain)


def given(**places: str) -> Shown:
    return Shown(places={Place[name.upper()]: text for name, text in places.items()})


class TestScore:
    def test_a_question_is_answered_where_a_pattern_is_found(self) -> None:
        one = judged(ASKED, given(direct="It is VERY  hot.", anywhere="very hot"))
        assert one.answered == {Place.DIRECT, Place.ANYWHERE}
        assert one.is_right

    def test_an_answer_behind_the_first_pages_is_not_right(self) -> None:
        one = judged(ASKED, given(anywhere="It is very hot."))
        assert not one.is_right

    def test_everything_is_counted_once(self) -> None:
        found = score(
            [
                judged(ASKED, given(summary="very hot"), **{baselines.BM25: "170 degrees"}),
                judged(ASKED, given(summary="cold")),
                judged(ASKED, Shown(ending="insufficient_evidence")),
                judged(UNANSWERABLE, Shown(ending="insufficient_evidence")),
                judged(OVERLAPPING, given(summary="very hot")),
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
        assert found.broken == 1

    def test_the_aim_can_be_missed(self) -> None:
        good = Score(
            questions=10,
            answered={Place.CLOSEST: 8},
            in_front=7,
            refused=0,
            unanswerable={False: 5, True: 5},
            named={False: 5, True: 3},
            broken=0,
        )
        assert kept(good)
        assert not kept(replace(good, answered={Place.CLOSEST: 7}))
        assert not kept(replace(good, broken=1))
