import pytest

from caveat.adapters.text.question import STAND_IN, parse_question


def test_words_that_frame_a_question_weigh_half_and_names_do_not() -> None:
    counts = {"come": 3, "point": 3, "releas": 3, "thing": 3}
    framed = parse_question("How often do releases come out?", counts, 1_000)
    assert [term.stem for term in framed.terms] == ["releas", "come"]
    assert framed.terms[1].weight == pytest.approx(framed.terms[0].weight / 2)
    named = parse_question("Is the Thing a release?", counts, 1_000)
    assert {term.weight for term in named.terms} == {named.terms[0].weight}


def test_a_synonym_counts_less_than_the_word_itself() -> None:
    (term,) = parse_question("sold", {"trade": 3}, 1_000).terms
    assert (term.forms["trade"], term.forms["sold"]) == (STAND_IN, 1)
