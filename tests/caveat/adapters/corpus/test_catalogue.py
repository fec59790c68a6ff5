from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from caveat.adapters.corpus.updating import build_source_ref
from caveat.adapters.documents.composer import Composer
from caveat.adapters.documents.loaded import DocumentFormat, Loaded, Metadata
from caveat.adapters.documents.passages import FULL, split_passages
from caveat.adapters.documents.reader import read

BLOCKS = st.lists(
    st.tuples(
        st.sampled_from(["heading", "paragraph", "verbatim", "page"]),
        st.text(alphabet="ab. \nç", max_size=40).map(lambda text: text * 40),
    ),
    max_size=12,
)


def composed(blocks: list[tuple[str, str]]) -> Composer:
    composer = Composer()
    for number, (kind, text) in enumerate(blocks, start=1):
        if kind == "heading":
            composer.add_heading(1 + number % 3, text[:30])
        elif kind == "page":
            composer.begin_page(f"p. {number}")
        else:
            getattr(composer, f"add_{kind}")(text)
    return composer


@given(BLOCKS)
def test_landmarks_stand_in_order_at_paragraph_starts(blocks: list[tuple[str, str]]) -> None:
    snapshot = composed(blocks).finish()
    offsets = [mark.offset for mark in snapshot.landmarks]
    assert offsets == sorted(set(offsets))
    assert all(o == 0 or snapshot.text[o - 2 : o] == "\n\n" for o in offsets)
    assert "\n\n\n" not in snapshot.text


@given(BLOCKS)
def test_passages_are_verbatim_and_lose_nothing(blocks: list[tuple[str, str]]) -> None:
    snapshot = composed(blocks).finish()
    spans = list(split_passages(snapshot))
    assert all(len(span.text) <= 2 * FULL for span in spans)
    if snapshot.text:
        assert spans
    kept = "".join("".join(span.text.split()) for span in spans)
    plain = "".join(snapshot.text.split())
    position = 0
    for character in kept:
        position = plain.index(character, position) + 1


def test_a_heading_names_its_passages_and_starts_new_ones() -> None:
    composer = Composer()
    composer.add_heading(1, "Top")
    composer.add_heading(2, "First")
    composer.add_paragraph("One.")
    composer.add_paragraph("Two.")
    composer.add_heading(2, "Second")
    composer.add_paragraph("Three.")
    assert [(span.heading, span.text) for span in split_passages(composer.finish())] == [
        ("Top › First", "One.\n\nTwo."),
        ("Top › Second", "Three."),
    ]


def test_huge_paragraphs_are_cut_between_sentences() -> None:
    composer = Composer()
    composer.add_paragraph("This sentence has some words in it. " * 200)
    texts = [span.text for span in split_passages(composer.finish())]
    assert len(texts) > 5
    assert all(text.startswith("This") and text.endswith("it.") for text in texts)


def test_a_document_is_named_by_its_first_heading_and_never_by_a_row() -> None:
    composer = Composer()
    composer.add_table([["Pallet storage", "€2.10 per week"]])
    rows = Loaded(composer.finish(), Metadata())
    assert build_source_ref(Path("/c"), "rates.csv", rows).title == "rates.csv"
    composer.add_heading(1, "Rates")
    named = Loaded(composer.finish(), Metadata())
    assert build_source_ref(Path("/c"), "rates.md", named).title == "Rates"
    assert build_source_ref(Path("/c"), "rates.xlsx", named).title == "rates.xlsx"  # a sheet's name
    # What stands above the first heading of a plain text is its head, of which nobody says more.
    assert build_source_ref(Path("/c"), "rates.txt", named).title == "rates.txt"


def test_data_is_named_by_its_title_and_never_by_a_list() -> None:
    listed = read(DocumentFormat.DATA, b'{"rates": {"of": [{"place": "Hall", "euro": 2}]}}')
    assert build_source_ref(Path("/c"), "rates.json", listed).title == "rates.json"
    named = read(DocumentFormat.DATA, b'{"title": "Rates of 2024", "euro": 2}')
    assert build_source_ref(Path("/c"), "rates.json", named).title == "Rates of 2024"
