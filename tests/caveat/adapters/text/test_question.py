import pytest

from caveat.adapters.text.question import STAND_IN, answers_to, question


def test_words_that_frame_a_question_weigh_half_and_names_do_not() -> None:
    counts = {"come": 3, "point": 3, "releas": 3, "thing": 3}
    framed = question("How often do releases come out?", counts, 1_000)
    assert [term.stem for term in framed.terms] == ["releas", "come"]
    assert framed.terms[1].weight == pytest.approx(framed.terms[0].weight / 2)
    named = question("Is the Thing a release?", counts, 1_000)
    assert {term.weight for term in named.terms} == {named.terms[0].weight}


@pytest.mark.parametrize(
    ("asked", "said", "beside"),
    [
        ("How often do releases come out?", "about every six weeks", "version 2 came out"),
        ("How far does the beam reach?", "it reaches 34 km", "it weighs 2.1 tonnes"),
        ("When was it built?", "built in 1844", "built of 40 stones"),
        ("How hot should the water be?", "water of 72 °C", "3 litres of water"),
        ("How heavy is the lens?", "the lens weighs 2.1 tonnes", "the lens of 34 rings"),
        ("How much power does it use?", "it draws 38 kW", "it bakes 240 loaves an hour"),
    ],
)
def test_the_form_of_an_answer_is_that_of_its_kind(asked: str, said: str, beside: str) -> None:
    (form,) = answers_to(asked)
    assert form.search(said)
    assert not form.search(beside)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Bake it for 45 minutes.", True),
        ("It is 212 feet long.", True),
        ("Default: 300.", True),
        ("500 g plums, 2 eggs", False),
        ("It was completed in 1849 to his design.", False),
    ],
)
def test_how_long_is_told_by_a_span_a_length_or_a_bare_figure(said: str, *, told: bool) -> None:
    (pattern,) = answers_to("How long is it?")
    assert bool(pattern.search(said)) is told


def test_a_synonym_counts_less_than_the_word_itself() -> None:
    (term,) = question("sold", {"trade": 3}, 1_000).terms
    assert (term.forms["trade"], term.forms["sold"]) == (STAND_IN, 1)
