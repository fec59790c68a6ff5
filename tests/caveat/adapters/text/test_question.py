import pytest

from caveat.adapters.text.question import STAND_IN, find_answer_forms, parse_question


def test_words_that_frame_a_question_weigh_half_and_names_do_not() -> None:
    counts = {"come": 3, "point": 3, "releas": 3, "thing": 3}
    framed = parse_question("How often do releases come out?", counts, 1_000)
    assert [term.stem for term in framed.terms] == ["releas", "come"]
    assert framed.terms[1].weight == pytest.approx(framed.terms[0].weight / 2)
    named = parse_question("Is the Thing a release?", counts, 1_000)
    assert {term.weight for term in named.terms} == {named.terms[0].weight}


@pytest.mark.parametrize(
    ("asked", "said", "beside"),
    [
        ("What does it cost?", "it costs £3.20", "it weighs 2.1 tonnes"),
        ("When was it built?", "built in 1844", "built of 40 stones"),
        ("How heavy is the lens?", "the lens weighs 2.1 tonnes", "the lens of glass"),
    ],
)
def test_the_form_of_an_answer_is_that_of_its_kind(asked: str, said: str, beside: str) -> None:
    (form,) = find_answer_forms(asked)
    assert form.search(said)
    assert not form.search(beside)


def test_a_synonym_counts_less_than_the_word_itself() -> None:
    (term,) = parse_question("sold", {"trade": 3}, 1_000).terms
    assert (term.forms["trade"], term.forms["sold"]) == (STAND_IN, 1)
