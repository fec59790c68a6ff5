from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.source import Reading, SourceRef
from caveat.rules.evidence import Known, Relation, compare_readings, sketch
from caveat.rules.evidence.copies import CROWD


def reading(number: int, text: str) -> Reading:
    drawn = sketch(text)
    return Reading(
        source=SourceRef(id=f"s{number}", title="t", path=f"{number}.md"),
        snapshot_sha256=text[:64],
        characters=len(text),
        shingles=drawn.shingles,
        sketch=drawn.smallest,
        figures=drawn.figures,
    )


def words(first: int, count: int = 150) -> str:
    return " ".join(f"w{number}" for number in range(first, first + count))


TEXTS = st.lists(st.tuples(st.integers(0, 200), st.integers(20, 200)), min_size=2, max_size=12)


@given(TEXTS)
def test_whatever_is_a_copy_is_found_among_the_few(texts: list[tuple[int, int]]) -> None:
    known, read = Known(), list[Reading]()
    for number, (first, count) in enumerate(texts):
        new = reading(number, words(first, count))
        related = {
            other.source.id for other in read if compare_readings(other, new) is not Relation.OTHER
        }
        found = known.find_candidates(new.source.id, new)
        assert related <= set(found)
        assert found == sorted(found, key=lambda name: int(name[1:]))
        known.add(new.source.id, new)
        read.append(new)


def test_texts_of_one_address_are_found_whatever_they_say() -> None:
    known = Known()
    one, other = reading(1, words(0)), reading(2, words(1_000))
    placed = {"source": one.source.model_copy(update={"url": "https://example.org/paper"})}
    known.add("s1", one.model_copy(update=placed))
    assert known.find_candidates("s2", other) == []
    assert known.find_candidates("s2", other.model_copy(update=placed)) == ["s1"]


def test_a_menu_that_all_pages_share_brings_no_crowd() -> None:
    known = Known()
    menu = words(0, 40)
    for number in range(3 * CROWD):
        known.add(f"s{number}", reading(number, f"{menu} {words(1_000 * number + 1_000, 30)}"))
    assert len(known.find_candidates("new", reading(-1, f"{menu} {words(900_000, 30)}"))) < CROWD
