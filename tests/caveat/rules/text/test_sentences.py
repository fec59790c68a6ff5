import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.contracts.source import Landmark, Snapshot
from caveat.rules.text.sentences import find_window, split_sentences


def split(text: str) -> list[str]:
    return [text[span.start : span.end] for span in split_sentences(text)]


def test_the_context_of_what_ends_in_a_colon_goes_beyond_the_next_mark() -> None:
    said = ["The file holds:", "Every click.", "The network log."]
    marks = [Landmark(offset=0, label="File"), Landmark(offset=17, label="Log")]
    snapshot = Snapshot(text="\n\n".join(said), landmarks=tuple(marks))
    assert find_window(snapshot, 0, 15) == (0, len(snapshot.text))
    assert find_window(snapshot, 17, 29) == (17, len(snapshot.text))


WHOLE = [
    "Riess et al. (2022) measured 73.04 km/s/Mpc, i.e. more than Planck did.",
    "Der Bericht Nr. 7 nennt nach Art. 4 Abs. 2 rund 3 Mrd. Franken.",
    "See Fig. 3 and Eq. (5) in Dr. Freedman's paper.",
    "The U.S. Government funded it.",
    "J. R. R. Tolkien and W. L. Freedman agree.",
    "The value is 67.4 ± 0.5 km s^-1 Mpc^-1 today.",
    "It was, well ... I mean, fine.",
    "1. Install the package from stable",
    "The meeting (No. 5) took place on Jan. 5.",
    "Erst am 16. Mai 2022 hob man das Schiff.",
    "Ab dem 23. Besuch lohnt sich die Karte, die den 3. Platz im Verkauf hat.",
    "Approx. 40 hosts run e.g. Debian, Ubuntu etc. and others.",
    "Planck vs. SH0ES is a 5.0σ tension.",
    "It holds, see Aghanim et al. [12] for more.",
    "In 2007 K. Smith found it, and in the notes\n12 A. Jones says so.",
    "a text that was wrapped at\n67.4 percent of\nits width",
]


@pytest.mark.parametrize("text", WHOLE)
def test_a_sentence_stays_whole(text: str) -> None:
    assert split(text) == [text]


SPLIT = {
    "plain": ["One is short.", "Two is longer!", "Is three?", "Four."],
    "closing quotes": ["He said “no.”", "She left.", "(It rained.)", "They stayed."],
    "markers with a space": ["It is 67.4. [c12]", "It is not."],
    "markers without": ["It is 67.4.[c1][c7]", "It is not.[3, 5]", "Perhaps."],
    "long markers": ["So it is. [a1-s-0123456789-2]", "Next."],
    "an aside is no marker": ["So it is.", "[See the appendix."],
    "acronym at the end": ["They live in the U.S.", "The rest do not."],
    "number at the end": ["It began in 2019.", "Then it ended."],
    "wrapped number at the end": ["It rose from 67 to\n73.", "The rest fell."],
    "unit at the end": ["It is 67.4 km s^-1 Mpc^-1.", "That is low."],
    "unit without a vowel at the end": ["It weighs 5 kg.", "Nobody knows."],
    "sign at the end": ["La taxe passe à 15,51 %.", "La commune paie 3 €.", "Madame part."],
    "version at the end": ["We use 2.36.", "They use 2.37."],
    "initial at the end": ["He took vitamin C.", "It helped."],
    "et al. at the end": ["This was shown by Riess et al.", "However, it is disputed."],
    "ellipsis at the end": ["And then…", "The end."],
    "no. as a word": ["The answer is no.", "It was late."],
    "quantity first": ["It was low.", "12 people came."],
    "interrobang": ["What?!", "No."],
    "bold": ["**It is so.**", "Next."],
}


@pytest.mark.parametrize("name", SPLIT)
def test_sentences_are_split(name: str) -> None:
    assert split(" ".join(SPLIT[name])) == SPLIT[name]


LINES = {
    "blank line": ("A heading\n\nA text\nthat wraps.", ["A heading", "A text\nthat wraps."]),
    "bullets": ("We need:\n- one apple\n- two pears", ["We need:", "- one apple", "- two pears"]),
    "bullet wraps": ("- one\n  apple\n- pear", ["- one\n  apple", "- pear"]),
    "numbers": ("Do this:\n1. Stop\n2. Go\n3. End", ["Do this:", "1. Stop", "2. Go", "3. End"]),
    "heading": ("# A heading\nA text.", ["# A heading", "A text."]),
    "underline": ("Title\n=====\nA text.", ["Title\n=====", "A text."]),
    "table": ("| a | b |\n| 1 | 2 |\nText.", ["| a | b |", "| 1 | 2 |", "Text."]),
    "quoted bullets": (
        "- “It is 67.4. It stays.” [c1][c2]\n- “No.” [c3]",
        ["- “It is 67.4.", "It stays.” [c1][c2]", "- “No.” [c3]"],
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_lines_are_respected(name: str) -> None:
    text, expected = LINES[name]
    assert split(text) == expected


WORDS = st.sampled_from(
    ["The", "it", "is", "67.4", "e.g.", "U.S.", "end.", "Why?", "[c1]", "”", "“", "…", "\n", "\n\n",
     " ", "1.", "- ", "# ", "|", "===", "Fig.", "。", "...", ")", "(", "\f", "\t"]
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(WORDS).map(" ".join), st.lists(WORDS).map("".join)))
def test_spans_are_ordered_disjoint_trimmed_and_cover_everything(text: str) -> None:
    spans = split_sentences(text)
    position = 0
    for span in spans:
        assert position <= span.start < span.end
        assert not text[position : span.start].strip()
        words = text[span.start : span.end]
        assert words == words.strip()
        assert "\n\n" not in words
        position = span.end
    assert not text[position:].strip()


TABLED = (
    "Sample\tMelting point\n\nK5\t887 °C\n\nIt melts early. Its density is 8.4 g/cm³.\n\n"
    "Sample\tHardness\n\nK7\t104 HV"
)


def test_prose_is_shown_without_the_rows_beside_it_and_a_cell_with_its_row() -> None:
    quote = "Its density is 8.4 g/cm³."
    start = TABLED.index(quote)
    shown = find_window(Snapshot(text=TABLED), start, start + len(quote))
    assert TABLED[shown.start : shown.end] == "It melts early. Its density is 8.4 g/cm³."
    start = TABLED.index("104 HV")
    shown = find_window(Snapshot(text=TABLED), start, len(TABLED))
    assert TABLED[shown.start : shown.end].endswith("K7\t104 HV")
