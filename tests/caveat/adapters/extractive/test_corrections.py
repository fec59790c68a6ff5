import pytest

from caveat.adapters.extractive.corrections import corrects, find_corrections
from caveat.adapters.extractive.windows import select_best_windows
from caveat.adapters.text.question import parse_question
from caveat.contracts.claim import Claim
from caveat.contracts.source import Landmark, Snapshot


@pytest.mark.parametrize(
    ("correction", "sentence", "told"),
    [
        ("Borehole 3: read 4.2 m for 4.7 m.", "Borehole 3 stood at 4.7 m.", True),
        ("Correction: the rent is £46,800, not £46,300.", "The rent is set at £46,300.", True),
        ('Page 4: "a dose of 20 mg" should read "a dose of 10 mg".', "The dose is 20 mg.", True),
        ("Borehole 3: read 4.2 m for 4.7 m.", "Borehole 3 stood at 6.1 m.", False),
        ("Borehole 3: read 4.2 m for 4.7 m.", "The plank is 4.7 m long.", False),
        ("It is kept for 30 days, not 60.", "It was kept for 60 days.", False),  # nothing was wrong
        ("The device can read 30 bytes.", "It can read 30 bytes of 60.", False),
    ],
)
def test_a_correction_names_the_figure_that_was_wrong(
    correction: str, sentence: str, told: bool
) -> None:
    assert corrects(correction, sentence) is told


def test_a_correction_comes_before_what_it_corrects_however_far_away() -> None:
    stated = "The water level in borehole 3 was 4.7 m below ground."
    other = "The pump was off and the cap was locked."
    mended = "Borehole 3: read 4.2 m for 4.7 m."
    text = "\n\n".join([stated, *[other] * 9, "Corrections", mended])
    marks = (
        Landmark(offset=0, label="Results"),
        Landmark(offset=text.index("Corr"), label="Corrections"),
    )
    asked = parse_question("What was the water level in borehole 3?", {"water": 1, "level": 1}, 20)
    first, second, *_ = select_best_windows(Snapshot(text=text, landmarks=marks), "Wells", asked, 7)
    assert text[first.start : first.end] == mended
    assert text[second.start : second.end] == stated


def _claim(name: str, quote: str, source: str) -> Claim:
    return Claim(
        id=name, text=quote, quote=quote, source_id=source, assignment_id="a1", start=0,
        end=len(quote), relevance=0.8, credibility=0.5,
    )  # fmt: skip


def test_a_figure_that_another_source_takes_back_is_a_contradiction() -> None:
    stated = _claim("c1", "It was resolved to set the precept at £46,300.", "february")
    mended = _claim("c2", "Correction: under item 5 the precept is £46,800, not £46,300.", "march")
    (found,) = find_corrections([mended, stated])
    assert found.claims == ("c1", "c2")
    assert [side.value for side in found.sides] == ["£46,300", "£46,800"]
    assert not list(find_corrections([mended, _claim("c3", "The precept was £44,430.", "january")]))
    assert not list(find_corrections([mended, _claim("c4", "The precept is £46,300.", "march")]))
